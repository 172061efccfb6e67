//! The reference, generated from the registries: pages in Markdown for the documentation here, and JSON for the command line, Python
//! constructors and other lists in [`json`].

mod json;
mod probes;
mod written;

pub use json::{entry_json, graph_json, list_json, names, registry_json};

use crate::component::Preset;
use crate::metrics::warning_codes::WARNINGS;
use crate::net::loss::LOSSES;
use crate::params::{Kind, Param};
use crate::queue::entry::QueueEntry;
use crate::registry::{APPS, Registry, TRANSPORTS};
use crate::scenario::keys::{self, Key, Presence, Shape};
use crate::sim::catalogue::TABLES;
use std::fmt::Write as _;

/// All queue disciplines of a registry with their parameters.
pub fn queues_markdown(registry: &Registry) -> String {
    let mut page = "# Queues\n\nA queue is chosen by `kind`; `preset` sets a group of its parameters, which stay \
                    settable one by one.\n"
        .to_owned();
    for entry in registry.queues() {
        page.push_str(&entry_heading(entry.name, entry.title, entry.doc, entry.reference));
        if entry.reorders {
            page.push_str(" Packets of one flow may overtake each other.");
        }
        if entry.guards {
            page.push_str(
                " Its `limit` guards memory: in a comparison no other queue takes it over, and it takes over none.",
            );
        }
        page.push_str(&settings_markdown(entry.params, "preset", entry.presets, registry));
        for (preset, other) in registry.aliases(entry.name) {
            let _ = writeln!(page, "\n`preset = \"{preset}\"` is the queue `{}`.", other.name);
        }
        page.push_str(&probes_markdown(entry));
    }
    page
}

/// The columns that `record.probes` samples.
fn probes_markdown(entry: &QueueEntry) -> String {
    let names = probes::names(entry);
    if names.is_empty() {
        return String::new();
    }
    let mut table =
        "\nProbes, which `record.probes` samples:\n\n| probe | unit | range | meaning |\n|---|---|---|---|\n"
            .to_owned();
    for name in names {
        if let Some(probe) = probes::meaning(entry, name) {
            let _ = writeln!(table, "| `{name}` | {} | {} | {} |", probe.unit, probe.range, cell(probe.doc));
        }
    }
    table
}

/// All transports and the congestion controls of a registry with their parameters.
pub fn transports_markdown(registry: &Registry) -> String {
    let mut page = "# Transports\n\nA transport is chosen by `kind`; `profile` sets a group of its parameters, which \
                    stay settable one by one. Transports with congestion control take `control`, a name or a table \
                    with `kind`.\n"
        .to_owned();
    for entry in TRANSPORTS {
        page.push_str(&entry_heading(entry.name, entry.title, entry.doc, entry.reference));
        if let Some(control) = entry.control {
            let _ = write!(page, " Congestion control unless another is said: `{}`.", control.name);
        }
        page.push_str(&settings_markdown(entry.params, "profile", entry.profiles, registry));
    }
    page.push_str(
        "\n# Congestion controls\n\nA congestion control is chosen by `control`, a name or a table with `kind`; \
         `preset` sets a group of its parameters, which stay settable one by one.\n",
    );
    for entry in registry.controls() {
        page.push_str(&entry_heading(entry.name, entry.title, entry.doc, entry.reference));
        page.push_str(&settings_markdown(entry.params, "preset", entry.presets, registry));
    }
    page
}

/// All applications with their parameters.
pub fn traffic_markdown() -> String {
    let mut page =
        "# Traffic\n\nAn application decides when a sender has data: `app`, a name or a table with `kind`; `preset` sets a group of its \
         parameters, which stay settable one by one.\n"
            .to_owned();
    for entry in APPS {
        page.push_str(&entry_heading(entry.name, entry.title, entry.doc, entry.reference));
        page.push_str(&settings_markdown(entry.params, "preset", entry.presets, &Registry::default()));
    }
    page
}

/// All loss models with their parameters.
pub fn losses_markdown() -> String {
    let mut page = "# Loss models\n\nA loss model decides which packets are corrupted on a link: `loss`, a name or a table with `kind`. \
                    These losses are counted apart from the drops of queues.\n"
        .to_owned();
    for entry in LOSSES {
        page.push_str(&entry_heading(entry.name, entry.title, entry.doc, entry.reference));
        page.push_str(&settings_markdown(entry.params, "preset", &[], &Registry::default()));
    }
    page
}

/// All tables of results with their columns.
pub fn metrics_markdown() -> String {
    let mut page = "# Results\n\nThe measured window is from `warmup` to `duration`; time series run from the start. \
                    A value that does not exist is NaN.\n"
        .to_owned();
    for table in TABLES {
        let _ = write!(page, "\n## `{}`\n\n{}", table.name, table.doc);
        if let Some(record) = table.record {
            let _ = write!(page, " Asked for by `record.{record}`.");
        }
        page.push_str("\n\n| column | unit | formula | meaning |\n|---|---|---|---|\n");
        for metric in (table.metrics)() {
            let (name, unit) = (metric.name, metric.quantity.unit.name());
            let _ = writeln!(page, "| `{name}` | {unit} | {} | {} |", cell(metric.formula), cell(metric.doc));
        }
    }
    page.push_str("\n| code | meaning | what to do |\n|---|---|---|\n");
    for entry in WARNINGS {
        let _ = writeln!(page, "| `{}` | {} | {} |", entry.code, cell(entry.doc), cell(entry.advice));
    }
    page
}

