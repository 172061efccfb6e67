//! DualPI2 in the numbers of today's Linux (`arithmetic = "kernel"` of [`dualpi2`](super::dualpi2)): p' in 32 bits, gains in 2^-32 for 64
//! ns, and one random number for each likelihood. Behaviour of Linux 6.17 and later, `sch_dualpi2`. Compared with: recordings of its
//! decisions (`tests/peers/linux/kernel`), and a second implementation in Python (`tests/implementations`), packet by packet.
//!
//! A likelihood p is met if a number of 32 bits is at most p. The classic queue asks twice. Nothing is marked or dropped by p' while less
//! than two packets of `mtu` bytes wait in both queues together. Above a coupled likelihood of 1 there is overload: classic packets are
//! dropped, and L4S packets too (`drop_overload`) before they are marked. A packet that waited longer than the step is also marked, if the
//! L4S queue had `step_from` packets when it arrived. The credit of the round robin begins with the credit that a packet of `mtu` bytes
//! for each part of the weights would leave, and again when both queues are empty. It is unchanged while one of them is empty.
//!
//! The memory of a packet is that of [`cake`](super::cake). The timer is set anew at the time at which it runs.
//!
//! Differences from Linux: there are no filters (the ECN field alone decides), and segments are not split.

use std::collections::VecDeque;

use crate::discipline::cake::buffers::Buffers;
use crate::discipline::dualpi2::Identifier;
use crate::packet::Ecn;
use crate::queue::prelude::*;

/// DualPI2's counters, in any arithmetic.
pub const PROBES: &[&str] = &["p_linear", "drop_prob", "delay_s", "backlog_l4s"];

/// Nanoseconds of the unit in which gains count, as a shift.
const UNIT: u32 = 6;
/// Periods and steps have 32 bits of nanoseconds: the most of them stands for all longer ones.
pub const LONGEST: u64 = u32::MAX as u64;
/// Parts of the weights of both queues.
const PARTS: i64 = 100;

/// The length of the L4S queue beyond which packets are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The wait of the packet, in nanoseconds.
    Wait(u64),
    /// The packets behind it.
    Packets(u64),
}

/// Constants of the law.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The limit of both queues together.
    pub limit: Limit,
    /// The limit of their memory in bytes.
    pub memory: u64,
    /// The memory of a packet.
    pub buffers: Buffers,
    /// The packets of the L4S queue.
    pub identifier: Identifier,
    /// In nanoseconds.
    pub target: u64,
    /// Time between updates.
    pub interval: Duration,
    /// Gains, in units of 2^-32 for 64 ns.
    pub gains: (i64, i64),
    /// k.
    pub coupling: u64,
    /// The step above which L4S packets are marked.
    pub step: Step,
    /// Packets of the L4S queue from which on those that come are subject to the step.
    pub step_from: u64,
    /// Hundredths that the classic queue keeps.
    pub share: i64,
    /// The largest packet.
    pub mtu: u64,
    /// Whether packets are marked and dropped when they come, and not when they leave.
    pub drop_early: bool,
    /// Whether overload drops L4S packets; else p' stays below it.
    pub drop_overload: bool,
}

