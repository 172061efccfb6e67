//! No input makes the reader panic, and accepted input can be read back: damaged files, random trees of
//! known keys, extreme but allowed parameters, random settings.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use sojourn_archive::registry;
use sojourn_sim::params::{Kind, Param};
use sojourn_sim::registry::{APPS, TRANSPORTS};
use sojourn_sim::scenario::{Document, Plan, ScenarioError, keys, resolved};

const FILES: [&str; 4] = [
    include_str!("../../../../scenarios/two_way_dumbbell.toml"),
    include_str!("../../../../scenarios/parking_lot.toml"),
    include_str!("../../../../scenarios/udp_blast.toml"),
    include_str!("../../../../scenarios/fq_codel_mix.toml"),
];

fn plan(text: &str, file: &str) -> Result<Plan, ScenarioError> {
    Document::from_toml(text, file)?.knowing(registry()).plan()
}

fn plan_of_json(text: &str) -> Result<Plan, ScenarioError> {
    Document::from_json(text)?.knowing(registry()).plan()
}

/// Accepted plans read back to themselves. Plans with very many flows are slow to lay out here.
fn check(plan: &Plan) -> Result<(), TestCaseError> {
    let written = resolved(plan);
    let again = plan_of_json(&written.to_string());
    let again = again.map_err(|error| TestCaseError::fail(format!("{error}\n{written}")))?;
    prop_assert_eq!(written, resolved(&again));
    Ok(())
}

/// Whether a number is so long that it may mean a million flows.
fn has_large_number(text: &str) -> bool {
    let mut run = 0;
    text.chars().any(|c| {
        run = if c.is_ascii_digit() || c == '_' { run + 1 } else { 0 };
        run > 4 || c == 'e' && run > 0
    })
}

fn damage() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let pieces = prop::sample::select(vec![
        "",
        "\"",
        "'",
        "[",
        "]",
        "[[",
        "{",
        "}",
        "=",
        ".",
        ",",
        "-",
        "0",
        "9",
        "p",
        "ms",
        "BDP",
        "%",
        "\n",
        "#",
        "é",
        "auto",
        "true",
        "nan",
        "inf",
        "1e9",
        "null",
        "fifo",
        "queue",
        "flow",
        "\"0s\"",
        "[[link]]\n",
        "kind = \"red\"",
    ]);
    (any::<prop::sample::Index>(), 0_usize..12, pieces.prop_map(str::to_owned))
}

