//! The load of a scenario on the machine, estimated before it is run: packets, packets at one moment, rows of tables. A load that would
//! never end, or not fit into memory, is refused like any other value.

use super::checked_table::View;
use super::error::ScenarioError;
use super::kinds;
use super::plan::{AppPlan, Plan, Sampling};
use super::route::link_contexts;
use crate::component::BuildError;
use crate::params::{Args, Value};
use crate::transport::spec::TransportSpec;
use crate::transport::udp::{HEADER, LARGEST, USUAL};
use crate::units::{Bytes, Duration, Rate};

/// Bound: packets that all sources with a rate may write together. At 10 million a second they take a day.
const PACKETS_MAX: f64 = 1e12;

/// Bound: packets that one write may make.
const BURST_MAX: f64 = 1e6;

/// Bound: rows of a recorded series; each takes about 100 bytes.
const ROWS_MAX: f64 = 5e7;

/// Refuses a source whose packets would stand still in time, and one that writes too many at a moment. Gives the number of
/// packets that each flow writes within `active`, if the source has a rate.
pub fn check_source(
    flow: &View<'_>,
    transport: &TransportSpec,
    app: &AppPlan,
    active: Duration,
) -> Result<f64, ScenarioError> {
    let full = bytes(transport.args(), "packet").unwrap_or(f64::from(USUAL));
    let packet = bytes(&app.args, "packet").unwrap_or(full);
    if transport.entry().control.is_none() {
        check_size(flow, transport, app)?;
    }
    if !transport.entry().controlled {
        check_burst(flow, transport, app)?;
    }
    let Some(Value::Rate(rate)) = app.args.get("rate") else { return Ok(0.0) };
    if !app.entry.params.iter().any(|param| param.name == "packet") {
        return Ok(0.0);
    }
    let packet_time = packet * 8.0 / rate.as_bps() as f64;
    if packet_time < 1e-9 {
        let most = Rate::from_bps((packet * 8e9) as u64);
        let what =
            format!("packets of {packet} bytes would come {packet_time:.2e} s apart, and time counts in nanoseconds");
        return Err(kinds::app_error(flow, app, BuildError::new("rate", what, format!("allowed: up to {most}"))));
    }
    let count = match app.args.get("count") {
        Some(Value::Integer(count)) => count as f64,
        _ => f64::INFINITY,
    };
    Ok((active.as_secs_f64() * duty(&app.args) / packet_time).min(count))
}

/// The part of the time in which a source that pauses sends.
fn duty(args: &Args) -> f64 {
    match (args.get("on"), args.get("off")) {
        (Some(Value::Time(on)), Some(Value::Time(off))) if off > Duration::ZERO => {
            on.as_secs_f64() / (on.as_secs_f64() + off.as_secs_f64())
        }
        _ => 1.0,
    }
}

fn bytes(args: &Args, name: &str) -> Option<f64> {
    match args.get(name)? {
        Value::Bytes(bytes) => Some(bytes as f64),
        _ => None,
    }
}

/// A transport of datagrams whose `packet` is smaller than the packets of its application would send others than the application says.
fn check_size(flow: &View<'_>, transport: &TransportSpec, app: &AppPlan) -> Result<(), ScenarioError> {
    let Some(most) = bytes(transport.args(), "packet") else { return Ok(()) };
    let header = bytes(transport.args(), "header").unwrap_or(f64::from(HEADER));
    let Some((largest, key)) = (app.entry.build)(&app.args).largest_packet(Bytes(header as u64)) else { return Ok(()) };
    if largest.0 as f64 <= most {
        return Ok(());
    }
    let size = format!("its packets have {}B on the wire", largest.0);
    let what = format!("{size}, and transport.packet is {most}B: each would be sent as several");
    let allowed = format!("allowed: up to {most}B, or a larger transport.packet");
    let (param, what) = if key == "packet" { (key, what) } else { (key, format!("with this {what}")) };
    Err(kinds::app_error(flow, app, BuildError::new(param, what, allowed)))
}

