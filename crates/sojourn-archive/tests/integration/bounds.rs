//! The bounds that schedulers promise, held against random traffic on a link of 8 Mbit/s: a byte takes a microsecond.

use sojourn_archive::registry;
use sojourn_sim::packet::{Body, FlowId, Packet};
use sojourn_sim::queue::{Context, LinkContext};
use sojourn_sim::rig::args;
use sojourn_sim::rng::Rng;
use sojourn_sim::units::{Instant, Rate};

/// Bytes in a microsecond.
const LINK: f64 = 1.0;
/// The largest packet in bytes.
const LARGEST: u32 = 1500;

#[derive(Clone, Copy, Debug)]
struct Arrival {
    micros: u64,
    flow: u32,
    size: u32,
}

/// A packet that was sent, with times in microseconds.
#[derive(Clone, Copy, Debug)]
struct Sent {
    flow: u32,
    size: u32,
    came: u64,
    done: u64,
    /// Bytes of its flow that were not sent when it had come, itself and the packet in transmission included.
    ahead: u32,
}

/// The fates of the arrivals, which are in order of time, in order of departure.
fn run(name: &str, settings: &[(&str, &str)], arrivals: &[Arrival]) -> Vec<Sent> {
    let link = LinkContext { rate: Rate::from_bps(8_000_000), ..LinkContext::default() };
    let entry = registry().queue(name).expect("a queue");
    let mut queue = entry.build(&args(entry, None, settings), &link).expect("a valid queue");
    let mut cx = Context::new(Rng::named(1, "bounds"));
    let (mut unsent, mut ahead, mut sent) = ([0_u32; 16], Vec::new(), Vec::new());
    let mut in_service = (0, 0);
    let mut now = 0;
    loop {
        while let Some(arrival) = arrivals.get(ahead.len()).filter(|arrival| arrival.micros <= now) {
            unsent[arrival.flow as usize] += arrival.size;
            let packet = Packet::datagram(FlowId(arrival.flow), ahead.len() as u64, arrival.size);
            ahead.push(unsent[arrival.flow as usize]);
            queue.enqueue(Instant::from_nanos(arrival.micros * 1000), packet, &mut cx);
        }
        unsent[in_service.0] -= in_service.1;
        in_service = (0, 0);
        if let Some(packet) = queue.dequeue(Instant::from_nanos(now * 1000), &mut cx) {
            let Body::Datagram { seq, .. } = packet.body else { unreachable!("only datagrams were queued") };
            let (flow, size, came) = (packet.flow.0, packet.size, arrivals[seq as usize].micros);
            now += u64::from(size);
            in_service = (flow as usize, size);
            sent.push(Sent { flow, size, came, done: now, ahead: ahead[seq as usize] });
        } else if let Some(next) = arrivals.get(ahead.len()) {
            now = next.micros;
        } else {
            assert_eq!((sent.len(), cx.events.drain().count()), (arrivals.len(), 0), "nothing is dropped");
            return sent;
        }
    }
}

/// Packets of a flow that a bucket of `burst` bytes lets go, which fills with `rate` bytes in a microsecond; greedy after each pause.
fn constrained(flow: u32, burst: f64, rate: f64, until: u64, rng: &mut Rng) -> Vec<Arrival> {
    let (mut arrivals, mut tokens, mut now) = (Vec::new(), burst, 0);
    while now < until {
        let size = 100 + rng.below(u64::from(LARGEST) - 99) as u32;
        let pause = if rng.below(40) == 0 { (burst / rate) as u64 } else { 0 };
        let wait = (((f64::from(size) - tokens) / rate).ceil().max(0.0) as u64).max(pause);
        tokens = (tokens + rate * wait as f64).min(burst) - f64::from(size);
        now += wait;
        arrivals.push(Arrival { micros: now, flow, size });
    }
    arrivals
}

/// Packets of a flow at a mean rate, in bytes in a microsecond.
fn poisson(flow: u32, rate: f64, until: u64, rng: &mut Rng) -> Vec<Arrival> {
    let (mut arrivals, mut now) = (Vec::new(), 0.0);
    loop {
        let size = 100 + rng.below(u64::from(LARGEST) - 99) as u32;
        now += -libm::log(1.0 - rng.uniform()) * f64::from(size) / rate;
        if now as u64 >= until {
            return arrivals;
        }
        arrivals.push(Arrival { micros: now as u64, flow, size });
    }
}

fn in_order(flows: &[Vec<Arrival>]) -> Vec<Arrival> {
    let mut all = flows.concat();
    all.sort_by_key(|arrival| arrival.micros);
    all
}

const FOUR: &str = "flows=0 weight=2; flows=1 weight=3; flows=2 weight=2; * weight=1";