/// A gain in Hz: in 256ths of a hertz first, as `tc` hands it over.
pub fn gain(hertz: f64) -> i64 {
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
pub struct DualPi2Kernel {
    settings: Settings,
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

impl DualPi2Kernel {
    /// Nothing waits.
    pub fn new(settings: Settings) -> Self {
        let due = Instant::ZERO + settings.interval;
        let (low, classic) = (Queue::default(), Queue::default());
        let mut queue = DualPi2Kernel { settings, low, classic, p: 0, old: 0, credit: 0, due };
        queue.reset_credit();
        queue
    }

    #[cfg(test)]
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    fn reset_credit(&mut self) {
        let Settings { mtu, share, .. } = self.settings;
        self.credit = mtu as i64 * (share - (PARTS - share));
    }

    /// p' after an update at `now`:
    ///
    /// ```text
    /// p' += ((delay - target) alpha + (delay - old) beta) / 64, within 0 and 2^32 - 1
    /// ```
    fn updated(&mut self, now: Instant) -> u32 {
        let Settings { target, gains: (alpha, beta), coupling, drop_overload, .. } = self.settings;
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
        if self.backlog().bytes < 2 * self.settings.mtu {
            return Says::Pass;
        }
        let coupled = u64::from(self.p) * self.settings.coupling;
        let overload = coupled > u64::from(u32::MAX);
        if low && !overload {
            return if Self::is_met(coupled as u32, rng) { Says::Mark } else { Says::Pass };
        }
        let asks = !low || self.settings.drop_overload;
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
        let share = self.settings.share;
        let weight = match (low && classic, takes_low) {
            (false, _) => 0,
            (true, true) => share,
            (true, false) => share - PARTS,
        };
        Some((head, takes_low, weight * i64::from(head.packet.size)))
    }
}

impl QueueDiscipline for DualPi2Kernel {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let mut packet = Packet { enqueued_at: now, ..packet };
        let memory = self.settings.buffers.of(&packet);
        let fits = self.low.memory + self.classic.memory + u64::from(memory) <= self.settings.memory;
        if !fits || !self.settings.limit.admits(self.backlog(), &packet) {
            cx.events.drop(now, packet, Reason::OVERFLOW);
            return;
        }
        let low = self.settings.identifier.takes(packet.ecn);
        if self.settings.drop_early {
            match self.decide(low, &packet, &mut cx.rng) {
                Says::Pass => {}
                Says::Mark => cx.events.mark(now, &mut packet, Reason::EARLY),
                Says::Drop => {
                    cx.events.drop(now, packet, Reason::EARLY);
                    return;
                }
            }
        }
        let step = low && self.low.packets.len() as u64 >= self.settings.step_from;
        let queue = if low { &mut self.low } else { &mut self.classic };
        queue.bytes += u64::from(packet.size);
        queue.memory += u64::from(memory);
        queue.packets.push_back(Waiting { packet, step, memory });
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        while let Some((Waiting { mut packet, step, .. }, low, credit)) = self.take() {
            let says = if self.settings.drop_early { Says::Pass } else { self.decide(low, &packet, &mut cx.rng) };
            if says == Says::Drop {
                cx.events.drop(now, packet, Reason::EARLY);
                continue;
            }
            // A mark that it has already is not told again.
            let marked = packet.ecn == Ecn::Ce;
            let late = match self.settings.step {
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
            self.due = now + self.settings.interval;
        }
    }

    fn backlog(&self) -> Backlog {
        let packets = (self.low.packets.len() + self.classic.packets.len()) as u64;
        Backlog { packets, bytes: self.low.bytes + self.classic.bytes }
    }

    fn limit(&self) -> Limit {
        self.settings.limit
    }

    fn probes(&self) -> &'static [&'static str] {
        PROBES
    }

    fn probe(&self, index: usize) -> f64 {
        let p = f64::from(self.p) / f64::from(u32::MAX);
        match index {
            0 => p,
            1 => p * p,
            2 => self.old as f64 * 1e-9,
            _ => self.low.packets.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::cake::buffers::Memory;
    use crate::packet::FlowId;
    use crate::rig::at;

    fn settings() -> Settings {
        Settings {
            limit: Limit::packets(10_000),
            memory: 10_000 * 2 * 1514,
            buffers: Memory::Kernel.on(&LinkContext::default()),
            identifier: Identifier::Ect1,
            target: 15_000_000,
            interval: Duration::from_millis(16),
            gains: (gain(41.0 / 256.0), gain(819.0 / 256.0)),
            coupling: 2,
            step: Step::Wait(1_000_000),
            step_from: 0,
            share: 10,
            mtu: 1514,
            drop_early: false,
            drop_overload: true,
        }
    }

    fn holding(settings: Settings, low: u64, classic: u64) -> (DualPi2Kernel, Context) {
        let (mut queue, mut cx) = (DualPi2Kernel::new(settings), Context::new(Rng::named(1, "test")));
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
        let (mut queue, _) = holding(settings(), 0, 1);
        // At 16 ms: (1 ms * 44 + 16 ms * 879) / 64 = (44e6 + 14064e6) / 64 = 220437500.
        assert_eq!(queue.updated(at(0.016)), 220_437_500);
        queue.p = u32::MAX - 5;
        queue.old = 0;
        assert_eq!(queue.updated(at(0.016)), u32::MAX);
        let (mut empty, _) = holding(settings(), 0, 0);
        empty.p = 100;
        assert_eq!(empty.updated(at(0.016)), 0);
        // Where overload drops nothing, p' stays below it.
        let (mut spared, _) = holding(Settings { drop_overload: false, ..settings() }, 0, 1);
        spared.p = u32::MAX / 2;
        assert_eq!(spared.updated(at(0.016)), u32::MAX / 2);
    }

    #[test]
    fn less_than_two_packets_are_spared() {
        let (mut queue, mut cx) = holding(settings(), 0, 5);
        queue.p = u32::MAX;
        // Behind the first wait 4000 bytes, behind the second 3000, which is less than 3028.
        assert_eq!(queue.dequeue(at(0.001), &mut cx).map(|packet| packet.size), Some(1000));
        assert_eq!(cx.events.as_slice().len(), 1);
        assert_eq!(queue.backlog().packets, 3);
    }

    #[test]
    fn the_step_marks_what_waited_longer() {
        for (millis, marked) in [(1.0, 0), (1.001, 1)] {
            let (mut queue, mut cx) = holding(settings(), 1, 0);
            queue.dequeue(at(millis / 1000.0), &mut cx);
            assert_eq!(cx.events.as_slice().len(), marked, "{millis}");
        }
        let (mut few, mut cx) = holding(Settings { step_from: 2, ..settings() }, 3, 0);
        for _ in 0..3 {
            few.dequeue(at(0.01), &mut cx);
        }
        assert_eq!(cx.events.as_slice().len(), 1, "the third found two");
    }

    #[test]
    fn a_step_in_packets_counts_those_behind() {
        let (mut queue, mut cx) = holding(Settings { step: Step::Packets(1), ..settings() }, 4, 0);
        for _ in 0..4 {
            queue.dequeue(at(0.0), &mut cx);
        }
        assert_eq!(cx.events.as_slice().len(), 2, "three wait behind the first and two behind the second");
    }

    #[test]
    fn memory_is_that_of_the_kernels_buffers() {
        // A datagram of 1000 bytes takes 2304 bytes: there is room for two.
        let (mut queue, mut cx) = holding(Settings { memory: 2 * 2304, ..settings() }, 1, 2);
        assert_eq!((queue.backlog().packets, cx.events.as_slice().len()), (2, 1));
        queue.dequeue(at(0.0), &mut cx);
        queue.enqueue(at(0.0), Packet::datagram(FlowId(0), 3, 1000), &mut cx);
        assert_eq!(queue.backlog().packets, 2);
    }

    #[test]
    fn the_timer_is_set_anew_when_it_runs() {
        let (mut queue, mut cx) = holding(settings(), 0, 1);
        queue.on_deadline(at(0.020), &mut cx);
        // (5 ms * 44 + 20 ms * 879) / 64.
        assert_eq!((queue.p, queue.next_deadline()), (278_125_000, Some(at(0.036))));
    }

    #[test]
    fn the_classic_queue_has_its_tenth_after_the_credit_is_used_up() {
        let (mut queue, mut cx) = holding(settings(), 500, 500);
        let served: Vec<bool> =
            (0..400).filter_map(|_| queue.dequeue(at(0.0), &mut cx)).map(|packet| packet.ecn == Ecn::NotEct).collect();
        // From -80 * 1514 on each packet of 1000 bytes adds 10000: the first classic one is the fourteenth.
        assert_eq!(served.iter().position(|classic| *classic), Some(13));
        assert_eq!(served[13..].iter().filter(|classic| **classic).count(), 39);
    }

    #[test]
    fn overload_drops_both_and_spares_l4s_if_told() {
        for (drop_overload, drops) in [(true, true), (false, false)] {
            let (mut queue, mut cx) = holding(Settings { drop_overload, ..settings() }, 1000, 0);
            queue.p = u32::MAX / 2 + 10_000_000;
            while queue.dequeue(at(0.0), &mut cx).is_some() {}
            let dropped = cx.events.as_slice().iter().filter(|event| matches!(event.what, crate::queue::What::Drop(_)));
            let count = dropped.count();
            // A quarter of 1000, four deviations of 14.
            assert!(if drops { count.abs_diff(250) < 56 } else { count == 0 }, "{count}");
        }
    }
}
