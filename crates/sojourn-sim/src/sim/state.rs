//! The state of a simulation.

use std::collections::BTreeMap;

use super::air::media::Air;
use super::choke_packets::ways::Ways;
use super::event_queue::EventQueue;
use super::flow_counts::FlowCounts;
use super::hop::Hop;
use super::links::Links;
use super::record::series::Recorded;
use super::shortcuts::ahead::foresight::Foresight;
use crate::metrics::group::GroupRecorders;
use crate::net::fifo_link::FifoLinks;
use crate::net::link_plan::ChangePlan;
use crate::net::opportunities::Opportunities;
use crate::queue::FlowHosts;
use crate::queue::shown::Counter;
use crate::rng::Rng;
use crate::scenario::plan::RecordPlan;
use crate::traffic::Role;
use crate::transport::fec::Repairs;
use crate::transport::outbox::Outbox;
use crate::transport::{Completion, Endpoint, Turn};
use crate::units::{Instant, Rate};

/// Sides of a flow; a timer's entity is twice the flow's number plus the side.
pub(super) const SENDER: usize = 0;
pub(super) const RECEIVER: usize = 1;

/// A running simulation. Many can live side by side.
pub struct Simulation {
    pub(super) now: Instant,
    pub(super) events: EventQueue,
    pub(super) links: Links,
    pub(super) fifo_links: FifoLinks,
    /// Numbers of the links behind a queue discipline.
    pub(super) managed: Vec<u32>,
    /// All routes, one after the other, each closed by an end.
    pub(super) routes: Vec<Hop>,
    pub(super) flows: Vec<FlowState>,
    /// The generator of each flow.
    pub(super) rngs: Vec<Rng>,
    pub(super) flow_records: Vec<FlowRecord>,
    /// All packets on their way, and the packets and reports of the endpoint that was called last.
    pub(super) outbox: Outbox,
    /// The media that links share.
    pub(super) air: Air,
    /// Where choke packets go; empty where no queue sends any.
    pub(super) choke_routes: Ways,
    pub(super) recorded: Recorded,
    /// How long the packets of each group took.
    pub(super) groups: GroupRecorders,
    /// Transfers in the order in which they were finished, with their flows.
    pub(super) completions: Vec<(u32, Completion)>,
    /// The counts of flows at the end of the warm-up; empty before it, and without one.
    pub(super) baseline: Vec<FlowCounts>,
    /// The repairs by error correction until then, of the flows that have it.
    pub(super) repairs_before: BTreeMap<usize, Repairs>,
    pub(super) warm: bool,
    pub(super) settings: Settings,
    pub(super) foresight: Foresight,
    /// The timers of one instant with their turns. Empty between two instants.
    pub(super) turns: Vec<(Turn, u32)>,
    /// Bytes that the run may take.
    pub(super) memory: u64,
    /// Whether a large network may have a [`scout`](super::shortcuts::scout).
    pub(super) scouts: bool,
    /// Whether queues may rest.
    pub(super) skips_silence: bool,
}

/// The part of the plan that does not change.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) warmup: Instant,
    pub(super) end: Instant,
    /// The observed links by number: the others appear in no table.
    pub(super) observed: BTreeMap<u32, ObservedLink>,
    pub(super) group_names: Vec<String>,
    /// How many flows of each group take the first of several equal ways.
    pub(super) unspread: Vec<usize>,
    /// The nodes between which flows run, and the names of nodes, in a scenario that says them and keeps packets whole.
    pub(super) nodes: (FlowHosts, Vec<String>),
    /// The criterion by which users judge each group.
    pub(super) roles: Vec<Role>,
    pub(super) record: RecordPlan,
}

/// The data of a link in tables besides the counts of its queue.
#[derive(Debug)]
pub(super) struct ObservedLink {
    pub(super) name: String,
    /// The counters of its queue, as in `tc -s`.
    pub(super) shown: &'static [Counter],
    pub(super) rate: Rate,
    pub(super) changes: Vec<ChangePlan>,
    pub(super) opportunities: Option<Opportunities>,
    /// Bytes that a flow's token bucket at its queue holds, if there are buckets, and of a packet in the mean.
    pub(super) bucket: Option<(u64, u64)>,
    /// Whether its queue could spare packets that find at most one waiting, and does not.
    pub(super) drops_at_short: bool,
    /// Thresholds above the limit, in words.
    pub(super) beyond: Vec<String>,
    /// Whether it marks ECN-capable packets.
    pub(super) marks: bool,
}

/// The data of a flow that every packet touches, in a cache line.
#[repr(align(64))]
pub(super) struct FlowState {
    pub(super) ends: [Box<dyn Endpoint>; 2],
    /// Earliest scheduled timer of each end; the event is moved when it fires early.
    pub(super) armed: [u64; 2],
    /// Where the routes of each end's packets begin.
    pub(super) route: [u32; 2],
    /// Number of its group.
    pub(super) group: u32,
}

/// The data of a flow that only tables need.
pub(super) struct FlowRecord {
    pub(super) group: u32,
    pub(super) started: Instant,
    pub(super) stops: Option<Instant>,
    /// Data packets lost at queues that are not observed.
    pub(super) lost_unobserved: u32,
    /// Data packets corrupted on links.
    pub(super) corrupted: u32,
}

impl FlowState {
    /// An end's deadline, if its timer is armed for a later time.
    #[inline(always)]
    pub(super) fn sooner(&self, side: usize, deadline: Option<Instant>) -> Option<Instant> {
        deadline.filter(|deadline| deadline.as_nanos() < self.armed[side])
    }
}