/// A file with some pieces cut out and others put in.
fn damaged() -> impl Strategy<Value = String> {
    (prop::sample::select(FILES.to_vec()), prop::collection::vec(damage(), 0..4)).prop_map(|(file, damages)| {
        let mut text: Vec<char> = file.chars().collect();
        for (at, length, piece) in damages {
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

fn names() -> Vec<String> {
    let tables = keys::TABLES.iter().flat_map(|table| table.keys.iter().map(|key| key.name));
    let queues = registry().queues().flat_map(|entry| entry.params.iter().map(|param| param.name).chain([entry.name]));
    let mut names: Vec<String> =
        tables.chain(queues).chain(["kind", "preset", "profile", "control"]).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

fn tree() -> impl Strategy<Value = Json> {
    let texts = [
        "10Mbit", "5p", "-1ms", "1s", "20ms", "0s", "auto", "2BDP", "5%", "1000B", "a", "b", "tcp", "udp", "red",
        "bulk", "cbr", "",
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3_i64..30).prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        prop::sample::select(texts.to_vec()).prop_map(Json::from),
        any::<String>().prop_map(Json::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((prop::sample::select(names()), inner), 0..8)
                .prop_map(|entries| Json::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// An allowed or nearly allowed value: an end of the range, the default, or something between.
fn value(param: &'static Param) -> BoxedStrategy<Json> {
    let (low, high) = (param.min.max(-1e12), param.max.min(1e12));
    let share = prop_oneof![Just(0.0), Just(1.0), 0.0..1.0];
    let number = share.prop_map(move |share| low + (high - low) * share);
    let logarithmic = (-9.0..12.0_f64).prop_map(move |exponent| 10_f64.powf(exponent).clamp(low, high));
    let number = prop_oneof![number, logarithmic];
    let other = match param.kind {
        Kind::Bool => any::<bool>().prop_map(Json::from).boxed(),
        Kind::Integer => number.prop_map(|n| json!(n.round() as i64)).boxed(),
        Kind::Number | Kind::Fraction => number.prop_map(Json::from).boxed(),
        Kind::Rate => number.prop_map(|n| json!(format!("{}bit", n.max(1.0).round()))).boxed(),
        // Beyond 10^6 s (11 days) a nanosecond is lost in a 64-bit float.
        Kind::Time => number.prop_map(|n| json!(format!("{}s", n.min(1e6)))).boxed(),
        Kind::Size => (number, prop::sample::select(vec!["p", "B", "BDP", "s", "ns"]))
            .prop_map(|(n, unit)| json!(format!("{}{unit}", if unit == "s" { n.min(1e6) } else { n })))
            .boxed(),
        Kind::Bytes => number.prop_map(|n| json!(format!("{}B", n.round()))).boxed(),
        Kind::Choice(names) => prop::sample::select(names).prop_map(Json::from).boxed(),
        Kind::Policy(_) => any_of(registry().policies().map(|entry| kinded(entry.name, entry.params)).collect())
            .prop_map(|mut policy| {
                // Its limit is that of the queue around it.
                policy.as_object_mut().map(|table| table.remove("limit"));
                policy
            })
            .boxed(),
        // A queue with queues in it would never end here: a policy alone, with its limit.
        Kind::Queue(_) => any_of(registry().policies().map(|entry| kinded(entry.name, entry.params)).collect()).boxed(),
        Kind::Flows => prop::sample::select(vec!["flow0", "0", "0-3", "9-1", "voice"]).prop_map(Json::from).boxed(),
        Kind::Several(kind) => {
            let one: &'static Param = Box::leak(Box::new(sojourn_sim::params::one_of(param, kind)));
            prop::collection::vec(value(one), 0..3).prop_map(Json::from).boxed()
        }
        Kind::Tables(specs) => prop::collection::vec(
            kinded("", specs).prop_map(|mut table| {
                table.as_object_mut().map(|table| table.remove("kind"));
                table
            }),
            0..4,
        )
        .prop_map(Json::from)
        .boxed(),
        Kind::Dscp => number.prop_map(|n| json!(n.round() as i64)).boxed(),
        Kind::Numbers => prop::collection::vec(number, 0..4).prop_map(Json::from).boxed(),
    };
    prop_oneof![1 => Just(json!(param.default)), 3 => other].boxed()
}

/// A kind with some of its parameters set.
fn kinded(name: &'static str, params: &'static [Param]) -> BoxedStrategy<Json> {
    let settings: Vec<_> =
        params.iter().map(|param| (Just(param.name), prop::option::weighted(0.4, value(param)))).collect();
    settings
        .prop_map(move |settings| {
            let mut table = Map::from_iter([("kind".to_owned(), json!(name))]);
            table.extend(settings.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
            Json::Object(table)
        })
        .boxed()
}

fn any_of(kinds: Vec<BoxedStrategy<Json>>) -> BoxedStrategy<Json> {
    prop::strategy::Union::new(kinds).boxed()
}

fn extreme() -> impl Strategy<Value = Json> {
    let queues = any_of(registry().queues().map(|entry| kinded(entry.name, entry.params)).collect());
    let transports = any_of(TRANSPORTS.iter().map(|entry| kinded(entry.name, entry.params)).collect());
    let controls = any_of(registry().controls().map(|entry| kinded(entry.name, entry.params)).collect());
    let apps = any_of(APPS.iter().map(|entry| kinded(entry.name, entry.params)).collect());
    let rates = prop::sample::select(vec!["1bit", "1kbit", "10Mbit", "100Gbit", "100Tbit"]);
    let delays = prop::sample::select(vec!["0s", "1ns", "1us", "20ms", "1000s"]);
    let parts = (
        queues.clone(),
        queues,
        transports,
        prop::option::of(controls),
        apps,
        (rates.clone(), rates),
        delays,
        1_u64..20,
    );
    parts.prop_map(|(queue, reverse, mut transport, control, app, (rate, back), delay, count)| {
        if let (Some(control), "tcp") = (control, transport["kind"].as_str().unwrap_or_default()) {
            transport["control"] = control;
        }
        json!({
            "duration": "10s",
            "dumbbell": { "rate": rate, "reverse_rate": back, "delay": delay, "queue": queue, "reverse_queue": reverse },
            "flow": [{ "count": count, "transport": transport, "app": app }],
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused(text in damaged()) {
        prop_assume!(!has_large_number(&text));
        match plan(&text, "damaged.toml") {
            Ok(plan) => check(&plan)?,
            Err(error) => prop_assert!(error.to_string().starts_with("damaged.toml")),
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = plan(&text, "any.toml");
        let _ = plan_of_json(&text);
    }

    #[test]
    fn random_trees_are_read_or_refused(parts in tree(), dumbbell in tree(), flow in tree()) {
        let mut whole = json!({ "duration": "10s", "dumbbell": { "rate": "1Mbit", "delay": "1ms" }, "flow": [{}] });
        for (place, new) in [("/dumbbell", &dumbbell), ("/flow/0", &flow), ("", &parts)] {
            if let (Some(Json::Object(old)), Json::Object(new)) = (whole.pointer_mut(place), new) {
                old.extend(new.clone());
            }
        }
        for text in [parts.to_string(), whole.to_string()] {
            if let Ok(plan) = plan_of_json(&text) {
                check(&plan)?;
            }
        }
    }

    #[test]
    fn extreme_parameters_are_built_or_refused(scenario in extreme()) {
        if let Ok(plan) = plan_of_json(&scenario.to_string()) {
            check(&plan)?;
        }
    }

    #[test]
    fn random_settings_are_taken_or_refused(
        file in prop::sample::select(FILES.to_vec()),
        path in prop::collection::vec((prop::sample::select(names()), prop::option::of(0_usize..4)), 1..5),
        free in prop::option::weighted(0.2, ".{0,20}"),
        text in prop_oneof![".{0,12}", "[0-9]{1,3}(s|ms|p|Mbit|)"],
    ) {
        prop_assume!(!has_large_number(&text));
        let path: Vec<String> = path
            .into_iter()
            .map(|(name, index)| index.map_or(name.clone(), |index| format!("{name}[{index}]")))
            .collect();
        let mut document = Document::from_toml(file, "file.toml").expect("a valid file").knowing(registry());
        if document.set(&free.unwrap_or_else(|| path.join(".")), &text).is_ok() {
            let _ = document.plan();
        }
    }
}
