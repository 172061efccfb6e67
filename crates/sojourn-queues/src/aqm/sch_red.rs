//! RED as in Linux, with the words of `tc`. Specification: `net/sched/sch_red.c` and `include/net/red.h` of Linux 6.12, and the numbers
//! that `tc` makes of its words (`q_red.c` and `tc_red.c` of iproute2 7.1); [`red`] has the published law. Compared with: Linux
//! 6.12 `sch_red` and `sch_choke`, decision by decision (`evidence/linux`). The average has its point at `Wlog` bits. A shaper such as HTB
//! never asks an empty queue for a packet, so that `sch_red` below it knows no idle time; the recording of idle times has it in a band of
//! `prio`.
//!
//! Differences of Linux from [Flo93], besides the numbers:
//!
//! - a random number is drawn when the average enters the region of early drops and after each drop; a packet is dropped once its
//!   number since then, times the probability, has reached it. The first packet in that region is never dropped;
//! - above the upper threshold every packet is dropped or, with ECN, marked;
//! - a packet that is lost to a full buffer leaves the count alone. If it was marked before, `tc` counts it as marked and as lost.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The words `adaptive` and `nodrop` are not here | Linux never adapts; packets that cannot be marked are dropped | - |
//! | `limit` and `avpkt` have defaults | tc asks for both; the mean packet is that of the link | - |

use super::red::{self, Above, Mode};
use crate::params::Alias;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_red",
    title: "RED of Linux",
    doc: "Linux's RED, with the words of tc and their defaults. It drops or marks arrivals at random, with a probability that rises with \
          the average queue in bytes between two thresholds.",
    reference: "Linux 6.12 net/sched/sch_red.c, iproute2 7.1 tc/q_red.c",
    alias: Some(Alias { of: "red", preset: "linux", words: WORDS }),
    law: Some(|args, link| {
        let params: Params = args.typed();
        let link = params.tc_red.seen(link);
        let thresholds = params.thresholds(&link)?;
        params.tc_red.published(thresholds, Mode::Bytes, &link).map(|red| red.graph())
    }),
    shown: &[
        Counter(OVERLIMITS, Source::With(&Source::Signals(&[Reason::EARLY, Reason::FORCED]), "lost_marks")),
        Counter("marked", Source::With(&Source::Marks, "lost_marks")),
        Counter("early", Source::Drops(&[Reason::EARLY, Reason::FORCED])),
        Counter("pdrop", Source::Drops(&[Reason::OVERFLOW])),
        Counter("other", Source::Zero),
    ],
    ..QueueEntry::of_policy::<Params>()
};

/// Parameters of the published laws, and tc's words in their place.
pub const WORDS: &[(&str, &str)] = &[
    ("min_th", "min"),
    ("max_th", "max"),
    ("max_p", "probability"),
    ("w_q", "burst"),
    ("mean_packet", "avpkt"),
    ("mark_max_p", "harddrop (of sch_red)"),
];

params! {
    /// tc's words for RED.
    pub struct Words {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "50p" in [0.0, 1e12], "tc asks for one; as red";
        /// Average from which on packets are dropped or marked. Automatic: a third of `max`.
        min: Option<Size> = "auto" in [0.0, 1e12], "iproute2 tc/q_red.c";
        /// Average from which on all are. Automatic: a quarter of `limit`.
        max: Option<Size> = "auto" in [0.0, 1e12], "iproute2 tc/q_red.c";
        /// The mean packet. Automatic: that of the link.
        avpkt: Option<Bytes> = "auto" in [1.0, 65535.0], "that of the link; tc asks for one";
        /// Packets that may come at once at an empty queue. The weight of an arrival in the average is the greatest of 1/2, 1/4, 1/8 ...
        /// with which the average then stays below `min`. Automatic: (2 `min` + `max`) / 3 in mean packets.
        burst: Option<u64> = "auto" in [1.0, 1e9], "iproute2 tc/tc_red.c";
        /// The rate at which mean packets would have been sent in idle times, by which the average falls. Automatic: that of the link.
        bandwidth: Option<Rate> = "10Mbit" in [8.0, 1e14], "iproute2 tc/q_red.c";
        /// Probability at the upper threshold.
        probability: Fraction = "0.02" in [0.0, 1.0], "iproute2 tc/q_red.c";
        /// Mark ECN-capable packets instead of dropping them, at every average.
        ecn: bool = "false", "Linux TC_RED_ECN";
    }
}

