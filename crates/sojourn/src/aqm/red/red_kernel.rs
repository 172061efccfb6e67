//! RED in the integers of today's Linux (`arithmetic = "kernel"` of red and choke): the average with its point at `Wlog` bits, one
//! random number for each drop, and a table for idle times. Compared with: Linux 6.12 `sch_red` and `sch_choke`, decision by decision
//! (`tests/peers/linux/kernel`). A shaper such as HTB never asks an empty queue for a packet, so that `sch_red` below it knows no idle
//! time; the recording of idle times has it in a band of `prio`.
//!
//! Differences of Linux from [Flo93], besides the numbers:
//!
//! - a random number is drawn when the average enters the region of early drops and after each drop; a packet is dropped once its
//!   number since then, times the probability, has reached it. The first packet in that region is never dropped;
//! - above the upper threshold every packet is dropped or, with ECN, marked;
//! - a packet that is lost to a full buffer leaves the count alone. If it was marked before, `tc` counts it as marked and as lost.

use super::average::Mode;
use super::settings::Settings;
use crate::queue::prelude::*;

/// tc's ticks of 64 ns in which a packet is sent at this rate: tc 6.1, which made the recordings, takes whole bytes per second, whole
/// microseconds and whole ticks. From iproute2 6.14 on tc rounds once.
fn ticks(packet: Bytes, rate: Rate) -> f64 {
    let micros = libm::floor(1e6 * packet.0 as f64 / (rate.as_bps() / 8).max(1) as f64);
    libm::floor(15.625 * micros)
}

/// RED's decision about an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Let it pass.
    Pass,
    /// Drop or mark it early.
    Early,
    /// The average is above the upper threshold.
    Hard,
}

/// The average queue and the variables that follow from it, in the kernel's names.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Thresholds and average have their point at `wlog` bits.
    qth_min: u64,
    qth_max: u64,
    wlog: u32,
    /// `max_P / (qth_max - qth_min)` in units of 2^-32.
    max_p_delta: u32,
    qavg: u64,
    /// Packets since the last random number; none while the average is outside.
    qcount: Option<u64>,
    q_r: u64,
    idle: IdleTable,
    idle_since: Option<Instant>,
}

/// How far the average falls in idle times: tables of tc, by time in units of `2^scell_log` microseconds.
#[derive(Clone, Debug)]
struct IdleTable {
    scell_log: u32,
    shifts: [u8; 256],
}

impl IdleTable {
    /// `-ln((1 - 2^-wlog)^(time / ticks))` in whole numbers, up to 31. `ticks` is the transmission of a mean packet; its unit is tc's tick
    /// of 64 ns, and that of the kernel's time a microsecond.
    fn new(wlog: u32, ticks: f64) -> Self {
        if ticks < 1.0 {
            // tc divides by zero, and of infinity an x86 keeps no bit.
            let mut shifts = [0; 256];
            shifts[255] = 31;
            return IdleTable { scell_log: 0, shifts };
        }
        let by_unit = -libm::log(1.0 - libm::ldexp(1.0, -(wlog as i32))) / ticks;
        let longest = 31.0 / by_unit;
        let scell_log = (0..31).find(|log| longest / libm::ldexp(1.0, *log) < 512.0).unwrap_or(31) as u32;
        let mut shifts = [0_u8; 256];
        for (cell, shift) in shifts.iter_mut().enumerate().skip(1) {
            *shift = (((cell as u64) << scell_log) as f64 * by_unit).min(31.0) as u8;
        }
        shifts[255] = 31;
        IdleTable { scell_log, shifts }
    }

    /// The average after this idle time.
    fn decayed(&self, qavg: u64, idle: Duration) -> u64 {
        // The longest time has 32 bits.
        let micros = (idle.as_nanos() / 1000).min(u64::from(255_u32 << self.scell_log));
        let shift = self.shifts[(micros >> self.scell_log) as usize & 255];
        if shift > 0 {
            return qavg >> shift;
        }
        // The beginning of the exponential is a line.
        let less = qavg.wrapping_mul(micros) >> self.scell_log;
        if less < qavg >> 1 { qavg - less } else { qavg >> 1 }
    }
}

