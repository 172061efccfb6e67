#![allow(clippy::float_cmp, reason = "probes count, and counts are exact")]

use super::*;
use crate::header::Answer;
use crate::packet::{Body, Codepoint, Ecn, FlowId, SackBlocks};
use crate::queue::{Event, FlowHosts, Hosts, What};
use crate::rig::{args, at};

struct Rig {
    cake: Box<dyn QueueDiscipline>,
    cx: Context,
    seq: u64,
}

/// 8 Mbit/s by default: 1000 bytes take 1 ms.
fn rig(settings: &[(&str, &str)], link: &LinkContext) -> Rig {
    let all: Vec<(&str, &str)> = [("bandwidth", "8Mbit")].iter().chain(settings).copied().collect();
    let cake = ENTRY.build(&args(&ENTRY, Some("linux"), &all), link).expect("a queue");
    Rig { cake, cx: Context::new(Rng::named(1, "test")), seq: 0 }
}

fn plain(settings: &[(&str, &str)]) -> Rig {
    rig(settings, &LinkContext::default())
}

impl Rig {
    fn come(&mut self, seconds: f64, packet: Packet) {
        self.cake.enqueue(at(seconds), packet, &mut self.cx);
    }

    /// Datagrams of 1000 bytes.
    fn arrive(&mut self, seconds: f64, flow: u32, times: u64) {
        for _ in 0..times {
            self.come(seconds, Packet::datagram(FlowId(flow), self.seq, 1000).with_ecn(Ecn::Ect0));
            self.seq += 1;
        }
    }

    fn next(&mut self, seconds: f64) -> Option<Packet> {
        self.cake.dequeue(at(seconds), &mut self.cx)
    }

    /// The packets of each of `flows` flows that leave from one time to another, while each queue is kept full.
    fn shares(&mut self, flows: u32, until: f64) -> Vec<f64> {
        let mut sent = vec![0.0; flows as usize];
        for flow in 0..flows {
            self.arrive(0.0, flow, 20);
        }
        let mut now = 0.0;
        while now < until {
            if let Some(packet) = self.next(now) {
                sent[packet.flow.0 as usize] += 1.0;
                self.arrive(now, packet.flow.0, 1);
            }
            now = self.cake.next_deadline().map_or(now, crate::units::Instant::as_secs_f64);
        }
        sent
    }

    fn events(&mut self) -> Vec<Event> {
        self.cx.events.drain().collect()
    }

    fn probe(&self, name: &str) -> f64 {
        let place = self.cake.probes().iter().position(|probe| *probe == name).expect("a probe");
        self.cake.probe(place)
    }
}

#[test]
fn packets_leave_at_the_rate_with_what_the_link_layer_adds() {
    // 1000 bytes of IP and 38 besides: 1.038 ms each.
    let mut rig = plain(&[("link_layer", "ethernet")]);
    rig.arrive(1.0, 0, 3);
    assert!(rig.next(1.0).is_some());
    assert!(rig.next(1.001).is_none());
    assert_eq!(rig.cake.next_deadline(), Some(at(1.001_038)));
    rig.cake.on_deadline(at(1.002), &mut rig.cx);
    assert_eq!(rig.cake.next_deadline(), None);
    assert!(rig.next(1.001_038).is_some());
    assert_eq!(["overlimits", "capacity_bps"].map(|name| rig.probe(name) as u64), [1, 8_000_000]);
}

#[test]
fn an_idle_time_is_not_made_up_for() {
    let mut rig = plain(&[]);
    rig.arrive(0.0, 0, 1);
    assert!(rig.next(0.0).is_some());
    rig.arrive(1.0, 0, 2);
    assert!(rig.next(1.0).is_some());
    assert!(rig.next(1.0005).is_none());
}

#[test]
fn without_a_rate_nothing_is_held_back() {
    let mut rig = plain(&[("bandwidth", "auto")]);
    rig.arrive(0.0, 0, 50);
    assert_eq!((0..60).filter_map(|_| rig.next(0.0)).count(), 50);
    assert_eq!(rig.cake.next_deadline(), None);
}

#[test]
fn a_sparse_flow_passes_those_in_line() {
    let mut rig = plain(&[]);
    rig.arrive(0.0, 0, 10);
    rig.arrive(0.0, 1, 10);
    for step in 0..4 {
        rig.next(0.001 * f64::from(step));
    }
    rig.arrive(0.0045, 2, 1);
    let next: Vec<u32> =
        (0..2).filter_map(|step| rig.next(0.005 + 0.001 * f64::from(step))).map(|packet| packet.flow.0).collect();
    assert!(next.contains(&2), "{next:?}");
}

