//! Reads the variations of a link: `loss`, `jitter` and `changes`.

use super::checked_table::View;
use super::document::Datum;
use super::error::ScenarioError;
use super::kinds;
use super::medium;
use crate::mechanism::framing::Framing;
use crate::net::link_plan::{ChangePlan, JitterPlan, LossPlan, MediumPlan, WirePlan};
use crate::net::opportunities::Opportunities;
use crate::params::Numbers;
use crate::units::{Duration, Rate};
use std::sync::Arc;

/// The rate of a link: a rate, which is a mean if it may only send at certain moments.
pub struct LinkRate {
    /// In bit/s.
    pub rate: Rate,
    /// Those moments.
    opportunities: Option<Opportunities>,
    /// Number of the medium that it shares.
    medium: Option<usize>,
}

/// The rate of a link or of a direction of the dumbbell, which is at `key`.
pub fn rate(link: &View<'_>, key: &'static str, media: &[MediumPlan]) -> Result<LinkRate, ScenarioError> {
    let Some(view) = link.table(key)? else { return Err(link.missing(key)) };
    match (view.maybe("fixed")?, view.node("mahimahi")) {
        (Some(rate), None) => {
            let medium = medium::of_link(link, (key, rate), media)?;
            Ok(LinkRate { rate, opportunities: None, medium })
        }
        (Some(_), Some(_)) => {
            Err(view.wrong("fixed", "a link has a fixed rate or a trace").hint("keep one of the two"))
        }
        (None, None) => Err(view
            .wrong_whole("there is neither a rate nor a trace")
            .hint("add mahimahi = \"FILE\", or write rate = \"10Mbit\"")),
        (None, Some(_)) if link.node("medium").is_some() => {
            let error = view.wrong("mahimahi", "this link sends when its medium is free, not when a trace says");
            Err(error.hint("leave out the medium, or the trace"))
        }
        (None, Some(node)) => {
            if let Datum::Text(file) = &node.datum {
                let what = format!("the trace {file:?} has not been read");
                return Err(view
                    .wrong("mahimahi", what)
                    .hint("only sojourn run and the Python package read files; list the times"));
            }
            let Some(Numbers(times)) = view.maybe("mahimahi")? else { return Err(view.missing("mahimahi")) };
            let nanos = times.iter().map(|millis| Duration::from_secs_f64(millis / 1e3)).collect();
            let opportunities = Opportunities::new(nanos, view.value("opportunity")?).ok_or_else(|| {
                let what = "these times are not in order, or there is none above 0";
                view.wrong("mahimahi", what).allowed("milliseconds in order, the last of them above 0")
            })?;
            Ok(LinkRate { rate: opportunities.mean_rate(), opportunities: Some(opportunities), medium: None })
        }
    }
}

