//! Every queue discipline. Adding one is one file and one line here.

use super::or_complain;
use crate::params::{Kind, ParamType, Value};
use crate::quantity::Complaint;
use crate::queue::entry::QueueEntry;
use crate::queue::inner::InnerPolicy;
use crate::{aqm, discipline};

/// Policies over a first-in first-out queue; each can stand in `flow_queue` too.
pub const POLICIES: &[&QueueEntry] = &[
    &aqm::fifo::ENTRY,
    &aqm::capped_tail::ENTRY,
    &aqm::red::ENTRY,
    &aqm::wred::ENTRY,
    &aqm::ared::ENTRY,
    &aqm::ared_feng::ENTRY,
    &aqm::psand::ENTRY,
    &aqm::dsred::ENTRY,
    &aqm::re_ared::ENTRY,
    &aqm::fared::ENTRY,
    &aqm::cared::ENTRY,
    &aqm::ared_mimd::ENTRY,
    &aqm::wq_max_p::ENTRY,
    &aqm::self_tuning_red::ENTRY,
    &aqm::nlred::ENTRY,
    &aqm::mred::ENTRY,
    &aqm::ered::ENTRY,
    &aqm::e_red::ENTRY,
    &aqm::sred::ENTRY,
    &aqm::fred::ENTRY,
    &aqm::bred::ENTRY,
    &aqm::rio::ENTRY,
    &aqm::cbt_red::ENTRY,
    &aqm::red_filter::ENTRY,
    &aqm::red_pd::ENTRY,
    &aqm::csfq::ENTRY,
    &aqm::xred::ENTRY,
    &aqm::diffserv::ENTRY,
    &aqm::lpf_oda::ENTRY,
    &aqm::hybrid_red::ENTRY,
    &aqm::red_worcester::ENTRY,
    &aqm::choke::ENTRY,
    &aqm::black::ENTRY,
    &aqm::afc::ENTRY,
    &aqm::sfb::ENTRY,
    &aqm::care::ENTRY,
    &aqm::lqd::ENTRY,
    &aqm::blue::ENTRY,
    &aqm::p_controller::ENTRY,
    &aqm::pi::ENTRY,
    &aqm::pi2::ENTRY,
    &aqm::pie::ENTRY,
    &aqm::dred::ENTRY,
    &aqm::sfc::ENTRY,
    &aqm::rem::ENTRY,
    &aqm::avq::ENTRY,
    &aqm::lred::ENTRY,
    &aqm::green::ENTRY,
    &aqm::codel::ENTRY,
    &aqm::cobalt::ENTRY,
    &aqm::policer::ENTRY,
    &aqm::decbit::ENTRY,
    &aqm::xcp::ENTRY,
    &aqm::rcp::ENTRY,
];

/// Disciplines with an order or queues of their own.
pub const DISCIPLINES: &[&QueueEntry] = &[
    &discipline::red_boston::ENTRY,
    &discipline::fq_codel::ENTRY,
    &discipline::dualpi2::ENTRY,
    &discipline::flow_queue::ENTRY,
    &discipline::drr::ENTRY,
    &discipline::sfq::ENTRY,
    &discipline::priority::ENTRY,
    &discipline::rate_controlled_priority::ENTRY,
    &discipline::wfq::ENTRY,
    &discipline::fq::ENTRY,
    &discipline::cbfq::ENTRY,
    &discipline::cbq::ENTRY,
    &discipline::token_bucket::ENTRY,
    &discipline::leaky_bucket::ENTRY,
    &discipline::source_quench::ENTRY,
    &discipline::hop_by_hop::ENTRY,
    &discipline::abe::ENTRY,
    &discipline::tcp_model::ENTRY,
    &discipline::dcbt::ENTRY,
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

/// The entry called `name`.
pub fn queue(name: &str) -> Option<&'static QueueEntry> {
    QUEUES.iter().find(|entry| entry.name == name).copied()
}

/// The entry called `name`, or a complaint with the nearest name.
pub fn queue_or_complain(name: &str) -> Result<&'static QueueEntry, Complaint> {
    or_complain("queue", name, queue(name), QUEUES.iter().map(|entry| entry.name))
}

/// A parameter may hold any policy of the registry.
impl ParamType for InnerPolicy {
    const KIND: Kind = Kind::Policy(POLICIES);
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Policy(policy) => Some(policy),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Policy(self.clone())
    }
}
