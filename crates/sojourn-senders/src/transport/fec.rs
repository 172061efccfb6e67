//! UDP with forward error correction: blocks of `data` packets and `parity` packets; any `data` of them suffice.
//! Specification: [Ale04] Alemu, "Performance evaluation of quality of service mechanisms in the Internet", 2004,
//! chapter 5 (a systematic erasure code of the Reed-Solomon type).
//!
//! The receiver gives data to the application as it arrives, and the missing data of a block when the block has `data` packets. The losses
//! of a block are counted when a later one begins to arrive.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Packets of a block are numbered data first, then parity | [Ale04] says only that packets are numbered on; the code is systematic | `parity_takes_the_last_places_of_a_block` |
//! | A block that is not complete at the end of the run, or short because its source ended, is not counted; a short one has no parity | [Ale04] does not say | `the_last_block_is_not_counted` |
//! | A block may be of any size, and coding takes no time | the code is any that is maximum distance separable; a field of 256 elements allows 255 packets | - |

use std::collections::VecDeque;
use std::sync::Arc;

pub use super::Repairs;
use super::udp::{HEADER, UdpSender};
use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::packet::{Body, Ecn, Packet};
use crate::params::Args;
use crate::transport::entry::{Control, Flows, TransportEntry};
use crate::transport::outbox::Outbox;
use crate::units::{Bytes, Instant};
use crate::{choices, params, presets};

pub(crate) static ENTRY: TransportEntry = TransportEntry {
    name: "fec",
    title: "UDP with forward error correction",
    doc: "Datagrams in blocks of data and parity: a block is repaired if as many of its packets arrive as it has \
          data packets. The application alone decides when packets leave.",
    reference: "Alemu 2004, chapter 5; RFC 768",
    profiles: presets! {
        /// Alemu 2004: packets of 573 bytes; a Poisson source of 500 kbit/s times 1 + parity/data belongs to it.
        alemu = { packet = "573B", data = "16", parity = "1", schedule = "paced" };
    },
    controlled: false,
    ..TransportEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Size of the largest datagram on the wire, headers included. `auto`: each packet of the application is a datagram, of up to
        /// 65535 bytes; data without packets goes in datagrams of 1000.
        packet: Option<Bytes> = "auto" in [29.0, 65535.0], "as UDP";
        /// Data packets of a block: k.
        data: u64 = "16" in [1.0, 100_000.0], "Alemu 2004, tables 5.1 and 5.2";
        /// Parity packets of a block: h. Each is as large as the largest data packet of its block.
        parity: u64 = "1" in [0.0, 100_000.0], "Alemu 2004, table 5.1";
        /// When parity leaves.
        schedule: Schedule = "paced", "Alemu 2004, equation 5.1";
        /// Blocks that the receiver keeps open: more than one if packets may overtake each other. Later packets count as lost.
        open: u64 = "1" in [1.0, 1000.0], "packets keep their order";
        /// Whether datagrams are sent as ECN-capable (ECT(0)). Nothing here reacts to marks.
        ecn: bool = "false", "RFC 3168 section 6";
    }
}

