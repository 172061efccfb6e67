//! SCReAM, version 2: media whose window of bytes in flight follows delay, marks and losses, and whose rate follows the window.
//! Specification: [SCReAM] draft-ietf-ccwg-rfc8298bis-screamv2-01, Johansson, Westerlund and Kühlewind 2026.
//! Compared with: a second implementation in Python (tests/implementations/test_media.py).
//!
//! The receiver reports which packets came, how many were marked, and how long the last one took. The sender makes of it a
//! reference window ([`reference_window`]), encodes frames at the window's rate, and sends their packets at half as much more
//! while the window has room.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | An encoder that meets every rate at once, with frames of one size (frame_size_dev is 0) | the draft says nothing of encoders | |
//! | Without the optional section 4.5: clocks do not drift here; policers, undershoot and competing flows are not recognised | they are optional; a setting of each would be needed to compare | |
//! | The window is updated at each report | the draft leaves it open; increments are proportional to the acknowledged data | |
//! | A report names the last 64 packets | at 16 packets a report that is the same as all | |
//! | A packet is lost 30 ms after a later one was acknowledged, or more if packets overtook each other | the draft has no first value; Ericsson's implementation has this | `a_packet_that_is_overtaken_is_lost_after_30_ms_only` |
//! | An application other than `bulk` has packets of its own, which leave whole at the encoder's rate | its sizes are its own | |
//! | The last packet of a frame is known by its being short | in place of RTP's marker bit | |
//! | If nothing could leave for half a second, the data in flight count as lost | as in Ericsson's implementation; else a lost window would stop it for ever | `a_window_that_is_lost_does_not_stop_it` |

mod reference_window;
mod settings;

use std::collections::VecDeque;
use std::sync::Arc;

use self::reference_window::{News, Window};
use self::settings::{Ecn, Params};
use super::entry::{Control, Flows, TransportEntry};
use super::paced::{GAP_MAX, Heard, Law, Reporter, Sender, Sizes, check_order, gap};
use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::header::report::{Report, ScreamReport};
use crate::packet::{Ecn as Field, Packet};
use crate::params::Args;
use crate::queue::drawing::{Axis, Graph};
use crate::units::{Duration, Instant, Rate};

pub static ENTRY: TransportEntry = TransportEntry {
    name: "scream",
    title: "SCReAM",
    doc: "Media whose rate adapts to delay, losses and marks by SCReAM version 2. The bytes in flight are limited by a window \
          that falls when packets wait longer than 30 ms; nothing is sent again. With `app = \"bulk\"` it is a call with video.",
    reference: "draft-ietf-ccwg-rfc8298bis-screamv2-01",
    law: Some(draw_law),
    ..TransportEntry::of::<Params>(build)
};

fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let params: Params = args.typed();
    let sizes = Sizes::new(params.packet, params.header, params.report_size)?;
    check_order(params.min_rate, params.max_rate)?;
    Ok(Arc::new(move |app| {
        let sender = Sender::new(sizes, Scream::new(params.clone(), sizes), app);
        (Box::new(sender), Box::new(Receiver::new(&params, sizes)))
    }))
}

/// The window after a loss: all that it allows is in flight, and the delay does not change.
#[allow(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn draw_law(args: &Args) -> Result<Graph, BuildError> {
    const RTT: f64 = 0.05;
    let params = Params { max_rate: Rate::from_bps(1_000_000_000_000), ..args.typed() };
    let mss = params.packet.0 as f64;
    let graph =
        Graph::new(Axis::new("time since the loss", "round trips"), Axis::new("window, as part of that before", ""))
            .about("Round trips of 50 ms; a curve ends when the window is a fifth larger than before.");
    Ok([10.0, 50.0].into_iter().fold(graph, |graph, packets| {
        let mut window = Window::new(params.clone(), mss);
        window.ref_wnd = packets * mss;
        let before = window.ref_wnd;
        let mut points = vec![(0.0, 1.0)];
        for round in 0..=200 {
            let now = 1.0 + RTT * f64::from(round);
            window.in_flight(now, window.ref_wnd);
            let acked = window.ref_wnd / mss;
            let news = News { now, rtt: RTT, acked, bytes: window.ref_wnd, lost: round == 0, ..News::default() };
            window.hear(&News { bytes: if round == 0 { 0.0 } else { news.bytes }, ..news });
            points.push((f64::from(round).max(1e-9), window.ref_wnd / before));
            if window.ref_wnd >= 1.2 * before {
                break;
            }
        }
        graph.course(format!("a loss at {packets} packets"), points)
    }))
}

