//! The arguments and results of hooks.

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sojourn_sim::packet::{Body, Ecn};
use sojourn_sim::params::{ParamType as _, Value};
use sojourn_sim::queue::{By, Dropped as CoreDropped, Lent, Reason, Stage, Verdict as CoreVerdict};
use sojourn_sim::rng::Rng;
use sojourn_sim::units::Instant;
use std::sync::{Mutex, PoisonError};

/// Reasons of users' own, each once for as long as the process lives.
static REASONS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
const REASONS_MAX: usize = 1000;

fn reason(name: &str) -> PyResult<Reason> {
    let known = [Reason::OVERFLOW, Reason::EARLY, Reason::FORCED, Reason::SOJOURN, Reason::UNFAIR];
    if let Some(reason) = known.iter().find(|reason| reason.0 == name) {
        return Ok(*reason);
    }
    let mut own = REASONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(before) = own.iter().find(|reason| **reason == name) {
        return Ok(Reason(before));
    }
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !is_name || own.len() == REASONS_MAX {
        return Err(PyValueError::new_err(format!(
            "{name:?} cannot be a reason; allowed: small letters, digits and _, and at most {REASONS_MAX} reasons in all"
        )));
    }
    let leaked: &'static str = Box::leak(name.to_owned().into_boxed_str());
    own.push(leaked);
    Ok(Reason(leaked))
}

/// The decision of a hook about a packet: `DROP`, `MARK`, or `DROP("reason")`.
#[pyclass(frozen, module = "sojourn.own")]
pub struct Verdict(pub CoreVerdict);

#[pymethods]
impl Verdict {
    /// The same for another reason, a short name that tables show.
    fn __call__(&self, why: &str) -> PyResult<Verdict> {
        let why = reason(why)?;
        Ok(Verdict(match self.0 {
            CoreVerdict::Pass => CoreVerdict::Pass,
            CoreVerdict::Mark(_) => CoreVerdict::Mark(why),
            CoreVerdict::Drop(_) => CoreVerdict::Drop(why),
        }))
    }

    fn __repr__(&self) -> String {
        match self.0 {
            CoreVerdict::Pass => "PASS".into(),
            CoreVerdict::Mark(why) => format!("MARK({:?})", why.0),
            CoreVerdict::Drop(why) => format!("DROP({:?})", why.0),
        }
    }
}

/// The answer of a hook: nothing is `PASS`.
pub fn verdict(hook: &str, answer: &Bound<'_, PyAny>) -> PyResult<CoreVerdict> {
    if answer.is_none() {
        return Ok(CoreVerdict::Pass);
    }
    match answer.cast::<Verdict>() {
        Ok(verdict) => Ok(verdict.get().0),
        Err(_) => Err(PyValueError::new_err(format!(
            "{hook} answered {}; allowed: PASS (or nothing), DROP, MARK, or either with a reason, such as DROP(\"early\")",
            answer.repr()?
        ))),
    }
}

/// A packet as a queue sees it.
#[pyclass(frozen, module = "sojourn.own")]
pub struct Packet(pub sojourn_sim::packet::Packet);

#[pymethods]
impl Packet {
    /// Number of its flow, from 0 in the order of the scenario.
    #[getter]
    fn flow(&self) -> u32 {
        self.0.flow.0
    }

    /// Bytes on the wire, headers included.
    #[getter]
    fn size_bytes(&self) -> u32 {
        self.0.size
    }

    /// Whether it may be marked: its sender understands marks.
    #[getter]
    fn is_capable(&self) -> bool {
        self.0.ecn.is_capable()
    }

    /// The ECN field: `"not_ect"`, `"ect0"`, `"ect1"` or `"ce"`.
    #[getter]
    fn ecn(&self) -> &'static str {
        match self.0.ecn {
            Ecn::NotEct => "not_ect",
            Ecn::Ect0 => "ect0",
            Ecn::Ect1 => "ect1",
            Ecn::Ce => "ce",
        }
    }

    /// When it joined this queue.
    #[getter]
    fn enqueued_ns(&self) -> u64 {
        self.0.enqueued_at.as_nanos()
    }

    /// Delay that its application asks for, if it does.
    #[getter]
    fn delay_hint_ns(&self) -> Option<u64> {
        self.0.delay_hint.map(|hint| hint.as_duration().as_nanos())
    }

    /// `"in"` or `"out"` of its flow's profile, if it is declared.
    #[getter]
    fn service(&self) -> Option<String> {
        self.0.service.map(|service| match service.to_value() {
            Value::Choice(name) => name.to_owned(),
            other => other.to_string(),
        })
    }

    /// First byte of its payload, or its number in the flow.
    #[getter]
    fn seq(&self) -> u64 {
        match self.0.body {
            Body::Data { seq, .. }
            | Body::Choke { seq, .. }
            | Body::Datagram { seq, .. }
            | Body::TfrcData { seq, .. }
            | Body::Parity { seq, .. } => seq,
            Body::Ack { ack, .. } => ack,
            // Of a real packet the byte that its segment of TCP expects.
            Body::Seen(seen) => seen.acknowledgement().map_or(0, |segment| u64::from(segment.next)),
            Body::TfrcFeedback { .. } | Body::Report { .. } => 0,
        }
    }

    fn __repr__(&self) -> String {
        format!("<Packet of flow {}, {} bytes, {}>", self.flow(), self.size_bytes(), self.ecn())
    }
}

