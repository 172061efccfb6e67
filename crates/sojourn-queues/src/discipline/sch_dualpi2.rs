//! DualPI2 as in Linux, with the words of `tc`. Specification: `net/sched/sch_dualpi2.c` of Linux 6.17, and `q_dualpi2.c` of iproute2;
//! [`dualpi2`] has the law of RFC 9332. Compared with: recordings of its decisions (`evidence/linux`), and a second
//! implementation in Python (`tests/implementations`), packet by packet. p' has 32 bits, gains are in 2^-32 for 64 ns, and there is one
//! random number for each likelihood.
//!
//! A likelihood p is met if a number of 32 bits is at most p. The classic queue asks twice. Nothing is marked or dropped by p' while less
//! than two packets of `mtu` bytes wait in both queues together. Above a coupled likelihood of 1 there is overload: classic packets are
//! dropped, and L4S packets too (`drop_on_overload`) before they are marked. A packet that waited longer than the step is also marked, if
//! the L4S queue had `min_qlen_step` packets when it arrived. The credit of the round robin begins with the credit that a packet of `mtu`
//! bytes for each part of the weights would leave, and again when both queues are empty. It is unchanged while one of them is empty.
//!
//! The memory of a packet is that of [`cake`](super::cake). The timer is set anew at the time at which it runs.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | There are no filters, and segments are not split | the ECN field alone decides; packets are single | - |
//! | The words `max_rtt` and `typical_rtt` are no parameters | a line of tc sets `target`, `tupdate`, `alpha` and `beta` by them | `tests/unit/scenario/test_tc.py` |

use std::collections::VecDeque;

use crate::discipline::cake::buffers::{Buffers, Memory};
use crate::discipline::dualpi2::{self, Identifier};
use crate::packet::Ecn;
use crate::params::Alias;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_dualpi2",
    title: "DualPI2 of Linux (L4S)",
    doc: "Linux's DualPI2, with the words of tc and their defaults. Of two coupled queues that for L4S packets is served first and marked \
          above a step of its delay; the other one has PI2.",
    reference: "Linux 6.17 net/sched/sch_dualpi2.c, RFC 9332",
    alias: Some(Alias {
        of: "dualpi2",
        preset: "linux",
        words: &[
            ("interval", "tupdate"),
            ("coupling", "coupling_factor"),
            ("ramp_from", "step_thresh"),
            ("ramp_to", "step_thresh"),
            ("step_packets", "step_thresh"),
            ("ramp_spares", "min_qlen_step"),
            ("identifier", "any_ect"),
            ("classic_share", "classic_protection"),
            ("memory_limit", "memlimit"),
            ("drop_early", "drop_enqueue"),
            ("drop_overload", "drop_on_overload"),
        ],
    }),
    reorders: true,
    guards: true,
    law: Some(|args, link| {
        let params: Params = args.typed();
        params.constants(link)?;
        Ok(dualpi2::drawn(params.coupling_factor as f64, &format!("each packet above {}", params.step_thresh)))
    }),
    shown: dualpi2::ENTRY.shown,
    probes: dualpi2::ENTRY.probes,
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        /// A guard of memory: the most that may wait in both queues, without the packet in transmission.
        limit: Size = "10000p" in [0.0, 1e12], "Linux dualpi2_reset_default";
        /// The most memory of all waiting packets, counted as by `cake`. Automatic: two of `mtu` for each packet of `limit`, which packets
        /// of an MTU do not use up.
        memlimit: Option<Bytes> = "auto" in [1.0, 4e9], "Linux get_memory_limit";
        /// Target of the queuing delay in the classic queue.
        target: Duration = "15ms" in [0.0, 100.0], "Linux dualpi2_reset_default";
        /// Time between two updates of the probability.
        tupdate: Duration = "16ms" in [1e-6, 100.0], "Linux dualpi2_reset_default";
        /// Gain of the distance from the target, in Hz; Linux keeps 256ths.
        alpha: f64 = "0.16015625" in [0.0, 1e6], "Linux dualpi2_reset_default: 41/256";
        /// Gain of the change since the last update, in Hz; Linux keeps 256ths.
        beta: f64 = "3.19921875" in [0.0, 1e6], "Linux dualpi2_reset_default: 819/256";
        /// The factor by which the coupled probability of the L4S queue exceeds p' (k).
        coupling_factor: u64 = "2" in [1.0, 255.0], "Linux dualpi2_reset_default";
        /// The step that marks a packet of the L4S queue at any p': a longer wait than this time, or more packets behind it than these.
        step_thresh: Size = "1ms" in [0.0, 1e9], "Linux dualpi2_reset_default";
        /// Packets in the L4S queue from which on the step holds for those that come.
        min_qlen_step: u64 = "0" in [0.0, 1e9], "Linux dualpi2_reset_default";
        /// Least part of the link that the classic queue keeps while both have packets, in whole percent.
        classic_protection: Fraction = "0.1" in [0.0, 1.0], "Linux dualpi2_reset_default";
        /// Whether in overload L4S packets are dropped; else p' stays below overload, and a full buffer drops (tc's `overflow`).
        drop_on_overload: bool = "true", "Linux dualpi2_reset_default";
        /// Whether packets are marked and dropped when they come, and not when they leave (tc's `drop_dequeue`).
        drop_enqueue: bool = "false", "Linux dualpi2_reset_default";
        /// Whether all packets with ECN are L4S, and not those with ECT(1) or CE alone (tc's `l4s_ect`).
        any_ect: bool = "false", "Linux dualpi2_reset_default";
        /// The device's MTU with its header: below two of them all packets are spared, and the round robin begins with it. No word of tc.
        mtu: Bytes = "1514B" in [1.0, 1e6], "Linux: psched_mtu of an Ethernet";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    Ok(Box::new(SchDualPi2::new(args.typed::<Params>().constants(link)?)))
}

