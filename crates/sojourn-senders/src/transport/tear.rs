//! TEAR: the receiver plays TCP's window by the packets that come, and tells the sender the rate that such a TCP would have had over the
//! last congestion epochs. The rate is TCP's in the long run, and smooth. Specification: [ROY00] Rhee, Ozdemir and Yi, "TEAR: TCP
//! emulation at receivers - flow control for multimedia streaming", technical report, North Carolina State University, 2000,
//! only its abstract and descriptions by others are available: the rest is known from these descriptions.
//!
//! A *round* is as many packets as the window held when it began, and stands for a round trip whatever time it took. An *epoch* lasts
//! from one cut of the window to the next; its rate is the windows of its rounds over as many round trips.
//!
//! | state | since | until |
//! |---|---|---|
//! | `Open` | - | a packet is missing |
//! | `Gap` | a packet is missing | three later ones have come; or too few of those that a TCP would have sent: the window is one |
//! | `Recovery` | three have come | all that a TCP had sent before has passed: then the window is halved, once for all losses among it |
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The emulated timeout lasts four round trips | [ROY00] estimates it as TCP does, at the sender; as in RFC 5348 | `too_few_packets_after_a_loss_are_a_timeout` |
//! | Without reports for four round trips the sender halves its rate | [ROY00] leaves lost reports open; as in RFC 5348 | `without_reports_the_rate_is_halved` |
//! | The window grows while its application is the limit: packets that come open it, however few they are | [ROY00], as far as it is known, has no rule for it | `the_window_grows_while_its_application_is_the_limit` |
//! | Short epochs are not merged | [ROY00] joins those that noise may have made; eight are averaged anyway | - |

use std::collections::VecDeque;
use std::sync::Arc;

use super::entry::{Control, Flows, TransportEntry};
use super::paced::{GAP_MAX, Heard, Law, Reporter, Sender, Sizes, gap};
use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::header::report::Report;
use crate::packet::Packet;
use crate::params;
use crate::params::Args;
use crate::queue::drawing::{Axis, Graph};
use crate::units::{Bytes, Duration, Instant};

pub static ENTRY: TransportEntry = TransportEntry {
    name: "tear",
    title: "TEAR",
    doc: "Datagrams at the rate that the receiver reports: it emulates TCP's window from the arrivals, and averages the rate of such a \
          TCP over the last congestion epochs. Nothing is sent again. The window also grows while the application has less to send, \
          because its publication has no rule for that.",
    reference: "Rhee, Ozdemir and Yi 2000",
    law: Some(draw_law),
    ..TransportEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Size of a full packet on the wire, headers included.
        packet: Bytes = "1000B" in [2.0, 65535.0], "as the other transports";
        /// Bytes of a full packet that are headers.
        header: Bytes = "40B" in [1.0, 200.0], "RFC 791, RFC 768, RFC 3550";
        /// Size of a report.
        report_size: Bytes = "40B" in [1.0, 1500.0], "as TFRC's";
        /// Congestion epochs over which the rate is averaged.
        epochs: u64 = "8" in [1.0, 64.0], "Rhee et al. 2000 by hearsay: its text is not available";
        /// Packets after a missing one that must come before it is held to be lost.
        dup_threshold: u64 = "3" in [1.0, 1000.0], "RFC 5681, whose sender it plays";
    }
}

fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let params: Params = args.typed();
    let sizes = Sizes::new(params.packet, params.header, params.report_size)?;
    Ok(Arc::new(move |app| {
        let sender = Sender::new(sizes, Tear::new(), app);
        (Box::new(sender), Box::new(Receiver::new(sizes, &params)))
    }))
}

/// The emulated window and the rate that is told, where a packet is lost whenever that window has come to 20.
#[allow(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn draw_law(args: &Args) -> Result<Graph, BuildError> {
    const RTT: Duration = Duration::from_millis(100);
    const LOSES_AT: f64 = 20.0;
    let params: Params = args.typed();
    let mut emulation = Emulation::new(params.epochs as usize, params.dup_threshold);
    let (mut windows, mut rates) = (Vec::new(), Vec::new());
    let mut seq = 0;
    for round in 0..=80 {
        windows.push((f64::from(round), emulation.cwnd));
        rates.push((f64::from(round), emulation.rate(RTT) * RTT.as_secs_f64()));
        for _ in 0..emulation.held as u64 {
            seq += if emulation.state == State::Open && emulation.cwnd >= LOSES_AT { 2 } else { 1 };
            emulation.on_packet(Instant::ZERO, seq - 1, RTT);
        }
    }
    Ok(Graph::new(
        Axis::new("time since the beginning", "round trips"),
        Axis::new("window or rate", "packets per round trip"),
    )
    .about("A packet is lost whenever the window has come to 20.")
    .course("window that the receiver plays", windows)
    .course("rate that it tells the sender", rates))
}

