//! The tables of flows and of their transfers.

use std::collections::BTreeMap;

use super::super::flow_counts::FlowRow;
use super::super::state::Simulation;
use crate::metrics::Table;
use crate::metrics::column::Better::Less;
use crate::metrics::column::Kind::{Carried, Transfer};
use crate::metrics::column::Unit::{BitPerS, Bytes, Packets, Plain, S, Share};
use crate::metrics::column::{NUMBER, Quantity, columns, quantity};
use crate::metrics::fairness::ratio;
use crate::metrics::quantities::{COMPLETION, CORRUPTED, DELAY, DROPS, GOODPUT, LOSS, MARKS, ROUND_TRIP, THROUGHPUT};
use crate::transport::Completion;
use crate::transport::fec::Repairs;

const LOSS_RUN: Quantity = quantity("Loss run", Packets).wanted(Less);

/// Finished transfers of one flow: how many, and the sum of their durations in seconds.
#[derive(Clone, Copy, Default)]
struct Transfers {
    count: u64,
    seconds: f64,
}

/// `flow`: one row for each flow.
pub struct FlowTableRow<'a> {
    simulation: &'a Simulation,
    number: usize,
    of: &'a FlowRow,
    transfers: Transfers,
    /// The repairs of all flows at the end of the window.
    repairs: &'a BTreeMap<usize, Repairs>,
}

impl FlowTableRow<'_> {
    fn group(&self) -> &str {
        &self.simulation.settings.group_names[self.of.group as usize]
    }

    fn rate(&self, bytes: u64) -> f64 {
        bytes as f64 * 8.0 / self.simulation.window().as_secs_f64()
    }

    /// Runs of losses at a link that is not observed are unknown.
    fn longest_run(&self) -> f64 {
        match self.of.losses.runs {
            0 if self.of.losses.drops > 0 => f64::NAN,
            _ => self.of.losses.run_max.into(),
        }
    }

    fn runs_of(&self, packets: usize) -> f64 {
        f64::from(self.of.losses.runs_of[packets - 1]) / f64::from(self.of.losses.runs)
    }

    /// A number of the repairs in the measured window; NaN without error correction.
    fn repairs(&self, number: fn(&Repairs) -> f64) -> f64 {
        let before = || self.simulation.repairs_before.get(&self.number).copied().unwrap_or_default();
        self.repairs.get(&self.number).map_or(f64::NAN, |so_far| number(&so_far.since(&before())))
    }
}

