//! The receiving side of TFRC: feedback once in a round trip and at each new loss event (RFC 5348 section 6).

use std::collections::VecDeque;
use std::sync::Arc;

use super::equation::loss_event_rate;
use super::loss_history::LossHistory;
use super::settings::{Config, FeedbackLaw, LossClock};
use crate::packet::{Body, Ecn, Packet};
use crate::transport::{Counters, Endpoint, FlowContext};
use crate::units::{Duration, Instant};

/// A moment at which the feedback timer expired, and the payload that had come by then.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Instant,
    bytes: u64,
}

/// The packet that arrived last.
#[derive(Clone, Copy, Debug)]
struct Last {
    sent_at: Instant,
    came_at: Instant,
}

pub(super) struct Receiver {
    config: Arc<Config>,
    history: LossHistory,
    /// R_m: in the packet with the highest number.
    rtt: Option<Duration>,
    highest: Option<u64>,
    /// p as it was last told.
    told: f64,
    /// The largest X_recv.
    best: f64,
    marks: VecDeque<Mark>,
    /// The duration of the feedback timer, and the time at which it expires. Absent while no data arrives.
    timer: Option<(Duration, Instant)>,
    /// Nothing had come when the timer last expired; when that was.
    silent_since: Option<Instant>,
    last: Option<Last>,
    /// Data have come since the last feedback.
    news: bool,
    counters: Counters,
}

impl Receiver {
    pub fn new(config: Arc<Config>) -> Self {
        Receiver {
            history: LossHistory::new(config.weighting, config.dup_threshold),
            config,
            rtt: None,
            highest: None,
            told: 0.0,
            best: 0.0,
            marks: VecDeque::new(),
            timer: None,
            silent_since: None,
            last: None,
            news: false,
            counters: Counters::default(),
        }
    }

    /// RFC 5348 section 6.1, and section 6.3 for the first packets.
    fn on_data(&mut self, now: Instant, began: bool, cx: &mut FlowContext) {
        let Some(rtt) = self.rtt else {
            // The sender does not know the round trip: each packet is answered.
            self.send_feedback(now, 0.0, cx);
            return;
        };
        if self.timer.is_none() && self.silent_since.is_none() {
            self.timer = Some((rtt, now + self.patience(rtt)));
        }
        if began && self.history.wants_first_interval() && self.told <= 0.0 {
            self.begin_history(now, rtt);
        }
        let rises = began && self.history.loss_event_rate() > self.told;
        let due = self.config.feedback == FeedbackLaw::Packet
            && self.marks.back().is_some_and(|mark| now.since(mark.at) >= rtt);
        if rises || due || self.silent_since.is_some() {
            self.expire(now, rtt, cx);
        }
    }

    /// RFC 5348 section 6.3.1: as if the rate until the first loss had been the equation's, at least half a packet in a
    /// round trip.
    fn begin_history(&mut self, now: Instant, rtt: Duration) {
        let (size, rtt) = (f64::from(self.config.sizes.payload), rtt.as_secs_f64());
        let target = self.best.max(self.receive_rate(now)).max(0.5 * size / rtt);
        self.history.begin_with(1.0 / loss_event_rate(size, rtt, target));
    }

    /// RFC 5348 section 6.2: data have come since the last feedback.
    fn expire(&mut self, now: Instant, rtt: Duration, cx: &mut FlowContext) {
        let received = self.receive_rate(now);
        self.best = self.best.max(received);
        self.told = self.history.loss_event_rate();
        self.send_feedback(now, received, cx);
        self.marks.push_back(Mark { at: now, bytes: self.counters.bytes_delivered });
        // The newest that is a round trip old, and younger ones.
        while self.marks.len() > 1 && now.since(self.marks[1].at) >= rtt {
            self.marks.pop_front();
        }
        self.silent_since = None;
        self.timer = Some((rtt, now + self.patience(rtt)));
    }

    /// How long after feedback the timer asks for more.
    fn patience(&self, rtt: Duration) -> Duration {
        match self.config.feedback {
            FeedbackLaw::Timer => rtt,
            FeedbackLaw::Packet => rtt.mul_f64(1.5),
        }
    }

