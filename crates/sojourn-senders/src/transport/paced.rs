//! The common part of senders of datagrams at a rate: TFRC, RAP, TEAR, LDA+, GCC and SCReAM. The [`Law`] says how long after a packet the
//! next one may leave; the [`Sender`] asks the application, sends, and hands the receiver's reports to the law. Nothing is sent again.

use super::pending::Pending;
use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::header::report::Report;
use crate::packet::{Body, Ecn, Packet};
use crate::traffic::{AppContext, Application, Demand};
use crate::units::{Bytes, Coarse, Duration, Instant, Rate};

/// Longest time between two packets: RFC 5348's t_mbi, so that a sender whose rate has fallen to nothing goes on asking.
pub(super) const GAP_MAX: f64 = 64.0;

/// A report that has arrived, or another answer of the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard<'a> {
    pub now: Instant,
    /// The time between the packet that the report answers and the report, less its wait at the receiver.
    pub rtt: Duration,
    /// The time at which that packet was sent, as the report quotes it.
    pub echo: Instant,
    pub body: &'a Body,
}

impl Heard<'_> {
    /// The report of the receiver, if it has the common form.
    pub fn report(&self) -> Option<&Report> {
        if let Body::Report { report, .. } = self.body { Some(report) } else { None }
    }
}

/// At which rate a sender sends.
pub(super) trait Law: Send {
    /// How long after a packet that leaves now the next one may.
    fn gap(&self) -> Duration;

    /// Whether a change of the rate moves the packet that is due already.
    fn reschedules(&self) -> bool {
        true
    }

    /// A packet could leave now. Returns whether it may. If not, its time is over.
    fn may_send(&mut self, _now: Instant, _counters: &mut Counters) -> bool {
        true
    }

    /// Packet `seq` has left.
    fn on_sent(&mut self, _now: Instant, _seq: u64, _payload: u32) {}

    /// The turn of `due` is over: packets that could be sent then have been sent. `more` says that data still waits.
    fn on_turn(&mut self, _now: Instant, _due: Instant, _more: bool) {}

    /// Payload of the next packet if the application has no sizes of its own; `full` is that of a full one.
    fn payload(&self, full: u32) -> u32 {
        full
    }

    /// The ECN field of packets that leave. Only the publications of TFRC and SCReAM treat marks.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// Whether another packet follows packet `seq` at once.
    fn pairs(&self, _seq: u64) -> bool {
        false
    }

    /// How long after a packet a report is missed if none has come: as RFC 5348's nofeedback timer, four round trips or two packets,
    /// and never less than a second.
    fn patience(&self) -> Duration {
        let trips = self.rtt().map_or(Duration::from_secs(2), |rtt| rtt * 4);
        trips.max(self.gap() * 2).max(Duration::from_secs(1))
    }

    /// The receiver has reported.
    fn on_report(&mut self, heard: &Heard<'_>, counters: &mut Counters);

    /// The sender's round-trip time, which packets tell the receiver.
    fn rtt(&self) -> Option<Duration>;

    /// When [`Law::on_deadline`] wants to be called next.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// That time has come.
    fn on_deadline(&mut self, _now: Instant, _counters: &mut Counters) {}
}

/// Sizes of packets, which all these transports have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Payload of a full packet.
    pub payload: u32,
    pub header: u32,
    /// Bytes of a report.
    pub report: u32,
}

impl Sizes {
    /// From the size of a full packet with its header, and of a report.
    pub fn new(packet: Bytes, header: Bytes, report: Bytes) -> Result<Self, BuildError> {
        let Some(payload) = packet.0.checked_sub(header.0).filter(|&payload| payload > 0) else {
            return Err(BuildError::new(
                "packet",
                format!("a packet of {} bytes has no room behind a header of {}", packet.0, header.0),
                "packet must be larger than header",
            ));
        };
        Ok(Sizes { payload: payload as u32, header: header.0 as u32, report: report.0 as u32 })
    }

    /// Bytes of a full packet on the wire.
    pub fn packet(self) -> f64 {
        f64::from(self.payload + self.header)
    }
}

/// A gap in seconds as a duration: at least a nanosecond, or time would stand still, and at most [`GAP_MAX`].
pub(super) fn gap(secs: f64) -> Duration {
    Duration::from_secs_f64(secs.min(GAP_MAX)).max(Duration::from_nanos(1))
}

