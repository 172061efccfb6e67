//! The JSON Schema (draft 2020-12) of scenario files, for editors and for programs that write them.
//! It derives from [`keys`] and the registries; nothing is written twice.

use super::keys::{self, Key, Presence, Shape, Table};
use super::resolved::value_json;
use crate::component::Preset;
use crate::header::Dscp;
use crate::net::loss::LOSSES;
use crate::params::{Group, Kind, OUTER, Param, one_of};
use crate::queue::entry::QueueEntry;
use crate::registry::{APPS, QUEUES, Registry, TRANSPORTS};
use serde_json::{Map, Value as Json, json};

/// The schema of scenario files that may name the entries of `registry`.
pub fn schema(registry: &Registry) -> Json {
    let mut definitions = Map::new();
    for table in keys::TABLES {
        if let Some(name) = definition_name(table) {
            definitions.insert(name.into(), table_schema(table));
        }
    }
    for entry in registry.queues() {
        definitions.insert(format!("queue_{}", entry.name), queue_schema(entry, registry));
    }
    for group in registry.groups() {
        definitions.insert(group_definition(group), group_schema(group));
    }
    for param in registry.queues().flat_map(|entry| entry.params) {
        if let Kind::Tables(specs) = param.kind {
            definitions.extend(specs.iter().map(|spec| (table_definition(spec), param_schema(spec))));
        }
    }
    definitions.extend(quantities());
    let fraction = json!({ "anyOf": [{ "type": "number", "minimum": 0.0, "maximum": 1.0 }, reference("percent")] });
    definitions.insert("fraction".into(), fraction);
    for entry in TRANSPORTS {
        let mut others = preset_property("profile", entry.profiles);
        if entry.control.is_some() {
            others.push(("control".into(), reference("control")));
        }
        definitions
            .insert(format!("transport_{}", entry.name), kind_schema(entry.name, entry.doc, entry.params, others));
    }
    for entry in registry.controls() {
        let others = preset_property("preset", entry.presets);
        definitions.insert(format!("control_{}", entry.name), kind_schema(entry.name, entry.doc, entry.params, others));
    }
    for entry in APPS {
        let others = preset_property("preset", entry.presets);
        definitions.insert(format!("app_{}", entry.name), kind_schema(entry.name, entry.doc, entry.params, others));
    }
    for entry in LOSSES {
        definitions
            .insert(format!("loss_{}", entry.name), kind_schema(entry.name, entry.doc, entry.params, Vec::new()));
    }
    let mut kinds = |what: &str, names: Vec<&str>| definitions.insert(what.into(), named_or_table(what, &names));
    kinds("queue", registry.queues().map(|entry| entry.name).collect());
    kinds("transport", TRANSPORTS.iter().map(|entry| entry.name).collect());
    kinds("control", registry.controls().map(|entry| entry.name).collect());
    kinds("app", APPS.iter().map(|entry| entry.name).collect());
    kinds("loss", LOSSES.iter().map(|entry| entry.name).collect());

    definitions.insert("policy".into(), policy_schema(registry));
    share_properties(&mut definitions);

    let mut schema = Map::new();
    schema.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".into(), json!("Sojourn scenario"));
    if let Json::Object(top) = table_schema(&keys::SCENARIO) {
        schema.extend(top);
    }
    schema.insert("oneOf".into(), json!([{ "required": ["dumbbell"] }, { "required": ["node", "link"] }]));
    schema.insert("$defs".into(), Json::Object(definitions));
    Json::Object(schema)
}

/// The schema as a text: a line for each key and each parameter.
pub fn schema_text(registry: &Registry) -> String {
    let mut text = String::new();
    write_lines(&schema(registry), 0, &mut text);
    text
}