/// Round trips without a report after which the rate is halved, and that an emulated timeout lasts.
const PATIENCE: u64 = 4;
/// Weight of the past in the average of the round trip (RFC 6298).
const MEMORY: f64 = 0.875;

/// The sender's part: it does as the receiver says.
#[derive(Clone, Debug)]
struct Tear {
    /// Packets per second.
    rate: f64,
    rtt: Option<f64>,
    /// When the rate is halved, unless something is heard.
    patience: Option<Instant>,
}

impl Tear {
    /// One packet a second, as TFRC begins.
    fn new() -> Self {
        Tear { rate: 1.0, rtt: None, patience: None }
    }

    fn wait(&mut self, now: Instant) {
        let rtt = self.rtt.unwrap_or(1.0);
        self.patience = Some(now + gap((PATIENCE as f64 * rtt).max(2.0 / self.rate)));
    }
}

impl Law for Tear {
    fn gap(&self) -> Duration {
        gap(1.0 / self.rate)
    }

    fn on_sent(&mut self, now: Instant, _seq: u64, _payload: u32) {
        if self.patience.is_none() {
            self.wait(now);
        }
    }

    fn on_report(&mut self, heard: &Heard<'_>, _counters: &mut Counters) {
        let Some(&Report::Tear(rate)) = heard.report() else { return };
        let sample = heard.rtt.as_secs_f64();
        self.rtt = Some(self.rtt.map_or(sample, |rtt| MEMORY * rtt + (1.0 - MEMORY) * sample));
        // The receiver cannot say anything before it knows the round trip: then one packet in each.
        let least = if rate > 0.0 { rate } else { 1.0 / sample.max(1e-9) };
        self.rate = least.max(1.0 / GAP_MAX);
        // Nothing is halved while nothing is sent.
        self.patience = None;
        self.wait(heard.now);
    }

    fn rtt(&self) -> Option<Duration> {
        self.rtt.map(Duration::from_secs_f64)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.patience
    }

    fn on_deadline(&mut self, now: Instant, counters: &mut Counters) {
        counters.timeouts += 1;
        let rate = (self.rate / 2.0).max(1.0 / GAP_MAX);
        self.patience = None;
        if rate < self.rate {
            self.rate = rate;
            self.wait(now);
        }
    }
}

/// How far the emulated TCP is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Open,
    Gap {
        /// The packet that is missing, and behind the last that a TCP would have sent before hearing of it.
        lost: u64,
        end: u64,
        /// Later ones that have come.
        later: u64,
        /// When the emulated timer expires.
        expires: Instant,
    },
    Recovery {
        /// Behind the last packet whose loss belongs to the cut.
        end: u64,
    },
}

/// The emulated window and its epochs. Windows in packets.
#[derive(Clone, Debug)]
struct Emulation {
    epochs_kept: usize,
    dup_threshold: u64,
    state: State,
    cwnd: f64,
    ssthresh: f64,
    /// The window at the beginning of the round.
    held: f64,
    /// Packets of the round that have come.
    came: f64,
    next: u64,
    /// Windows of the rounds of this epoch, and how long these rounds stand for.
    windows: f64,
    time: f64,
    /// Rates of past epochs in packets per second, the newest first.
    past: VecDeque<f64>,
}

impl Emulation {
    fn new(epochs: usize, dup_threshold: u64) -> Self {
        Emulation {
            epochs_kept: epochs,
            dup_threshold,
            state: State::Open,
            cwnd: 1.0,
            ssthresh: f64::INFINITY,
            held: 1.0,
            came: 0.0,
            next: 0,
            windows: 0.0,
            time: 0.0,
            past: VecDeque::new(),
        }
    }

    /// Packet `seq` has come while a round trip takes `rtt`.
    fn on_packet(&mut self, now: Instant, seq: u64, rtt: Duration) {
        let in_order = seq == self.next;
        if seq < self.next {
            // Late, or a copy: the packet that was missing fills its hole while that is in doubt.
            if matches!(self.state, State::Gap { lost, .. } if lost == seq) {
                self.state = State::Open;
            }
            return;
        }
        let first_missing = self.next;
        self.next = seq + 1;
        match self.state {
            State::Recovery { end } if seq < end => {
                self.count(rtt);
                return;
            }
            State::Recovery { .. } => {
                self.close_epoch(rtt);
                self.begin(self.ssthresh);
                self.state = State::Open;
            }
            State::Open | State::Gap { .. } => {}
        }
        match &mut self.state {
            State::Open if in_order => self.open(rtt),
            State::Open => {
                // Ten tenths are a little less than one.
                let end = first_missing + (self.held + 1e-6).max(1.0) as u64;
                self.state = State::Gap { lost: first_missing, end, later: 1, expires: now + rtt * PATIENCE };
                self.count(rtt);
                self.judge(seq, rtt);
            }
            State::Gap { later, .. } => {
                *later += 1;
                self.count(rtt);
                self.judge(seq, rtt);
            }
            State::Recovery { .. } => {}
        }
    }

