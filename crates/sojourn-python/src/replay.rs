//! `sojourn.replay`: bytes in, columns out.

use crate::errors::{message, refused};
use crate::{guard, own};
use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sojourn_files::{Reading, Trace};
use sojourn_sim::component::BuildError;
use sojourn_sim::header::Dscp;
use sojourn_sim::packet::Ecn;
use sojourn_sim::params::{Args, Component};
use sojourn_sim::quantity::{self, Complaint};
use sojourn_sim::queue::entry::QueueEntry;
use sojourn_sim::queue::{FlowGroups, FlowHosts, LinkContext, QueueDiscipline, Reason};
use sojourn_sim::replay::{Decision, Fate, Outcome, Replay, Summary};
use sojourn_sim::rng::Rng;
use sojourn_sim::units::{Bytes, Duration, Instant, Rate};

/// Arrivals, transmissions and deadlines between two looks for Ctrl-C: the slowest queue takes about 20 microseconds for one.
const STEPS: u64 = 1 << 12;

/// A queue and the link behind it, as users write them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Site {
    queue: String,
    preset: Option<String>,
    settings: Vec<(String, String)>,
    /// None where the link has recorded departures, and laws are told the rate that they have.
    rate: Option<String>,
    base_rtt: String,
    mean_packet: String,
}

/// How a recording is read, and its link.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Recording {
    /// For a trace of ns-2 the link whose arrivals are taken, for a capture an interface or a direction.
    link: Option<String>,
    /// Packets larger than this are cut.
    mtu: Option<String>,
    /// Content and name of a file of departures that take the place of a rate.
    departures: Option<(Vec<u8>, String)>,
}

/// Replays the arrivals in `arrivals` (the bytes of a CSV, pcap or pcapng file or of a trace of ns-2, called `name`) at `site`.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn replay<'py>(
    py: Python<'py>,
    arrivals: &[u8],
    name: &str,
    site: Site,
    seed: u64,
    recording: Recording,
) -> PyResult<Bound<'py, PyDict>> {
    guard::no_panic(|| replay_at(py, (arrivals, name), &recording, &site, seed))
}

fn replay_at<'py>(
    py: Python<'py>,
    (arrivals, name): (&[u8], &str),
    recording: &Recording,
    site: &Site,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let moments = recording.moments()?;
    // The queue first: a wrong parameter should not wait for a long file.
    let guess = moments.as_ref().map(|_| Rate::from_bps(10_000_000));
    site.discipline(&site.link_at(guess).map_err(refused)?).map_err(refused)?;
    guard::numpy_is_there(py)?;
    let trace = trace(py, (arrivals, name), recording)?;
    py.check_signals()?;
    if trace.arrivals.is_empty() {
        return Err(refused(format!("{name}: there are no arrivals in it")));
    }
    let told = match &moments {
        Some(moments) if site.rate.is_none() => Some(mean_rate(&trace, moments).map_err(refused)?),
        _ => None,
    };
    let link = site.link_at(told).map_err(refused)?;
    let flows = trace.flows.len() as u64;
    let discipline = site.discipline(&LinkContext { flows, hosts: trace.hosts.clone(), ..link }).map_err(refused)?;
    let rng = Rng::named(seed, "queue");
    let replay = match moments {
        None => Replay::new(discipline, link.rate, rng),
        Some(moments) => Replay::with_departures(discipline, moments, rng),
    };
    let mut trace = trace;
    let acknowledgements = trace.acknowledgements.len();
    let replay = replay.with_acknowledgements(std::mem::take(&mut trace.acknowledgements));
    let outcome = run(py, replay, &trace)?;
    let all = columns(py, &trace, &outcome)?;
    all.set_item("acknowledgements", acknowledgements)?;
    all.set_item("told_rate_bps", told.map(Rate::as_bps))?;
    Ok(all)
}

