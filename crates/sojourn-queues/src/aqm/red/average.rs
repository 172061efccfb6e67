//! The average queue of RED: an exponentially weighted moving average over arrivals that goes on
//! decaying while the link is idle.

use crate::choices;
use crate::units::Instant;

choices! {
    /// The unit of the queue.
    pub enum Mode {
        /// Packets, whatever their size.
        Packets = "packets",
        /// Bytes; larger packets are dropped more.
        Bytes = "bytes",
    }
}

choices! {
    /// How the average goes on while the link is idle and nothing arrives.
    pub enum IdleDecay {
        /// It does not.
        Off = "off",
        /// ns-2: as if `m = int(idle * C / (8 * mean packet))` arrivals had seen an empty queue, and then the arrival itself.
        Ns2 = "ns2",
        /// As `ns2`, with one packet less where `m` is whole before it is cut: ns-2's seconds are floating-point numbers, in which most
        /// quotients that should be whole come out a little short.
        Ns2Short = "ns2_short",
        /// [Flo93] section 4: `avg = (1 - w_q)^m avg` with real `m = idle * C / (8 * mean packet)` in place of the arrival's own step.
        Paper = "paper",
    }
}

impl IdleDecay {
    /// The number of arrivals for which an idle time counts. The link could have sent `packets` packets in it.
    fn counted(self, packets: f64) -> f64 {
        match self {
            IdleDecay::Off => 0.0,
            IdleDecay::Ns2 => libm::trunc(packets),
            // A millionth of a packet is far more than rounding adds.
            IdleDecay::Ns2Short => (libm::ceil(packets - 1e-6) - 1.0).max(0.0),
            IdleDecay::Paper => packets,
        }
    }
}

/// The average, in packets or bytes as its owner feeds it.
#[derive(Clone, Debug)]
pub struct Average {
    value: f64,
    weight: f64,
    decay: IdleDecay,
    packets_per_sec: f64,
    idle_since: Option<Instant>,
}

impl Average {
    /// Zero, on a link that has been idle since the start. `weight` is w_q in (0, 1];
    /// `packets_per_sec` is the link rate in mean packets per second.
    pub fn new(weight: f64, decay: IdleDecay, packets_per_sec: f64) -> Self {
        Average { value: 0.0, weight, decay, packets_per_sec, idle_since: Some(Instant::ZERO) }
    }

    /// The average now, in the unit that it is fed with.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The weight w_q in (0, 1].
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Gives the next arrivals another weight (w_q + max_p).
    pub fn set_weight(&mut self, weight: f64) {
        self.weight = weight;
    }

    /// Sets the average (over-drop avoidance).
    pub fn set(&mut self, value: f64) {
        self.value = value;
    }

    /// Nothing waits and the transmitter is free. Idle time that has begun continues: the average may not have seen a packet that was
    /// dropped meanwhile.
    pub fn on_idle(&mut self, now: Instant) {
        self.idle_since.get_or_insert(now);
    }

    /// A packet has arrived that the average does not look at: the idle time before it is forgotten.
    pub fn on_busy(&mut self) {
        self.idle_since = None;
    }

    /// A packet has arrived that the average does not count, and ends the idle time: that decays, and there is no step.
    #[inline]
    pub fn on_other(&mut self, now: Instant) {
        if let Some(packets) = self.idle_packets(now) {
            self.value = idle(self.value, self.weight, self.decay.counted(packets));
        }
    }

    /// The number of mean packets that the link could have sent in its idle time, if there was one, which ends here.
    #[inline]
    fn idle_packets(&mut self, now: Instant) -> Option<f64> {
        let since = self.idle_since.take()?;
        Some(now.since(since).as_secs_f64() * self.packets_per_sec)
    }

    /// A packet has arrived and `queue` wait before it.
    #[inline]
    pub fn on_arrival(&mut self, now: Instant, queue: f64) {
        self.on_arrival_with_memory(now, queue, 1.0);
    }

    /// Does what [`Average::on_arrival`] does, with the memory term `(1 - w_q) avg` scaled by `memory` in [0, 1]
    /// (Hybrid RED).
    #[inline]
    pub fn on_arrival_with_memory(&mut self, now: Instant, queue: f64, memory: f64) {
        if let Some(packets) = self.idle_packets(now) {
            let decayed = idle(self.value, self.weight, self.decay.counted(packets));
            if self.decay == IdleDecay::Paper {
                self.value = memory * decayed;
                return;
            }
            self.value = decayed;
        }
        self.value = memory * self.value * (1.0 - self.weight) + self.weight * queue;
    }
}

/// `avg (1 - w)^m`
fn idle(average: f64, weight: f64, packets: f64) -> f64 {
    average * libm::pow(1.0 - weight, packets)
}