impl Params {
    fn constants(&self, link: &LinkContext) -> Result<Constants, BuildError> {
        let limit = Limit::from_size(self.limit, link);
        let memory = limit.packets.saturating_mul(2 * self.mtu.0).min(u64::from(u32::MAX));
        let step = match self.step_thresh {
            Size::Time(time) => Step::Wait(time.as_nanos().min(LONGEST)),
            Size::Packets(packets) => Step::Packets(packets as u64),
            Size::Bytes(_) | Size::Bdp(_) => {
                let what = format!("step_thresh is {}", self.step_thresh);
                return Err(BuildError::new("step_thresh", what, "a time such as \"1ms\", or packets such as \"5p\""));
            }
        };
        Ok(Constants {
            limit,
            buffers: Memory::Kernel.on(link),
            memory: self.memlimit.map_or(memory, |bytes| bytes.0),
            identifier: if self.any_ect { Identifier::Any } else { Identifier::Ect1 },
            target: self.target.as_nanos(),
            interval: self.tupdate.min(Duration::from_nanos(LONGEST)),
            gains: (gain(self.alpha), gain(self.beta)),
            coupling: self.coupling_factor,
            step,
            step_from: self.min_qlen_step,
            share: (self.classic_protection.0 * 100.0).round() as i64,
            mtu: self.mtu.0,
            drop_early: self.drop_enqueue,
            drop_overload: self.drop_on_overload,
        })
    }
}

/// Nanoseconds of the unit in which gains count, as a shift.
const UNIT: u32 = 6;
/// Periods and steps have 32 bits of nanoseconds: the most of them stands for all longer ones.
const LONGEST: u64 = u32::MAX as u64;
/// Parts of the weights of both queues.
const PARTS: i64 = 100;

/// The length of the L4S queue beyond which packets are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The wait of the packet, in nanoseconds.
    Wait(u64),
    /// The packets behind it.
    Packets(u64),
}

/// The law's variables, which follow from the parameters on a link.
#[derive(Clone, Copy, Debug)]
struct Constants {
    limit: Limit,
    /// Bytes of both queues, and those of a packet.
    memory: u64,
    buffers: Buffers,
    identifier: Identifier,
    /// In nanoseconds.
    target: u64,
    interval: Duration,
    /// In units of 2^-32 for 64 ns.
    gains: (i64, i64),
    coupling: u64,
    step: Step,
    /// Packets of the L4S queue from which on those that come are subject to the step.
    step_from: u64,
    /// Hundredths.
    share: i64,
    mtu: u64,
    drop_early: bool,
    drop_overload: bool,
}

/// A gain in Hz: in 256ths of a hertz first, as `tc` hands it over.
fn gain(hertz: f64) -> i64 {
    let parts = (hertz * 256.0).round() as u64;
    (((parts * u64::from(u32::MAX)) >> (8 - UNIT)) / 1_000_000_000) as i64
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    packet: Packet,
    /// Whether the step holds for it.
    step: bool,
    memory: u32,
}

#[derive(Clone, Debug, Default)]
struct Queue {
    packets: VecDeque<Waiting>,
    bytes: u64,
    memory: u64,
}

