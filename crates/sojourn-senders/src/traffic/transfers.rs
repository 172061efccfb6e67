//! Transfers: one user who thinks, then transfers a file over a new connection, and thinks again.
//! Several users are several flows (`count`).
//!
//! Compared with: the short transfers of ns-2's laws (think time exponential; a new connection with
//! fresh windows and timers each; floor(Pareto) + 1 packets up to a maximum; thinks again when the last
//! packet is acknowledged).

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "transfers",
    title: "Repeated transfers",
    doc: "A user of short transfers. The user thinks for a while, transfers a file over a new connection, and thinks again when \
          its last byte is acknowledged.",
    reference: "the closed-loop user of the literature; ns-2's ftp with \"send\"",
    presets: presets! {
        /// Short transfers as many scripts for ns-2 write them, which has no defaults for it: exponential thinking, Pareto sizes.
        pareto = { think_law = "exponential", size_law = "pareto", size_shape = "1.2", eager = "false" };
    },
    unpaced,
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Full packets in each transfer, in the mean.
        packets: u64 = "20" in [1.0, 1e12], "a short web transfer of 20 kB";
        /// How sizes are distributed; a random size is rounded up to whole packets.
        size_law: Law = "fixed", "the simplest user";
        /// Shape of Pareto sizes.
        size_shape: f64 = "1.2" in [1.001, 1000.0], "Crovella and Bestavros 1997: 1.0 to 1.3 for web files", when size_law in ["pareto"];
        /// Most packets in a transfer; larger draws are cut, which lowers the mean.
        packets_max: Option<u64> = "auto" in [1.0, 1e15], "no bound";
        /// Mean time between the end of a transfer and the start of the next.
        think: Duration = "1s" in [0.0, 1e9], "a common choice";
        /// How the thinking time is distributed.
        think_law: Law = "exponential", "memoryless users";
        /// Shape of Pareto thinking times.
        think_shape: f64 = "1.5" in [1.001, 1000.0], "Barford and Crovella 1998, inactive OFF times", when think_law in ["pareto"];
        /// Whether the first transfer begins at once instead of after a thinking time.
        eager: bool = "false", "a user found at a random moment of thinking";
        /// Transfers in all; `auto` is without end.
        count: Option<u64> = "auto" in [1.0, 1e15], "a user who stays";
    }
}

#[derive(Clone, Debug)]
struct Transfers {
    params: Params,
    started: u64,
    wakes: Option<Instant>,
}

/// A transfer over a transport without congestion control leaves in one burst: more packets than this
/// are no burst but a mistake.
const BURST_MAX: u64 = 10_000;

fn unpaced(args: &Args) -> Option<String> {
    let params: Params = args.typed();
    if params.think == Duration::ZERO {
        Some("a user who never thinks".to_owned())
    } else if params.packets > BURST_MAX {
        Some(format!("a transfer of more than {BURST_MAX} packets"))
    } else {
        None
    }
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Transfers { params: args.typed(), started: 0, wakes: None })
}

impl Transfers {
    fn think(&mut self, now: Instant, cx: &mut AppContext<'_>) {
        let Params { think, think_law, think_shape, .. } = self.params;
        self.wakes = Some(now + think_law.draw_time(think, think_shape, cx.rng));
    }

    fn transfer(&mut self, cx: &mut AppContext<'_>) -> Demand {
        let Params { packets, size_law, size_shape, packets_max, .. } = self.params;
        self.started += 1;
        let packets = size_law.draw_packets(packets, size_shape, cx.rng).min(packets_max.unwrap_or(u64::MAX));
        Demand::transfer(Amount::Bytes(Bytes(packets.saturating_mul(cx.payload().0))))
    }
}

impl Application for Transfers {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        if self.params.eager {
            return self.transfer(cx);
        }
        self.think(now, cx);
        Demand::NOTHING
    }

    fn on_transfer_complete(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        if self.params.count.is_some_and(|count| self.started >= count) {
            return Demand { finish: true, ..Demand::NOTHING };
        }
        self.think(now, cx);
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.wakes
    }

    fn on_deadline(&mut self, _now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.wakes = None;
        self.transfer(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::traffic::trial::{args, run};

    #[test]
    fn a_user_thinks_transfers_and_thinks_again() {
        let args = args(&ENTRY, None, &[("think_law", "fixed"), ("count", "2")]);
        let mut rng = Rng::named(1, "test");
        let mut cx = AppContext { rng: &mut rng, packet: Bytes(1000), header: Bytes(40) };
        let mut user = build(&args);
        let at = |secs| Instant::ZERO + Duration::from_secs(secs);

        assert_eq!(user.on_start(at(0), &mut cx), Demand::NOTHING);
        assert_eq!(user.next_deadline(), Some(at(1)));

        let demand = user.on_deadline(at(1), &mut cx);
        assert!(demand.connect);
        assert_eq!(demand.write, Amount::Bytes(Bytes(20 * 960)));
        assert_eq!(user.next_deadline(), None);

        assert_eq!(user.on_transfer_complete(at(3), &mut cx), Demand::NOTHING);
        assert_eq!(user.next_deadline(), Some(at(4)));
        user.on_deadline(at(4), &mut cx);
        assert!(user.on_transfer_complete(at(5), &mut cx).finish);
        assert_eq!(user.next_deadline(), None);
    }

    #[test]
    fn the_preset_has_poisson_starts_and_pareto_sizes() {
        let args = args(&ENTRY, Some("pareto"), &[("packets", "12"), ("think", "2s"), ("packets_max", "1000")]);
        let asked = run(build(&args).as_mut(), 100_000.0, Some(|_| Duration::ZERO));
        let n = asked.len() as f64 / 2.0;
        let packets: Vec<u64> = asked.iter().filter_map(|asked| packets_of(&asked.demand)).collect();

        // Thinking alone takes time: Poisson with 50 000 expected. Demand::NOTHING is not listed, so
        // each entry is a transfer.
        assert_eq!(packets.len(), asked.len());
        assert!((asked.len() as f64 - 50_000.0).abs() < 4.0 * libm::sqrt(50_000.0), "{}", asked.len());
        // floor(X) + 1 > k with (scale/k)^1.2 where scale = 12 * 0.2 / 1.2 = 2 packets; cut at 1000.
        assert!(packets.iter().all(|packets| (3..=1000).contains(packets)));
        for bound in [3_u32, 12, 100, 999] {
            let p = libm::pow(2.0 / f64::from(bound), 1.2);
            let seen = packets.iter().filter(|packets| **packets > u64::from(bound)).count() as f64;
            let all = packets.len() as f64;
            assert!((seen / all - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / all), "above {bound} of {n}");
        }
    }

    fn packets_of(demand: &Demand) -> Option<u64> {
        match demand.write {
            Amount::Bytes(Bytes(bytes)) => Some(bytes / 972),
            Amount::Nothing | Amount::Packet(_) | Amount::Endless => None,
        }
    }

    #[test]
    fn without_congestion_control_a_user_must_think_and_files_be_small() {
        assert!(unpaced(&args(&ENTRY, None, &[])).is_none());
        assert!(unpaced(&args(&ENTRY, None, &[("think", "0s")])).is_some());
        assert!(unpaced(&args(&ENTRY, None, &[("packets", "10001")])).is_some());
    }
}
