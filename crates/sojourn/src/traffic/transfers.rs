//! Transfers: one user who thinks, then transfers a file over a new connection, and thinks again.
//! Several users are several flows (`count`).
//!
//! Compared with: the short transfers of ns-2's laws (think time exponential; a new connection with
//! fresh windows and timers each; thinks again when the last packet is acknowledged).

use super::registry::AppEntry;
use super::{Amount, AppContext, Application, Demand};
use crate::params::{Args, Params as _};
use crate::units::{Bytes, Duration, Instant};
use crate::{choices, params};

/// The registry's entry.
pub static ENTRY: AppEntry = AppEntry {
    name: "transfers",
    title: "Repeated transfers",
    doc: "A user who thinks for a while, transfers a file over a new connection, and thinks again when its last byte is acknowledged.",
    reference: "the closed-loop user of the literature; ns-2's ftp with \"send\"",
    params: Params::SPECS,
    build,
};

params! {
    /// Parameters of repeated transfers.
    pub struct Params {
        /// Full packets in each transfer.
        packets: u64 = "20" in [1.0, 1e12], "a short web transfer of 20 kB";
        /// Mean time between the end of a transfer and the start of the next.
        think: Duration = "1s" in [0.0, 1e9], "a common choice";
        /// How the thinking time is distributed.
        think_law: ThinkLaw = "exponential" in [0.0, 0.0], "memoryless users";
        /// Whether the first transfer begins at once instead of after a thinking time.
        eager: bool = "false" in [0.0, 0.0], "a user found at a random moment of thinking";
        /// Transfers in all; `auto` is without end.
        count: Option<u64> = "auto" in [1.0, 1e15], "a user who stays";
    }
}

choices! {
    /// Distribution of the thinking time.
    pub enum ThinkLaw {
        /// Exponential with the mean `think`.
        Exponential = "exponential",
        /// Always `think`.
        Fixed = "fixed",
    }
}

#[derive(Clone, Debug)]
struct Transfers {
    params: Params,
    started: u64,
    wakes: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Transfers { params: args.typed(), started: 0, wakes: None })
}

impl Transfers {
    fn think(&mut self, now: Instant, cx: &mut AppContext<'_>) {
        let pause = match self.params.think_law {
            ThinkLaw::Fixed => self.params.think,
            ThinkLaw::Exponential => Duration::from_secs_f64(cx.rng.exponential(self.params.think.as_secs_f64())),
        };
        self.wakes = Some(now + pause);
    }

    fn transfer(&mut self, cx: &mut AppContext<'_>) -> Demand {
        self.started += 1;
        let bytes = self.params.packets.saturating_mul(cx.payload().0);
        Demand::transfer(Amount::Bytes(Bytes(bytes)))
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

    #[test]
    fn a_user_thinks_transfers_and_thinks_again() {
        let mut args = Args::defaults(Params::SPECS);
        args.set_text("think_law", "fixed").expect("a choice");
        args.set_text("count", "2").expect("a number");
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
}
