//! Recovery of ns-2 2.35's `Sack1` sender: a duplicate acknowledgement counts if it reports something new, and `pipe` counts the packets in
//! the network.

use crate::prefetch::prefetch;
use crate::transport::FlowContext;
use crate::transport::tcp::recovery::hooks::Recover;
use crate::transport::tcp::recovery::scoreboard::Scoreboard;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::Instant;

/// What this recovery remembers.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct Pipe {
    recovering: bool,
    /// Absent where nothing has been received out of order.
    memory: Option<Box<Memory>>,
}

/// What is known of data above the cumulative acknowledgement.
#[derive(Clone, Debug, Default)]
struct Memory {
    board: Scoreboard,
    /// ns-2's count of packets in the network.
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
            if self.memory.is_some() {
                self.memory = None;
            }
            let acked = stream.advance(now, ack);
            stream.control.on_ack(&acked);
            self.send(stream, now, cx);
        } else if !stream.timed_out && self.note_sack(stream, ack) > 0 {
            // After a timeout duplicates say nothing until new data is acknowledged.
            stream.dup_acks += 1;
            if stream.dup_acks == stream.config.dup_threshold {
                self.begin_recovery(stream, now, cx);
            } else if stream.dup_acks < stream.config.dup_threshold && stream.config.limited_transmit {
                stream.send_one(now, cx);
            }
        }
    }

    /// It forgets what is known, as RFC 2018 section 5 asks, since the receiver may have reneged.
    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        *self = Pipe::default();
        stream.cut_for_timeout(now);
        stream.nxt = stream.una;
        stream.restart_timer(now);
        self.send(stream, now, cx);
    }

    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        stream.pump(now, u32::MAX, 0.0, self.memory.as_ref().map(|memory| &memory.board), cx);
    }

    fn sacked(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.board.sacked.total())
    }

    fn prefetch(&self) {
        prefetch(self.memory.as_deref());
    }
}

impl Pipe {
    fn memory(&mut self) -> &mut Memory {
        self.memory.get_or_insert_default()
    }

    /// Takes in SACK blocks; returns the bytes that are news.
    fn note_sack(&mut self, stream: &Stream, ack: &Ack<'_>) -> u64 {
        if ack.sack.as_slice().is_empty() {
            return 0;
        }
        self.memory().board.update(ack.next, stream.una, stream.max, ack.sack)
    }

    fn begin_recovery(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        if !stream.begin_recovery(now, 0.0) {
            return;
        }
        self.recovering = true;
        let outstanding = (stream.max - stream.una).div_ceil(u64::from(stream.config.mss)) as i64;
        let una = stream.una;
        let pipe = outstanding - i64::from(stream.config.dup_threshold);
        let len = stream.resend_head(now, cx);
        let memory = self.memory();
        memory.pipe = pipe;
        memory.board.high_rxt = una + len;
    }

    #[inline(never)]
    fn on_ack_in_recovery(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        if ack.next >= stream.recover {
            // Over; this acknowledgement does not open the window. The next cut needs no further
            // acknowledgement above the highest number sent.
            self.recovering = false;
            stream.recover = stream.start;
            self.memory = None;
            stream.advance(now, ack);
            self.send(stream, now, cx);
            return;
        }
        self.memory().pipe -= 1;
        if ack.next > stream.una {
            stream.move_to(now, ack.next);
            self.note_sack(stream, ack);
            self.memory().board.sacked.remove_below(stream.una);
            // What it acknowledges is a retransmission that has left the network as well.
            self.memory().pipe -= 1;
            stream.rtt.end_back_off();
            stream.restart_timer(now);
        } else {
            self.note_sack(stream, ack);
        }
        self.send_by_pipe(stream, now, cx);
    }

    /// Holes first, then new data, while `pipe` is below the window.
    fn send_by_pipe(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        let mss = u64::from(stream.config.mss);
        let window = libm::floor(stream.control.window()) as i64;
        while self.memory().pipe < window {
            let una = stream.una;
            if let Some((start, len)) = self.memory().board.next_hole(una, mss) {
                self.memory().board.high_rxt = start + len;
                stream.output(now, start, len as u32, cx);
            } else {
                let new = stream.new_segment();
                if new == 0 {
                    break;
                }
                stream.output(now, stream.nxt, new as u32, cx);
                stream.nxt += new;
            }
            self.memory().pipe += 1;
        }
    }
}
