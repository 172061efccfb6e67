//! UDP: sends the application's data at once, and counts arrivals. Specification: RFC 768.
//! Compared with: ns-2 2.35 `Agent/UDP` (a packet is `packet` bytes in all).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet that the application writes is one datagram; ns-2 cuts it at `packetSize_` = 1000 | a source sends the sizes that it is told; `packet` sets a bound as ns-2's does | `what_the_application_writes_as_a_packet_is_one_datagram` |

use std::sync::Arc;

use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::packet::{Body, Ecn, Packet};
use crate::params;
use crate::params::Args;
use crate::traffic::{Amount, AppContext, Application, Demand};
use crate::transport::entry::{Control, Flows, TransportEntry};
use crate::units::{Bytes, Instant};

pub(crate) static ENTRY: TransportEntry = TransportEntry {
    name: "udp",
    title: "UDP",
    doc: "Datagrams without acknowledgements, recovery or congestion control. The application alone decides when they leave.",
    reference: "RFC 768",
    controlled: false,
    ..TransportEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Size of the largest datagram on the wire, headers included. `auto`: each packet of the application is a datagram, of up to
        /// 65535 bytes; data without packets goes in datagrams of 1000.
        packet: Option<Bytes> = "auto" in [29.0, 65535.0], "the application says it; ns-2 2.35 packetSize_ for 1000 B";
        /// Whether datagrams are sent as ECN-capable (ECT(0)). Nothing here reacts to marks.
        ecn: bool = "false", "RFC 3168 section 6: the transport has to answer marks";
    }
}

/// IP and UDP headers in bytes (RFC 791, RFC 768).
pub const HEADER: u32 = 28;

/// The size of a datagram if neither the application nor the transport sets it.
pub const USUAL: u32 = 1000;

/// The largest that IP carries (RFC 791).
pub const LARGEST: u32 = 65535;

#[expect(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let Params { packet, ecn } = args.typed();
    Ok(Arc::new(move |app| (Box::new(UdpSender::new(app, packet, ecn)), Box::new(UdpReceiver::default()))))
}

pub(super) struct UdpSender {
    app: Box<dyn Application>,
    /// The size of a datagram of data without packet sizes.
    packet: u32,
    /// The largest datagram.
    most: u32,
    ecn: Ecn,
    stopped: bool,
    next_seq: u64,
    counters: Counters,
}

impl UdpSender {
    /// A sender that `app` drives, of datagrams of at most `packet` bytes or as large as it wants them.
    pub(super) fn new(app: Box<dyn Application>, packet: Option<Bytes>, ecn: bool) -> Self {
        UdpSender {
            app,
            packet: packet.map_or(USUAL, |packet| packet.0 as u32),
            most: packet.map_or(LARGEST, |packet| packet.0 as u32),
            ecn: if ecn { Ecn::Ect0 } else { Ecn::NotEct },
            stopped: false,
            next_seq: 0,
            counters: Counters::default(),
        }
    }

    fn ask(
        &mut self,
        cx: &mut FlowContext,
        question: impl FnOnce(&mut dyn Application, &mut AppContext<'_>) -> Demand,
    ) -> Demand {
        let mut app_cx =
            AppContext { rng: cx.rng, packet: Bytes(u64::from(self.packet)), header: Bytes(u64::from(HEADER)) };
        question(self.app.as_mut(), &mut app_cx)
    }

    fn obey(&mut self, now: Instant, mut demand: Demand, cx: &mut FlowContext) {
        // Not modelled: endless writing, which without congestion control would have no rate.
        loop {
            match demand.write {
                Amount::Bytes(Bytes(bytes)) => self.write(now, bytes, self.packet, cx),
                Amount::Packet(Bytes(bytes)) => self.write(now, bytes, self.most, cx),
                Amount::Nothing | Amount::Endless => break,
            }
            demand = self.ask(cx, |app, app_cx| app.on_transfer_complete(now, app_cx));
        }
    }

    /// Sends `bytes` bytes of payload in datagrams of at most `most` bytes.
    fn write(&mut self, now: Instant, bytes: u64, most: u32, cx: &mut FlowContext) {
        let payload = u64::from(most - HEADER);
        let mut left = bytes;
        while left > 0 {
            let carried = left.min(payload);
            left -= carried;
            let size = carried as u32 + HEADER;
            self.counters.packets_sent += 1;
            self.counters.bytes_sent += u64::from(size);
            let body = Body::Datagram { seq: self.next_seq, sent_at: now };
            cx.out.push(Packet { ecn: self.ecn, ..Packet::new(now, size, body) });
            self.next_seq += 1;
        }
    }
}

impl Endpoint for UdpSender {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        let demand = self.ask(cx, |app, app_cx| app.on_start(now, app_cx));
        self.obey(now, demand, cx);
    }

    fn stop(&mut self, _now: Instant, _cx: &mut FlowContext) {
        self.stopped = true;
    }

    fn on_packet(&mut self, _now: Instant, packet: &Packet, _cx: &mut FlowContext) {
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
    }

