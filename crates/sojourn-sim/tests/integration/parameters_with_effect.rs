//! A parameter that is declared to have no effect beside a value of another one (`when`) has none in runs, and files that set it are
//! refused.

use sojourn_sim::metrics::Table;
use sojourn_sim::params::{Args, Kind, Param, Value};
use sojourn_sim::registry::Registry;
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::sim::Simulation;
use sojourn_sim::transport::entry::Control;
use sojourn_sim::transport::spec::TransportSpec;
use std::sync::Arc;

const CHOICE: &str = "arithmetic";
/// Values of a parameter that are tried in most modes.
const VALUES: usize = 2;

/// Senders with and without ECN, some for L4S, one that does not respond, and bursts; then an overload.
const LOADS: [&str; 2] = [
    r#"
[[flow]]
name = "plain"
count = 4
transport = { kind = "tcp", profile = "linux" }
[[flow]]
name = "ecn"
count = 2
transport = { kind = "tcp", profile = "linux", ecn = true }
[[flow]]
name = "l4s"
transport = { kind = "tcp", profile = "linux", control = "dctcp", packet = "1500B" }
[[flow]]
name = "bursts"
transport = { kind = "udp", packet = "200B" }
app = { kind = "on_off", rate = "8Mbit", on = "200ms", off = "600ms" }
"#,
    r#"
[[flow]]
name = "flood"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "3Mbit" }
[[flow]]
name = "bursts"
count = 2
transport = { kind = "udp", packet = "300B" }
app = { kind = "on_off", rate = "6Mbit", on = "300ms", off = "700ms" }
[[flow]]
name = "plain"
count = 3
transport = { kind = "tcp", profile = "linux", ecn = true }
"#,
];

