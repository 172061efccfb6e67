//! What every discipline keeps, whatever it decides. [`check`] drives one the way a link does and compares
//! it with an account of its own; the tests below visit every entry of the registry, every preset and every choice, so
//! that a new discipline is covered without writing anything.
//!
//! Kept: packets in = out + dropped + waiting, in packets and bytes; order within a flow, unless the entry says
//! that it reorders; what was dropped never comes out; only ECN-capable packets are marked, and no packet changes
//! otherwise; the limit holds; events carry the time at which they happen; an idle queue empties; deadlines lie
//! ahead and each is used up; only who says so sends choke packets; the same seed gives the same events.
//!
//! What leads packets past a policy keeps more: [`life`] watches that each packet takes one path through the hooks. [`suite`] is all of
//! it for one entry, also for one that is made elsewhere.

mod driver;
pub mod life;
pub mod suite;
#[cfg(test)]
mod tests;

use self::driver::{May, drive};

use crate::component::BuildError;
use crate::packet::Ecn;
use crate::params::{Args, Kind, Param, Value};
use crate::queue::entry::QueueEntry;
use crate::queue::inner::{InnerPolicy, OUTER};
use crate::queue::{Event, LinkContext};
use crate::registry::POLICIES;
use crate::rng::Rng;
use crate::units::Duration;

/// One step of a sequence that drives a discipline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A packet arrives.
    Arrive {
        /// Its flow.
        flow: u32,
        /// Its bytes; at least 1.
        size: u32,
        /// Its ECN field.
        ecn: Ecn,
        /// Delay that it asks for.
        hint: Option<Duration>,
    },
    /// The packet in transmission, if any, has been sent.
    Depart,
    /// Time passes; deadlines in it are served.
    Pause(Duration),
}

/// What a discipline did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Numbers of the packets that came out, in order.
    pub departures: Vec<u64>,
    /// Drops and marks, in order.
    pub events: Vec<Event>,
}

/// Drives a new discipline through `operations` and then empties it. `Err` names what it broke, and at which operation.
pub fn check(
    entry: &QueueEntry,
    args: &Args,
    link: &LinkContext,
    seed: u64,
    operations: &[Operation],
) -> Result<Trace, String> {
    let build = |error: BuildError| format!("{}: {}", error.param, error.complaint.what);
    let queue = entry.build(args, link).map_err(build)?;
    let may = May { reorder: entry.reorders, remark: remarks(entry, args.values()) };
    drive(queue, may, Rng::named(seed, entry.name), operations)
}

/// Whether the entry or a policy in it writes the codepoint of packets.
fn remarks(entry: &QueueEntry, values: &[Value]) -> bool {
    entry.remarks
        || values.iter().any(|value| match value {
            Value::Policy(policy) => policy.entry().remarks,
            Value::Tables(tables) => tables.iter().any(|table| remarks(entry, table.values())),
            _ => false,
        })
}

/// Checks that defaults and presets of an entry are valid and that each value's text reads back.
pub fn check_params(entry: &QueueEntry) -> Result<(), String> {
    for spec in entry.params {
        let default = spec.read_text(spec.default).map_err(|complaint| format!("{}: {}", spec.name, complaint.what))?;
        reads_back(spec, &default)?;
        if spec.doc.trim().is_empty() || spec.source.trim().is_empty() {
            return Err(format!("{}: documentation or source is missing", spec.name));
        }
    }
    for preset in entry.presets {
        let args = entry.args(Some(preset.name)).map_err(|complaint| format!("{}: {}", preset.name, complaint.what))?;
        args.specs().iter().zip(args.values()).try_for_each(|(spec, value)| reads_back(spec, value))?;
    }
    Ok(())
}

fn reads_back(spec: &Param, value: &Value) -> Result<(), String> {
    let text = value.to_string();
    match spec.read_text(&text) {
        Ok(again) if again == *value => Ok(()),
        other => Err(format!("{}: {value:?} is written {text:?} and read as {other:?}", spec.name)),
    }
}

/// The entry's parameters worth driving: defaults, every preset, and on each of them every truth value and choice
/// once, and a short buffer. Combinations that the entry refuses are left out, presets never.
pub fn variants(entry: &QueueEntry, link: &LinkContext) -> Result<Vec<Args>, String> {
    let mut all = Vec::new();
    for preset in std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name))) {
        let base = entry.args(preset).map_err(|complaint| complaint.what)?;
        let refused = |error: BuildError| format!("preset {preset:?}: {}: {}", error.param, error.complaint.what);
        entry.build(&base, link).map_err(refused)?;
        for (index, spec) in entry.params.iter().enumerate() {
            let inner = if matches!(spec.kind, Kind::Policy(_)) && preset.is_none() { policies()? } else { Vec::new() };
            for value in choices(spec).into_iter().chain(inner).filter(|value| *value != base.values()[index]) {
                let mut changed = base.clone();
                changed.set(index, value);
                if entry.build(&changed, link).is_ok() {
                    all.push(changed);
                }
            }
        }
        all.push(base);
    }
    Ok(all)
}

/// Every value of a parameter that has few, and a short buffer.
fn choices(spec: &Param) -> Vec<Value> {
    match spec.kind {
        Kind::Bool => vec![Value::Bool(true), Value::Bool(false)],
        Kind::Choice(names) => names.iter().copied().map(Value::Choice).collect(),
        Kind::Size if spec.name == "limit" => spec.read_text("3p").into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What may stand inside another discipline: each policy with its defaults, its presets, and each truth value and choice.
fn policies() -> Result<Vec<Value>, String> {
    let mut all = Vec::new();
    for entry in POLICIES {
        let base = entry.args(None).map_err(|complaint| complaint.what)?;
        for (index, spec) in entry.params.iter().enumerate().filter(|(_, spec)| spec.name != OUTER) {
            for value in choices(spec).into_iter().filter(|value| *value != base.values()[index]) {
                let mut changed = base.clone();
                changed.set(index, value);
                all.push(Value::Policy(InnerPolicy::new(entry, changed)));
            }
        }
        for preset in entry.presets {
            let args = entry.args(Some(preset.name)).map_err(|complaint| complaint.what)?;
            all.push(Value::Policy(InnerPolicy::new(entry, args)));
        }
        all.push(Value::Policy(InnerPolicy::new(entry, base)));
    }
    Ok(all)
}

/// `length` operations that load the link `load` times over on the long run, with bursts, idle times, eight flows and three
/// sizes; a pure function of its arguments.
pub fn random_operations(seed: u64, length: usize, load: f64) -> Vec<Operation> {
    let mut rng = Rng::named(seed, "conformance");
    let depart = 1.0 / (1.0 + load);
    let mut operation = || match rng.uniform() {
        u if u < 0.02 => Operation::Pause(Duration::from_secs_f64(rng.exponential(0.05))),
        u if u < 0.2 => Operation::Pause(Duration::from_secs_f64(rng.exponential(0.002))),
        _ if rng.uniform() < depart => Operation::Depart,
        _ => Operation::Arrive {
            flow: rng.below(8) as u32,
            size: [40, 1000, 1500][rng.below(3) as usize],
            ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][rng.below(4) as usize],
            hint: [None, Some(Duration::from_millis(20)), Some(Duration::from_millis(200))][rng.below(3) as usize],
        },
    };
    (0..length).map(|_| operation()).collect()
}
