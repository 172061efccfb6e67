//! Choke packets: the engine makes them of [`What::Choke`](crate::queue::What::Choke) and sends them from the router back
//! to the sender of the flow. Specification: RFC 792, source quench; [Tah13] Tahiliani, PhD thesis, NIT Karnataka, 2013,
//! section 2.2, for the hop-by-hop kind.
//!
//! A choke packet takes the shortest path to the sender, over queues and links like any packet. If that path passes a router that also
//! carries the flow's data, and a queue there wants to see the packet, its route has a [`Kind::Notice`](super::hop::Kind::Notice). A run in
//! which no queue sends choke packets has no routes for them ([`ways`]) and no cost.
//!
//! Deviation: a router takes a nanosecond to make a choke packet, so that it is an event after the one that caused it. Not modelled: choke
//! packets about acknowledgements, which would go to the receiver, and about choke packets (RFC 1122 section 3.2.2).

pub(super) mod ways;

use super::event_queue::{Class, Event};
use super::hop::Hop;
use super::links::Link;
use super::state::{SENDER, Simulation};
use crate::packet::Packet;
use crate::units::{Duration, Instant};

/// Bytes of a choke packet: two IP headers, that of ICMP, and 8 bytes of the packet that it is about (RFC 792).
const SIZE: u32 = 56;
/// The data that a router needs to make one.
const MAKING: Duration = Duration::from_nanos(1);

impl Simulation {
    /// Sends the choke packets that the queue of `link` has asked for.
    #[cold]
    pub(super) fn send_chokes(&mut self, now: Instant, link: u32) {
        let Link::Queue(queue) = &mut self.links[link as usize] else { return };
        for packet in queue.take_chokes() {
            let Some(body) = packet.choke() else { continue };
            let Some(&route) = self.choke_routes.get(&(link, packet.flow.0)) else { continue };
            let choke = Packet { flow: packet.flow, hop: route, ..Packet::new(now, SIZE, body) };
            let handle = self.outbox.pool.insert(choke);
            let arg = self.hop(handle).with_handle(handle);
            self.events.push(Event::new((now + MAKING).as_nanos(), Class::Delivery, link, arg));
        }
    }

    /// Shows a choke packet to a queue of the router that it has reached, and lets it go on unless the queue keeps it.
    #[cold]
    pub(super) fn show_choke(&mut self, now: Instant, link: u32, handle: u32) {
        let choke = *self.outbox.pool.get(handle);
        let goes_on = match &mut self.links[link as usize] {
            Link::Queue(queue) => queue.on_choke(now, &choke),
            Link::Buffer(_) => true,
        };
        // Its deadline may have changed.
        self.transmit(now, link);
        if !goes_on {
            self.outbox.pool.free(handle);
            return;
        }
        self.outbox.pool.get_mut(handle).hop += 1;
        let next = self.hop(handle);
        if next.is_link() {
            self.send(now, next, handle);
        } else if next == Hop::SENDER {
            self.deliver_from_pool::<SENDER>(now, handle);
        } else {
            self.show_choke(now, next.number(), handle);
        }
    }
}

#[cfg(test)]
mod end_to_end;
#[cfg(test)]
mod tests {
    use crate::metrics::{Data, Table};
    use crate::sim::shortcuts::Shortcuts;
    use crate::sim::tests::{number, run};

    /// A host, two routers and a host, each link with delay 10 ms; the host sends 10 Mbit/s in packets of 1000 bytes from 0 s
    /// on, for 10 s. `first` and `second` are before the links of 20 Mbit/s and 8 Mbit/s.
    fn chain(first: &str, second: &str) -> String {
        format!(
            r#"
duration = "10s"
node = [{{ name = "a" }}, {{ name = "r1" }}, {{ name = "r2" }}, {{ name = "b" }}]
[[link]]
name = "in"
from = "a"
to = "r1"
rate = "100Mbit"
delay = "10ms"
queue = {{ kind = "fifo", limit = "1000p" }}
[[link]]
name = "first"
from = "r1"
to = "r2"
rate = "20Mbit"
delay = "10ms"
queue = {{ {first} }}
[[link]]
name = "second"
from = "r2"
to = "b"
rate = "8Mbit"
delay = "10ms"
queue = {{ {second} }}
[[flow]]
name = "blast"
from = "a"
to = "b"
transport = {{ kind = "udp" }}
app = {{ kind = "cbr", rate = "10Mbit", packet = "1000B" }}
"#
        )
    }

