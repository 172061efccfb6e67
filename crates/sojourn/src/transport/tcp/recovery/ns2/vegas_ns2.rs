//! Retransmission by a fine-grained timeout in ns-2 2.35's `Agent/TCP/Vegas` (`details = "ns2"` with Reno and a control whose
//! `fine_timeout` is `ns2`). Compared with: ns-2, packet by packet (`tests/peers/test_traces.py`). It differs from `early.rs` in these
//! points:
//! - Any duplicate resends an overdue segment, so that a segment that is lost again is found without the timer. The timeout grows by an
//!   eighth at the first retransmission of a segment and doubles at further ones, until the next sample.
//! - The window is cut if the segment was sent after the last cut: by a quarter, or to half if the segment had been resent.
//! - Duplicates inflate the window. This is taken back only if there were more than three.
//! - Each such retransmission backs the coarse timer off.
//! - A check after a retransmission that finds nothing in flight sends the next segment, and then sends it again.

use crate::transport::FlowContext;
use crate::transport::congestion::{Adjustment, Cause, Congestion};
use crate::transport::tcp::recovery::hooks::Recover;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::Instant;

/// The state of this recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transport::tcp) struct Vegas {
    /// The number of duplicates by which the window is inflated.
    inflation: f64,
    /// The time of the last cut, and the window after it.
    cut_at: Option<Instant>,
    cut_to: f64,
}

impl Recover for Vegas {
    #[inline(never)]
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, mut ack: Ack<'_>, cx: &mut FlowContext) {
        if ack.next > stream.una {
            self.settle_inflation(stream, true);
        }
        // After a timeout the next byte to send lies below the highest: rounds count from it.
        let highest = stream.nxt.max(ack.next);
        stream.hear(now, &mut ack, highest);
        let ack = &ack;
        if ack.marks > 0 {
            stream.on_echo(now, ack.next, self.inflation);
        }
        if ack.next > stream.una {
            let acked = stream.advance(now, ack);
            stream.control.on_ack(&acked);
            let outstanding = stream.una < stream.max;
            if stream.early.as_mut().is_some_and(|early| early.checks_out(now, outstanding, true)) {
                stream.dup_acks = stream.config.dup_threshold;
                if outstanding {
                    stream.resend_head(now, cx);
                } else {
                    send_unnoticed(stream, now, cx);
                }
            }
        } else {
            self.on_duplicate(stream, now, cx);
        }
        if stream.dup_acks == 0 || stream.dup_acks >= stream.config.dup_threshold {
            self.send(stream, now, cx);
        }
    }

    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        self.settle_inflation(stream, false);
        if stream.early.is_some() {
            (self.cut_at, self.cut_to) = (Some(now), 0.0);
        }
        stream.cut_for_timeout(now);
        stream.nxt = stream.una;
        stream.restart_timer(now);
        self.send(stream, now, cx);
    }

    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        stream.pump(now, u32::MAX, self.inflation, None, cx);
    }

    fn inflation(&self) -> f64 {
        self.inflation
    }
}

impl Vegas {
    /// New data is acknowledged, or the timer has expired: the inflation is taken back, or becomes part of the window.
    fn settle_inflation(&mut self, stream: &mut Stream, acknowledged: bool) {
        let inflated = stream.control.window() + std::mem::take(&mut self.inflation);
        if acknowledged && stream.dup_acks > stream.config.dup_threshold && inflated > self.cut_to {
            stream.control.adjust(Adjustment::Limit(self.cut_to.max(1.0)));
        } else {
            stream.control.adjust(Adjustment::Raise(inflated));
        }
    }

    fn on_duplicate(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        stream.dup_acks += 1;
        let threshold = stream.config.dup_threshold;
        if stream.is_overdue(now) || stream.dup_acks == threshold {
            if stream.una > stream.recover || stream.last_cut != Some(Cause::Timeout) {
                self.resend_overdue(stream, now, cx);
            }
        } else if stream.dup_acks > threshold {
            self.inflation += 1.0;
        }
    }

