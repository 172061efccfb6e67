//! `sojourn.Bottleneck`: a path for packets of somebody else's program, with any object as a payload.

use std::sync::Mutex;

use crate::errors::refused_scenario;
use crate::{guard, own};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use sojourn_bottleneck::{Datagram, Ecn, Path, Time};
use sojourn_sim::header::Dscp;

/// When, payload, size, flow, ECN field, how long it waited.
type ArrivedRow = (f64, Py<PyAny>, u32, u32, u8, f64);
/// When, payload, size, flow, ECN field, why, at which link.
type LostRow = (f64, Py<PyAny>, u32, u32, u8, &'static str, usize);

/// Links in a row.
#[pyclass(frozen, module = "sojourn._core")]
pub struct Bottleneck {
    path: Mutex<Path<Py<PyAny>>>,
    links: usize,
}

#[pymethods]
impl Bottleneck {
    /// From `[[link]]` tables.
    #[new]
    fn new(links: &str, count: usize, seed: u64) -> PyResult<Self> {
        guard::no_panic(|| {
            let path =
                Path::from_toml_knowing(links, seed, &own::registry()).map_err(|error| refused_scenario(&error))?;
            Ok(Bottleneck { path: Mutex::new(path), links: count })
        })
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a packet, as Python names them")]
    fn send(
        &self,
        now: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        payload: Py<PyAny>,
        flow: &Bound<'_, PyAny>,
        ecn: &Bound<'_, PyAny>,
        dscp: &Bound<'_, PyAny>,
        hosts: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    ) -> PyResult<()> {
        guard::no_panic(|| {
            let of_32_bits = "between 0 and 2^32 - 1";
            let size = whole(size, |size| (1..1 << 31).contains(&size), "size", "between 1 and 2^31 - 1 bytes")?;
            let flow = whole(flow, |_| true, "flow", of_32_bits)?;
            let ecn = field(whole(ecn, |ecn| ecn <= 3, "ecn", "between 0 and 3")?);
            let dscp = whole(dscp, |dscp| dscp <= 63, "dscp", "between 0 and 63")?;
            let dscp = Dscp::new(dscp as u8).unwrap_or(Dscp::DF);
            let mut datagram = Datagram::new(size).flow(flow).ecn(ecn).dscp(dscp);
            if let Some((source, target)) = hosts {
                let host = |given: &Bound<'_, PyAny>| whole(given, |_| true, "hosts", of_32_bits);
                datagram = datagram.hosts(host(&source)?, host(&target)?);
            }
            self.at(now, |path, time| path.send(time, datagram, payload))
        })
    }

    fn receive(&self, now: &Bound<'_, PyAny>) -> PyResult<Vec<ArrivedRow>> {
        guard::no_panic(|| {
            self.at(now, |path, time| {
                std::iter::from_fn(|| path.receive(time))
                    .map(|packet| {
                        let Datagram { len, flow, ecn, .. } = packet.datagram;
                        let (at, waited) = (packet.at.as_secs_f64(), packet.waited.as_secs_f64());
                        (at, packet.payload, len, flow, bits(ecn), waited)
                    })
                    .collect()
            })
        })
    }

    fn lost(&self) -> PyResult<Vec<LostRow>> {
        guard::no_panic(|| {
            let mut path = self.path.lock().expect("nothing fails while it is held");
            Ok(path
                .lost()
                .map(|lost| {
                    let Datagram { len, flow, ecn, .. } = lost.datagram;
                    (lost.at.as_secs_f64(), lost.payload, len, flow, bits(ecn), lost.reason, lost.link)
                })
                .collect())
        })
    }

    fn next_time(&self) -> Option<f64> {
        // Within 10^6 s a number of seconds has the nanosecond: a caller that waits until then finds the event.
        Some(self.path.lock().expect("nothing fails while it is held").next_time()?.as_secs_f64())
    }

    fn backlog(&self, link: &Bound<'_, PyAny>) -> PyResult<(u64, u64)> {
        let range = format!("the number of one of the {} links, from 0 on", self.links);
        let link = whole(link, |link| (link as usize) < self.links, "link", &range)? as usize;
        let backlog = self.path.lock().expect("nothing fails while it is held").backlog(link);
        Ok((backlog.packets, backlog.bytes))
    }
}

impl Bottleneck {
    fn at<T>(&self, now: &Bound<'_, PyAny>, does: impl FnOnce(&mut Path<Py<PyAny>>, Time) -> T) -> PyResult<T> {
        let now = match now.extract::<f64>() {
            // A whole number that no such number is as large as.
            Err(error) if error.is_instance_of::<PyOverflowError>(now.py()) => f64::INFINITY,
            other => other?,
        };
        if !(0.0..1e6).contains(&now) {
            return Err(PyValueError::new_err(format!("now: {now:?} is not at least 0 and below 10^6 seconds")));
        }
        let mut path = self.path.lock().expect("nothing fails while it is held");
        let time = rounded(now);
        if time < path.now() {
            let message = format!("now: time goes back from {} to {now} seconds", path.now().as_secs_f64());
            return Err(PyValueError::new_err(message));
        }
        Ok(does(&mut path, time))
    }
}

/// A whole number in its range, which is named in words.
fn whole(given: &Bound<'_, PyAny>, is_allowed: impl Fn(u32) -> bool, name: &str, range: &str) -> PyResult<u32> {
    let refused = || {
        // Python writes no number of more than 4300 digits.
        let found = given.str().map_or_else(|_| "a number".to_owned(), |text| text.to_string());
        let found = if found.len() > 40 { format!("a number of {} digits", found.len()) } else { found };
        PyValueError::new_err(format!("{name}: {found} is not {range}"))
    };
    match given.extract::<u32>() {
        Ok(number) if is_allowed(number) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => Err(error),
        _ => Err(refused()),
    }
}

/// To the nanosecond.
fn rounded(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9).round() as u64)
}

/// By the bits of the IP header (RFC 3168 section 5).
fn field(ecn: u32) -> Ecn {
    match ecn {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

fn bits(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}
