//! A scenario that has been read and checked: what the engine builds from. Nothing here can be wrong.

use crate::params::Args;
use crate::queue::registry::QueueEntry;
use crate::traffic::registry::AppEntry;
use crate::transport::registry::TransportSpec;
use crate::units::{Duration, Rate};

/// A whole scenario.
#[derive(Clone, Debug)]
pub struct Plan {
    /// For people.
    pub title: String,
    /// Simulated time.
    pub duration: Duration,
    /// Metrics count from here on; shorter than `duration`.
    pub warmup: Duration,
    /// Names of the nodes; links and flows refer to them by position.
    pub nodes: Vec<String>,
    /// Directed links; a full-duplex link in the file is two of them.
    pub links: Vec<LinkPlan>,
    /// Groups of flows, as `[[flow]]` tables declare them.
    pub groups: Vec<GroupPlan>,
    /// What to record besides the counters that are always on.
    pub record: RecordPlan,
}

/// A directed link with the queue in front of it.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Unique name, for tables and for the link's random stream.
    pub name: String,
    /// Node it leaves.
    pub from: usize,
    /// Node it reaches.
    pub to: usize,
    /// Its rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
    /// The queue in front of it.
    pub queue: QueuePlan,
    /// Whether its queue appears in the tables (bottlenecks and links with a name do, access links of
    /// the dumbbell do not).
    pub observed: bool,
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
    /// What drives the sender.
    pub app: AppPlan,
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

/// What to record besides counters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordPlan {
    /// Sample the backlog of observed queues this often.
    pub queue_every: Option<Duration>,
    /// Sample the policies' internals this often.
    pub probes_every: Option<Duration>,
    /// Sample the senders' windows this often.
    pub cwnd_every: Option<Duration>,
    /// Sample each flow's throughput (received bytes in the interval) this often.
    pub throughput_every: Option<Duration>,
    /// Keep every drop and mark at observed queues.
    pub drops: bool,
    /// Keep every packet that leaves an observed queue.
    pub packets: bool,
}