#[test]
fn a_constrained_class_waits_no_longer_than_parekh_and_gallager_say() {
    // A quarter of the link, a bucket of 6000 bytes that fills with that rate; the others send 40 % more than the link takes.
    let (burst, rate, largest) = (6000.0, LINK / 4.0, f64::from(LARGEST));
    let mut rng = Rng::named(3, "bounds");
    let until = 2_000_000;
    let others = (1..4).map(|flow| poisson(flow, 0.45, until, &mut rng)).collect::<Vec<_>>();
    let arrivals = in_order(&[vec![constrained(0, burst, rate, until, &mut rng)], others].concat());

    // [Par93] section IV: burst / rate under the fluid server, and a largest packet more. SCFQ: Stiliadis and Varma, "Latency-Rate
    // Servers", 1998, table I: burst / rate + own packet / rate + (classes - 1) largest packets.
    let by_packet = burst / rate + largest / LINK;
    let self_clocked = burst / rate + largest / rate + 3.0 * largest / LINK;
    for (law, bound) in [("wfq", by_packet), ("wf2q+", by_packet), ("scfq", self_clocked)] {
        let sent = run("wfq", &[("law", law), ("class", FOUR), ("limit", "100000p")], &arrivals);
        let delays = sent.iter().filter(|packet| packet.flow == 0).map(|packet| (packet.done - packet.came) as f64);
        let longest = delays.fold(0.0, f64::max);
        assert!(longest <= bound + 1.0, "{law}: {longest} us of at most {bound}");
        assert!(longest > 0.75 * burst / rate, "{law}: {longest} us is not what the bound is about");
    }
}

/// When the fluid server of [Par93] section II, which serves all that waits at once by these weights, is done with each arrival.
fn fluid(arrivals: &[Arrival], weights: &[f64]) -> Vec<f64> {
    let mut done = vec![0.0; arrivals.len()];
    let mut waiting: Vec<Vec<(usize, f64)>> = vec![Vec::new(); weights.len()];
    let (mut now, mut next) = (0.0, 0);
    loop {
        let until = arrivals.get(next).map_or(f64::INFINITY, |arrival| arrival.micros as f64);
        let busy: f64 = (0..weights.len()).filter(|flow| !waiting[*flow].is_empty()).map(|flow| weights[flow]).sum();
        let rate = |flow: usize| LINK * weights[flow] / busy;
        let first = (0..weights.len()).filter_map(|flow| Some((waiting[flow].first()?.1 / rate(flow), flow)));
        let first = first.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(span, _)| now + span <= until);
        let span = first.map_or(until - now, |(span, _)| span);
        if first.is_none() && next == arrivals.len() {
            return done;
        }
        for flow in 0..weights.len() {
            if let Some(head) = waiting[flow].first_mut() {
                head.1 -= span * LINK * weights[flow] / busy;
            }
        }
        now += span;
        if let Some((_, flow)) = first {
            done[waiting[flow].remove(0).0] = now;
        } else {
            let arrival = arrivals[next];
            waiting[arrival.flow as usize].push((next, f64::from(arrival.size)));
            next += 1;
        }
    }
}

/// The number among the arrivals of each packet that was sent: flows keep their order.
fn numbers(sent: &[Sent], arrivals: &[Arrival]) -> Vec<usize> {
    let of = |flow: u32| (0..arrivals.len()).filter(move |number| arrivals[*number].flow == flow);
    let mut left: Vec<Vec<usize>> = (0..16).map(|flow| of(flow).rev().collect()).collect();
    sent.iter().map(|packet| left[packet.flow as usize].pop().expect("it came")).collect()
}

#[test]
fn no_packet_leaves_a_largest_packet_later_than_under_the_fluid_server() {
    // [Par93] theorem 1: at most L_max / C later, for any arrivals. A packet is late if it arrives during the transmission of a packet that
    // it should overtake: the link is not always backlogged here.
    let mut rng = Rng::named(6, "bounds");
    let arrivals = in_order(&(0..4).map(|flow| poisson(flow, 0.2, 1_000_000, &mut rng)).collect::<Vec<_>>());
    let by_class = [("law", "wfq"), ("class", FOUR), ("limit", "100000p")];
    let by_flow = [("queues", "65536"), ("limit", "100000p")];
    let cases = [("wfq", &by_class[..], [2.0, 3.0, 2.0, 1.0]), ("fq", &by_flow[..], [1.0, 1.0, 1.0, 1.0])];
    for (name, settings, weights) in cases {
        let sent = run(name, settings, &arrivals);
        let fluid = fluid(&arrivals, &weights);
        let late =
            sent.iter().zip(numbers(&sent, &arrivals)).map(|(packet, number)| packet.done as f64 - fluid[number]);
        let latest = late.fold(0.0, f64::max);
        assert!(latest <= f64::from(LARGEST) / LINK + 1.0, "{name}: {latest} us");
        assert!(latest > 0.5 * f64::from(LARGEST) / LINK, "{name}: {latest} us is not what the bound is about");
    }
}

