//! Every packet that came to a link and every packet that it sent, with the fate of each: the data of a capture file. Kept only where a
//! scenario asks for it.
//!
//! Packets and events are kept as they come, and are put together once at the end.

use std::collections::BTreeMap;

use crate::packet::{Body, Packet};
use crate::pool::make_room;
use crate::queue::{Event, FlowHosts, Reason, What};
use crate::units::{Instant, Rate};

/// The records of one link during a run, each list in order of time.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    arrived: Vec<(Instant, Packet)>,
    sent: Vec<(Instant, Packet)>,
    events: Vec<Event>,
}

/// A packet at a moment, and its fate at this link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// When it arrived, or when its transmission began.
    pub time: Instant,
    /// The packet as it was then.
    pub packet: Packet,
    /// Why it was marked here, if it was.
    pub mark: Option<Reason>,
    /// The drop or the loss that ended its way here, if one did.
    pub end: Option<What>,
}

/// All packets at one link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCapture {
    /// The link's name.
    pub name: String,
    /// Its rate at the start.
    pub rate: Rate,
    /// Arrivals at its queue: each packet as it came, before a mark.
    pub arrived: Vec<Frame>,
    /// Departures: each packet as it left the queue, marks included. Packets that are corrupted on the way count.
    pub sent: Vec<Frame>,
}

/// All packets at the links of a run that were watched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captures {
    /// The links in the order of the scenario.
    pub links: Vec<LinkCapture>,
    /// Name of each flow by its number, such as `bulk/0`.
    pub flows: Vec<String>,
    /// The nodes between which flows run, in a scenario that says them.
    pub hosts: FlowHosts,
    /// Name of each of these nodes by its number.
    pub nodes: Vec<String>,
}

impl Capture {
    /// `packet` has come to the queue.
    pub fn arrived(&mut self, now: Instant, packet: &Packet) {
        make_room(&mut self.arrived, 1, WHAT);
        self.arrived.push((now, *packet));
    }

    /// `packet` has left the queue and is being transmitted.
    pub fn sent(&mut self, now: Instant, packet: &Packet) {
        make_room(&mut self.sent, 1, WHAT);
        self.sent.push((now, *packet));
    }

    /// Something happened to packets.
    pub fn happened(&mut self, events: &[Event]) {
        make_room(&mut self.events, events.len(), WHAT);
        self.events.extend_from_slice(events);
    }

    /// Bytes of memory that it takes, and that its capture files will take.
    pub fn footprint(&self) -> u64 {
        let frames = (self.arrived.len() + self.sent.len()) as u64;
        let each = size_of::<(Instant, Packet)>() + size_of::<Frame>() + 2 * size_of::<(Key, u32)>() + FILE_BYTES;
        frames * each as u64 + self.events.len() as u64 * size_of::<Event>() as u64
    }

    /// Puts packets and events together.
    pub fn finish(self, name: String, rate: Rate) -> LinkCapture {
        let mut arrived = frames(&self.arrived);
        let mut sent = frames(&self.sent);
        let mut index = Index::new(&arrived);
        // Chokes are left out: choke packets are seen on the links that they take.
        for event in self.events.iter().filter(|event| !matches!(event.what, What::Choke(_))) {
            let wanted = match event.what {
                What::Mark(_) => Wanted::Unmarked,
                What::Drop(_) | What::Loss(_) | What::Choke(_) => Wanted::Unended,
            };
            let Some(place) = index.find(&arrived, &event.packet, event.time, wanted) else {
                debug_assert!(false, "nothing happens to a packet that has not come: {event:?}");
                continue;
            };
            match event.what {
                What::Mark(reason) => arrived[place].mark = Some(reason),
                What::Drop(_) | What::Loss(_) | What::Choke(_) => arrived[place].end = Some(event.what),
            }
        }
        for frame in &mut sent {
            // Copies that came at one moment are told apart by their fate: a dropped one was not sent.
            if let Some(place) = index.find(&arrived, &frame.packet, frame.time, Wanted::Undropped) {
                frame.mark = arrived[place].mark;
                frame.end = arrived[place].end;
            }
        }
        LinkCapture { name, rate, arrived, sent }
    }
}

