//! The plan of a scenario for links: the variations on one, and the medium that several share.

use super::loss::LossEntry;
use super::opportunities::Opportunities;
use super::wifi::Phy;
use crate::choices;
use crate::mechanism::framing::Framing;
use crate::params::Args;
use crate::units::{Duration, Rate};

/// The variations on a link.
#[derive(Clone, Debug, Default)]
pub struct WirePlan {
    /// The packets that are corrupted.
    pub loss: Option<LossPlan>,
    /// Delay beyond the link's own.
    pub jitter: Option<JitterPlan>,
    /// Rates, delays and losses to come, in order of time.
    pub changes: Vec<ChangePlan>,
    /// When it may send, if it has no fixed rate; the rate beside it is then the mean.
    pub opportunities: Option<Opportunities>,
    /// The bytes of packets on the line beyond their own, if there are any.
    pub framing: Option<Framing>,
    /// Number of the medium that it shares with others; the rate beside it is then that of its data frames.
    pub medium: Option<usize>,
}

impl WirePlan {
    /// Whether packets may overtake each other.
    pub fn reorders(&self) -> bool {
        self.jitter.is_some_and(|jitter| jitter.reorder)
    }
}

/// A medium that links share.
#[derive(Clone, Debug, PartialEq)]
pub struct MediumPlan {
    /// Unique name.
    pub name: String,
    /// How long frames take.
    pub phy: Phy,
    /// Rate of ACK frames; `None` takes the highest basic rate below that of the data.
    pub basic_rate: Option<Rate>,
    /// How often a frame is sent again that was not acknowledged.
    pub retries: u32,
    /// Bytes that a frame adds to a packet.
    pub overhead: u32,
    /// Frames of more bytes are preceded by RTS and CTS; `None`: no frame is.
    pub rts_threshold: Option<u32>,
    /// How often an RTS is sent again that no CTS answered.
    pub rts_retries: u32,
    /// Whether links may have rates that the standard does not know.
    pub any_rate: bool,
}

/// A loss model with its parameters.
#[derive(Clone)]
pub struct LossPlan {
    /// The kind.
    pub entry: &'static LossEntry,
    /// Its parameters.
    pub args: Args,
}

impl std::fmt::Debug for LossPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.entry.name, self.args.values())
    }
}

choices! {
    /// How a delay beyond the link's own is distributed.
    pub enum JitterLaw {
        /// From nothing to twice the mean.
        Uniform = "uniform",
        /// Exponential.
        Exponential = "exponential",
    }
}

/// A delay beyond the link's own, drawn anew for each packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JitterPlan {
    /// Its mean.
    pub mean: Duration,
    /// Its distribution.
    pub law: JitterLaw,
    /// Whether packets may overtake each other; if not, one that would waits for the one before.
    pub reorder: bool,
}

/// A change of a link, from `at` on.
#[derive(Clone, Debug)]
pub struct ChangePlan {
    /// The time.
    pub at: Duration,
    /// Its rate from then on, if it changes.
    pub rate: Option<Rate>,
    /// Its delay from then on, if it changes.
    pub delay: Option<Duration>,
    /// The packets that are corrupted from then on, if this changes.
    pub loss: Option<LossPlan>,
}
