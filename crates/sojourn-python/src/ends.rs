//! `_core.replay_sender` and `_core.replay_receiver`: from the packets that another implementation's sender or receiver heard to the
//! actions of ours.

use std::collections::HashMap;

use crate::errors::refused;
use crate::guard;
use numpy::{IntoPyArray as _, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sojourn_sim::header::{Answer, Header};
use sojourn_sim::packet::{Body, Codepoint, Ecn, FlowId, Packet, SackBlocks};
use sojourn_sim::params::Args;
use sojourn_sim::quantity::Complaint;
use sojourn_sim::registry::{app, control_or_complain, transport_or_complain};
use sojourn_sim::replay::ends::{End, Sent};
use sojourn_sim::transport::entry::Control;
use sojourn_sim::transport::spec::TransportSpec;
use sojourn_sim::transport::{Endpoint, Known, WindowState};
use sojourn_sim::units::{Duration, Instant};

/// TCP with a window law, as users write them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Tcp {
    profile: Option<String>,
    settings: Vec<(String, String)>,
    control: String,
    preset: Option<String>,
    control_settings: Vec<(String, String)>,
}

/// The properties of a recorded sender's machine.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Machine {
    ends: Vec<u64>,
    shorts: Vec<(u64, u64)>,
    clock_ns: u64,
    edges: Vec<u64>,
    followed: Vec<bool>,
    writes_ns: u64,
    leaves_ns: Vec<u64>,
    first_ns: Vec<(u64, u64)>,
}

impl From<Machine> for Known {
    fn from(machine: Machine) -> Self {
        let Machine { ends, shorts, clock_ns, edges, followed, writes_ns, leaves_ns, first_ns } = machine;
        let (clock, writes) = (Duration::from_nanos(clock_ns), Instant::from_nanos(writes_ns));
        let leaves = leaves_ns.into_iter().map(Instant::from_nanos).collect();
        let first = first_ns.into_iter().map(|(byte, at)| (byte, Instant::from_nanos(at))).collect();
        Known { ends, shorts, clock, edges, followed, heard: 0, writes, leaves, first }
    }
}

/// Columns of numbers, by name, one row for each packet that was heard.
type Columns<'py> = HashMap<String, PyReadonlyArray1<'py, i64>>;

/// A sender hears acknowledgements. Each has `time_ns`, `ack`, `ece`, `syn`, `offered` (its window in the units of its scale; 0 if that is
/// not known), the blocks `from_0` to `to_2` (bytes from the
/// acknowledgement, as in `SackBlocks`; no block where both are 0), and names the segment that it echoes: the one that began with byte
/// `echo_seq` and was sent for the `echo_time`-th time, from 0, or, where ours has not sent it, the one sent at `echo_ns`. The first row's
/// time is that of the start. Gives `cwnd` and `ssthresh` after each row, in segments, and for each segment that was sent `time_ns`, `seq`,
/// `length`, `again`, `cwr`, `push`, `heard` (rows before it) and `window`.
///
/// `known` describes the recorded machine ([`Known`]): `ends`, `shorts`, `clock_ns`, `writes_ns`, `leaves_ns`, `first_ns` and, for each row
/// but the first, `edges` and `followed`.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn replay_sender<'py>(
    py: Python<'py>,
    tcp: Tcp,
    heard: Columns<'py>,
    end_ns: u64,
    known: Machine,
) -> PyResult<Bound<'py, PyDict>> {
    guard::no_panic(|| {
        let (sender, _) = tcp.ends()?;
        let mut end = End::new(sender);
        end.foretell(known.into());
        let rows = Rows::of(&heard)?;
        for row in 0..rows.count {
            let at = |name: &str| rows.at(name, row);
            let now = Instant::from_nanos(at("time_ns")? as u64);
            if row == 0 {
                end.start(now);
                continue;
            }
            end.wait_until(now);
            let echo = end.sent_at(at("echo_seq")? as u64, at("echo_time")? as usize);
            let mut sack = SackBlocks::default();
            for (from, to) in [("from_0", "to_0"), ("from_1", "to_1"), ("from_2", "to_2")] {
                let (from, to) = (at(from)? as u32, at(to)? as u32);
                if from != to {
                    sack.push(from, to);
                }
            }
            let body = Body::Ack {
                ack: at("ack")? as u64,
                echo: echo.unwrap_or(Instant::from_nanos(at("echo_ns")? as u64)),
                sack,
                codepoint: if at("ece")? == 1 { Codepoint::Ece } else { Codepoint::None },
                syn: at("syn")? == 1,
                offered: at("offered")? as u16,
                answer: Answer::default(),
            };
            end.hear(now, &Packet { body, ..Packet::datagram(FlowId(0), 0, 66) });
        }
        end.wait_until(Instant::from_nanos(end_ns));
        let table = PyDict::new(py);
        let windows = |of: &dyn Fn(&WindowState) -> f64| -> Vec<f64> {
            let number = |window: &Option<WindowState>| window.as_ref().map_or(f64::NAN, of);
            end.windows().iter().map(number).collect()
        };
        table.set_item("cwnd", windows(&|window| window.reduced / window.segment as f64).into_pyarray(py))?;
        table.set_item("ssthresh", windows(&|window| window.ssthresh / window.segment as f64).into_pyarray(py))?;
        let all = end.sent();
        let column = |of: &dyn Fn(&Sent) -> i64| all.iter().map(of).collect::<Vec<i64>>().into_pyarray(py);
        table.set_item("time_ns", column(&|sent| sent.time.as_nanos() as i64))?;
        table.set_item("heard", column(&|sent| sent.heard as i64))?;
        table.set_item("seq", column(&|sent| segment(sent).0))?;
        table.set_item("length", column(&|sent| segment(sent).1))?;
        table.set_item("again", column(&|sent| segment(sent).2))?;
        table.set_item("cwr", column(&|sent| segment(sent).3))?;
        table.set_item("push", column(&|sent| segment(sent).4))?;
        let window = |sent: &Sent| sent.window.map_or(f64::NAN, |window| window.reduced / window.segment as f64);
        table.set_item("window", all.iter().map(window).collect::<Vec<f64>>().into_pyarray(py))?;
        Ok(table)
    })
}