/// The sending side.
pub(super) struct Sender<L> {
    sizes: Sizes,
    law: L,
    app: Box<dyn Application>,
    stopped: bool,
    pending: Pending,
    next_seq: u64,
    /// When the last packet left, or might have.
    last_turn: Option<Instant>,
    /// When the next one may, if the law does not move it.
    fixed: Instant,
    /// When the first packet left that no report has answered since, ...
    waits_since: Option<Instant>,
    /// ... and the longest such time that was longer than three times the law's patience.
    standstill: Duration,
    counters: Counters,
}

impl<L: Law> Sender<L> {
    /// A sender of datagrams of these sizes at the rate of `law`, driven by `app`.
    pub fn new(sizes: Sizes, law: L, app: Box<dyn Application>) -> Self {
        Sender {
            sizes,
            law,
            app,
            stopped: false,
            pending: Pending::default(),
            next_seq: 0,
            last_turn: None,
            fixed: Instant::ZERO,
            waits_since: None,
            standstill: Duration::ZERO,
            counters: Counters::default(),
        }
    }

    /// How long no report has come while packets were out, if that is longer than three times the law's patience.
    fn still(&self, now: Instant) -> Duration {
        let still = self.waits_since.map_or(Duration::ZERO, |since| now.since(since));
        if still > self.law.patience() * 3 { still } else { Duration::ZERO }
    }

    fn ask(
        &mut self,
        cx: &mut FlowContext,
        question: impl FnOnce(&mut dyn Application, &mut AppContext<'_>) -> Demand,
    ) -> Demand {
        let header = Bytes(u64::from(self.sizes.header));
        let packet = Bytes(u64::from(self.sizes.payload) + header.0);
        question(self.app.as_mut(), &mut AppContext { rng: cx.rng, packet, header })
    }

    /// When the next packet may leave: at once if none has left.
    fn due(&self) -> Instant {
        match self.last_turn {
            Some(last) if self.law.reschedules() => last + self.law.gap(),
            Some(_) => self.fixed,
            None => Instant::ZERO,
        }
    }

    /// Sends the packets that may leave now.
    fn pump(&mut self, now: Instant, cx: &mut FlowContext) {
        while !self.pending.is_empty() {
            let due = self.due();
            if due > now {
                return;
            }
            if self.law.may_send(now, &mut self.counters) {
                self.send(now, cx);
                while self.law.pairs(self.next_seq - 1) && !self.pending.is_empty() {
                    self.send(now, cx);
                }
            }
            self.last_turn = Some(now);
            self.fixed = now + self.law.gap();
            self.law.on_turn(now, due, !self.pending.is_empty());
            if self.pending.is_empty() {
                let demand = self.ask(cx, |app, app_cx| app.on_transfer_complete(now, app_cx));
                self.pending.write(demand.write);
            }
        }
    }

    fn send(&mut self, now: Instant, cx: &mut FlowContext) {
        let full = self.sizes.payload;
        let most = if self.pending.is_endless() { self.law.payload(full) } else { full };
        let Some(payload) = self.pending.take(most) else { return };
        let size = payload + self.sizes.header;
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += u64::from(size);
        let body = Body::TfrcData { seq: self.next_seq, sent_at: now, rtt: self.law.rtt() };
        cx.out.push(Packet { ecn: self.law.ecn(), ..Packet::new(now, size, body) });
        self.law.on_sent(now, self.next_seq, payload);
        self.next_seq += 1;
        self.waits_since.get_or_insert(now);
    }
}

impl<L: Law> Endpoint for Sender<L> {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        let demand = self.ask(cx, |app, app_cx| app.on_start(now, app_cx));
        self.pending.write(demand.write);
        self.pump(now, cx);
    }