columns! {
    impl<'a> FlowTableRow<'a> {
        /// Number of the flow, from 0 in the order of the scenario.
        flow: Count = |row| row.number as u64, NUMBER;
        /// Name of the group of flows.
        group: Text = |row| row.group();
        /// When the flow started.
        start_s: Real = |row| row.simulation.flow_records[row.number].started.as_secs_f64(), quantity("Start", S),
            "drawn from `start`";
        /// Headers and duplicates included.
        throughput_bps: Real = |row| row.rate(row.of.counts.bytes_received), THROUGHPUT,
            "8 * bytes that reached the receiver / window";
        /// Useful data, without headers and the SYN, which carries no data. Data behind a hole counts when it comes,
        /// not when the hole is filled.
        goodput_bps: Real = |row| row.rate(row.of.counts.bytes_new), GOODPUT,
            "8 * payload bytes that came for the first time / window";
        /// As goodput_bps, but data behind a hole counts when the hole is filled: what a TCP sender sees acknowledged
        /// in order. The difference is large where flows have few packets and many losses.
        delivered_bps: Real = |row| row.rate(row.of.counts.bytes_delivered),
            quantity("Delivered", BitPerS).more().kind(Carried).noun("delivered rate"),
            "8 * payload bytes that the application got / window";
        /// Mean one-way delay of the flow's data.
        delay_mean_ms: Real = |row| row.of.counts.one_way_delay_sum * 1e3 / row.of.counts.packets_received as f64,
            DELAY.of("mean"), "mean of arrival - sending over the packets that reached the receiver";
        /// Mean round-trip time as the sender saw it.
        rtt_mean_ms: Real = |row| row.of.counts.rtt_mean() * 1e3, ROUND_TRIP.of("mean"),
            "mean of the sender's round-trip samples";
        /// Its spread; NaN without samples.
        rtt_sd_ms: Real = |row| row.of.counts.rtt_sd() * 1e3, ROUND_TRIP.sd(),
            "standard deviation of the sender's round-trip samples (n in the denominator)";
        /// Retransmissions included.
        packets_sent: Count = |row| row.of.counts.packets_sent, quantity("Packets sent", Packets).bare(),
            "number of packets sent";
        /// Repairs, needed or not.
        retransmits: Count = |row| row.of.counts.retransmits.into(), quantity("Retransmits", Packets).bare().wanted(Less),
            "number of segments sent again";
        /// How often the sender fell back to one segment.
        timeouts: Count = |row| row.of.counts.timeouts.into(), NUMBER.wanted(Less), "number of retransmission timeouts";
        /// How often the sender halved because of loss.
        fast_recoveries: Count = |row| row.of.counts.fast_recoveries.into(), NUMBER,
            "number of times that recovery began without a timeout";
        /// How often a mark slowed the sender.
        ecn_reductions: Count = |row| row.of.counts.ecn_reductions.into(), quantity("ECN reductions", Plain),
            "number of window reductions because of ECN";
        /// Packets of the flow that were lost at the queues on the way of its data.
        drops_packets: Count = |row| row.of.losses.drops.into(), DROPS,
            "number of the flow's data packets dropped on their way";
        /// ECN marks.
        marks_packets: Count = |row| row.of.losses.marks.into(), MARKS,
            "number of its packets marked at observed queues: set to CE, or to be marked and CE already";
        /// Losses that are not congestion: packets lost by loss models, on any link of the way of its data.
        corrupted_packets: Count = |row| row.of.corrupted.into(), CORRUPTED,
            "number of the flow's data packets lost on links";
        /// Fraction of the flow's packets that was lost; NaN if it sent none in the window.
        loss_ratio: Real = |row| ratio(row.of.losses.drops.into(), row.of.counts.packets_sent as f64), LOSS,
            "drops_packets / packets_sent";
        /// Mean number of consecutive losses; 1 means that losses come singly, NaN that there were none.
        loss_run_mean_packets: Real = |row| ratio(row.of.drops_in_runs.into(), row.of.losses.runs.into()),
            LOSS_RUN.of("mean"), "drops at the links of the table queue / number of runs";
        /// The worst burst of losses at the links of the table queue; 0 if nothing was lost, NaN if all losses were
        /// elsewhere.
        loss_run_max_packets: Real = Self::longest_run, LOSS_RUN.of("max"), "longest run of consecutive losses";
        /// How many losses come singly: P(LRL=1) of Alemu 2004.
        loss_run_1_fraction: Real = |row| row.runs_of(1), quantity("Loss run 1 fraction", Share).head("loss run 1"),
            "runs of one loss / number of runs";
        /// How many come in pairs.
        loss_run_2_fraction: Real = |row| row.runs_of(2), quantity("Loss run 2 fraction", Share).head("loss run 2"),
            "runs of two losses / number of runs";
        /// How many come in threes.
        loss_run_3_fraction: Real = |row| row.runs_of(3), quantity("Loss run 3 fraction", Share).head("loss run 3"),
            "runs of three losses / number of runs";
        /// Whole run, warm-up included.
        completions: Count = |row| row.transfers.count, NUMBER, "number of transfers finished";
        /// Mean time from the request to the last acknowledgement.
        completion_mean_s: Real = |row| row.transfers.seconds / row.transfers.count as f64, COMPLETION.of("mean"),
            "mean of duration_s of the table completion";
        /// Blocks that needed no repair. Counted when a later block begins to arrive; NaN without error correction.
        fec_blocks_complete: Real = |row| row.repairs(|of| of.blocks_complete as f64),
            quantity("FEC blocks complete", Plain), "number of blocks with all data packets arrived";
        /// Blocks whose data was recovered; NaN without error correction.
        fec_blocks_repaired: Real = |row| row.repairs(|of| of.blocks_repaired as f64),
            quantity("FEC blocks repaired", Plain),
            "number of blocks with data packets lost and at most `parity` packets lost";
        /// Blocks that stayed incomplete; NaN without error correction.
        fec_blocks_lost: Real = |row| row.repairs(|of| of.blocks_lost as f64), quantity("FEC blocks lost", Plain),
            "number of blocks with more than `parity` packets lost";
        /// Data without parity, arrived or not; NaN without error correction.
        fec_data_packets: Real = |row| row.repairs(|of| of.data as f64), quantity("FEC data", Packets),
            "number of data packets of all blocks, complete, repaired or lost";
        /// Data lost before repair; NaN without error correction.
        fec_data_lost_packets: Real = |row| row.repairs(|of| of.data_lost as f64), quantity("FEC data lost", Packets),
            "number of data packets that did not arrive";
        /// Data lost after repair; NaN without error correction.
        fec_data_unrepaired_packets: Real = |row| row.repairs(|of| of.data_unrepaired as f64),
            quantity("FEC data unrepaired", Packets),
            "number of data packets that did not arrive in blocks that stayed incomplete";
        /// Loss ratio before repair, PLRBC of Alemu 2004; NaN without error correction.
        fec_loss_before_ratio: Real = |row| row.repairs(|of| ratio(of.lost as f64, of.packets as f64)),
            quantity("FEC loss before ratio", Share).head("fec loss before"),
            "number of packets lost / number of packets, of all blocks, parity included";
        /// Loss ratio after repair, PLR of Alemu 2004; NaN without error correction.
        fec_loss_after_ratio: Real = |row| row.repairs(|of| ratio(of.unrepaired as f64, of.packets as f64)),
            quantity("FEC loss after ratio", Share).head("fec loss after"),
            "number of packets lost in blocks that stayed incomplete / number of packets of all blocks";
        /// Fraction of the data that the application never got; NaN without error correction.
        fec_residual_loss_ratio: Real = |row| row.repairs(|of| ratio(of.data_unrepaired as f64, of.data as f64)),
            quantity("FEC residual loss ratio", Share).head("fec residual loss"),
            "fec_data_unrepaired_packets / fec_data_packets";
    }
}

