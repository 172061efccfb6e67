//! BLUE: one drop probability that rises when packets are lost to a full buffer and falls when the link goes
//! idle. Specification: Feng, Kandlur, Saha and Shin, "Blue: A New Class of Active Queue Management Algorithms",
//! CSE-TR-387-99, 1999 [Fen99b]. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The default steps are the smaller ones of [Fen99b] (B2); preset `paper` has the larger (B4) | one step of 0.02 is more than the drop probability that 100 flows need on 100 Mbit/s, and idles the link | `tests/core/test_defaults.py` |
//! | An idle time lowers the probability when it begins, and at each drop while the link is idle | the link does not call in while it is idle | `an_idle_link_lowers_the_probability` |

use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "blue",
    title: "BLUE",
    doc: "Active queue management by losses and idle times instead of the queue. One drop probability rises when packets are \
          lost to a full buffer, and falls when the link goes idle.",
    reference: "Feng, Kandlur, Saha and Shin 1999",
    decides: "Its probability is no function of the queue: it rises by a step when a packet is lost to a full buffer, and \
          falls by a step when the link goes idle.",
    presets: presets! {
        /// Feng et al. 1999: d1 0.02, d2 0.002, freeze_time 100 ms, drops only by probability and overflow.
        paper = { d1 = "0.02", d2 = "0.002", freeze_time = "100ms", threshold = "auto" };
        /// Alemu 2004 chapter 4: d1 0.0025, d2 0.00025, freeze_time 241 ms.
        alemu2004 = { d1 = "0.0025", d2 = "0.00025", freeze_time = "241ms", threshold = "auto" };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo; [Fen99b] uses about one bandwidth-delay product";
        /// Increment of the probability at a loss.
        d1: Fraction = "0.0025" in [0.0, 1.0], "[Fen99b] (B1, B2); B3 and B4 have 0.02, more than 100 flows need on 100 Mbit/s";
        /// Decrement of the probability when the link goes idle; well below `d1`.
        d2: Fraction = "0.00025" in [0.0, 1.0], "[Fen99b] (B1, B2); B3 and B4 have 0.002";
        /// Least time between two changes.
        freeze_time: Duration = "100ms" in [0.0, 1e4], "[Fen99b] (B2, B4)";
        /// A queue longer than this counts as a loss. Automatic: only a full buffer does.
        threshold: Option<Size> = "auto" in [0.0, 1e12], "[Fen99b], the base algorithm; it names the variant";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

#[derive(Clone, Debug)]
pub struct Blue {
    params: Params,
    link: LinkContext,
    /// Drop probability.
    p: f64,
    last_update: Option<Instant>,
}

impl PolicyParams for Params {
    type Policy = Blue;

    fn policy(&self, link: &LinkContext) -> Result<Blue, BuildError> {
        Ok(Blue { params: self.clone(), link: link.clone(), p: 0.0, last_update: None })
    }
}

impl Blue {
    /// `p += change`, clamped to [0, 1], unless the last change is at most `freeze_time` ago ([Fen99b]).
    fn change(&mut self, now: Instant, change: f64) {
        if self.last_update.is_none_or(|last| now.since(last) > self.params.freeze_time) {
            self.p = (self.p + change).clamp(0.0, 1.0);
            self.last_update = Some(now);
        }
    }

    /// Whether the queue is longer than the threshold, in packets or in bytes as the user wrote it.
    fn is_long(&self, queue: &QueueView<'_>) -> bool {
        match self.params.threshold {
            None => false,
            Some(Size::Packets(packets)) => queue.packets() as f64 > packets,
            Some(other) => queue.bytes() as f64 > self.link.bytes(other),
        }
    }
}

impl Policy for Blue {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        if self.is_long(queue) {
            self.change(now, self.params.d1.0);
        }
        if rng.uniform() > self.p || self.p <= 0.0 {
            Verdict::Pass
        } else {
            Verdict::signal(self.params.ecn, packet, Reason::EARLY)
        }
    }

    fn on_drop(&mut self, now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        // Early drops are no loss in this sense, or the probability would run away.
        if dropped.is_overflow() {
            self.change(now, self.params.d1.0);
        }
    }

    fn on_idle(&mut self, now: Instant) {
        self.change(now, -self.params.d2.0);
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "drop_prob" => self.p,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{PACKET, Rig, at, policy_of};

    fn blue(settings: &[(&str, &str)]) -> Blue {
        policy_of::<Params>(&ENTRY, Some("paper"), settings)
    }

    fn overflow(blue: &mut Blue, seconds: f64) {
        let mut rig = Rig::waiting(0);
        blue.on_drop(at(seconds), &PACKET, Dropped::OVERFLOW, &mut rig.view());
    }

    #[test]
    fn losses_raise_the_probability_once_per_freeze_time() {
        let mut blue = blue(&[]);

        for seconds in [1.0, 1.05, 1.1, 1.100_001, 1.15] {
            overflow(&mut blue, seconds);
        }

        // At 1 s and at 1.100001 s, which is later than 100 ms after it.
        assert!((blue.p - 0.04).abs() < 1e-12, "{}", blue.p);
    }

    #[test]
    fn an_idle_link_lowers_the_probability() {
        let mut blue = blue(&[]);
        overflow(&mut blue, 1.0);

        blue.on_idle(at(1.05));
        assert!((blue.p - 0.02).abs() < 1e-12, "frozen");
        blue.on_idle(at(1.2));
        assert!((blue.p - 0.018).abs() < 1e-12);
    }

    #[test]
    fn the_probability_stays_between_zero_and_one() {
        let mut blue = blue(&[("d1", "0.7"), ("d2", "0.8")]);

        blue.on_idle(at(1.0));
        assert!(blue.p.abs() < 1e-15);
        overflow(&mut blue, 2.0);
        overflow(&mut blue, 3.0);
        assert!((blue.p - 1.0).abs() < 1e-15);
    }

    #[test]
    fn early_drops_do_not_raise_the_probability() {
        let mut blue = blue(&[]);
        overflow(&mut blue, 1.0);

        let verdict = Rig::waiting(3).arrive_drawing(&mut blue, at(2.0), &PACKET, 0.02);

        assert_eq!(verdict, Verdict::Drop(Reason::EARLY));
        assert!((blue.p - 0.02).abs() < 1e-12);
    }

    #[test]
    fn a_queue_above_the_threshold_counts_as_a_loss() {
        let mut blue = blue(&[("threshold", "3p")]);

        Rig::waiting(3).arrive(&mut blue, at(1.0));
        assert!(blue.p.abs() < 1e-15);
        Rig::waiting(4).arrive(&mut blue, at(1.0));
        assert!((blue.p - 0.02).abs() < 1e-12);
    }
}