#[test]
fn flows_of_a_host_share_its_part() {
    // Three flows from one host and one from another, to hosts of their own.
    let hosts = |flow: u32| Hosts { source: u32::from(flow == 3), target: 10 + flow };
    let link =
        LinkContext { hosts: FlowHosts::new((0..4).map(|flow| (FlowId(flow), hosts(flow)))), ..LinkContext::default() };
    for (isolation, parts) in [
        ("triple-isolate", [1.0, 1.0, 1.0, 3.0]),
        ("dual-srchost", [1.0, 1.0, 1.0, 3.0]),
        ("srchost", [1.0, 1.0, 1.0, 3.0]),
        ("dual-dsthost", [1.5, 1.5, 1.5, 1.5]),
        ("flows", [1.5, 1.5, 1.5, 1.5]),
    ] {
        let sent = rig(&[("isolation", isolation)], &link).shares(4, 12.0);
        let sum: f64 = sent.iter().sum();
        for (of_flow, expected) in sent.iter().zip(parts) {
            let share = 6.0 * of_flow / sum;
            assert!((share / expected - 1.0).abs() < 0.02, "{isolation}: {share} for {expected}");
        }
    }
}

#[test]
fn hosts_are_those_of_the_scenario() {
    let hosts = |flow: u32| Hosts { source: 5, target: 6 + flow };
    let link =
        LinkContext { hosts: FlowHosts::new((0..2).map(|flow| (FlowId(flow), hosts(flow)))), ..LinkContext::default() };
    // Data of both flows come from one host; the packets back go to one host, from two.
    let queues = |isolation: &str, goes_back: bool| {
        let mut rig = rig(&[("isolation", isolation)], &link);
        for flow in 0..2 {
            let mut packet = Packet::datagram(FlowId(flow), 0, 1000);
            if goes_back {
                packet.body = acknowledgement(1);
            }
            rig.come(0.0, packet);
        }
        rig.probe("best_effort_sparse_flows")
    };
    assert_eq!([queues("srchost", false), queues("dsthost", false)], [1.0, 2.0]);
    assert_eq!([queues("srchost", true), queues("dsthost", true)], [2.0, 1.0]);
}

#[test]
fn a_tin_below_its_rate_comes_first_and_above_it_behind() {
    // EF is voice, a quarter of the rate: the traffic above that shares the rest.
    let mut rig = plain(&[]);
    let voice = |seq: u64| Packet { dscp: Dscp::EF, ..Packet::datagram(FlowId(9), seq, 1000) };
    let mut left = [0.0_f64; 2];
    let mut now = 0.0;
    for flow in 0..2 {
        rig.arrive(0.0, flow, 20);
    }
    for seq in 0..20 {
        rig.come(0.0, voice(seq));
    }
    while now < 10.0 {
        if let Some(packet) = rig.next(now) {
            let is_voice = packet.dscp == Dscp::EF;
            left[usize::from(is_voice)] += 1.0;
            if is_voice { rig.come(now, voice(0)) } else { rig.arrive(now, packet.flow.0, 1) }
        }
        now = rig.cake.next_deadline().map_or(now, Instant::as_secs_f64);
    }
    let share = left[1] / (left[0] + left[1]);
    assert!(f64::abs(share - 0.25) < 0.01, "{share}");
    assert!(rig.probe("voice_packets") > 0.0 && rig.probe("bulk_packets") == 0.0);
}

#[test]
fn washed_packets_have_been_sorted_before() {
    let mut rig = plain(&[("wash", "true")]);
    rig.come(0.0, Packet { dscp: Dscp::EF, ..Packet::datagram(FlowId(0), 0, 1000) });
    assert_eq!(rig.probe("voice_backlog_bytes"), 1000.0);
    assert_eq!(rig.next(0.0).map(|packet| packet.dscp), Some(Dscp::DF));
}

#[test]
fn the_longest_queue_loses_its_head_when_memory_is_short() {
    let mut rig = plain(&[("memory_limit", "5000B"), ("memory", "bytes")]);
    rig.arrive(0.0, 0, 3);
    rig.arrive(0.0, 1, 2);
    assert_eq!((rig.events().len(), rig.cake.backlog().bytes), (0, 5000));
    rig.arrive(0.0, 1, 1);
    let lost = rig.events();
    assert_eq!(lost.len(), 1);
    assert_eq!(lost[0].what, What::Drop(Reason::OVERFLOW));
    assert!(matches!(lost[0].packet.body, Body::Datagram { seq: 0 | 3, .. }), "{lost:?}");
    assert_eq!(rig.probe("memory_used_bytes"), 6000.0);
}

