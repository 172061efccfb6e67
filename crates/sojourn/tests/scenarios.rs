//! The named scenario files: all are valid, and what a result says of them reads back.

use sojourn::scenario::{Plan, resolved, schema};
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
    let schema = schema();
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
