//! COBALT in the integers of today's Linux (`arithmetic = "kernel"`): 1/sqrt(count) and BLUE's probability in 32 bits. Compared with:
//! Linux 6.12 `sch_cake` with one queue for all flows (`besteffort flowblind`), decision by decision (`tests/peers/linux/kernel`).
//!
//! Differences of Linux from [`cobalt`](super::cobalt) in real numbers:
//!
//! - a fresh queue has a root of 0, so that the second packet that waits too long is answered at once, the first time;
//! - above 15 drops the root follows by one step of Newton's method; up to 15 it comes from a table;
//! - the state does not change while the link is idle: `sch_cake` looks at an empty queue only while others have packets. So BLUE's
//!   probability, once raised, stays where it is. This looks like a fault of Linux.

use crate::queue::prelude::*;

/// The number of 32 bits that is nearest to 1.
const ONE: u32 = u32::MAX;

/// `2^32 / sqrt(count)` for counts below 16, each by eight of Newton's steps from the one before it; as near to 1 as may be at 0 and 1.
const ROOTS: [u32; 16] = {
    let mut roots = [ONE; 16];
    let mut count = 2;
    while count < roots.len() {
        let (mut root, mut steps) = (roots[count - 1], 0);
        while steps < 8 {
            root = newton_step(root, count as u32);
            steps += 1;
        }
        roots[count] = root;
        count += 1;
    }
    roots
};

/// `root (3 - count root^2) / 2`, truncated to 64 bits.
const fn newton_step(root: u32, count: u32) -> u32 {
    let root = root as u64;
    let square = (root * root) >> 32;
    let rest = (3_u64 << 32).wrapping_sub((count as u64).wrapping_mul(square));
    ((rest >> 2).wrapping_mul(root) >> 31) as u32
}

/// Times that depend on the link.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    /// Acceptable standing wait.
    pub target: Duration,
    /// Time for which packets may wait longer.
    pub interval: Duration,
    /// No wait up to this is too long.
    pub least: Duration,
}

/// COBALT's state for one queue, in the kernel's names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vars {
    count: u32,
    rec_inv_sqrt: u32,
    p_drop: u32,
    blue_timer: u64,
    drop_next: u64,
    dropping: bool,
}

/// COBALT's decision about a packet that is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// It is one of CoDel's, which may be a mark in its place.
    pub is_codels: bool,
    /// BLUE drops it.
    pub is_blues: bool,
    /// It is not to be dropped but marked, as far as CoDel goes.
    pub marks: bool,
}

impl Signal {
    /// Why it is to be dropped, if it is.
    pub fn drops(self) -> Option<Reason> {
        let codels = (self.is_codels && !self.marks).then_some(Reason::SOJOURN);
        codels.or(self.is_blues.then_some(Reason::EARLY))
    }
}

/// BLUE's step down, 1/4096.
const P_DEC: u32 = 1 << 20;

impl Vars {
    /// The control law: `interval / sqrt(count)` later.
    fn control(&self, spans: &Spans, then: u64) -> u64 {
        // Linux scales the lower 32 bits of the interval: 4.29 s at most.
        then + ((u64::from(spans.interval.as_nanos() as u32) * u64::from(self.rec_inv_sqrt)) >> 32)
    }

    fn invsqrt(&mut self) {
        let known = ROOTS.get(self.count as usize);
        self.rec_inv_sqrt = known.copied().unwrap_or_else(|| newton_step(self.rec_inv_sqrt, self.count));
    }

    /// One drop less, and the time at which the next one would have been due.
    fn forgive(&mut self, spans: &Spans) {
        self.count -= 1;
        self.invsqrt();
        self.drop_next = self.control(spans, self.drop_next);
    }