/// A packet whose fate is not known yet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    seq: u64,
    size: f64,
    /// The time since which a later one is known to have come.
    missed: Option<Instant>,
}

/// Ericsson's implementation: kReorderTime.
const REORDERING: Duration = Duration::from_millis(30);
/// RFC 6817 section 4.2: BASE_HISTORY minutes.
const BASE_HISTORY: usize = 10;
const MINUTE: Duration = Duration::from_secs(60);
/// Ericsson's implementation: isOkToTransmit.
const STUCK: Duration = Duration::from_millis(500);

/// The sender's law.
struct Scream {
    window: Window,
    ecn: Ecn,
    payload: u32,
    header: u32,
    frame: Duration,
    /// Frames whose packets wait: when they were made, and the rest of their payload.
    media: VecDeque<(Instant, u32)>,
    /// When the next frame is made; absent while there is no media.
    next_frame: Option<Instant>,
    sent: VecDeque<Sent>,
    in_flight: f64,
    last_sent: Instant,
    last_size: f64,
    /// One above the highest number that came, and the marks in the last report.
    edge: u64,
    marks: u32,
    reordering: Duration,
    /// The least one-way delay of each of the last minutes, in seconds, and when the last of them began.
    base: VecDeque<f64>,
    minute: Instant,
}

impl Scream {
    fn new(params: Params, sizes: Sizes) -> Self {
        Scream {
            ecn: params.ecn,
            payload: sizes.payload,
            header: sizes.header,
            frame: params.frame,
            window: Window::new(params, sizes.packet()),
            media: VecDeque::new(),
            next_frame: None,
            sent: VecDeque::new(),
            in_flight: 0.0,
            last_sent: Instant::ZERO,
            last_size: sizes.packet(),
            edge: 0,
            marks: 0,
            reordering: REORDERING,
            base: VecDeque::new(),
            minute: Instant::ZERO,
        }
    }

    /// The encoder makes a frame.
    fn encode(&mut self, now: Instant) {
        let waited = self.media.front().map_or(Duration::ZERO, |(made, _)| now.since(*made));
        self.window.on_frame(waited.as_secs_f64());
        let bytes = self.window.rate * self.frame.as_secs_f64() / 8.0;
        self.media.push_back((now, (bytes as u32).max(1)));
        self.next_frame = Some(now + self.frame);
    }

    /// Payload of the next packet of media.
    fn next_payload(&self) -> Option<u32> {
        self.media.front().map(|(_, left)| (*left).min(self.payload))
    }

    fn is_open(&self) -> bool {
        let size = f64::from(self.next_payload().unwrap_or(0) + self.header);
        self.sent.is_empty() || self.in_flight + size <= self.window.most_in_flight()
    }