impl Numbers {
    /// RED with these parameters, whose thresholds are `mode`'s amounts. In idle times the average falls as at the rate `bandwidth`.
    pub fn new(settings: &Settings, mode: Mode, bandwidth: Rate, link: &LinkContext) -> Result<Self, BuildError> {
        let (min_th, max_th) = Settings { mode, ..settings.clone() }.thresholds(link)?;
        let numbers = Numbers::with((min_th as u64, max_th as u64), settings.max_p.0, settings.weight(link))?;
        Ok(Numbers { idle: IdleTable::new(numbers.wlog.max(1), ticks(link.mean_packet, bandwidth)), ..numbers })
    }

    /// RED with these thresholds, largest probability and weight, for a queue that is never idle.
    pub fn with(thresholds: (u64, u64), max_p: f64, weight: f64) -> Result<Self, BuildError> {
        let (min_th, max_th) = thresholds;
        let wlog = -libm::round(libm::log2(weight));
        let wlog = wlog.clamp(0.0, 31.0) as u32;
        if wlog + 64 - max_th.leading_zeros() >= 32 {
            let what = format!("Linux takes no threshold of {max_th} with a weight of 2^-{wlog}");
            return Err(BuildError::new("max_th", what, "threshold divided by weight is less than 2^31"));
        }
        let max_p = (max_p * 4_294_967_296.0).min(f64::from(u32::MAX)) as u32;
        Ok(Numbers {
            qth_min: min_th << wlog,
            qth_max: max_th << wlog,
            wlog,
            max_p_delta: (max_p / (max_th - min_th).max(1) as u32).max(1),
            qavg: 0,
            qcount: None,
            q_r: 0,
            idle: IdleTable { scell_log: 0, shifts: [0; 256] },
            idle_since: None,
        })
    }

    /// An arrival finds a backlog of `waiting`.
    pub fn observe(&mut self, now: Instant, waiting: u64) {
        self.qavg = match self.idle_since.take() {
            Some(since) => self.idle.decayed(self.qavg, now.since(since)),
            None => self.qavg.wrapping_add(waiting).wrapping_sub(self.qavg >> self.wlog),
        };
    }

    /// The link has asked for a packet and got none.
    pub fn on_idle(&mut self, now: Instant) {
        self.idle_since.get_or_insert(now);
    }

    /// The average, and the lower and the upper threshold.
    pub fn places(&self) -> (u64, u64, u64) {
        (self.qavg, self.qth_min, self.qth_max)
    }

    /// The average is outside of the region of early drops.
    pub fn outside(&mut self) {
        self.qcount = None;
    }

    /// Whether an arrival in the region of early drops is chosen.
    pub fn is_chosen(&mut self, rng: &mut Rng) -> bool {
        let Some(before) = self.qcount else {
            self.qcount = Some(0);
            self.draw(rng);
            return false;
        };
        let count = before + 1;
        self.qcount = Some(count);
        let chosen = (self.qavg.wrapping_sub(self.qth_min) >> self.wlog).wrapping_mul(count) >= self.q_r;
        if chosen {
            self.qcount = Some(0);
            self.draw(rng);
        }
        chosen
    }

    /// RED's decision after [`Numbers::observe`].
    pub fn says(&mut self, rng: &mut Rng) -> Says {
        if self.qavg < self.qth_min {
            self.outside();
            Says::Pass
        } else if self.qavg >= self.qth_max {
            self.outside();
            Says::Hard
        } else if self.is_chosen(rng) {
            Says::Early
        } else {
            Says::Pass
        }
    }

    /// 32 random bits, divided by the probability for each unit above the lower threshold.
    fn draw(&mut self, rng: &mut Rng) {
        let drawn = (rng.uniform() * 4_294_967_296.0) as u32;
        self.q_r = u64::from(drawn / self.max_p_delta);
    }

    /// Probes: the average in its unit, and the packets since the last random number.
    pub fn probe(&self, index: usize) -> f64 {
        if index == 0 { libm::ldexp(self.qavg as f64, -(self.wlog as i32)) } else { self.qcount.unwrap_or(0) as f64 }
    }
}

