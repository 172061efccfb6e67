//! Poisson: packets at independent exponential intervals, of one size or of random sizes.

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "poisson",
    title: "Poisson",
    doc: "Packets at independent exponential intervals, as in M/M/1 and M/D/1. Sizes are fixed or random.",
    reference: "Kleinrock 1975, section 3.2",
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Mean rate on the wire, headers included.
        rate: Rate = "1Mbit" in [1.0, 1e14], "a common choice";
        /// Mean size of a packet on the wire; `auto` is the transport's packet. A random size above 65535 bytes, and above a `packet`
        /// that the transport sets, is sent as several.
        packet: Option<Bytes> = "auto" in [1.0, 65535.0], "the transport's";
        /// How sizes are distributed. A packet has one byte of payload at least.
        size_law: Law = "fixed", "M/D/1; exponential sizes make M/M/1";
        /// Shape of Pareto sizes.
        size_shape: f64 = "1.5" in [1.001, 1000.0], "a tail without variance", when size_law in ["pareto"];
        /// Packets in all; `auto` is without end.
        count: Option<u64> = "auto" in [1.0, 1e15], "a source that stays";
    }
}

#[derive(Clone, Debug)]
struct Poisson {
    params: Params,
    sent: u64,
    next: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Poisson { params: args.typed(), sent: 0, next: None })
}

impl Poisson {
    fn mean_size(&self, cx: &AppContext<'_>) -> f64 {
        self.params.packet.unwrap_or(cx.packet).0 as f64
    }

    fn arm(&mut self, now: Instant, cx: &mut AppContext<'_>) {
        let mean = self.mean_size(cx) * 8.0 / self.params.rate.as_bps() as f64;
        let more = self.params.count.is_none_or(|count| self.sent < count);
        self.next = more.then(|| now + Duration::from_secs_f64(cx.rng.exponential(mean)));
    }
}

impl Application for Poisson {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.arm(now, cx);
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.sent += 1;
        self.arm(now, cx);
        let size = self.params.size_law.draw(self.mean_size(cx), self.params.size_shape, cx.rng);
        Demand::packet(Bytes(libm::round(size) as u64), cx)
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

    #[test]
    fn intervals_are_exponential_and_independent() {
        // 1000 bytes at 8 Mbit/s: 1000 a second.
        let times = sending_times(build(&args(&ENTRY, None, &[("rate", "8Mbit")])), 200.0);
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let n = gaps.len() as f64;

        // The count is Poisson with mean 200 000: four standard deviations.
        assert!((times.len() as f64 - 200_000.0).abs() < 4.0 * libm::sqrt(200_000.0), "{}", times.len());
        for bound in [0.5e-3, 2e-3, 6e-3] {
            let p = libm::exp(-bound / 1e-3);
            let seen = gaps.iter().filter(|gap| **gap > bound).count() as f64 / n;
            assert!((seen - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / n), "above {bound}");
        }
        // The serial correlation of independent draws has standard error 1/sqrt(n).
        let mean = gaps.iter().sum::<f64>() / n;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / n;
        let lagged = gaps.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / n;
        assert!((lagged / variance).abs() < 4.0 / libm::sqrt(n), "{}", lagged / variance);
    }

    #[test]
    fn sizes_follow_their_law_and_carry_a_byte_at_least() {
        let settings = [("rate", "8Mbit"), ("packet", "5000B"), ("size_law", "exponential")];
        let mut source = build(&args(&ENTRY, None, &settings));
        let sizes: Vec<f64> = sends(source.as_mut(), 500.0).iter().map(|(_, bytes)| *bytes as f64 + 28.0).collect();
        let n = sizes.len() as f64;

        assert!(sizes.iter().all(|size| *size >= 29.0));
        // Sizes below 29 bytes become 29: the mean grows by 29^2 / 2 / 5000 = 0.08 bytes.
        let mean = sizes.iter().sum::<f64>() / n;
        assert!((mean - 5000.08).abs() < 4.0 * 5000.0 / libm::sqrt(n), "{mean}");
        let p = libm::exp(-2.0);
        let seen = sizes.iter().filter(|size| **size > 10_000.5).count() as f64 / n;
        assert!((seen - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / n) + 1e-4, "{seen}");
    }

    #[test]
    fn it_ends_after_its_count() {
        assert_eq!(sending_times(build(&args(&ENTRY, None, &[("count", "7")])), 1e6).len(), 7);
    }
}
