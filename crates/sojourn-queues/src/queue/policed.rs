//! A policy and the buffer about which it decides. This is the only code that leads packets along the path that [the seam](super) promises.

use super::buffer::Tag;
use super::policy::{Dropped, Policy, Verdict};
use super::{Backlog, Buffer, Context, Limit, QueueView, Reason};
use crate::packet::Packet;
use crate::units::Instant;

/// An end of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The oldest waiting packet.
    Head,
    /// The newest waiting packet.
    Tail,
}

/// `P` over a [`Buffer`], and the way of each packet through both.
#[derive(Clone, Debug)]
pub struct Policed<P> {
    policy: P,
    buffer: Buffer,
    /// The backlog of the other queues of the discipline, if it spreads flows over several.
    beside: Backlog,
}

impl<P: Policy> Policed<P> {
    /// An empty queue of at most `limit` under `policy`.
    pub fn new(policy: P, limit: Limit) -> Self {
        Policed { policy, buffer: Buffer::new(limit), beside: Backlog::default() }
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The policy, for hooks that are about no packet.
    pub fn policy_mut(&mut self) -> &mut P {
        &mut self.policy
    }

    /// The backlog.
    pub fn backlog(&self) -> Backlog {
        self.buffer.backlog()
    }

    /// The backlog of the other queues among which flows are spread.
    #[inline(always)]
    pub fn set_beside(&mut self, others: Backlog) {
        self.beside = others;
    }

    /// The largest backlog that is allowed.
    pub fn limit(&self) -> Limit {
        self.buffer.limit()
    }

    /// The packet that would leave next.
    pub fn head(&self) -> Option<&Packet> {
        self.buffer.get(0)
    }

    /// A packet arrives. Returns whether it was queued.
    #[inline(always)]
    pub fn enqueue(&mut self, now: Instant, mut packet: Packet, transmitting: bool, cx: &mut Context) -> bool {
        let Some(tag) = self.decide(now, &mut packet, transmitting, cx) else { return false };
        self.buffer.push(now, packet, tag);
        packet.enqueued_at = now;
        self.joined(now, &packet, tag, transmitting, cx);
        self.tell_taken_out(now, transmitting, cx);
        true
    }

    /// Like [`Policed::enqueue`], for a policy that decides on arrival. The packet stays with the caller, and is marked if the policy so
    /// decides.
    #[inline(always)]
    pub fn admit(&mut self, now: Instant, packet: &mut Packet, transmitting: bool, cx: &mut Context) -> bool {
        let Some(tag) = self.decide(now, packet, transmitting, cx) else { return false };
        self.buffer.lend(packet.size);
        self.joined(now, packet, tag, transmitting, cx);
        true
    }

    /// The packet at the head leaves, which has this size. Used after [`Policed::admit`] only.
    #[inline(always)]
    pub fn depart(&mut self, size: u32) {
        self.buffer.end_loan(size);
    }

    /// The next packet that the policy lets pass. `None` if none is left.
    #[inline(always)]
    pub fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        while let Some((mut packet, tag)) = self.buffer.pop() {
            let mut view = QueueView::new(&mut self.buffer, &mut cx.events, true).about(tag).beside(self.beside);
            let verdict = self.policy.on_departure(now, &packet, &mut view, &mut cx.rng);
            self.tell_taken_out(now, true, cx);
            let reason = match verdict {
                Verdict::Mark(reason) if packet.ecn.is_capable() => {
                    cx.events.mark(now, &mut packet, reason);
                    None
                }
                Verdict::Mark(reason) | Verdict::Drop(reason) => Some(reason),
                Verdict::Pass => None,
            };
            if let Some(reason) = reason {
                self.drop(now, &packet, tag, Dropped::AT_HEAD, reason, true, cx);
                continue;
            }
            self.policy.on_transmission(now, &mut packet, self.buffer.backlog());
            return Some(packet);
        }
        None
    }

    /// The discipline around it drops the packet at the head for lack of room. Returns its size.
    pub fn push_out(&mut self, now: Instant, transmitting: bool, cx: &mut Context) -> Option<u32> {
        self.push_out_at(End::Head, now, transmitting, cx)
    }

