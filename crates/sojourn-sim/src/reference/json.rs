//! The registries as JSON.

use super::{probes, written};
use crate::component::Preset;
use crate::metrics::column::Metric;
use crate::metrics::warning_codes::{WARNINGS, WarningEntry};
use crate::net::loss::{LOSSES, LossEntry};
use crate::params::{Group, Kind, Param, When};
use crate::queue::drawing::{Axis, Graph};
use crate::queue::entry::QueueEntry;
use crate::registry::{APPS, Registry, TRANSPORTS};
use crate::sim::catalogue::{TABLES, TableEntry};
use crate::traffic::entry::AppEntry;
use crate::transport::entry::{ControlEntry, TransportEntry};
use serde_json::{Value as Json, json};
use std::fmt::Debug;

/// All entries by name, as one JSON value: `queues`, `transports`, `controls`, `apps`, `losses` with
/// `params` and `presets`; whether a queue, a transport or a control `has_law`, and the quantities that a queue without one `decides` by;
/// `groups` of parameters that several queues share, which name them in `group`; `tables` of results with their metrics; the `warnings` of
/// runs.
pub fn registry_json(registry: &Registry) -> Json {
    let lists = LISTS.iter().map(|&list| (list.to_owned(), list_json(list, registry).expect("it is one of them")));
    Json::Object(lists.collect())
}

/// The lists of [`registry_json`].
const LISTS: [&str; 8] = ["queues", "groups", "transports", "controls", "apps", "losses", "tables", "warnings"];

/// One list of [`registry_json`], for callers that need no other.
pub fn list_json(list: &str, registry: &Registry) -> Option<Json> {
    Some(match list {
        "queues" => registry.queues().map(|entry| queue_json(entry, registry)).collect(),
        "groups" => registry.groups().into_iter().map(|group| group_json(group, registry)).collect(),
        "transports" => TRANSPORTS.iter().map(|entry| transport_json(entry, registry)).collect(),
        "controls" => registry.controls().map(|entry| control_json(entry, registry)).collect(),
        "apps" => APPS.iter().map(|entry| app_json(entry, registry)).collect(),
        "losses" => LOSSES.iter().map(|entry| loss_json(entry, registry)).collect(),
        "tables" => TABLES.iter().map(table_json).collect(),
        "warnings" => WARNINGS.iter().map(warning_json).collect(),
        _ => return None,
    })
}

/// The names in a list of components that [`registry_json`] has, of this registry: `queues`, `groups`, `transports`,
/// `controls`, `apps` or `losses`. Any other list is empty.
pub fn names(list: &str, registry: &Registry) -> Vec<&'static str> {
    match list {
        "queues" => registry.queues().map(|entry| entry.name).collect(),
        "groups" => registry.groups().into_iter().map(|group| group.name).collect(),
        "transports" => TRANSPORTS.iter().map(|entry| entry.name).collect(),
        "controls" => registry.controls().map(|entry| entry.name).collect(),
        "apps" => APPS.iter().map(|entry| entry.name).collect(),
        "losses" => LOSSES.iter().map(|entry| entry.name).collect(),
        _ => Vec::new(),
    }
}

/// One entry of a list of [`names`], as in [`registry_json`], for callers that need only one.
pub fn entry_json(list: &str, name: &str, registry: &Registry) -> Option<Json> {
    Some(match list {
        "queues" => queue_json(registry.queue(name)?, registry),
        "groups" => group_json(registry.groups().into_iter().find(|group| group.name == name)?, registry),
        "transports" => transport_json(TRANSPORTS.iter().find(|entry| entry.name == name)?, registry),
        "controls" => control_json(registry.control(name)?, registry),
        "apps" => app_json(APPS.iter().find(|entry| entry.name == name)?, registry),
        "losses" => loss_json(LOSSES.iter().find(|entry| entry.name == name)?, registry),
        _ => return None,
    })
}

fn queue_json(entry: &QueueEntry, registry: &Registry) -> Json {
    json!({
        "name": entry.name, "title": entry.title, "doc": entry.doc, "reference": entry.reference,
        "reorders": entry.reorders, "guards": entry.guards, "has_law": entry.law.is_some(), "decides": entry.decides,
        "probes": probes_json(entry),
        "params": queue_params_json(entry.params, registry), "presets": queue_presets_json(entry, registry),
    })
}

