//! Telnet: a person at a terminal, a few bytes at a time over one connection. Its window stays small and a
//! loss costs it a timeout: the fragile flows of the literature on fairness.
//!
//! Compared with: ns-2 2.35 `Application/Telnet` with `interval_` set (preset `ns2`): exponential intervals, a full
//! packet each.

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "telnet",
    title: "Telnet",
    doc: "A person at a terminal: a few bytes at random intervals over one connection. Such flows are fragile: they \
          never have enough outstanding to recover from a loss without a timeout.",
    reference: "Paxson and Floyd 1995; Lin and Morris 1997 (fragile flows); ns-2's Application/Telnet",
    presets: presets! {
        /// ns-2 2.35, as `ns` printed it on 2026-11-25: exponential intervals of 1 s, a full packet each.
        ns2 = { interval = "1s", law = "exponential", bytes = "auto" };
    },
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Mean interval between writes.
        interval: Duration = "1.1s" in [0.000_001, 1e6], "Paxson and Floyd 1995: mean 1.1 s of an exponential fit";
        /// How intervals are distributed.
        law: Law = "exponential", "ns-2 2.35";
        /// Shape of Pareto intervals.
        shape: f64 = "1.5" in [1.001, 1000.0], "a tail without variance", when law in ["pareto"];
        /// Payload of a write; `auto` is a full packet.
        bytes: Option<Bytes> = "1B" in [1.0, 65535.0], "a key";
        /// Writes in all; `auto` is without end.
        count: Option<u64> = "auto" in [1.0, 1e15], "a person who stays";
    }
}

#[derive(Clone, Debug)]
struct Telnet {
    params: Params,
    written: u64,
    next: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Telnet { params: args.typed(), written: 0, next: None })
}

impl Telnet {
    fn arm(&mut self, now: Instant, cx: &mut AppContext<'_>) {
        let Params { interval, law, shape, count, .. } = self.params;
        let more = count.is_none_or(|count| self.written < count);
        self.next = more.then(|| now + law.draw_time(interval, shape, cx.rng));
    }
}

impl Application for Telnet {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.arm(now, cx);
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.written += 1;
        self.arm(now, cx);
        Demand { write: Amount::Packet(self.params.bytes.unwrap_or(cx.payload())), ..Demand::NOTHING }
    }

    fn largest_packet(&self, header: Bytes) -> Option<(Bytes, &'static str)> {
        Some((Bytes(self.params.bytes?.0 + header.0), "bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, sends};

    #[test]
    fn keys_come_at_exponential_intervals() {
        let sent = sends(build(&args(&ENTRY, None, &[])).as_mut(), 20_000.0);

        // A Poisson count of mean 20 000 / 1.1.
        let expected = 20_000.0 / 1.1;
        assert!((sent.len() as f64 - expected).abs() < 4.0 * libm::sqrt(expected), "{}", sent.len());
        assert!(sent.iter().all(|(_, bytes)| *bytes == 1));
    }

    #[test]
    fn in_ns2_every_write_is_a_full_packet() {
        let sent = sends(build(&args(&ENTRY, Some("ns2"), &[("count", "3")])).as_mut(), 1000.0);
        assert_eq!(sent.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>(), [972; 3]);
    }
}