    /// The excess of a one-way delay over the least of the last ten minutes (RFC 6817 section 4.2).
    fn queued(&mut self, now: Instant, delay: f64) -> f64 {
        if self.base.is_empty() || now.since(self.minute) >= MINUTE {
            self.base.push_back(delay);
            self.minute = now;
            if self.base.len() > BASE_HISTORY {
                self.base.pop_front();
            }
        }
        if let Some(last) = self.base.back_mut() {
            *last = last.min(delay);
        }
        delay - self.base.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The content of a report about the packets that were sent: their number, their bytes, and whether one is lost.
    fn note(&mut self, now: Instant, report: &ScreamReport) -> (f64, f64, bool) {
        let (highest, edge) = (u64::from(report.highest), self.edge);
        let (mut acked, mut bytes, mut lost) = (0.0, 0.0, false);
        let reordering = &mut self.reordering;
        self.sent.retain_mut(|sent| {
            if sent.seq > highest {
                return true;
            }
            if sent.seq >= edge {
                bytes += sent.size;
            }
            if report.has(sent.seq) {
                acked += 1.0;
                if let Some(missed) = sent.missed {
                    *reordering = now.since(missed).max(*reordering);
                }
                return false;
            }
            let is_lost = now.since(*sent.missed.get_or_insert(now)) > *reordering;
            lost |= is_lost;
            !is_lost
        });
        self.edge = edge.max(highest + 1);
        self.in_flight = (self.in_flight - bytes).max(0.0);
        (acked, bytes, lost)
    }
}

impl Law for Scream {
    /// Until the window opens or a frame is made it waits: both call it again.
    fn gap(&self) -> Duration {
        let waits = self.next_frame.is_some() && (self.media.is_empty() || !self.is_open());
        gap(if waits { GAP_MAX } else { 8.0 * self.last_size / self.window.pace() })
    }

    /// The first packet, or the first after a time without media, finds no frame yet.
    fn may_send(&mut self, now: Instant, _counters: &mut Counters) -> bool {
        if self.next_frame.is_none() {
            self.encode(now);
        }
        !self.media.is_empty() && self.is_open()
    }

    fn payload(&self, full: u32) -> u32 {
        self.next_payload().unwrap_or(full)
    }

    fn on_sent(&mut self, now: Instant, seq: u64, payload: u32) {
        if let Some((_, left)) = self.media.front_mut() {
            *left = left.saturating_sub(payload);
            if *left == 0 {
                self.media.pop_front();
            }
        }
        let size = f64::from(payload + self.header);
        self.sent.push_back(Sent { seq, size, missed: None });
        self.in_flight += size;
        (self.last_sent, self.last_size) = (now, size);
        self.window.in_flight(now.as_secs_f64(), self.in_flight);
    }

    fn on_turn(&mut self, _now: Instant, _due: Instant, more: bool) {
        if !more {
            self.media.clear();
            self.next_frame = None;
        }
    }

    fn ecn(&self) -> Field {
        match self.ecn {
            Ecn::Off => Field::NotEct,
            Ecn::Classic => Field::Ect0,
            Ecn::L4s => Field::Ect1,
        }
    }

    /// A report is due after each frame.
    fn patience(&self) -> Duration {
        self.rtt().map_or(Duration::from_secs(1), |rtt| (rtt * 4).max(Duration::from_secs(1)))
    }

    fn on_report(&mut self, heard: &Heard<'_>, _counters: &mut Counters) {
        let Some(Report::Scream(report)) = heard.report() else { return };
        self.window.in_flight(heard.now.as_secs_f64(), self.in_flight);
        let (acked, bytes, lost) = self.note(heard.now, report);
        let marked = f64::from(report.marked.saturating_sub(self.marks));
        self.marks = self.marks.max(report.marked);
        let qdelay = self.queued(heard.now, f64::from(report.delay_us) / 1e6);
        let (now, rtt) = (heard.now.as_secs_f64(), heard.rtt.as_secs_f64());
        self.window.hear(&News { now, rtt, qdelay, acked, marked, bytes, lost });
    }

    fn rtt(&self) -> Option<Duration> {
        self.window.s_rtt.map(Duration::from_secs_f64)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next_frame
    }

    fn on_deadline(&mut self, now: Instant, counters: &mut Counters) {
        self.encode(now);
        if now.since(self.last_sent) > STUCK && !self.is_open() {
            counters.timeouts += 1;
            self.sent.clear();
            self.in_flight = 0.0;
        }
    }
}

/// Reports arrivals.
struct Receiver {
    reporter: Reporter,
    seen: ScreamReport,
    payload: u32,
    header: u32,
    after: u64,
    interval: Duration,
    /// Packets since the last report.
    came: u64,
    due: Option<Instant>,
}

impl Receiver {
    fn new(params: &Params, sizes: Sizes) -> Self {
        Receiver {
            reporter: Reporter::new(sizes),
            seen: ScreamReport::default(),
            payload: sizes.payload,
            header: sizes.header,
            after: params.report_after,
            interval: params.interval,
            came: 0,
            due: None,
        }
    }

