//! The queues of the archive pass the tests for queues of the core.

use sojourn_archive::{QUEUES, registry};
use sojourn_bottleneck::{Datagram, Queue, Time};
use sojourn_sim::conformance::suite::PROMISES;
use sojourn_sim::conformance::thresholds::full_buffers;
use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::net::loss::LOSSES;
use sojourn_sim::params::Kind;
use sojourn_sim::queue::LinkContext;
use sojourn_sim::reference::{entry_json, names, queues_markdown, registry_json};
use sojourn_sim::registry::{APPS, TRANSPORTS};
use sojourn_sim::scenario::{Document, schema, schema_text};
use sojourn_sim::sim::Simulation;
use sojourn_sim::sim::shortcuts::Shortcuts;

fn every_entry_keeps(promise: &str) {
    let promise = PROMISES.iter().find(|known| known.name == promise).expect("a promise");
    for entry in QUEUES {
        assert_eq!((promise.check)(entry), Ok(()), "{}", entry.name);
    }
}

#[test]
fn every_entry_keeps_its_promises_on_fixed_sequences() {
    every_entry_keeps("packets");
}

#[test]
fn every_entry_keeps_its_promises_under_random_load_and_repeats_itself() {
    every_entry_keeps("random load");
}

#[test]
fn no_queue_breaks_where_a_number_is_at_the_end_of_its_range() {
    every_entry_keeps("ranges");
}

#[test]
fn every_entry_has_valid_defaults_and_presets() {
    every_entry_keeps("parameters");
}

#[test]
fn automatic_thresholds_are_at_most_the_limit() {
    let drawn: usize = QUEUES.iter().map(|entry| full_buffers(entry).expect("thresholds within the limit")).sum();
    assert!(drawn > 20, "{drawn} laws were drawn");
}

#[test]
fn the_packets_of_every_policy_lead_one_life_inside_every_discipline() {
    every_entry_keeps("one life");
}

/// TCP with marks both ways and a blast of datagrams.
const MIX: &str = r#"
duration = "8s"
warmup = "2s"
[dumbbell]
rate = "5Mbit"
delay = "10ms"
queue = { QUEUE }
[record]
queue = "50ms"
probes = { every = "70ms", poisson = true }
drops = true
occupancy = true
[[flow]]
name = "bulk"
count = 6
transport = { kind = "tcp", recovery = "sack", ecn = true, profile = "ns2" }
start = { at = "0s", spread = "1s" }
[[flow]]
name = "back"
count = 2
direction = "backward"
transport = { kind = "tcp", recovery = "newreno", profile = "rfc" }
[[flow]]
name = "blast"
transport = { kind = "udp" }
app = { kind = "cbr", rate = "800kbit" }
start = "5s"
"#;

fn run(queue: &str, shortcuts: Shortcuts) -> Vec<Table> {
    let document = Document::from_toml(&MIX.replace("QUEUE", queue), "mix.toml").expect("TOML").knowing(registry());
    let plan = document.plan().unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::with_shortcuts(&plan, 1, shortcuts).expect("a plan that runs");
    simulation.advance(simulation.end());
    simulation.finish()
}

/// Tables as texts that tell all bits apart.
fn bits(tables: &[Table]) -> Vec<String> {
    let of = |data: &Data| match data {
        Data::F64(values) => format!("{:?}", values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()),
        Data::U64(values) => format!("{values:?}"),
        Data::Text(values) => format!("{values:?}"),
    };
    let columns = tables.iter().flat_map(|table| table.columns.iter().map(move |column| (table.name, column)));
    columns.map(|(table, column)| format!("{table}.{}: {}", column.name, of(&column.data))).collect()
}

/// A queue that says that it decides on arrival must do so.
#[test]
fn shortcuts_change_nothing() {
    for entry in QUEUES {
        let ecn = if entry.params.iter().any(|param| param.name == "ecn" && param.when.is_none()) {
            ", ecn = true"
        } else {
            ""
        };
        let presets = entry.presets.iter().map(|preset| format!(", preset = \"{}\"", preset.name));
        for preset in std::iter::once(String::new()).chain(presets) {
            let queue = format!("kind = \"{}\"{preset}{ecn}", entry.name);
            assert_eq!(bits(&run(&queue, Shortcuts::ALL)), bits(&run(&queue, Shortcuts::NONE)), "{queue}");
        }
    }
}