/// Marks of packets that then find the buffer full. Linux marks a packet before it looks for room, and counts the mark.
#[derive(Clone, Copy, Debug, Default)]
pub struct LostMarks {
    /// The last verdict was a mark.
    marked: bool,
    /// Their number.
    pub count: u64,
}

impl LostMarks {
    /// The name of their number as a probe.
    pub const PROBE: &'static str = "lost_marks";

    /// Notes a verdict about an arrival.
    #[inline(always)]
    pub fn after(&mut self, verdict: Verdict) -> Verdict {
        self.marked = matches!(verdict, Verdict::Mark(_));
        verdict
    }

    /// A packet is dropped.
    pub fn on_drop(&mut self, dropped: Dropped) {
        self.count += u64::from(self.marked && dropped == Dropped::OVERFLOW);
    }
}

/// `sch_red`: in bytes.
#[derive(Clone, Debug)]
pub struct RedKernel {
    numbers: Numbers,
    ecn: bool,
    /// Above the upper threshold also packets that understand marks are dropped.
    hard_drop: bool,
    lost_marks: LostMarks,
}

impl RedKernel {
    /// With these parameters.
    pub fn new(settings: &Settings, bandwidth: Rate, link: &LinkContext) -> Result<Self, BuildError> {
        if settings.mode != Mode::Bytes {
            let what = "Linux's RED counts in bytes".to_owned();
            return Err(BuildError::new("arithmetic", what, "mode = \"bytes\""));
        }
        let numbers = Numbers::new(settings, Mode::Bytes, bandwidth, link)?;
        let hard_drop = settings.mark_max_p.0 <= 1.0;
        Ok(RedKernel { numbers, ecn: settings.ecn, hard_drop, lost_marks: LostMarks::default() })
    }
}

