//! LDA+: datagrams at a rate that changes once for each RTCP report, every few seconds: up by at most the rise of a TCP in that time,
//! down by the root of the loss. Specification: [SW00] Sisalem and Wolisz, "LDA+ TCP-friendly adaptation: a measurement and comparison
//! study", NOSSDAV 2000; only its abstract is available: the rest is known from other works. No implementation is known for comparison;
//! `tests/implementations/` has the law in plain Python.
//!
//! The receiver reports the part of the packets that did not come and the bottleneck's rate, which it measures by pairs of packets that
//! left together.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The bottleneck is the median of an interval's pairs | [SW00] filters them as BPROBE does, by overlapping intervals of several packet sizes; here all packets have one size | `the_median_pair_tells_the_bottleneck` |
//! | Reports come at even intervals | RTP draws them from half to one and a half of it, so that the members of a group do not report together; here there is one | - |
//! | Every sixteenth packet is followed by another at once | [SW00] sends pairs and leaves open how often | `each_sixteenth_packet_is_followed_at_once` |

use std::sync::Arc;

use super::entry::{Control, Flows, TransportEntry};
use super::paced::{GAP_MAX, Heard, Law, Regular, Reporter, Sender, Sizes, gap};
use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::header::report::{LdaReport, Report};
use crate::packet::Packet;
use crate::params;
use crate::params::Args;
use crate::queue::drawing::{Axis, Graph};
use crate::units::{Bytes, Duration, Instant, Rate};

pub static ENTRY: TransportEntry = TransportEntry {
    name: "lda",
    title: "LDA+",
    doc: "Datagrams at a rate that changes once for each RTCP report, every few seconds: up by at most the increase of a TCP in that \
          time, down by the root of the loss, but not below TCP's throughput. Nothing is sent again.",
    reference: "Sisalem and Wolisz 2000",
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
        report_size: Bytes = "80B" in [1.0, 1500.0], "RFC 3550 section 6.4.2 with one block, and IP and UDP";
        /// Time between two reports.
        interval: Duration = "5s" in [0.001, 1000.0], "RFC 3550 section 6.2";
        /// Rate at the beginning.
        initial_rate: Rate = "64kbit" in [1.0, 1e12], "ours: a voice stream";
        /// Increase for a report without losses at the beginning, and after one with losses.
        increase: Rate = "10kbit" in [1.0, 1e12], "Sisalem and Wolisz 2000 by hearsay: its text is not available";
        /// Packets that one acknowledgement of the TCP answers with which the rate is compared.
        ack_every: u64 = "1" in [1.0, 1000.0], "Sisalem and Wolisz 2000 by hearsay: D";
    }
}

/// The number of packets from one pair of packets to the next.
const PAIR_EVERY: u64 = 16;

fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let params: Params = args.typed();
    let sizes = Sizes::new(params.packet, params.header, params.report_size)?;
    Ok(Arc::new(move |app| {
        let sender = Sender::new(sizes, Lda::new(&params, sizes), app);
        (Box::new(sender), Box::new(Receiver::new(sizes, params.interval)))
    }))
}

/// The rate after a report, by the losses that it reports.
fn draw_law(args: &Args) -> Result<Graph, BuildError> {
    const MBIT: f64 = 125_000.0;
    const RTT: f64 = 0.1;
    let params: Params = args.typed();
    let sizes = Sizes::new(params.packet, params.header, params.report_size)?;
    let lost = Axis::new("packets lost between two reports", "%");
    let graph = Graph::new(lost, Axis::new("rate after the report", "Mbit/s"))
        .about("Drawn for round trips of 100 ms. Where the curves meet, the rate is that of a TCP.");
    Ok([1.0, 2.0, 4.0].into_iter().fold(graph, |graph, before| {
        graph.curve(format!("from {before} Mbit/s"), (0.0, 25.0), &[0.0], |percent| {
            let mut law = Lda { rate: before * MBIT, ..Lda::new(&params, sizes) };
            law.adapt(&LdaReport { lost: percent / 100.0, bottleneck: 0.0 }, RTT);
            law.rate / MBIT
        })
    }))
}

/// `A (2 - r / R)`: who has a small share of the bottleneck rises faster ([SW00]).
fn by_share(increase: f64, rate: f64, bottleneck: f64) -> f64 {
    increase * (2.0 - rate / bottleneck).max(0.0)
}

/// `r (1 - exp(-(1 - r / R)))`: no more than the step to the bottleneck's rate ([SW00]).
fn by_room(rate: f64, bottleneck: f64) -> f64 {
    rate * (1.0 - libm::exp(-(1.0 - rate / bottleneck).max(0.0)))
}

