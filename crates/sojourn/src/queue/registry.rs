//! Every queue discipline by name. Lists, documentation, the JSON Schema, Python constructors,
//! conformance tests and benchmarks derive from [`QUEUES`]; adding one is one file and one line here.

use super::{Limit, LinkContext, Managed, Policy, QueueDiscipline, flow_queue};
use crate::aqm;
use crate::params::{Args, Param, Params, nearest};
use crate::quantity::Complaint;

/// A named group of settings, such as `paper` or `ns2`.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it stands for.
    pub doc: &'static str,
    /// Parameter and value, as a user would write them.
    pub settings: &'static [(&'static str, &'static str)],
}

/// Why a queue cannot be built from values that are each in range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The parameter to look at.
    pub param: &'static str,
    /// The parameter of the policy that `param` holds, if it is one of those.
    pub inner: Option<&'static str>,
    /// What is wrong and what is allowed.
    pub complaint: Complaint,
}

impl BuildError {
    /// `param` is wrong: `what`; `hint` says what is allowed.
    pub fn new(param: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        BuildError { param, inner: None, complaint: Complaint { what: what.into(), hint: hint.into() } }
    }

    /// The same of the policy that the parameter `param` holds.
    #[must_use]
    pub fn inside(self, param: &'static str) -> Self {
        BuildError { param, inner: Some(self.param), complaint: self.complaint }
    }
}

/// Makes a discipline from its parameters on a link.
pub type BuildQueue = fn(&Args, &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError>;

/// Makes a policy from its parameters on a link.
pub type BuildPolicy = fn(&Args, &LinkContext) -> Result<Box<dyn Policy>, BuildError>;

/// How to make a discipline of this kind.
#[derive(Clone, Copy)]
pub enum Build {
    /// A policy over a first-in first-out queue. `managed` gives the compiled pair; `policy` the
    /// policy alone, for `flow_queue`.
    Policy {
        /// The discipline on its own.
        managed: BuildQueue,
        /// The policy for another discipline.
        policy: BuildPolicy,
    },
    /// A discipline with an order or queues of its own.
    Discipline(BuildQueue),
}

/// Parameters of a policy over a first-in first-out queue.
pub trait PolicyParams: Params {
    /// What decides.
    type Policy: Policy + 'static;

    /// The policy on this link.
    fn policy(&self, link: &LinkContext) -> Result<Self::Policy, BuildError>;

    /// What may wait on this link.
    fn limit(&self, link: &LinkContext) -> Limit;
}

impl Build {
    /// The policy that these parameters make.
    pub const fn policy<P: PolicyParams>() -> Self {
        Build::Policy { managed: managed::<P>, policy: policy::<P> }
    }
}

fn managed<P: PolicyParams>(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: P = args.typed();
    Ok(Box::new(Managed::new(params.policy(link)?, params.limit(link))))
}

fn policy<P: PolicyParams>(args: &Args, link: &LinkContext) -> Result<Box<dyn Policy>, BuildError> {
    let params: P = args.typed();
    Ok(Box::new(params.policy(link)?))
}

/// One queue discipline.
#[derive(Clone, Copy)]
pub struct QueueEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// What it does, in two or three sentences.
    pub doc: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings.
    pub presets: &'static [Preset],
    /// Whether packets of one flow may overtake each other.
    pub reorders: bool,
    /// How to make one.
    pub build: Build,
}

impl QueueEntry {
    /// Default values with a preset laid over them; `None` is no preset.
    pub fn args(&self, preset: Option<&str>) -> Result<Args, Complaint> {
        let mut args = Args::defaults(self.params);
        if let Some(name) = preset {
            let found = self.presets.iter().find(|known| known.name == name).ok_or_else(|| {
                let known: Vec<&str> = self.presets.iter().map(|known| known.name).collect();
                Complaint {
                    what: format!("{} has no preset {name:?}", self.name),
                    hint: format!("presets: {}", known.join(", ")),
                }
            })?;
            for (param, value) in found.settings {
                args.set_text(param, value)?;
            }
        }
        Ok(args)
    }

    /// A discipline of this kind on a link.
    pub fn build(&self, args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
        match self.build {
            Build::Policy { managed, .. } => managed(args, link),
            Build::Discipline(build) => build(args, link),
        }
    }
}

/// Policies over a first-in first-out queue; each can stand in `flow_queue` too.
pub const POLICIES: &[&QueueEntry] = &[
    &aqm::fifo::ENTRY,
    &aqm::red::ENTRY,
    &aqm::ared::ENTRY,
    &aqm::ared_feng::ENTRY,
    &aqm::psand::ENTRY,
    &aqm::dsred::ENTRY,
    &aqm::re_ared::ENTRY,
    &aqm::fared::ENTRY,
    &aqm::cared::ENTRY,
    &aqm::ared_mimd::ENTRY,
    &aqm::nlred::ENTRY,
    &aqm::sred::ENTRY,
    &aqm::fred::ENTRY,
    &aqm::bred::ENTRY,
    &aqm::rio::ENTRY,
    &aqm::cbt_red::ENTRY,
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
    &aqm::rem::ENTRY,
    &aqm::avq::ENTRY,
    &aqm::lred::ENTRY,
    &aqm::green::ENTRY,
    &aqm::codel::ENTRY,
    &aqm::decbit::ENTRY,
    &aqm::xcp::ENTRY,
];

/// Names of the policies.
pub const POLICY_NAMES: &[&str] = &{
    let mut names = [""; POLICIES.len()];
    let mut i = 0;
    while i < POLICIES.len() {
        names[i] = POLICIES[i].name;
        i += 1;
    }
    names
};

/// Disciplines with an order or queues of their own.
pub const DISCIPLINES: &[&QueueEntry] = &[
    &aqm::red_boston::ENTRY,
    &aqm::fq_codel::ENTRY,
    &flow_queue::ENTRY,
    &aqm::drr::ENTRY,
    &aqm::sfq::ENTRY,
    &aqm::source_quench::ENTRY,
    &aqm::hop_by_hop::ENTRY,
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
    queue(name).ok_or_else(|| {
        let known: Vec<&str> = QUEUES.iter().map(|entry| entry.name).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known: {}", known.join(", ")),
        };
        Complaint { what: format!("there is no queue {name:?}"), hint }
    })
}