#[test]
fn every_queue_is_there_for_other_programs() {
    for entry in registry().queues() {
        let mut queue = Queue::new_knowing(entry.name, "10Mbit", "50ms", 1, registry()).expect("a queue by its name");
        queue.enqueue(Time::ZERO, Datagram::new(500), ());
        let later = queue.next_time().unwrap_or_default().max(Time::from_secs(1));
        assert!(queue.dequeue(Time::ZERO).or_else(|| queue.dequeue(later)).is_some(), "{}", entry.name);
    }
}

#[test]
fn a_queue_draws_its_law_or_says_what_it_decides_by() {
    for entry in QUEUES {
        assert_eq!(entry.decides.is_empty(), entry.law.is_some(), "{}", entry.name);
        assert!(entry.decides.is_empty() || entry.decides.ends_with('.'), "{}", entry.name);
        for preset in std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name))) {
            let args = entry.args(preset).expect("a preset of this entry");
            let Some(graph) = entry.graph(&args, &LinkContext::default()) else { continue };
            for curve in graph.expect("presets hold on the default link").curves {
                assert!(curve.points.len() > 20, "{} {preset:?}", entry.name);
                assert!(curve.points.is_sorted_by(|one, next| one.0 < next.0), "{} {preset:?}", entry.name);
            }
        }
    }
}

#[test]
fn every_probe_has_a_meaning_and_every_meaning_a_probe() {
    let json = registry_json(registry());
    for queue in json["queues"].as_array().expect("a list") {
        for probe in queue["probes"].as_array().expect("a list") {
            assert!(probe["doc"].as_str().is_some_and(|doc| !doc.is_empty()), "{} {}", queue["name"], probe["name"]);
        }
    }
    for entry in QUEUES {
        let queue = entry.build(&entry.args(None).expect("defaults"), &LinkContext::default()).expect("defaults");
        for probe in entry.probes {
            assert!(queue.probes().contains(&probe.name), "{} {}", entry.name, probe.name);
        }
    }
}

#[test]
fn lists_schema_and_reference_have_them() {
    let (schema, page) = (schema(registry()), queues_markdown(registry()));
    for entry in QUEUES {
        assert!(names("queues", registry()).contains(&entry.name));
        assert!(schema["$defs"][format!("queue_{}", entry.name)].is_object(), "{}", entry.name);
        assert!(page.contains(&format!("## `{}`", entry.name)), "{}", entry.name);
    }
    let flow_queue = entry_json("queues", "flow_queue", registry()).expect("it is there");
    let params = flow_queue["params"].as_array().expect("a list");
    let policy = params.iter().find(|param| param["name"] == "policy").expect("it takes a policy");
    assert!(policy["choices"].as_array().expect("names").contains(&"nlred".into()));
    assert!(policy["allowed"].as_str().expect("a text").contains("\"nlred\""));
}

/// The definition of a parameter of tables is shared by its name: a queue of the archive may not change that of the core.
#[test]
fn the_parameters_of_tables_are_those_of_the_core() {
    let (whole, core) = (schema(registry()), schema(&sojourn_sim::registry::Registry::default()));
    for (name, definition) in core["$defs"].as_object().expect("definitions") {
        if name.starts_with("table_") {
            assert_eq!(&whole["$defs"][name], definition, "{name}");
        }
    }
}

/// The number in docs/bottleneck.md.
#[test]
fn the_page_of_bottlenecks_says_how_many_there_are() {
    let page = include_str!("../../../../docs/bottleneck.md");
    let core = sojourn_sim::registry::QUEUES.len();
    assert!(page.contains(&format!("The crate has {core} queues. {} more", QUEUES.len())));
}

/// When every queue described all its parameters the text took 462,000 bytes for the 843 that there were, 548 for each. Parameters of
/// several tables are there once now: a third of that (183; 182 with those 843), and a thirtieth more, as new parameters have longer texts.
#[test]
fn the_schema_is_short() {
    let queues = registry().queues().flat_map(|entry| entry.params);
    let in_tables = queues.clone().map(|param| if let Kind::Tables(specs) = param.kind { specs.len() } else { 0 });
    let lists = [
        queues.count(),
        in_tables.sum(),
        TRANSPORTS.iter().map(|entry| entry.params.len()).sum(),
        registry().controls().map(|entry| entry.params.len()).sum(),
        APPS.iter().map(|entry| entry.params.len()).sum(),
        LOSSES.iter().map(|entry| entry.params.len()).sum(),
    ];
    let (bytes, params) = (schema_text(registry()).len(), lists.iter().sum::<usize>());
    assert!(bytes <= 188 * params, "{bytes} bytes for {params} parameters");
}
