//! `_core.replay_calls`: the calls of another implementation's queue in, the fates of the packets out.

use crate::guard;
use crate::replay::{Site, refused};
use numpy::{IntoPyArray as _, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyDict};
use sojourn::packet::{Ecn, FlowId};
use sojourn::replay::calls::{Ask, Call, Calls, End, flows_in_queues, flows_with_hashes};
use sojourn::rng::Rng;
use sojourn::units::Instant;

/// Columns of a recording, one number for each call.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Recording<'py> {
    /// 0 a packet comes, 1 the link asks, 2 the timer runs.
    kind: PyReadonlyArray1<'py, i64>,
    time_ns: PyReadonlyArray1<'py, i64>,
    draws: PyReadonlyArray1<'py, i64>,
    /// Of packets that come; of other calls nothing.
    flow: PyReadonlyArray1<'py, i64>,
    size: PyReadonlyArray1<'py, i64>,
    ecn: PyReadonlyArray1<'py, i64>,
}

/// Makes the calls of `recording` at the queue of `site`, with the random numbers of the stream called `stream`. Flow n is in place
/// `places[n]` of so many queues, where there are places; of 0 queues they are hashes of 32 bits. Gives of each packet the number of
/// the call in which it left, and its ECN field then (-1 if it did not leave), and the call in which it was dropped (-1 if it was not); and
/// of the queue what `tc -s` shows at the end.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn replay_calls<'py>(
    py: Python<'py>,
    site: Site,
    recording: Recording<'py>,
    stream: &str,
    places: Option<(Vec<usize>, usize)>,
) -> PyResult<Bound<'py, PyDict>> {
    guard::no_panic(|| {
        let link = site.link().map_err(refused)?;
        let stream = Rng::named(1, stream);
        let flows = places.map(|(places, queues)| match queues {
            0 => flows_with_hashes(&places.iter().map(|place| *place as u32).collect::<Vec<_>>(), &stream),
            _ => flows_in_queues(&places, queues, &stream),
        });
        let discipline = site.discipline(&link).map_err(refused)?;
        let calls = recording.calls(flows.as_deref())?;
        let shown = site.entry().map_err(refused)?.0.shown;
        let (ends, counters) = py.detach(|| {
            let mut replay = Calls::new(discipline, stream);
            for call in calls {
                replay.make(call);
            }
            let counters = replay.counters(shown);
            (replay.ends(), counters)
        });
        let column = |value: &dyn Fn(&End) -> i64| ends.iter().map(value).collect::<Vec<i64>>().into_pyarray(py);
        let table = PyDict::new(py);
        table.set_item("left", column(&|end| if let End::Left(call, _) = end { *call as i64 } else { -1 }))?;
        table.set_item("field", column(&|end| if let End::Left(_, ecn) = end { field(*ecn) } else { -1 }))?;
        table.set_item("gone", column(&|end| if let End::Gone(call) = end { *call as i64 } else { -1 }))?;
        table.set_item("counters", counters.into_py_dict(py)?)?;
        Ok(table)
    })
}

impl Recording<'_> {
    fn calls(&self, flows: Option<&[FlowId]>) -> PyResult<Vec<Call>> {
        let [kind, time, draws] = [&self.kind, &self.time_ns, &self.draws].map(|column| column.as_array());
        let [flow, size, ecn] = [&self.flow, &self.size, &self.ecn].map(|column| column.as_array());
        if [time.len(), draws.len(), flow.len(), size.len(), ecn.len()].iter().any(|length| *length != kind.len()) {
            return Err(refused("the columns of a recording are of different lengths".to_owned()));
        }
        let named = |number: i64| match flows {
            Some(flows) => flows.get(number as usize).copied(),
            None => u32::try_from(number).ok().map(FlowId),
        };
        let call = |at: usize| {
            let ask = match kind[at] {
                0 => Ask::Arrival {
                    flow: named(flow[at])?,
                    size: u32::try_from(size[at]).ok()?,
                    ecn: codepoint(ecn[at]),
                },
                1 => Ask::Departure,
                _ => Ask::Deadline,
            };
            let time = Instant::from_nanos(u64::try_from(time[at]).ok()?);
            Some(Call { time, ask, draws: u32::try_from(draws[at]).ok()? })
        };
        let calls: Option<Vec<Call>> = (0..kind.len()).map(call).collect();
        calls.ok_or_else(|| refused("a number in the recording is out of range".to_owned()))
    }
}

/// The two bits of the IP header (RFC 3168 section 5).
fn codepoint(field: i64) -> Ecn {
    match field & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

fn field(ecn: Ecn) -> i64 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}