/// `M (T / tau + 1) / (2 tau)`: the rise of a TCP's mean rate in T, with a window that grows by a packet in each round trip ([SW00]).
fn by_tcp(packet: f64, interval: f64, rtt: f64) -> f64 {
    packet * (interval / rtt + 1.0) / (2.0 * rtt)
}

/// TCP's throughput in bytes per second ([SW00] after Padhye et al. 1998), its timeout being four round trips.
fn tcp(packet: f64, rtt: f64, ack_every: f64, lost: f64) -> f64 {
    let waits = (3.0 * libm::sqrt(3.0 * ack_every * lost / 8.0)).min(1.0);
    let timeout = 4.0 * rtt;
    packet / (rtt * libm::sqrt(2.0 * ack_every * lost / 3.0) + timeout * waits * lost * (1.0 + 32.0 * lost * lost))
}

/// The sender's part. Rates in bytes on the wire per second.
#[derive(Clone, Debug)]
struct Lda {
    packet: f64,
    interval: f64,
    ack_every: f64,
    least_increase: f64,
    rate: f64,
    increase: f64,
    rtt: Option<f64>,
}

impl Lda {
    fn new(params: &Params, sizes: Sizes) -> Self {
        let increase = params.increase.as_bps() as f64 / 8.0;
        Lda {
            packet: sizes.packet(),
            interval: params.interval.as_secs_f64(),
            ack_every: params.ack_every as f64,
            least_increase: increase,
            rate: params.initial_rate.as_bps() as f64 / 8.0,
            increase,
            rtt: None,
        }
    }

    /// The effect of a report on the rate.
    fn adapt(&mut self, report: &LdaReport, rtt: f64) {
        if report.lost > 0.0 {
            let kept = self.rate * (1.0 - libm::sqrt(report.lost));
            self.rate = kept.max(tcp(self.packet, rtt, self.ack_every, report.lost));
            self.increase = self.least_increase;
        } else {
            let mut increase = by_tcp(self.packet, self.interval, rtt);
            if report.bottleneck > 0.0 {
                increase = increase.min(by_share(self.increase, self.rate, report.bottleneck));
                increase = increase.min(by_room(self.rate, report.bottleneck));
            } else {
                increase = increase.min(self.increase);
            }
            self.increase = increase;
            self.rate += increase;
        }
        self.rate = self.rate.max(self.packet / GAP_MAX);
    }
}

impl Law for Lda {
    fn gap(&self) -> Duration {
        gap(self.packet / self.rate)
    }

    fn pairs(&self, seq: u64) -> bool {
        seq % PAIR_EVERY == PAIR_EVERY - 1
    }

    /// The receiver reports at intervals of its own, which may be longer than round trips.
    fn patience(&self) -> Duration {
        Duration::from_secs_f64(2.0 * self.interval).max(self.gap() * 2).max(Duration::from_secs(1))
    }

    fn on_report(&mut self, heard: &Heard<'_>, _counters: &mut Counters) {
        let Some(Report::Lda(report)) = heard.report() else { return };
        let rtt = heard.rtt.max(Duration::from_nanos(1)).as_secs_f64();
        self.rtt = Some(rtt);
        self.adapt(report, rtt);
    }

    fn rtt(&self) -> Option<Duration> {
        self.rtt.map(Duration::from_secs_f64)
    }
}

/// The receiving side.
struct Receiver {
    reporter: Reporter,
    packet: f64,
    regular: Regular,
    /// The packet that arrived last: its number, when it left and when it came.
    last: Option<(u64, Instant, Instant)>,
    /// Bottleneck by each pair of the interval.
    pairs: Vec<f64>,
    bottleneck: f64,
}

impl Receiver {
    fn new(sizes: Sizes, interval: Duration) -> Self {
        Receiver {
            reporter: Reporter::new(sizes),
            packet: sizes.packet(),
            regular: Regular::new(interval),
            last: None,
            pairs: Vec::new(),
            bottleneck: 0.0,
        }
    }

    fn note_pair(&mut self, now: Instant, seq: u64, sent_at: Instant) {
        let before = self.last.replace((seq, sent_at, now));
        if let Some((number, left, came)) = before
            && number + 1 == seq
            && left == sent_at
            && now > came
        {
            self.pairs.push(self.packet / now.since(came).as_secs_f64());
        }
    }

