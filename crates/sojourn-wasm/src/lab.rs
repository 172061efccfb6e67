//! Requests and answers.

use serde_json::{Map, Value, json};
use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::reference::registry_json;
use sojourn_sim::scenario::{Document, Plan, ScenarioError, resolved};
use sojourn_sim::sim::Simulation;
use sojourn_sim::units::Instant;
use std::collections::BTreeMap;

/// The runs that are open.
#[derive(Default)]
pub struct Lab {
    runs: BTreeMap<u64, Simulation>,
    opened: u64,
}

/// Why a request was not carried out: the value of `error`.
struct Refusal(Value);

impl From<ScenarioError> for Refusal {
    fn from(error: ScenarioError) -> Self {
        Refusal(json!({
            "message": error.to_string(), "key": error.key, "what": error.what, "found": error.found,
            "allowed": error.allowed, "hint": error.hint,
        }))
    }
}

fn refuse<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(json!({ "message": message.into() })))
}

impl Lab {
    /// The answer to a request; both are JSON objects.
    pub fn answer(&mut self, request: &[u8]) -> Value {
        match self.carry_out(request) {
            Ok(answer) => answer,
            Err(Refusal(error)) => json!({ "error": error }),
        }
    }

    fn carry_out(&mut self, request: &[u8]) -> Result<Value, Refusal> {
        let Ok(request) = serde_json::from_slice::<Value>(request) else {
            return refuse("the request is not JSON");
        };
        match request["do"].as_str() {
            Some("version") => Ok(json!({ "version": env!("CARGO_PKG_VERSION") })),
            Some("registry") => Ok(registry_json(sojourn_archive::registry())),
            Some("resolve") => Ok(resolved(&plan(&request)?)),
            Some("open") => self.open(&request),
            Some("advance") => self.advance(&request),
            Some("tables") => Ok(tables(&self.close(&request)?.finish())),
            Some("close") => self.close(&request).map(|_| json!({})),
            _ => refuse("allowed for do: version, registry, resolve, open, advance, tables, close"),
        }
    }

    fn open(&mut self, request: &Value) -> Result<Value, Refusal> {
        let plan = plan(request)?;
        let seed = request["seed"].as_u64().unwrap_or(1);
        let Ok(simulation) = Simulation::from_plan(plan, seed) else {
            return refuse("this network cannot be built");
        };
        let end = simulation.end().as_secs_f64();
        self.opened += 1;
        self.runs.insert(self.opened, simulation);
        Ok(json!({ "run": self.opened, "end_s": end }))
    }

    fn advance(&mut self, request: &Value) -> Result<Value, Refusal> {
        let until = request["until_s"].as_f64().unwrap_or(f64::INFINITY);
        let events = request["events"].as_u64().unwrap_or(u64::MAX);
        let Some(run) = request["run"].as_u64().and_then(|run| self.runs.get_mut(&run)) else {
            return refuse(NO_RUN);
        };
        let end = run.end();
        let until = if until >= end.as_secs_f64() { end } else { Instant::from_secs_f64(until.max(0.0)) };
        let there = run.advance_within(until, events);
        Ok(json!({
            "there": there, "now_s": run.now().as_secs_f64(),
            "links": links(run), "groups": groups(run), "windows": run.windows_now(),
        }))
    }

    fn close(&mut self, request: &Value) -> Result<Simulation, Refusal> {
        match request["run"].as_u64().and_then(|run| self.runs.remove(&run)) {
            Some(run) => Ok(run),
            None => refuse(NO_RUN),
        }
    }
}

const NO_RUN: &str = "there is no such run, or it is over";

/// The scenario of a request, changed by its `set`.
fn plan(request: &Value) -> Result<Plan, Refusal> {
    let mut document = Document::from_toml(request["toml"].as_str().unwrap_or_default(), "scenario")?;
    document = document.knowing(sojourn_archive::registry());
    for change in request["set"].as_array().into_iter().flatten() {
        let Some((key, value)) = change.as_str().and_then(|text| text.split_once('=')) else {
            return refuse("set takes texts key=value");
        };
        document.set(key.trim(), value.trim())?;
    }
    Ok(document.plan()?)
}

fn links(run: &mut Simulation) -> Value {
    let link = |link: sojourn_sim::sim::LinkSoFar| {
        json!({
            "name": link.name, "backlog_packets": link.backlog.packets, "backlog_bytes": link.backlog.bytes,
            "drops": link.drops, "marks": link.marks,
            "probes": link.probes,
        })
    };
    run.links_so_far().into_iter().map(link).collect()
}

