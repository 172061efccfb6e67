//! CoDel: drops at the head when packets have waited longer than a target for a whole interval, at
//! growing frequency until the wait falls below it. Specification: RFC 8289. Compared with:
//! Linux `sch_codel` (behaviour).
//!
//! The RFC's `dequeue` takes several packets in one call. Here each packet taken is one call of [`Policy::on_departure`]. [`State`] is the
//! place in the RFC's `dequeue` from which the next call goes on.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Square roots are real; preset `linux` has the kernel's numbers ([`codel_kernel`]) | the RFC's arithmetic | `drops_come_at_the_control_laws_times`, `the_kernels_second_drop_comes_after_half_an_interval` |
//! | Marks: RFC 8289 drops; a mark counts as the drop and the packet goes out, so that no packet is skipped | Linux codel_impl.h, RFC 8290 section 5.2.6 | `a_mark_takes_the_place_of_the_drop` |

use super::codel_kernel::{self, Root};
use crate::mechanism::arithmetic::Arithmetic;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "codel",
    title: "CoDel (controlled delay)",
    doc: "Active queue management by how long packets wait. When packets have waited longer than a target for a whole interval \
          it drops at the head of the queue, ever more often until the wait falls.",
    reference: "RFC 8289",
    presets: presets! {
        /// RFC 8289: target 5 ms, interval 100 ms, drops only.
        paper = { target = "5ms", interval = "100ms", ecn = "false", arithmetic = "real" };
        /// Linux 6.12 sch_codel's defaults, which tc of iproute2 7.1 leaves, in its numbers: limit 1000 packets, target 5 ms, interval
        /// 100 ms, no ECN, MTU 1514 bytes.
        linux = { limit = "1000p", target = "5ms", interval = "100ms", ecn = "false", mtu = "1514B", arithmetic = "kernel" };
        /// ns-3.48's CoDelQueueDisc: Linux's law in its numbers, limit 1000 times 1500 bytes, no ECN.
        ns3 = { limit = "1500000B", target = "5ms", interval = "100ms", ecn = "false", mtu = "1500B", arithmetic = "kernel" };
    },
    law: Some(|args, _link| Ok(control_graph(args.typed::<Params>().interval))),
    shown: &[
        Counter("count", Source::Probe("count")),
        Counter("dropping", Source::Probe("dropping")),
        Counter("maxpacket", Source::Largest),
        Counter("drop_overlimit", Source::Drops(&[Reason::OVERFLOW])),
        Counter("ecn_mark", Source::Marks),
    ],
    probes: &[Probe::new(
        "count",
        "drops",
        Probe::UP,
        "drops since dropping began; outside of it, those of the last time",
    )],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "Linux sch_codel DEFAULT_CODEL_LIMIT";
        /// Acceptable standing wait.
        target: Duration = "5ms" in [0.0, 100.0], "RFC 8289 section 4.3";
        /// Time for which the wait has to stay above the target before a drop; about the longest round-trip time.
        interval: Duration = "100ms" in [1e-9, 1000.0], "RFC 8289 section 4.2";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", "Linux sch_codel";
        /// Mark every ECN-capable packet that has waited longer than this, in any state. Automatic: never.
        ce_threshold: Option<Duration> = "auto" in [0.0, 1000.0], "Linux sch_codel CE_THRESHOLD; off by default";
        /// Nothing is dropped while at most this many bytes wait behind the packet, in the queues of all flows together if each flow has a
        /// queue.
        mtu: Bytes = "1500B" in [0.0, 1e9], "RFC 8289 sections 4.4 and 5.3: the link's MTU";
        /// The numbers in which times and square roots are computed. Those of the kernel are units of 1024 ns, and one step of Newton's
        /// method for each drop, in 16 bits.
        arithmetic: Arithmetic = "real", "RFC 8289 section 5.6";
    }
}

/// Drops in dropping state, in the RFC's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Drops {
    /// When the next is due.
    drop_next: Instant,
    /// Drops since dropping state was entered.
    count: u64,
    /// `count` at the entry.
    lastcount: u64,
    /// The kernel's `1 / sqrt(count)`.
    root: Root,
}

