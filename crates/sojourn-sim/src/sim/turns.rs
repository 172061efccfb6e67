//! Timers of several ends that go off at one instant. Ends whose timers are on Linux's wheel know the order: each names the [`Turn`] of its
//! timer. Without such ends timers go off in the order of flows, and this code does not run.

use super::event_queue::Class;
use super::state::Simulation;
use crate::transport::Turn;
use crate::units::Instant;

impl Simulation {
    /// The timer of an end goes off. Timers of other ends may go off at this instant, too. Their events are next.
    #[inline(never)]
    pub(super) fn timers_in_turn(&mut self, now: Instant, entity: u32) {
        if !self.is_another_timer_next(now) {
            return self.timer(now, entity);
        }
        let mut turns = std::mem::take(&mut self.turns);
        turns.push((self.turn(now, entity), entity));
        while self.is_another_timer_next(now)
            && let Some(next) = self.events.pop_until(now.as_nanos())
        {
            turns.push((self.turn(now, next.entity()), next.entity()));
        }
        turns.sort_by_key(|&(turn, _)| turn); // Stable: equals stay in the order of flows.
        for (_, next) in turns.drain(..) {
            self.timer(now, next);
        }
        self.turns = turns;
    }

    /// True if the next event is a timer of this instant. All events of this instant are among the known next events.
    fn is_another_timer_next(&self, now: Instant) -> bool {
        let next = self.events.upcoming(0);
        next.is_some_and(|next| next.time == now.as_nanos() && next.class() == Class::Timer)
    }