fn groups(run: &Simulation) -> Value {
    let group = |group: sojourn_sim::sim::GroupSoFar| {
        json!({
            "name": group.name, "bytes": group.bytes_received, "packets": group.packets_received,
            "delay_sum_s": group.one_way_delay_sum, "rtt_sum_s": group.rtt_sum, "rtt_samples": group.rtt_samples,
        })
    };
    run.groups_so_far().into_iter().map(group).collect()
}

/// Tables by name, each an object of columns in their order.
fn tables(tables: &[Table]) -> Value {
    let columns = |table: &Table| -> Map<_, _> {
        table.columns.iter().map(|one| (one.name.to_owned(), values(&one.data))).collect()
    };
    Value::Object(tables.iter().map(|table| (table.name.to_owned(), columns(table).into())).collect())
}

/// Numbers read back as the same bits; JSON has no word for those that are not finite.
fn values(data: &Data) -> Value {
    match data {
        Data::F64(values) => values.iter().map(|value| number(*value)).collect(),
        Data::U64(values) => Value::from(values.clone()),
        Data::Text(values) => values.iter().map(|value| Value::from(&**value)).collect(),
    }
}

fn number(value: f64) -> Value {
    if value.is_finite() { Value::from(value) } else { Value::from(value.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = r#"
duration = "2s"
warmup = "1s"
[dumbbell]
rate = "1Mbit"
delay = "10ms"
queue = "red"
[[flow]]
name = "bulk"
count = 2
"#;

    fn ask(lab: &mut Lab, request: &Value) -> Value {
        lab.answer(request.to_string().as_bytes())
    }

    #[test]
    fn a_run_in_steps_gives_the_tables_of_the_core() {
        let mut lab = Lab::default();
        let run = ask(&mut lab, &json!({ "do": "open", "toml": SCENARIO, "seed": 7 }));
        assert_eq!(run["end_s"], 2.0);
        let mut dropped = 0;
        for step in 1..=20 {
            let until = f64::from(step) * 0.1;
            let seen = ask(&mut lab, &json!({ "do": "advance", "run": run["run"], "until_s": until }));
            assert_eq!(seen["there"], true);
            assert_eq!(seen["windows"].as_array().expect("windows").len(), 2);
            dropped = seen["links"][0]["drops"].as_u64().expect("a count");
        }
        let stepped = ask(&mut lab, &json!({ "do": "tables", "run": run["run"] }));

        let plan = Plan::from_toml(SCENARIO, "").expect("a scenario");
        let mut whole = Simulation::from_plan(plan, 7).expect("a network");
        whole.advance(whole.end());
        assert_eq!(stepped, tables(&whole.finish()));
        // Those who watch see the drops of the warm-up, too.
        assert!(dropped > stepped["queue"]["drops_packets"][0].as_u64().expect("a count"), "{dropped}");
        assert!(stepped["queue"]["departures_packets"][0].as_u64().expect("a count") > 100);
        assert!(ask(&mut lab, &json!({ "do": "tables", "run": run["run"] }))["error"].is_object());
    }

    #[test]
    fn changes_are_laid_over_the_scenario() {
        let asked =
            json!({ "do": "resolve", "toml": SCENARIO, "set": ["dumbbell.queue.kind=codel", "flow[0].count=3"] });
        let answer = ask(&mut Lab::default(), &asked);
        assert_eq!(answer["dumbbell"]["queue"]["kind"], "codel", "{answer}");
        assert_eq!(answer["flow"][0]["count"], 3);
    }

    #[test]
    fn a_wrong_scenario_is_refused_with_its_place() {
        let wrong = SCENARIO.replace("1Mbit", "1mbps");
        let answer = ask(&mut Lab::default(), &json!({ "do": "open", "toml": wrong }));
        assert_eq!(answer["error"]["key"], "dumbbell.rate");
        assert!(answer["error"]["message"].as_str().expect("a text").contains("mbps"));
    }

    #[test]
    fn what_is_not_a_request_gets_an_answer() {
        let mut lab = Lab::default();
        for text in ["", "{", "[]", "{\"do\":\"fly\"}", "{\"do\":\"advance\",\"run\":4}", "{\"do\":\"open\"}"] {
            assert!(lab.answer(text.as_bytes())["error"]["message"].is_string(), "{text}");
        }
    }
}