/// The variations on a link or a direction of the dumbbell, from the keys of its loss model and of its changes. `rate` is that of a
/// link which may have a trace or share a medium. `None`: nothing varies.
pub fn read_with(
    view: &View<'_>,
    [loss, changes_key]: [&'static str; 2],
    rate: Option<&LinkRate>,
) -> Result<Option<Arc<WirePlan>>, ScenarioError> {
    let opportunities = rate.and_then(|rate| rate.opportunities.clone());
    let medium = rate.and_then(|rate| rate.medium);
    let loss = self::loss(view, loss)?;
    let jitter = match view.table("jitter")? {
        Some(jitter) => Some(JitterPlan {
            mean: jitter.value("mean")?,
            law: jitter.value("law")?,
            reorder: jitter.value("reorder")?,
        }),
        None => None,
    };
    let mut changes: Vec<ChangePlan> = Vec::new();
    for table in view.tables(changes_key)? {
        changes.push(change(&table, changes.last())?);
        if opportunities.is_some() && table.node("rate").is_some() {
            return Err(table
                .wrong("rate", "this link sends when its trace says")
                .hint("leave out the rate, or the trace"));
        }
    }
    let framing = match rate {
        Some(rate) => framing(view, rate)?,
        None => None,
    };
    let varies = loss.is_some()
        || jitter.is_some()
        || !changes.is_empty()
        || opportunities.is_some()
        || framing.is_some()
        || medium.is_some();
    Ok(varies.then(|| Arc::new(WirePlan { loss, jitter, changes, opportunities, framing, medium })))
}

/// The loss model at `key`, if there is one.
fn loss(view: &View<'_>, key: &'static str) -> Result<Option<LossPlan>, ScenarioError> {
    let node = view.node(key);
    node.map(|node| kinds::loss(view.source(), node, view.path_of(key))).transpose()
}

/// The bytes of packets on the line beyond their own.
fn framing(view: &View<'_>, rate: &LinkRate) -> Result<Option<Framing>, ScenarioError> {
    let framing = Framing { overhead: view.value("overhead")?, mpu: view.value("mpu")?, cells: view.value("cells")? };
    if framing.is_none() {
        return Ok(None);
    }
    let key = ["overhead", "mpu", "cells"].into_iter().find(|key| view.node(key).is_some()).unwrap_or("overhead");
    if rate.medium.is_some() {
        let error = view.wrong(key, "frames of this link are those of its medium");
        return Err(error.hint("leave it out, or say the overhead in [[medium]]"));
    }
    if rate.opportunities.is_some() {
        let error = view.wrong(key, "this link sends the bytes of `rate.opportunity` at each moment of its trace");
        return Err(error.hint("leave it out, or give the link a rate"));
    }
    Ok(Some(framing))
}

fn change(view: &View<'_>, before: Option<&ChangePlan>) -> Result<ChangePlan, ScenarioError> {
    let loss = loss(view, "loss")?;
    let change = ChangePlan { at: view.value("at")?, rate: view.maybe("rate")?, delay: view.maybe("delay")?, loss };
    if let Some(before) = before
        && change.at <= before.at
    {
        return Err(view
            .wrong("at", "this change does not come after the one before it")
            .allowed(format!("later than {}", before.at)));
    }
    if change.rate.is_none() && change.delay.is_none() && change.loss.is_none() {
        return Err(view.wrong_whole("nothing changes here").hint("add a rate, a delay or a loss"));
    }
    Ok(change)
}

#[cfg(test)]
mod tests {
    use crate::scenario::Plan;

    fn message(keys: &str) -> String {
        let text = format!("duration = \"1s\"\n[[flow]]\n[dumbbell]\nrate = \"1Mbit\"\ndelay = \"1ms\"\n{keys}\n");
        Plan::from_toml(&text, "test.toml").expect_err("this is wrong").to_string()
    }

    #[test]
    fn a_trace_of_opportunities_is_checked() {
        let wrong = |rate: &str| {
            let text = format!("duration = \"1s\"\n[[flow]]\n[dumbbell]\ndelay = \"1ms\"\nrate = {rate}\n");
            Plan::from_toml(&text, "test.toml").expect_err("this is wrong").to_string()
        };
        assert!(wrong("{ mahimahi = [5, 4] }").contains("dumbbell.rate.mahimahi: these times are not in order"));
        assert!(wrong("{ mahimahi = [0] }").contains("the last of them above 0"));
        assert!(wrong("{ mahimahi = [1, -2] }").contains("dumbbell.rate.mahimahi"));
        assert!(wrong("{ mahimahi = \"up\" }").contains("the trace \"up\" has not been read"));
        assert!(wrong("{ mahimahi = [5], fixed = \"1Mbit\" }").contains("keep one of the two"));
        assert!(wrong("{ opportunity = \"1504B\" }").contains("neither a rate nor a trace"));
        assert!(wrong("{ mahimai = [5] }").contains("did you mean \"mahimahi\"?"));
        assert!(wrong("{ mahimahi = [5] }\nchanges = [{ at = \"1s\", rate = \"1bit\" }]").contains("changes[0].rate"));
    }

    #[test]
    fn cells_need_a_rate_of_the_links_own() {
        let wrong = message("cells = \"atn\"");
        assert!(wrong.contains("dumbbell.cells") && wrong.contains("did you mean \"atm\"?"), "{wrong}");
        assert!(message("overhead = \"2000B\"").contains("dumbbell.overhead: the value is out of range"));
        let trace =
            "duration = \"1s\"\n[[flow]]\n[dumbbell]\ndelay = \"1ms\"\nrate = { mahimahi = [5] }\nmpu = \"64B\"\n";
        let trace = Plan::from_toml(trace, "test.toml").expect_err("this is wrong").to_string();
        assert!(trace.contains("dumbbell.mpu: this link sends the bytes of `rate.opportunity`"), "{trace}");
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let late = message(r#"changes = [{ at = "2s", rate = "1bit" }, { at = "1s", rate = "1bit" }]"#);
        assert!(late.contains("changes[1].at") && late.contains("later than 2s"), "{late}");
        let empty = message(r#"changes = [{ at = "2s" }]"#);
        assert!(empty.contains("nothing changes here"), "{empty}");
        let place = message(r#"changes = [{ at = "2s", loss = { kind = "uniform", probability = 2 } }]"#);
        assert!(place.contains("dumbbell.changes[0].loss.probability"), "{place}");
        let unknown = message(r#"loss = "unifrom""#);
        assert!(unknown.contains("did you mean \"uniform\"?"), "{unknown}");
        assert!(message(r#"loss = { kind = "uniform", probability = 2 }"#).contains("dumbbell.loss.probability"));
        assert!(message(r#"access = { loss = { kind = "bit", error_rte = 0 } }"#).contains("dumbbell.access.loss"));
        let nonsense = message(r#"reverse_rate = "20/5 Mbit/s""#);
        assert!(nonsense.contains("dumbbell.reverse_rate: this is more than one rate"), "{nonsense}");
        let same = message("reverse_rate = \"2Mbit\"\nchanges = [{ at = \"0.5s\", rate = \"3Mbit\" }]");
        assert!(same.contains("dumbbell.changes: this gives both directions the same rate"), "{same}");
        assert!(same.contains("reverse_changes"), "{same}");
        assert!(message(r#"download = "20Mbit""#).contains("did you mean \"reverse_rate\"?"));
        assert!(message(r#"jitter = { law = "exponential" }"#).contains("\"mean\" is missing"));
    }
}
