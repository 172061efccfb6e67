//! The receiver as an end of a flow: it opens its connection with a SYN, hears the marks and messages of segments, and keeps its deadline.

use super::super::EcnFeedback;
use super::super::settings::Arrivals;
use super::delay::Delay;
use super::echo::Echo;
use super::opening::SynAck;
use super::tuning::Tuning;
use super::{Cause, Counted, Receiver};
use crate::header::Answer;
use crate::packet::{Body, Ecn, Packet};
use crate::prefetch::{Part, prefetch};
use crate::transport::{Counters, Endpoint, FlowContext, Turn};
use crate::units::Instant;

/// The number of segments that are acknowledged at once after a mark (Linux).
const QUICK_AFTER_MARK: u8 = 2;

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Body::Data { seq, len, sent_at, syn, cwr, retransmit, push, header } = packet.body else {
            debug_assert!(false, "a receiver gets segments");
            return;
        };
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        self.counters.one_way_delay_sum += now.since(sent_at).as_secs_f64();
        let cause = Cause { sent_at, retransmit };
        if syn && seq < self.next && self.config.params.arrivals == Arrivals::Linux {
            // A late copy: its connection is open.
            return;
        }
        if syn && self.opening.as_mut().is_some_and(|opening| !opening.may_answer(now)) {
            return;
        }
        if syn {
            // A new connection: what was to be echoed belonged to the old one.
            self.echo = Echo::default();
            self.counts = self.config.counts(packet.ecn, cwr);
            if self.config.params.tuning {
                let delay = Delay::new(now, now.since(sent_at), self.config.params.ack_delay);
                let most = self.config.receive_buffer;
                self.tuning = Some(Box::new(Tuning::new(now, self.config.mss.into(), most, delay)));
            }
            self.quick = self.quick_at_most(self.config.quick_acks);
            self.answer = Answer::default();
            if let Some(header) = &header {
                self.answer.add(header);
            }
            let answer = if cwr { SynAck::Agrees } else { SynAck::Yes };
            self.acknowledge(now, cause, answer, cx);
            if self.config.params.handshake_ack {
                self.await_opening(now, cause, answer, cx);
            }
            return;
        }
        if self.opening.is_some() {
            self.on_opened(now, sent_at, header.as_ref());
        }
        if len == 0 {
            // It acknowledges the answer to the SYN.
            return;
        }
        self.report_in_time(now, cx);
        if let Some(header) = &header {
            self.hear(now, header, len >= self.config.mss);
        }
        let marked = packet.ecn == Ecn::Ce;
        self.counters.marks_seen += u64::from(marked);
        match self.config.ecn_feedback {
            EcnFeedback::Rfc3168 => {
                if self.echo.hastens(packet.ecn, cwr) {
                    self.quicken(QUICK_AFTER_MARK);
                }
                match self.config.params.arrivals {
                    Arrivals::Rfc => self.echo.hear(marked, cwr),
                    Arrivals::Linux => self.echo.hear_in_turn(marked, cwr),
                }
                self.on_data(now, seq, len, cause, cx);
            }
            EcnFeedback::Dctcp => {
                self.on_data_exactly(now, seq, len, cause, marked, cx);
            }
            EcnFeedback::Accurate | EcnFeedback::AccurateWithBytes => {
                self.on_data_counted(now, seq, len, cause, packet.ecn, cx);
            }
            EcnFeedback::Xecn => {
                self.echo.hear(false, cwr);
                self.on_data_counting(now, seq, len, cause, marked, cx);
            }
        }
        // Linux answers CWR at once, since the sender's window may be small.
        let asks = push && self.held.is_none() || cwr && self.config.quick_acks > 0;
        if asks {
            self.acknowledge_waiting(now, cx);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.delayed.map(|delayed| delayed.deadline)
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if let Some(delayed) = self.delayed
            && delayed.deadline <= now
        {
            if let Some(opening) = &mut self.opening {
                opening.on_timeout();
                let answer = opening.answer;
                self.acknowledge(now, delayed.cause, answer, cx);
                self.await_opening(now, delayed.cause, answer, cx);
                return;
            }
            self.acknowledge_late(now, delayed, cx);
        }
    }

    fn turn(&self) -> Turn {
        if let Some(opening) = &self.opening {
            return opening.turn(self.next_deadline());
        }
        self.tuning.as_ref().map_or(Turn::FIRST, |tuning| tuning.delay.turn(self.next_deadline()))
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn prefetch(&self, part: Part) {
        match part {
            Part::Itself => prefetch(Some(self)),
            Part::Elsewhere => prefetch(self.held.as_deref()),
        }
    }

    fn counters(&self) -> Counters {
        let Counted { packets_received, bytes_received, bytes_delivered, marks_seen, one_way_delay_sum } =
            self.counters;
        Counters {
            packets_received,
            bytes_received,
            bytes_delivered,
            bytes_new: bytes_delivered + self.held.as_ref().map_or(0, |held| held.bytes()),
            marks_seen,
            one_way_delay_sum,
            ..Counters::default()
        }
    }
}