#[test]
fn the_automatic_memory_limit_is_four_intervals_and_at_least_4_mib() {
    let limit = |settings: &[(&str, &str)]| plain(settings).cake.limit().bytes;
    assert_eq!(limit(&[]), 4 << 20);
    // 200 Mbit/s for 400 ms, but no more than 10240 packets of an MTU.
    assert_eq!(limit(&[("bandwidth", "200Mbit")]), 10_000_000);
    assert_eq!(limit(&[("bandwidth", "1Gbit")]), 10_240 * 1514);
    assert_eq!(limit(&[("bandwidth", "1Gbit"), ("memory_limit", "32000000B")]), 32_000_000);
    assert_eq!(limit(&[("bandwidth", "auto")]), 10_240 * 1514);
}

#[test]
fn a_memory_limit_below_a_packet_is_refused() {
    // A packet of 1000 bytes takes 2304.
    let built = |limit: &str| {
        let args = args(&ENTRY, None, &[("memory_limit", limit)]);
        ENTRY.build(&args, &LinkContext::default()).map(|_| ()).map_err(|error| error.param)
    };
    assert_eq!((built("2303B"), built("2304B")), (Err("memory_limit"), Ok(())));
}

fn acknowledgement(ack: u64) -> Body {
    let (sack, codepoint, answer) = (SackBlocks::default(), Codepoint::None, Answer::default());
    Body::Ack { ack, echo: Instant::ZERO, sack, codepoint, syn: false, offered: 0, answer }
}

#[test]
fn acknowledgements_that_say_nothing_new_are_filtered() {
    for (filter, left) in [("off", 5), ("filter", 2), ("aggressive", 1)] {
        let mut rig = plain(&[("ack_filter", filter)]);
        for ack in 1..=5 {
            rig.come(0.0, Packet { body: acknowledgement(ack), ..Packet::datagram(FlowId(0), 0, 66) });
        }
        assert_eq!(rig.cake.backlog().packets, left, "{filter}");
        assert_eq!(rig.probe("best_effort_ack_drops"), (5 - left) as f64);
        let events = rig.events();
        assert!(
            events.iter().all(|event| event.what == What::Drop(Reason("ack_filter")))
                && events.len() as u64 == 5 - left
        );
        let last = std::iter::from_fn(|| rig.next(1.0)).last();
        assert!(matches!(last, Some(Packet { body: Body::Ack { ack: 5, .. }, .. })), "the newest stays");
    }
}

#[test]
fn what_is_dropped_of_what_came_over_the_link_counts_for_the_shaper() {
    // A queue that has waited 200 ms too long: CoDel drops, and the next packet is later by the time of each that it dropped.
    let after = |ingress: &str| {
        let mut rig = plain(&[("ingress", ingress)]);
        for _ in 0..400 {
            rig.come(0.0, Packet::datagram(FlowId(0), 0, 1000));
        }
        let (mut now, mut sent) = (0.0, 0);
        while now < 0.3 {
            sent += usize::from(rig.next(now).is_some());
            now = rig.cake.next_deadline().map_or(now, Instant::as_secs_f64);
        }
        (sent, rig.events().len())
    };
    let ((egress, dropped), (ingress, dropped_too)) = (after("false"), after("true"));
    assert!(dropped > 0 && dropped_too > 0);
    assert!((299..=301).contains(&egress), "{egress}");
    assert!((299..=301).contains(&(ingress + dropped_too)), "{ingress} and {dropped_too}");
}

#[test]
fn a_standing_queue_is_marked() {
    let mut rig = plain(&[]);
    rig.arrive(0.0, 0, 400);
    let mut now = 0.0;
    while now < 0.3 {
        rig.next(now);
        now = rig.cake.next_deadline().map_or(now, Instant::as_secs_f64);
    }
    let events = rig.events();
    assert!(!events.is_empty() && events.iter().all(|event| event.what == What::Mark(Reason::SOJOURN)));
    assert_eq!(rig.probe("best_effort_marks"), events.len() as f64);
    assert!(rig.probe("best_effort_delay_peak_ms") > 100.0);
}

#[test]
fn tcs_words_for_paths_are_intervals() {
    for (path, expected) in [("datacentre", "100us"), ("lan", "1ms"), ("satellite", "1s"), ("interplanetary", "1000s")]
    {
        let settings = |settings: &[(&str, &str)]| {
            let set = Settings::new(&args(&ENTRY, None, settings).typed(), &LinkContext::default());
            (set.target, set.interval)
        };
        assert_eq!(settings(&[("path", path)]), settings(&[("rtt", expected)]), "{path}");
    }
}
