//! The resolved scenario: every parameter with its value, in the form of the file. Read back, it
//! gives the same plan; results carry it.

use super::plan::{
    AccessPlan, AppPlan, DumbbellPlan, GroupPlan, LinkPlan, Plan, QueuePlan, RecordPlan, Sampling, Shape,
};
use crate::mechanism::framing::Framing;
use crate::net::ecmp::Ecmp;
use crate::net::link_plan::{ChangePlan, JitterPlan, MediumPlan, WirePlan};
use crate::params::{Args, ParamType, Params as _, Value};
use crate::transport::declared::Declaration;
use crate::transport::hint::{AdaptPlan, HintPlan};
use crate::transport::spec::TransportSpec;
use crate::units::{Bytes, Duration, Rate};
use serde_json::{Map, Value as Json, json};
use std::collections::HashSet;

/// A plan in the form of a scenario file, nothing left to defaults.
pub fn resolved(plan: &Plan) -> Json {
    let whole = |part| match part {
        Part::Whole(value) => value,
        Part::Each(entries) => entries.collect(),
    };
    Json::Object(parts(plan).into_iter().map(|(key, part)| (key.to_owned(), whole(part))).collect())
}

/// The same as text. Of a large network no more than one node, link or group of flows is in memory as values.
pub fn resolved_text(plan: &Plan) -> String {
    let mut text = String::from("{");
    for (key, part) in parts(plan) {
        if text.len() > 1 {
            text.push(',');
        }
        text.extend(["\"", key, "\":"]);
        match part {
            Part::Whole(value) => text += &value.to_string(),
            Part::Each(entries) => {
                text.push('[');
                for (number, entry) in entries.enumerate() {
                    if number > 0 {
                        text.push(',');
                    }
                    text += &entry.to_string();
                }
                text.push(']');
            }
        }
    }
    text.push('}');
    text
}

/// The part of a plan that is small in any network, as text: no nodes and links, and of flows the kinds. A kind is the direction,
/// in a dumbbell, and the source of traffic; each is there once.
pub fn outline_text(plan: &Plan) -> String {
    let kind = |number: usize| {
        let mut table = Map::new();
        if let Shape::Dumbbell(dumbbell) = &plan.shape {
            let direction = dumbbell.groups.get(number).map(|(direction, _)| value_json(&direction.to_value()));
            table.extend(direction.map(|direction| ("direction".to_owned(), direction)));
        }
        table.insert("app".into(), app_json(&plan.groups[number].app));
        Json::Object(table)
    };
    let mut seen = HashSet::new();
    let kinds: Json = (0..plan.groups.len()).map(kind).filter(|kind| seen.insert(kind.to_string())).collect();
    let small = parts(plan).into_iter().filter_map(|(key, part)| match part {
        Part::Whole(value) => Some((key.to_owned(), value)),
        Part::Each(entries) if key == "medium" => Some((key.to_owned(), entries.collect())),
        Part::Each(_) => None,
    });
    Json::Object(small.chain([("flow".to_owned(), kinds)]).collect()).to_string()
}

/// A value of the file's first level: as it is, or a list whose entries are made one after another.
enum Part<'a> {
    Whole(Json),
    Each(Box<dyn Iterator<Item = Json> + 'a>),
}

fn parts(plan: &Plan) -> Vec<(&'static str, Part<'_>)> {
    let mut top = vec![
        ("title", Part::Whole(json!(plan.title))),
        ("duration", Part::Whole(text(&plan.duration))),
        ("warmup", Part::Whole(text(&plan.warmup))),
    ];
    if !plan.media.is_empty() {
        top.push(("medium", Part::Each(Box::new(plan.media.iter().map(medium_json)))));
    }
    match &plan.shape {
        Shape::Dumbbell(dumbbell) => top.push(("dumbbell", Part::Whole(dumbbell_json(dumbbell, &plan.media)))),
        Shape::Graph => {
            let nodes = plan.nodes.iter().map(|name| json!({ "name": name.to_string() }));
            top.push(("node", Part::Each(Box::new(nodes))));
            top.push(("link", Part::Each(Box::new(plan.links.iter().map(|link| link_json(link, plan))))));
            if plan.ecmp != Ecmp::Off {
                top.push(("ecmp", Part::Whole(value_json(&plan.ecmp.to_value()))));
            }
        }
    }
    let groups = (0..plan.groups.len()).map(|number| group_json(plan, number));
    top.push(("flow", Part::Each(Box::new(groups))));
    top.push(("record", Part::Whole(record_json(&plan.record))));
    top
}

