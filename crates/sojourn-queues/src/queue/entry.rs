//! The entry of a queue discipline in the registry: its names, its parameters and the function that makes one.

use std::any::Any;

use super::drawing::{DrawLaw, Graph};
use super::shown::Counter;
use super::{Limit, LinkContext, Managed, Policy, Probe, QueueDiscipline};
use crate::component::{BuildError, Preset, args_with};
use crate::params::{Alias, Args, Component, OUTER, Param, Params, Value};
use crate::quantity::Complaint;

/// Makes a discipline from its parameters on a link.
pub type BuildQueue = fn(&Args, &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError>;

/// Like [`BuildQueue`], for a policy, which may have been made at run time.
pub type BuildManaged =
    &'static (dyn Fn(&Args, &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> + Send + Sync);

/// Makes a policy from its parameters on a link.
pub type BuildPolicy = &'static (dyn Fn(&Args, &LinkContext) -> Result<Box<dyn Policy>, BuildError> + Send + Sync);

/// The function that makes a discipline of this kind.
#[derive(Clone, Copy)]
pub enum Build {
    /// A policy over a first-in first-out queue. `managed` makes the compiled pair, and `policy` the policy alone, for `flow_queue`.
    Policy {
        /// The discipline on its own.
        managed: BuildManaged,
        /// The policy for another discipline.
        policy: BuildPolicy,
    },
    /// A discipline with an order or queues of its own.
    Discipline(BuildQueue),
}

/// Parameters of a policy over a first-in first-out queue.
pub trait PolicyParams: Params {
    /// The policy.
    type Policy: Policy + 'static;

    /// The policy on this link.
    fn policy(&self, link: &LinkContext) -> Result<Self::Policy, BuildError>;

    /// The limit on this link: the parameter `limit`, which every policy has (a test of the registry says so).
    fn limit(&self, link: &LinkContext) -> Limit {
        let place = Self::SPECS.iter().position(|param| param.name == OUTER);
        limit_of(place.map(|place| self.to_values()[place].clone()).as_ref(), link)
    }
}

impl Build {
    /// The policy that these parameters make.
    pub const fn policy<P: PolicyParams + 'static>() -> Self {
        Build::Policy { managed: &managed::<P>, policy: &policy::<P> }
    }

    /// The policy that `make` makes, for entries that are made at run time. They last until the process ends.
    pub fn made(
        make: impl Fn(&Args, &LinkContext) -> Result<Box<dyn Policy>, BuildError> + Send + Sync + 'static,
    ) -> Self {
        let policy: BuildPolicy = Box::leak(Box::new(make));
        let managed = move |args: &Args, link: &LinkContext| -> Result<Box<dyn QueueDiscipline>, BuildError> {
            Ok(Box::new(Managed::new(policy(args, link)?, limit_of(args.get(OUTER).as_ref(), link))))
        };
        Build::Policy { managed: Box::leak(Box::new(managed)), policy }
    }
}

/// The value of the parameter `limit`.
fn limit_of(value: Option<&Value>, link: &LinkContext) -> Limit {
    match value {
        Some(Value::Size(size)) => Limit::from_size(*size, link),
        _ => Limit::NONE,
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

/// All that the registry knows of a queue discipline.
#[derive(Clone, Copy)]
pub struct QueueEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// A description in two or three sentences.
    pub doc: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings.
    pub presets: &'static [Preset],
    /// The preset of another queue that it takes the place of.
    pub alias: Option<Alias>,
    /// Whether packets of one flow may overtake each other.
    pub reorders: bool,
    /// Whether its `limit` only guards memory. Such a limit is no chosen size of a buffer, so a queue that replaces this one does not take
    /// it over.
    pub guards: bool,
    /// Draws its law, if it is a function that can be drawn.
    pub law: Option<DrawLaw>,
    /// Its way to decide, in one or two sentences, if there is no law to draw.
    pub decides: &'static str,
    /// Whether it writes the codepoint and the service of packets that leave.
    pub remarks: bool,
    /// Its counters with the names of `tc -s`. If it is empty, the probes are shown, and drops and marks by reason.
    pub shown: &'static [Counter],
    /// The meaning of the probes that only this queue has, or that have another meaning in other queues.
    pub probes: &'static [Probe],
    /// The function that makes one.
    pub build: Build,
}

impl QueueEntry {
    /// The entry of a policy with the parameters `P`, without texts, presets and law.
    pub const fn of_policy<P: PolicyParams + 'static>() -> Self {
        Self::of::<P>(Build::policy::<P>())
    }

    /// Like [`QueueEntry::of_policy`], for a discipline that `build` makes.
    pub const fn of_discipline<P: Params>(build: BuildQueue) -> Self {
        Self::of::<P>(Build::Discipline(build))
    }

    const fn of<P: Params>(build: Build) -> Self {
        let (name, title, doc, reference, decides) = ("", "", "", "", "");
        let (params, presets, alias, law) = (P::SPECS, &[], None, None);
        let (reorders, guards, remarks) = (false, false, false);
        let (shown, probes): (&[Counter], &[Probe]) = (&[], &[]);
        QueueEntry {
            name,
            title,
            doc,
            reference,
            params,
            presets,
            alias,
            reorders,
            guards,
            law,
            decides,
            remarks,
            shown,
            probes,
            build,
        }
    }

    /// Default values with a preset laid over them; `None` is no preset.
    pub fn args(&self, preset: Option<&str>) -> Result<Args, Complaint> {
        args_with(self.name, "preset", self.params, self.presets, preset)
    }

    /// A discipline of this kind on a link.
    pub fn build(&self, args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
        let link = link.seen_with(args);
        match self.build {
            Build::Policy { managed, .. } => managed(args, &link),
            Build::Discipline(build) => build(args, &link),
        }
    }

    /// Its law with these parameters on a link, if it is a function that can be drawn.
    pub fn graph(&self, args: &Args, link: &LinkContext) -> Option<Result<Graph, BuildError>> {
        self.law.map(|draw| draw(args, &link.seen_with(args)))
    }
}

impl Component for QueueEntry {
    fn name(&self) -> &'static str {
        self.name
    }

    fn params(&self) -> &'static [Param] {
        self.params
    }

    fn args(&self, preset: Option<&str>) -> Result<Args, Complaint> {
        QueueEntry::args(self, preset)
    }

    fn alias(&self) -> Option<Alias> {
        self.alias
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl PartialEq for QueueEntry {
    /// Names are unique in the registry.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for QueueEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "queue {}", self.name)
    }
}