    /// The measurements of this interval.
    fn summary(&mut self, now: Instant) -> LdaReport {
        if !self.pairs.is_empty() {
            self.pairs.sort_by(f64::total_cmp);
            self.bottleneck = self.pairs[self.pairs.len() / 2];
            self.pairs.clear();
        }
        LdaReport { lost: self.regular.report(now), bottleneck: self.bottleneck }
    }
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, _cx: &mut FlowContext) {
        let Some(arrival) = self.reporter.receive(now, packet) else { return };
        self.regular.note(now, arrival.seq);
        self.note_pair(now, arrival.seq, arrival.sent_at);
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.regular.due()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.regular.is_due(now) {
            let report = self.summary(now);
            self.reporter.report(now, Report::Lda(report), cx);
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
    use crate::rig::near_by_ratio;

    /// 1 Mbit/s in packets of 1000 bytes, reports every 5 s, a rate of 50 kbyte/s.
    fn law() -> Lda {
        let sizes = Sizes { payload: 960, header: 40, report: 80 };
        Lda { rate: 50_000.0, ..Lda::new(&Params::default(), sizes) }
    }

    fn report(lost: f64) -> LdaReport {
        LdaReport { lost, bottleneck: 125_000.0 }
    }

    #[test]
    fn without_losses_the_smallest_of_three_increases_counts() {
        // A = 1250 bytes/s; 2 - r / R = 1.6: 2000. The room allows 50 000 (1 - e^-0.6), a TCP of 100 ms 1000 (50 + 1) / 0.2.
        let mut law = law();
        law.adapt(&report(0.0), 0.1);
        assert!(near_by_ratio(law.rate, 52_000.0) && near_by_ratio(law.increase, 2000.0));
        // The increase grows from report to report: 2000 (2 - 52 / 125).
        law.adapt(&report(0.0), 0.1);
        assert!(near_by_ratio(law.increase, 2000.0 * (2.0 - 0.416)));

        // A TCP with a round trip of 2 s: 1000 (2.5 + 1) / 4 = 875.
        let mut far = self::law();
        far.adapt(&report(0.0), 2.0);
        assert!(near_by_ratio(far.increase, 875.0));

        // Close to the bottleneck: r (1 - e^-(1 - r / R)) with r = 124 000.
        let mut full = Lda { rate: 124_000.0, increase: 50_000.0, ..self::law() };
        full.adapt(&report(0.0), 0.1);
        assert!(near_by_ratio(full.increase, 124_000.0 * (1.0 - libm::exp(-0.008))));
        // And never above it.
        let mut over = Lda { rate: 130_000.0, ..self::law() };
        over.adapt(&report(0.0), 0.1);
        assert!(near_by_ratio(over.rate, 130_000.0));
    }

    #[test]
    fn a_loss_takes_its_root_but_leaves_what_a_tcp_would_have() {
        let mut law = law();
        law.increase = 9000.0;
        // 1 - sqrt(0.04) = 0.8 of 50 000. TCP's: 1000 / (0.1 sqrt(0.08 / 3) + 0.4 * 3 sqrt(0.015) * 0.04 * 1.0512) = 44 450.
        law.adapt(&report(0.04), 0.1);
        let tcp = 1000.0 / (0.1 * 0.163_299_316 + 0.4 * 3.0 * 0.122_474_487 * 0.04 * 1.0512);
        assert!((law.rate / tcp - 1.0).abs() < 1e-6 && tcp > 40_000.0, "{} {tcp}", law.rate);
        assert!(near_by_ratio(law.increase, 1250.0), "it begins anew");
        // Far away the root counts.
        let mut far = self::law();
        far.adapt(&report(0.04), 1.0);
        assert!(near_by_ratio(far.rate, 40_000.0));
    }

    #[test]
    fn each_sixteenth_packet_is_followed_at_once() {
        let law = law();
        assert_eq!((0..40).filter(|&seq| law.pairs(seq)).collect::<Vec<_>>(), [15, 31]);
    }

    #[test]
    fn the_median_pair_tells_the_bottleneck() {
        let mut receiver = Receiver::new(Sizes { payload: 960, header: 40, report: 80 }, Duration::from_secs(5));
        let at = |micros: u64| Instant::ZERO + Duration::from_micros(micros);
        // Three pairs that left at 0, 1 and 2 s, 8 ms apart but for one that another packet came between: 125 000 bytes/s.
        for (pair, apart) in [8_000, 16_000, 8_000].into_iter().enumerate() {
            let (seq, left) = (16 * pair as u64 + 15, at(1_000_000 * pair as u64));
            receiver.note_pair(left, seq, left);
            receiver.note_pair(left + Duration::from_micros(apart), seq + 1, left);
            // The next one did not leave with them.
            receiver.note_pair(left + Duration::from_micros(apart + 1), seq + 2, left + Duration::from_micros(1));
        }
        (5..50).for_each(|seq| receiver.regular.note(at(0), seq));
        let report = receiver.summary(at(0));
        assert!(near_by_ratio(report.bottleneck, 125_000.0) && near_by_ratio(report.lost, 0.1), "{report:?}");
        // Without pairs the last estimate stays, and the interval begins anew.
        (50..60).for_each(|seq| receiver.regular.note(at(0), seq));
        assert_eq!(receiver.summary(at(0)), LdaReport { lost: 0.0, bottleneck: 125_000.0 });
    }
}