choices! {
    /// When parity leaves.
    pub enum Schedule {
        /// When the application writes: of each `data` + `parity` packets that it writes the last `parity` carry parity
        /// instead. Its rate is the rate of both.
        Paced = "paced",
        /// At once behind the last data packet of the block, in addition to the packets that the application writes.
        Appended = "appended",
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let params: Params = args.typed();
    Ok(Arc::new(move |app| {
        let Params { packet, ecn, .. } = params;
        let sender = Sender {
            source: UdpSender::new(app, packet, ecn),
            params: params.clone(),
            written: Outbox::default(),
            seq: 0,
            payload: 0,
            largest: 0,
            counters: Counters::default(),
        };
        let receiver = Receiver {
            params: params.clone(),
            first: 0,
            blocks: VecDeque::new(),
            repairs: Repairs::default(),
            counters: Counters::default(),
        };
        (Box::new(sender), Box::new(receiver))
    }))
}

/// Numbers the source's packets and puts parity in their place or behind them.
struct Sender {
    source: UdpSender,
    params: Params,
    /// Lent to the source for its packets.
    written: Outbox,
    /// Number of the next packet.
    seq: u64,
    /// Payload of this block's data so far, and its largest packet.
    payload: u32,
    largest: u32,
    counters: Counters,
}

impl Sender {
    fn write(&mut self, now: Instant, cx: &mut FlowContext, call: impl FnOnce(&mut UdpSender, &mut FlowContext)) {
        let mut written = std::mem::take(&mut self.written);
        call(&mut self.source, &mut FlowContext { rng: cx.rng, out: &mut written });
        written.take_each(|packet| self.code(now, packet, cx));
        self.written = written;
    }

    fn code(&mut self, now: Instant, packet: Packet, cx: &mut FlowContext) {
        let Params { data, parity, schedule, .. } = self.params;
        let place = self.seq % (data + parity);
        if place >= data {
            self.send_parity(now, packet, cx);
            return;
        }
        if place == 0 {
            (self.payload, self.largest) = (0, 0);
        }
        self.payload = self.payload.saturating_add(packet.size.saturating_sub(HEADER));
        self.largest = self.largest.max(packet.size);
        self.push(Packet { body: Body::Datagram { seq: self.seq, sent_at: now }, ..packet }, cx);
        if schedule == Schedule::Appended && place + 1 == data {
            for _ in 0..parity {
                self.send_parity(now, packet, cx);
            }
        }
    }

    /// Parity in the place of `packet`.
    fn send_parity(&mut self, now: Instant, packet: Packet, cx: &mut FlowContext) {
        let body = Body::Parity { seq: self.seq, sent_at: now, payload: self.payload };
        self.push(Packet { size: self.largest, body, ..packet }, cx);
    }

    fn push(&mut self, packet: Packet, cx: &mut FlowContext) {
        self.seq += 1;
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += u64::from(packet.size);
        cx.out.push(packet);
    }
}

impl Endpoint for Sender {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        self.write(now, cx, |source, cx| source.start(now, cx));
    }

    fn stop(&mut self, now: Instant, cx: &mut FlowContext) {
        self.write(now, cx, |source, cx| source.stop(now, cx));
    }

    fn on_packet(&mut self, _now: Instant, packet: &Packet, _cx: &mut FlowContext) {
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.source.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        self.write(now, cx, |source, cx| source.on_deadline(now, cx));
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

/// A block that may still get packets.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    data: u64,
    parity: u64,
    /// Payload given to the application.
    delivered: u64,
    /// Payload of all its data, once parity has told.
    payload: Option<u32>,
}

struct Receiver {
    params: Params,
    /// Number of the oldest open block.
    first: u64,
    /// The open blocks, oldest first.
    blocks: VecDeque<Block>,
    repairs: Repairs,
    counters: Counters,
}

impl Receiver {
    /// The block of packet `seq`, if it is still open.
    fn block(&mut self, seq: u64) -> Option<&mut Block> {
        let Params { data, parity, open, .. } = self.params;
        let number = seq / (data + parity);
        while number >= self.first + open {
            let block = self.blocks.pop_front().unwrap_or_default();
            self.first += 1;
            self.close(&block);
        }
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        if self.blocks.len() <= index {
            self.blocks.resize(index + 1, Block::default());
        }
        self.blocks.get_mut(index)
    }

    /// [Ale04] §5.1: with at most `parity` packets lost all are recovered, with more none.
    fn close(&mut self, block: &Block) {
        let Params { data, parity, .. } = self.params;
        let lost = (data + parity).saturating_sub(block.data + block.parity);
        let data_lost = data.saturating_sub(block.data);
        self.repairs.packets += data + parity;
        self.repairs.lost += lost;
        self.repairs.data += data;
        self.repairs.data_lost += data_lost;
        if lost > parity {
            self.repairs.blocks_lost += 1;
            self.repairs.unrepaired += lost;
            self.repairs.data_unrepaired += data_lost;
        } else if data_lost > 0 {
            self.repairs.blocks_repaired += 1;
        } else {
            self.repairs.blocks_complete += 1;
        }
    }

    /// Payload that the application gets because a packet has arrived.
    fn deliver(&mut self, seq: u64, size: u32, parity_of: Option<u32>) -> u64 {
        let needed = self.params.data;
        let Some(block) = self.block(seq) else { return 0 };
        let whole = block.data + block.parity >= needed;
        let carried = if let Some(payload) = parity_of {
            block.parity += 1;
            block.payload = Some(payload);
            0
        } else {
            block.data += 1;
            u64::from(size.saturating_sub(HEADER))
        };
        if whole {
            return 0; // All its data has been given.
        }
        let before = block.delivered;
        block.delivered += carried;
        if let Some(payload) = block.payload
            && block.data + block.parity >= needed
        {
            block.delivered = u64::from(payload);
        }
        block.delivered - before
    }
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, _cx: &mut FlowContext) {
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        self.counters.marks_seen += u64::from(packet.ecn == Ecn::Ce);
        let (seq, sent_at, parity_of) = match packet.body {
            Body::Datagram { seq, sent_at } => (seq, sent_at, None),
            Body::Parity { seq, sent_at, payload } => (seq, sent_at, Some(payload)),
            _ => return,
        };
        self.counters.one_way_delay_sum += now.since(sent_at).as_secs_f64();
        self.counters.bytes_delivered += self.deliver(seq, packet.size, parity_of);
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        // No packet waits for earlier ones.
        Counters { bytes_new: self.counters.bytes_delivered, ..self.counters }
    }

    fn repairs(&self) -> Option<Repairs> {
        Some(self.repairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rng::Rng;
    use crate::traffic::cbr;
    use crate::transport::ContextOwner;
    use crate::transport::spec::TransportSpec;
    use crate::units::Duration;

    /// Both ends, driven by a packet a millisecond.
    fn flow(settings: &[(&str, &str)]) -> (Box<dyn Endpoint>, Box<dyn Endpoint>) {
        let args = crate::rig::set(ENTRY.args(None).expect("defaults"), settings);
        let mut app = Args::defaults(cbr::ENTRY.params);
        app.set_text("rate", "8Mbit").expect("a rate");
        app.set_text("packet", "1000B").expect("a size");
        TransportSpec::new(&ENTRY, args, None).expect("a transport").endpoints((cbr::ENTRY.build)(&app))
    }

    /// The packets that are sent in the first `millis` milliseconds.
    fn sent(sender: &mut dyn Endpoint, millis: u64) -> Vec<Packet> {
        let mut cx = ContextOwner::new(Rng::named(1, "test"));
        sender.start(Instant::ZERO, &mut cx.lend());
        for n in 1..millis {
            sender.on_deadline(Instant::ZERO + Duration::from_millis(n), &mut cx.lend());
        }
        cx.out.drain(..).collect()
    }

    fn is_parity(packet: &Packet) -> bool {
        matches!(packet.body, Body::Parity { .. })
    }

    /// Hands over the packets that are not `lost`. Returns the payload delivered after each.
    fn delivered(receiver: &mut dyn Endpoint, packets: &[Packet], lost: &[usize]) -> Vec<u64> {
        let mut cx = ContextOwner::new(Rng::named(1, "test"));
        let arriving = packets.iter().enumerate().filter(|(n, _)| !lost.contains(n));
        arriving
            .map(|(_, packet)| {
                receiver.on_packet(Instant::ZERO + Duration::from_secs(1), packet, &mut cx.lend());
                receiver.counters().bytes_delivered / 972
            })
            .collect()
    }

    const FOUR_AND_TWO: [(&str, &str); 2] = [("data", "4"), ("parity", "2")];

    #[test]
    fn parity_takes_the_last_places_of_a_block() {
        let (mut sender, _) = flow(&FOUR_AND_TWO);
        let packets = sent(sender.as_mut(), 12);

        let parity: Vec<usize> = (0..packets.len()).filter(|&n| is_parity(&packets[n])).collect();
        assert_eq!(parity, [4, 5, 10, 11]);
        assert!(packets.iter().all(|packet| packet.size == 1000 && packet.flow == FlowId(0)));
        assert_eq!((sender.counters().packets_sent, sender.counters().bytes_sent), (12, 12_000));
    }

    #[test]
    fn appended_parity_leaves_with_the_last_data_packet() {
        let (mut sender, _) = flow(&[("data", "4"), ("parity", "2"), ("schedule", "appended")]);
        let packets = sent(sender.as_mut(), 8);

        assert_eq!(packets.len(), 12, "1 + h/k times what the source writes");
        let at = |n: usize| match packets[n].body {
            Body::Datagram { sent_at, .. } | Body::Parity { sent_at, .. } => sent_at.as_nanos() / 1_000_000,
            _ => unreachable!("datagrams"),
        };
        assert_eq!((at(3), at(4), at(5), at(6)), (3, 3, 3, 4));
    }

    #[test]
    fn a_block_with_as_many_losses_as_parity_is_repaired_and_with_one_more_it_is_not() {
        let (mut sender, mut receiver) = flow(&FOUR_AND_TWO);
        let packets = sent(sender.as_mut(), 25);

        // Block 0 loses nothing, block 1 one data and one parity packet (6, 11), block 2 two data and one parity packet
        // (12, 13, 16), block 3 both of its parity packets (22, 23). The first packet of block 4 closes block 3.
        let payload = delivered(receiver.as_mut(), &packets, &[6, 11, 12, 13, 16, 22, 23]);

        assert_eq!(payload.last(), Some(&15), "4 + 4 + 2 + 4 and the first of block 4");
        assert_eq!(payload[6..10], [5, 6, 7, 8], "the parity at place 10 brings what was lost at place 6");
        let expected = Repairs {
            blocks_complete: 2,
            blocks_repaired: 1,
            blocks_lost: 1,
            packets: 24,
            lost: 7,
            unrepaired: 3,
            data: 16,
            data_lost: 3,
            data_unrepaired: 2,
        };
        assert_eq!(receiver.repairs(), Some(expected));
    }

    #[test]
    fn a_block_of_which_nothing_arrives_is_lost() {
        let (mut sender, mut receiver) = flow(&FOUR_AND_TWO);
        let packets = sent(sender.as_mut(), 19);
        delivered(receiver.as_mut(), &packets, &(6..18).collect::<Vec<_>>());

        let repairs = receiver.repairs().expect("a code");
        assert_eq!((repairs.blocks_complete, repairs.blocks_lost, repairs.unrepaired), (1, 2, 12));
    }

    #[test]
    fn the_last_block_is_not_counted() {
        let (mut sender, mut receiver) = flow(&FOUR_AND_TWO);
        let packets = sent(sender.as_mut(), 9);
        let payload = delivered(receiver.as_mut(), &packets, &[]);

        assert_eq!(receiver.repairs().expect("a code").data, 4);
        assert_eq!(payload.last(), Some(&7), "but its data is used");
    }

    #[test]
    fn packets_that_overtake_each_other_need_open_blocks() {
        let (mut sender, mut receiver) = flow(&[("data", "4"), ("parity", "2"), ("open", "2")]);
        let mut packets = sent(sender.as_mut(), 24);
        // Parity before data, and the last packet of block 0 behind the first of block 1.
        packets.swap(0, 4);
        packets.swap(5, 6);
        let payload = delivered(receiver.as_mut(), &packets, &[]);

        assert_eq!(payload.last(), Some(&16), "nothing is given twice");
        let repairs = receiver.repairs().expect("a code");
        assert_eq!((repairs.blocks_complete, repairs.lost), (2, 0));
    }

    #[test]
    fn parity_is_as_large_as_the_largest_and_tells_the_payload_of_all() {
        let (mut sender, mut receiver) = flow(&[("packet", "500B"), ("data", "2"), ("parity", "1")]);
        // 972 bytes of payload are 500, 500 and 56 bytes on the wire.
        let packets = sent(sender.as_mut(), 2);
        assert_eq!(packets.iter().map(|packet| packet.size).collect::<Vec<_>>(), [500, 500, 500, 500, 500, 500]);
        let Body::Parity { payload, .. } = packets[5].body else { panic!("parity comes third") };
        assert_eq!(payload, 472 * 2);
        delivered(receiver.as_mut(), &packets, &[1]);
        assert_eq!(receiver.counters().bytes_delivered, 4 * 472);
    }
}