impl Queue {
    /// How long the first packet has waited, in nanoseconds.
    fn delay(&self, now: Instant) -> i64 {
        self.packets.front().map_or(0, |head| now.since(head.packet.enqueued_at).as_nanos() as i64)
    }

    fn pop(&mut self) -> Option<Waiting> {
        let head = self.packets.pop_front()?;
        self.bytes -= u64::from(head.packet.size);
        self.memory -= u64::from(head.memory);
        Some(head)
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct SchDualPi2 {
    constants: Constants,
    low: Queue,
    classic: Queue,
    /// p', of 2^32 - 1.
    p: u32,
    /// The greater delay at the last update, in nanoseconds.
    old: i64,
    credit: i64,
    due: Instant,
}

/// The fate of a packet by p'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Pass,
    Mark,
    Drop,
}

impl SchDualPi2 {
    /// Nothing waits.
    fn new(constants: Constants) -> Self {
        let due = Instant::ZERO + constants.interval;
        let (low, classic) = (Queue::default(), Queue::default());
        let mut queue = SchDualPi2 { constants, low, classic, p: 0, old: 0, credit: 0, due };
        queue.reset_credit();
        queue
    }

    fn reset_credit(&mut self) {
        let Constants { mtu, share, .. } = self.constants;
        self.credit = mtu as i64 * (share - (PARTS - share));
    }

    /// p' after an update at `now`:
    ///
    /// ```text
    /// p' += ((delay - target) alpha + (delay - old) beta) / 64, within 0 and 2^32 - 1
    /// ```
    fn updated(&mut self, now: Instant) -> u32 {
        let Constants { target, gains: (alpha, beta), coupling, drop_overload, .. } = self.constants;
        let delay = self.classic.delay(now).max(self.low.delay(now));
        let delta = (delay - target as i64).wrapping_mul(alpha).wrapping_add((delay - self.old).wrapping_mul(beta));
        self.old = delay;
        let step = (delta.unsigned_abs() >> UNIT) as u32;
        let next = if delta > 0 {
            // Both wrap at 32 bits in Linux, and a wrapped sum is taken for the upper end.
            let sum = self.p.wrapping_add(step);
            if sum < self.p { u32::MAX } else { sum }
        } else {
            let rest = self.p.wrapping_sub(step);
            if rest > self.p { 0 } else { rest }
        };
        if drop_overload { next } else { next.min(u32::MAX / coupling as u32) }
    }

    fn is_met(likelihood: u32, rng: &mut Rng) -> bool {
        rng.below(1 << 32) as u32 <= likelihood
    }

    /// The verdict by p', of a packet of the L4S queue (`low`) or of the other; the backlog is that without it.
    fn decide(&self, low: bool, packet: &Packet, rng: &mut Rng) -> Says {
        if self.backlog().bytes < 2 * self.constants.mtu {
            return Says::Pass;
        }
        let coupled = u64::from(self.p) * self.constants.coupling;
        let overload = coupled > u64::from(u32::MAX);
        if low && !overload {
            return if Self::is_met(coupled as u32, rng) { Says::Mark } else { Says::Pass };
        }
        let asks = !low || self.constants.drop_overload;
        let met = asks && Self::is_met(self.p, rng) && Self::is_met(self.p, rng);
        match (low, met) {
            (false, false) => Says::Pass,
            (true, true) => Says::Drop,
            (false, true) if overload || !packet.ecn.is_capable() => Says::Drop,
            (true, false) | (false, true) => Says::Mark,
        }
    }