#[test]
fn start_time_fair_queueing_sends_by_the_expected_arrival() {
    // [Goy96] theorem 4: done by EAT + the largest packets of all others / C + L / C, where EAT = max(arrival, EAT before + L before / r).
    // Class 0 sends more than its share, so that its packets are expected later than they come.
    let mut rng = Rng::named(7, "bounds");
    let arrivals = in_order(&(0..4).map(|flow| poisson(flow, 0.3, 300_000, &mut rng)).collect::<Vec<_>>());
    let sent = run("cbfq", &[("class", FOUR), ("limit", "100000p")], &arrivals);
    let others = 3.0 * f64::from(LARGEST) / LINK;
    let mut expected = [0.0_f64; 4];
    let mut latest = 0.0_f64;
    for packet in &sent {
        let flow = packet.flow as usize;
        let eat = expected[flow].max(packet.came as f64);
        let rate = [0.25, 0.375, 0.25, 0.125][flow] * LINK;
        expected[flow] = eat + f64::from(packet.size) / rate;
        let late = packet.done as f64 - eat - f64::from(packet.size) / LINK;
        assert!(late <= others + 1.0, "{packet:?}, expected at {eat}");
        latest = latest.max(late);
    }
    // More than one packet goes before it; that three of the largest do is rare.
    assert!(latest > f64::from(LARGEST) / LINK, "{latest} us is not what the bound is about");
}

#[test]
fn wf2q_plus_keeps_the_worst_case_fair_index() {
    // [Ben97] theorem 4: a packet is sent within Q / r + L / r - L / C + L_max / C, where Q are the bytes of its class.
    let mut rng = Rng::named(4, "bounds");
    let arrivals = in_order(&(0..4).map(|flow| poisson(flow, 0.26, 1_000_000, &mut rng)).collect::<Vec<_>>());
    let largest = f64::from(LARGEST);
    let index = |rate: f64| largest / rate - largest / LINK + largest / LINK;

    let sent = run("wfq", &[("law", "wf2q+"), ("class", FOUR), ("limit", "100000p")], &arrivals);
    for packet in &sent {
        let rate = [0.25, 0.375, 0.25, 0.125][packet.flow as usize] * LINK;
        let bound = f64::from(packet.ahead) / rate + index(rate);
        assert!((packet.done - packet.came) as f64 <= bound + 1.0, "{packet:?} within {bound}");
    }
}

#[test]
fn wfq_does_not_keep_the_worst_case_fair_index() {
    // [Ben97] section II: ten packets of a class with half of the link, and one of each of ten others, come at 0; one more comes as
    // the ten have gone. WFQ sends the ten others before it, WF2Q+ one.
    let others: Vec<String> = (1..10).map(|flow| format!("flows={flow}")).collect();
    let classes = format!("flows=0 weight=10; {}; *", others.join("; "));
    let packet = |micros, flow| Arrival { micros, flow, size: 1000 };
    let mut arrivals: Vec<Arrival> = (0..10).map(|_| packet(0, 0)).chain((1..11).map(|flow| packet(0, flow))).collect();
    arrivals.push(packet(9_500, 0));
    let delay = |law| {
        let sent = run("wfq", &[("law", law), ("class", &classes), ("limit", "1000p")], &arrivals);
        sent.iter().find(|late| late.came == 9_500).map(|late| late.done - late.came)
    };

    assert_eq!(delay("wfq"), Some(11_500), "the one in transmission, ten others and itself");
    // Under WF2Q+ half of the ten are still there: ahead of it are at most 5500 bytes, 11 ms at its rate, and the index of 2 ms.
    assert!(delay("wf2q+").is_some_and(|micros| micros <= 13_000));
}

#[test]
fn drr_serves_a_flow_after_its_latency() {
    // Stiliadis and Varma 1998, table I: from the time at which a flow has something waiting it gets at least
    // rate (t - (3 F - 2 quantum) / C), where F is the sum of the quanta and rate its part of C.
    let flows = 5_u32;
    let quantum = f64::from(LARGEST);
    let frame = f64::from(flows) * quantum;
    let latency = (3.0 * frame - 2.0 * quantum) / LINK;
    let mut rng = Rng::named(5, "bounds");
    let until = 600_000;
    let others = (1..flows).map(|flow| poisson(flow, 0.4, until, &mut rng)).collect::<Vec<_>>();
    let start = 100_123;
    let backlog = (0..200).map(|_| Arrival { micros: start, flow: 0, size: 100 + rng.below(1401) as u32 }).collect();
    let arrivals = in_order(&[vec![backlog], others].concat());

    let settings = [("quantum", "1500B"), ("queues", "65536"), ("limit", "100000000B")];
    let sent = run("drr", &settings, &arrivals);
    let mut bytes = 0.0;
    for packet in sent.iter().filter(|packet| packet.flow == 0) {
        // Just before this packet is done.
        let promised = quantum / frame * ((packet.done - start) as f64 - latency);
        assert!(bytes + f64::from(packet.size) >= promised, "{bytes} bytes and {packet:?}, of {promised}");
        bytes += f64::from(packet.size);
    }
    assert!(bytes > 100_000.0);
}