fn text(value: &impl ToString) -> Json {
    Json::String(value.to_string())
}

/// A value as in a file: quantities as texts with units, numbers as numbers.
pub fn value_json(value: &Value) -> Json {
    match value {
        Value::Bool(truth) => json!(truth),
        Value::Integer(number) => json!(number),
        Value::Number(number) if number.is_finite() => json!(number),
        Value::Numbers(numbers) => json!(numbers.to_vec()),
        Value::Several(values) => values.iter().map(value_json).collect(),
        Value::Tables(tables) => tables.iter().map(|table| Json::Object(settings_json(table))).collect(),
        Value::Policy(policy) => {
            let kind = [("kind".to_owned(), json!(policy.component.name()))];
            let settings = policy.settings().map(|(spec, set)| (spec.name.to_owned(), value_json(set)));
            Json::Object(kind.into_iter().chain(settings).collect())
        }
        other => text(other),
    }
}

fn kinded(kind: &str, args: &Args) -> Map<String, Json> {
    let mut table = Map::new();
    table.insert("kind".into(), json!(kind));
    table.extend(settings_json(args));
    table
}

fn settings_json(args: &Args) -> Map<String, Json> {
    args.specs().iter().zip(args.values()).map(|(spec, value)| (spec.name.into(), value_json(value))).collect()
}

fn queue_json(queue: &QueuePlan) -> Json {
    Json::Object(kinded(queue.entry.name, &queue.args))
}

fn transport_json(transport: &TransportSpec) -> Json {
    let mut table = kinded(transport.entry().name, transport.args());
    if let Some(control) = transport.control() {
        table.insert("control".into(), Json::Object(kinded(control.entry.name, &control.args)));
    }
    Json::Object(table)
}

fn app_json(app: &AppPlan) -> Json {
    Json::Object(kinded(app.entry.name, &app.args))
}

/// `base_rtt` and `mean_packet`, which are beside a queue.
fn beside(queue: &QueuePlan) -> [(String, Json); 2] {
    let base_rtt = value_json(&queue.base_rtt.to_value());
    [("base_rtt".into(), base_rtt), ("mean_packet".into(), text(&format!("{}B", queue.mean_packet)))]
}

fn dumbbell_json(dumbbell: &DumbbellPlan, media: &[MediumPlan]) -> Json {
    let mut table = Map::new();
    let [forward, reverse] = [0, 1].map(|way| dumbbell.wires[way].as_deref());
    let [rate, reverse_rate] = [(0, forward), (1, reverse)].map(|(way, wire)| rate_json(dumbbell.rates[way], wire));
    let own_rate = (reverse_rate != rate).then_some(reverse_rate);
    table.insert("rate".into(), rate);
    table.insert("delay".into(), text(&dumbbell.delay));
    table.insert("queue".into(), queue_json(&dumbbell.queue));
    table.insert("reverse_queue".into(), queue_json(&dumbbell.reverse_queue));
    table.extend(wire_json(forward));
    table.extend(medium_name(forward, media));
    if let Some(loss) = reverse.and_then(|wire| wire.loss.as_ref()) {
        table.insert("reverse_loss".into(), Json::Object(kinded(loss.entry.name, &loss.args)));
    }
    let [changes, reverse_changes] = [forward, reverse].map(changes_json);
    // Keys that are alike in both directions are left out, so that a scenario with one rate is written as before.
    if reverse_changes != changes || (own_rate.is_some() && changes != json!([])) {
        table.insert("reverse_changes".into(), reverse_changes);
    }
    table.extend(own_rate.map(|own| ("reverse_rate".to_owned(), own)));
    table.insert("access".into(), access_json(&dumbbell.access));
    table.extend(beside(&dumbbell.queue));
    Json::Object(table)
}

