//! On/off: packets at a constant rate during bursts, nothing between them; lengths fixed, exponential
//! or Pareto.
//!
//! Compared with: ns-2 2.35 `Application/Traffic/Exponential` and `Pareto` (preset `ns2`), whose bursts are
//! max(1, round(draw)) whole packets, each followed by its packet time, before the pause begins.

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "on_off",
    title: "On/off",
    doc: "Bursts of packets at a constant rate, measured on the wire, with pauses between them. Many of them with \
          Pareto periods make self-similar traffic.",
    reference: "Willinger et al. 1997; ns-2's Application/Traffic/Exponential and Pareto",
    presets: presets! {
        /// The sources of ns-2 2.35 with their defaults, which `ns` printed on 2026-11-25; Pareto instead of exponential by `law`.
        ns2 = {
            rate = "64kbit", packet = "210B", on = "500ms", off = "500ms", law = "exponential", shape = "1.5", burst = "packets",
            begins = "on",
        };
    },
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Rate on the wire during a burst, headers included.
        rate: Rate = "1Mbit" in [1.0, 1e14], "a common choice";
        /// Size of a packet on the wire; `auto` is the transport's packet. TCP puts the data into segments of its own size.
        packet: Option<Bytes> = "auto" in [1.0, 65535.0], "the transport's";
        /// Mean length of a burst.
        on: Duration = "500ms" in [0.0, 1e9], "ns-2 2.35";
        /// Mean length of a pause.
        off: Duration = "500ms" in [0.0, 1e9], "ns-2 2.35";
        /// How the lengths of bursts and pauses are distributed.
        law: Law = "exponential", "ns-2 2.35";
        /// Shape of Pareto lengths.
        shape: f64 = "1.5" in [1.001, 1000.0], "ns-2 2.35", when law in ["pareto"];
        /// The unit of a burst's length.
        burst: Burst = "time", "the mean rate is then exactly rate * on / (on + off)";
        /// Whether the source begins with a burst, with a pause, or at random.
        begins: Begins = "on", "ns-2 2.35";
    }
}

choices! {
    /// The unit of a burst.
    pub enum Burst {
        /// Time: a packet leaves whenever the bursts so far have lasted another packet time.
        Time = "time",
        /// Whole packets, at least one; the last one's packet time goes before the pause (ns-2).
        Packets = "packets",
    }
}

choices! {
    /// How a source begins.
    pub enum Begins {
        /// With a burst.
        On = "on",
        /// With a pause.
        Off = "off",
        /// With a burst as often as bursts fill the time: on / (on + off).
        Random = "random",
    }
}

#[derive(Clone, Debug)]
struct OnOff {
    params: Params,
    /// End of the burst (by time) or packets left in it (by packets).
    until: Instant,
    left: u64,
    /// Time of bursts still to pass until the next packet, in seconds.
    owed: f64,
    next: Option<Instant>,
    /// Whether a packet leaves then; otherwise the search goes on.
    due: bool,
}

/// Bursts that one call looks through for the next packet: short bursts at a low rate are many.
const BURSTS_AT_ONCE: u32 = 1000;

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(OnOff { params: args.typed(), until: Instant::ZERO, left: 0, owed: 0.0, next: None, due: false })
}

impl OnOff {
    fn packet(&self, cx: &AppContext<'_>) -> Bytes {
        self.params.packet.unwrap_or(cx.packet)
    }

    fn packet_time(&self, cx: &AppContext<'_>) -> f64 {
        self.packet(cx).0 as f64 * 8.0 / self.params.rate.as_bps() as f64
    }

