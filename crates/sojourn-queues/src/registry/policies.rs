//! Every policy over a first-in first-out queue, which a parameter may name. Adding one is one file and one line here.

use crate::aqm;
use crate::params::{Component, Kind, ParamType, Value};
use crate::queue::entry::QueueEntry;
use crate::queue::inner::InnerPolicy;

/// Policies over a first-in first-out queue; each can be in `flow_queue` too.
pub const POLICIES: &[&QueueEntry] = &[
    &aqm::fifo::ENTRY,
    &aqm::capped_tail::ENTRY,
    &aqm::red::ENTRY,
    &aqm::wred::ENTRY,
    &aqm::ared::ENTRY,
    &aqm::ared_feng::ENTRY,
    &aqm::psand::ENTRY,
    &aqm::re_ared::ENTRY,
    &aqm::fared::ENTRY,
    &aqm::cared::ENTRY,
    &aqm::rio::ENTRY,
    &aqm::csfq::ENTRY,
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
    &aqm::sch_pie::ENTRY,
    &aqm::sch_red::ENTRY,
    &aqm::sch_choke::ENTRY,
    &aqm::sch_sfb::ENTRY,
    &aqm::rem::ENTRY,
    &aqm::avq::ENTRY,
    &aqm::lred::ENTRY,
    &aqm::codel::ENTRY,
    &aqm::cobalt::ENTRY,
    &aqm::policer::ENTRY,
    &aqm::decbit::ENTRY,
    &aqm::xcp::ENTRY,
    &aqm::rcp::ENTRY,
];

/// The same, as choices of a parameter.
const CHOICES: &[&dyn Component] = &choices::<{ POLICIES.len() }>();

const fn choices<const N: usize>() -> [&'static dyn Component; N] {
    let mut all = [POLICIES[0] as &dyn Component; N];
    let mut i = 0;
    while i < N {
        all[i] = POLICIES[i];
        i += 1;
    }
    all
}

/// A parameter may hold any policy of the registry.
impl ParamType for InnerPolicy {
    const KIND: Kind = Kind::Policy(CHOICES);
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Policy(chosen) => InnerPolicy::of(&chosen),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Policy(self.chosen())
    }
}
