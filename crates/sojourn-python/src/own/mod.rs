//! Queues and window laws that users write in Python: the registered classes, and how a class becomes an entry of the registry.
//!
//! The core does not depend on Python: a class is a closure behind a [`QueueEntry`] or a [`ControlEntry`], and scenarios are read
//! with a [`Registry`] that has them, the core's entries and those of the archive. Data that a registration needs for as long as the
//! process lives are leaked, once for each class.

mod class;
mod hook;
mod law;
mod objects;
mod policy;

use crate::errors::refused;
use crate::guard;
use class::{Class, Declared, leaked, leaked_all, params};
use pyo3::prelude::*;
use sojourn_sim::conformance::suite::PROMISES;
use sojourn_sim::params::{Args, Value};
use sojourn_sim::queue::LinkContext;
use sojourn_sim::queue::entry::{Build, QueueEntry};
use sojourn_sim::registry::Registry;
use sojourn_sim::scenario::Plan;
use sojourn_sim::transport::entry::ControlEntry;
use std::sync::{Arc, Mutex, PoisonError};

/// The registered entries, in the order of registration.
static ENTRIES: Mutex<Entries> = Mutex::new(Entries { queues: Vec::new(), controls: Vec::new() });

#[derive(Clone)]
struct Entries {
    queues: Vec<&'static QueueEntry>,
    controls: Vec<&'static ControlEntry>,
}

fn entries() -> Entries {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The names that scenarios may use now.
pub fn registry() -> Registry {
    let Entries { queues, controls } = entries();
    // Each was checked when it was registered.
    sojourn_archive::registry().and(&queues, &controls).unwrap_or_else(|_| sojourn_archive::registry().clone())
}

/// Whether something of this plan is written in Python, so that it runs while it holds the interpreter.
pub fn needs_python(plan: &Plan) -> bool {
    let Entries { queues, controls } = entries();
    let is_own = |name: &str| queues.iter().any(|entry| entry.name == name);
    let law = |name: &str| controls.iter().any(|entry| entry.name == name);
    (!queues.is_empty()
        && plan.links.iter().any(|link| is_own(link.queue.entry.name) || names_own(&link.queue.args, &is_own)))
        || plan.groups.iter().filter_map(|group| group.transport.control()).any(|control| law(control.entry.name))
}

/// Whether one of these parameters holds a policy or a queue that `is_own`, however deep.
fn names_own(args: &Args, is_own: &dyn Fn(&str) -> bool) -> bool {
    args.values().iter().any(|value| match value {
        Value::Policy(chosen) => is_own(chosen.component.name()) || names_own(&chosen.args, is_own),
        Value::Tables(tables) => tables.iter().any(|table| names_own(table, is_own)),
        _ => false,
    })
}

/// Registers a class under its name; one of the same name gives way, as when a cell of a notebook is run again.
#[pyfunction]
pub fn register(kind: &str, class_: Py<PyAny>, declared: Declared) -> PyResult<()> {
    let in_bytes = declared.params.iter().map(|param| param.in_bytes).collect();
    let params = params(declared.params)?;
    let (name, title) = (leaked(declared.name), leaked(declared.title));
    let (doc, reference, probes) = (leaked(declared.doc), leaked(declared.reference), leaked_all(declared.probes));
    let class =
        Arc::new(Class { object: class_, name, probes, hooks: declared.hooks, flags: declared.flags, in_bytes });
    let mut all = entries();
    if kind == "queue" {
        let build = Build::made(move |args, link| policy::made(&class, args, link));
        let entry = QueueEntry {
            name,
            title,
            doc,
            reference,
            params,
            presets: &[],
            alias: None,
            reorders: false,
            guards: false,
            remarks: false,
            law: None,
            decides: "",
            shown: &[],
            probes: &[],
            build,
        };
        all.queues.retain(|known| known.name != name);
        all.queues.push(Box::leak(Box::new(entry)));
    } else {
        let build = Box::leak(Box::new(move |args: &Args| law::made(&class, args)));
        let entry = ControlEntry { name, title, doc, reference, params, presets: &[], law: None, build };
        all.controls.retain(|known| known.name != name);
        all.controls.push(Box::leak(Box::new(entry)));
    }
    sojourn_archive::registry()
        .and(&all.queues, &all.controls)
        .map_err(|complaint| refused(format!("{}\n  hint:    {}", complaint.what, complaint.hint)))?;
    *ENTRIES.lock().unwrap_or_else(PoisonError::into_inner) = all;
    Ok(())
}

/// Tests the queue called `name` against each rule of the conformance suite; gives the rule's name, its text, and the fault, if there is
/// one.
#[pyfunction]
pub fn promises(name: &str) -> PyResult<Vec<(&'static str, &'static str, Option<String>)>> {
    let entry = registry()
        .queue_or_complain(name)
        .map_err(|complaint| refused(format!("{}\n  hint:    {}", complaint.what, complaint.hint)))?;
    PROMISES
        .iter()
        .map(|promise| {
            let broken = guard::no_panic(|| Ok((promise.check)(entry).err()));
            match broken {
                Ok(broken) => Ok((promise.name, promise.doc, broken)),
                Err(error) => Python::attach(|py| {
                    if hook::is_ctrl_c(py, &error) {
                        Err(error)
                    } else {
                        Ok((promise.name, promise.doc, Some(error.value(py).to_string())))
                    }
                }),
            }
        })
        .collect()
}

/// Sends `packets` packets through the queue called `name`, ten at a time, and gives how many hooks of Python were called.
#[pyfunction]
pub fn exercise(name: &str, packets: u64) -> PyResult<u64> {
    use sojourn_sim::packet::{Ecn, FlowId, Packet};
    use sojourn_sim::queue::Context;
    use sojourn_sim::rng::Rng;
    use sojourn_sim::units::Instant;

    const BURST: u64 = 10;
    let entry = registry().queue_or_complain(name).map_err(|complaint| refused(complaint.what))?;
    guard::no_panic(|| {
        let args = entry.args(None).map_err(|complaint| refused(complaint.what))?;
        let mut queue = entry.build(&args, &LinkContext::default()).map_err(|error| refused(error.complaint.what))?;
        let mut cx = Context::new(Rng::named(1, "exercise"));
        let before = hook::calls();
        for seq in 0..packets {
            // A packet of 1000 bytes takes 0.8 ms on the default link.
            let now = Instant::from_nanos(seq * 800_000);
            while let Some(due) = queue.next_deadline().filter(|due| *due <= now) {
                queue.on_deadline(due, &mut cx);
            }
            queue.enqueue(now, Packet::datagram(FlowId((seq % 8) as u32), seq, 1000).with_ecn(Ecn::Ect0), &mut cx);
            if seq % BURST == BURST - 1 {
                for _ in 0..BURST {
                    queue.dequeue(now, &mut cx);
                }
            }
            cx.events.clear();
        }
        Ok(hook::calls() - before)
    })
}

/// Adds the types that users' classes need to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(register, module)?)?;
    module.add_function(wrap_pyfunction!(promises, module)?)?;
    module.add_function(wrap_pyfunction!(exercise, module)?)?;
    objects::add_to(module)
}
