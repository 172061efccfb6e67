//! A window law whose hooks are methods of an object in Python. Its attributes `cwnd` and `ssthresh`, in segments, are the
//! window and the threshold; they are read after each hook.

use super::class::Class;
use super::hook::{count, fail, instance};
use super::objects::{Acked as PyAcked, Congestion as PyCongestion, Heard as PyHeard, Setup as PySetup};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use sojourn_sim::params::{Args, ParamType as _};
use sojourn_sim::transport::congestion::{
    Acked, Adjustment, Cause, Congestion, CongestionControl, Heard, Listener, Needs, Paced, Setup,
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
            let object = object.unbind();
            let (cwnd, ssthresh) = (1.0, f64::INFINITY);
            let class = Arc::clone(class);
            let law: Box<dyn CongestionControl> =
                Box::new(Own { class, object, cwnd, ssthresh, pace: None, now: None });
            law
        }
        Err(error) => fail(py, class, WHAT, "__init__", None, error),
    })
}

fn congestion(event: &Congestion) -> PyCongestion {
    PyCongestion { now_ns: event.now.as_nanos(), used: event.used }
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
        let told = PySetup {
            window: setup.window,
            ssthresh: setup.ssthresh,
            mss_bytes: setup.mss,
            packet_bytes: setup.packet,
            growth: setup.counting.growth.to_value().to_string(),
            cut: setup.counting.cut.to_value().to_string(),
        };
        self.call("on_connect", None, |_, object| object.call_method1("on_connect", (told,)).map(drop));
    }

    fn needs(&self) -> Needs {
        Needs { answers_echoes: !self.class.is("weighs_marks"), ..Needs::default() }
    }

    fn listener(&mut self) -> Option<&mut dyn Listener> {
        if self.class.has("on_heard") { Some(self) } else { None }
    }

    fn on_ack(&mut self, acked: &Acked) {
        let Acked { now, segments, inflight, rtt, ece, limited, .. } = *acked;
        // RFC 9438 section 5.8: a window that is not used does not grow. A law that lives on round trips may ask to hear.
        if limited && !self.class.is("hears_limited") {
            return;
        }
        let rtt_ns = rtt.map(Duration::as_nanos);
        let told = PyAcked { now_ns: now.as_nanos(), segments, inflight, rtt_ns, ece, limited };
        self.call("on_ack", Some(now), |py, object| object.call_method1(intern!(py, "on_ack"), (told,)).map(drop));
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
