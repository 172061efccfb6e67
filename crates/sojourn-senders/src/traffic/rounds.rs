//! Synchronised rounds: all flows of a group send a block at the same moment, round after round (incast).
//!
//! Compared with: the workload of Phanishayee and others 2008 and of Alizadeh and others 2010 (partition and aggregate).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A round begins at a fixed time and not when the last block of the one before has come | flows know nothing of each other; a flow that is late misses rounds until it is done, so that moments stay common | `a_late_block_leaves_out_rounds` |

use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "rounds",
    title: "Synchronised rounds",
    doc: "A worker that answers together with all others of its group: at fixed intervals each sends a block on its open connection \
          (incast). The table `quality` has the time of the slowest worker in a round.",
    reference: "Phanishayee et al. 2008; Alizadeh et al. 2010 section 2",
    unpaced: |_| Some("a round".to_owned()),
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Time from one round to the next.
        interval: Duration = "100ms" in [1e-6, 1e6], "our choice";
        /// Bytes that each worker sends in a round.
        size: Bytes = "32kB" in [1.0, 1e12], "our choice; Phanishayee et al. 2008 have a block of 1 MB over all";
        /// Rounds in all; `auto` is without end.
        count: Option<u64> = "auto" in [1.0, 1e15], "workers who stay";
    }
}

#[derive(Clone, Debug)]
struct Rounds {
    params: Params,
    started: Instant,
    begun: u64,
    next: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Rounds { params: args.typed(), started: Instant::ZERO, begun: 0, next: None })
}

impl Rounds {
    fn begin(&mut self) -> Demand {
        self.begun += 1;
        self.next = None;
        Demand::write(self.params.size)
    }
}

impl Application for Rounds {
    fn on_start(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.started = now;
        self.begin()
    }

    fn on_transfer_complete(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        if self.params.count.is_some_and(|count| self.begun >= count) {
            return Demand { finish: true, ..Demand::NOTHING };
        }
        let rounds = now.since(self.started).as_nanos() / self.params.interval.as_nanos().max(1) + 1;
        self.next = Some(self.started + self.params.interval * rounds);
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.begin()
    }

    fn role(&self) -> Role {
        Role::Round { interval: self.params.interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, run};

    fn times(took: fn(u64) -> Duration) -> Vec<u64> {
        let asked = run(build(&args(&ENTRY, None, &[("count", "4")])).as_mut(), 10.0, Some(took));
        let asked = asked.iter().filter(|one| !one.demand.finish);
        asked.map(|one| libm::round(one.time * 1e3) as u64).collect()
    }

    #[test]
    fn blocks_leave_at_fixed_times() {
        assert_eq!(times(|_| Duration::from_millis(30)), [0, 100, 200, 300]);
    }

    #[test]
    fn a_late_block_leaves_out_rounds() {
        assert_eq!(times(|_| Duration::from_millis(250)), [0, 300, 600, 900]);
    }
}