/// The use of its memory.
const WHAT: &str = "record.pcap";

/// Bytes that a packet takes in a capture file: headers of the file, of IP and of TCP with its options, and a comment.
const FILE_BYTES: usize = 160;

fn frames(packets: &[(Instant, Packet)]) -> Vec<Frame> {
    packets.iter().map(|&(time, packet)| Frame { time, packet, mark: None, end: None }).collect()
}

/// The frames that may match. A frame that no longer matches never matches again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    Unmarked,
    Unended,
    Undropped,
}

impl Wanted {
    fn is(self, frame: &Frame) -> bool {
        match self {
            Wanted::Unmarked => frame.mark.is_none(),
            Wanted::Unended => frame.end.is_none(),
            Wanted::Undropped => !matches!(frame.end, Some(What::Drop(_))),
        }
    }
}

/// Finds frames among many of one moment: by flow and number, and where routers wrote into a packet, by flow and size.
struct Index {
    /// Places of frames by time, flow and number, those alike in the order in which they came.
    by_number: Vec<(Key, u32)>,
    by_size: Vec<(Key, u32)>,
    /// How many of a list's frames from a place on need not be looked at again.
    passed: BTreeMap<(bool, usize, Wanted), usize>,
}

/// Time, flow, and number or size.
type Key = (Instant, u32, u64);

impl Index {
    fn new(frames: &[Frame]) -> Self {
        let sorted = |key: fn(&Packet) -> u64| {
            let keyed = frames.iter().zip(0..).map(|(frame, place)| {
                let Frame { time, packet, .. } = frame;
                ((*time, packet.flow.0, key(packet)), place)
            });
            let mut keyed: Vec<(Key, u32)> = keyed.collect();
            keyed.sort_unstable();
            keyed
        };
        Index { by_number: sorted(number), by_size: sorted(size), passed: BTreeMap::new() }
    }

    /// The frame of `packet`, which joined the queue when its own clock says, or was turned away at `now`. Changes by routers on its way do
    /// not hide it.
    fn find(&mut self, frames: &[Frame], packet: &Packet, now: Instant, wanted: Wanted) -> Option<usize> {
        let joined = packet.enqueued_at;
        self.at(frames, (joined, packet.flow.0, number(packet)), Some(packet), wanted)
            .or_else(|| self.at(frames, (now, packet.flow.0, number(packet)), Some(packet), wanted))
            .or_else(|| self.at(frames, (joined, packet.flow.0, size(packet)), None, wanted))
            .or_else(|| self.at(frames, (now, packet.flow.0, size(packet)), None, wanted))
    }

    /// The first wanted frame of a key, and with just the body of `same` if it is given.
    fn at(&mut self, frames: &[Frame], key: Key, same: Option<&Packet>, wanted: Wanted) -> Option<usize> {
        let list = if same.is_some() { &self.by_number } else { &self.by_size };
        let first = list.partition_point(|(other, _)| *other < key);
        let of = (same.is_some(), first, wanted);
        let passed = self.passed.get(&of).copied().unwrap_or(0);
        let alike =
            || list[first + passed..].iter().take_while(|(other, _)| *other == key).map(|(_, place)| *place as usize);
        let more = alike().take_while(|place| !wanted.is(&frames[*place])).count();
        let is_same = |place: &usize| same.is_none_or(|packet| frames[*place].packet.body == packet.body);
        let found = alike().skip(more).find(|place| wanted.is(&frames[*place]) && is_same(place));
        if more > 0 {
            self.passed.insert(of, passed + more);
        }
        found
    }
}

fn number(packet: &Packet) -> u64 {
    match packet.body {
        Body::Data { seq, .. }
        | Body::Choke { seq, .. }
        | Body::Datagram { seq, .. }
        | Body::TfrcData { seq, .. }
        | Body::Parity { seq, .. } => seq,
        Body::Ack { ack, .. } => ack,
        Body::TfrcFeedback { echo, .. } | Body::Report { echo, .. } => echo.as_nanos(),
        Body::Seen(_) => unreachable!("senders of a run make no such packets"),
    }
}