    /// The buffer is full. BLUE makes a step, at most once in a target, and CoDel's next drop is due. Returns whether BLUE begins to drop.
    pub fn queue_full(&mut self, spans: &Spans, p_inc: u32, now: u64) -> bool {
        let was_quiet = self.p_drop == 0;
        if now.saturating_sub(self.blue_timer) > spans.target.as_nanos() {
            self.p_drop = self.p_drop.checked_add(p_inc).unwrap_or(ONE);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
        was_quiet && self.p_drop > 0
    }

    /// The queue was to be served and is empty. BLUE makes a step down, at most once in a target, and one drop is forgiven if it is due.
    /// Returns whether BLUE stops dropping.
    pub fn queue_empty(&mut self, spans: &Spans, now: u64) -> bool {
        let was_active = self.p_drop > 0;
        if was_active && now.saturating_sub(self.blue_timer) > spans.target.as_nanos() {
            self.p_drop = self.p_drop.saturating_sub(P_DEC);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.forgive(spans);
        }
        was_active && self.p_drop == 0
    }

    /// Whether nothing is left of the past: an empty queue may be forgotten.
    pub fn is_at_rest(&self, now: u64) -> bool {
        self.p_drop == 0 && self.count == 0 && now >= self.drop_next
    }

    /// CoDel's part. Returns two answers: whether this packet is to be signalled, and whether the time of the next signal is over. The
    /// second is as it was found or, if the control law moved that time, as it is then.
    fn signals(&mut self, spans: &Spans, now: u64, waits_too_long: bool) -> (bool, bool) {
        let mut is_late = now > self.drop_next;
        let mut is_due = self.count > 0 && now >= self.drop_next;
        if waits_too_long {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(spans, now);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if is_due && self.dropping {
            self.count = self.count.saturating_add(1);
            self.invsqrt();
            self.drop_next = self.control(spans, self.drop_next);
            return (true, now > self.drop_next);
        }
        while is_due {
            self.forgive(spans);
            is_late = now > self.drop_next;
            is_due = self.count > 0 && now >= self.drop_next;
        }
        (false, is_late)
    }

    /// The decision about a packet that is to leave after it has waited this long. No wait up to `least` is too long.
    #[inline]
    pub fn decide(
        &mut self,
        spans: &Spans,
        now: u64,
        (waited, least): (Duration, Duration),
        ecn: bool,
        rng: &mut Rng,
    ) -> Signal {
        let (is_codels, is_late) = self.signals(spans, now, waited > spans.target && waited > least);
        // A number is drawn only where BLUE's probability is above 0, and the upper 32 bits of it count.
        let is_blues = self.p_drop > 0 && ((rng.uniform() * 4_294_967_296.0) as u32) < self.p_drop;
        let signal = Signal { is_codels, is_blues, marks: is_codels && ecn };
        if self.count == 0 {
            self.drop_next = now + spans.interval.as_nanos();
        } else if is_late && signal.drops().is_none() {
            self.drop_next = now;
        }
        signal
    }
}

#[derive(Clone, Debug)]
pub struct CobaltKernel {
    spans: Spans,
    ecn: bool,
    p_inc: u32,
    vars: Vars,
}

impl CobaltKernel {
    pub fn new(spans: Spans, increment: Fraction, ecn: bool) -> Self {
        CobaltKernel { spans, ecn, p_inc: (increment.0 * 4_294_967_296.0) as u32, vars: Vars::default() }
    }
}

impl Policy for CobaltKernel {
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let waited = now.since(packet.enqueued_at);
        let marks = self.ecn && packet.ecn.is_capable();
        let signal = self.vars.decide(&self.spans, now.as_nanos(), (waited, self.spans.least), marks, rng);
        match signal.drops() {
            Some(reason) if queue.backlog().packets > 0 => Verdict::Drop(reason),
            _ if signal.marks => Verdict::Mark(Reason::SOJOURN),
            _ => Verdict::Pass,
        }
    }

    fn on_drop(&mut self, now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.vars.queue_full(&self.spans, self.p_inc, now.as_nanos());
        }
    }

    probes! { |self|
        "count" => f64::from(self.vars.count),
        "drop_prob" => f64::from(self.vars.p_drop) / 4_294_967_296.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, at};

