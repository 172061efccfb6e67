//! A scenario that has been read and checked, from which the engine builds. Its values are valid.

use crate::choices;
use crate::net::ecmp::Ecmp;
use crate::net::link_plan::{MediumPlan, WirePlan};
use crate::params::Args;
use crate::queue::entry::QueueEntry;
use crate::traffic::entry::AppEntry;
use crate::transport::declared::Declaration;
use crate::transport::hint::HintPlan;
use crate::transport::spec::TransportSpec;
use crate::units::{Duration, Rate, Size};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A whole scenario.
#[derive(Clone, Debug)]
pub struct Plan {
    /// A title for people; the run does not use it.
    pub title: String,
    /// Simulated time.
    pub duration: Duration,
    /// Metrics count from here on; shorter than `duration`.
    pub warmup: Duration,
    /// Names of the nodes; links and flows refer to them by position.
    pub nodes: Vec<Name>,
    /// Directed links; a full-duplex link in the file is two of them.
    pub links: Vec<LinkPlan>,
    /// The way that packets take where several are equally good.
    pub ecmp: Ecmp,
    /// Media that links share.
    pub media: Vec<MediumPlan>,
    /// Groups of flows, as `[[flow]]` tables declare them.
    pub groups: Vec<GroupPlan>,
    /// The records besides the counters, which are always on.
    pub record: RecordPlan,
    /// How the network was described; nodes, links and ends of flows say the same in full.
    pub shape: Shape,
}

impl Plan {
    /// Each pair of nodes between which there are flows, with their number.
    pub fn ends(&self) -> BTreeMap<(usize, usize), u64> {
        let mut ends = BTreeMap::new();
        for &pair in self.groups.iter().flat_map(|group| &group.ends) {
            *ends.entry(pair).or_insert(0) += 1;
        }
        ends
    }
}

/// How the network was described: the resolved scenario is written in the same way.
#[derive(Clone, Debug, Default)]
pub enum Shape {
    /// `[[node]]` and `[[link]]`.
    #[default]
    Graph,
    /// `[dumbbell]`.
    Dumbbell(Box<DumbbellPlan>),
}

/// A dumbbell before it is laid out as nodes and links.
#[derive(Clone, Debug)]
pub struct DumbbellPlan {
    /// Rates of `forward` and of `reverse`.
    pub rates: [Rate; 2],
    /// One-way delay of the bottleneck.
    pub delay: Duration,
    /// Queue of `forward`.
    pub queue: QueuePlan,
    /// Queue of `reverse`.
    pub reverse_queue: QueuePlan,
    /// The variations on `forward` and on `reverse`.
    pub wires: [Option<Arc<WirePlan>>; 2],
    /// Access links of groups that have none of their own.
    pub access: AccessPlan,
    /// For each group of flows its direction, and access links of its own.
    pub groups: Vec<(Direction, Option<AccessPlan>)>,
}

/// The access links of a group of flows.
#[derive(Clone, Debug)]
pub struct AccessPlan {
    /// Rate of each.
    pub rate: Rate,
    /// Least and greatest one-way delay of the host that sends.
    pub delay: (Duration, Duration),
    /// The delay of the receiving host, if it has its own.
    pub sink_delay: Option<(Duration, Duration)>,
    /// How they are spread over the flows of a group.
    pub spread: Spread,
    /// The number of delays from which one is drawn; none means a continuous range.
    pub steps: Option<u64>,
    /// Buffer of each.
    pub limit: Size,
    /// The variations on each.
    pub wire: Option<Arc<WirePlan>>,
}

choices! {
    /// How a range of delays is spread over flows.
    pub enum Spread {
        /// Evenly from the least to the greatest.
        Even = "even",
        /// Drawn for each host.
        Random = "random",
    }
}

choices! {
    /// Which way the data of a flow goes through the dumbbell.
    pub enum Direction {
        /// From left to right.
        Forward = "forward",
        /// From right to left.
        Backward = "backward",
    }
}

/// Name of a node or a link. Those that a dumbbell makes for its flows are not spelled out: there are
/// six for each of perhaps a million flows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A name that the scenario gives.
    Given(Box<str>),
    /// A name for flow `index` of a group: `prefix` of the group, then the index, then `part`.
    OfFlow {
        /// `access/bulk` for a link, `bulk` for a host; shared by the group.
        prefix: Arc<str>,
        /// The flow's number in its group.
        index: u32,
        /// The part of the flow's links or hosts that is meant.
        part: Part,
    },
}