/// The view of a queue for a hook that is running.
#[pyclass(module = "sojourn.own")]
#[derive(Default)]
pub struct Queue {
    sight: Option<(Lent, Instant)>,
}

impl Queue {
    /// A hook begins.
    pub fn open(&mut self, lent: Lent, now: Instant) {
        self.sight = Some((lent, now));
    }

    /// It has ended.
    pub fn close(&mut self) -> Option<Lent> {
        self.sight.take().map(|(lent, _)| lent)
    }

    fn sight(&mut self) -> PyResult<(&mut Lent, Instant)> {
        match &mut self.sight {
            Some((lent, now)) => Ok((lent, *now)),
            None => Err(PyRuntimeError::new_err("a queue can be looked at only in the hook that it was handed to")),
        }
    }
}

#[pymethods]
impl Queue {
    /// Packets that wait, without the one in transmission.
    #[getter]
    fn packets(&mut self) -> PyResult<u64> {
        Ok(self.sight()?.0.view().packets())
    }

    /// Their bytes.
    #[getter]
    fn bytes(&mut self) -> PyResult<u64> {
        Ok(self.sight()?.0.view().bytes())
    }

    /// Bytes waiting here and in the queues of all other flows, where each flow has its own.
    #[getter]
    fn shared_bytes(&mut self) -> PyResult<u64> {
        Ok(self.sight()?.0.view().shared_backlog().bytes)
    }

    /// Whether the transmitter is busy.
    #[getter]
    fn is_transmitting(&mut self) -> PyResult<bool> {
        Ok(self.sight()?.0.view().is_transmitting())
    }

    /// The number that was left with the packet that the hook is about; 0 unless one was.
    #[getter]
    fn tag(&mut self) -> PyResult<u32> {
        Ok(self.sight()?.0.view().tag())
    }

    /// Leaves a number with the packet that has arrived; kept if `on_arrival` calls it.
    fn leave(&mut self, tag: u32) -> PyResult<()> {
        self.sight()?.0.leave(tag);
        Ok(())
    }

    /// Whether a packet finds room.
    fn has_room_for(&mut self, packet: &Packet) -> PyResult<bool> {
        Ok(self.sight()?.0.view().has_room_for(&packet.0))
    }

    /// A packet that waits, 0 being the head; a negative number counts from the tail. None if there is none.
    fn get(&mut self, index: isize) -> PyResult<Option<Packet>> {
        let place = self.place(index)?;
        let sight = self.sight()?;
        let view = sight.0.view();
        Ok(place.and_then(|place| view.get(place).copied().map(Packet)))
    }

    /// Drops the packet at a place, as `get` counts them, and gives it. There must be one.
    #[pyo3(signature = (index, why = "early"))]
    fn drop_at(&mut self, index: isize, why: &str) -> PyResult<Packet> {
        let (place, why) = (self.place(index)?, reason(why)?);
        let packets = self.packets()?;
        let (lent, now) = self.sight()?;
        place
            .and_then(|place| lent.view().drop_at(now, place, why))
            .map(Packet)
            .ok_or_else(|| PyIndexError::new_err(format!("drop_at({index}): no packet is there, {packets} wait")))
    }

    /// Has the sender of a packet told that the way is congested; the class says `sends_chokes = True`.
    #[pyo3(signature = (packet, why = "early"))]
    fn choke(&mut self, packet: &Packet, why: &str) -> PyResult<()> {
        let why = reason(why)?;
        let (lent, now) = self.sight()?;
        lent.view().choke(now, &packet.0, why);
        Ok(())
    }

    fn __repr__(&mut self) -> String {
        match self.packets() {
            Ok(packets) => format!("<Queue of {packets} packets>"),
            Err(_) => "<Queue>".to_owned(),
        }
    }
}

impl Queue {
    fn place(&mut self, index: isize) -> PyResult<Option<usize>> {
        let packets = self.packets()? as isize;
        Ok(usize::try_from(if index < 0 { packets + index } else { index }).ok())
    }
}

/// The queue's own stream of random numbers: the same for the same seed.
#[pyclass(module = "sojourn.own")]
pub struct Random(pub Rng);

impl Default for Random {
    fn default() -> Self {
        Random(Rng::named(0, "outside"))
    }
}

