//! The data of a flow that the tables need.

use crate::metrics::fairness::standard_deviation;
use crate::metrics::queue::FlowLosses;
use crate::transport::Endpoint;
use crate::units::Duration;
use sojourn_senders::counts;

counts! {
    /// The counters of a flow that the tables need.
    #[derive(Clone, Copy, Debug, Default)]
    pub(super) struct FlowCounts {
        pub packets_sent: u64,
        pub packets_received: u64,
        pub bytes_received: u64,
        pub bytes_new: u64,
        pub bytes_delivered: u64,
        // Bound: seldom events, 4e9 for a flow; there are a million rows.
        pub retransmits: u32,
        pub timeouts: u32,
        pub fast_recoveries: u32,
        pub ecn_reductions: u32,
        pub rtt_samples: u64,
        pub rtt_sum: f64,
        pub rtt_sum_squares: f64,
        pub one_way_delay_sum: f64,
    }
}

impl FlowCounts {
    /// The counts of the sender and the receiver of a flow since the start of the run.
    pub fn of([sender, receiver]: &[Box<dyn Endpoint>; 2]) -> Self {
        let (sent, received) = (sender.counters(), receiver.counters());
        FlowCounts {
            packets_sent: sent.packets_sent,
            packets_received: received.packets_received,
            bytes_received: received.bytes_received,
            bytes_new: received.bytes_new,
            bytes_delivered: received.bytes_delivered,
            retransmits: sent.retransmits as u32,
            timeouts: sent.timeouts as u32,
            fast_recoveries: sent.fast_recoveries as u32,
            ecn_reductions: sent.ecn_reductions as u32,
            rtt_samples: sent.rtt_samples,
            rtt_sum: sent.rtt_sum,
            rtt_sum_squares: sent.rtt_sum_squares,
            one_way_delay_sum: received.one_way_delay_sum,
        }
    }

    /// Mean in seconds; NaN without samples.
    pub fn rtt_mean(&self) -> f64 {
        self.rtt_sum / self.rtt_samples as f64
    }

    pub fn rtt_sd(&self) -> f64 {
        standard_deviation(self.rtt_samples as f64, self.rtt_sum, self.rtt_sum_squares)
    }
}

/// The row of one flow in the tables.
pub(super) struct FlowRow {
    pub group: u32,
    pub counts: FlowCounts,
    pub losses: FlowLosses,
    /// Drops at observed queues, where runs are counted.
    pub drops_in_runs: u32,
    pub corrupted: u32,
    /// Longest time for which its sender stood still, if it did.
    pub standstill: Duration,
}

impl FlowRow {
    /// Payload that came for the first time, in bits.
    pub fn new_bits(&self) -> f64 {
        self.counts.bytes_new as f64 * 8.0
    }

    /// The longer of the mean delay of the flow's data and its mean round trip, in seconds.
    pub fn longest_way(&self) -> f64 {
        let delay = self.counts.one_way_delay_sum / self.counts.packets_received as f64;
        delay.max(0.0).max(self.counts.rtt_mean())
    }
}