    fn report(&mut self, now: Instant, cx: &mut FlowContext) {
        (self.came, self.due) = (0, None);
        self.reporter.report(now, Report::Scream(self.seen), cx);
    }
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Some(arrival) = self.reporter.receive(now, packet) else { return };
        let delay = now.since(arrival.sent_at).as_secs_f64();
        self.seen.note(arrival.seq, packet.ecn == Field::Ce, (1e6 * delay) as u32);
        self.came += 1;
        self.due.get_or_insert(now + self.interval);
        if self.came > self.after || packet.size < self.payload + self.header {
            self.report(now, cx);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.due.is_some_and(|due| due <= now) {
            self.report(now, cx);
        }
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        self.reporter.counters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis as at;

    fn law() -> Scream {
        Scream::new(Params::default(), Sizes { payload: 960, header: 40, report: 80 })
    }

    #[test]
    fn a_packet_that_is_overtaken_is_lost_after_30_ms_only() {
        let mut law = law();
        for seq in 0..4 {
            law.on_sent(at(0), seq, 960);
        }
        let mut report = ScreamReport::default();
        for seq in [0, 2, 3] {
            report.note(seq, false, 0);
        }
        assert_eq!(law.note(at(50), &report), (3.0, 4000.0, false));
        assert!(law.in_flight < 1e-9, "a packet below the highest is not in flight");
        assert_eq!(law.note(at(80), &report), (0.0, 0.0, false));
        assert_eq!(law.note(at(81), &report), (0.0, 0.0, true));
        // One that comes late widens the window for the others.
        for seq in 4..6 {
            law.on_sent(at(100), seq, 960);
        }
        report.note(5, false, 0);
        law.note(at(150), &report);
        law.sent[0].missed = Some(at(110));
        report.note(4, false, 0);
        assert_eq!(law.note(at(150), &report), (1.0, 0.0, false));
        assert_eq!(law.reordering, Duration::from_millis(40));
    }

    #[test]
    fn a_window_that_is_lost_does_not_stop_it() {
        let mut law = law();
        let counters = &mut Counters::default();
        assert!(law.may_send(at(0), counters));
        for seq in 0..9 {
            law.on_sent(at(0), seq, 960);
        }
        law.encode(at(20));
        assert!(!law.is_open() && law.gap() >= Duration::from_secs(60));
        law.on_deadline(at(500), counters);
        assert!(!law.is_open());
        law.on_deadline(at(520), counters);
        assert!(law.is_open() && counters.timeouts == 1);
    }

    #[test]
    fn the_delay_in_queues_is_that_above_the_least_of_ten_minutes() {
        let mut law = law();
        assert!(law.queued(at(0), 0.05).abs() < 1e-12);
        assert!((law.queued(at(100), 0.08) - 0.03).abs() < 1e-12);
        assert!(law.queued(at(200), 0.04).abs() < 1e-12);
        for minute in 1..=9 {
            assert!((law.queued(at(60_000 * minute + 200), 0.08) - 0.04).abs() < 1e-12);
        }
        assert!(law.queued(at(600_200), 0.08).abs() < 1e-12, "the first minute is forgotten");
    }

    #[test]
    fn frames_are_cut_into_packets_and_their_last_is_short() {
        let mut law = law();
        law.window.rate = 1e6;
        law.encode(at(0));
        // 1 Mbit/s for 20 ms: 2500 bytes.
        let mut packets = Vec::new();
        while let Some(payload) = law.next_payload() {
            packets.push(payload);
            law.on_sent(at(0), packets.len() as u64, payload);
        }
        assert_eq!(packets, [960, 960, 580]);
    }
}