params! {
    pub struct Params {
        ..tc_red: Words;
        /// Drop all packets above `max`, those that could be marked, too.
        harddrop: bool = "false", "Linux TC_RED_HARDDROP", when ecn in ["true"];
    }
}

impl Words {
    /// The link with the mean packet that is said here.
    pub fn seen(&self, link: &LinkContext) -> LinkContext {
        LinkContext { mean_packet: self.avpkt.unwrap_or(link.mean_packet), ..link.clone() }
    }

    /// The weight of an arrival in the average, with thresholds in units of which a mean packet has `packet` (iproute2 tc/tc_red.c).
    pub fn weight(&self, (min, max): (f64, f64), packet: f64) -> Result<f64, BuildError> {
        let least = min / packet;
        let burst = self.burst.map_or_else(|| libm::trunc((2.0 * min + max) / (3.0 * packet)), |burst| burst as f64);
        if self.burst.is_some() && burst + 1.0 - least < 1.0 {
            let what = format!("a burst of {burst} mean packets does not reach min, which is {least} of them");
            return Err(BuildError::new("burst", what, "burst is at least min in mean packets"));
        }
        Ok(weight_for_burst(burst, least))
    }

    /// The decisions with thresholds in the unit of `mode`.
    pub fn numbers(&self, thresholds: (f64, f64), mode: Mode, link: &LinkContext) -> Result<Numbers, BuildError> {
        let packet = if mode == Mode::Packets { 1.0 } else { link.mean_packet.0 as f64 };
        let weight = self.weight(thresholds, packet)?;
        let numbers = Numbers::with((thresholds.0 as u64, thresholds.1 as u64), self.probability.0, weight)?;
        let ticks = ticks(link.mean_packet, self.bandwidth.unwrap_or(link.rate));
        Ok(Numbers { idle: IdleTable::new(numbers.wlog.max(1), ticks), ..numbers })
    }

    /// The published law with these numbers, which is drawn.
    pub fn published(&self, (min, max): (f64, f64), mode: Mode, link: &LinkContext) -> Result<red::Red, BuildError> {
        let size = |amount| if mode == Mode::Packets { Size::Packets(amount) } else { Size::Bytes(amount) };
        let (min_th, max_th) = (Some(size(min)), Some(size(max)));
        red::Settings {
            min_th,
            max_th,
            max_p: self.probability,
            mode,
            above: Above::Strict,
            ..red::Settings::default()
        }
        .build(link)
    }
}

/// Thresholds that are not crossed.
pub fn in_order((min, max): (f64, f64), unit: &str) -> Result<(f64, f64), BuildError> {
    if max < min || max <= 0.0 {
        let what = format!("max is {max} {unit} and min is {min} {unit} on this link");
        return Err(BuildError::new("max", what, "max is above zero and at least min"));
    }
    Ok((min, max))
}

/// The greatest 2^-n with `burst + 1 - min <= (1 - (1 - W)^burst) / W`. With it, the average after a burst of `burst` packets at an empty
/// link is below `min`.
fn weight_for_burst(burst: f64, min: f64) -> f64 {
    let weights = (1..32).map(|n| libm::exp2(-f64::from(n)));
    let passes = |weight: f64| burst + 1.0 - min <= (1.0 - libm::pow(1.0 - weight, burst)) / weight;
    weights.into_iter().find(|&weight| passes(weight)).unwrap_or(libm::exp2(-31.0))
}

