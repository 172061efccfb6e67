//! The recovery of ns-2 2.35's `Sack1` sender. A duplicate acknowledgement counts if it reports new data, and `pipe` counts the packets in
//! the network.

use crate::transport::FlowContext;
use crate::transport::tcp::recovery::hooks::Recover;
use crate::transport::tcp::recovery::scoreboard::Memory;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::Instant;

/// The state of this recovery.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct Pipe {
    recovering: bool,
    memory: Memory<Network>,
}

/// The amount in the network.
#[derive(Clone, Debug, Default)]
struct Network {
    /// ns-2's count of packets.
    pipe: i64,
}

impl Recover for Pipe {
    #[inline(never)]
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, mut ack: Ack<'_>, cx: &mut FlowContext) {
        stream.hear(now, &mut ack, stream.max);
        let ack = &ack;
        if ack.marks > 0 {
            stream.on_echo(now, ack.next, 0.0);
        }
        if self.recovering {
            self.on_ack_in_recovery(stream, now, ack, cx);
        } else if ack.next > stream.una {
            self.memory.clear();
            let acked = stream.advance(now, ack);
            stream.control.on_ack(&acked);
            self.send(stream, now, cx);
        } else if !stream.timed_out && self.memory.note_sack(stream, ack) > 0 {
            // After a timeout duplicates say nothing until new data is acknowledged.
            stream.dup_acks += 1;
            if stream.dup_acks == stream.config.dup_threshold {
                self.begin_recovery(stream, now, cx);
            } else if stream.dup_acks < stream.config.dup_threshold && stream.config.params.limited_transmit {
                stream.send_one(now, cx);
            }
        }
    }

    /// The sender forgets its SACK information, as RFC 2018 section 5 asks, because the receiver may have reneged.
    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        *self = Pipe::default();
        stream.cut_for_timeout(now);
        stream.nxt = stream.una;
        stream.restart_timer(now);
        self.send(stream, now, cx);
    }

    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        stream.pump(now, u32::MAX, 0.0, self.memory.board(), cx);
    }

    fn sacked(&self) -> u64 {
        self.memory.sacked()
    }

    fn prefetch(&self) {
        self.memory.prefetch();
    }
}

impl Pipe {
    fn begin_recovery(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        if !stream.begin_recovery(now, 0.0) {
            return;
        }
        self.recovering = true;
        let outstanding = (stream.max - stream.una).div_ceil(u64::from(stream.config.mss)) as i64;
        let una = stream.una;
        let pipe = outstanding - i64::from(stream.config.dup_threshold);
        let len = stream.resend_head(now, cx);
        let memory = self.memory.get();
        memory.besides.pipe = pipe;
        memory.board.high_rxt = una + len;
    }

    #[inline(never)]
    fn on_ack_in_recovery(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        if ack.next >= stream.recover {
            // Over; this acknowledgement does not open the window. The next cut needs no further
            // acknowledgement above the highest number sent.
            self.recovering = false;
            stream.recover = stream.start;
            self.memory.clear();
            stream.advance(now, ack);
            self.send(stream, now, cx);
            return;
        }
        self.memory.get().besides.pipe -= 1;
        if ack.next > stream.una {
            stream.move_to(now, ack.next);
            self.memory.note_sack(stream, ack);
            self.memory.get().board.sacked.remove_below(stream.una);
            // What it acknowledges is a retransmission that has left the network as well.
            self.memory.get().besides.pipe -= 1;
            stream.rtt.end_back_off();
            stream.restart_timer(now);
        } else {
            self.memory.note_sack(stream, ack);
        }
        self.send_by_pipe(stream, now, cx);
    }

    /// Sends while `pipe` is below the window: holes first, then new data.
    fn send_by_pipe(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        let mss = u64::from(stream.config.mss);
        let window = libm::floor(stream.control.window()) as i64;
        while self.memory.get().besides.pipe < window {
            let una = stream.una;
            if let Some((start, len)) = self.memory.get().board.next_hole(una, mss) {
                self.memory.get().board.high_rxt = start + len;
                stream.output(now, start, len as u32, cx);
            } else {
                let new = stream.new_segment();
                if new == 0 {
                    break;
                }
                stream.output(now, stream.nxt, new as u32, cx);
                stream.nxt += new;
            }
            self.memory.get().besides.pipe += 1;
        }
    }
}