    /// Whether the packet in doubt is lost, and the reaction of a TCP.
    fn judge(&mut self, seq: u64, rtt: Duration) {
        let State::Gap { end, later, .. } = self.state else { return };
        if later >= self.dup_threshold {
            self.ssthresh = (self.held / 2.0).max(2.0);
            self.state = State::Recovery { end: end.max(seq + 1) };
        } else if seq >= end {
            // A TCP would have had no third duplicate.
            self.time_out(rtt);
        }
    }

    /// The emulated timer has expired: the window is one packet, and the time without any belongs to the epoch.
    fn time_out(&mut self, rtt: Duration) {
        self.time += (rtt * PATIENCE).as_secs_f64();
        self.close_epoch(rtt);
        self.ssthresh = (self.held / 2.0).max(2.0);
        self.begin(1.0);
        self.state = State::Open;
    }

    fn begin(&mut self, window: f64) {
        self.cwnd = window;
        self.held = window;
        self.came = 0.0;
    }

    /// A packet in order opens the window, by as much as its acknowledgement would have.
    fn open(&mut self, rtt: Duration) {
        self.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.held };
        self.count(rtt);
    }

    /// Another packet of this round has come.
    fn count(&mut self, rtt: Duration) {
        self.came += 1.0;
        if self.came >= self.held {
            self.windows += self.held;
            self.time += rtt.as_secs_f64();
            self.came -= self.held;
            self.held = self.cwnd;
        }
    }

    /// The epoch ends, with the part of its last round that has come.
    fn close_epoch(&mut self, rtt: Duration) {
        self.windows += self.came;
        self.time += rtt.as_secs_f64() * self.came / self.held;
        if self.windows > 0.0 && self.time > 0.0 {
            self.past.push_front(self.windows / self.time);
            self.past.truncate(self.epochs_kept);
        }
        (self.windows, self.time) = (0.0, 0.0);
    }

    /// Packets per second that the sender may send: before the first loss the rate that the window allows, then the weighted mean of the
    /// past epochs; this one counts as the newest if that raises the rate.
    fn rate(&self, rtt: Duration) -> f64 {
        if self.past.is_empty() {
            return self.cwnd / rtt.as_secs_f64();
        }
        let past = self.mean(None);
        if self.time > 0.0 { past.max(self.mean(Some(self.windows / self.time))) } else { past }
    }

    /// `w_i = 1 for i < n / 2, else 2 (n - i) / (n + 2)`, the newest first, as RFC 5348 section 5.4.
    fn mean(&self, present: Option<f64>) -> f64 {
        let n = self.epochs_kept;
        let weight = |i: usize| if 2 * i < n { 1.0 } else { 2.0 * (n - i) as f64 / (n + 2) as f64 };
        let rates = present.into_iter().chain(self.past.iter().copied()).take(n).enumerate();
        let (sum, weights) = rates.fold((0.0, 0.0), |(sum, weights), (i, rate)| {
            let own = weight(i);
            (sum + own * rate, weights + own)
        });
        sum / weights
    }
}

/// The receiving side: reports once in a round trip, and at once when the rate has fallen.
struct Receiver {
    reporter: Reporter,
    emulation: Emulation,
    rtt: Option<Duration>,
    told: f64,
    due: Instant,
}

impl Receiver {
    fn new(sizes: Sizes, params: &Params) -> Self {
        let emulation = Emulation::new(params.epochs as usize, params.dup_threshold);
        Receiver { reporter: Reporter::new(sizes), emulation, rtt: None, told: 0.0, due: Instant::ZERO }
    }

    fn tell(&mut self, now: Instant, rtt: Duration, cx: &mut FlowContext) {
        self.told = self.emulation.rate(rtt);
        self.due = now + rtt;
        self.reporter.report(now, Report::Tear(self.told), cx);
    }
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Some(arrival) = self.reporter.receive(now, packet) else { return };
        self.rtt = arrival.rtt.filter(|&rtt| rtt > Duration::ZERO).or(self.rtt);
        let Some(rtt) = self.rtt else {
            self.emulation.next = self.emulation.next.max(arrival.seq + 1);
            self.reporter.report(now, Report::Tear(0.0), cx);
            return;
        };
        self.emulation.on_packet(now, arrival.seq, rtt);
        if now >= self.due || self.emulation.rate(rtt) < self.told {
            self.tell(now, rtt, cx);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        match self.emulation.state {
            State::Gap { expires, .. } => Some(expires),
            State::Open | State::Recovery { .. } => None,
        }
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if let (Some(rtt), Some(due)) = (self.rtt, self.next_deadline())
            && due <= now
        {
            self.emulation.time_out(rtt);
            self.tell(now, rtt, cx);
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
mod tests;
