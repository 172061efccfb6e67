//! A policy whose hooks are methods of an object in Python. A hook that the class does not write costs nothing.

use super::class::Class;
use super::hook::{count, explained, fail, instance, is_ctrl_c};
use super::objects::{Dropped as PyDropped, Packet as PyPacket, Queue, Random, verdict};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use sojourn_sim::component::BuildError;
use sojourn_sim::packet::Packet;
use sojourn_sim::params::Args;
use sojourn_sim::queue::{Backlog, Dropped, LinkContext, Policy, QueueView, Verdict};
use sojourn_sim::rng::Rng;
use sojourn_sim::units::Instant;
use std::sync::Arc;

const WHAT: &str = "queue";

/// The methods of one object that the class writes.
struct Hooks {
    arrival: Option<Py<PyAny>>,
    enqueued: Option<Py<PyAny>>,
    departure: Option<Py<PyAny>>,
    transmission: Option<Py<PyAny>>,
    drop: Option<Py<PyAny>>,
    idle: Option<Py<PyAny>>,
    deadline: Option<Py<PyAny>>,
}

/// An object of a class, and the objects that are passed to it.
struct Own {
    class: Arc<Class>,
    object: Py<PyAny>,
    hooks: Hooks,
    queue: Py<Queue>,
    random: Py<Random>,
    due: Option<Instant>,
}

/// A policy of this class on a link.
pub fn made(class: &Arc<Class>, args: &Args, link: &LinkContext) -> Result<Box<dyn Policy>, BuildError> {
    Python::attach(|py| {
        let wrong = |error: PyErr| {
            if is_ctrl_c(py, &error) {
                fail(py, class, WHAT, "__init__", None, error);
            }
            let told = explained(py, class, WHAT, "__init__", None, error);
            BuildError::new("kind", told.value(py).to_string(), "")
        };
        let object = instance(py, class, args, Some(link)).map_err(wrong)?;
        let own = Own::of(py, class, &object).map_err(wrong)?;
        Ok(Box::new(own) as Box<dyn Policy>)
    })
}

impl Own {
    fn of(py: Python<'_>, class: &Arc<Class>, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let hook = |name: &str| -> PyResult<Option<Py<PyAny>>> {
            class.has(name).then(|| object.getattr(name).map(Bound::unbind)).transpose()
        };
        let hooks = Hooks {
            arrival: hook("on_arrival")?,
            enqueued: hook("on_enqueued")?,
            departure: hook("on_departure")?,
            transmission: hook("on_transmission")?,
            drop: hook("on_drop")?,
            idle: hook("on_idle")?,
            deadline: hook("on_deadline")?,
        };
        let (queue, random) = (Py::new(py, Queue::default())?, Py::new(py, Random::default())?);
        let mut own =
            Own { class: Arc::clone(class), object: object.clone().unbind(), hooks, queue, random, due: None };
        own.due = own.read_due(py)?;
        Ok(own)
    }

    /// When the object wants `on_deadline` to be called next.
    fn read_due(&self, py: Python<'_>) -> PyResult<Option<Instant>> {
        if self.hooks.deadline.is_none() {
            return Ok(None);
        }
        let due = self.object.bind(py).getattr(intern!(py, "deadline_ns"))?;
        if due.is_none() {
            return Ok(None);
        }
        match due.extract::<u64>() {
            Ok(nanos) => Ok(Some(Instant::from_nanos(nanos))),
            Err(_) => Err(PyValueError::new_err(format!(
                "deadline_ns is {}; allowed: a whole number of nanoseconds, or None",
                due.repr()?
            ))),
        }
    }

    /// Reads the deadline after a hook at `now`, which it must lie behind; after `on_deadline` it must lie ahead.
    fn renewed(&self, py: Python<'_>, now: Instant, served: bool) -> PyResult<Option<Instant>> {
        let due = self.read_due(py)?;
        match due {
            Some(due) if served && due <= now => Err(PyValueError::new_err(format!(
                "deadline_ns is {} after on_deadline at {}: set it to a later time, or to None",
                due.as_nanos(),
                now.as_nanos()
            ))),
            Some(due) if due < now => Err(PyValueError::new_err(format!(
                "deadline_ns is {}, which has passed: it is {}",
                due.as_nanos(),
                now.as_nanos()
            ))),
            _ => Ok(due),
        }
    }

    /// Calls a hook that looks into the queue.
    fn look<T>(
        &mut self,
        name: &'static str,
        now: Instant,
        view: &mut QueueView<'_>,
        call: impl FnOnce(&Self, Python<'_>) -> PyResult<T>,
    ) -> T {
        count();
        Python::attach(|py| {
            self.queue.borrow_mut(py).open(view.lend(), now);
            let answer = call(self, py);
            if let Some(lent) = self.queue.borrow_mut(py).close() {
                view.take_back(lent);
            }
            match answer.and_then(|answer| Ok((answer, self.renewed(py, now, name == "on_deadline")?))) {
                Ok((answer, due)) => {
                    self.due = due;
                    answer
                }
                Err(error) => fail(py, &self.class, WHAT, name, Some(now), error),
            }
        })
    }

    /// Calls a hook that decides about a packet and may draw.
    fn decide(
        &mut self,
        name: &'static str,
        hook: fn(&Hooks) -> Option<&Py<PyAny>>,
        now: Instant,
        packet: &Packet,
        view: &mut QueueView<'_>,
        rng: &mut Rng,
    ) -> Verdict {
        if hook(&self.hooks).is_none() {
            return Verdict::Pass;
        }
        self.look(name, now, view, |own, py| {
            let Some(hook) = hook(&own.hooks) else { return Ok(Verdict::Pass) };
            std::mem::swap(&mut own.random.borrow_mut(py).0, rng);
            let answer = hook.bind(py).call1((now.as_nanos(), PyPacket(*packet), &own.queue, &own.random));
            std::mem::swap(&mut own.random.borrow_mut(py).0, rng);
            verdict(name, &answer?)
        })
    }

    /// Calls a hook that looks at no queue.
    fn tell(&mut self, name: &'static str, now: Instant, call: impl FnOnce(&Self, Python<'_>) -> PyResult<()>) {
        count();
        Python::attach(|py| match call(self, py).and_then(|()| self.renewed(py, now, false)) {
            Ok(due) => self.due = due,
            Err(error) => fail(py, &self.class, WHAT, name, Some(now), error),
        });
    }
}