/// The rate, or the moments at which the link may send.
fn rate_json(rate: Rate, wire: Option<&WirePlan>) -> Json {
    let Some(opportunities) = wire.and_then(|wire| wire.opportunities.as_ref()) else { return text(&rate) };
    let millis: Vec<f64> = opportunities.times().iter().map(|time| time.as_nanos() as f64 / 1e6).collect();
    json!({ "mahimahi": millis, "opportunity": format!("{}B", opportunities.bytes().0) })
}

/// `loss`, `jitter` and `changes`, where there are any.
fn wire_json(wire: Option<&WirePlan>) -> Map<String, Json> {
    let mut table = Map::new();
    let Some(wire) = wire else { return table };
    if let Some(loss) = &wire.loss {
        table.insert("loss".into(), Json::Object(kinded(loss.entry.name, &loss.args)));
    }
    if let Some(JitterPlan { mean, law, reorder }) = &wire.jitter {
        table.insert(
            "jitter".into(),
            json!({ "mean": text(mean), "law": value_json(&law.to_value()), "reorder": reorder }),
        );
    }
    if let Some(framing) = &wire.framing {
        let written = Framing::SPECS.iter().zip(framing.to_values());
        table.extend(written.map(|(spec, value)| (spec.name.to_owned(), value_json(&value))));
    }
    if !wire.changes.is_empty() {
        table.insert("changes".into(), changes_json(Some(wire)));
    }
    table
}

fn changes_json(wire: Option<&WirePlan>) -> Json {
    wire.iter().flat_map(|wire| &wire.changes).map(change_json).collect()
}

fn change_json(change: &ChangePlan) -> Json {
    let mut table = Map::from_iter([("at".to_owned(), text(&change.at))]);
    table.extend(change.rate.map(|rate| ("rate".to_owned(), text(&rate))));
    table.extend(change.delay.map(|delay| ("delay".to_owned(), text(&delay))));
    let loss = change.loss.as_ref();
    table.extend(loss.map(|loss| ("loss".to_owned(), Json::Object(kinded(loss.entry.name, &loss.args)))));
    Json::Object(table)
}

fn medium_json(medium: &MediumPlan) -> Json {
    json!({
        "name": medium.name,
        "standard": value_json(&medium.phy.standard.to_value()),
        "basic_rate": value_json(&medium.basic_rate.to_value()),
        "preamble": value_json(&medium.phy.preamble.to_value()),
        "retries": medium.retries,
        "overhead": format!("{}B", medium.overhead),
        "any_rate": medium.any_rate,
        "rts_threshold": value_json(&medium.rts_threshold.map(|bytes| Bytes(bytes.into())).to_value()),
        "rts_retries": medium.rts_retries,
    })
}

/// The key `medium`, where a link shares one.
fn medium_name(wire: Option<&WirePlan>, media: &[MediumPlan]) -> Option<(String, Json)> {
    let medium = media.get(wire?.medium?)?;
    Some(("medium".to_owned(), json!(medium.name)))
}

fn access_json(access: &AccessPlan) -> Json {
    let range = |(low, high): (Duration, Duration)| json!([text(&low), text(&high)]);
    let mut table = Map::new();
    table.insert("rate".into(), text(&access.rate));
    table.insert("delay".into(), range(access.delay));
    if let Some(delay) = access.sink_delay {
        table.insert("sink_delay".into(), range(delay));
    }
    table.insert("spread".into(), value_json(&access.spread.to_value()));
    if let Some(steps) = access.steps {
        table.insert("steps".into(), json!(steps));
    }
    table.insert("limit".into(), text(&access.limit));
    table.extend(wire_json(access.wire.as_deref()));
    Json::Object(table)
}

