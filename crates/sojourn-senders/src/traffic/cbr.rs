//! CBR: one packet every `packet * 8 / rate`, each interval optionally spread at random.
//! Compared with: ns-2 2.35 `Application/Traffic/CBR`, whose `random_` is `jitter = 0.5` here.

use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "cbr",
    title: "Constant bit rate",
    doc: "Sends packets of one size at a constant rate, measured on the wire. With jitter each interval is uniform around its mean.",
    reference: "ns-2's Application/Traffic/CBR",
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Rate on the wire, headers included.
        rate: Rate = "1Mbit" in [1.0, 1e14], "a common choice";
        /// Size of a packet on the wire; `auto` is the transport's packet. TCP puts the data into segments of its own size.
        packet: Option<Bytes> = "auto" in [1.0, 65535.0], "the transport's";
        /// Each interval is uniform within this fraction of its mean to both sides.
        jitter: Fraction = "0" in [0.0, 1.0], "strictly periodic; ns-2's `random_` is 0.5";
        /// Packets in all; `auto` is without end.
        count: Option<u64> = "auto" in [1.0, 1e15], "a source that stays";
    }
}

#[derive(Clone, Debug)]
struct Cbr {
    params: Params,
    sent: u64,
    /// When the source started, to which exact (jitter-free) sending times refer.
    started: Instant,
    next: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Cbr { params: args.typed(), sent: 0, started: Instant::ZERO, next: None })
}

impl Cbr {
    fn packet(&self, cx: &AppContext<'_>) -> Bytes {
        self.params.packet.unwrap_or(cx.packet)
    }

    fn send(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        let packet = self.packet(cx);
        self.sent += 1;
        let more = self.params.count.is_none_or(|count| self.sent < count);
        self.next = more.then(|| self.next_time(now, packet, cx));
        Demand::packet(packet, cx)
    }

    fn next_time(&self, now: Instant, packet: Bytes, cx: &mut AppContext<'_>) -> Instant {
        let jitter = self.params.jitter.0;
        if jitter == 0.0 {
            // From the start, so that rounding to nanoseconds does not add up.
            let nanos =
                u128::from(self.sent) * u128::from(packet.0) * 8_000_000_000 / u128::from(self.params.rate.as_bps());
            return self.started + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        }
        let mean = packet.0 as f64 * 8.0 / self.params.rate.as_bps() as f64;
        now + Duration::from_secs_f64(mean * (1.0 + jitter * (2.0 * cx.rng.uniform() - 1.0)))
    }
}

impl Application for Cbr {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.started = now;
        self.send(now, cx)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.send(now, cx)
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
    use crate::rng::Rng;

    fn times(settings: &[(&str, &str)], count: usize) -> Vec<f64> {
        let args = crate::rig::set(Args::defaults(ENTRY.params), settings);
        let mut rng = Rng::named(1, "test");
        let mut cx = AppContext { rng: &mut rng, packet: Bytes(1000), header: Bytes(28) };
        let mut source = build(&args);
        source.on_start(Instant::ZERO, &mut cx);
        let mut times = Vec::new();
        while let (Some(next), true) = (source.next_deadline(), times.len() < count) {
            times.push(next.as_secs_f64());
            source.on_deadline(next, &mut cx);
        }
        times
    }

    #[test]
    fn the_rate_is_exact_in_the_long_run() {
        // 1000 bytes at 3 Mbit/s: 8/3 ms; packet 3000 starts at exactly 8 s.
        assert_eq!(times(&[("rate", "3Mbit")], 3000)[2999].to_bits(), 8.0_f64.to_bits());
    }

    #[test]
    fn jitter_stays_within_its_fraction_and_keeps_the_mean() {
        let times = times(&[("rate", "8Mbit"), ("jitter", "0.5")], 20_000);

        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| (0.499e-3..=1.501e-3).contains(gap)));
        // Standard error of the mean: 1 ms / sqrt(12) / sqrt(20 000) = 2 us; four of them.
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1e-3).abs() < 8.2e-6, "{mean}");
    }

    #[test]
    fn it_ends_after_its_count() {
        assert_eq!(times(&[("count", "3")], 10).len(), 2);
    }
}