/// A link or host that a dumbbell has for each flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The host that sends.
    Source,
    /// The host that receives.
    Sink,
    /// The link from the source.
    In,
    /// The link to the sink.
    Out,
    /// The link from the sink.
    AckIn,
    /// The link to the source.
    AckOut,
}

impl Part {
    const fn as_str(self) -> &'static str {
        match self {
            Part::Source => "source",
            Part::Sink => "sink",
            Part::In => "in",
            Part::Out => "out",
            Part::AckIn => "ack-in",
            Part::AckOut => "ack-out",
        }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Name::Given(name) => f.write_str(name),
            Name::OfFlow { prefix, index, part } => write!(f, "{prefix}/{index}/{}", part.as_str()),
        }
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Name::Given(name.into())
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Name::Given(name.into())
    }
}

/// A directed link with the queue in front of it.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Unique name, for tables and for the link's random stream.
    pub name: Name,
    /// Node it leaves.
    pub from: usize,
    /// Node it reaches.
    pub to: usize,
    /// Its rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
    /// The queue in front of it; shared, as a network has thousands of links alike.
    pub queue: Arc<QueuePlan>,
    /// Whether its queue appears in the tables (bottlenecks and links with a name do, access links of
    /// the dumbbell do not).
    pub observed: bool,
    /// The variations on it, if there are any.
    pub wire: Option<Arc<WirePlan>>,
}

/// A queue of a kind with its parameters.
#[derive(Clone)]
pub struct QueuePlan {
    /// The kind.
    pub entry: &'static QueueEntry,
    /// Its parameters.
    pub args: Args,
    /// Mean packet size that laws may need, in bytes.
    pub mean_packet: u64,
    /// Base round-trip time that laws may need; `None` takes the mean over the flows through the link.
    pub base_rtt: Option<Duration>,
}

impl std::fmt::Debug for QueuePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.entry.name, self.args.values())
    }
}

/// Flows of one kind.
#[derive(Clone, Debug)]
pub struct GroupPlan {
    /// Its name, unique.
    pub name: String,
    /// Where each flow starts and ends: nodes `(from, to)`; its length is the number of flows.
    pub ends: Vec<(usize, usize)>,
    /// Sender and receiver.
    pub transport: TransportSpec,
    /// The application that drives the sender.
    pub app: AppPlan,
    /// Its declaration about its packets.
    pub declaration: Declaration,
    /// How long its packets may wait, if they say.
    pub delay_hint: Option<HintPlan>,
    /// When the flows start.
    pub start: StartPlan,
    /// When they stop, if before the end.
    pub stop: Option<Duration>,
}

/// An application with its parameters.
#[derive(Clone)]
pub struct AppPlan {
    /// The kind.
    pub entry: &'static AppEntry,
    /// Its parameters.
    pub args: Args,
}

impl std::fmt::Debug for AppPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.entry.name, self.args.values())
    }
}

/// When the flows of a group start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartPlan {
    /// The first can start here.
    pub at: Duration,
    /// Each flow starts uniformly within this after `at`, from its own random stream.
    pub spread: Duration,
    /// Flow k starts k times this later.
    pub every: Duration,
}

/// When samples of a series are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Time between samples, or its mean.
    pub every: Duration,
    /// Whether it is drawn, exponentially.
    pub poisson: bool,
}

/// The records besides counters.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file that is true or false")]
pub struct RecordPlan {
    /// Sample the backlog of observed queues.
    pub queue: Option<Sampling>,
    /// Sample the policies' internals.
    pub probes: Option<Sampling>,
    /// Sample the senders' windows.
    pub cwnd: Option<Sampling>,
    /// Sample each flow's throughput (received bytes in the interval).
    pub throughput: Option<Sampling>,
    /// Keep how long each backlog lasted at observed queues.
    pub occupancy: bool,
    /// Keep every drop and mark at observed queues.
    pub drops: bool,
    /// Keep every packet that leaves an observed queue.
    pub packets: bool,
    /// Keep every packet that comes to an observed queue or leaves it, for capture files.
    pub pcap: bool,
}