    /// The next packet, whether it is of the L4S queue, and by how much its leaving changes the credit.
    fn take(&mut self) -> Option<(Waiting, bool, i64)> {
        let (low, classic) = (!self.low.packets.is_empty(), !self.classic.packets.is_empty());
        let takes_low = low && (!classic || self.credit <= 0);
        let head = if takes_low { self.low.pop() } else { self.classic.pop() };
        let Some(head) = head else {
            self.reset_credit();
            return None;
        };
        let share = self.constants.share;
        let weight = match (low && classic, takes_low) {
            (false, _) => 0,
            (true, true) => share,
            (true, false) => share - PARTS,
        };
        Some((head, takes_low, weight * i64::from(head.packet.size)))
    }
}

impl QueueDiscipline for SchDualPi2 {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let mut packet = Packet { enqueued_at: now, ..packet };
        let memory = self.constants.buffers.of(&packet);
        let fits = self.low.memory + self.classic.memory + u64::from(memory) <= self.constants.memory;
        if !fits || !self.constants.limit.admits(self.backlog(), &packet) {
            cx.events.drop(now, packet, Reason::OVERFLOW);
            return;
        }
        let low = self.constants.identifier.takes(packet.ecn);
        if self.constants.drop_early {
            match self.decide(low, &packet, &mut cx.rng) {
                Says::Pass => {}
                Says::Mark => cx.events.mark(now, &mut packet, Reason::EARLY),
                Says::Drop => {
                    cx.events.drop(now, packet, Reason::EARLY);
                    return;
                }
            }
        }
        let step = low && self.low.packets.len() as u64 >= self.constants.step_from;
        let queue = if low { &mut self.low } else { &mut self.classic };
        queue.bytes += u64::from(packet.size);
        queue.memory += u64::from(memory);
        queue.packets.push_back(Waiting { packet, step, memory });
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        while let Some((Waiting { mut packet, step, .. }, low, credit)) = self.take() {
            let says = if self.constants.drop_early { Says::Pass } else { self.decide(low, &packet, &mut cx.rng) };
            if says == Says::Drop {
                cx.events.drop(now, packet, Reason::EARLY);
                continue;
            }
            // A mark that it has already is not told again.
            let marked = packet.ecn == Ecn::Ce;
            let late = match self.constants.step {
                Step::Wait(most) => now.since(packet.enqueued_at).as_nanos() > most,
                Step::Packets(most) => self.low.packets.len() as u64 > most,
            } && low
                && step
                && !marked;
            if says == Says::Mark || late {
                cx.events.mark(now, &mut packet, if says == Says::Mark { Reason::EARLY } else { Reason::SOJOURN });
            }
            self.credit += credit;
            return Some(packet);
        }
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut Context) {
        if self.due <= now {
            self.p = self.updated(now);
            self.due = now + self.constants.interval;
        }
    }

    fn backlog(&self) -> Backlog {
        let packets = (self.low.packets.len() + self.classic.packets.len()) as u64;
        Backlog { packets, bytes: self.low.bytes + self.classic.bytes }
    }

    fn limit(&self) -> Limit {
        self.constants.limit
    }

