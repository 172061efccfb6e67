//! A game: small packets at the ticks of a server or of a player's moves, of sizes around a mean.
//!
//! Specification: Färber 2002, "Network game traffic modelling": intervals and sizes have the extreme value distribution
//! F(x) = exp(-exp(-(x - a) / b)). The server's numbers and the spread of the player's sizes are also those of the gaming traffic of
//! 3GPP and NGMN, which cite the paper; these have a player's packets of 45 bytes at a fixed 40 ms.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Without a preset the intervals are those of a game of today: 64 ticks a second | the paper's game sent 24 and 18 times a second | `the_presets_have_the_means_of_the_paper` |

use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "game",
    title: "Game",
    doc: "One direction of a game over the network: a small packet at each tick, of a random size. A game is two flows. The table \
          `quality` has the part of the packets that was lost or came too late.",
    reference: "Färber 2002",
    presets: presets! {
        /// Moves of a player of Counter-Strike: Färber 2002, table 2.
        player = { interval = "40ms", interval_spread = "6ms", size = "80B", size_spread = "5.7" };
        /// States from a server of Counter-Strike to one player: Färber 2002, table 2.
        server = { interval = "55ms", interval_spread = "6ms", size = "120B", size_spread = "36" };
    },
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Most frequent interval between packets (a).
        interval: Duration = "15.625ms" in [0.0001, 100.0], "64 ticks a second: servers of Counter-Strike of today";
        /// Spread of the intervals (b); 0: all are equal.
        interval_spread: Duration = "0s" in [0.0, 100.0], "a server keeps its ticks";
        /// Most frequent size of a packet's payload (a).
        size: Bytes = "120B" in [1.0, 1400.0], "Färber 2002, table 2: a server";
        /// Spread of the sizes in bytes (b); 0: all are equal.
        size_spread: f64 = "36" in [0.0, 1000.0], "Färber 2002, table 2: a server";
        /// Longest one-way time after which a packet is still of use.
        deadline: Duration = "75ms" in [0.001, 100.0], "Armitage 2003: players leave beyond round trips of 150 to 180 ms";
    }
}

#[derive(Clone, Debug)]
struct Game {
    params: Params,
    next: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Game { params: args.typed(), next: None })
}

/// A draw of the extreme value distribution.
fn extreme(a: f64, b: f64, cx: &mut AppContext<'_>) -> f64 {
    if b == 0.0 { a } else { a - b * libm::log(-libm::log(1.0 - cx.rng.uniform())) }
}

/// The largest payload that is drawn: a larger one fits into no packet.
const LARGEST: f64 = 1400.0;

impl Game {
    fn send(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        let Params { interval, interval_spread, size, size_spread, .. } = self.params;
        let wait = extreme(interval.as_secs_f64(), interval_spread.as_secs_f64(), cx);
        // Not below a tenth of the interval: the law has a tail to the left, in which time would stand still.
        self.next = Some(now + Duration::from_secs_f64(wait.max(0.1 * interval.as_secs_f64())));
        let payload = libm::round(extreme(size.0 as f64, size_spread, cx)).clamp(1.0, LARGEST);
        Demand { write: Amount::Packet(Bytes(payload as u64)), ..Demand::NOTHING }
    }
}

impl Application for Game {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.send(now, cx)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.send(now, cx)
    }

    fn largest_packet(&self, header: Bytes) -> Option<(Bytes, &'static str)> {
        let Params { size, size_spread, .. } = self.params;
        let largest = if size_spread == 0.0 { size.0 } else { LARGEST as u64 };
        Some((Bytes(largest + header.0), "size"))
    }

    fn reports_completions(&self) -> bool {
        false
    }

    fn role(&self) -> Role {
        Role::Game { deadline: self.params.deadline }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, sends};

    /// Euler's constant: the mean is a + 0.5772 b.
    const GAMMA: f64 = 0.577_215_664_9;

    #[test]
    fn the_presets_have_the_means_of_the_paper() {
        for (preset, a, b, size, spread) in [("player", 0.04, 0.006, 80.0, 5.7), ("server", 0.055, 0.006, 120.0, 36.0)]
        {
            let sent = sends(build(&args(&ENTRY, Some(preset), &[])).as_mut(), 10_000.0);
            let n = sent.len() as f64;
            // The deviation of the law is pi b / sqrt(6); the part that is cut at a tenth of the interval is one in e^400.
            let interval = sent[sent.len() - 1].0 / (n - 1.0);
            let near = |parameter: f64| 4.0 * 1.283 * parameter / libm::sqrt(n);
            assert!((interval - a - GAMMA * b).abs() < near(b), "{preset}: {interval}");
            let mean = sent.iter().map(|(_, bytes)| *bytes as f64).sum::<f64>() / n;
            assert!((mean - size - GAMMA * spread).abs() < near(spread), "{preset}: {mean}");
        }
    }

    #[test]
    fn without_a_spread_ticks_and_sizes_are_fixed() {
        let sent = sends(build(&args(&ENTRY, None, &[("size_spread", "0")])).as_mut(), 1.0);
        assert_eq!(sent.len(), 64);
        assert!(sent.iter().all(|(_, bytes)| *bytes == 120));
    }
}