/// The rate at which the departures carry packets of the arrivals' mean size. Laws get it if no rate is named.
fn mean_rate(trace: &Trace, moments: &[Instant]) -> Result<Rate, String> {
    let span = moments.last().zip(moments.first()).map_or(0.0, |(last, first)| (*last - *first).as_secs_f64());
    let bytes: u64 = trace.arrivals.iter().map(|arrival| u64::from(arrival.size)).sum();
    let mean = bytes as f64 / trace.arrivals.len() as f64;
    let bps = mean * 8.0 * (moments.len() - 1) as f64 / span;
    if bps.is_finite() && bps >= 1.0 {
        return Ok(Rate::from_bps(bps.round() as u64));
    }
    let what = "the departures do not tell a rate, and laws of queues need one".to_owned();
    let hint = "name the rate of the link beside them, such as 10Mbit".to_owned();
    Err(message("rate", None, &Complaint { what, hint }))
}

impl Recording {
    fn moments(&self) -> PyResult<Option<Vec<Instant>>> {
        let Some((content, name)) = &self.departures else { return Ok(None) };
        sojourn_files::read_departures(content).map(Some).map_err(|error| refused(format!("{name}: {error}")))
    }
}

fn trace(py: Python<'_>, (content, name): (&[u8], &str), recording: &Recording) -> PyResult<Trace> {
    let mtu = recording.mtu.as_deref().map(|text| read("mtu", text, quantity::bytes).map_err(refused)).transpose()?;
    let mtu = mtu.map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX));
    let reading = Reading { link: recording.link.as_deref(), mtu };
    py.detach(|| sojourn_files::read_as(content, reading)).map_err(|error| refused(format!("{name}: {error}")))
}

/// The arrivals in `content`, called `name`: times in seconds, sizes in bytes and flows by number, and the flows' names.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn arrivals<'py>(
    py: Python<'py>,
    content: &[u8],
    name: &str,
    recording: Recording,
) -> PyResult<Bound<'py, PyDict>> {
    guard::no_panic(|| {
        let trace = trace(py, (content, name), &recording)?;
        py.check_signals()?;
        let columns = PyDict::new(py);
        let times: Vec<f64> = trace.arrivals.iter().map(|arrival| arrival.time.as_secs_f64()).collect();
        columns.set_item("times_s", times)?;
        columns.set_item("sizes_bytes", trace.arrivals.iter().map(|arrival| arrival.size).collect::<Vec<_>>())?;
        columns.set_item("flow", trace.arrivals.iter().map(|arrival| arrival.flow.0).collect::<Vec<_>>())?;
        columns.set_item("names", &trace.flows)?;
        about(&columns, &trace)?;
        Ok(columns)
    })
}

/// The number of records that the reader left out, by the words for the reason, and the packets larger than a link carries.
fn about(all: &Bound<'_, PyDict>, trace: &Trace) -> PyResult<()> {
    let left_out: Vec<(String, u64)> =
        trace.left_out.iter().map(|(what, number)| (what.to_string(), *number)).collect();
    all.set_item("left_out", left_out)?;
    all.set_item("skipped", trace.skipped_frames())?;
    let sides: Vec<(&str, u64, bool)> =
        trace.sides.iter().map(|side| (side.name.as_str(), side.frames, side.is_taken)).collect();
    all.set_item("sides", sides)?;
    all.set_item("names_hosts", trace.hosts != FlowHosts::default())?;
    let oversize = trace.oversize;
    all.set_item("oversize", (oversize.mtu, oversize.packets, oversize.largest, oversize.pieces))?;
    all.set_item("short", trace.short)?;
    Ok(())
}

fn read<T>(key: &str, text: &str, parse: fn(&str) -> Result<T, Complaint>) -> Result<T, String> {
    parse(text).map_err(|complaint| message(key, Some(text), &complaint))
}

/// A mean packet that is not given: a preset's, or a link's default.
const AUTO: &str = "auto";

impl Site {
    /// The link as one flow sees it.
    pub fn link(&self) -> Result<LinkContext, String> {
        self.link_at(None)
    }

    /// The link as one flow sees it. Without a rate of its own it has `otherwise`.
    fn link_at(&self, otherwise: Option<Rate>) -> Result<LinkContext, String> {
        let rate = match (&self.rate, otherwise) {
            (Some(text), _) => read("rate", text, quantity::rate)?,
            (None, Some(rate)) => rate,
            (None, None) => return Err("rate: a link has a rate, such as 10Mbit".to_owned()),
        };
        let usual = LinkContext::default().mean_packet;
        let mean_packet = match self.mean_packet.as_str() {
            AUTO => usual,
            text => match read("mean_packet", text, quantity::bytes)? {
                0 => return Err("mean_packet: a packet has at least one byte".to_owned()),
                bytes => Bytes(bytes),
            },
        };
        Ok(LinkContext {
            rate,
            base_rtt: read("base_rtt", &self.base_rtt, quantity::time)?,
            mean_packet,
            flows: 1,
            groups: FlowGroups::default(),
            hosts: FlowHosts::default(),
            header: Bytes(0),
        })
    }