fn plan(load: &str) -> Plan {
    let text = format!(
        "duration = \"8s\"\n[dumbbell]\nrate = \"4Mbit\"\ndelay = \"20ms\"\nqueue = \"fifo\"\n\
         access = {{ rate = \"50Mbit\", delay = \"5ms\" }}\n{load}"
    );
    Plan::from_toml(&text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

/// The tables of a run; nothing if the values contradict each other.
fn tables(plan: &Plan) -> Option<Vec<Table>> {
    let mut simulation = Simulation::new(plan, 1).ok()?;
    simulation.advance(simulation.end());
    Some(simulation.finish())
}

/// Other values that a parameter may have.
fn others(param: &Param, now: &Value) -> Vec<Value> {
    let texts: Vec<String> = match param.kind {
        Kind::Bool => vec!["true".into(), "false".into()],
        Kind::Choice(names) => names.iter().map(|name| (*name).to_owned()).collect(),
        Kind::Integer => ["1", "2", "5", "40", "1000"].map(String::from).into(),
        Kind::Number => ["0.001", "0.3", "2", "9", "60"].map(String::from).into(),
        Kind::Fraction => ["0.0005", "0.02", "0.3", "0.6", "0.95"].map(String::from).into(),
        Kind::Time => ["200us", "2ms", "20ms", "150ms", "2s"].map(String::from).into(),
        Kind::Size => ["2p", "12p", "40p", "300p"].map(String::from).into(),
        Kind::Bytes => ["100B", "400B", "3000B", "20000B"].map(String::from).into(),
        Kind::Numbers => ["[1]", "[0, 1]"].map(String::from).into(),
        Kind::Rate => ["100kbit", "1Mbit", "10Mbit", "1Gbit"].map(String::from).into(),
        kind => panic!("{}: no values of {kind:?} here", param.name),
    };
    texts.iter().filter_map(|text| param.read_text(text).ok()).filter(|value| value != now).collect()
}

/// The defaults, and they beside each value on which the effect of another parameter depends: a name, or the first of other values.
/// The preset `linux` goes with the arithmetic of the kernel. Left out are those with which every parameter has an effect.
fn modes(params: &'static [Param], linux: Option<&Args>) -> Vec<(String, Args)> {
    let mut found = vec![("defaults".to_owned(), Args::defaults(params))];
    for param in
        params.iter().filter(|param| params.iter().any(|it| it.when.is_some_and(|when| when.name == param.name)))
    {
        let values = others(param, &param.default_value());
        let count = if matches!(param.kind, Kind::Choice(_)) { values.len() } else { 1 };
        let written = if param.name == CHOICE { Some(param.default_value()) } else { None };
        for value in values.into_iter().take(count).chain(written) {
            let is_kernel = param.name == CHOICE && value.to_string() == "kernel";
            let mut args = linux.filter(|_| is_kernel).cloned().unwrap_or_else(|| Args::defaults(params));
            args.set_text(param.name, &value.to_string()).expect("a value of it");
            found.push((format!("{} = {value}", param.name), args));
        }
    }
    found.retain(|(_, args)| (0..params.len()).any(|index| !args.has_effect(index)));
    found
}

/// Faults of the parameters of `name` in a mode; none where its values contradict each other. `build` makes a plan under one of the loads.
fn faults(name: &str, mode: &str, args: &Args, build: impl Fn(&Args, usize) -> Option<Plan>) -> Vec<String> {
    let run = |tried: &Args, load: usize| {
        build(tried, load).and_then(|plan| tables(&plan)).map(|tables| format!("{tables:?}"))
    };
    let before: Vec<_> = (0..LOADS.len()).map(|load| run(args, load)).collect();
    if before.iter().any(Option::is_none) {
        return Vec::new();
    }
    let tried = if mode.starts_with(CHOICE) { usize::MAX } else { VALUES };
    let mut found = Vec::new();
    for (index, param) in args.specs().iter().enumerate().filter(|(index, _)| !args.has_effect(*index)) {
        let moves = |value: Value| {
            let mut changed = args.clone();
            changed.set(index, value);
            (0..LOADS.len())
                .any(|load| run(&changed, load).is_some_and(|tables| Some(&tables) != before[load].as_ref()))
        };
        if others(param, &args.values()[index]).into_iter().take(tried).any(moves) {
            found.push(format!("{name} {mode} {}: is declared without effect and has one", param.name));
        }
    }
    found
}

#[test]
fn parameters_of_queues_that_are_declared_without_effect_have_none() {
    let mut found = Vec::new();
    for entry in Registry::default().queues() {
        let linux = entry.args(Some("linux")).ok();
        for (mode, args) in modes(entry.params, linux.as_ref()) {
            found.extend(faults(entry.name, &mode, &args, |args, load| {
                let mut plan = plan(LOADS[load]);
                let link = plan.links.iter_mut().find(|link| link.name.to_string() == "forward").expect("a bottleneck");
                let queue = Arc::make_mut(&mut link.queue);
                (queue.entry, queue.args) = (entry, args.clone());
                Some(plan)
            }));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn parameters_of_laws_that_are_declared_without_effect_have_none() {
    let mut found = Vec::new();
    for entry in Registry::default().controls() {
        let linux = entry.args(Some("linux")).ok();
        for (mode, args) in modes(entry.params, linux.as_ref()) {
            found.extend(faults(entry.name, &mode, &args, |args, load| {
                let mut plan = plan(LOADS[load]);
                for group in &mut plan.groups {
                    let of = group.transport.entry();
                    if of.name == "tcp" {
                        let control = Control { entry, args: args.clone() };
                        group.transport = TransportSpec::new(of, group.transport.args().clone(), Some(control)).ok()?;
                    }
                }
                Some(plan)
            }));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn refusal(queue: &str) -> String {
    let text = format!(
        "duration = \"8s\"\n[dumbbell]\nrate = \"4Mbit\"\ndelay = \"20ms\"\nqueue = {queue}\n[[flow]]\napp = \"bulk\"\n"
    );
    Plan::from_toml(&text, "s.toml").err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn a_file_that_sets_a_parameter_without_effect_is_refused_with_those_that_have_one() {
    let said = refusal(r#"{ kind = "cobalt", preset = "linux", decrement = 0.5 }"#);
    for part in [
        "s.toml:5:",
        "dumbbell.queue.decrement",
        "this has no effect with arithmetic = \"kernel\", only with arithmetic = \"real\"",
        "found:   0.5",
        "allowed: limit, target, interval",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
    assert_eq!(refusal(r#"{ kind = "cobalt", decrement = 0.5 }"#), "");
    let inside = refusal(r#"{ kind = "flow_queue", policy = { kind = "cobalt", preset = "linux", decrement = 0.5 } }"#);
    assert!(inside.contains("dumbbell.queue.policy.decrement"), "{inside}");
    assert!(!inside.contains("allowed: limit"), "{inside}");
}

fn cobalt(param: &str) -> &'static Param {
    let registry = Registry::default();
    let entry = registry.queue("cobalt").expect("it is registered");
    entry.params.iter().find(|known| known.name == param).expect("its parameter")
}

#[test]
fn the_default_and_values_of_presets_may_be_written_because_a_resolved_scenario_has_all() {
    let default = cobalt("decrement").default;
    assert_eq!(refusal(&format!(r#"{{ kind = "cobalt", preset = "linux", decrement = {default} }}"#)), "");
    for entry in Registry::default().queues() {
        for preset in entry.presets {
            let text = format!(
                "duration = \"8s\"\n[dumbbell]\nrate = \"4Mbit\"\ndelay = \"20ms\"\nqueue = {{ kind = \"{}\", preset = \"{}\" }}\n\
                 [[flow]]\napp = \"bulk\"\n",
                entry.name, preset.name
            );
            let Ok(plan) = Plan::from_toml(&text, "s.toml") else { continue };
            let resolved = sojourn_sim::scenario::resolved(&plan).to_string();
            let again = Plan::from_json(&resolved);
            let said = again.map_or_else(|error| error.to_string(), |_| String::new());
            assert_eq!(said, "", "{} {}", entry.name, preset.name);
        }
    }
}