    probes! { |self|
        let p = f64::from(self.p) / f64::from(u32::MAX);
        "p_linear" => p,
        "drop_prob" => p * p,
        "delay_s" => self.old as f64 * 1e-9,
        "backlog_l4s" => self.low.packets.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rig::{args, at};

    fn given(settings: &[(&str, &str)]) -> Result<Constants, BuildError> {
        args(&ENTRY, None, settings).typed::<Params>().constants(&LinkContext::default())
    }

    fn constants() -> Constants {
        given(&[]).expect("valid parameters")
    }

    #[test]
    fn the_period_and_the_step_end_at_32_bits() {
        let long = given(&[("tupdate", "10s"), ("step_thresh", "5s")]).expect("valid parameters");
        assert_eq!((long.interval, long.step), (Duration::from_nanos(4_294_967_295), Step::Wait(4_294_967_295)));
        // Shorter ones are as given, and so is the target, which has 64 bits.
        let usual = given(&[("target", "10s")]).expect("valid parameters");
        assert_eq!((usual.interval, usual.step), (Duration::from_millis(16), Step::Wait(1_000_000)));
        assert_eq!(usual.target, 10_000_000_000);
    }

    #[test]
    fn a_step_is_a_time_or_packets() {
        assert_eq!(given(&[("step_thresh", "5p")]).map(|constants| constants.step), Ok(Step::Packets(5)));
        assert_eq!(given(&[("step_thresh", "5kB")]).map(|_| ()).map_err(|error| error.param), Err("step_thresh"));
    }

    fn holding(constants: Constants, low: u64, classic: u64) -> (SchDualPi2, Context) {
        let (mut queue, mut cx) = (SchDualPi2::new(constants), Context::new(Rng::named(1, "test")));
        for seq in 0..low + classic {
            let ecn = if seq < low { Ecn::Ect1 } else { Ecn::NotEct };
            queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000).with_ecn(ecn), &mut cx);
        }
        (queue, cx)
    }

    #[test]
    fn gains_are_linuxs_whole_numbers() {
        // 41 (2^32 - 1) / 4 / 10^9 = 44.02, 819 (2^32 - 1) / 4 / 10^9 = 879.39.
        assert_eq!((gain(41.0 / 256.0), gain(819.0 / 256.0)), (44, 879));
    }

    #[test]
    fn an_update_is_whole_and_stays_within_32_bits() {
        let (mut queue, _) = holding(constants(), 0, 1);
        // At 16 ms: (1 ms * 44 + 16 ms * 879) / 64 = (44e6 + 14064e6) / 64 = 220437500.
        assert_eq!(queue.updated(at(0.016)), 220_437_500);
        queue.p = u32::MAX - 5;
        queue.old = 0;
        assert_eq!(queue.updated(at(0.016)), u32::MAX);
        let (mut empty, _) = holding(constants(), 0, 0);
        empty.p = 100;
        assert_eq!(empty.updated(at(0.016)), 0);
        // Where overload drops nothing, p' stays below it.
        let (mut spared, _) = holding(Constants { drop_overload: false, ..constants() }, 0, 1);
        spared.p = u32::MAX / 2;
        assert_eq!(spared.updated(at(0.016)), u32::MAX / 2);
    }

    #[test]
    fn less_than_two_packets_are_spared() {
        let (mut queue, mut cx) = holding(constants(), 0, 5);
        queue.p = u32::MAX;
        // Behind the first wait 4000 bytes, behind the second 3000, which is less than 3028.
        assert_eq!(queue.dequeue(at(0.001), &mut cx).map(|packet| packet.size), Some(1000));
        assert_eq!(cx.events.as_slice().len(), 1);
        assert_eq!(queue.backlog().packets, 3);
    }

    #[test]
    fn the_step_marks_what_waited_longer() {
        for (millis, marked) in [(1.0, 0), (1.001, 1)] {
            let (mut queue, mut cx) = holding(constants(), 1, 0);
            queue.dequeue(at(millis / 1000.0), &mut cx);
            assert_eq!(cx.events.as_slice().len(), marked, "{millis}");
        }
        let (mut few, mut cx) = holding(Constants { step_from: 2, ..constants() }, 3, 0);
        for _ in 0..3 {
            few.dequeue(at(0.01), &mut cx);
        }
        assert_eq!(cx.events.as_slice().len(), 1, "the third found two");
    }

    #[test]
    fn a_step_in_packets_counts_those_behind() {
        let (mut queue, mut cx) = holding(Constants { step: Step::Packets(1), ..constants() }, 4, 0);
        for _ in 0..4 {
            queue.dequeue(at(0.0), &mut cx);
        }
        assert_eq!(cx.events.as_slice().len(), 2, "three wait behind the first and two behind the second");
    }

    #[test]
    fn memory_is_that_of_the_kernels_buffers() {
        // A datagram of 1000 bytes takes 2304 bytes: there is room for two.
        let (mut queue, mut cx) = holding(Constants { memory: 2 * 2304, ..constants() }, 1, 2);
        assert_eq!((queue.backlog().packets, cx.events.as_slice().len()), (2, 1));
        queue.dequeue(at(0.0), &mut cx);
        queue.enqueue(at(0.0), Packet::datagram(FlowId(0), 3, 1000), &mut cx);
        assert_eq!(queue.backlog().packets, 2);
    }

    #[test]
    fn the_timer_is_set_anew_when_it_runs() {
        let (mut queue, mut cx) = holding(constants(), 0, 1);
        queue.on_deadline(at(0.020), &mut cx);
        // (5 ms * 44 + 20 ms * 879) / 64.
        assert_eq!((queue.p, queue.next_deadline()), (278_125_000, Some(at(0.036))));
    }

    #[test]
    fn the_classic_queue_has_its_tenth_after_the_credit_is_used_up() {
        let (mut queue, mut cx) = holding(constants(), 500, 500);
        let served: Vec<bool> =
            (0..400).filter_map(|_| queue.dequeue(at(0.0), &mut cx)).map(|packet| packet.ecn == Ecn::NotEct).collect();
        // From -80 * 1514 on each packet of 1000 bytes adds 10000: the first classic one is the fourteenth.
        assert_eq!(served.iter().position(|classic| *classic), Some(13));
        assert_eq!(served[13..].iter().filter(|classic| **classic).count(), 39);
    }

    #[test]
    fn overload_drops_both_and_spares_l4s_if_told() {
        for (drop_overload, drops) in [(true, true), (false, false)] {
            let (mut queue, mut cx) = holding(Constants { drop_overload, ..constants() }, 1000, 0);
            queue.p = u32::MAX / 2 + 10_000_000;
            while queue.dequeue(at(0.0), &mut cx).is_some() {}
            let dropped = cx.events.as_slice().iter().filter(|event| matches!(event.what, crate::queue::What::Drop(_)));
            let count = dropped.count();
            // A quarter of 1000, four deviations of 14.
            assert!(if drops { count.abs_diff(250) < 56 } else { count == 0 }, "{count}");
        }
    }
}