fn link_json(link: &LinkPlan, plan: &Plan) -> Json {
    let nodes = &plan.nodes;
    let mut table = Map::new();
    table.insert("name".into(), json!(link.name.to_string()));
    table.insert("from".into(), json!(nodes[link.from].to_string()));
    table.insert("to".into(), json!(nodes[link.to].to_string()));
    table.insert("rate".into(), rate_json(link.rate, link.wire.as_deref()));
    table.insert("delay".into(), text(&link.delay));
    table.insert("queue".into(), queue_json(&link.queue));
    table.insert("duplex".into(), json!(false));
    table.insert("observed".into(), json!(link.observed));
    table.extend(wire_json(link.wire.as_deref()));
    table.extend(medium_name(link.wire.as_deref(), &plan.media));
    table.extend(beside(&link.queue));
    Json::Object(table)
}

fn group_json(plan: &Plan, number: usize) -> Json {
    let group: &GroupPlan = &plan.groups[number];
    let mut table = Map::new();
    table.insert("name".into(), json!(group.name));
    table.insert("count".into(), json!(group.ends.len()));
    match &plan.shape {
        Shape::Dumbbell(dumbbell) => {
            if let Some((direction, access)) = dumbbell.groups.get(number) {
                table.insert("direction".into(), value_json(&direction.to_value()));
                if let Some(access) = access {
                    table.insert("access".into(), access_json(access));
                }
            }
        }
        Shape::Graph => {
            if let Some((from, to)) = group.ends.first() {
                table.insert("from".into(), json!(plan.nodes[*from].to_string()));
                table.insert("to".into(), json!(plan.nodes[*to].to_string()));
            }
        }
    }
    table.insert("transport".into(), transport_json(&group.transport));
    table.insert("app".into(), app_json(&group.app));
    let Declaration { service, dscp, priority } = group.declaration;
    if let Some(service) = service {
        table.insert("service".into(), value_json(&service.to_value()));
    }
    if let Some(dscp) = dscp {
        table.insert("dscp".into(), value_json(&dscp.to_value()));
    }
    if let Some(priority) = priority {
        table.insert("priority".into(), json!(priority));
    }
    if let Some(hint) = &group.delay_hint {
        table.insert("delay_hint".into(), hint_json(hint));
    }
    let start = &group.start;
    table.insert(
        "start".into(),
        json!({ "at": text(&start.at), "spread": text(&start.spread), "every": text(&start.every) }),
    );
    if let Some(stop) = group.stop {
        table.insert("stop".into(), text(&stop));
    }
    Json::Object(table)
}

fn hint_json(hint: &HintPlan) -> Json {
    let mut table = Map::new();
    table.insert("delay".into(), text(&hint.delay));
    table.insert("acks".into(), json!(hint.acks));
    if let Some(AdaptPlan { rate, step, most, every, headroom }) = &hint.adapt {
        table.insert("rate".into(), text(rate));
        table.insert("most".into(), text(most));
        table.insert("step".into(), text(step));
        table.insert("every".into(), text(every));
        table.insert("headroom".into(), value_json(&headroom.to_value()));
    }
    Json::Object(table)
}