    fn kernel() -> CobaltKernel {
        let millis = Duration::from_millis;
        let spans = Spans { target: millis(5), interval: millis(100), least: millis(3) };
        CobaltKernel::new(spans, Fraction(1.0 / 256.0), true)
    }

    /// The verdict on a packet that leaves at this time, after it has waited for `waited` seconds.
    fn leave(cobalt: &mut CobaltKernel, seconds: f64, waited: f64) -> Verdict {
        let mut rig = Rig::waiting(10);
        let packet = Packet { enqueued_at: at(seconds - waited), ..PACKET };
        let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
        cobalt.on_departure(at(seconds), &packet, &mut view, &mut rig.rng)
    }

    #[test]
    fn roots_are_as_near_as_32_bits_come() {
        for (count, root) in ROOTS.iter().enumerate().skip(1) {
            let exact = 4_294_967_296.0 / (count as f64).sqrt();
            assert!((f64::from(*root) - exact).abs() < 2.0, "{count}");
        }
        // One step from 15 to 16: 1/4, from 0.2582: off by less than a thousandth.
        let stepped = f64::from(newton_step(ROOTS[15], 16)) / 4_294_967_296.0;
        assert!((stepped - 0.25).abs() < 5e-4, "{stepped}");
    }

    #[test]
    fn the_first_time_the_second_late_packet_is_dropped_at_once() {
        let mut cobalt = kernel();
        assert_eq!(leave(&mut cobalt, 1.0, 0.006), Verdict::Pass);
        assert_eq!(leave(&mut cobalt, 1.001, 0.006), Verdict::Drop(Reason::SOJOURN));
        // From then on by the law: 1/sqrt(2) of 100 ms later.
        assert_eq!(leave(&mut cobalt, 1.0707, 0.006), Verdict::Pass);
        assert_eq!(leave(&mut cobalt, 1.0718, 0.006), Verdict::Drop(Reason::SOJOURN));
    }

    #[test]
    fn the_last_packet_may_be_marked() {
        let mut cobalt = kernel();
        cobalt.vars = Vars { count: 1, dropping: true, rec_inv_sqrt: ONE, ..Vars::default() };
        let mut rig = Rig::waiting(0);
        let packet = Packet { enqueued_at: at(0.9), ..PACKET.with_ecn(Ecn::Ect0) };
        let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
        assert_eq!(cobalt.on_departure(at(1.0), &packet, &mut view, &mut rig.rng), Verdict::Mark(Reason::SOJOURN));
    }

    #[test]
    fn blue_rises_with_overflows_and_does_not_fall() {
        let mut cobalt = kernel();
        for (seconds, steps) in [(1.0, 1), (1.005, 1), (1.0051, 2)] {
            cobalt.on_drop(at(seconds), &PACKET, Dropped::OVERFLOW, &mut Rig::waiting(10).view());
            assert_eq!(cobalt.vars.p_drop, steps << 24, "{seconds}");
        }
        cobalt.on_idle(at(100.0));
        assert_eq!(cobalt.vars.p_drop, 2 << 24);
    }

    #[test]
    fn in_a_queue_that_is_asked_in_vain_blue_falls_and_drops_are_forgiven() {
        let spans = kernel().spans;
        let mut vars = Vars { count: 2, p_drop: P_DEC + 5, drop_next: 2_000_000, ..Vars::default() };
        assert!(!vars.queue_empty(&spans, 6_000_000));
        assert_eq!((vars.count, vars.p_drop, vars.blue_timer), (1, 5, 6_000_000));
        // Not again within a target of 5 ms; then it is over, and rests when the time of the next drop has come.
        assert!(!vars.queue_empty(&spans, 11_000_000));
        assert!(vars.queue_empty(&spans, 11_000_001));
        assert!(!vars.is_at_rest(11_000_001));
        vars.queue_empty(&spans, 200_000_000);
        assert_eq!((vars.count, vars.p_drop), (0, 0));
        assert!(vars.is_at_rest(vars.drop_next) && !vars.is_at_rest(vars.drop_next - 1));
    }
}