/// The presets of a queue; one that is a queue of its own has its name as `queue`, and no settings.
fn queue_presets_json(entry: &QueueEntry, registry: &Registry) -> Json {
    let aliases = registry.aliases(entry.name).map(|(preset, other)| {
        let doc = format!("The queue `{}`, whose parameters are then settable: {}.", other.name, other.title);
        json!({ "name": preset, "doc": doc, "settings": {}, "written": {}, "queue": other.name })
    });
    let own = presets_json(entry.presets);
    own.as_array().into_iter().flatten().cloned().chain(aliases).collect()
}

fn group_json(group: &Group, registry: &Registry) -> Json {
    json!({ "name": group.name, "doc": group.doc.trim(), "params": params_json(&group.own(), registry) })
}

fn transport_json(entry: &TransportEntry, registry: &Registry) -> Json {
    json!({
        "name": entry.name, "title": entry.title, "doc": entry.doc, "reference": entry.reference,
        "control": entry.control.map(|control| control.name), "has_law": entry.law.is_some(),
        "params": params_json(entry.params, registry), "profiles": presets_json(entry.profiles),
    })
}

fn control_json(entry: &ControlEntry, registry: &Registry) -> Json {
    json!({
        "name": entry.name, "title": entry.title, "doc": entry.doc, "reference": entry.reference,
        "has_law": entry.law.is_some(),
        "params": params_json(entry.params, registry), "presets": presets_json(entry.presets),
    })
}

fn app_json(entry: &AppEntry, registry: &Registry) -> Json {
    json!({
        "name": entry.name, "title": entry.title, "doc": entry.doc, "reference": entry.reference,
        "params": params_json(entry.params, registry), "presets": presets_json(entry.presets),
    })
}

fn loss_json(entry: &LossEntry, registry: &Registry) -> Json {
    json!({
        "name": entry.name, "title": entry.title, "doc": entry.doc, "reference": entry.reference,
        "params": params_json(entry.params, registry),
    })
}

fn table_json(table: &TableEntry) -> Json {
    json!({
        "name": table.name, "doc": table.doc, "record": table.record,
        "metrics": (table.metrics)().iter().map(metric_json).collect::<Vec<_>>(),
    })
}

fn warning_json(entry: &WarningEntry) -> Json {
    json!({ "name": entry.code, "doc": entry.doc, "advice": entry.advice })
}

/// A law: `x` and `y` with `name` and `unit`, `about` it, and `curves` with `name` and `points`, each an x and a y.
pub fn graph_json(graph: &Graph) -> Json {
    let axis = |axis: Axis| json!({ "name": axis.name, "unit": axis.unit });
    let curves: Vec<Json> =
        graph.curves.iter().map(|curve| json!({ "name": curve.name, "points": curve.points })).collect();
    json!({ "x": axis(graph.x), "y": axis(graph.y), "about": graph.about, "curves": curves })
}

fn params_json(params: &[Param], registry: &Registry) -> Json {
    params.iter().map(|param| param_json(param, registry)).collect()
}

/// The probes of a queue; those of a user's own class have a name alone.
fn probes_json(entry: &QueueEntry) -> Json {
    let probe = |name: &&'static str| match probes::meaning(entry, name) {
        Some(probe) => json!({ "name": name, "unit": probe.unit, "range": probe.range, "doc": probe.doc }),
        None => json!({ "name": name, "unit": "", "range": "", "doc": "" }),
    };
    probes::names(entry).iter().map(probe).collect()
}

/// The parameters of a queue as JSON, with the group of each.
fn queue_params_json(params: &[Param], registry: &Registry) -> Json {
    let with_group = |(param, group): (&Param, Option<&Group>)| {
        let mut json = param_json(param, registry);
        json["group"] = json!(group.map(|group| group.name));
        json
    };
    params.iter().zip(registry.groups_of(params)).map(with_group).collect()
}

