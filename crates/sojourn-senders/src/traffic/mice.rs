//! Mice: short transfers whose starts are uniform over a time and whose sizes are Pareto, as in the web
//! traffic of [Cha04] section 5.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Mice of one flow never overlap: one that is due while another lasts starts right after it | a flow has one connection; `count` flows carry `count` mice at a time | `a_mouse_waits_for_the_one_before_it` |

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "mice",
    title: "Web mice",
    doc: "Short transfers, each over a new connection, whose starts are uniform over a time. One flow carries many \
          of them one after the other, so that ten thousand mice need only as many flows as there are at a time.",
    reference: "Chatranon, Labrador and Banerjee 2004; ns-2's web traffic scripts",
    unpaced: |_| Some("a transfer of random size".to_owned()),
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Transfers that the flow carries.
        transfers: u64 = "1" in [1.0, 1e12], "one session, one flow";
        /// Time after the flow's start within which its transfers start, uniformly.
        within: Duration = "0s" in [0.0, 1e9], "the flow's `start` says when";
        /// Full packets in each transfer, in the mean.
        packets: u64 = "15" in [1.0, 1e12], "Chatranon et al. 2004";
        /// How sizes are distributed; a random size is rounded up to whole packets.
        size_law: Law = "pareto", "Chatranon et al. 2004";
        /// Shape of Pareto sizes.
        size_shape: f64 = "1.2" in [1.001, 1000.0], "Chatranon et al. 2004", when size_law in ["pareto"];
        /// Most packets in a transfer; larger draws are cut, which lowers the mean.
        packets_max: Option<u64> = "auto" in [1.0, 1e15], "no bound";
    }
}

#[derive(Clone, Debug)]
struct Mice {
    params: Params,
    /// Starts still to be drawn.
    undrawn: u64,
    /// Behind the last start.
    end: Instant,
    next: Option<Instant>,
    /// Whether a transfer is under way.
    busy: bool,
}

fn build(args: &Args) -> Box<dyn Application> {
    let params: Params = args.typed();
    Box::new(Mice { undrawn: params.transfers, params, end: Instant::ZERO, next: None, busy: false })
}

impl Mice {
    /// The least of the k starts still to come is uniform order statistics: it leaves a part u^(1/k) of the remaining time.
    fn draw_start(&mut self, from: Instant, cx: &mut AppContext<'_>) {
        self.next = None;
        if self.undrawn > 0 {
            let rest = self.end.since(from).mul_f64(libm::pow(1.0 - cx.rng.uniform(), 1.0 / self.undrawn as f64));
            self.next = Some(Instant::from_nanos(self.end.as_nanos() - rest.as_nanos()));
            self.undrawn -= 1;
        }
    }

    /// Starts the transfer that is due.
    fn transfer(&mut self, cx: &mut AppContext<'_>) -> Demand {
        let Params { packets, size_law, size_shape, packets_max, .. } = self.params;
        if let Some(due) = self.next {
            self.draw_start(due, cx);
        }
        self.busy = true;
        let packets = size_law.draw_packets(packets, size_shape, cx.rng).min(packets_max.unwrap_or(u64::MAX));
        let bytes = Bytes(packets.saturating_mul(cx.payload().0));
        Demand { connect: true, write: Amount::Bytes(bytes), finish: self.next.is_none() }
    }
}

impl Application for Mice {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.end = now + self.params.within;
        self.draw_start(now, cx);
        Demand::NOTHING
    }

    fn on_transfer_complete(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.busy = false;
        match self.next {
            Some(due) if due <= now => self.transfer(cx),
            _ => Demand::NOTHING,
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        if self.busy { None } else { self.next }
    }

    fn on_deadline(&mut self, _now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.transfer(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, run};

    #[test]
    fn starts_are_uniform_over_the_time() {
        let mut source = build(&args(&ENTRY, None, &[("transfers", "20000"), ("within", "100s")]));
        let asked = run(source.as_mut(), 101.0, Some(|_| Duration::ZERO));
        let starts: Vec<f64> = asked.iter().map(|asked| asked.time).collect();

        assert_eq!(starts.len(), 20_000);
        assert!(asked.iter().all(|asked| asked.demand.connect));
        // Kolmogorov and Smirnov: the greatest distance from the uniform law exceeds 2 / sqrt(n) with
        // probability 2 exp(-8) = 0.07 %.
        let distance = starts.iter().zip(1_u32..).map(|(start, i)| (start / 100.0 - f64::from(i) / 20_000.0).abs());
        assert!(distance.fold(0.0, f64::max) < 2.0 / libm::sqrt(20_000.0) + 1.0 / 20_000.0);
        assert!(asked.last().is_some_and(|last| last.demand.finish));
    }

    #[test]
    fn sizes_are_pareto_in_whole_packets() {
        let mut source = build(&args(&ENTRY, None, &[("transfers", "20000"), ("within", "100s")]));
        let sizes: Vec<u64> = run(source.as_mut(), 101.0, Some(|_| Duration::ZERO))
            .iter()
            .filter_map(|asked| match asked.demand.write {
                Amount::Bytes(Bytes(bytes)) => Some(bytes / 972),
                Amount::Nothing | Amount::Packet(_) | Amount::Endless => None,
            })
            .collect();

        // Mean 15, shape 1.2: scale 2.5; above k packets with (2.5/k)^1.2.
        for bound in [3_u32, 15, 150] {
            let p = libm::pow(2.5 / f64::from(bound), 1.2);
            let seen = sizes.iter().filter(|size| **size > u64::from(bound)).count() as f64 / 20_000.0;
            assert!((seen - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / 20_000.0), "above {bound}: {seen}");
        }
    }

    #[test]
    fn a_mouse_waits_for_the_one_before_it() {
        let mut source = build(&args(&ENTRY, None, &[("transfers", "5"), ("within", "1s")]));
        let asked = run(source.as_mut(), 100.0, Some(|_| Duration::from_secs(2)));

        assert_eq!(asked.len(), 5);
        assert!(asked.windows(2).all(|pair| pair[1].time >= pair[0].time + 2.0));
    }

    #[test]
    fn one_mouse_starts_with_its_flow() {
        let asked = run(build(&args(&ENTRY, None, &[])).as_mut(), 1.0, Some(|_| Duration::ZERO));
        assert_eq!(asked.iter().map(|asked| asked.time.to_bits()).collect::<Vec<_>>(), [0.0_f64.to_bits()]);
    }
}