/// Where the next packet taken is in the RFC's `dequeue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not in dropping state; the drops of the last time, if there was one.
    Sending(Option<Drops>),
    /// Dropping state was entered with a drop: the packet that follows is sent without a test.
    Entered(Drops),
    /// In dropping state; the packet is the first of a call.
    Dropping(Drops),
    /// The packet follows a drop in dropping state: `drop_next` is yet to be moved.
    Dropped(Drops),
}

#[derive(Clone, Debug)]
pub struct Codel {
    params: Params,
    /// The packets that `ce_threshold` marks: all, or those whose field of differentiated services and ECN has this value under a mask.
    selects: Option<(u8, u8)>,
    /// When the wait will have been above the target for an interval; `None` while below.
    first_above_time: Option<Instant>,
    state: State,
}

impl Params {
    /// The policy, which does not depend on the link.
    pub fn codel(&self) -> Codel {
        let mut params = self.clone();
        if self.arithmetic == Arithmetic::Kernel {
            params.target = codel_kernel::whole_span(self.target);
            params.interval = codel_kernel::whole_span(self.interval);
            params.ce_threshold = self.ce_threshold.map(codel_kernel::whole_span);
        }
        let drops = (self.arithmetic == Arithmetic::Kernel).then_some(Drops::FRESH);
        Codel { params, selects: None, first_above_time: None, state: State::Sending(drops) }
    }
}

impl PolicyParams for Params {
    type Policy = Codel;

    fn policy(&self, _link: &LinkContext) -> Result<Codel, BuildError> {
        Ok(self.codel())
    }
}

/// `t + interval / sqrt(count)` (RFC 8289 section 5.6).
fn control_law(t: Instant, interval: Duration, count: u64) -> Instant {
    t + interval.mul_f64(1.0 / libm::sqrt(count as f64))
}

/// How long after a drop the next one is due, while packets wait too long.
pub fn control_graph(interval: Duration) -> Graph {
    let wait = |count: f64| control_law(Instant::ZERO, interval, count as u64).since(Instant::ZERO).as_secs_f64() * 1e3;
    Graph::new(Axis::new("drops since the wait is too long", "packets"), Axis::new("time to the next drop", "ms"))
        .curve("", (1.0, 101.0), &[], wait)
}

impl Drops {
    /// The state of a fresh queue of the kernel: the last drop was at the machine's start.
    const FRESH: Drops = Drops { drop_next: Instant::ZERO, count: 0, lastcount: 0, root: Root::ZERO };

    /// Enters dropping state (RFC 8289 section 5.5): shortly after the last time, at the rate that controlled the queue then.
    fn entered(last: Option<Drops>, now: Instant, params: &Params) -> Drops {
        let recent = last.filter(|drops| is_recent(*drops, now, params));
        let count = recent.map_or(1, |drops| (drops.count - drops.lastcount).max(1));
        // The kernel goes on from the old root.
        let root = recent.filter(|_| count > 1).map_or(Root::ONE, |drops| drops.root.step(count));
        Drops { drop_next: now, count, lastcount: count, root }.next(params)
    }

    /// Moves `drop_next` by the control law.
    fn next(self, params: &Params) -> Drops {
        let drop_next = match params.arithmetic {
            Arithmetic::Real => control_law(self.drop_next, params.interval, self.count),
            Arithmetic::Kernel => self.drop_next + self.root.of(params.interval),
        };
        Drops { drop_next, ..self }
    }

    /// Counts one more drop.
    fn counted(self) -> Drops {
        let count = self.count + 1;
        Drops { count, root: self.root.step(count), ..self }
    }

    /// Whether the next one is due.
    fn is_due(self, now: Instant, params: &Params) -> bool {
        match params.arithmetic {
            Arithmetic::Real => now >= self.drop_next,
            Arithmetic::Kernel => codel_kernel::units_since(now, self.drop_next) >= 0,
        }
    }
}

/// Whether dropping state ended within the last 16 intervals.
fn is_recent(drops: Drops, now: Instant, params: &Params) -> bool {
    match params.arithmetic {
        Arithmetic::Real => now < drops.drop_next + params.interval * 16,
        Arithmetic::Kernel => {
            codel_kernel::units_since(now, drops.drop_next) < codel_kernel::units(params.interval).wrapping_mul(16)
        }
    }
}

impl Codel {
    /// `ce_threshold` marks only packets whose field of differentiated services and ECN has `value` under `mask`; with a mask of 0 all.
    #[must_use]
    pub fn marking_only(self, value: u8, mask: u8) -> Self {
        Codel { selects: (mask > 0).then_some((value, mask)), ..self }
    }