    /// The queue's entry and its parameters.
    pub fn entry(&self) -> Result<(&'static QueueEntry, Args), String> {
        let registry = own::registry();
        let entry = registry.queue_or_complain(&self.queue).map_err(|complaint| message("queue", None, &complaint))?;
        let other = self.preset.as_deref().map_or(entry, |preset| registry.meant(entry, preset));
        let (entry, alias) = (other, other.alias.filter(|_| other != entry));
        let preset = self.preset.as_deref().filter(|_| alias.is_none());
        let mut args = entry.args(preset).map_err(|complaint| message("preset", None, &complaint))?;
        if self.mean_packet != AUTO {
            args.take_the_links_mean_packet();
        }
        let policies: Vec<&'static dyn Component> =
            registry.policies().map(|policy| policy as &dyn Component).collect();
        for (key, text) in &self.settings {
            let path = format!("{}.{key}", self.queue);
            let names: Vec<&str> = entry.params.iter().map(|param| param.name).collect();
            if let Some(complaint) = alias.and_then(|alias| alias.complain_of(key, entry.name, &names)) {
                return Err(message(&path, Some(text), &complaint));
            }
            // A policy inside may be a class of the user's, which the entry does not list.
            args.set_text_with(key, text, Some(&policies))
                .map_err(|complaint| message(&path, Some(text), &complaint))?;
        }
        Ok((entry, args))
    }

    /// A message about a refusal of the queue.
    pub fn refusal(&self, error: &BuildError) -> String {
        message(&format!("{}.{}", self.queue, error.path()), None, &error.complaint)
    }

    /// The queue, which is empty.
    pub fn discipline(&self, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, String> {
        let (entry, args) = self.entry()?;
        entry.build(&args, link).map_err(|error| self.refusal(&error))
    }
}

fn run(py: Python<'_>, mut replay: Replay, trace: &Trace) -> PyResult<Outcome> {
    let mut arrivals = &trace.arrivals[..];
    while !arrivals.is_empty() {
        let come = py.detach(|| replay.push_within(arrivals, STEPS)).map_err(|error| refused(error.to_string()))?;
        arrivals = &arrivals[come..];
        py.check_signals()?;
    }
    while !py.detach(|| replay.drain(STEPS)) {
        py.check_signals()?;
    }
    Ok(py.detach(|| replay.finish()))
}

/// Texts that many rows share: each row has the number of its text, 0 being none.
#[derive(Default)]
struct Names(Vec<Reason>);

impl Names {
    fn code(&mut self, reason: Option<Reason>) -> u32 {
        let Some(reason) = reason else { return 0 };
        let known = self.0.iter().position(|name| *name == reason).unwrap_or_else(|| {
            self.0.push(reason);
            self.0.len() - 1
        });
        known as u32 + 1
    }
}

fn columns<'py>(py: Python<'py>, trace: &Trace, outcome: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let decisions = &outcome.decisions;
    let column = |value: &dyn Fn(&Decision) -> f64| -> Bound<'py, PyArray1<f64>> {
        decisions.iter().map(value).collect::<Vec<f64>>().into_pyarray(py)
    };
    let code = |value: &dyn Fn(&Decision) -> u32| -> Bound<'py, PyArray1<u32>> {
        decisions.iter().map(value).collect::<Vec<u32>>().into_pyarray(py)
    };
    let mut names = Names::default();
    let reasons: Vec<u32> = decisions.iter().map(|decision| names.code(reason(decision))).collect();
    let table = PyDict::new(py);
    table.set_item("record", trace.records.clone().into_pyarray(py))?;
    table.set_item("time_s", column(&|decision| decision.arrival.time.as_secs_f64()))?;
    table.set_item("flow", code(&|decision| decision.arrival.flow.0))?;
    table.set_item("size_bytes", code(&|decision| decision.arrival.size))?;
    table.set_item("ecn", code(&|decision| codepoint(decision.arrival.ecn)))?;
    table.set_item("dscp", code(&|decision| u32::from(decision.arrival.dscp.number())))?;
    table.set_item("decision", code(&|decision| kind(decision.fate)))?;
    table.set_item("reason", reasons.into_pyarray(py))?;
    table.set_item("decision_s", column(&decided))?;
    table
        .set_item("departure_s", column(&|decision| decision.sent.map_or(f64::NAN, |sent| sent.start.as_secs_f64())))?;
    table.set_item(
        "sent_s",
        column(&|decision| decision.sent.and_then(|sent| sent.end).map_or(f64::NAN, Instant::as_secs_f64)),
    )?;
    table.set_item("sojourn_ms", column(&|decision| decision.sojourn().map_or(f64::NAN, Duration::as_millis_f64)))?;
    let texts = PyDict::new(py);
    texts.set_item("flow", &trace.flows)?;
    let codepoints = (0..=Dscp::MAX).filter_map(Dscp::new).map(|dscp| dscp.to_string());
    texts.set_item("dscp", codepoints.collect::<Vec<_>>())?;
    texts.set_item("reason", names.0.iter().map(|reason| reason.0).collect::<Vec<_>>())?;
    let all = PyDict::new(py);
    all.set_item("decisions", table)?;
    all.set_item("texts", texts)?;
    all.set_item("summary", summary(py, &outcome.summary)?)?;
    all.set_item("reasons", reason_rows(&outcome.summary))?;
    all.set_item("unused_departures", outcome.summary.unused_departures)?;
    about(&all, trace)?;
    Ok(all)
}