fn size(packet: &Packet) -> u64 {
    packet.size.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};

    fn at(micros: u64) -> Instant {
        Instant::from_nanos(1_000 * micros)
    }

    fn packet(seq: u64, joined: u64) -> Packet {
        Packet { enqueued_at: at(joined), ..Packet::datagram(FlowId(7), seq, 1000) }
    }

    #[test]
    fn each_packet_is_told_what_became_of_it() {
        let mut capture = Capture::default();
        for seq in 0..4 {
            // Before it joins, a packet's clock is that of the queue before.
            capture.arrived(at(10), &packet(seq, 1));
        }
        let event = |time, seq, joined, what| Event { time: at(time), packet: packet(seq, joined), what };
        capture.happened(&[event(10, 1, 1, What::Drop(Reason::OVERFLOW)), event(10, 2, 10, What::Mark(Reason::EARLY))]);
        capture.happened(&[event(50, 0, 10, What::Drop(Reason::SOJOURN))]);
        capture.sent(at(50), &packet(2, 10).with_ecn(Ecn::Ce));
        capture.sent(at(60), &packet(3, 10));
        capture.happened(&[event(60, 3, 10, What::Loss(Reason::CORRUPTION))]);

        let link = capture.finish("link".to_owned(), Rate::from_bps(1));

        let fates = |frames: &[Frame]| frames.iter().map(|frame| (frame.mark, frame.end)).collect::<Vec<_>>();
        let lost = (None, Some(What::Loss(Reason::CORRUPTION)));
        let [sojourn, overflow] = [Reason::SOJOURN, Reason::OVERFLOW].map(|reason| (None, Some(What::Drop(reason))));
        assert_eq!(fates(&link.arrived), [sojourn, overflow, (Some(Reason::EARLY), None), lost]);
        assert_eq!(fates(&link.sent), [(Some(Reason::EARLY), None), lost]);
        assert_eq!((link.arrived[2].packet.ecn, link.sent[0].packet.ecn), (Ecn::NotEct, Ecn::Ce));
    }

    #[test]
    fn of_copies_that_came_together_each_drop_takes_one() {
        let mut capture = Capture::default();
        for _ in 0..3 {
            capture.arrived(at(10), &packet(5, 1));
        }
        for _ in 0..2 {
            capture.happened(&[Event { time: at(10), packet: packet(5, 1), what: What::Drop(Reason::EARLY) }]);
        }
        capture.sent(at(20), &packet(5, 10));

        let link = capture.finish("link".to_owned(), Rate::from_bps(1));

        assert_eq!(link.arrived.iter().filter(|frame| frame.end.is_some()).count(), 2);
        assert_eq!(link.sent[0].end, None);
    }

    /// A list of one moment is gone through once, not once for each packet: 30,000 packets and as many drops would take
    /// a billion comparisons.
    #[test]
    fn packets_of_one_moment_are_found_at_once() {
        let count = 100_000;
        let mut capture = Capture::default();
        for seq in 0..count {
            capture.arrived(at(10), &packet(seq, 1));
        }
        for seq in (0..count).step_by(2) {
            capture.happened(&[Event { time: at(10), packet: packet(seq, 1), what: What::Drop(Reason::OVERFLOW) }]);
            capture.sent(at(20 + seq), &packet(seq + 1, 10));
        }
        // A router's change hides a packet's number.
        let renamed = |seq| Packet { body: Body::Datagram { seq: count + seq, sent_at: at(1) }, ..packet(seq, 10) };
        for seq in 0..1000 {
            capture.happened(&[Event { time: at(15), packet: renamed(seq), what: What::Mark(Reason::EARLY) }]);
        }
        let link = capture.finish("link".to_owned(), Rate::from_bps(1));

        let dropped: Vec<bool> = link.arrived.iter().map(|frame| frame.end.is_some()).collect();
        assert!(dropped.iter().zip(0..).all(|(is_dropped, place)| *is_dropped == (place % 2 == 0)));
        assert!(link.sent.iter().all(|frame| frame.end.is_none()));
        assert_eq!(link.arrived.iter().filter(|frame| frame.mark.is_some()).count(), 1000);
    }
}
