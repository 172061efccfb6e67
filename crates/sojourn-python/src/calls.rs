//! `_core.replay_calls`: the calls of another implementation's queue in, the fates of the packets out.

use crate::errors::refused;
use crate::guard;
use crate::replay::Site;
use numpy::{IntoPyArray as _, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyDict};
use sojourn_sim::calls::{Ask, Call, Calls, End, flows_in_queues, hosts_with_hashes, numbers_with_hashes};
use sojourn_sim::header::{Answer, Dscp};
use sojourn_sim::packet::{Body, Codepoint, Ecn, FlowId, Packet, SackBlocks};
use sojourn_sim::queue::LinkContext;
use sojourn_sim::rng::Rng;
use sojourn_sim::units::{Bytes, Instant};

/// Columns of a recording, one number for each call. All but the first three are for packets that come; for other calls they have no
/// meaning.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Recording<'py> {
    /// 0 a packet arrives, 1 the link asks, 2 the timer runs.
    kind: PyReadonlyArray1<'py, i64>,
    time_ns: PyReadonlyArray1<'py, i64>,
    draws: PyReadonlyArray1<'py, i64>,
    flow: PyReadonlyArray1<'py, i64>,
    size: PyReadonlyArray1<'py, i64>,
    ecn: PyReadonlyArray1<'py, i64>,
    dscp: PyReadonlyArray1<'py, i64>,
    /// 0 a datagram, 1 a segment of TCP with data or a SYN, 2 an acknowledgement, 3 one with a SYN or any other packet to a sender; 4 more
    /// where it has ECE, 8 more where it has CWR.
    body: PyReadonlyArray1<'py, i64>,
    /// For an acknowledgement: the byte that is expected, the time that it echoes in nanoseconds, and the ends of three SACK blocks above.
    ack: PyReadonlyArray1<'py, i64>,
    echo_ns: PyReadonlyArray1<'py, i64>,
    sack: PyReadonlyArray2<'py, i64>,
}

/// The numbers of flows and hosts.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Numbering {
    /// The place of each flow among the queues, or its hash of 32 bits.
    places: Option<Vec<usize>>,
    queues: usize,
    /// For each flow the hashes of its hosts.
    hosts: Option<Vec<(u32, u32)>>,
}

/// Makes the calls of `recording` at the queue of `site`, with the random numbers of the stream called `stream`. Flows and hosts are
/// numbered by `numbering`. Gives for each packet the number of the call in which it left, and its ECN field then (-1 if it did not leave),
/// and the call in which it was dropped (-1 if it was not); and for the queue its probes, and the counters of `tc -s`, at the end.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn replay_calls<'py>(
    py: Python<'py>,
    site: Site,
    recording: Recording<'py>,
    stream: &str,
    numbering: Numbering,
) -> PyResult<Bound<'py, PyDict>> {
    guard::no_panic(|| {
        // Linux's queues see packets with the header of Ethernet.
        let mut link = LinkContext { header: Bytes(14), ..site.link().map_err(refused)? };
        let stream = Rng::named(1, stream);
        let flows = numbering.places.map(|places| match numbering.queues {
            0 => {
                let hashes: Vec<u32> = places.iter().map(|place| *place as u32).collect();
                numbers_with_hashes(&hashes, &stream).into_iter().map(FlowId).collect()
            }
            queues => flows_in_queues(&places, queues, &stream),
        });
        if let Some(hashes) = numbering.hosts {
            let numbers = flows.clone().unwrap_or_else(|| (0..hashes.len() as u32).map(FlowId).collect());
            link.hosts = hosts_with_hashes(&numbers, &hashes, &stream);
        }
        let discipline = site.discipline(&link).map_err(refused)?;
        let calls = recording.calls(flows.as_deref())?;
        let shown = site.entry().map_err(refused)?.0.shown;
        let (ends, counters, probes) = py.detach(|| {
            let mut replay = Calls::new(discipline, stream);
            for call in calls {
                replay.make(call);
            }
            let (counters, probes) = (replay.counters(shown), replay.probes());
            (replay.ends(), counters, probes)
        });
        let column = |value: &dyn Fn(&End) -> i64| ends.iter().map(value).collect::<Vec<i64>>().into_pyarray(py);
        let table = PyDict::new(py);
        table.set_item("left", column(&|end| if let End::Left(call, _) = end { *call as i64 } else { -1 }))?;
        table.set_item("field", column(&|end| if let End::Left(_, ecn) = end { field(*ecn) } else { -1 }))?;
        table.set_item("gone", column(&|end| if let End::Gone(call) = end { *call as i64 } else { -1 }))?;
        table.set_item("counters", counters.into_py_dict(py)?)?;
        table.set_item("probes", probes.into_py_dict(py)?)?;
        Ok(table)
    })
}