    /// A burst begins at `now`: when its first packet leaves.
    fn burst(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Instant {
        let Params { on, law, shape, burst, .. } = self.params;
        match burst {
            Burst::Packets => {
                let mean = on.as_secs_f64() / self.packet_time(cx);
                self.due = true;
                self.left = (libm::round(law.draw(mean, shape, cx.rng)) as u64).max(1);
                now
            }
            Burst::Time => {
                self.until = now + law.draw_time(on, shape, cx.rng);
                self.within_burst(now, cx)
            }
        }
    }

    /// When the next packet leaves: in the burst that lasts at `now`, or in a later one.
    fn within_burst(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Instant {
        let Params { on, off, law, shape, .. } = self.params;
        let mut from = now;
        self.due = true;
        for _ in 0..BURSTS_AT_ONCE {
            let due = from + Duration::from_secs_f64(self.owed);
            if due < self.until || (on == Duration::ZERO && off == Duration::ZERO) {
                self.owed = 0.0;
                return due;
            }
            self.owed = (self.owed - self.until.since(from).as_secs_f64()).max(0.0);
            from = self.until.max(from) + law.draw_time(off, shape, cx.rng);
            // Bound: a burst lasts a nanosecond at least, so that time goes on.
            self.until = from + law.draw_time(on, shape, cx.rng).max(Duration::from_nanos(1));
        }
        self.due = false;
        from
    }

    fn after_packet(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Instant {
        let packet_time = self.packet_time(cx);
        match self.params.burst {
            Burst::Packets => {
                self.left -= 1;
                let mut next = now + Duration::from_secs_f64(packet_time);
                if self.left == 0 {
                    next += self.params.law.draw_time(self.params.off, self.params.shape, cx.rng);
                    next = self.burst(next, cx);
                }
                next
            }
            Burst::Time => {
                self.owed = packet_time;
                self.within_burst(now, cx)
            }
        }
    }

    fn begins_on(&self, cx: &mut AppContext<'_>) -> bool {
        let (on, off) = (self.params.on.as_secs_f64(), self.params.off.as_secs_f64());
        match self.params.begins {
            Begins::On => true,
            Begins::Off => false,
            Begins::Random => cx.rng.uniform() * (on + off) < on,
        }
    }
}

impl Application for OnOff {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        let mut first = now;
        if !self.begins_on(cx) {
            first += self.params.law.draw_time(self.params.off, self.params.shape, cx.rng);
        }
        self.next = Some(self.burst(first, cx));
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        if !self.due {
            self.next = Some(self.within_burst(now, cx));
            return Demand::NOTHING;
        }
        let packet = self.packet(cx);
        self.next = Some(self.after_packet(now, cx));
        Demand::packet(packet, cx)
    }

    fn largest_packet(&self, _header: Bytes) -> Option<(Bytes, &'static str)> {
        Some((self.params.packet?, "packet"))
    }

    fn reports_completions(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, sending_times, sends};

    const PACKET_TIME: f64 = 1e-3;

    /// Sending times of 1000-byte packets at 8 Mbit/s: one a millisecond.
    fn times(settings: &[(&str, &str)], seconds: f64) -> Vec<f64> {
        let mut args = args(&ENTRY, None, settings);
        args.set_text("rate", "8Mbit").expect("a rate");
        sending_times(build(&args), seconds)
    }

    /// Packets in each burst and length of each pause, from the last packet of a burst on.
    fn bursts(times: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut lengths, mut pauses, mut length) = (Vec::new(), Vec::new(), 1.0);
        for pair in times.windows(2) {
            let gap = pair[1] - pair[0];
            if gap > 1.5 * PACKET_TIME {
                lengths.push(length);
                pauses.push(gap - PACKET_TIME);
                length = 1.0;
            } else {
                length += 1.0;
            }
        }
        (lengths, pauses)
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn fixed_periods_are_exact() {
        let times = times(&[("law", "fixed"), ("on", "4ms"), ("off", "6ms")], 0.0201);

        let millis: Vec<u64> = times.iter().map(|time| libm::round(time * 1e3) as u64).collect();
        assert_eq!(millis, [0, 1, 2, 3, 10, 11, 12, 13, 20]);
    }

    #[test]
    fn bursts_shorter_than_a_packet_time_add_up_to_packets() {
        // 0.4 ms of burst every 1 ms: packets are due after 0, 1, 2 ... ms of bursts. The third burst
        // has the moment 1 ms of bursts at its middle (0.8 + 0.2), the sixth begins with 2 ms.
        let times = times(&[("law", "fixed"), ("on", "400us"), ("off", "600us")], 0.0055);

        let micros: Vec<u64> = times.iter().map(|time| libm::round(time * 1e6) as u64).collect();
        assert_eq!(micros, [0, 2200, 5000]);
    }

    #[test]
    fn the_mean_rate_is_the_peak_times_the_part_of_time_that_bursts_fill() {
        let seconds = 2000.0;
        for begins in ["on", "random"] {
            let times = times(&[("on", "20ms"), ("off", "60ms"), ("begins", begins)], seconds);

            // 25 000 cycles. The time spent in bursts has the variance of a renewal reward process,
            // cycles * (on^2 (1-p)^2 + off^2 p^2) with p = 1/4: sd = 0.02121 * sqrt(25000) s = 3.36 s; four of them,
            // in packets of 1 ms.
            let expected = seconds * 0.25 / PACKET_TIME;
            assert!((times.len() as f64 - expected).abs() < 4.0 * 3360.0, "{} against {expected}", times.len());
        }
    }

    #[test]
    fn bursts_of_ns2_are_whole_packets_and_are_followed_by_their_packet_time() {
        let times = times(&[("burst", "packets"), ("on", "10ms"), ("off", "30ms")], 2000.0);
        let (lengths, pauses) = bursts(&times);
        let n = lengths.len() as f64;

        // max(1, round(Exp(10))): above k with exp(-(k + 0.5)/10) for k >= 1, so the mean is
        // 1 + exp(-0.15) / (1 - exp(-0.1)); pauses longer than half a packet time are seen as such.
        let expected = 1.0 + libm::exp(-0.15) / (1.0 - libm::exp(-0.1));
        let seen = libm::exp(-0.5 / 30.0);
        // Unseen pauses join bursts: each joined burst is 1/seen bursts long. Standard deviation about 10.
        assert!((mean(&lengths) - expected / seen).abs() < 4.0 * 10.5 / libm::sqrt(n), "{}", mean(&lengths));
        // A memoryless pause above the bound exceeds it by 30 ms in the mean.
        assert!((mean(&pauses) - 0.0305).abs() < 4.0 * 0.03 / libm::sqrt(n), "{}", mean(&pauses));
    }

    #[test]
    fn pauses_of_pareto_have_its_tail() {
        let times = times(&[("burst", "packets"), ("law", "pareto"), ("on", "10ms"), ("off", "30ms")], 2000.0);
        let (_, pauses) = bursts(&times);

        // Shape 1.5, mean 30 ms: scale 10 ms, above x with (10/x)^1.5.
        assert!(pauses.iter().all(|pause| *pause > 9.999e-3));
        for bound in [0.02, 0.1, 0.4] {
            let p = libm::pow(0.01 / bound, 1.5);
            let seen = pauses.iter().filter(|pause| **pause > bound).count() as f64 / pauses.len() as f64;
            let tolerance = 4.0 * libm::sqrt(p * (1.0 - p) / pauses.len() as f64);
            assert!((seen - p).abs() < tolerance, "{seen} of the pauses above {bound}, not {p}");
        }
    }

    #[test]
    fn it_may_begin_with_a_pause() {
        let times = times(&[("law", "fixed"), ("off", "6ms"), ("on", "2ms"), ("begins", "off")], 0.0075);
        assert_eq!(times.iter().map(|time| libm::round(time * 1e3) as u64).collect::<Vec<_>>(), [6, 7]);
    }

    #[test]
    fn periods_of_no_length_do_not_stop_time() {
        // Always on; never on.
        assert_eq!(times(&[("law", "fixed"), ("on", "1ms"), ("off", "0s")], 0.0095).len(), 10);
        assert_eq!(times(&[("law", "fixed"), ("on", "0s"), ("off", "0s")], 0.0095).len(), 10);
        let rare = times(&[("law", "fixed"), ("on", "0s"), ("off", "1s"), ("burst", "packets")], 3.5);
        assert_eq!(rare.len(), 4);
    }

    #[test]
    fn a_packet_of_the_preset_is_as_large_as_in_ns2() {
        let mut source = build(&args(&ENTRY, Some("ns2"), &[]));
        assert_eq!(sends(source.as_mut(), 1.0)[0].1, 210 - 28);
    }
}
