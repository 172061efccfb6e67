//! A driver of a discipline, and the record of its actions.

use crate::packet::Ecn;
use crate::queue::Event;
use crate::rng::Rng;
use crate::units::Duration;

/// One step of a sequence that drives a discipline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A packet arrives.
    Arrive {
        /// Its flow.
        flow: u32,
        /// Its bytes; at least 1.
        size: u32,
        /// Its ECN field.
        ecn: Ecn,
        /// Delay that it asks for.
        hint: Option<Duration>,
    },
    /// The packet in transmission, if any, has been sent.
    Depart,
    /// Time passes; deadlines in it are served.
    Pause(Duration),
}

/// The actions of a discipline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Numbers of the packets that came out, in order.
    pub departures: Vec<u64>,
    /// Drops and marks, in order.
    pub events: Vec<Event>,
}

/// `length` operations that load the link `load` times over on the long run, with bursts, idle times, eight flows and three
/// sizes; a pure function of its arguments.
pub fn random_operations(seed: u64, length: usize, load: f64) -> Vec<Operation> {
    let mut rng = Rng::named(seed, "conformance");
    let depart = 1.0 / (1.0 + load);
    let mut operation = || match rng.uniform() {
        u if u < 0.02 => Operation::Pause(Duration::from_secs_f64(rng.exponential(0.05))),
        u if u < 0.2 => Operation::Pause(Duration::from_secs_f64(rng.exponential(0.002))),
        _ if rng.uniform() < depart => Operation::Depart,
        _ => Operation::Arrive {
            flow: rng.below(8) as u32,
            size: [40, 1000, 1500][rng.below(3) as usize],
            ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][rng.below(4) as usize],
            hint: [None, Some(Duration::from_millis(20)), Some(Duration::from_millis(200))][rng.below(3) as usize],
        },
    };
    (0..length).map(|_| operation()).collect()
}
