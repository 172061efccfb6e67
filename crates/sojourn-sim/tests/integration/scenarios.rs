//! The named scenario files: all are valid and run, the scenario in a result can be read back, and every
//! column of their results is registered.

use sojourn_sim::metrics::column::Values;
use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::scenario::{Document, Plan, resolved, schema};
use sojourn_sim::sim::Simulation;
use sojourn_sim::sim::catalogue::TABLES;
use sojourn_sim::units::Instant;
use std::path::PathBuf;

fn files() -> Vec<(String, String)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the directory of scenarios")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("a readable file")))
        .collect()
}

fn plan(name: &str, text: &str) -> Plan {
    Plan::from_toml(text, name).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_scenario_is_valid_and_has_a_title() {
    let files = files();
    assert!(files.len() >= 8);
    for (name, text) in files {
        assert!(!plan(&name, &text).title.is_empty(), "{name}");
    }
}

#[test]
fn the_resolved_scenario_gives_the_same_plan() {
    for (name, text) in files() {
        let plan = plan(&name, &text);
        let written = resolved(&plan);

        let again = Plan::from_json(&written.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));

        assert_eq!(format!("{plan:?}"), format!("{again:?}"), "{name}");
        assert_eq!(written, resolved(&again), "{name}");
    }
}

#[test]
fn the_schema_knows_every_key_of_a_resolved_scenario() {
    let schema = schema(&sojourn_sim::registry::Registry::default());
    for (name, text) in files() {
        let written = resolved(&plan(&name, &text));
        for flow in written["flow"].as_array().expect("flows") {
            let transport = &flow["transport"];
            let kind = transport["kind"].as_str().expect("a kind");
            let known = &schema["$defs"][format!("transport_{kind}")]["properties"];
            for key in transport.as_object().expect("a table").keys() {
                assert!(known[key].is_object(), "{name}: transport.{key}");
            }
        }
        for key in written.as_object().expect("a table").keys() {
            assert!(schema["properties"][key].is_object(), "{name}: {key}");
        }
    }
}

/// Runs the first seconds of a scenario.
fn start_of_a_run(plan: &Plan) -> Vec<Table> {
    let mut simulation = Simulation::new(plan, 1).unwrap_or_else(|error| panic!("{}: {error:?}", plan.title));
    simulation.advance(Instant::from_secs_f64(0.5));
    simulation.finish()
}

#[test]
fn every_scenario_runs() {
    for (name, text) in files() {
        let plan = plan(&name, &text);
        let tables = start_of_a_run(&plan);
        let observed = plan.links.iter().filter(|link| link.observed).count();
        let queues = tables.iter().find(|table| table.name == "queue").and_then(|table| table.column("link"));
        assert_eq!(queues.map(Data::len), Some(observed), "{name}");
    }
}

#[test]
fn every_column_of_a_result_is_registered() {
    let (name, text) = files().into_iter().find(|(name, _)| name.ends_with("wifi_hop.toml")).expect("wifi_hop.toml");
    // The table of responsiveness is there where there are probes.
    let probed =
        text + "\n[[flow]]\nname = \"prober\"\ntransport = { kind = \"tcp\", profile = \"linux\" }\napp = \"probe\"\n";
    let mut document = Document::from_toml(&probed, &name).expect("a valid file");
    for series in ["queue", "probes", "cwnd", "throughput"] {
        document.set(&format!("record.{series}"), "100ms").expect("a valid setting");
    }
    for list in ["drops", "packets", "occupancy"] {
        document.set(&format!("record.{list}"), "true").expect("a valid setting");
    }

    let tables = start_of_a_run(&document.plan().expect("a valid scenario"));

    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    assert_eq!(names, TABLES.iter().map(|entry| entry.name).collect::<Vec<_>>());
    for (table, entry) in tables.iter().zip(TABLES) {
        let columns: Vec<(&str, Values)> =
            table.columns.iter().map(|column| (column.name, kind(&column.data))).collect();
        let registered: Vec<(&str, Values)> =
            (entry.metrics)().iter().map(|metric| (metric.name, metric.values)).collect();
        assert_eq!(columns, registered, "{}", table.name);
    }
}

fn kind(data: &Data) -> Values {
    match data {
        Data::F64(_) => Values::Real,
        Data::U64(_) => Values::Count,
        Data::Text(_) => Values::Text,
    }
}
