//! `sojourn.Bottleneck`: a path for packets of somebody else's program, with any object as a payload.

use std::sync::Mutex;

use crate::errors::refused_scenario;
use crate::{guard, own};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sojourn::bottleneck::{Datagram, Ecn, Path, Time};
use sojourn::header::Dscp;

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
        now: f64,
        size: u32,
        payload: Py<PyAny>,
        flow: u32,
        ecn: u8,
        dscp: u8,
        hosts: Option<(u32, u32)>,
    ) -> PyResult<()> {
        guard::no_panic(|| {
            if size == 0 || size >= 1 << 31 {
                return Err(PyValueError::new_err(format!("size: {size} is not between 1 and 2^31 - 1 bytes")));
            }
            let dscp = Dscp::new(dscp).ok_or_else(|| PyValueError::new_err("dscp: not between 0 and 63"))?;
            let datagram = Datagram::new(size).flow(flow).ecn(field(ecn)?).dscp(dscp);
            let datagram = hosts.map_or(datagram, |(source, target)| datagram.hosts(source, target));
            self.at(now, |path, time| path.send(time, datagram, payload))
        })
    }

    fn receive(&self, now: f64) -> PyResult<Vec<ArrivedRow>> {
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

    fn backlog(&self, link: usize) -> PyResult<(u64, u64)> {
        if link >= self.links {
            return Err(PyValueError::new_err(format!(
                "link: there are {} links, numbered from 0: {link}",
                self.links
            )));
        }
        let backlog = self.path.lock().expect("nothing fails while it is held").backlog(link);
        Ok((backlog.packets, backlog.bytes))
    }
}

impl Bottleneck {
    fn at<T>(&self, now: f64, does: impl FnOnce(&mut Path<Py<PyAny>>, Time) -> T) -> PyResult<T> {
        if !(0.0..1e6).contains(&now) {
            return Err(PyValueError::new_err(format!("now: {now} is not between 0 and 10^6 seconds")));
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

/// To the nanosecond.
fn rounded(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9).round() as u64)
}

/// By the bits of the IP header (RFC 3168 section 5).
fn field(ecn: u8) -> PyResult<Ecn> {
    Ok(match ecn {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        3 => Ecn::Ce,
        _ => return Err(PyValueError::new_err(format!("ecn: {ecn} is not between 0 and 3"))),
    })
}

fn bits(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}
