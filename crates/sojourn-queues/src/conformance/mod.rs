//! The rules that every discipline keeps, whatever it decides. [`check`] drives one like a link and compares it with an account of its own.
//! The tests below visit every entry of the registry, every preset and every choice, so that a new discipline is covered without a new
//! test.
//!
//! The rules: packets in = out + dropped + waiting, in packets and bytes; the order within a flow is kept, unless the entry says that it
//! reorders; a dropped packet never comes out; only ECN-capable packets are marked, and no packet changes otherwise; the limit holds;
//! events carry the time at which they happen; an idle queue empties; deadlines are in the future and each is used up; only a queue that
//! says so sends choke packets; the same seed gives the same events.
//!
//! Code that leads packets past a policy keeps further rules: [`life`] checks that each packet takes one path through the hooks. [`suite`]
//! has all rules for one entry, also for one of another crate.

mod driver;
pub mod life;
mod operations;
pub mod suite;
#[cfg(test)]
mod tests;
pub mod thresholds;

pub use operations::{Operation, Trace, random_operations};

use self::driver::{May, drive};
use crate::component::BuildError;
use crate::params::{Args, Chosen, Kind, OUTER, Param, Value};
use crate::queue::LinkContext;
use crate::queue::entry::QueueEntry;
use crate::queue::inner::InnerPolicy;
use crate::registry::POLICIES;
use crate::rng::Rng;

/// Drives a new discipline through `operations` and then empties it. `Err` names the rule that it broke, and the operation.
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
            Value::Policy(chosen) => InnerPolicy::of(chosen).is_some_and(|policy| policy.entry().remarks),
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

/// The queues that may be inside another discipline: each policy with its defaults, its presets, and each truth value and choice.
fn policies() -> Result<Vec<Value>, String> {
    let mut all = Vec::new();
    for entry in POLICIES {
        let base = entry.args(None).map_err(|complaint| complaint.what)?;
        for (index, spec) in entry.params.iter().enumerate().filter(|(_, spec)| spec.name != OUTER) {
            for value in choices(spec).into_iter().filter(|value| *value != base.values()[index]) {
                let mut changed = base.clone();
                changed.set(index, value);
                all.push(Value::Policy(Chosen::new(*entry, changed)));
            }
        }
        for preset in entry.presets {
            let args = entry.args(Some(preset.name)).map_err(|complaint| complaint.what)?;
            all.push(Value::Policy(Chosen::new(*entry, args)));
        }
        all.push(Value::Policy(Chosen::new(*entry, base)));
    }
    Ok(all)
}
