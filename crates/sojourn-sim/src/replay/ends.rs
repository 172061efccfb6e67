//! A recorded sequence of packets drives one end of a flow. They are the packets that another implementation's sender or receiver got, at
//! the times at which it got them.
//!
//! The packets do not react: they come at their recorded times, whatever this end sends. So a sender with the same window law and the same
//! recovery has the same windows and sends the same segments. The first segment that differs shows where two implementations part.
//!
//! Order of events at one instant: deadlines, then the packet.

use std::collections::HashMap;

use crate::packet::{Body, Packet};
use crate::rng::Rng;
use crate::transport::{ContextOwner, Endpoint, Known, WindowState};
use crate::units::Instant;

/// A packet that the end has sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The time.
    pub time: Instant,
    /// It.
    pub packet: Packet,
    /// The number of packets that the end had got before.
    pub heard: usize,
    /// The window after all packets of that moment were sent, if the end has one.
    pub window: Option<WindowState>,
}

/// One end of a flow, and the packets that it has sent.
pub struct End {
    endpoint: Box<dyn Endpoint>,
    cx: ContextOwner,
    heard: usize,
    sent: Vec<Sent>,
    windows: Vec<Option<WindowState>>,
    /// The times at which a segment was sent that begins with this byte.
    times: HashMap<u64, Vec<Instant>>,
}

impl End {
    /// An end that has got no packet yet.
    pub fn new(endpoint: Box<dyn Endpoint>) -> Self {
        let cx = ContextOwner::new(Rng::named(1, "replay"));
        End { endpoint, cx, heard: 0, sent: Vec::new(), windows: Vec::new(), times: HashMap::new() }
    }

    /// Gives the end the properties of the machine whose end is compared with it.
    pub fn foretell(&mut self, known: Known) {
        self.endpoint.foretell(known);
    }

    /// A sender begins.
    pub fn start(&mut self, now: Instant) {
        self.endpoint.start(now, &mut self.cx.lend());
        self.collect(now);
    }

    /// Handles all deadlines up to and including `time`.
    pub fn wait_until(&mut self, time: Instant) {
        while let Some(due) = self.endpoint.next_deadline().filter(|&due| due <= time) {
            self.endpoint.on_deadline(due, &mut self.cx.lend());
            self.collect(due);
        }
    }

    /// A packet arrives. The windows after the packets before it are known now.
    pub fn hear(&mut self, now: Instant, packet: &Packet) {
        self.wait_until(now);
        self.heard += 1;
        self.endpoint.on_packet(now, packet, &mut self.cx.lend());
        self.collect(now);
        self.windows.push(self.endpoint.window());
    }

    /// The timestamp of the segment that begins with byte `seq` and was sent for the `time`-th time, counted from 0.
    pub fn sent_at(&self, seq: u64, time: usize) -> Option<Instant> {
        self.times.get(&seq)?.get(time).copied()
    }

    /// The packets that were sent so far, in order.
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// The window after each packet that arrived.
    pub fn windows(&self) -> &[Option<WindowState>] {
        &self.windows
    }

    fn collect(&mut self, now: Instant) {
        let (first, heard) = (self.sent.len(), self.heard);
        let window = self.endpoint.window();
        self.cx.out.take_completions();
        self.sent.extend(self.cx.out.drain(..).map(|packet| Sent { time: now, packet, heard, window }));
        for sent in &self.sent[first..] {
            // A packet without data, which answers the answer to a SYN, is none of them.
            if let Body::Data { seq, len, syn, sent_at, .. } = sent.packet.body
                && (len > 0 || syn)
            {
                self.times.entry(seq).or_default().push(sent_at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Codepoint, Ecn, SackBlocks};
    use crate::registry;
    use crate::transport::spec::TransportSpec;
    use crate::units::Duration;

    #[test]
    fn laws_that_draw_have_the_stream_that_the_oracle_s_kernel_has() {
        // A sender draws for its clock's phase, and then the seed of its law's stream: DRAWS_SEED of evidence/linux/programs/draws.h.
        let mut rng = ContextOwner::new(Rng::named(1, "replay")).rng;
        rng.uniform();
        assert_eq!(rng.uniform().to_bits(), 0x3fcc_5e82_d796_0acc);
    }

    #[test]
    fn a_sender_answers_what_it_hears_and_its_timer() {
        let entry = registry::transport("tcp").expect("tcp");
        let spec = TransportSpec::new(entry, entry.args(Some("rfc")).expect("a profile"), None).expect("a transport");
        let app = registry::app("bulk").expect("an application");
        let (sender, _) = spec.endpoints((app.build)(&crate::params::Args::defaults(app.params)));
        let mut end = End::new(sender);
        end.start(Instant::ZERO);

        let at = |millis| Instant::ZERO + Duration::from_millis(millis);
        let body = Body::Ack {
            ack: 0,
            echo: Instant::ZERO,
            sack: SackBlocks::default(),
            codepoint: Codepoint::None,
            syn: true,
            offered: 0,
            answer: crate::header::Answer::default(),
        };
        let packet = Packet { body, ecn: Ecn::NotEct, ..Packet::datagram(crate::packet::FlowId(0), 0, 40) };
        end.hear(at(100), &packet);
        end.wait_until(at(2000));

        let times: Vec<(Instant, usize)> = end.sent().iter().map(|sent| (sent.time, sent.heard)).collect();
        // The SYN, the initial window of ten, and the head again after RFC 6298's least timeout of a second.
        assert_eq!(times[0], (Instant::ZERO, 0));
        assert_eq!(times[1..11], [(at(100), 1); 10]);
        assert_eq!(times[11], (at(1100), 1));
        assert_eq!(end.windows().len(), 1);
        assert_eq!(end.sent_at(0, 2), Some(at(1100)), "the SYN, the first segment, and that again");
    }
}