/// Writes `json`, whose keys down to those of the tables in `$defs` have lines of their own.
fn write_lines(json: &Json, depth: usize, text: &mut String) {
    const DEEPEST: usize = 4;
    let Json::Object(map) = json else { return text.push_str(&json.to_string()) };
    if depth == DEEPEST || map.is_empty() || !map.values().any(Json::is_object) {
        return text.push_str(&json.to_string());
    }
    text.push_str("{\n");
    for (index, (key, value)) in map.iter().enumerate() {
        text.push_str(&"  ".repeat(depth + 1));
        text.push_str(&json!(key).to_string());
        text.push_str(": ");
        write_lines(value, depth + 1, text);
        text.push_str(if index + 1 == map.len() { "\n" } else { ",\n" });
    }
    text.push_str(&"  ".repeat(depth));
    text.push('}');
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// The name of a table's definition; the top level has none.
fn definition_name(table: &Table) -> Option<&str> {
    let name = table.title.trim_matches(['[', ']']);
    (!std::ptr::eq(table, &raw const keys::SCENARIO)).then(|| name.strip_suffix(".*").unwrap_or(name)).map(|name| {
        match name {
            "record" if std::ptr::eq(table, &raw const keys::EVERY) => "series",
            name => name,
        }
    })
}

fn table_schema(table: &Table) -> Json {
    let properties: Map<String, Json> = table.keys.iter().map(|key| (key.name.to_owned(), key_schema(key))).collect();
    let required: Vec<&str> =
        table.keys.iter().filter(|key| matches!(key.presence, Presence::Required)).map(|key| key.name).collect();
    json!({
        "type": "object",
        "description": table.doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn key_schema(key: &Key) -> Json {
    let mut schema = match (&key.shape, key.param()) {
        (Shape::Range(_), Some(param)) => {
            let one = value_schema(&param);
            json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 2, "maxItems": 2 }] })
        }
        (_, Some(param)) => value_schema(&param),
        (Shape::Queue, _) => reference("queue"),
        (Shape::Transport, _) => reference("transport"),
        (Shape::App, _) => reference("app"),
        (Shape::Loss, _) => reference("loss"),
        (Shape::Table { table, short }, _) => {
            let long = reference(definition_name(table).unwrap_or_default());
            let bare = table.keys.iter().find(|below| below.name == *short).and_then(Key::param);
            match bare {
                Some(param) => json!({ "anyOf": [value_schema(&param), long] }),
                None => long,
            }
        }
        (Shape::Tables(table), _) => {
            json!({ "type": "array", "items": reference(definition_name(table).unwrap_or_default()) })
        }
        (Shape::Text | Shape::Value(_) | Shape::Range(_), None) => json!({ "type": "string" }),
    };
    schema["description"] = match key.presence {
        Presence::Optional(without) => json!(format!("{} Without it: {without}.", key.doc)),
        Presence::Required | Presence::Default(_) => json!(key.doc),
    };
    if let Presence::Default(text) = key.presence {
        schema["default"] = key.param().map_or(json!(text), |param| default_json(&param));
    }
    schema
}

/// The default as in a file: numbers as numbers, quantities as texts, a policy by its name.
fn default_json(param: &Param) -> Json {
    if matches!(param.kind, Kind::Policy(_) | Kind::Queue(_)) {
        return json!(param.default);
    }
    param.read_text(param.default).map_or(json!(param.default), |value| value_json(&value))
}

/// A parameter of a registry, with its default. Where that comes from is in the reference.
fn param_schema(param: &Param) -> Json {
    let mut schema = value_schema(param);
    schema["description"] = json!(format!("{}{}", param.doc.trim(), range(param)));
    schema["default"] = default_json(param);
    schema
}

/// The table of a queue: its own parameters, and the names of those that the definitions of its groups describe.
fn queue_schema(entry: &QueueEntry, registry: &Registry) -> Json {
    let mut presets = entry.presets.to_vec();
    presets.extend(registry.aliases(entry.name).map(|(name, other)| Preset { name, doc: other.title, settings: &[] }));
    let others = preset_property("preset", &presets);
    let groups = registry.groups_of(entry.params);
    let params = entry.params.iter().zip(&groups).map(|(param, group)| (param.name, queue_param_schema(param, *group)));
    let mut schema = table_of_kind(entry.name, entry.doc, params, others);
    let mut included: Vec<Json> = Vec::new();
    for group in groups.iter().copied().flatten() {
        let group = reference(&group_definition(group));
        if !included.contains(&group) {
            included.push(group);
        }
    }
    if !included.is_empty() {
        schema["allOf"] = json!(included);
    }
    schema
}

/// A parameter of a queue. A parameter of a group has only its name here, and its differences.
fn queue_param_schema(param: &Param, group: Option<&Group>) -> Json {
    let own = param_schema(param);
    let Some(group) = group else { return own };
    let declared = group.params.iter().find(|other| other.name == param.name);
    if declared.is_some_and(|declared| param_schema(declared) == own) {
        return json!(true);
    }
    json!({ "description": own["description"], "default": own["default"] })
}

/// The schema of the parameters that a group declares itself, for any table that includes it.
fn group_schema(group: &Group) -> Json {
    let properties: Map<String, Json> =
        group.own().iter().map(|param| (param.name.to_owned(), param_schema(param))).collect();
    json!({ "properties": properties })
}

/// The parameters of tables in lists, of the queues of this crate.
fn in_tables() -> impl Iterator<Item = &'static Param> {
    QUEUES.iter().flat_map(|entry| entry.params).flat_map(|param| match param.kind {
        Kind::Tables(specs) => specs,
        _ => &[],
    })
}

