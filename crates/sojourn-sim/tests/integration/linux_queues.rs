//! A queue of Linux's own takes the place of a preset `linux`: both names mean the same queue, and parameters with another name there are
//! refused with it.

use sojourn_sim::registry::Registry;
use sojourn_sim::scenario::{Document, plan::Plan, resolved};

fn plan(queue: &str) -> Result<Plan, String> {
    let text = format!(
        "duration = \"8s\"\n[dumbbell]\nrate = \"4Mbit\"\ndelay = \"20ms\"\nqueue = {queue}\n[[flow]]\napp = \"bulk\"\n"
    );
    Plan::from_toml(&text, "s.toml").map_err(|error| error.to_string())
}

fn refusal(queue: &str) -> String {
    plan(queue).err().unwrap_or_default()
}

#[test]
fn a_preset_and_the_queue_that_takes_its_place_are_one() {
    let registry = Registry::default();
    let aliases: Vec<_> = registry.queues().filter_map(|entry| entry.alias.map(|alias| (entry.name, alias))).collect();
    assert!(!aliases.is_empty());
    for (name, alias) in aliases {
        let text = |queue: &str| resolved(&plan(queue).unwrap_or_else(|error| panic!("{error}"))).to_string();
        let by_preset = format!("{{ kind = \"{}\", preset = \"{}\", limit = \"30p\" }}", alias.of, alias.preset);
        assert_eq!(text(&by_preset), text(&format!("{{ kind = \"{name}\", limit = \"30p\" }}")), "{name}");
        let again = Document::from_json(&text(&by_preset)).expect("JSON").plan().expect("a plan");
        assert_eq!(resolved(&again).to_string(), text(&by_preset), "{name}");
    }
}

#[test]
fn a_parameter_of_the_published_law_is_refused_with_the_words_of_linux() {
    let all = "allowed: kind = \"sch_pie\" with limit, target, tupdate, alpha, beta, ecn, mtu, hz";
    for (param, instead) in [
        ("interval = \"30ms\"", "which has tupdate in its place"),
        ("alpha = 0.5", "which has alpha in sixteenths of a Hz in its place"),
        ("high_delay = \"2s\"", "which has no \"high_delay\""),
        ("arithmetic = \"kernel\"", "which has no \"arithmetic\""),
    ] {
        let said = refusal(&format!("{{ kind = \"pie\", preset = \"linux\", {param} }}"));
        let name = param.split(' ').next().unwrap_or_default();
        for part in ["s.toml:5:", &format!("dumbbell.queue.{name}"), "of pie is the queue \"sch_pie\"", instead, all] {
            assert!(said.contains(part), "{part:?} is not in {said}");
        }
    }
    let inside = refusal(r#"{ kind = "flow_queue", policy = { kind = "pie", preset = "linux", interval = "30ms" } }"#);
    assert!(inside.contains("dumbbell.queue.policy.interval") && !inside.contains("with limit"), "{inside}");
}

#[test]
fn each_word_in_place_of_a_parameter_is_a_parameter_there() {
    let registry = Registry::default();
    for entry in registry.queues() {
        let Some(alias) = entry.alias else { continue };
        let published = registry.queue(alias.of).expect("the published law");
        assert!(published.presets.iter().all(|preset| preset.name != alias.preset), "{}", entry.name);
        for (old, new) in alias.words {
            let name = new.split(' ').next().unwrap_or_default();
            let anywhere = registry.queues().filter(|other| other.alias.is_some());
            assert!(anywhere.flat_map(|other| other.params).any(|param| param.name == name), "{old}: {new}");
        }
    }
}

#[test]
fn words_of_linux_at_the_published_law_are_refused_with_the_queue_that_has_them() {
    for param in ["tupdate = \"30ms\"", "arithmetic = \"kernel\"", "hz = 250"] {
        let said = refusal(&format!("{{ kind = \"pie\", {param} }}"));
        assert!(said.contains("the queue \"pie\" has no such parameter"), "{said}");
        assert!(said.contains("Linux's is the queue \"sch_pie\""), "{said}");
    }
    assert!(!refusal(r#"{ kind = "pie", tarjet = "3ms" }"#).contains("sch_pie"));
}