fn reason(decision: &Decision) -> Option<Reason> {
    match decision.fate {
        Fate::Enqueued => None,
        Fate::Marked { reason, .. } | Fate::Dropped { reason, .. } => Some(reason),
    }
}

fn kind(fate: Fate) -> u32 {
    match fate {
        Fate::Enqueued => 0,
        Fate::Marked { .. } => 1,
        Fate::Dropped { .. } => 2,
    }
}

/// When the packet's fate was decided: a packet that was enqueued and left has the time of its arrival.
fn decided(decision: &Decision) -> f64 {
    match decision.fate {
        Fate::Enqueued => decision.arrival.time.as_secs_f64(),
        Fate::Marked { at, .. } | Fate::Dropped { at, .. } => at.as_secs_f64(),
    }
}

/// The two bits of the IP header (RFC 3168 section 5).
fn codepoint(ecn: Ecn) -> u32 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}

/// The names are those of the table `queue` of a run.
fn summary<'py>(py: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("arrivals_packets", summary.arrivals)?;
    row.set_item("departures_packets", summary.departures)?;
    row.set_item("drops_packets", summary.dropped())?;
    row.set_item("marks_packets", summary.marked())?;
    row.set_item("waiting_packets", summary.waiting)?;
    row.set_item("loss_ratio", summary.loss_ratio())?;
    row.set_item("mark_ratio", summary.mark_ratio())?;
    row.set_item("duration_s", summary.duration.as_secs_f64())?;
    row.set_item("utilisation", summary.utilisation)?;
    row.set_item("throughput_bps", summary.throughput_bps)?;
    row.set_item("backlog_mean_packets", summary.backlog_mean_packets)?;
    row.set_item("backlog_mean_bytes", summary.backlog_mean_bytes)?;
    row.set_item("sojourn_mean_ms", summary.sojourn_mean.map(Duration::as_millis_f64))?;
    for percentile in &summary.sojourn_percentiles {
        let name = match percentile.percent {
            percent if percent < 100.0 => format!("sojourn_p{percent}_ms"),
            _ => "sojourn_max_ms".to_owned(),
        };
        row.set_item(name, percentile.sojourn.as_millis_f64())?;
    }
    Ok(row)
}

/// Event, reason, packets.
fn reason_rows(summary: &Summary) -> Vec<(&'static str, &'static str, u64)> {
    let drops = summary.drops.iter().map(|count| ("drop", count.reason.0, count.packets));
    let marks = summary.marks.iter().map(|count| ("mark", count.reason.0, count.packets));
    drops.chain(marks).collect()
}