fn param_json(param: &Param, registry: &Registry) -> Json {
    let mut json = json!({
        "name": param.name,
        "type": kind_name(param.kind),
        "auto": param.auto,
        "default": param.default,
        "written": written::as_written(param.default),
        "allowed": registry.allowed(param),
        "source": param.source,
        "doc": param.doc.trim(),
    });
    if param.when.is_some() {
        let condition = |when: &When| match when.without {
            [] => json!({ "parameter": when.name, "values": when.values }),
            without => json!({ "parameter": when.name, "without": without }),
        };
        json["when"] = param.when.iter().map(condition).collect();
    }
    let told = param.told_choices();
    if !told.is_empty() {
        json["meanings"] = told.into_iter().map(|(name, meaning)| (name.to_owned(), json!(meaning))).collect();
    }
    match param.kind {
        Kind::Choice(names) => json["choices"] = json!(names),
        Kind::Policy(_) | Kind::Queue(_) => json["choices"] = json!(registry.choices(param)),
        Kind::Tables(params) => json["params"] = params_json(params, registry),
        Kind::Bool => {}
        // Infinite ends have no place in JSON: they are left out.
        _ => {
            for (name, bound) in [("min", param.min), ("max", param.max)] {
                if bound.is_finite() {
                    json[name] = json!(bound);
                }
            }
            json["unit"] = json!(param.kind.unit());
        }
    }
    json
}

/// The name of a kind of value for programs.
fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "bool",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Fraction => "fraction",
        Kind::Rate => "rate",
        Kind::Time => "time",
        Kind::Size => "size",
        Kind::Bytes => "bytes",
        Kind::Choice(_) => "choice",
        Kind::Dscp => "dscp",
        Kind::Flows => "flows",
        Kind::Several(_) => "several",
        Kind::Tables(_) => "tables",
        Kind::Numbers => "numbers",
        Kind::Policy(_) => "policy",
        Kind::Queue(_) => "queue",
    }
}

fn presets_json(presets: &[Preset]) -> Json {
    let settings = |preset: &Preset, shown: fn(&str) -> String| -> Json {
        preset.settings.iter().map(|(name, value)| ((*name).to_owned(), json!(shown(value)))).collect()
    };
    presets
        .iter()
        .map(|preset| {
            json!({
                "name": preset.name, "doc": preset.doc, "settings": settings(preset, str::to_owned),
                "written": settings(preset, written::as_written),
            })
        })
        .collect()
}

fn metric_json(metric: &Metric) -> Json {
    let quantity = &metric.quantity;
    let ((shown, factor), (least, most)) = (quantity.shown(), quantity.bounds);
    let word = |name: &dyn Debug| format!("{name:?}").to_lowercase();
    json!({
        "name": metric.name, "values": word(&metric.values), "unit": quantity.unit.name(), "formula": metric.formula, "doc": metric.doc,
        "label": metric.label(), "noun": metric.noun(), "head": metric.head(), "statistic": quantity.statistic,
        "shown": shown, "factor": factor, "least": least, "most": most,
        "better": word(&quantity.better), "wanted": word(&quantity.wanted), "kind": word(&quantity.kind),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::QUEUES;

    #[test]
    fn defaults_in_json_read_back() {
        let json = registry_json(&Registry::default());
        let param = &json["queues"][0]["params"][0];
        assert_eq!(param["name"], QUEUES[0].params[0].name);
        assert_eq!(param["default"], QUEUES[0].params[0].default);
        assert_eq!(json["queues"].as_array().map(Vec::len), Some(QUEUES.len()));
    }

    #[test]
    fn an_entry_alone_is_as_in_the_registry() {
        let registry = Registry::default();
        let json = registry_json(&registry);
        for list in ["queues", "groups", "transports", "controls", "apps", "losses"] {
            let entries = json[list].as_array().expect(list);
            assert_eq!(entries.len(), names(list, &registry).len());
            for (entry, name) in entries.iter().zip(names(list, &registry)) {
                assert_eq!(Some(entry), entry_json(list, name, &registry).as_ref());
            }
            assert_eq!(entry_json(list, "nothing", &registry), None);
        }
        assert!(names("tables", &registry).is_empty());
        assert_eq!(entry_json("tables", "flow", &registry), None);
    }
}