    /// The turn of an end. Its timer may have been moved to a later time since.
    fn turn(&self, now: Instant, entity: u32) -> Turn {
        let (flow, side) = (entity as usize / 2, entity as usize % 2);
        let state = &self.flows[flow];
        let is_due =
            state.armed[side] == now.as_nanos() && state.ends[side].next_deadline().is_some_and(|due| due <= now);
        if is_due { state.ends[side].turn() } else { Turn::FIRST }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::packet::Packet;
    use crate::sim::event_queue::{Event, NEVER};
    use crate::sim::shortcuts::Shortcuts;
    use crate::sim::state::SENDER;
    use crate::sim::tests::{bits, number, over, plan, run};
    use crate::transport::{Counters, Endpoint, FlowContext};
    use crate::units::Duration;

    /// An end with one timer, which writes down that it went off.
    struct Clock {
        number: usize,
        deadline: Option<Instant>,
        turn: Turn,
        /// It waits once more, for this time.
        again: Option<Duration>,
        heard: Arc<Mutex<Vec<usize>>>,
    }

    impl Endpoint for Clock {
        fn on_packet(&mut self, _now: Instant, _packet: &Packet, _cx: &mut FlowContext) {}

        fn next_deadline(&self) -> Option<Instant> {
            self.deadline
        }

        fn on_deadline(&mut self, now: Instant, _cx: &mut FlowContext) {
            self.heard.lock().expect("nobody panicked").push(self.number);
            self.deadline = self.again.take().map(|wait| now + wait);
        }

        fn turn(&self) -> Turn {
            self.turn
        }

        fn counters(&self) -> Counters {
            Counters::default()
        }
    }

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    /// The order in which timers go off, each with the time for which it was armed, its deadline, and its turn.
    fn order(clocks: &[(u64, u64, Turn)], again: Option<Duration>, has_wheel: bool) -> Vec<usize> {
        let text = r#"
duration = "1s"
dumbbell = { rate = "8Mbit", delay = "10ms", queue = "fifo" }
flow = [{ name = "clock", count = COUNT, transport = "udp", app = { kind = "cbr", rate = "1kbit" }, start = "900ms" }]
"#;
        let text = text.replace("COUNT", &clocks.len().to_string());
        let mut simulation = Simulation::with_shortcuts(&plan(&text), 1, Shortcuts::ALL).expect("a plan that runs");
        let heard = Arc::new(Mutex::new(Vec::new()));
        for (number, &(armed, deadline, turn)) in clocks.iter().enumerate() {
            let deadline = Some(at(deadline));
            let clock = Clock { number, deadline, turn, again, heard: Arc::clone(&heard) };
            simulation.flows[number].ends[SENDER] = Box::new(clock);
            simulation.flows[number].armed = [at(armed).as_nanos(), NEVER];
            simulation.events.push(Event::new(at(armed).as_nanos(), Class::Timer, 2 * number as u32, 0));
        }
        simulation.outbox.on_wheel = u64::from(has_wheel);
        simulation.advance(at(800));
        std::mem::take(&mut *heard.lock().expect("nobody panicked"))
    }

    #[test]
    fn timers_of_an_instant_go_off_by_their_turns_and_equals_in_the_order_of_flows() {
        let rank = Turn::of_rank;
        let clocks = [
            (500, 500, rank(1)),
            (500, 500, rank(7)),
            (500, 500, Turn::FIRST),
            (500, 500, rank(7)),
            (500, 500, Turn::FIRST),
            (400, 400, rank(1)),
        ];
        assert_eq!(order(&clocks, None, true), [5, 2, 4, 1, 3, 0]);
        assert_eq!(order(&clocks, None, false), [5, 0, 1, 2, 3, 4], "nothing is on a wheel");
    }

    #[test]
    fn timers_that_have_been_put_off_have_their_turns_when_they_go_off() {
        let rank = Turn::of_rank;
        // The first was armed for an earlier time, at which the second goes off.
        assert_eq!(order(&[(300, 500, rank(9)), (300, 300, rank(1)), (500, 500, rank(2))], None, true), [1, 0, 2]);
    }

    #[test]
    fn a_timer_that_is_set_to_the_same_instant_goes_off_once_more_after_the_others() {
        let clocks = [(500, 500, Turn::of_rank(2)), (500, 500, Turn::of_rank(1))];
        assert_eq!(order(&clocks, Some(Duration::ZERO), true), [0, 1, 0, 1]);
    }

    /// Flows of one host over a queue that drops nearly all packets but the first of an instant.
    fn one_host(seconds: u32) -> String {
        let group = |name: &str| {
            format!(
                r#"
[[flow]]
name = "{name}"
from = "a"
to = "b"
count = 50
start = {{ spread = "2s" }}
[flow.transport]
kind = "tcp"
profile = "linux"
packet = "1514B"
header = "66B"
ack_size = "1500B"
ecn = true
control = {{ kind = "cubic", preset = "linux" }}
"#
            )
        };
        let link = |from: &str, to: &str, rate: &str, queue: &str| {
            format!(
                r#"
[[link]]
name = "{from}{to}"
from = "{from}"
to = "{to}"
duplex = false
rate = "{rate}"
delay = "5ms"
queue = {queue}
"#
            )
        };
        [
            format!("duration = \"{seconds}s\"\nwarmup = \"5s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n"),
            link("a", "b", "1Mbit", r#"{ kind = "pie", preset = "linux", ecn = true }"#),
            link("b", "a", "10Gbit", r#""fifo""#),
            group("first"),
            group("second"),
        ]
        .concat()
    }

    #[test]
    fn among_flows_whose_timers_share_a_clock_their_numbers_decide_nothing() {
        // In the order of flows the first half of them got 90 %.
        let simulation = over(&one_host(30));
        assert!(simulation.outbox.on_wheel > 1000, "{}", simulation.outbox.on_wheel);
        let tables = simulation.finish();
        let [first, second] = [0, 1].map(|group| number(&tables, "group", "goodput_mean_bps", group));
        let share = first / (first + second);
        assert!((0.35..0.65).contains(&share), "{share}");
    }

    #[test]
    fn turns_are_the_same_on_the_plain_path() {
        let text = one_host(8);
        assert_eq!(bits(&run(&text, 1, Shortcuts::ALL)), bits(&run(&text, 1, Shortcuts::NONE)));
    }
}
