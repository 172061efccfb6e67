//! Every queue discipline: the policies, and the disciplines with an order or queues of their own. To add one of those takes one file and
//! one line here.

use super::complain::or_complain;
use super::policies::POLICIES;
use crate::discipline;
use crate::params::{Component, Kind, Known, ParamType, Value};
use crate::quantity::Complaint;
use crate::queue::entry::QueueEntry;
use crate::queue::leaf::LeafQueue;

/// Disciplines with an order or queues of their own.
pub const DISCIPLINES: &[&QueueEntry] = &[
    &discipline::red_boston::ENTRY,
    &discipline::fq_codel::ENTRY,
    &discipline::fq_pie::ENTRY,
    &discipline::cake::ENTRY,
    &discipline::dualpi2::ENTRY,
    &discipline::sch_dualpi2::ENTRY,
    &discipline::flow_queue::ENTRY,
    &discipline::drr::ENTRY,
    &discipline::sfq::ENTRY,
    &discipline::priority::ENTRY,
    &discipline::rate_controlled_priority::ENTRY,
    &discipline::wfq::ENTRY,
    &discipline::fq::ENTRY,
    &discipline::cbq::ENTRY,
    &discipline::htb::ENTRY,
    &discipline::sch_prio::ENTRY,
    &discipline::sch_ets::ENTRY,
    &discipline::sch_drr::ENTRY,
    &discipline::sch_qfq::ENTRY,
    &discipline::sch_hfsc::ENTRY,
    &discipline::sch_fq::ENTRY,
    &discipline::sch_hhf::ENTRY,
    &discipline::sch_skbprio::ENTRY,
    &discipline::sch_tbf::ENTRY,
    &discipline::token_bucket::ENTRY,
    &discipline::source_quench::ENTRY,
    &discipline::hop_by_hop::ENTRY,
];

/// All disciplines, in the order in which lists show them.
pub static QUEUES: &[&QueueEntry] = &joined::<{ POLICIES.len() + DISCIPLINES.len() }>();

const fn joined<const N: usize>() -> [&'static QueueEntry; N] {
    let mut all = [POLICIES[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < POLICIES.len() { POLICIES[i] } else { DISCIPLINES[i - POLICIES.len()] };
        i += 1;
    }
    all
}

/// The same, as choices of a parameter.
static CHOICES: &[&dyn Component] = &choices::<{ POLICIES.len() + DISCIPLINES.len() }>();

const fn choices<const N: usize>() -> [&'static dyn Component; N] {
    let queues = joined::<N>();
    let mut all = [queues[0] as &dyn Component; N];
    let mut i = 0;
    while i < N {
        all[i] = queues[i];
        i += 1;
    }
    all
}

/// A parameter may hold any queue of the registry.
impl ParamType for LeafQueue {
    const KIND: Kind = Kind::Queue(Known(|| CHOICES));
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Policy(chosen) => LeafQueue::of(&chosen),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Policy(self.chosen())
    }
}

/// The entry called `name`.
pub fn queue(name: &str) -> Option<&'static QueueEntry> {
    QUEUES.iter().find(|entry| entry.name == name).copied()
}

/// The entry called `name`, or a complaint with the nearest name.
pub fn queue_or_complain(name: &str) -> Result<&'static QueueEntry, Complaint> {
    or_complain("queue", name, queue(name), QUEUES.iter().map(|entry| entry.name))
}
