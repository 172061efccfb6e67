//! The common parts of all entries of the registry: named groups of settings, and the way in which values contradict each other.

use crate::params::{Args, Param, same};
use crate::quantity::Complaint;

/// A named group of settings, such as `paper` or `ns2`.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// Its settings. [`settings!`](crate::settings!) lays settings over those of another.
    pub settings: &'static [Setting],
}

/// The reason why a queue cannot be built, although each value is in its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The parameter to look at.
    pub param: &'static str,
    /// The path from there to the mistake, if `param` holds a policy or tables.
    pub below: Vec<Step>,
    /// The mistake, and the allowed values.
    pub complaint: Complaint,
}

/// A step from a parameter to one inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The parameter of this name, of a policy or of a table.
    Param(&'static str),
    /// The table at this place of a list.
    Entry(usize),
}

impl BuildError {
    /// An error about `param`. `what` is the mistake, and `hint` names the allowed values.
    pub fn new(param: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        BuildError { param, below: Vec::new(), complaint: Complaint { what: what.into(), hint: hint.into() } }
    }

    /// The same error, inside the policy that the parameter `param` holds.
    #[must_use]
    pub fn inside(self, param: &'static str) -> Self {
        let below = std::iter::once(Step::Param(self.param)).chain(self.below).collect();
        BuildError { param, below, complaint: self.complaint }
    }

    /// The same error, inside table `entry` of the list that the parameter `param` holds.
    #[must_use]
    pub fn inside_entry(self, param: &'static str, entry: usize) -> Self {
        let mut error = self.inside(param);
        error.below.insert(0, Step::Entry(entry));
        error
    }

    /// The path to the mistake: `policy.max_th`, `class[2].weight`.
    pub fn path(&self) -> String {
        let step = |step: &Step| match step {
            Step::Param(name) => format!(".{name}"),
            Step::Entry(entry) => format!("[{entry}]"),
        };
        self.below.iter().fold(self.param.to_owned(), |path, below| path + &step(below))
    }
}

/// The defaults of `params` with the group of settings called `chosen` laid over them. `None` lays nothing over them. `owner` has the
/// groups, and `key` is the word for a group in a scenario file: `preset` or `profile`.
pub fn args_with(
    owner: &str,
    key: &str,
    params: &'static [Param],
    groups: &[Preset],
    chosen: Option<&str>,
) -> Result<Args, Complaint> {
    let mut args = Args::defaults(params);
    let Some(name) = chosen else { return Ok(args) };
    let group = groups.iter().find(|group| group.name == name).ok_or_else(|| {
        let known: Vec<&str> = groups.iter().map(|group| group.name).collect();
        if let Some(instead) = taken_out(owner, name) {
            return Complaint { what: format!("the {key} {name:?} of {owner} was taken out"), hint: instead.into() };
        }
        let hint = if known.is_empty() { "it has none".into() } else { format!("{key}s: {}", known.join(", ")) };
        Complaint { what: format!("{owner} has no {key} {name:?}"), hint }
    })?;
    for (param, value) in group.settings {
        args.set_text(param, value)?;
    }
    Ok(args)
}

/// The advice for a group of settings that earlier versions had: ns-2's TCP-Linux, and the form of Vegas that ns-2 has.
pub fn taken_out(owner: &str, name: &str) -> Option<&'static str> {
    match (owner, name) {
        ("tcp", "ns2_linux") => Some(
            "write profile = \"linux\" and control = { kind = ..., preset = \"linux\" } for Linux 6.12, or profile = \"ns2\" for the \
             other senders of ns-2",
        ),
        ("tcp", "ns2_vegas") => Some("write profile = \"rfc\" or profile = \"linux\", with control = \"vegas\""),
        ("cubic" | "westwood" | "scalable" | "vegas", "ns2") => {
            Some("leave preset out for the published law, or write preset = \"linux\" for that of Linux 6.12")
        }
        _ => None,
    }
}

/// The advice for a parameter that earlier versions had.
pub fn parameter_taken_out(owner: &str, param: &str) -> Option<&'static str> {
    match (owner, param) {
        ("tcp", "loss_detection") => {
            Some("write recovery = \"rack\" for \"rack\", and recovery = \"sack\" for \"duplicates\"")
        }
        ("tcp", "ecn_agreed") => Some("leave it out, or write ecn = false for a connection without ECN"),
        ("tcp", "xecn_window") => Some("leave it out: XECN's count begins again with each round trip"),
        _ => None,
    }
}

/// A parameter and its value, as a user would write it.
pub type Setting = (&'static str, &'static str);

/// The settings of a [`Preset`]: those of another one, and the different or additional ones.
///
/// ```
/// use sojourn_queues::{component::Setting, settings};
/// const NS2: &[Setting] = settings! { count = "wait", idle_decay = "ns2" };
/// const STRICT: &[Setting] = settings! { ..NS2, above = "strict", count = "on" };
/// assert_eq!(STRICT, [("count", "on"), ("idle_decay", "ns2"), ("above", "strict")]);
/// ```
#[macro_export]
macro_rules! settings {
    ($($name:ident = $value:literal),* $(,)?) => { &[$((stringify!($name), $value)),*] };
    (..$base:expr $(,)?) => { $base };
    (..$base:expr, $($name:ident = $value:literal),+ $(,)?) => {{
        const BASE: &[$crate::component::Setting] = $base;
        const OWN: &[$crate::component::Setting] = &[$((stringify!($name), $value)),*];
        const ALL: [$crate::component::Setting; $crate::component::count_over(BASE, OWN)] =
            $crate::component::laid_over(BASE, OWN);
        &ALL
    }};
}

/// The place of the setting called `name`.
const fn place(settings: &[Setting], name: &str) -> Option<usize> {
    let mut at = 0;
    while at < settings.len() {
        if same(settings[at].0, name) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The number of settings in `base` and `own`. Each name counts once.
pub const fn count_over(base: &[Setting], own: &[Setting]) -> usize {
    let (mut count, mut at) = (base.len(), 0);
    while at < own.len() {
        count += if place(base, own[at].0).is_some() { 0 } else { 1 };
        at += 1;
    }
    count
}

/// The settings `base` with `own` laid over them. N is their [`count_over`].
pub const fn laid_over<const N: usize>(base: &[Setting], own: &[Setting]) -> [Setting; N] {
    let mut all = [("", ""); N];
    let (mut filled, mut at) = (base.len(), 0);
    while at < base.len() {
        all[at] = base[at];
        at += 1;
    }
    at = 0;
    while at < own.len() {
        if let Some(there) = place(base, own[at].0) {
            all[there] = own[at];
        } else {
            all[filled] = own[at];
            filled += 1;
        }
        at += 1;
    }
    all
}

/// The presets of an entry: for each its meaning, its name and its [`settings!`](crate::settings!).
///
/// ```
/// use sojourn_queues::{component::Preset, presets};
/// const PRESETS: &[Preset] = presets! {
///     /// As it was published.
///     paper = { max_p = "0.02" };
///     /// As in the second edition.
///     2005 = { max_p = "0.1" };
/// };
/// assert_eq!((PRESETS[1].name, PRESETS[1].doc), ("2005", "As in the second edition."));
/// ```
#[macro_export]
macro_rules! presets {
    ($($(#[doc = $doc:literal])+ $($name:ident)? $($year:literal)? = { $($setting:tt)* };)*) => {
        &[$($crate::component::Preset {
            name: concat!($(stringify!($name))? $($year)?),
            doc: concat!($($doc),+).trim_ascii(),
            settings: $crate::settings! { $($setting)* },
        },)*]
    };
}