    fn next_deadline(&self) -> Option<Instant> {
        if self.stopped { None } else { self.app.next_deadline() }
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.next_deadline().is_some_and(|deadline| deadline <= now) {
            let demand = self.ask(cx, |app, app_cx| app.on_deadline(now, app_cx));
            self.obey(now, demand, cx);
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

#[derive(Default)]
struct UdpReceiver {
    counters: Counters,
}

impl Endpoint for UdpReceiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, _cx: &mut FlowContext) {
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        self.counters.marks_seen += u64::from(packet.ecn == Ecn::Ce);
        if let Body::Datagram { sent_at, .. } = packet.body {
            // Not modelled: duplicates, which no element of the network makes.
            self.counters.bytes_delivered += u64::from(packet.size.saturating_sub(HEADER));
            self.counters.one_way_delay_sum += now.since(sent_at).as_secs_f64();
        }
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        // No packet waits for earlier ones.
        Counters { bytes_new: self.counters.bytes_delivered, ..self.counters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::traffic::cbr;
    use crate::transport::ContextOwner;
    use crate::transport::spec::TransportSpec;
    use crate::units::Duration;

    fn flow(settings: &[(&str, &str)], app: &[(&str, &str)]) -> (Box<dyn Endpoint>, Box<dyn Endpoint>) {
        let args = crate::rig::set(ENTRY.args(None).expect("defaults"), settings);
        let app_args = crate::rig::set(Args::defaults(cbr::ENTRY.params), app);
        TransportSpec::new(&ENTRY, args, None).expect("a transport").endpoints((cbr::ENTRY.build)(&app_args))
    }

    #[test]
    fn a_constant_bit_rate_leaves_on_time_and_is_counted_at_both_ends() {
        let (mut sender, mut receiver) = flow(&[("ecn", "true")], &[("rate", "8Mbit")]);
        let mut cx = ContextOwner::new(Rng::named(1, "test"));

        sender.start(Instant::ZERO, &mut cx.lend());
        for millis in 1..5 {
            // 1000 bytes at 8 Mbit/s: one a millisecond.
            let now = Instant::ZERO + Duration::from_millis(millis);
            assert_eq!(sender.next_deadline(), Some(now));
            sender.on_deadline(now, &mut cx.lend());
        }
        let sent: Vec<Packet> = cx.out.drain(..).collect();
        for packet in &sent {
            assert_eq!((packet.size, packet.ecn), (1000, Ecn::Ect0));
            receiver.on_packet(Instant::ZERO + Duration::from_millis(9), packet, &mut cx.lend());
        }

        assert_eq!((sender.counters().packets_sent, sender.counters().bytes_sent), (5, 5000));
        let counters = receiver.counters();
        assert_eq!((counters.packets_received, counters.bytes_delivered), (5, 5 * 972));
        // 9 + 8 + 7 + 6 + 5 ms.
        assert!((counters.one_way_delay_sum - 0.035).abs() < 1e-12);
    }

    #[test]
    fn a_stopped_source_is_silent() {
        let (mut sender, _) = flow(&[], &[]);
        let mut cx = ContextOwner::new(Rng::named(1, "test"));
        sender.start(Instant::ZERO, &mut cx.lend());
        sender.stop(Instant::ZERO, &mut cx.lend());
        assert_eq!(sender.next_deadline(), None);
    }

    #[test]
    fn what_the_application_writes_as_a_packet_is_one_datagram() {
        let sizes = |app: &[(&str, &str)]| {
            let (mut sender, _) = flow(&[], &[app, &[("count", "1")]].concat());
            let mut cx = ContextOwner::new(Rng::named(1, "test"));
            sender.start(Instant::ZERO, &mut cx.lend());
            cx.out.drain(..).map(|packet| packet.size).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&[("packet", "1500B")]), [1500]);
        assert_eq!(sizes(&[("packet", "65535B")]), [65535]);
        assert_eq!(sizes(&[("packet", "200B")]), [200]);
        assert_eq!(sizes(&[]), [1000]);
    }

    #[test]
    fn what_has_no_size_of_its_own_goes_in_datagrams_of_1000_bytes() {
        use crate::traffic::streaming;
        // A block of 8 Mbit/s * 2 ms = 2000 bytes: two datagrams of 972 and one of 56.
        let app_args = crate::rig::set(
            Args::defaults(streaming::ENTRY.params),
            &[("rate", "8Mbit"), ("interval", "2ms"), ("ahead", "0s")],
        );
        let app = (streaming::ENTRY.build)(&app_args);
        let transport = TransportSpec::new(&ENTRY, ENTRY.args(None).expect("defaults"), None).expect("a transport");
        let (mut sender, _) = transport.endpoints(app);
        let mut cx = ContextOwner::new(Rng::named(1, "test"));
        sender.start(Instant::ZERO, &mut cx.lend());
        let due = sender.next_deadline().expect("a block is due");
        sender.on_deadline(due, &mut cx.lend());
        assert_eq!(cx.out.drain(..).map(|packet| packet.size).collect::<Vec<_>>(), [1000, 1000, 28 + 56]);
    }

    #[test]
    fn a_packet_larger_than_the_transports_is_split() {
        let (mut sender, _) = flow(&[("packet", "500B")], &[("packet", "1000B"), ("count", "1")]);
        let mut cx = ContextOwner::new(Rng::named(1, "test"));
        sender.start(Instant::ZERO, &mut cx.lend());
        // 972 bytes of payload in datagrams of at most 472.
        assert_eq!(cx.out.drain(..).map(|packet| packet.size).collect::<Vec<_>>(), [500, 500, 28 + 28]);
    }
}