/// A receiver hears segments: `time_ns`, `seq`, `length`, `sent_ns`, `echoed_ns` (the time of the acknowledgement whose timestamp it
/// echoes), `syn`, `cwr`, `push`, `again`, `ecn` (the field of the IP header). Gives of each
/// acknowledgement `time_ns`, `ack`, `ece`, `blocks`, `echo_ns`, `offered` (its window in the units of its scale) and `heard`.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn replay_receiver<'py>(
    py: Python<'py>,
    tcp: Tcp,
    heard: Columns<'py>,
    end_ns: u64,
) -> PyResult<Bound<'py, PyDict>> {
    guard::no_panic(|| {
        let (_, receiver) = tcp.ends()?;
        let mut end = End::new(receiver);
        let rows = Rows::of(&heard)?;
        for row in 0..rows.count {
            let at = |name: &str| rows.at(name, row);
            let body = Body::Data {
                seq: at("seq")? as u64,
                len: at("length")? as u32,
                sent_at: Instant::from_nanos(at("sent_ns")? as u64),
                syn: at("syn")? == 1,
                cwr: at("cwr")? == 1,
                retransmit: at("again")? == 1,
                push: at("push")? == 1,
                header: Some(Header::Clock((at("echoed_ns")? / 1_000_000) as u32)),
            };
            let ecn = match at("ecn")? & 3 {
                0 => Ecn::NotEct,
                1 => Ecn::Ect1,
                2 => Ecn::Ect0,
                _ => Ecn::Ce,
            };
            let packet = Packet { body, ecn, ..Packet::datagram(FlowId(0), 0, at("length")? as u32 + 66) };
            end.hear(Instant::from_nanos(at("time_ns")? as u64), &packet);
        }
        end.wait_until(Instant::from_nanos(end_ns));
        let table = PyDict::new(py);
        let all = end.sent();
        let column = |of: &dyn Fn(&Sent) -> i64| all.iter().map(of).collect::<Vec<i64>>().into_pyarray(py);
        table.set_item("time_ns", column(&|sent| sent.time.as_nanos() as i64))?;
        table.set_item("heard", column(&|sent| sent.heard as i64))?;
        table.set_item("ack", column(&|sent| answer(sent).0))?;
        table.set_item("ece", column(&|sent| answer(sent).1))?;
        table.set_item("blocks", column(&|sent| answer(sent).2))?;
        table.set_item("echo_ns", column(&|sent| answer(sent).3))?;
        table.set_item("offered", column(&|sent| answer(sent).4))?;
        Ok(table)
    })
}

fn segment(sent: &Sent) -> (i64, i64, i64, i64, i64) {
    match sent.packet.body {
        Body::Data { seq, len, retransmit, cwr, push, .. } => {
            (seq as i64, len.into(), retransmit.into(), cwr.into(), push.into())
        }
        _ => (-1, 0, 0, 0, 0),
    }
}

fn answer(sent: &Sent) -> (i64, i64, i64, i64, i64) {
    match sent.packet.body {
        Body::Ack { ack, echo, sack, codepoint, offered, .. } => {
            (ack as i64, codepoint.ece().into(), sack.as_slice().len() as i64, echo.as_nanos() as i64, offered.into())
        }
        _ => (-1, 0, 0, 0, 0),
    }
}

/// Columns of one length.
struct Rows<'a, 'py> {
    columns: &'a Columns<'py>,
    count: usize,
}

impl<'a, 'py> Rows<'a, 'py> {
    fn of(columns: &'a Columns<'py>) -> PyResult<Self> {
        let count = columns.values().next().map_or(0, |column| column.as_array().len());
        if columns.values().any(|column| column.as_array().len() != count) {
            return Err(refused("the columns of a recording are of different lengths".to_owned()));
        }
        Ok(Rows { columns, count })
    }

    fn at(&self, name: &str, row: usize) -> PyResult<i64> {
        let column = self.columns.get(name).ok_or_else(|| refused(format!("the recording has no column {name:?}")))?;
        Ok(column.as_array()[row])
    }
}

impl Tcp {
    fn ends(&self) -> PyResult<(Box<dyn Endpoint>, Box<dyn Endpoint>)> {
        let said = |complaint: Complaint| refused(format!("{}\n  hint:    {}", complaint.what, complaint.hint));
        let entry = transport_or_complain("tcp").map_err(said)?;
        let mut args = entry.args(self.profile.as_deref()).map_err(said)?;
        for (name, text) in &self.settings {
            args.set_text(name, text).map_err(said)?;
        }
        let law = control_or_complain(&self.control).map_err(said)?;
        let mut control = Control { entry: law, args: law.args(self.preset.as_deref()).map_err(said)? };
        for (name, text) in &self.control_settings {
            control.args.set_text(name, text).map_err(said)?;
        }
        let spec = TransportSpec::new(entry, args, Some(control)).map_err(|error| said(error.complaint))?;
        let bulk = app("bulk").ok_or_else(|| refused("there is no bulk transfer".to_owned()))?;
        Ok(spec.endpoints((bulk.build)(&Args::defaults(bulk.params))))
    }
}