    fn stop(&mut self, _now: Instant, _cx: &mut FlowContext) {
        self.stopped = true;
        self.pending = Pending::default();
    }

    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let (echo, waited) = match packet.body {
            Body::Report { echo, .. } => (echo, Duration::ZERO),
            Body::TfrcFeedback { echo, delay, .. } => (echo, delay),
            _ => {
                // None of these publications knows choke packets.
                debug_assert!(matches!(packet.body, Body::Choke { .. }), "a sender gets reports");
                return;
            }
        };
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        let rtt = now.since(echo).saturating_sub(waited);
        cx.out.round_trip = Coarse::of(rtt);
        let secs = rtt.as_secs_f64();
        self.counters.rtt_samples += 1;
        self.counters.rtt_sum += secs;
        self.counters.rtt_sum_squares += secs * secs;
        if self.stopped {
            return;
        }
        self.standstill = self.standstill.max(self.still(now));
        self.waits_since = None;
        self.law.on_report(&Heard { now, rtt, echo, body: &packet.body }, &mut self.counters);
        self.pump(now, cx);
    }

    fn next_deadline(&self) -> Option<Instant> {
        if self.stopped {
            return None;
        }
        let send = (!self.pending.is_empty()).then(|| self.due());
        [send, self.law.next_deadline(), self.app.next_deadline()].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.stopped {
            return;
        }
        if self.law.next_deadline().is_some_and(|due| due <= now) {
            self.law.on_deadline(now, &mut self.counters);
        }
        if self.app.next_deadline().is_some_and(|due| due <= now) {
            let demand = self.ask(cx, |app, app_cx| app.on_deadline(now, app_cx));
            self.pending.write(demand.write);
        }
        self.pump(now, cx);
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn standstill(&self, now: Instant) -> Duration {
        if self.stopped { self.standstill } else { self.standstill.max(self.still(now)) }
    }
}

/// A least rate that is above the greatest is refused.
pub(super) fn check_order(least: Rate, greatest: Rate) -> Result<(), BuildError> {
    if least > greatest {
        let what = "the least rate is above the greatest".to_owned();
        return Err(BuildError::new("min_rate", what, "make it less than max_rate"));
    }
    Ok(())
}

/// Reports at intervals: the time of the next one, and the share of packets missing since the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regular {
    interval: Duration,
    /// Absent before the first packet, and behind an interval in which none came.
    due: Option<Instant>,
    /// One more than the highest number that has come, now and at the last report.
    next: u64,
    reported: u64,
    /// Packets since the last report.
    came: u64,
}

impl Regular {
    pub fn new(interval: Duration) -> Self {
        Regular { interval, due: None, next: 0, reported: 0, came: 0 }
    }

    /// Packet `seq` has come: the first one begins an interval.
    pub fn note(&mut self, now: Instant, seq: u64) {
        self.next = self.next.max(seq + 1);
        self.came += 1;
        self.due.get_or_insert(now + self.interval);
    }

    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether a report is due. After an interval in which nothing came the next packet begins one.
    pub fn is_due(&mut self, now: Instant) -> bool {
        if self.due.is_none_or(|due| due > now) {
            return false;
        }
        if self.next == self.reported {
            self.due = None;
        }
        self.due.is_some()
    }

    /// The part that is lost, from 0 to 1; another interval begins.
    pub fn report(&mut self, now: Instant) -> f64 {
        let expected = self.next - self.reported;
        let lost = expected.saturating_sub(self.came);
        (self.reported, self.came, self.due) = (self.next, 0, Some(now + self.interval));
        if expected > 0 { lost as f64 / expected as f64 } else { 0.0 }
    }
}

/// The counts of every receiver, and its reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reporter {
    sizes: Sizes,
    /// When the packet left that came last, and when it came.
    last: Option<(Instant, Instant)>,
    counters: Counters,
}

/// A packet as it reaches a receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub seq: u64,
    pub sent_at: Instant,
    /// The sender's round-trip time.
    pub rtt: Option<Duration>,
}

impl Reporter {
    pub fn new(sizes: Sizes) -> Self {
        Reporter { sizes, last: None, counters: Counters::default() }
    }

    /// Counts a packet, and reads these transports' fields in it.
    pub fn receive(&mut self, now: Instant, packet: &Packet) -> Option<Arrival> {
        let Body::TfrcData { seq, sent_at, rtt } = packet.body else {
            debug_assert!(false, "a receiver gets data");
            return None;
        };
        let payload = u64::from(packet.size.saturating_sub(self.sizes.header));
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        self.counters.bytes_delivered += payload;
        self.counters.marks_seen += u64::from(packet.ecn == Ecn::Ce);
        self.counters.one_way_delay_sum += now.since(sent_at).as_secs_f64();
        self.last = Some((sent_at, now));
        Some(Arrival { seq, sent_at, rtt })
    }

    /// Reports about the packet that arrived last.
    pub fn report(&mut self, now: Instant, report: Report, cx: &mut FlowContext) {
        let Some((echo, came_at)) = self.last else { return };
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += u64::from(self.sizes.report);
        let body = Body::Report { echo: echo + now.since(came_at), report };
        cx.out.push(Packet::new(now, self.sizes.report, body));
    }

    /// No packet waits for earlier ones.
    pub fn counters(&self) -> Counters {
        Counters { bytes_new: self.counters.bytes_delivered, ..self.counters }
    }
}