    /// X_recv: since the last expiry of the timer that is at least as long ago as it was set to.
    fn receive_rate(&self, now: Instant) -> f64 {
        let (span, _) = self.timer.unwrap_or_default();
        let old_enough = self.marks.iter().rev().find(|mark| now.since(mark.at) >= span).or(self.marks.front());
        let Some(&mark) = old_enough else { return 0.0 };
        let mut since = mark.at;
        if let Some(silent) = self.silent_since
            && span > Duration::ZERO
        {
            // The timer has gone on expiring since then, once in a span.
            let expiries = now.since(silent).as_nanos() / span.as_nanos();
            since = since.max(silent + span * expiries.saturating_sub(1));
        }
        let time = now.since(since).as_secs_f64();
        if time > 0.0 { (self.counters.bytes_delivered - mark.bytes) as f64 / time } else { 0.0 }
    }

    fn send_feedback(&mut self, now: Instant, received: f64, cx: &mut FlowContext) {
        let Some(last) = self.last else { return };
        let size = self.config.sizes.report;
        self.news = false;
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += u64::from(size);
        let body = Body::TfrcFeedback {
            echo: last.sent_at,
            delay: now.since(last.came_at),
            receive_rate: received,
            loss_event_rate: self.told,
        };
        cx.out.push(Packet::new(now, size, body));
    }
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Body::TfrcData { seq, sent_at, rtt } = packet.body else {
            debug_assert!(false, "a receiver gets data");
            return;
        };
        let marked = packet.ecn == Ecn::Ce;
        if self.highest.is_none() {
            self.marks.push_back(Mark { at: now, bytes: self.counters.bytes_delivered });
        }
        if self.highest.is_none_or(|highest| seq > highest) {
            self.highest = Some(seq);
            self.rtt = rtt.or(self.rtt);
        }
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        self.counters.bytes_delivered += u64::from(packet.size.saturating_sub(self.config.sizes.header));
        self.counters.marks_seen += u64::from(marked);
        self.counters.one_way_delay_sum += now.since(sent_at).as_secs_f64();
        self.last = Some(Last { sent_at, came_at: now });
        self.news = true;
        let time = match self.config.loss_clock {
            LossClock::Arrival => now,
            LossClock::Sending => sent_at,
        };
        let began = self.history.on_packet(time, seq, marked, self.rtt.unwrap_or_default());
        self.on_data(now, began, cx);
    }

    fn next_deadline(&self) -> Option<Instant> {
        if self.silent_since.is_some() { None } else { self.timer.map(|(_, due)| due) }
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.next_deadline().is_none_or(|due| due > now) {
            return;
        }
        match self.rtt {
            Some(rtt) if self.news => self.expire(now, rtt, cx),
            _ => self.silent_since = Some(now),
        }
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        // No packet waits for earlier ones.
        Counters { bytes_new: self.counters.bytes_delivered, ..self.counters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::PACKET;
    use crate::rng::Rng;
    use crate::transport::ContextOwner;
    use crate::transport::tfrc::{ENTRY, Params};

    /// The loss event rate after 40 packets, sent every 10 ms with a round trip of 100 ms, which come this many microseconds apart
    /// but for those of `lost`.
    fn rate(clock: &str, apart: u64, lost: &[u64]) -> f64 {
        let mut args = ENTRY.args(Some("ns2")).expect("a profile");
        args.set_text("loss_clock", clock).expect("a clock");
        let params: Params = args.typed();
        let mut receiver = Receiver::new(Arc::new(Config::new(&params).expect("room for data")));
        let mut owner = ContextOwner::new(Rng::named(1, "test"));
        for seq in (0..40).filter(|seq| !lost.contains(seq)) {
            let sent_at = Instant::ZERO + Duration::from_millis(10 * seq);
            let body = Body::TfrcData { seq, sent_at, rtt: Some(Duration::from_millis(100)) };
            let packet = Packet { size: 1000, body, ..PACKET };
            receiver.on_packet(Instant::ZERO + Duration::from_micros(50_000 + apart * seq), &packet, &mut owner.lend());
        }
        receiver.history.loss_event_rate()
    }

    #[test]
    fn in_ns2_losses_are_apart_by_when_packets_were_sent() {
        // A queue that drains: sent 110 ms apart, they would have come 88 ms apart. One event by the arrivals, two by the sending times.
        assert!(rate("sending", 8_000, &[4, 15]) > 1.2 * rate("arrival", 8_000, &[4, 15]));
        // A queue that grows: sent 90 ms apart, 108 ms apart at the receiver.
        assert!(rate("arrival", 12_000, &[4, 13]) > 1.2 * rate("sending", 12_000, &[4, 13]));
        // Neither: both say the same.
        assert!((rate("arrival", 10_000, &[4, 15]) / rate("sending", 10_000, &[4, 15]) - 1.0).abs() < 1e-12);
    }
}
