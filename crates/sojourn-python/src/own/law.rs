//! A window law whose hooks are methods of an object in Python. Its attributes `cwnd` and `ssthresh`, in segments, are the window and the
//! threshold. If the class is an increase and a cut (`kept`), they are set before each hook; otherwise they are read after each.

use super::class::Class;
use super::hook::{count, fail, instance};
use super::objects::{
    Acked as PyAcked, Arrival as PyArrival, Congestion as PyCongestion, Heard as PyHeard, Setup as PySetup,
};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use sojourn_sim::params::{Args, ParamType as _};
use sojourn_sim::transport::congestion::classic::{Law, classic};
use sojourn_sim::transport::congestion::window::Window;
use sojourn_sim::transport::congestion::{
    Acked, Adjustment, Arrival, Cause, Congestion, CongestionControl, Heard, Listener, Needed, Needs, Paced, Phase,
    Setup,
};
use sojourn_sim::units::{Duration, Instant, Rate};
use std::sync::Arc;

const WHAT: &str = "window law";

/// An object of a class, its window and its threshold.
struct Own {
    class: Arc<Class>,
    object: Py<PyAny>,
    cwnd: f64,
    ssthresh: f64,
    pace: Option<Rate>,
    now: Option<Instant>,
}

/// A law of this class.
pub fn made(class: &Arc<Class>, args: &Args) -> Box<dyn CongestionControl> {
    Python::attach(|py| match instance(py, class, args, None) {
        Ok(object) => {
            let (class, object) = (Arc::clone(class), object.unbind());
            if !class.has("kept") {
                let law: Box<dyn CongestionControl> =
                    Box::new(Own { class, object, cwnd: 1.0, ssthresh: f64::INFINITY, pace: None, now: None });
                law
            } else if class.has("on_arrival") || class.has("on_phase") {
                classic(Increase::<true> { class, object, now: None })
            } else {
                classic(Increase::<false> { class, object, now: None })
            }
        }
        Err(error) => fail(py, class, WHAT, "__init__", None, error),
    })
}

fn acknowledged(acked: &Acked) -> PyAcked {
    let Acked { now, segments, inflight, rtt, ece, limited, .. } = *acked;
    PyAcked { now_ns: now.as_nanos(), segments, inflight, rtt_ns: rtt.map(Duration::as_nanos), ece, limited }
}

fn congestion(event: &Congestion) -> PyCongestion {
    let cause = match event.cause {
        Cause::Loss => "loss",
        Cause::Echo => "echo",
        Cause::Timeout => "timeout",
    };
    PyCongestion { now_ns: event.now.as_nanos(), used: event.used, cause }
}

fn begins(setup: &Setup) -> PySetup {
    PySetup {
        window: setup.window,
        ssthresh: setup.ssthresh,
        mss_bytes: setup.mss,
        packet_bytes: setup.packet,
        growth: setup.counting.growth.to_value().to_string(),
        cut: setup.counting.cut.to_value().to_string(),
    }
}

impl Own {
    /// Calls a hook and reads the attributes that it has set.
    fn call(
        &mut self,
        name: &'static str,
        now: Option<Instant>,
        call: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<()>,
    ) {
        count();
        self.now = now.or(self.now);
        Python::attach(|py| {
            let object = self.object.clone_ref(py).into_bound(py);
            if let Err(error) = call(py, &object).and_then(|()| self.read(py, &object)) {
                fail(py, &self.class, WHAT, name, self.now, error);
            }
        });
    }

    fn read(&mut self, py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.cwnd = object.getattr(intern!(py, "cwnd"))?.extract()?;
        self.ssthresh = object.getattr(intern!(py, "ssthresh"))?.extract()?;
        if !(self.cwnd > 0.0 && self.cwnd.is_finite()) {
            return Err(PyValueError::new_err(format!("cwnd is {}; allowed: a number of segments above 0", self.cwnd)));
        }
        if self.ssthresh.is_nan() || self.ssthresh < 0.0 {
            return Err(PyValueError::new_err(format!(
                "ssthresh is {}; allowed: a number of segments, or infinity where there is no threshold",
                self.ssthresh
            )));
        }
        if self.class.is("paces") {
            let pace: Option<f64> = object.getattr(intern!(py, "pacing_bps"))?.extract()?;
            if pace.is_some_and(|pace| !(1.0..=1e14).contains(&pace)) {
                return Err(PyValueError::new_err("pacing_bps is out of range; allowed: 1 to 1e14, or None"));
            }
            self.pace = pace.map(|pace| Rate::from_bps(pace as u64));
        }
        Ok(())
    }

    /// The sender moves the window or the threshold by a rule of its own.
    fn moved(&mut self, cwnd: f64, ssthresh: f64) {
        if (cwnd, ssthresh) != (self.cwnd, self.ssthresh) {
            self.call("cwnd", None, |py, object| {
                object.setattr(intern!(py, "cwnd"), cwnd)?;
                object.setattr(intern!(py, "ssthresh"), ssthresh)
            });
        }
    }
}

impl CongestionControl for Own {
    fn on_connect(&mut self, setup: &Setup) {
        let told = begins(setup);
        self.call("on_connect", None, |_, object| object.call_method1("on_connect", (told,)).map(drop));
    }

    fn needs(&self) -> Needs {
        Needs { answers_echoes: !self.class.is("weighs_marks"), ..Needs::default() }
    }

    fn listener(&mut self) -> Option<&mut dyn Listener> {
        if self.class.has("on_heard") { Some(self) } else { None }
    }

