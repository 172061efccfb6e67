//! RFC 8985 (RACK-TLP) and RFC 9937 (proportional rate reduction), by the names of their pseudocode, over RFC 5681's congestion avoidance.
//! Sequence numbers are segments. The model has the clock of the run and its own timers for reordering and probes, not that of RFC 6298:
//! it is compared until the first timeout.
//!
//! Where the RFCs leave a choice it takes the one of the sender: RFC 9937 runs once with one segment when a loss is found by the timer, so
//! that the first repair goes, and an acknowledgement opens the window only if the window has ended the last transmission. Many segments
//! leave at one instant here: their order is known, so that RACK.end_seq, which guesses it, is not needed.

use crate::units::{Duration, Instant};

/// The state of a segment in RFC 8985 section 5.1.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is known by itself, in the words of the RFC")]
struct Segment {
    xmit_ts: Instant,
    /// Number of that transmission.
    order: usize,
    lost: bool,
    retransmitted: bool,
    /// A retransmission is out that does not count as lost.
    repairing: bool,
    sacked: bool,
}

/// RFC 9937 section 6.1.
#[derive(Clone, Copy, Debug)]
struct Prr {
    ssthresh: usize,
    delivered: usize,
    out: usize,
    recover_fs: usize,
}

#[expect(clippy::struct_excessive_bools, reason = "each is known by itself, in the words of the RFC")]
pub struct ByTime {
    total: usize,
    probes: bool,
    segments: Vec<Segment>,
    una: usize,
    cwnd: f64,
    full: bool,
    /// RecoveryPoint, while in fast recovery.
    recovery_point: Option<usize>,
    prr: Option<Prr>,
    /// The segments that PRR allows in the network.
    allowed: usize,
    // RFC 8985 section 5.2.
    newest: Option<usize>,
    transmissions: usize,
    rtt: Duration,
    min_rtt: Duration,
    fack: usize,
    reordering_seen: bool,
    reo_deadline: Option<Instant>,
    // Section 7.1.
    end_seq: Option<usize>,
    is_retrans: bool,
    rtt_since_probe: bool,
    pto: Option<Instant>,
    srtt: Option<f64>,
}

const DUP_THRESH: usize = 3;
/// TLP.max_ack_delay.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);

impl ByTime {
    /// A sender of `total` segments with a window and a threshold of ten, before it sends.
    pub fn new(total: usize, probes: bool) -> Self {
        ByTime {
            total,
            probes,
            segments: Vec::new(),
            una: 0,
            cwnd: 10.0,
            full: false,
            recovery_point: None,
            prr: None,
            allowed: 0,
            newest: None,
            transmissions: 0,
            rtt: Duration::ZERO,
            min_rtt: Duration::MAX,
            fack: 0,
            reordering_seen: false,
            reo_deadline: None,
            end_seq: None,
            is_retrans: false,
            rtt_since_probe: false,
            pto: None,
            srtt: None,
        }
    }

    pub fn start(&mut self, now: Instant) -> Vec<usize> {
        let mut sent = Vec::new();
        self.send(now, &mut sent);
        sent
    }

    /// When its own timers go off.
    pub fn deadline(&self) -> Option<Instant> {
        self.reo_deadline.or(self.pto)
    }

    fn out(&self) -> std::ops::Range<usize> {
        self.una..self.segments.len()
    }

    /// It had been found lost, and has not arrived.
    fn is_lost(&self, n: usize) -> bool {
        self.segments[n].lost && !self.segments[n].sacked
    }

    fn sacked(&self) -> usize {
        self.out().filter(|&n| self.segments[n].sacked).count()
    }

    /// inflight of RFC 9937: neither received nor lost, and retransmissions.
    fn pipe(&self) -> usize {
        let counts = |n: &usize| {
            let segment = self.segments[*n];
            !segment.sacked && (!segment.lost || segment.repairing)
        };
        self.out().filter(counts).count()
    }

    // ---- Sending.

    fn send(&mut self, now: Instant, sent: &mut Vec<usize>) {
        let window = if self.recovery_point.is_some() { self.allowed } else { self.cwnd as usize };
        let mut new = false;
        loop {
            if self.pipe() >= window {
                self.full = true;
                break;
            }
            let to_repair = |n: &usize| self.is_lost(*n) && !self.segments[*n].repairing;
            let repair = if self.recovery_point.is_some() { self.out().find(to_repair) } else { None };
            if let Some(segment) = repair {
                self.send_again(now, segment, sent);
            } else if self.segments.len() < self.total {
                self.send_new(now, sent);
                new = true;
            } else {
                self.full = false;
                break;
            }
        }
        if new {
            self.schedule_probe(now);
        }
    }