/// The weight with which the average takes `span` seconds of arrivals at link rate to follow a step
/// to 63 %: `w_q = 1 - exp(-1 / (C span))`. One second is Floyd, Gummadi and Shenker 2001 (and
/// ns-2); ten round-trip times is Sirisena, Haider and Pawlikowski 2002.
pub fn weight_for(span_secs: f64, packets_per_sec: f64) -> f64 {
    1.0 - libm::exp(-1.0 / (packets_per_sec * span_secs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_goes_on_where_the_average_saw_nothing() {
        // 2 s at one packet a second, the second ends with a packet that is not seen: 8 / 2^2, and half for the arrival.
        let mut average = Average::new(0.5, IdleDecay::Ns2, 1.0);
        average.on_busy();
        average.set(8.0);
        average.on_idle(Instant::ZERO);
        average.on_idle(Instant::from_secs_f64(1.0));

        average.on_arrival(Instant::from_secs_f64(2.0), 0.0);

        assert!((average.value() - 1.0).abs() < 1e-12, "{}", average.value());
    }

    #[test]
    fn a_burst_of_arrivals_follows_the_closed_form() {
        // [Flo93] section 6, Haider 2005 eq. 2.5: after arrivals that find 1, 2 ... L waiting,
        // avg = L + 1 + ((1 - w)^(L + 1) - 1) / w.
        for (weight, burst) in [(0.002, 50_i32), (0.1, 7), (0.5, 3)] {
            let mut average = Average::new(weight, IdleDecay::Off, 1250.0);

            for queue in 1..=burst {
                average.on_arrival(Instant::ZERO, f64::from(queue));
            }

            let expected = f64::from(burst) + 1.0 + ((1.0 - weight).powi(burst + 1) - 1.0) / weight;
            assert!((average.value() - expected).abs() < 1e-9, "{weight} {burst}");
        }
    }

    fn after_idle(decay: IdleDecay, idle_secs: f64) -> f64 {
        let mut average = Average::new(0.5, decay, 10.0);
        average.on_arrival(Instant::ZERO, 0.0);
        average.on_arrival(Instant::ZERO, 16.0); // 8
        average.on_idle(Instant::from_secs_f64(1.0));
        average.on_arrival(Instant::from_secs_f64(1.0 + idle_secs), 0.0);
        average.value()
    }

    #[test]
    fn ns2_decays_by_whole_packet_times_and_then_counts_the_arrival() {
        // 0.29 s at 10 packets/s are 2 whole packets: 8 -> 4 -> 2, and the arrival's own step -> 1.
        assert!((after_idle(IdleDecay::Ns2, 0.29) - 1.0).abs() < 1e-12);
        // Less than one packet time: only the arrival's own step.
        assert!((after_idle(IdleDecay::Ns2, 0.09) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_whole_number_of_packets_may_count_one_less() {
        // 10 packets/s: 8 -> 4 -> 2 by two, and the arrival's own step. 0.3 s are three to the letter.
        for (idle_secs, exact, short) in
            [(0.29, 1.0, 1.0), (0.3, 0.5, 1.0), (0.31, 0.5, 0.5), (0.1, 2.0, 4.0), (0.05, 4.0, 4.0)]
        {
            assert!((after_idle(IdleDecay::Ns2, idle_secs) - exact).abs() < 1e-12, "{idle_secs}");
            assert!((after_idle(IdleDecay::Ns2Short, idle_secs) - short).abs() < 1e-12, "{idle_secs}");
        }
    }

    #[test]
    fn the_paper_decays_by_real_packet_times_in_place_of_the_step() {
        assert!((after_idle(IdleDecay::Paper, 0.25) - 8.0 * 0.5_f64.powf(2.5)).abs() < 1e-9);
    }

    #[test]
    fn a_packet_that_does_not_count_ends_the_idle_time() {
        // 8 and 0.25 s of 10 packets/s idle: 2 whole ones or 2.5, and no step; later packets step and find no idle time.
        for (decay, expected) in
            [(IdleDecay::Off, 8.0), (IdleDecay::Ns2, 2.0), (IdleDecay::Paper, 8.0 * 0.5_f64.powf(2.5))]
        {
            let mut average = Average::new(0.5, decay, 10.0);
            average.set(8.0);
            average.on_other(Instant::from_secs_f64(0.25));
            assert!((average.value() - expected).abs() < 1e-9, "{decay:?}");
            average.on_arrival(Instant::from_secs_f64(9.0), 0.0);
            assert!((average.value() - 0.5 * expected).abs() < 1e-9, "{decay:?}");
        }
    }

    #[test]
    fn without_idle_decay_only_the_arrival_counts() {
        assert!((after_idle(IdleDecay::Off, 100.0) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn the_automatic_weight_of_1500_kilobit_is_the_published_one() {
        // 1.5 Mbit/s in 1000-byte packets are 187.5 packets/s: 1 - exp(-1/187.5) = 0.0053191.
        assert!((weight_for(1.0, 187.5) - 0.005_319_1).abs() < 5e-8);
        // Ten round-trip times of 100 ms are one second.
        assert!((weight_for(10.0 * 0.1, 187.5) - weight_for(1.0, 187.5)).abs() < 1e-15);
    }
}
