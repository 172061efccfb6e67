//! The memory of each queue of the registry, with 10,000 flows and with 100,000. No more packets wait than its limit.
//!
//! A queue whose scheme promises it takes no more memory for more flows. The queues below keep something for each flow that they have seen
//! or that was announced to them. The amount and the reason are beside each.

use sojourn_archive::registry;
use sojourn_sim::packet::{FlowId, Packet};
use sojourn_sim::queue::entry::QueueEntry;
use sojourn_sim::queue::{Context, LinkContext};
use sojourn_sim::rng::Rng;
use sojourn_sim::units::{Bytes, Duration, Instant, Rate};

/// Packets that may wait.
const LIMIT: u64 = 200;
const FEW: u32 = 10_000;
const MANY: u32 = 100_000;
/// Bytes by which two runs may differ: capacities of growing lists are powers of two.
const SLACK: u64 = 64 * 1024;
/// Bytes that any of the others may take at most with its defaults: 1024 queues of a few packets, each with a policy of its own.
const MOST: u64 = 4 * 1024 * 1024;

/// A queue, settings, bytes for each flow, why.
type Account = (&'static str, &'static [(&'static str, &'static str)], u64, &'static str);

const MANY_CLASSES: &str = "the classes that a flow may be in, found once: there may be thousands of classes";

/// The queues that keep an account of each flow, for good or for a time.
const ACCOUNTS: &[Account] = &[
    (
        "csfq",
        &[],
        64,
        "an edge router estimates the rate of each flow (Stoica, Shenker and Zhang 1998, section 3); a core none",
    ),
    ("xred", &[], 64, "the data unit of each flow that has lost a packet"),
    (
        "green",
        &[],
        128,
        "sizes and times of each flow make its part of the link (Feng, Kapadia and Thulasidasan 2002, section 3)",
    ),
    ("hop_by_hop", &[], 128, "a router slows a flow to a part of the rate that it measures of it"),
    (
        "diffserv",
        &[("role", "edge"), ("cir_mbit", "[1]")],
        128,
        "an agreement and its buckets for each flow; a core none",
    ),
    ("rio", &[("profile_mbit", "[1]")], 128, "a profile and its bucket for each flow"),
    ("htb", &[], 48, MANY_CLASSES),
    ("sch_drr", &[], 48, MANY_CLASSES),
    ("sch_qfq", &[], 48, MANY_CLASSES),
    ("sch_hfsc", &[], 48, MANY_CLASSES),
    ("red_filter", &[("flows", "[1, 2, 3]")], 0, "only the flows that are named"),
];

/// The greatest number of bytes held while packets arrive from `flows` flows in turn.
fn held(entry: &QueueEntry, settings: &[(&str, &str)], flows: u32) -> u64 {
    let link = LinkContext {
        rate: Rate::from_bps(100_000_000),
        base_rtt: Duration::from_millis(100),
        mean_packet: Bytes(1000),
        flows: u64::from(MANY),
        ..LinkContext::default()
    };
    let mut args = entry.args(None).expect("defaults");
    if entry.params.iter().any(|param| param.name == "limit") {
        args.set_text("limit", &format!("{LIMIT}p")).expect("a limit in packets");
    }
    for (name, value) in settings {
        args.set_text(name, value).unwrap_or_else(|complaint| panic!("{}.{name}: {}", entry.name, complaint.what));
    }
    let measured = allocation_counter::measure(|| {
        let mut queue = entry.build(&args, &link).expect("a valid queue");
        let mut cx = Context::new(Rng::named(1, "memory"));
        let mut now = Instant::ZERO;
        for number in 0..u64::from(MANY) + 10_000 {
            // A packet of 1000 bytes takes 80 microseconds: a tenth more comes than leaves.
            now += Duration::from_micros(73);
            while let Some(due) = queue.next_deadline().filter(|due| *due <= now) {
                queue.on_deadline(due, &mut cx);
            }
            let flow = FlowId((number % u64::from(flows)) as u32);
            queue.enqueue(now, Packet::datagram(flow, number, 1000), &mut cx);
            if number % 11 != 0 {
                queue.dequeue(now, &mut cx);
            }
            cx.events.clear();
        }
    });
    measured.bytes_max
}

#[test]
fn memory_does_not_grow_with_the_flows_that_come() {
    let mut wrong = Vec::new();
    for entry in registry()
        .queues()
        .filter(|entry| !ACCOUNTS.iter().any(|(name, settings, ..)| *name == entry.name && settings.is_empty()))
    {
        let (few, many) = (held(entry, &[], FEW), held(entry, &[], MANY));
        println!("{:26} {few:9} {many:9}", entry.name);
        if many > few + SLACK || many > MOST {
            wrong.push(format!("{}: {few} bytes with {FEW} flows, {many} with {MANY}", entry.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn accounts_of_flows_are_as_small_as_they_say() {
    for (name, settings, each, why) in ACCOUNTS {
        let entry = registry().queue(name).expect("a registered queue");
        let (few, many) = (held(entry, settings, FEW), held(entry, settings, MANY));
        println!("{name:26} {few:9} {many:9} {why}");
        assert!(
            many <= few + each * u64::from(MANY - FEW) + SLACK,
            "{name}: {few} bytes with {FEW} flows, {many} with {MANY}"
        );
    }
}

#[test]
fn a_core_router_keeps_no_account() {
    for name in ["csfq", "diffserv"] {
        let entry = registry().queue(name).expect("a registered queue");
        let (few, many) = (held(entry, &[("role", "core")], FEW), held(entry, &[("role", "core")], MANY));
        assert!(many <= few + SLACK, "{name}: {few} bytes with {FEW} flows, {many} with {MANY}");
    }
}