#[pymethods]
impl Random {
    /// Uniform in [0, 1).
    fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }

    /// A whole number from 0 to n - 1.
    fn below(&mut self, n: u64) -> PyResult<u64> {
        if n == 0 { Err(PyValueError::new_err("there is no whole number below 0")) } else { Ok(self.0.below(n)) }
    }

    /// Exponential with this mean, which is not below 0.
    fn exponential(&mut self, mean: f64) -> PyResult<f64> {
        if !(mean >= 0.0 && mean.is_finite()) {
            return Err(PyValueError::new_err(format!("exponential({mean}): the mean must be a number from 0 on")));
        }
        Ok(self.0.exponential(mean))
    }

    /// Pareto with this shape and this least value, both above 0.
    fn pareto(&mut self, shape: f64, scale: f64) -> PyResult<f64> {
        if !(shape > 0.0 && shape.is_finite() && scale > 0.0 && scale.is_finite()) {
            let what = format!("pareto({shape}, {scale}): shape and least value must be numbers above 0");
            return Err(PyValueError::new_err(what));
        }
        Ok(self.0.pareto(shape, scale))
    }
}

/// How a packet was dropped.
#[pyclass(frozen, module = "sojourn.own")]
pub struct Dropped(pub CoreDropped);

#[pymethods]
impl Dropped {
    /// Where in its life: `"arrival"`, `"queue"` or `"departure"`.
    #[getter]
    fn stage(&self) -> &'static str {
        match self.0.stage {
            Stage::Arrival => "arrival",
            Stage::Queue => "queue",
            Stage::Departure => "departure",
        }
    }

    /// By whom: `"policy"`, `"buffer"` or `"around"`.
    #[getter]
    fn by(&self) -> &'static str {
        match self.0.by {
            By::Policy => "policy",
            By::Buffer => "buffer",
            By::Around => "around",
        }
    }

    /// Whether it was lost for lack of room.
    #[getter]
    fn is_overflow(&self) -> bool {
        self.0.is_overflow()
    }

    fn __repr__(&self) -> String {
        format!("<Dropped at {} by {}>", self.stage(), self.by())
    }
}

/// A connection begins: the data that a window law starts from.
#[pyclass(frozen, get_all, module = "sojourn.own")]
pub struct Setup {
    /// Window in segments.
    pub window: f64,
    /// Slow start threshold in segments; infinite if there is none.
    pub ssthresh: f64,
    /// Payload bytes of a full segment.
    pub mss_bytes: u32,
    /// The same with its headers.
    pub packet_bytes: u32,
    /// The weight of an acknowledgement, as the transport's parameter says.
    pub growth: String,
    /// The basis of a cut, as the transport's parameter says.
    pub cut: String,
}

/// New data has been acknowledged.
#[pyclass(frozen, get_all, module = "sojourn.own")]
pub struct Acked {
    /// The time.
    pub now_ns: u64,
    /// Segments acknowledged for the first time.
    pub segments: f64,
    /// Segments in flight before.
    pub inflight: f64,
    /// The round-trip time that it measured, if it did.
    pub rtt_ns: Option<u64>,
    /// Whether it echoes congestion.
    pub ece: bool,
    /// The application, and not the window, limits the data in flight.
    pub limited: bool,
}

/// An acknowledgement has arrived, however recovery treats it.
#[pyclass(frozen, get_all, module = "sojourn.own")]
pub struct Heard {
    /// The time.
    pub now_ns: u64,
    /// Segments acknowledged for the first time; 0 for a duplicate.
    pub segments: f64,
    /// Segments in flight before.
    pub inflight: f64,
    /// The marks that it reports for the first time.
    pub marks: u64,
    /// Whether a round trip begins with it.
    pub round: bool,
}

/// The window must be cut.
#[pyclass(frozen, get_all, module = "sojourn.own")]
pub struct Congestion {
    /// The time.
    pub now_ns: u64,
    /// The segments in use.
    pub used: f64,
    /// The cause: `"loss"`, `"echo"` of marks, or `"timeout"`.
    pub cause: &'static str,
}

/// An acknowledgement before the sender looks for losses.
#[pyclass(frozen, get_all, module = "sojourn.own")]
pub struct Arrival {
    /// The time.
    pub now_ns: u64,
    /// Segments acknowledged in order for the first time.
    pub segments: f64,
    /// The round-trip time of the newest segment that it reports, if it was sent once.
    pub rtt_ns: Option<u64>,
    /// All segments that are still not acknowledged in order.
    pub out: f64,
}

/// Adds the classes and the verdicts to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Verdict>()?;
    module.add_class::<Packet>()?;
    module.add_class::<Queue>()?;
    module.add_class::<Random>()?;
    module.add_class::<Dropped>()?;
    module.add_class::<Setup>()?;
    module.add_class::<Acked>()?;
    module.add_class::<Arrival>()?;
    module.add_class::<Heard>()?;
    module.add_class::<Congestion>()?;
    module.add("PASS", Verdict(CoreVerdict::Pass))?;
    module.add("DROP", Verdict(CoreVerdict::Drop(Reason::EARLY)))?;
    module.add("MARK", Verdict(CoreVerdict::Mark(Reason::EARLY)))?;
    Ok(())
}