impl Recording<'_> {
    fn calls(&self, flows: Option<&[FlowId]>) -> PyResult<Vec<Call>> {
        let [kind, time, draws] = [&self.kind, &self.time_ns, &self.draws].map(|column| column.as_array());
        let lengths = [&self.flow, &self.size, &self.ecn, &self.dscp, &self.body, &self.ack, &self.echo_ns];
        let lengths = lengths.map(|column| column.as_array().len());
        let blocks = self.sack.as_array().dim();
        if lengths.iter().chain(&[time.len(), draws.len()]).any(|length| *length != kind.len())
            || blocks != (kind.len(), 6)
        {
            return Err(refused("the columns of a recording are of different lengths".to_owned()));
        }
        let call = |at: usize| {
            let ask = match kind[at] {
                0 => Ask::Arrival(self.packet(at, flows)?),
                1 => Ask::Departure,
                _ => Ask::Deadline,
            };
            let time = Instant::from_nanos(u64::try_from(time[at]).ok()?);
            Some(Call { time, ask, draws: u32::try_from(draws[at]).ok()? })
        };
        let calls: Option<Vec<Call>> = (0..kind.len()).map(call).collect();
        calls.ok_or_else(|| refused("a number in the recording is out of range".to_owned()))
    }

    /// The packet that arrives in a call.
    fn packet(&self, at: usize, flows: Option<&[FlowId]>) -> Option<Packet> {
        let [flow, size, ecn, dscp, body] =
            [&self.flow, &self.size, &self.ecn, &self.dscp, &self.body].map(|column| column.as_array()[at]);
        let flow = match flows {
            Some(flows) => *flows.get(flow as usize)?,
            None => FlowId(u32::try_from(flow).ok()?),
        };
        let size = u32::try_from(size).ok()?;
        let plain = Packet::datagram(flow, 0, size).with_ecn(codepoint(ecn));
        let body = match body {
            0 => plain.body,
            1 => segment(size),
            _ => self.acknowledgement(at)?,
        };
        Some(Packet { dscp: Dscp::new(u8::try_from(dscp).ok()?)?, body, ..plain })
    }

    fn acknowledgement(&self, at: usize) -> Option<Body> {
        let [ack, echo, body] = [&self.ack, &self.echo_ns, &self.body].map(|column| column.as_array()[at]);
        let mut sack = SackBlocks::default();
        for block in self.sack.as_array().row(at).exact_chunks(2) {
            if block[1] > 0 {
                sack.push(u32::try_from(block[0]).ok()?, u32::try_from(block[1]).ok()?);
            }
        }
        let syn = body & 0b11 == 0b11;
        let codepoint = match body & 0b1100 {
            0 => Codepoint::None,
            4 => Codepoint::Ece,
            _ => Codepoint::Count,
        };
        let echo = Instant::from_nanos(u64::try_from(echo).ok()?);
        let (ack, answer) = (u64::try_from(ack).ok()?, Answer::default());
        Some(Body::Ack { ack, echo, sack, codepoint, syn, offered: 0, answer })
    }
}

/// Bytes of the headers of a segment with timestamps: of Ethernet, IP and TCP.
const HEADERS: u32 = 66;

/// A segment whose bytes do not count.
fn segment(size: u32) -> Body {
    let len = size.saturating_sub(HEADERS + 8).min(1) * size.saturating_sub(HEADERS);
    let (seq, sent_at) = (0, Instant::ZERO);
    Body::Data { seq, len, sent_at, syn: len == 0, cwr: false, retransmit: false, push: false, header: None }
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
