//! Every packet that came to a link and every packet that it sent, with what became of each: what a
//! capture file is written from. Kept only where a scenario asks for it.
//!
//! Packets and events are kept as they come, and are put together once at the end.

use crate::packet::Packet;
use crate::queue::{Event, Reason, What};
use crate::units::{Instant, Rate};

/// What is kept at one link while the run lasts, each list in order of time.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    arrived: Vec<(Instant, Packet)>,
    sent: Vec<(Instant, Packet)>,
    events: Vec<Event>,
}

/// A packet at a moment, and what happened to it at this link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// When it came, or when its transmission began.
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
    /// What came to its queue: each packet as it came, before a mark.
    pub arrived: Vec<Frame>,
    /// What it sent: each packet as it left the queue, marks included. Packets that are corrupted on the way count.
    pub sent: Vec<Frame>,
}

/// All packets at the links of a run that were watched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captures {
    /// The links in the order of the scenario.
    pub links: Vec<LinkCapture>,
    /// Name of each flow by its number, such as `bulk/0`.
    pub flows: Vec<String>,
}

impl Capture {
    /// `packet` has come to the queue.
    pub fn arrived(&mut self, now: Instant, packet: &Packet) {
        self.arrived.push((now, *packet));
    }

    /// `packet` has left the queue and is being transmitted.
    pub fn sent(&mut self, now: Instant, packet: &Packet) {
        self.sent.push((now, *packet));
    }

    /// Something happened to packets.
    pub fn happened(&mut self, events: &[Event]) {
        self.events.extend_from_slice(events);
    }

    /// Puts packets and events together.
    pub fn finish(self, name: String, rate: Rate) -> LinkCapture {
        let mut arrived = frames(&self.arrived);
        let mut sent = frames(&self.sent);
        // Chokes are left out: choke packets are seen on the links that they take.
        for event in self.events.iter().filter(|event| !matches!(event.what, What::Choke(_))) {
            let Some(place) = find(&arrived, &event.packet, event.time, |frame| event.what.is_free_in(frame)) else {
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
            let dropped = |came: &Frame| matches!(came.end, Some(What::Drop(_)));
            if let Some(place) = find(&arrived, &frame.packet, frame.time, |came| !dropped(came)) {
                frame.mark = arrived[place].mark;
                frame.end = arrived[place].end;
            }
        }
        LinkCapture { name, rate, arrived, sent }
    }
}

impl What {
    /// Whether nothing of the kind has happened to the packet yet.
    fn is_free_in(self, frame: &Frame) -> bool {
        match self {
            What::Mark(_) => frame.mark.is_none(),
            What::Drop(_) | What::Loss(_) | What::Choke(_) => frame.end.is_none(),
        }
    }
}

fn frames(packets: &[(Instant, Packet)]) -> Vec<Frame> {
    packets.iter().map(|&(time, packet)| Frame { time, packet, mark: None, end: None }).collect()
}

/// The frame of `packet`, which joined the queue when its own clock says, or was turned away at `now`. What routers
/// write into a packet on its way does not hide it.
fn find(frames: &[Frame], packet: &Packet, now: Instant, wanted: impl Fn(&Frame) -> bool) -> Option<usize> {
    let at = |time: Instant, same: &dyn Fn(&Packet) -> bool| {
        let first = frames.partition_point(|frame| frame.time < time);
        let moment = frames[first..].iter().take_while(|frame| frame.time == time);
        moment.zip(first..).find(|(frame, _)| same(&frame.packet) && wanted(frame)).map(|(_, place)| place)
    };
    let equal = |other: &Packet| other.flow == packet.flow && other.body == packet.body;
    let alike = |other: &Packet| other.flow == packet.flow && other.size == packet.size;
    let joined = packet.enqueued_at;
    at(joined, &equal).or_else(|| at(now, &equal)).or_else(|| at(joined, &alike)).or_else(|| at(now, &alike))
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
}
