//! Reads `[[medium]]`, and which medium a link shares.

use super::checked_table::View;
use super::error::ScenarioError;
use crate::net::link_plan::MediumPlan;
use crate::net::wifi::{Phy, Standard};
use crate::params::{ParamType as _, nearest};
use crate::units::{Bytes, Rate};
use std::collections::BTreeSet;

/// The tables `[[medium]]`.
pub fn read(media: &[View<'_>]) -> Result<Vec<MediumPlan>, ScenarioError> {
    let mut names = BTreeSet::new();
    media
        .iter()
        .map(|view| {
            let plan = medium(view)?;
            if !names.insert(plan.name.clone()) {
                let error = view.wrong("name", "there are two media of this name");
                return Err(error.hint("give each medium its own name"));
            }
            Ok(plan)
        })
        .collect()
}

fn medium(view: &View<'_>) -> Result<MediumPlan, ScenarioError> {
    let overhead: Bytes = view.value("overhead")?;
    let retries: u64 = view.value("retries")?;
    let threshold: Option<Bytes> = view.value("rts_threshold")?;
    let rts_retries: u64 = view.value("rts_retries")?;
    let plan = MediumPlan {
        name: view.name("name")?.to_owned(),
        phy: Phy { standard: view.value("standard")?, preamble: view.value("preamble")? },
        basic_rate: view.value("basic_rate")?,
        retries: retries as u32,
        overhead: overhead.0 as u32,
        rts_threshold: threshold.map(|bytes| bytes.0 as u32),
        rts_retries: rts_retries as u32,
        any_rate: view.value("any_rate")?,
    };
    if let Some(rate) = plan.basic_rate {
        check_rate(view, "basic_rate", &plan, rate)?;
    }
    Ok(plan)
}

/// The number of the medium that a link of this rate shares, if it does.
pub fn of_link(
    link: &View<'_>,
    (key, rate): (&'static str, Rate),
    media: &[MediumPlan],
) -> Result<Option<usize>, ScenarioError> {
    if link.node("medium").is_none() {
        return Ok(None);
    }
    let name = link.name("medium")?;
    let Some(number) = media.iter().position(|medium| medium.name == name) else {
        let names: Vec<String> = media.iter().map(|medium| format!("{:?}", medium.name)).collect();
        let hint = nearest(name, media.iter().map(|medium| medium.name.as_str()))
            .map_or_else(|| format!("add [[medium]] with name = {name:?}"), |near| format!("did you mean {near:?}?"));
        let allowed = if names.is_empty() { "no medium is described".to_owned() } else { names.join(", ") };
        return Err(link.wrong("medium", "there is no medium of this name").allowed(allowed).hint(hint));
    };
    check_rate(link, key, &media[number], rate)?;
    if let Some(changes) = ["changes", "reverse_changes"].into_iter().find(|other| link.node(other).is_some()) {
        let error = link.wrong(changes, "a link on a medium keeps its rate and its delay");
        return Err(error.hint("leave out the changes, or the medium"));
    }
    Ok(Some(number))
}

fn check_rate(view: &View<'_>, key: &'static str, medium: &MediumPlan, rate: Rate) -> Result<(), ScenarioError> {
    let standard = medium.phy.standard;
    if medium.any_rate || standard.rates().contains(&rate.as_bps()) {
        return Ok(());
    }
    let rates: Vec<String> = standard.rates().iter().map(|&bps| format!("\"{}\"", Rate::from_bps(bps))).collect();
    Err(view
        .wrong(key, format!("{} has no such rate", name(standard)))
        .allowed(format!("one of {}", rates.join(", ")))
        .hint(format!("or write any_rate = true in the [[medium]] {:?}", medium.name)))
}

fn name(standard: Standard) -> String {
    standard.to_value().to_string()
}

#[cfg(test)]
mod tests {
    use crate::scenario::Plan;

    fn message(medium: &str, link: &str) -> String {
        let text = format!(
            "duration = \"1s\"\n[[flow]]\n[[medium]]\nname = \"air\"\n{medium}\n[dumbbell]\ndelay = \"0s\"\nmedium = \"air\"\n{link}\n"
        );
        Plan::from_toml(&text, "test.toml").expect_err("this is wrong").to_string()
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let rate = message("", "rate = \"12Mbit\"");
        assert!(rate.contains("dumbbell.rate") && rate.contains("802.11b has no such rate"), "{rate}");
        assert!(rate.contains("\"5.5Mbit\", \"11Mbit\"") && rate.contains("any_rate = true"), "{rate}");
        let standard = message("standard = \"802.11c\"", "rate = \"11Mbit\"");
        assert!(standard.contains("medium[0].standard") && standard.contains("802.11b"), "{standard}");
        assert!(message("basic_rate = \"3Mbit\"", "rate = \"11Mbit\"").contains("medium[0].basic_rate"));
        assert!(message("retries = -1", "rate = \"11Mbit\"").contains("medium[0].retries"));
        assert!(message("retires = 1", "rate = \"11Mbit\"").contains("did you mean \"retries\"?"));
        let twice = message("[[medium]]\nname = \"air\"", "rate = \"11Mbit\"");
        assert!(twice.contains("medium[1].name") && twice.contains("two media"), "{twice}");
        let changes = message("", "rate = \"11Mbit\"\nchanges = [{ at = \"0.5s\", delay = \"1ms\" }]");
        assert!(changes.contains("keeps its rate"), "{changes}");
        let trace = message("", "rate = { mahimahi = [5] }");
        assert!(trace.contains("dumbbell.rate") && trace.contains("trace"), "{trace}");
    }

    #[test]
    fn an_unknown_medium_is_compared_with_those_that_exist() {
        let text = "duration = \"1s\"\n[[flow]]\n[[medium]]\nname = \"air\"\n[dumbbell]\nrate = \"11Mbit\"\ndelay = \
              \"0s\"\nmedium = \"iar\"\n";
        let message = Plan::from_toml(text, "test.toml").expect_err("this is wrong").to_string();
        assert!(message.contains("dumbbell.medium") && message.contains("did you mean \"air\"?"), "{message}");
    }

    #[test]
    fn rates_that_no_standard_knows_are_admitted_where_it_is_said() {
        let text = "duration = \"1s\"\n[[flow]]\n[[medium]]\nname = \"air\"\nany_rate = true\n[dumbbell]\nrate = \
              \"8Mbit\"\ndelay = \"0s\"\nmedium = \"air\"\n";
        let plan = Plan::from_toml(text, "test.toml").expect("a valid scenario");
        assert_eq!(plan.links[1].wire.as_ref().and_then(|wire| wire.medium), Some(0));
        assert!(plan.links[2].wire.is_none());
    }
}