fn record_json(record: &RecordPlan) -> Json {
    let mut table = Map::new();
    let mut series = |name: &str, sampling: Option<Sampling>| {
        if let Some(Sampling { every, poisson }) = sampling {
            table.insert(name.into(), json!({ "every": text(&every), "poisson": poisson }));
        }
    };
    series("queue", record.queue);
    series("probes", record.probes);
    series("cwnd", record.cwnd);
    series("throughput", record.throughput);
    table.insert("occupancy".into(), json!(record.occupancy));
    table.insert("drops".into(), json!(record.drops));
    table.insert("packets".into(), json!(record.packets));
    table.insert("pcap".into(), json!(record.pcap));
    Json::Object(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_back(toml: &str) {
        let plan = Plan::from_toml(toml, "scenario.toml").expect("a valid scenario");
        let written = resolved(&plan);

        let again = Plan::from_json(&written.to_string()).unwrap_or_else(|error| panic!("{error}\n{written:#}"));

        assert_eq!(format!("{plan:?}"), format!("{again:?}"));
        assert_eq!(written, resolved(&again));
        assert_eq!(written.to_string(), resolved_text(&plan));
    }

    #[test]
    fn a_dumbbell_reads_back_to_the_same_plan() {
        reads_back(
            r#"
            title = "an \"odd\" name"
            duration = "0.1234567s"
            warmup = "33333ns"
            [dumbbell]
            rate = "10000001bit"
            delay = "1.0005ms"
            access = { delay = ["2ms", "10ms"] }
            queue = { kind = "fifo", limit = "1.5BDP", overflow = "drop_front" }
            reverse_queue = { kind = "source_quench", policy = { kind = "red", preset = "ns2", min_th = "3p" } }
            loss = "gilbert_elliott"
            reverse_loss = { kind = "bit", error_rate = "1e-7" }
            jitter = "1ms"
            changes = [{ at = "10ms", rate = "5Mbit" }, { at = "20ms", delay = "3ms", rate = "7Mbit" },
                { at = "25ms", loss = { kind = "uniform", probability = "2%" } }]
            base_rtt = "100ms"
            mean_packet = "540B"
            [[flow]]
            name = "a"
            count = 7
            access = { rate = "1Gbit", delay = "5us", limit = "64KiB", loss = { kind = "bit", error_rate = "1e-9" }, jitter = "1us" }
            start = { at = "1ms", spread = "3ms", every = "1us" }
            stop = "0.1s"
            delay_hint = "33us"
            [[flow]]
            direction = "backward"
            delay_hint = { delay = "20ms", rate = "384kbit", step = "1ms", acks = true }
            transport = "udp"
            app = { kind = "cbr", rate = "123456bit" }
            [record]
            queue = "10ms"
            cwnd = { every = "1ms" }
            drops = true
            pcap = true
            "#,
        );
    }

    #[test]
    fn two_directions_that_differ_read_back_to_the_same_plan() {
        for keys in [
            "reverse_rate = \"20Mbit\"",
            "reverse_rate = \"20Mbit\"\nloss = \"bit\"",
            "reverse_rate = { mahimahi = [5, 10] }\nchanges = [{ at = \"1s\", delay = \"1ms\" }]",
            "changes = [{ at = \"1s\", rate = \"1Mbit\" }]\nreverse_changes = []",
            "reverse_rate = \"2Mbit\"\nchanges = [{ at = \"1s\", rate = \"1Mbit\" }]\n\
             reverse_changes = [{ at = \"1s\", rate = \"1Mbit\" }]",
        ] {
            reads_back(&format!(
                "duration = \"9s\"\n[[flow]]\n[dumbbell]\nrate = \"5Mbit\"\ndelay = \"1ms\"\n{keys}\n"
            ));
        }
    }

    #[test]
    fn a_graph_reads_back_to_the_same_plan() {
        reads_back(
            r#"
            duration = "10s"
            node = [{ name = "a" }, { name = "b" }, { name = "c" }]
            [[medium]]
            name = "idle"
            [[medium]]
            name = "air"
            standard = "802.11g"
            basic_rate = "12Mbit"
            preamble = "short"
            retries = 0
            overhead = "28B"
            any_rate = true
            rts_threshold = "500B"
            rts_retries = 3
            [[link]]
            from = "b"
            to = "c"
            name = "air"
            medium = "air"
            rate = "55Mbit"
            delay = "2ms"
            loss = "bit"
            [[link]]
            from = "a"
            to = "b"
            rate = "1Mbit"
            delay = "10ms"
            name = "first"
            queue = { kind = "flow_queue", policy = "pi" }
            [[link]]
            from = "b"
            to = "c"
            rate = { mahimahi = [0, 4, 4.000001, 100], opportunity = "1504B" }
            delay = "10ms"
            observed = true
            loss = { kind = "uniform", probability = "2%" }
            jitter = { mean = "2ms", law = "exponential", reorder = true }
            [[flow]]
            from = "a"
            to = "c"
            count = 2
            "#,
        );
    }
}