    /// The row of the link in the table of queues; links back are called `reverse`.
    fn row(tables: &[Table], link: &str) -> usize {
        let table = tables.iter().find(|table| table.name == "queue").expect("a table");
        let names = table.columns.iter().find(|column| column.name == "link").expect("names");
        let Data::Text(names) = &names.data else { panic!("names are text") };
        names.iter().position(|name| &**name == link).unwrap_or_else(|| panic!("no {link} in {names:?}"))
    }

    fn of(tables: &[Table], link: &str, column: &str) -> f64 {
        number(tables, "queue", column, row(tables, link))
    }

    #[test]
    fn every_packet_without_room_sends_one_choke_packet_to_the_source() {
        let quench = r#"kind = "source_quench", policy = "fifo", limit = "20p""#;
        let tables = run(&chain(r#"kind = "fifo", limit = "100p""#, quench), 1, Shortcuts::ALL);
        let dropped = of(&tables, "second", "drops_packets");
        // The excess of 2 Mbit/s is 250 packets a second, after 20 packets have filled the buffer.
        assert!((dropped - 2500.0).abs() < 50.0, "{dropped}");
        // No acknowledgements go back: all that does is choke packets, 10 ms and the transmission of 56 bytes a hop.
        for link in ["first/reverse", "in/reverse"] {
            let passed = of(&tables, link, "arrivals_packets");
            assert!((0.0..=10.0).contains(&(dropped - passed)), "{link}: {passed} of {dropped}");
            assert!(of(&tables, link, "throughput_bps") / 8.0 * 10.0 >= (passed - 10.0) * 56.0);
        }
        assert!(of(&tables, "second/reverse", "arrivals_packets") < 0.5, "none goes forward");
    }

    #[test]
    fn under_senders_that_ignore_it_source_quench_is_a_plain_queue() {
        // RED's choices are spared, and UDP hears nothing: drop tail of the same limit, and many choke packets.
        let first = r#"kind = "fifo", limit = "100p""#;
        let quench = run(&chain(first, r#"kind = "source_quench", limit = "60p""#), 1, Shortcuts::ALL);
        let plain = run(&chain(first, r#"kind = "fifo", limit = "60p""#), 1, Shortcuts::ALL);
        for column in
            ["arrivals_packets", "departures_packets", "drops_packets", "backlog_mean_packets", "sojourn_mean_ms"]
        {
            let (ours, theirs) = (of(&quench, "second", column), of(&plain, "second", column));
            assert!((ours - theirs).abs() < 1e-9 * theirs, "{column}: {ours} {theirs}");
        }
        assert!(of(&quench, "in/reverse", "arrivals_packets") > of(&quench, "second", "drops_packets"));
    }

    #[test]
    fn a_choke_packet_that_passes_slows_the_router_before() {
        let hop = r#"kind = "hop_by_hop", limit = "100p", threshold = "20p""#;
        let alone = run(&chain(r#"kind = "fifo", limit = "100p""#, hop), 1, Shortcuts::ALL);
        let both = run(&chain(hop, hop), 1, Shortcuts::ALL);
        assert!(of(&alone, "first", "backlog_max_packets") < 1.5, "twice as fast as the source");
        assert!(of(&both, "first", "backlog_max_packets") >= 20.0, "it holds packets back");
        let drops = |tables| of(tables, "second", "drops_packets");
        assert!(drops(&both) < 0.5 * drops(&alone), "{} {}", drops(&both), drops(&alone));
        assert!(of(&both, "second", "utilisation") > 0.5);
    }

    #[test]
    fn a_choke_packet_that_is_kept_goes_no_further() {
        let hop = r#"kind = "hop_by_hop", limit = "100p", threshold = "20p", interval = "50ms""#;
        let keeps = format!("{hop}, goes_on = false");
        // The router before has a buffer that never fills to its threshold, so that only the second one tells.
        let wide = keeps.replace("20p", "100000p").replace("100p", "200000p");
        let tables = run(&chain(&wide, hop), 1, Shortcuts::ALL);
        assert!(of(&tables, "first/reverse", "arrivals_packets") > 5.0);
        assert!(of(&tables, "in/reverse", "arrivals_packets") < 0.5);
    }
}