/// The name of the definition of a parameter in a list of tables: one for all queues that describe it alike, the first of this crate
/// without a number.
fn table_definition(param: &Param) -> String {
    let mut forms: Vec<Json> = Vec::new();
    for form in in_tables().filter(|other| other.name == param.name).map(param_schema) {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    let own = param_schema(param);
    match forms.iter().position(|form| *form == own).unwrap_or(forms.len()) {
        0 => format!("table_{}", param.name),
        place => format!("table_{}_{}", param.name, place + 1),
    }
}

/// The name of a group's definition.
fn group_definition(group: &Group) -> String {
    format!("group_{}", group.name)
}

/// A property that several tables have under one name becomes a definition of that name, if that is shorter. The definition is the form
/// that most of them have.
fn share_properties(definitions: &mut Map<String, Json>) {
    const WORTHWHILE: usize = 80;
    let mut forms: Vec<(String, Json, usize)> = Vec::new();
    for (name, schema) in definitions.values().filter_map(|table| table["properties"].as_object()).flatten() {
        match forms.iter_mut().find(|(known, form, _)| known == name && form == schema) {
            Some((_, _, uses)) => *uses += 1,
            None => forms.push((name.clone(), schema.clone(), 1)),
        }
    }
    forms.retain(|(_, form, uses)| *uses > 1 && form.to_string().len() > WORTHWHILE);
    // The most used form of a name comes first and keeps the name; the order is stable.
    forms.sort_by_key(|(_, _, uses)| std::cmp::Reverse(*uses));
    for (name, form, _) in forms {
        let definition = format!("shared_{name}");
        if definitions.contains_key(&definition) {
            continue;
        }
        for table in definitions.values_mut() {
            if let Some(property) = table.get_mut("properties").and_then(|properties| properties.get_mut(&name))
                && *property == form
            {
                *property = reference(&definition);
            }
        }
        definitions.insert(definition, form);
    }
}

/// The range of a quantity, which is a text and has none for a schema.
fn range(param: &Param) -> String {
    match param.kind {
        Kind::Rate | Kind::Time | Kind::Size | Kind::Bytes => {
            param.range().map_or(String::new(), |range| format!(" Allowed: {range}."))
        }
        _ => String::new(),
    }
}

const NUMBER: &str = r"[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*";

/// The form of quantities, by name: the definitions to which parameters refer.
fn quantities() -> impl Iterator<Item = (String, Json)> {
    let rate = "([kKmMgGtT]?bit|[KMG]ibit)(/s)?";
    let size = "p|pkt|packets|BDP|bdp|B|byte|bytes|[kMGT]B|[KMG]iB|ns|us|ms|s";
    let quantities: [(&str, &str, &[&str]); 5] = [
        ("percent", "%", &["5%"]),
        ("rate", rate, &["10Mbit", "64kbit", "1.5Gbit"]),
        ("time", "ns|us|µs|ms|s|sec|min|h", &["20ms", "0.5s"]),
        ("size", size, &["50p", "64KiB", "2BDP", "20ms"]),
        ("bytes", "B|byte|bytes|[kMGT]B|[KMG]iB", &["1000B", "64KiB"]),
    ];
    quantities.into_iter().map(|(name, units, examples)| {
        let pattern = format!(r"^\s*{NUMBER}({units})$");
        (name.to_owned(), json!({ "type": "string", "pattern": pattern, "examples": examples }))
    })
}

/// The form of a value of this kind.
fn value_schema(param: &Param) -> Json {
    let mut number = json!({ "type": "number" });
    if param.min.is_finite() {
        number["minimum"] = json!(param.min);
    }
    if param.max.is_finite() {
        number["maximum"] = json!(param.max);
    }
    let value = match param.kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Integer => {
            number["type"] = json!("integer");
            number
        }
        Kind::Number => number,
        Kind::Fraction if (param.min, param.max) == (0.0, 1.0) => reference("fraction"),
        Kind::Fraction => json!({ "anyOf": [number, reference("percent")] }),
        Kind::Rate => reference("rate"),
        Kind::Time => reference("time"),
        Kind::Size => reference("size"),
        Kind::Bytes => reference("bytes"),
        Kind::Choice(names) => json!({ "enum": names }),
        Kind::Dscp => {
            number["type"] = json!("integer");
            json!({ "anyOf": [number, { "enum": Dscp::names().collect::<Vec<_>>() }] })
        }
        Kind::Flows => json!({ "type": ["string", "integer"] }),
        Kind::Several(kind) => {
            let one = value_schema(&one_of(param, kind));
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Kind::Tables(specs) => {
            let names = specs.iter().map(|spec| (spec.name.to_owned(), reference(&table_definition(spec))));
            let table =
                json!({ "type": "object", "properties": names.collect::<Map<_, _>>(), "additionalProperties": false });
            json!({ "type": "array", "items": table })
        }
        Kind::Numbers => json!({ "type": "array", "items": number }),
        Kind::Policy(_) => reference("policy"),
        Kind::Queue(_) => reference("queue"),
    };
    if param.auto { json!({ "anyOf": [{ "const": "auto" }, value] }) } else { value }
}

fn preset_property(key: &str, presets: &[Preset]) -> Vec<(String, Json)> {
    if presets.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
    let lines: Vec<String> = presets.iter().map(|preset| format!("{}: {}", preset.name, preset.doc)).collect();
    vec![(key.into(), json!({ "enum": names, "description": lines.join(" ") }))]
}

fn kind_schema(name: &str, doc: &str, params: &[Param], others: Vec<(String, Json)>) -> Json {
    table_of_kind(name, doc, params.iter().map(|param| (param.name, param_schema(param))), others)
}

fn table_of_kind(
    name: &str,
    doc: &str,
    params: impl Iterator<Item = (&'static str, Json)>,
    others: Vec<(String, Json)>,
) -> Json {
    let mut properties = Map::from_iter([("kind".to_owned(), json!({ "const": name }))]);
    properties.extend(others);
    properties.extend(params.map(|(param, schema)| (param.to_owned(), schema)));
    json!({ "description": doc, "properties": properties, "additionalProperties": false })
}

/// A name alone, or a table whose `kind` says which.
fn named_or_table(what: &str, names: &[&str]) -> Json {
    let kinds: Vec<Json> = names.iter().map(|name| reference(&format!("{what}_{name}"))).collect();
    json!({ "oneOf": [{ "enum": names }, { "type": "object", "required": ["kind"], "oneOf": kinds }] })
}

/// A policy inside another discipline: as the queue of its name, without a limit of its own.
fn policy_schema(registry: &Registry) -> Json {
    let names: Vec<&str> = registry.policies().map(|entry| entry.name).collect();
    let table = json!({ "kind": { "enum": names }, OUTER: false });
    json!({ "oneOf": [
        { "enum": names },
        { "type": "object", "properties": table, "allOf": [reference("queue")] },
    ] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Json {
        super::schema(&Registry::default())
    }

    fn schema_text() -> String {
        super::schema_text(&Registry::default())
    }

    fn references(schema: &Json, found: &mut Vec<String>) {
        match schema {
            Json::Object(map) => {
                if let Some(Json::String(target)) = map.get("$ref") {
                    found.push(target.clone());
                }
                map.values().for_each(|value| references(value, found));
            }
            Json::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_has_its_definition() {
        let schema = schema();
        let mut found = Vec::new();
        references(&schema, &mut found);
        assert!(found.len() > 10);
        for target in found {
            let name = target.strip_prefix("#/$defs/").expect("a local reference");
            assert!(schema["$defs"][name].is_object(), "{target}");
        }
    }

    fn target<'a>(schema: &'a Json, reference: &Json) -> &'a Json {
        &schema["$defs"][reference["$ref"].as_str().expect("a reference").trim_start_matches("#/$defs/")]
    }

    /// The property of a table: where it is described there, in a definition that the table shares, or in that of a group.
    fn described<'a>(schema: &'a Json, table: &'a Json, name: &str) -> &'a Json {
        let property = &table["properties"][name];
        if property.is_object() {
            return if property["default"].is_null() { target(schema, property) } else { property };
        }
        let groups = table["allOf"].as_array().expect("the property is in a group");
        let group =
            groups.iter().map(|group| target(schema, group)).find(|group| group["properties"][name].is_object());
        described(schema, group.expect("a group has the property"), name)
    }

    #[test]
    fn every_parameter_of_every_queue_is_described_with_its_default() {
        let schema = schema();
        for entry in QUEUES {
            let queue = &schema["$defs"][format!("queue_{}", entry.name)];
            for param in entry.params {
                let property = described(&schema, queue, param.name);
                assert!(property["description"].is_string(), "{}.{}", entry.name, param.name);
                assert!(!property["default"].is_null(), "{}.{}", entry.name, param.name);
            }
        }
    }

    #[test]
    fn the_text_reads_back() {
        assert_eq!(serde_json::from_str::<Json>(&schema_text()).ok(), Some(schema()));
    }

    #[test]
    fn a_parameter_of_tables_is_the_same_in_every_queue_that_shares_its_definition() {
        for param in in_tables() {
            let same = in_tables().filter(|other| table_definition(other) == table_definition(param));
            assert!(same.into_iter().all(|other| param_schema(other) == param_schema(param)), "{}", param.name);
        }
    }

    #[test]
    fn every_table_has_its_keys() {
        let schema = schema();
        assert_eq!(schema["properties"]["duration"]["$ref"], "#/$defs/time");
        assert_eq!(schema["$defs"]["time"]["type"], "string");
        assert_eq!(schema["required"], json!(["duration", "flow"]));
        assert_eq!(schema["$defs"]["flow"]["properties"]["count"]["default"], json!(1));
        assert_eq!(schema["$defs"]["series"]["required"], json!(["every"]));
    }
}