impl Policy for Own {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.decide("on_arrival", |hooks| hooks.arrival.as_ref(), now, packet, queue, rng)
    }

    fn on_enqueued(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        if self.hooks.enqueued.is_none() {
            return;
        }
        self.look("on_enqueued", now, queue, |own, py| {
            let Some(hook) = &own.hooks.enqueued else { return Ok(()) };
            hook.bind(py).call1((now.as_nanos(), PyPacket(*packet), &own.queue)).map(drop)
        });
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.decide("on_departure", |hooks| hooks.departure.as_ref(), now, packet, queue, rng)
    }

    fn on_transmission(&mut self, now: Instant, packet: &mut Packet, waiting: Backlog) {
        if self.hooks.transmission.is_none() {
            return;
        }
        self.tell("on_transmission", now, |own, py| {
            let Some(hook) = &own.hooks.transmission else { return Ok(()) };
            hook.bind(py).call1((now.as_nanos(), PyPacket(*packet), waiting.packets, waiting.bytes)).map(drop)
        });
    }

    fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        if self.hooks.drop.is_none() {
            return;
        }
        self.look("on_drop", now, queue, |own, py| {
            let Some(hook) = &own.hooks.drop else { return Ok(()) };
            hook.bind(py).call1((now.as_nanos(), PyPacket(*packet), PyDropped(dropped), &own.queue)).map(drop)
        });
    }

    fn on_idle(&mut self, now: Instant) {
        if self.hooks.idle.is_none() {
            return;
        }
        self.tell("on_idle", now, |own, py| {
            let Some(hook) = &own.hooks.idle else { return Ok(()) };
            hook.bind(py).call1((now.as_nanos(),)).map(drop)
        });
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        if self.hooks.deadline.is_none() {
            return;
        }
        self.look("on_deadline", now, queue, |own, py| {
            let Some(hook) = &own.hooks.deadline else { return Ok(()) };
            hook.bind(py).call1((now.as_nanos(), &own.queue)).map(drop)
        });
    }

    fn sends_chokes(&self) -> bool {
        self.class.is("sends_chokes")
    }

    fn probes(&self) -> &'static [&'static str] {
        self.class.probes
    }

    fn probe(&self, index: usize) -> f64 {
        let Some(name) = self.class.probes.get(index) else { return f64::NAN };
        Python::attach(|py| {
            let value = self.object.bind(py).getattr(*name).and_then(|value| value.extract::<Option<f64>>());
            match value {
                Ok(value) => value.unwrap_or(f64::NAN),
                Err(error) => fail(py, &self.class, WHAT, name, None, error),
            }
        })
    }
}