    fn send_new(&mut self, now: Instant, sent: &mut Vec<usize>) {
        sent.push(self.segments.len());
        let order = self.count_out();
        let segment =
            Segment { xmit_ts: now, order, lost: false, retransmitted: false, repairing: false, sacked: false };
        self.segments.push(segment);
    }

    fn send_again(&mut self, now: Instant, number: usize, sent: &mut Vec<usize>) {
        let order = self.count_out();
        let segment = &mut self.segments[number];
        (segment.xmit_ts, segment.order) = (now, order);
        (segment.retransmitted, segment.repairing) = (true, true);
        sent.push(number);
        if number == self.una && self.reo_deadline.is_none() {
            // The retransmission timer runs in place of the probe's (section 8: one timer).
            self.pto = None;
        }
    }

    fn count_out(&mut self) -> usize {
        if let Some(prr) = &mut self.prr {
            prr.out += 1;
        }
        self.transmissions += 1;
        self.transmissions
    }

    // ---- RFC 8985 section 6.2.

    fn on_delivered(&mut self, now: Instant, echo: Instant, delivered: &[usize]) {
        // Step 1.
        for &n in delivered {
            if !self.segments[n].retransmitted {
                self.min_rtt = self.min_rtt.min(now.since(self.segments[n].xmit_ts));
            }
        }
        for &n in delivered {
            let segment = self.segments[n];
            // Step 3, what had arrived before this acknowledgement.
            self.reordering_seen |= !segment.retransmitted && n + 1 < self.fack;
            // Step 2.
            let rtt = now.since(segment.xmit_ts);
            if segment.retransmitted && (echo < segment.xmit_ts || rtt < self.min_rtt) {
                continue;
            }
            self.rtt = rtt;
            self.newest = self.newest.max(Some(segment.order));
        }
        self.fack = delivered.iter().map(|n| n + 1).fold(self.fack, usize::max);
    }

    /// Step 4.
    fn reo_wnd(&self) -> Duration {
        if !self.reordering_seen && (self.recovery_point.is_some() || self.sacked() >= DUP_THRESH) {
            return Duration::ZERO;
        }
        self.min_rtt.mul_f64(0.25).min(Duration::from_secs_f64(self.srtt.unwrap_or(1e9)))
    }

    /// Step 5: how many are lost; sets the timer.
    fn detect_loss(&mut self, now: Instant) -> usize {
        let (reo_wnd, mut timeout, mut lost) = (self.reo_wnd(), None, 0);
        for n in self.out() {
            let segment = self.segments[n];
            let in_network = !segment.sacked && (!segment.lost || segment.repairing);
            // RACK_sent_after.
            if !in_network || self.newest.is_none_or(|newest| newest <= segment.order) {
                continue;
            }
            let due = segment.xmit_ts + self.rtt + reo_wnd;
            if due <= now {
                self.segments[n] = Segment { lost: true, repairing: false, ..segment };
                lost += 1;
            } else {
                timeout = timeout.max(Some(due));
            }
        }
        self.reo_deadline = timeout;
        lost
    }

    // ---- RFC 5681 and RFC 9937.

    fn enter_recovery(&mut self, delivered: usize) {
        let flight = self.segments.len() - self.una;
        self.cwnd = ((flight as f64).min(self.cwnd) / 2.0).max(2.0);
        self.recovery_point = Some(self.segments.len());
        // RFC 9937 section 6.1: what had been reported before is not delivered during recovery.
        let recover_fs = (flight + delivered - self.sacked()).max(1);
        self.prr = Some(Prr { ssthresh: self.cwnd as usize, delivered: 0, out: 0, recover_fs });
        self.allowed = self.cwnd as usize;
        self.end_seq = None;
    }

    /// RFC 9937 section 6.2.
    fn reduce(&mut self, delivered: usize, safe: bool) {
        let inflight = self.pipe();
        let Some(prr) = &mut self.prr else { return };
        if delivered == 0 {
            return;
        }
        prr.delivered += delivered;
        let mut snd_cnt = if inflight > prr.ssthresh {
            (prr.delivered * prr.ssthresh).div_ceil(prr.recover_fs).saturating_sub(prr.out)
        } else {
            let bound = prr.delivered.saturating_sub(prr.out).max(delivered) + usize::from(safe);
            bound.min(prr.ssthresh - inflight)
        };
        if prr.out == 0 {
            snd_cnt = snd_cnt.max(1);
        }
        self.allowed = inflight + snd_cnt;
    }