/// All keys of scenario files.
pub fn scenario_markdown() -> String {
    let mut page =
        "# Scenario files\n\nTOML. Quantities are texts with a unit: `\"10Mbit\"`, `\"20ms\"`, `\"1000B\"`, \
                    `\"50p\"`, `\"2BDP\"`, `\"5%\"`. Rates are in bits with k = 1000.\n"
            .to_owned();
    for table in keys::TABLES {
        let _ = write!(page, "\n## {}\n\n{}\n\n", heading(table.title), table.doc);
        page.push_str("| key | accepts | without it | meaning |\n|---|---|---|---|\n");
        for key in table.keys {
            let without = match key.presence {
                Presence::Required => "must be written".to_owned(),
                Presence::Default("") => "empty".to_owned(),
                Presence::Default(text) => format!("`{text}`"),
                Presence::Optional(text) => text.to_owned(),
            };
            let _ =
                writeln!(page, "| `{}` | {} | {} | {} |", key.name, cell(&accepts(key)), cell(&without), cell(key.doc));
        }
    }
    page
}

fn heading(title: &str) -> String {
    if title.contains('[') || title.starts_with(char::is_lowercase) { format!("`{title}`") } else { title.to_owned() }
}

fn accepts(key: &Key) -> String {
    match (&key.shape, key.param()) {
        (Shape::Range(_), Some(param)) => format!("{}; or a list of the least and the greatest", param.allowed()),
        (_, Some(param)) => param.allowed(),
        (Shape::Queue, _) => "a queue".to_owned(),
        (Shape::Transport, _) => "a transport".to_owned(),
        (Shape::App, _) => "an application".to_owned(),
        (Shape::Loss, _) => "a loss model".to_owned(),
        (Shape::Table { short: "", table }, _) => format!("a table: {}", heading(table.title)),
        (Shape::Table { short, table }, _) => format!("a table: {}, or its `{short}` alone", heading(table.title)),
        (Shape::Tables(table), _) => format!("tables: {}", heading(table.title)),
        (Shape::Text | Shape::Value(_) | Shape::Range(_), None) => "a text".to_owned(),
    }
}

/// A table of parameters; policies and queues are those of `registry`.
fn params_markdown(params: &[Param], registry: &Registry) -> String {
    if params.is_empty() {
        return "It has no parameters.\n".to_owned();
    }
    let mut table =
        "| parameter | accepts | default | source of the default | meaning |\n|---|---|---|---|---|\n".to_owned();
    for param in params {
        let _ = writeln!(
            table,
            "| `{}` | {} | `{}` | {} | {} |",
            param.name,
            cell(&registry.allowed(param)),
            written::as_written(param.default),
            cell(param.source),
            cell(&with_choices(param))
        );
    }
    for param in params {
        if let Kind::Tables(nested) = param.kind {
            let _ = write!(table, "\nEach `{}` has:\n\n{}", param.name, params_markdown(nested, registry));
        }
    }
    table
}

/// The effect of a parameter, and the meaning of each name that may be chosen.
fn with_choices(param: &Param) -> String {
    let choices = param.told_choices().into_iter().map(|(name, meaning)| format!("<br>`{name}`: {meaning}"));
    std::iter::once(param.doc.trim().to_owned()).chain(choices).collect()
}

fn entry_heading(name: &str, title: &str, doc: &str, reference: &str) -> String {
    format!("\n## `{name}`: {title}\n\n{doc}\n\nReference: {reference}.")
}

fn settings_markdown(params: &[Param], key: &str, presets: &[Preset], registry: &Registry) -> String {
    format!("\n\n{}{}", params_markdown(params, registry), presets_markdown(key, presets))
}

fn presets_markdown(key: &str, presets: &[Preset]) -> String {
    if presets.is_empty() {
        return String::new();
    }
    let mut table = format!("\n| `{key}` | sets | stands for |\n|---|---|---|\n");
    for preset in presets {
        let settings: Vec<String> =
            preset.settings.iter().map(|(name, value)| format!("`{name} = {}`", written::as_written(value))).collect();
        let _ = writeln!(table, "| `{}` | {} | {} |", preset.name, settings.join(", "), cell(preset.doc));
    }
    table
}

/// A text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.trim().replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{CONTROLS, QUEUES};

    #[test]
    fn every_page_has_every_name() {
        let registry = Registry::default();
        let queues = queues_markdown(&registry);
        for entry in QUEUES {
            assert!(queues.contains(&format!("## `{}`", entry.name)));
            assert!(entry.params.iter().all(|param| queues.contains(&format!("| `{}` |", param.name))));
        }
        assert!(TRANSPORTS.iter().all(|entry| transports_markdown(&registry).contains(entry.title)));
        assert!(CONTROLS.iter().all(|entry| transports_markdown(&registry).contains(entry.title)));
        assert!(APPS.iter().all(|entry| traffic_markdown().contains(entry.title)));
        assert!(LOSSES.iter().all(|entry| losses_markdown().contains(entry.title)));
        assert!(TABLES.iter().all(|table| metrics_markdown().contains(table.doc)));
        assert!(WARNINGS.iter().all(|entry| metrics_markdown().contains(entry.advice)));
        assert!(keys::TABLES.iter().all(|table| scenario_markdown().contains(table.title)));
    }

    #[test]
    fn the_rows_of_a_table_have_its_number_of_cells() {
        for page in [
            queues_markdown(&Registry::default()),
            transports_markdown(&Registry::default()),
            traffic_markdown(),
            losses_markdown(),
            metrics_markdown(),
            scenario_markdown(),
        ] {
            let mut columns = 0;
            for line in page.lines() {
                let cells = line.replace("\\|", "").matches('|').count();
                if line.starts_with("|---") {
                    columns = cells;
                } else if line.starts_with("| `") && columns > 0 {
                    assert_eq!(cells, columns, "{line}");
                } else if line.is_empty() {
                    columns = 0;
                }
            }
        }
    }
}