    fn resend_overdue(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        let event = stream.used(now, Cause::Loss, self.inflation);
        let heard = stream.dup_acks;
        stream.last_cut = Some(Cause::Loss);
        stream.recover = stream.max;
        let Some(early) = &mut stream.early else { return };
        let Some((sent_at, again)) = early.first() else { return };
        early.on_retransmission();
        early.patience *= if again { 2.0 } else { 1.125 };
        let cause = if again { Cause::LossAgain } else { Cause::Loss };
        if self.cut_at.is_none_or(|cut_at| cut_at < sent_at) {
            stream.control.on_congestion_event(&Congestion { cause, ..event });
            self.cut_at = Some(now);
            self.cut_to = stream.control.window();
            self.inflation = f64::from(heard);
            stream.marks.cwr_pending = true;
            stream.counters.fast_recoveries += 1;
        }
        stream.rtt.back_off(&stream.config.rtt);
        stream.timed = None;
        stream.restart_timer(now);
        stream.resend_head(now, cx);
        if !again {
            stream.dup_acks = stream.config.dup_threshold;
        }
    }
}

/// A check with nothing in flight finds the next segment. It sends the segment without counting it as sent, so that it is sent once more.
fn send_unnoticed(stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
    let len = (stream.end - stream.nxt).min(u64::from(stream.config.mss));
    if len > 0 {
        stream.output(now, stream.nxt, len as u32, cx);
    }
}

#[cfg(test)]
mod tests {
    use crate::packet::Body;
    use crate::transport::Endpoint;
    use crate::transport::tcp::pair::{Fate, Pair};
    use crate::transport::tcp::timelines::{millis, pair};

    /// Twenty round trips of ns-2's Vegas. The first segment of the window that is sent at 2 s is lost `times` times.
    fn losing(times: usize, settings: &[(&str, &str)]) -> Pair {
        let mut all = vec![("profile", "ns2"), ("recovery", "reno"), ("control", "vegas"), ("control.preset", "ns2")];
        all.extend_from_slice(&[("limited_transmit", "false"), ("rto_min", "1s")]);
        all.extend_from_slice(settings);
        let mut pair = pair(&all);
        let (mut victim, mut left) = (None, times);
        pair.on_data = Box::new(move |_, packet| {
            let Body::Data { seq, sent_at, .. } = packet.body else { return Fate::Deliver };
            if sent_at.since(crate::units::Instant::ZERO) < millis(2000) {
                return Fate::Deliver;
            }
            let victim = *victim.get_or_insert(seq);
            if seq == victim && left > 0 {
                left -= 1;
                return Fate::Lose;
            }
            Fate::Deliver
        });
        pair.start();
        pair
    }

    /// The times of retransmissions, in milliseconds.
    fn resent(pair: &Pair) -> Vec<u64> {
        pair.data.iter().filter(|seen| seen.is_retransmit()).map(|seen| seen.at.as_nanos() / 1_000_000).collect()
    }

    #[test]
    fn a_segment_that_is_lost_again_is_found_by_duplicates() {
        // The third duplicate at 2.1 s; what it lets go is heard of at 2.2 s, before 100 ms * 17/16 * 9/8 = 120 ms, and what that
        // lets go at 2.3 s, behind it. One cut: the repair left when the window was cut, not after it.
        let mut pair = losing(2, &[]);
        pair.run_until(2950);
        assert_eq!(resent(&pair), [2100, 2300]);
        let counters = pair.sender.counters();
        assert_eq!((counters.timeouts, counters.fast_recoveries), (0, 1));

        // Lost a third time: twice 120 ms, 239 ms, later, at 2.6 s; that repair left after the cut: another, to half.
        let mut thrice = losing(3, &[]);
        thrice.run_until(2950);
        assert_eq!(resent(&thrice), [2100, 2300, 2600]);
        assert_eq!(thrice.sender.counters().fast_recoveries, 2);
    }

    #[test]
    fn three_duplicates_stay_in_the_window_and_four_leave_it() {
        // Four out: 4 - 1 = 3, and three duplicates. Five out: 5 - 1 = 4, and the four that had come are taken back.
        for (window, kept) in [("4", 6.0), ("5", 4.0)] {
            let room = format!("{window}p");
            let settings = [("window", room.as_str()), ("initial_window", window), ("initial_ssthresh", window)];
            let mut pair = losing(1, &settings);
            pair.run_until(2050);
            while pair.sender.counters().retransmits == 0 {
                pair.step(crate::units::Instant::MAX);
            }
            let acked = pair.heard.last().expect("an acknowledgement").0;
            while pair.heard.last().is_none_or(|(ack, _)| *ack == acked) {
                pair.step(crate::units::Instant::MAX);
            }
            // And what the acknowledgement itself adds, one over the window.
            assert!((kept..kept + 0.5).contains(&pair.cwnd()), "{window}: {}", pair.cwnd());
        }
    }
}
