//! Reads what varies on a link: `loss`, `jitter` and `changes`.

use super::error::ScenarioError;
use super::kinds;
use super::plan::{ChangePlan, JitterPlan, WirePlan};
use super::view::View;
use std::sync::Arc;

/// The keys of a link or of the dumbbell; `loss` is the key of the loss model. `None`: nothing varies.
pub fn read(view: &View<'_>, loss: &'static str) -> Result<Option<Arc<WirePlan>>, ScenarioError> {
    let loss = match view.node(loss) {
        Some(node) => Some(kinds::loss(view.source(), node, view.path_of(loss))?),
        None => None,
    };
    let jitter = match view.table("jitter")? {
        Some(jitter) => Some(JitterPlan {
            mean: jitter.value("mean")?,
            law: jitter.value("law")?,
            reorder: jitter.value("reorder")?,
        }),
        None => None,
    };
    let mut changes: Vec<ChangePlan> = Vec::new();
    for table in view.tables("changes")? {
        changes.push(change(&table, changes.last())?);
    }
    let varies = loss.is_some() || jitter.is_some() || !changes.is_empty();
    Ok(varies.then(|| Arc::new(WirePlan { loss, jitter, changes })))
}

fn change(view: &View<'_>, before: Option<&ChangePlan>) -> Result<ChangePlan, ScenarioError> {
    let change = ChangePlan { at: view.value("at")?, rate: view.maybe("rate")?, delay: view.maybe("delay")? };
    if let Some(before) = before
        && change.at <= before.at
    {
        return Err(view
            .wrong("at", "this change does not come after the one before it")
            .allowed(format!("later than {}", before.at)));
    }
    if change.rate.is_none() && change.delay.is_none() {
        return Err(view.wrong_whole("nothing changes here").hint("add a rate, a delay or both"));
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
    fn mistakes_are_named_with_their_place() {
        let late = message(r#"changes = [{ at = "2s", rate = "1bit" }, { at = "1s", rate = "1bit" }]"#);
        assert!(late.contains("changes[1].at") && late.contains("later than 2s"), "{late}");
        let empty = message(r#"changes = [{ at = "2s" }]"#);
        assert!(empty.contains("nothing changes here"), "{empty}");
        let unknown = message(r#"loss = "unifrom""#);
        assert!(unknown.contains("did you mean \"uniform\"?"), "{unknown}");
        assert!(message(r#"loss = { kind = "uniform", probability = 2 }"#).contains("dumbbell.loss.probability"));
        assert!(message(r#"jitter = { law = "exponential" }"#).contains("\"mean\" is missing"));
    }
}