    /// Whether `ce_threshold` holds for a packet.
    fn is_selected(&self, packet: &Packet) -> bool {
        self.selects.is_none_or(|(value, mask)| (packet.dscp.number() << 2 | packet.ecn.bits()) & mask == value)
    }

    /// The RFC's `dodequeue` (section 5.6). Returns whether the packet taken may be dropped. `behind` is the backlog behind it.
    fn ok_to_drop(&mut self, now: Instant, sojourn: Duration, behind: u64) -> bool {
        if sojourn < self.params.target || behind <= self.params.mtu.0 {
            self.first_above_time = None;
            return false;
        }
        let above = *self.first_above_time.get_or_insert(now + self.params.interval);
        match self.params.arithmetic {
            Arithmetic::Real => now >= above,
            Arithmetic::Kernel => codel_kernel::units_since(now, above) > 0,
        }
    }

    /// The verdict on a packet taken, and the state of the next (RFC 8289 section 5.5). A mark ends the RFC's call as a drop does not.
    fn decide(&self, now: Instant, packet: &Packet, ok: bool) -> (Verdict, State) {
        let marks = self.params.ecn && packet.ecn.is_capable();
        let (marked, dropped) = (Verdict::Mark(Reason::SOJOURN), Verdict::Drop(Reason::SOJOURN));
        let drops = match self.state {
            State::Sending(last) if ok => {
                let drops = Drops::entered(last, now, &self.params);
                return if marks { (marked, State::Dropping(drops)) } else { (dropped, State::Entered(drops)) };
            }
            State::Sending(last) => return (Verdict::Pass, State::Sending(last)),
            State::Entered(drops) => return (Verdict::Pass, State::Dropping(drops)),
            State::Dropping(drops) | State::Dropped(drops) if !ok => {
                return (Verdict::Pass, State::Sending(Some(drops)));
            }
            State::Dropping(drops) => drops,
            State::Dropped(drops) => drops.next(&self.params),
        };
        if !drops.is_due(now, &self.params) {
            return (Verdict::Pass, State::Dropping(drops));
        }
        let drops = drops.counted();
        if marks { (marked, State::Dropping(drops.next(&self.params))) } else { (dropped, State::Dropped(drops)) }
    }
}

impl Policy for Codel {
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        let (now, came) = match self.params.arithmetic {
            Arithmetic::Real => (now, packet.enqueued_at),
            Arithmetic::Kernel => (codel_kernel::whole(now), codel_kernel::whole(packet.enqueued_at)),
        };
        let sojourn = now.since(came);
        let ok = self.ok_to_drop(now, sojourn, queue.shared_backlog().bytes);
        let (verdict, state) = self.decide(now, packet, ok);
        self.state = state;
        let late = self.params.ce_threshold.is_some_and(|threshold| sojourn > threshold);
        if verdict == Verdict::Pass && late && packet.ecn.is_capable() && self.is_selected(packet) {
            return Verdict::Mark(Reason::SOJOURN);
        }
        verdict
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        // sch_fq_codel: packets dropped for lack of room count as CoDel's own drops.
        if self.params.arithmetic == Arithmetic::Kernel && dropped == Dropped::PUSHED_OUT {
            match &mut self.state {
                State::Sending(None) => {}
                State::Sending(Some(drops))
                | State::Entered(drops)
                | State::Dropping(drops)
                | State::Dropped(drops) => {
                    drops.count += 1;
                }
            }
        }
    }

    fn on_idle(&mut self, _now: Instant) {
        // `dodequeue` of an empty queue: not ok to drop. An entering drop does not look at it.
        self.first_above_time = None;
        self.state = match self.state {
            State::Entered(drops) => State::Dropping(drops),
            State::Dropping(drops) | State::Dropped(drops) => State::Sending(Some(drops)),
            State::Sending(last) => State::Sending(last),
        };
    }

    probes! { |self|
        let (dropping, drops) = match self.state {
            State::Sending(last) => (false, last),
            State::Entered(drops) | State::Dropping(drops) | State::Dropped(drops) => (true, Some(drops)),
        };
        "count" => drops.map_or(0.0, |drops| drops.count as f64),
        "dropping" => f64::from(u8::from(dropping)),
    }
}

#[cfg(test)]
mod tests;
