//! The whole suite for one entry, promise by promise. Tests hold every registered queue to it, and a queue of another crate can be held to
//! it.

use super::life::{self, Around};
use super::{Operation, check, check_params, random_operations, variants};
use crate::component::BuildError;
use crate::packet::Ecn;
use crate::params::{Args, Kind, Param, Value};
use crate::queue::entry::{Build, QueueEntry};
use crate::queue::{Limit, LinkContext, Policy};
use crate::units::Duration;

/// A rule that every queue keeps.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// A short name.
    pub name: &'static str,
    /// The text of the promise.
    pub doc: &'static str,
    /// Tests the entry. `Err` names the broken rule, and the operation.
    pub check: fn(&QueueEntry) -> Result<(), String>,
}

/// All promises, in the order in which a reader looks at them.
pub const PROMISES: &[Promise] = &[
    Promise {
        name: "parameters",
        doc: "defaults and presets are among the values, every value reads back, and each has a text and a source",
        check: check_params,
    },
    Promise {
        name: "packets",
        doc: "packets are conserved and keep their order, limits hold, only ECN-capable ones are marked, an idle queue empties, \
              deadlines lie ahead",
        check: keeps_packets,
    },
    Promise {
        name: "random load",
        doc: "the same under random load, and the same seed gives the same events",
        check: repeats,
    },
    Promise { name: "ranges", doc: "nothing breaks where a number is at the end of its range", check: bears_ends },
    Promise {
        name: "one life",
        doc: "each packet takes one way through the hooks, alone, in a flow queue and under source quench",
        check: leads_one_life,
    },
];

/// Sequences that show frequent mistakes: nothing at all, a burst, a standing overload, single packets.
pub fn fixed_sequences() -> Vec<Vec<Operation>> {
    let arrive = |flow: u32| Operation::Arrive { flow, size: 1000, ecn: Ecn::Ect0, hint: None };
    let burst: Vec<Operation> = (0..300).map(|n| arrive(n % 3)).collect();
    // 1000 arrivals at twice the rate of the link: 0.4 ms apart, a departure every 0.8 ms.
    let overload = (0..1000_u32).flat_map(|n| {
        let step = [arrive(n % 5), Operation::Pause(Duration::from_micros(400)), Operation::Depart];
        step.into_iter().take(if n % 2 == 0 { 2 } else { 3 })
    });
    let alone = [arrive(0), Operation::Pause(Duration::from_millis(200)), Operation::Depart].repeat(10);
    vec![Vec::new(), burst, overload.collect(), alone]
}

/// The broken rule, with the parameters that were tried.
fn with(args: &Args, broken: &str) -> String {
    let set = args.specs().iter().zip(args.values()).filter(|(spec, value)| spec.default_value() != **value);
    let set: Vec<String> = set.map(|(spec, value)| format!("{} = {value}", spec.name)).collect();
    if set.is_empty() { broken.to_owned() } else { format!("with {}: {broken}", set.join(", ")) }
}

/// Few queues, if it has several, so that eight flows meet in them and it is quick to make.
fn with_few_queues(mut args: Args) -> Args {
    for name in ["flows", "queues"] {
        let _ = args.set_text(name, "4");
    }
    args
}

fn keeps_packets(entry: &QueueEntry) -> Result<(), String> {
    let link = LinkContext::default();
    let defaults = entry.args(None).map_err(|complaint| complaint.what)?;
    for args in std::iter::once(defaults).chain(variants(entry, &link)?.into_iter().map(with_few_queues)) {
        for operations in fixed_sequences() {
            check(entry, &args, &link, 1, &operations).map_err(|broken| with(&args, &broken))?;
        }
    }
    Ok(())
}

fn repeats(entry: &QueueEntry) -> Result<(), String> {
    let link = LinkContext::default();
    for (args, seed) in variants(entry, &link)?.into_iter().map(with_few_queues).zip(1..) {
        for load in [0.5, 1.0, 3.0] {
            let operations = random_operations(seed, 1000, load);
            let first = check(entry, &args, &link, seed, &operations).map_err(|broken| with(&args, &broken))?;
            if check(entry, &args, &link, seed, &operations).as_ref() != Ok(&first) {
                return Err(with(&args, "the same seed gave other events"));
            }
        }
    }
    Ok(())
}

/// The least and the greatest value of a parameter that is a number.
fn ends(spec: &Param) -> Vec<Value> {
    let unit = match spec.kind {
        Kind::Integer | Kind::Number | Kind::Fraction => "",
        Kind::Size => "p",
        Kind::Time => "s",
        _ => return Vec::new(),
    };
    [spec.min, spec.max].iter().filter_map(|end| spec.read_text(&format!("{end}{unit}")).ok()).collect()
}

fn bears_ends(entry: &QueueEntry) -> Result<(), String> {
    let link = LinkContext::default();
    let operations = random_operations(1, 100, 2.0);
    let base = entry.args(None).map_err(|complaint| complaint.what)?;
    for (index, spec) in entry.params.iter().enumerate() {
        for value in ends(spec) {
            let mut args = base.clone();
            args.set(index, value);
            // A combination may be refused, but not break.
            if entry.build(&args, &link).is_ok() {
                check(entry, &args, &link, 1, &operations).map_err(|broken| with(&args, &broken))?;
            }
        }
    }
    // Other programs choose the numbers of their flows.
    let operations: Vec<Operation> = operations.into_iter().map(from_the_greatest_flow).collect();
    for args in variants(entry, &link)?.into_iter().map(with_few_queues) {
        check(entry, &args, &link, 1, &operations).map_err(|broken| with(&args, &broken))?;
    }
    Ok(())
}

fn from_the_greatest_flow(operation: Operation) -> Operation {
    match operation {
        Operation::Arrive { flow, size, ecn, hint } => Operation::Arrive { flow: u32::MAX - flow, size, ecn, hint },
        other => other,
    }
}

fn leads_one_life(entry: &QueueEntry) -> Result<(), String> {
    let Build::Policy { policy, .. } = entry.build else { return Ok(()) };
    let link = LinkContext::default();
    let presets = std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name)));
    for (preset, seed) in presets.zip(1..) {
        let whole = entry.args(preset).map_err(|complaint| complaint.what)?;
        let mut args = whole.clone();
        let _ = args.set_text("min_th", "3p").and_then(|()| args.set_text("max_th", "9p"));
        let args = if policy(&args, &link).is_ok() { args } else { whole };
        let refused = |error: BuildError| with(&args, &format!("{}: {}", error.param, error.complaint.what));
        policy(&args, &link).map_err(refused)?;
        let made =
            || -> Box<dyn Policy> { policy(&args, &link).unwrap_or_else(|_| unreachable!("it was made before")) };
        for around in Around::all() {
            let operations = random_operations(seed, 250, 2.0);
            life::check(around, &made, Limit::packets(20), seed, &operations)
                .map_err(|broken| with(&args, &format!("in {around:?}: {broken}")))?;
        }
    }
    Ok(())
}