    fn on_ack(&mut self, acked: &Acked) {
        // RFC 9438 section 5.8: a window that is not used does not grow. A law that lives on round trips may ask to hear.
        if acked.limited && !self.class.is("hears_limited") {
            return;
        }
        let told = acknowledged(acked);
        self.call("on_ack", Some(acked.now), |py, object| {
            object.call_method1(intern!(py, "on_ack"), (told,)).map(drop)
        });
    }

    fn on_congestion_event(&mut self, event: &Congestion) {
        let told = congestion(event);
        let hook = if event.cause == Cause::Echo { "on_ecn" } else { "on_loss" };
        self.call(hook, Some(event.now), |_, object| object.call_method1(hook, (told,)).map(drop));
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        let told = event.map(congestion);
        let now = event.map(|event| event.now);
        self.call("on_timeout", now, |_, object| object.call_method1("on_timeout", (told,)).map(drop));
    }

    fn adjust(&mut self, change: Adjustment) {
        let (cwnd, ssthresh) = (self.cwnd, self.ssthresh);
        match change {
            Adjustment::Limit(segments) => self.moved(cwnd.min(segments), ssthresh),
            Adjustment::Raise(segments) => self.moved(cwnd.max(segments), ssthresh),
            Adjustment::EndSlowStart => self.moved(cwnd, cwnd.max(2.0)),
            Adjustment::Restore { window, ssthresh: before } => self.moved(cwnd.max(window), ssthresh.max(before)),
            Adjustment::Remember => {}
        }
    }

    fn window(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn paced(&self) -> Option<&dyn Paced> {
        if self.class.is("paces") { Some(self) } else { None }
    }
}

impl Paced for Own {
    fn pacing_rate(&self) -> Option<Rate> {
        self.pace
    }
}

impl Listener for Own {
    fn on_heard(&mut self, heard: &Heard) {
        let Heard { now, segments, inflight, marks, round, .. } = *heard;
        let told = PyHeard { now_ns: now.as_nanos(), segments, inflight, marks, round };
        self.call("on_heard", Some(now), |py, object| object.call_method1(intern!(py, "on_heard"), (told,)).map(drop));
    }
}

/// A law whose increase and cut are methods of an object. With `FOLLOWS` it writes `on_arrival` or `on_phase`.
struct Increase<const FOLLOWS: bool> {
    class: Arc<Class>,
    object: Py<PyAny>,
    now: Option<Instant>,
}

impl<const FOLLOWS: bool> Increase<FOLLOWS> {
    /// Calls a hook that sees this window.
    fn call<T>(
        &mut self,
        name: &'static str,
        now: Option<Instant>,
        window: Option<&Window>,
        call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> T {
        count();
        self.now = now.or(self.now);
        Python::attach(|py| {
            let object = self.object.clone_ref(py).into_bound(py);
            let result = window.map_or(Ok(()), |window| {
                object.setattr(intern!(py, "cwnd"), window.cwnd)?;
                object.setattr(intern!(py, "ssthresh"), window.ssthresh)
            });
            match result.and_then(|()| call(&object)) {
                Ok(answer) => answer,
                Err(error) => fail(py, &self.class, WHAT, name, self.now, error),
            }
        })
    }
}

/// The number of segments that a hook answers, if it is at least `least`.
fn segments(answer: &Bound<'_, PyAny>, least: f64, allowed: &str) -> PyResult<f64> {
    let segments: f64 = answer.extract()?;
    if segments >= least && segments.is_finite() {
        Ok(segments)
    } else {
        Err(PyValueError::new_err(format!("the answer is {segments}; allowed: {allowed}")))
    }
}

impl<const FOLLOWS: bool> Law for Increase<FOLLOWS> {
    const FOLLOWS: bool = FOLLOWS;

    fn needed(&mut self, window: &Window, acked: &Acked) -> Needed {
        let told = acknowledged(acked);
        let needed = self.call("needed", Some(acked.now), Some(window), |object| {
            let answer = object.call_method1(intern!(object.py(), "needed"), (told,))?;
            segments(&answer, f64::MIN_POSITIVE, "a number of segments above 0")
        });
        // Where whole segments are counted, the answer is rounded down.
        Needed::for_segments(needed, 1.0)
    }

    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        let told = congestion(event);
        self.call("kept", Some(event.now), Some(window), |object| {
            segments(&object.call_method1("kept", (told,))?, 0.0, "a number of segments from 0 on")
        })
    }

    fn on_arrival(&mut self, window: &mut Window, arrival: &Arrival) {
        if self.class.has("on_arrival") {
            let Arrival { now, segments, rtt, out, .. } = *arrival;
            let told = PyArrival { now_ns: now.as_nanos(), segments, rtt_ns: rtt.map(Duration::as_nanos), out };
            self.call("on_arrival", Some(now), Some(window), |object| {
                object.call_method1(intern!(object.py(), "on_arrival"), (told,)).map(drop)
            });
        }
    }

    fn on_phase(&mut self, phase: Phase) {
        if self.class.has("on_phase") {
            let name = match phase {
                Phase::Open => "open",
                Phase::Disorder => "disorder",
                Phase::Reducing => "reducing",
                Phase::Recovery => "recovery",
                Phase::Loss => "loss",
            };
            self.call("on_phase", None, None, |object| object.call_method1("on_phase", (name,)).map(drop));
        }
    }

    fn reset(&mut self, setup: &Setup) {
        if self.class.has("reset") {
            let told = begins(setup);
            self.call("reset", None, None, |object| object.call_method1("reset", (told,)).map(drop));
        }
    }
}