impl Params {
    /// The thresholds in bytes (iproute2 tc/q_red.c).
    fn thresholds(&self, link: &LinkContext) -> Result<(f64, f64), BuildError> {
        let Words { limit, min, max, .. } = self.tc_red;
        let bytes = |size: Size| link.bytes(size);
        let max = max
            .map(bytes)
            .or(min.map(|min| 3.0 * bytes(min)))
            .unwrap_or_else(|| bytes(limit).max(bytes(Size::Packets(1.0))) / 4.0);
        in_order((min.map_or(max / 3.0, bytes), max), "bytes")
    }
}

impl PolicyParams for Params {
    type Policy = SchRed;

    fn policy(&self, link: &LinkContext) -> Result<SchRed, BuildError> {
        let link = self.tc_red.seen(link);
        let numbers = self.tc_red.numbers(self.thresholds(&link)?, Mode::Bytes, &link)?;
        let (ecn, hard_drop) = (self.tc_red.ecn, self.harddrop);
        Ok(SchRed { numbers, ecn, hard_drop, lost_marks: LostMarks::default() })
    }

    /// Packets count as mean packets.
    fn limit(&self, link: &LinkContext) -> Limit {
        let link = self.tc_red.seen(link);
        match self.tc_red.limit {
            packets @ Size::Packets(_) => Limit::from_size(Size::Bytes(link.bytes(packets)), &link),
            other => Limit::from_size(other, &link),
        }
    }
}

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
    /// RED with these thresholds, largest probability and weight, for a queue that is never idle.
    pub fn with(thresholds: (u64, u64), max_p: f64, weight: f64) -> Result<Self, BuildError> {
        let (min_th, max_th) = thresholds;
        let wlog = -libm::round(libm::log2(weight));
        let wlog = wlog.clamp(0.0, 31.0) as u32;
        if wlog + 64 - max_th.leading_zeros() >= 32 {
            let what = format!("Linux takes no threshold of {max_th} with a weight of 2^-{wlog}");
            return Err(BuildError::new("max", what, "threshold divided by weight is less than 2^31"));
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

    /// The average in its unit.
    pub fn average(&self) -> f64 {
        libm::ldexp(self.qavg as f64, -(self.wlog as i32))
    }

    /// The packets since the last random number.
    pub fn count(&self) -> u64 {
        self.qcount.unwrap_or(0)
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
pub struct SchRed {
    numbers: Numbers,
    ecn: bool,
    /// Above the upper threshold also packets that understand marks are dropped.
    hard_drop: bool,
    lost_marks: LostMarks,
}

impl Policy for SchRed {
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

    probes! { |self|
        "avg" => self.numbers.average(),
        "count" => self.numbers.count() as f64,
        "lost_marks" => self.lost_marks.count as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{Ask, Call, Calls};
    use crate::packet::{Ecn, FlowId};
    use crate::rig::{args, at};

    /// Thresholds 20 and 60 packets of 1000 bytes, a weight of 1/4, at most 0.1.
    fn numbers() -> Numbers {
        Numbers::with((20_000, 60_000), 0.1, 0.25).expect("valid parameters")
    }

    /// By hand after tc_red.c of iproute2 7.1, for `red min 15000 max 45000 avpkt 1500` and for the example of tc-red(8).
    #[test]
    fn the_weight_lets_a_burst_pass() {
        let tc = |min: &str, avpkt: &str| {
            let params: Params = args(&ENTRY, None, &[("min", min), ("avpkt", avpkt)]).typed();
            let link = params.tc_red.seen(&LinkContext::default());
            let thresholds = params.thresholds(&link).expect("thresholds");
            (thresholds, params.tc_red.weight(thresholds, link.mean_packet.0 as f64))
        };
        // burst = (2 * 15000 + 45000) / 4500 = 16; 16 + 1 - 10 = 7 <= (1 - (15/16)^16) / (1/16) = 10.3, and for 1/8 7.06.
        assert_eq!(tc("15000B", "1500B"), ((15_000.0, 45_000.0), Ok(1.0 / 8.0)));
        // burst 50: 21 <= (1 - (31/32)^50) * 32 = 25.5, and for 1/16 15.4.
        assert_eq!(tc("30000B", "1000B"), ((30_000.0, 90_000.0), Ok(1.0 / 32.0)));
    }

    #[test]
    fn the_thresholds_follow_the_limit() {
        let of = |settings: &[(&str, &str)]| {
            let settings = [&[("limit", "120000B")], settings].concat();
            args(&ENTRY, None, &settings).typed::<Params>().thresholds(&LinkContext::default())
        };
        assert_eq!(of(&[]), Ok((10_000.0, 30_000.0)));
        assert_eq!(of(&[("max", "60000B")]), Ok((20_000.0, 60_000.0)));
        assert_eq!(of(&[("min", "15000B")]), Ok((15_000.0, 45_000.0)));
        assert_eq!(of(&[("min", "70000B"), ("max", "60000B")]).map_err(|error| error.param), Err("max"));
    }

    #[test]
    fn a_burst_below_min_is_refused_as_by_tc() {
        let of = |burst: &str| {
            let settings = [("min", "20000B"), ("avpkt", "1000B"), ("burst", burst)];
            args(&ENTRY, None, &settings).typed::<Params>().policy(&LinkContext::default()).map(|_| ())
        };
        assert_eq!(of("20"), Ok(()));
        assert_eq!(of("19").map_err(|error| error.param), Err("burst"));
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
            // A weight of 1/4: 22 + 1 - 20 = 3 is at most (1 - (3/4)^22) * 4 = 3.99, and for 1/2 2.
            let usual = [("min", "20000B"), ("avpkt", "1000B"), ("burst", "22")];
            let link = LinkContext { rate: Rate::from_bps(80_000_000), ..LinkContext::default() };
            let params: Params = args(&ENTRY, None, &[&usual, settings].concat()).typed();
            params.policy(&link).expect("valid parameters").numbers.idle
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
        let quick = idle(&[("bandwidth", "10Gbit")]);
        assert_eq!(
            [1, 254, 255].map(|micros| quick.decayed(1 << 20, Duration::from_micros(micros))),
            [1 << 19, 1 << 19, 0]
        );
    }

    /// The Wlog that tc of iproute2 6.1.0 sent to the kernel, read with strace.
    #[test]
    fn the_weight_of_a_burst_is_that_of_tc_itself() {
        for (burst, min, packet, wlog) in [
            (16.0, 15_000.0, 1500.0, 3),
            (17.0, 15_000.0, 1500.0, 4),
            (21.0, 30_000.0, 1500.0, 2),
            (55.0, 30_000.0, 1000.0, 5),
        ] {
            assert_eq!(weight_for_burst(burst, min / packet).to_bits(), libm::exp2(-f64::from(wlog)).to_bits());
        }
    }

    /// red_enqueue marks before its child, the buffer, takes the packet or not.
    #[test]
    fn a_mark_of_a_packet_without_room_counts_as_marked_and_as_lost() {
        // 3000 bytes fit. With a weight of 1/2 the average in bytes is 0, 500, 1250, 2125 and 2563: the third packet enters the region
        // and passes, and the last two are above the upper threshold.
        let settings = [("min", "1000B"), ("max", "2000B"), ("burst", "1"), ("limit", "3000B"), ("ecn", "true")];
        let queue = ENTRY.build(&args(&ENTRY, None, &settings), &LinkContext::default()).expect("a queue");
        let mut calls = Calls::new(queue, Rng::named(1, "test"));
        let arrival = Ask::Arrival(Packet::datagram(FlowId(0), 0, 1000).with_ecn(Ecn::Ect0));

        (0..5).for_each(|_| calls.make(Call { time: Instant::ZERO, ask: arrival, draws: 0 }));

        let counters = calls.counters(ENTRY.shown);
        let of = |name: &str| counters.iter().find(|(known, _)| known == name).map(|(_, value)| *value as u64);
        assert_eq!(["marked", "pdrop", "dropped", "overlimits"].map(of), [2, 2, 2, 2].map(Some));
    }
}