    /// The discipline around it has no room for a packet that has arrived, and drops it without asking the policy.
    pub fn turn_away(&mut self, now: Instant, packet: Packet, transmitting: bool, cx: &mut Context) {
        self.drop(now, &packet, 0, Dropped::OVERFLOW, Reason::OVERFLOW, transmitting, cx);
    }

    /// Like [`Policed::push_out`], at either end.
    pub fn push_out_at(&mut self, end: End, now: Instant, transmitting: bool, cx: &mut Context) -> Option<u32> {
        let (packet, tag) = match end {
            End::Head => self.buffer.pop(),
            End::Tail => self.buffer.remove((self.buffer.backlog().packets as usize).checked_sub(1)?),
        }?;
        self.drop(now, &packet, tag, Dropped::PUSHED_OUT, Reason::OVERFLOW, transmitting, cx);
        Some(packet.size)
    }

    /// Serves a deadline of the policy.
    pub fn on_deadline(&mut self, now: Instant, transmitting: bool, cx: &mut Context) {
        self.policy
            .on_deadline(now, &mut QueueView::new(&mut self.buffer, &mut cx.events, transmitting).beside(self.beside));
        self.tell_taken_out(now, transmitting, cx);
    }

    /// Asks the policy about a packet that has arrived. Returns the tag of a packet that is to be queued, which may be marked now. `None`
    /// says that it is dropped.
    #[inline(always)]
    fn decide(&mut self, now: Instant, packet: &mut Packet, transmitting: bool, cx: &mut Context) -> Option<Tag> {
        let mut view = QueueView::new(&mut self.buffer, &mut cx.events, transmitting).beside(self.beside);
        let verdict = self.policy.on_arrival(now, packet, &mut view, &mut cx.rng);
        let tag = view.tag();
        self.tell_taken_out(now, transmitting, cx);
        let (dropped, reason) = match verdict {
            Verdict::Drop(reason) => (Dropped::REFUSED, reason),
            _ if !self.buffer.admits(packet) => (Dropped::OVERFLOW, Reason::OVERFLOW),
            Verdict::Mark(reason) if !packet.ecn.is_capable() => (Dropped::REFUSED, reason),
            Verdict::Mark(reason) => {
                cx.events.mark(now, packet, reason);
                return Some(tag);
            }
            Verdict::Pass => return Some(tag),
        };
        self.drop(now, packet, tag, dropped, reason, transmitting, cx);
        None
    }

    #[inline(always)]
    fn joined(&mut self, now: Instant, packet: &Packet, tag: Tag, transmitting: bool, cx: &mut Context) {
        let mut view = QueueView::new(&mut self.buffer, &mut cx.events, transmitting).about(tag).beside(self.beside);
        self.policy.on_enqueued(now, packet, &mut view);
    }

    /// Drops a packet: calls the policy and records the event.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "the packet, how and why it is dropped, and where that is recorded")]
    fn drop(
        &mut self,
        now: Instant,
        packet: &Packet,
        tag: Tag,
        dropped: Dropped,
        reason: Reason,
        transmitting: bool,
        cx: &mut Context,
    ) {
        let mut view = QueueView::new(&mut self.buffer, &mut cx.events, transmitting).about(tag).beside(self.beside);
        self.policy.on_drop(now, packet, dropped, &mut view);
        cx.events.drop(now, *packet, reason);
        self.tell_taken_out(now, transmitting, cx);
    }

    /// Calls the policy for the packets that it took out in the last hook. They were recorded then.
    #[inline(always)]
    fn tell_taken_out(&mut self, now: Instant, transmitting: bool, cx: &mut Context) {
        if self.buffer.has_taken_out() {
            self.tell_each(now, transmitting, cx);
        }
    }

    #[cold]
    fn tell_each(&mut self, now: Instant, transmitting: bool, cx: &mut Context) {
        while let Some((packet, tag)) = self.buffer.next_taken_out() {
            let mut view =
                QueueView::new(&mut self.buffer, &mut cx.events, transmitting).about(tag).beside(self.beside);
            self.policy.on_drop(now, &packet, Dropped::TAKEN_OUT, &mut view);
        }
    }
}