/// `completion`: one row for each finished transfer.
pub struct CompletionRow<'a> {
    flow: u32,
    group: &'a str,
    of: &'a Completion,
}

columns! {
    impl<'a> CompletionRow<'a> {
        /// Number of the flow, from 0 in the order of the scenario.
        flow: Count = |row| row.flow.into(), NUMBER;
        /// Name of the group of flows.
        group: Text = |row| row.group;
        /// When the application asked for the transfer.
        started_s: Real = |row| row.of.started.as_secs_f64(), quantity("Started", S);
        /// How long it took.
        duration_s: Real = |row| (row.of.finished - row.of.started).as_secs_f64(),
            quantity("Duration", S).kind(Transfer).wanted(Less).noun("completion time"),
            "last acknowledgement - started_s";
        /// How large it was.
        bytes: Count = |row| row.of.bytes, quantity("Bytes", Bytes).bare(), "payload of the transfer";
    }
}

impl Simulation {
    pub(super) fn flow_table(&self, rows: &[FlowRow], repairs: &BTreeMap<usize, Repairs>) -> Table {
        let mut transfers = vec![Transfers::default(); rows.len()];
        for (flow, done) in &self.completions {
            let of = &mut transfers[*flow as usize];
            of.count += 1;
            of.seconds += (done.finished - done.started).as_secs_f64();
        }
        let all = rows.iter().zip(transfers.iter().copied()).enumerate();
        let row =
            all.map(|(number, (of, done))| FlowTableRow { simulation: self, number, of, transfers: done, repairs });
        Table::of("flow", &row)
    }

    pub(super) fn completion_table(&self) -> Table {
        let group = |flow: u32| &self.settings.group_names[self.flow_records[flow as usize].group as usize];
        let rows = self.completions.iter();
        Table::of("completion", &rows.map(|(flow, of)| CompletionRow { flow: *flow, group: group(*flow), of }))
    }
}
