//! Thresholds that follow from the link (`auto`) are at most the limit of the buffer.

use crate::params::{Args, OUTER, Value};
use crate::queue::LinkContext;
use crate::queue::entry::QueueEntry;
use crate::units::{Rate, Size};

/// Draws the law of an entry that has thresholds of the average which follow from the link, at 1 to 1,000 Mbit/s and with
/// buffers of 20 to 400 packets. A full buffer has to meet the probability that is set for the upper threshold, or more. Gives
/// the number of laws drawn, none where the entry has no such thresholds or draws another law.
///
/// # Errors
/// The first curve that is lower, with the rate and the buffer.
///
/// # Panics
/// The entry has no defaults or no limit, which [`check_params`](super::check_params) finds.
pub fn full_buffers(entry: &QueueEntry) -> Result<usize, String> {
    let mut drawn = 0;
    let Some(draw) = entry.law.filter(|_| has_automatic_thresholds(entry)) else { return Ok(0) };
    for (megabits, packets) in
        [1, 10, 100, 1000].into_iter().flat_map(|rate| [20.0, 50.0, 400.0].map(|packets| (rate, packets)))
    {
        let link = LinkContext { rate: Rate::from_bps(megabits * 1_000_000), ..LinkContext::default() };
        let mut args = entry.args(None).expect("defaults");
        let limit = entry.params.iter().position(|spec| spec.name == OUTER).expect("a limit");
        args.set(limit, Value::Size(Size::Packets(packets)));
        let graph = draw(&args, &link).map_err(|error| format!("{}: {}", entry.name, error.complaint.what))?;
        if graph.x.name != "average queue" {
            continue;
        }
        drawn += 1;
        for curve in &graph.curves {
            let full = curve.points.iter().rfind(|(x, _)| *x <= packets * (1.0 + 1e-9)).map_or(0.0, |(_, p)| *p);
            let name = &curve.name;
            let drawn_at = name.strip_prefix("max_p = ").and_then(|value| value.parse().ok());
            let least = drawn_at.unwrap_or_else(|| least_at_the_threshold(&args));
            if full < 0.99 * least {
                let place = format!("{megabits} Mbit/s, {packets} packets");
                return Err(format!("{} {name}: {full} of {least}, {place}", entry.name));
            }
        }
    }
    Ok(drawn)
}

/// Whether an entry has thresholds of the average that follow from the link.
fn has_automatic_thresholds(entry: &QueueEntry) -> bool {
    entry.params.iter().any(|spec| spec.default == "auto" && (spec.name.ends_with("_th") || spec.name == "k_h"))
}

/// The least of the parameters that say how likely a drop is at an upper threshold; 1 without any.
fn least_at_the_threshold(args: &Args) -> f64 {
    let values = args.specs().iter().zip(args.values());
    let of = values.filter_map(|(spec, value)| match value {
        Value::Number(p) if spec.name.ends_with("max_p") && !spec.name.starts_with("mark") => Some(*p),
        _ => None,
    });
    of.fold(1.0, f64::min)
}
