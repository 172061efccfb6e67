//! One direction of the gateway: frames of IP on a path. It reads no clock and opens nothing.

use crate::counts::{Amount, Counts};
use crate::frame::{Frame, set_ecn};
use crate::record::Recorder;
use sojourn_bottleneck::{Datagram, Ecn, Hosts, Path, Time};
use sojourn_files::{FlowKey, IpPacket};
use std::collections::HashMap;

/// A frame that is on the path.
#[derive(Debug)]
struct Held {
    frame: Frame,
    /// Where its IP packet begins.
    at: usize,
    came_with: Ecn,
    /// Its number in the recording.
    ticket: u64,
}

/// A frame that is to leave.
#[derive(Debug)]
pub struct Leaving {
    /// The frame, with the mark that it got.
    pub frame: Frame,
    /// When it should leave, in nanoseconds of the caller's clock.
    pub at: u64,
    waited: u64,
    size: u32,
    marked: Option<&'static str>,
    ticket: u64,
}

impl Leaving {
    /// A frame that leaves at once, without a path.
    pub fn passing(frame: Frame) -> Self {
        Leaving { frame, at: 0, waited: 0, size: 0, marked: None, ticket: 0 }
    }
}

/// The queue and the counts of one direction through the gateway.
pub struct Direction {
    path: Path<Held>,
    flows: Flows,
    /// The first arrival is time zero of the path, as in a replay of the recording.
    origin: Option<u64>,
    /// The counters of this direction.
    pub counts: Counts,
    recorder: Option<Recorder>,
    /// Buffers of frames that are gone.
    spare: Vec<Vec<u8>>,
}

impl Direction {
    /// Over this path, which is empty.
    pub fn new(links: &str, seed: u64, recorder: Option<Recorder>) -> Result<Self, sojourn_bottleneck::Error> {
        let path = Path::from_toml_knowing(links, seed, sojourn_archive::registry())?.drawing_as_a_replay(seed);
        Ok(Direction {
            path,
            flows: Flows::default(),
            origin: None,
            counts: Counts::default(),
            recorder,
            spare: Vec::new(),
        })
    }

    /// A buffer for a frame.
    pub fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_else(|| Vec::with_capacity(2048))
    }

    /// Takes the buffer of a frame that is gone.
    pub fn give_back(&mut self, frame: Frame) {
        if self.spare.len() < 4096 {
            self.spare.push(frame.bytes);
        }
    }

    /// A frame came at `time`, with this IP packet in it. A packet with a time before the present of the path comes now.
    pub fn arrive(&mut self, time: u64, frame: Frame, packet: &IpPacket) {
        let origin = *self.origin.get_or_insert(time);
        let now = Time::from_nanos(time.saturating_sub(origin)).max(self.path.now());
        let IpPacket { at, size, dscp, ecn, flow, acknowledgement, .. } = *packet;
        let Hosts { source, target } = flow.hosts();
        self.counts.came(size);
        let ticket =
            self.recorder.as_mut().map_or(0, |recorder| recorder.came(origin + now.as_nanos() as u64, &frame.bytes));
        let plain = Datagram::new(size.max(1)).flow(self.flows.number(flow, time)).ecn(ecn).dscp(dscp);
        let mut datagram = plain.hosts(source, target);
        datagram.acknowledgement = acknowledgement;
        self.path.send(now, datagram, Held { frame, at, came_with: ecn, ticket });
        self.note();
    }

    /// The next frame that is to leave by `time`.
    pub fn due(&mut self, time: u64) -> Option<Leaving> {
        let origin = self.origin?;
        let now = Time::from_nanos(time.saturating_sub(origin)).max(self.path.now());
        let arrived = self.path.receive(now);
        self.note();
        let arrived = arrived?;
        let Held { mut frame, at, came_with, ticket } = arrived.payload;
        let Datagram { len: size, ecn, .. } = arrived.datagram;
        if ecn != came_with {
            set_ecn(&mut frame.bytes, at, ecn);
        }
        if let Some(reason) = arrived.marked {
            self.counts.marked(reason);
        }
        Some(Leaving {
            frame,
            at: origin + arrived.at.as_nanos() as u64,
            waited: arrived.waited.as_nanos() as u64,
            size,
            marked: arrived.marked,
            ticket,
        })
    }

    /// It has left at `time`.
    pub fn left(&mut self, time: u64, leaving: Leaving) {
        let Leaving { frame, at, waited, size, marked, ticket } = leaving;
        self.counts.sent(size, waited, time.saturating_sub(at));
        if let Some(recorder) = &mut self.recorder {
            let comment = marked.map(|reason| format!("marked: {reason}"));
            recorder.fate(ticket, comment.as_deref());
            recorder.left(time, &frame.bytes, comment.as_deref());
        }
        self.give_back(frame);
    }

    /// The interface refused to send it.
    pub fn refused(&mut self, leaving: Leaving) {
        self.counts.lost(REFUSED);
        if let Some(recorder) = &mut self.recorder {
            recorder.fate(leaving.ticket, Some("lost: interface"));
        }
        self.give_back(leaving.frame);
    }

    /// When something happens next, in nanoseconds of the caller's clock.
    pub fn next(&self) -> Option<u64> {
        Some(self.origin? + self.path.next_time()?.as_nanos() as u64)
    }

    /// Packets and bytes that wait at the first link.
    pub fn backlog(&self) -> Amount {
        let backlog = self.path.backlog(0);
        Amount { packets: backlog.packets, bytes: backlog.bytes }
    }

    /// Hands the recording of the packets whose fate is known to the thread that writes it.
    pub fn flush(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.flush();
        }
    }

    /// Ends the recording.
    pub fn finish(self) -> Counts {
        if let Some(recorder) = self.recorder {
            recorder.finish();
        }
        self.counts
    }

    fn note(&mut self) {
        // All of them at once: those that are not taken here would be gone.
        for lost in self.path.lost() {
            self.counts.lost(lost.reason);
            if let Some(recorder) = &mut self.recorder {
                // As captures of runs have it: a queue drops, a link loses.
                let verb = if lost.reason == "corruption" { "lost" } else { "dropped" };
                recorder.fate(lost.payload.ticket, Some(&format!("{verb}: {}", lost.reason)));
            }
            if self.spare.len() < 4096 {
                self.spare.push(lost.payload.frame.bytes);
            }
        }
    }
}

/// The reason of a packet that the kernel did not take.
pub const REFUSED: &str = "interface";

/// Flows that are told apart; when there are more, those that were silent for longest give their numbers to new ones.
const FLOWS_MAX: usize = 1 << 16;

/// Numbers of flows, in order of their first packet.
#[derive(Debug, Default)]
struct Flows {
    numbers: HashMap<FlowKey, (u32, u64)>,
    free: Vec<u32>,
}

impl Flows {
    fn number(&mut self, key: FlowKey, time: u64) -> u32 {
        if let Some((number, last)) = self.numbers.get_mut(&key) {
            *last = time;
            return *number;
        }
        if self.numbers.len() == FLOWS_MAX {
            let mut times: Vec<u64> = self.numbers.values().map(|(_, last)| *last).collect();
            let (_, oldest, _) = times.select_nth_unstable(FLOWS_MAX / 4);
            let oldest = *oldest;
            self.free.extend(self.numbers.extract_if(|_, (_, last)| *last <= oldest).map(|(_, (number, _))| number));
            self.free.sort_unstable_by(|a, b| b.cmp(a));
        }
        let number = self.free.pop().unwrap_or(self.numbers.len() as u32);
        self.numbers.insert(key, (number, time));
        number
    }
}

#[cfg(test)]
mod tests;