impl Policy for RedKernel {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.numbers.observe(now, queue.bytes());
        let marks = self.ecn && packet.ecn.is_capable();
        let verdict = match self.numbers.says(rng) {
            Says::Pass => Verdict::Pass,
            Says::Early if marks => Verdict::Mark(Reason::EARLY),
            Says::Early => Verdict::Drop(Reason::EARLY),
            Says::Hard if marks && !self.hard_drop => Verdict::Mark(Reason::FORCED),
            Says::Hard => Verdict::Drop(Reason::FORCED),
        };
        self.lost_marks.after(verdict)
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        self.lost_marks.on_drop(dropped);
    }

    fn on_idle(&mut self, now: Instant) {
        self.numbers.on_idle(now);
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    fn probes(&self) -> &'static [&'static str] {
        &["avg", "count", LostMarks::PROBE]
    }

    fn probe(&self, index: usize) -> f64 {
        if index == 2 { self.lost_marks.count as f64 } else { self.numbers.probe(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};
    use crate::replay::calls::{Ask, Call, Calls};
    use crate::rig::{args, at};

    /// Thresholds 20 and 60 packets of 1000 bytes, a weight of 1/4, at most 0.1.
    fn numbers() -> Numbers {
        let settings: Settings = args(
            &crate::aqm::red::ENTRY,
            None,
            &[("min_th", "20000B"), ("max_th", "60000B"), ("w_q", "0.25"), ("max_p", "0.1"), ("mode", "bytes")],
        )
        .typed();
        let link = LinkContext::default();
        Numbers::new(&settings, Mode::Bytes, link.rate, &link).expect("valid parameters")
    }

    #[test]
    fn the_average_is_a_whole_number_with_its_point_at_the_weight() {
        let mut numbers = numbers();
        // avg' = avg - avg / 4 + 1000 / 4, times 4 and cut down: 1000, 1750, 2313 (1750 - 437 + 1000).
        for expected in [1000, 1750, 2313] {
            numbers.observe(at(0.0), 1000);
            assert_eq!(numbers.qavg, expected);
        }
    }

    #[test]
    fn distances_are_uniform_up_to_one_over_p() {
        // In the middle: p = 0.05, distances from 1 to 20, 10.5 on average.
        let mut numbers = numbers();
        numbers.qavg = 40_000 << 2;
        let mut rng = Rng::named(1, "test");
        numbers.is_chosen(&mut rng);
        let chosen = (0..200_000).filter(|_| numbers.is_chosen(&mut rng)).count();
        let mean = 200_000.0 / chosen as f64;
        // Deviation of a mean of 19000 distances: sqrt((20^2 - 1) / 12 / 19000) = 0.042.
        assert!((mean - 10.5).abs() < 0.2, "{mean}");
    }

    #[test]
    fn idle_times_halve_the_average_step_by_step() {
        // A weight of 1/4 and 0.8 ms for a packet, 12500 ticks: after n of them the average is (3/4)^n, which is 2^-1 at 2.41.
        let table = IdleTable::new(2, ticks(Bytes(1000), Rate::from_bps(10_000_000)));
        let micros = |n: u64| Duration::from_micros(n);
        assert_eq!(table.decayed(1 << 20, micros(0)), 1 << 20);
        let halved = (0..1_000_000).find(|n| table.decayed(1 << 20, micros(*n)) <= 1 << 19).expect("it falls");
        // The line from the beginning falls to a half within one cell.
        assert!(halved <= 1 << table.scell_log, "{halved}");
        assert_eq!(table.decayed(u64::from(u32::MAX), micros(1 << 40)), 1);
    }

    /// tc_red_eval_idle_damping of iproute2: the preset has its 10 Mbit/s whatever the link's rate.
    #[test]
    fn the_rate_of_tc_says_how_fast_the_average_falls() {
        let idle = |settings: &[(&str, &str)]| {
            let settings: Vec<_> = [("min_th", "20000B"), ("w_q", "0.25")].iter().chain(settings).copied().collect();
            let link = LinkContext { rate: Rate::from_bps(80_000_000), ..LinkContext::default() };
            let params: crate::aqm::red::Params = args(&crate::aqm::red::ENTRY, Some("linux"), &settings).typed();
            let numbers = Numbers::new(&params.red, Mode::Bytes, params.bandwidth.unwrap_or(link.rate), &link);
            numbers.expect("valid parameters").idle
        };
        // Eight packets of 1000 bytes at 10 Mbit/s, in ticks, for which the kernel takes microseconds: (3/4)^8, of which -ln is 2.3. In
        // whole numbers the average falls by 2^-2.
        let table = idle(&[]);
        assert_eq!(table.decayed(1 << 20, Duration::from_micros(8 * 12_500)), 1 << 18);
        // At the rate of the link it falls eight times as fast.
        let of_link = idle(&[("bandwidth", "auto")]);
        assert_eq!(of_link.decayed(1 << 20, Duration::from_micros(8 * 1562)), 1 << 18);
        assert_eq!(ticks(Bytes(1000), Rate::from_bps(3_000_000)).to_bits(), 41_656.0_f64.to_bits());
        // Of a packet that takes less than a microsecond each idle time leaves half, and 255 us nothing.
        let quick = idle(&[("bandwidth", "10Gbit"), ("mean_packet", "1000B")]);
        assert_eq!(
            [1, 254, 255].map(|micros| quick.decayed(1 << 20, Duration::from_micros(micros))),
            [1 << 19, 1 << 19, 0]
        );
    }

    /// red_enqueue marks before its child, the buffer, takes the packet or not.
    #[test]
    fn a_mark_of_a_packet_without_room_counts_as_marked_and_as_lost() {
        let entry = &crate::aqm::red::ENTRY;
        // The average is the backlog: from 2000 bytes on every packet is marked, and 3000 fit.
        let settings = [("min_th", "1000B"), ("max_th", "2000B"), ("w_q", "1"), ("limit", "3000B"), ("ecn", "true")];
        let queue = entry.build(&args(entry, Some("linux"), &settings), &LinkContext::default()).expect("a queue");
        let mut calls = Calls::new(queue, Rng::named(1, "test"));
        let arrival = Ask::Arrival(Packet::datagram(FlowId(0), 0, 1000).with_ecn(Ecn::Ect0));

        (0..5).for_each(|_| calls.make(Call { time: Instant::ZERO, ask: arrival, draws: 0 }));

        let counters = calls.counters(entry.shown);
        let of = |name: &str| counters.iter().find(|(known, _)| known == name).map(|(_, value)| *value as u64);
        assert_eq!(["marked", "pdrop", "dropped", "overlimits"].map(of), [3, 2, 2, 3].map(Some));
    }
}