    // ---- What happens.

    /// An acknowledgement of the segments below `ack` with SACK blocks, caused by one that left at `echo`.
    pub fn on_ack(&mut self, now: Instant, echo: Instant, ack: usize, blocks: &[(usize, usize)]) -> Vec<usize> {
        let mut sent = Vec::new();
        if ack < self.una {
            return sent;
        }
        let below = (self.una..ack).filter(|&n| !self.segments[n].sacked);
        let mut delivered: Vec<usize> = below.collect();
        let advances = ack > self.una;
        self.una = ack;
        for n in blocks.iter().flat_map(|&(start, end)| start..end) {
            if n >= ack && !self.segments[n].sacked {
                delivered.push(n);
                self.segments[n].sacked = true;
            }
        }
        if advances {
            let rtt = now.since(echo).as_secs_f64();
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| 0.875 * srtt + 0.125 * rtt));
            self.rtt_since_probe = true;
        }
        self.on_delivered(now, echo, &delivered);
        self.hear_of_probe(ack, !advances && blocks.is_empty());
        if self.recovery_point.is_some_and(|point| ack >= point) {
            (self.recovery_point, self.prr) = (None, None);
        }
        let lost = self.detect_loss(now);
        if self.recovery_point.is_none() && self.out().any(|n| self.is_lost(n)) {
            self.enter_recovery(delivered.len());
        }
        if self.recovery_point.is_some() {
            self.reduce(delivered.len(), advances && lost == 0);
        } else if advances && self.full {
            // RFC 5681 equations 2 and 3, in congestion avoidance.
            self.cwnd += (delivered.len() as f64).min(1.0) / self.cwnd;
        }
        if self.out().is_empty() || self.reo_deadline.is_some() {
            self.pto = None;
        } else if advances {
            self.pto = None;
            self.schedule_probe(now);
        }
        self.send(now, &mut sent);
        sent
    }

    /// One of its own timers has gone off.
    pub fn on_deadline(&mut self, now: Instant) -> Vec<usize> {
        let mut sent = Vec::new();
        if self.reo_deadline.take().is_some() {
            // Section 6.2, RACK_reo_timeout.
            let lost = self.detect_loss(now);
            if lost > 0 {
                if self.recovery_point.is_none() {
                    self.enter_recovery(1);
                }
                self.reduce(1, false);
            }
        } else {
            self.pto = None;
            self.send_probe(now, &mut sent);
        }
        self.send(now, &mut sent);
        sent
    }

    // ---- RFC 8985 section 7.

    /// Section 7.2.
    fn schedule_probe(&mut self, now: Instant) {
        let allowed = self.recovery_point.is_none() && self.sacked() == 0 && self.end_seq.is_none();
        if !self.probes || !allowed || !self.rtt_since_probe || self.reo_deadline.is_some() {
            return;
        }
        let Some(srtt) = self.srtt else { return };
        let alone = self.out().len() == 1;
        let wait = Duration::from_secs_f64(srtt) * 2 + if alone { MAX_ACK_DELAY } else { Duration::ZERO };
        self.pto = Some(now + wait);
    }

    /// Section 7.3.
    fn send_probe(&mut self, now: Instant, sent: &mut Vec<usize>) {
        if self.end_seq.is_some() || self.out().is_empty() {
            return;
        }
        self.is_retrans = self.segments.len() == self.total;
        if !self.is_retrans {
            self.send_new(now, sent);
        } else if let Some(last) = self.segments.len().checked_sub(1).filter(|&last| !self.segments[last].sacked) {
            self.send_again(now, last, sent);
        }
        self.end_seq = Some(self.segments.len());
        self.rtt_since_probe = false;
        self.pto = None;
    }

    /// Section 7.4.2. The transfer ends with the segment that is probed: no acknowledgement lies above it.
    fn hear_of_probe(&mut self, ack: usize, is_plain_duplicate: bool) {
        let answered = self.end_seq.is_some_and(|end| ack >= end);
        if answered && (!self.is_retrans || is_plain_duplicate) {
            self.end_seq = None;
        }
    }
}