/// Without congestion control all that is written leaves at once.
fn check_burst(flow: &View<'_>, transport: &TransportSpec, app: &AppPlan) -> Result<(), ScenarioError> {
    let (largest, key) = match app.args.get("sizes_bytes") {
        Some(Value::Numbers(sizes)) => (sizes.iter().fold(0.0, |most: f64, size| most.max(*size)), "sizes_bytes"),
        _ => (bytes(&app.args, "packet").unwrap_or(0.0), "packet"),
    };
    // A transfer goes in packets of the usual size, a packet in as few as can be.
    let transfers = matches!(app.args.get("entry"), Some(Value::Choice("transfer")));
    let full = bytes(transport.args(), "packet").unwrap_or(f64::from(if transfers { USUAL } else { LARGEST }));
    let data = (largest / (full - f64::from(HEADER)).max(1.0)).max(1.0);
    let number = |name| match transport.args().get(name) {
        Some(Value::Integer(number)) => number as f64,
        _ => 0.0,
    };
    let appended = matches!(transport.args().get("schedule"), Some(Value::Choice("appended")));
    let each = if appended { number("parity") / number("data") } else { 0.0 };
    let burst = data * (1.0 + each);
    if burst <= BURST_MAX {
        return Ok(());
    }
    let what = format!("one write of {largest} bytes makes {burst:.0} packets at a moment, parity included");
    let allowed = format!("allowed: a write of at most {BURST_MAX:.0} packets");
    Err(if data > BURST_MAX {
        kinds::app_error(flow, app, BuildError::new(key, what, allowed))
    } else {
        kinds::transport_error(flow, transport, BuildError::new("parity", what, allowed))
    })
}

/// Refuses more packets than a run could ever end with; `packets` are those of this group and of the ones before.
pub fn check_packets(flow: &View<'_>, app: &AppPlan, packets: f64) -> Result<(), ScenarioError> {
    if packets <= PACKETS_MAX {
        return Ok(());
    }
    let what = format!("the flows up to here write about {packets:.1e} packets");
    let allowed = format!("allowed: up to {PACKETS_MAX:.0e} in all; a lower rate, fewer flows or a shorter time");
    Err(kinds::app_error(flow, app, BuildError::new("rate", what, allowed)))
}

/// Refuses recorded series of more rows than fit into memory.
pub fn check_rows(top: &View<'_>, plan: &Plan) -> Result<(), ScenarioError> {
    let Some(record) = top.table("record")? else { return Ok(()) };
    let flows = plan.groups.iter().map(|group| group.ends.len()).sum::<usize>();
    let links = plan.links.iter().filter(|link| link.observed).count();
    let asked = [
        ("queue", plan.record.queue, links, "links"),
        ("probes", plan.record.probes, probes(plan), "probes"),
        ("cwnd", plan.record.cwnd, flows, "flows"),
        ("throughput", plan.record.throughput, flows, "flows"),
    ];
    for (key, sampling, columns, of) in asked {
        let (Some(Sampling { every, .. }), Some(series)) = (sampling, record.table(key)?) else { continue };
        let samples = plan.duration.as_secs_f64() / every.as_secs_f64();
        let rows = samples * columns as f64;
        if rows > ROWS_MAX {
            let least = plan.duration.as_secs_f64() * columns as f64 / ROWS_MAX;
            let least = Duration::from_micros((least * 1e6) as u64 + 1);
            return Err(series
                .wrong("every", format!("{samples:.0} samples of {columns} {of} make more than {ROWS_MAX:.0e} rows"))
                .allowed(format!("{least} or more for a duration of {} and {columns} {of}", plan.duration)));
        }
    }
    Ok(())
}

/// Probes of all observed links.
fn probes(plan: &Plan) -> usize {
    if plan.record.probes.is_none() {
        return 0;
    }
    let contexts = link_contexts(plan);
    let links = plan.links.iter().zip(&contexts).filter(|(link, _)| link.observed);
    let built = links.filter_map(|(link, context)| link.queue.entry.build(&link.queue.args, context).ok());
    built.map(|discipline| discipline.probes().len()).sum()
}
