//! The values that an endpoint shows: its counters, its window, finished transfers, repaired blocks.

use crate::units::{Duration, Instant};

/// A struct of counts, with a method `since`: the counts since another value of it was taken.
#[macro_export]
macro_rules! counts {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$about:meta])* $field_vis:vis $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$about])* $field_vis $field: $type,)* }

        impl $name {
            /// The counts since `before`.
            #[must_use]
            $vis fn since(&self, before: &$name) -> $name {
                $name { $($field: self.$field - before.$field,)* }
            }
        }
    };
}
counts! {
    /// The counts of an endpoint since the start of the run. Counts that an endpoint cannot see are zero. In TCP so are those that no table
    /// shows: acknowledgements and the bytes sent.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Counters {
        /// Packets sent, retransmissions included (sending side).
        pub packets_sent: u64,
        /// Bytes on the wire sent.
        pub bytes_sent: u64,
        /// Packets received here.
        pub packets_received: u64,
        /// Bytes on the wire received here.
        pub bytes_received: u64,
        /// Payload bytes given to the application in order and for the first time (receiving side).
        pub bytes_delivered: u64,
        /// Payload bytes that have arrived for the first time, whether or not the bytes before them have arrived (receiving side).
        pub bytes_new: u64,
        /// Segments sent again.
        pub retransmits: u64,
        /// Retransmission timeouts.
        pub timeouts: u64,
        /// Times that loss recovery was entered without a timeout.
        pub fast_recoveries: u64,
        /// Window reductions because of ECN.
        pub ecn_reductions: u64,
        /// Packets that arrived here with CE.
        pub marks_seen: u64,
        /// Round-trip time samples taken.
        pub rtt_samples: u64,
        /// The sum of these samples in seconds.
        pub rtt_sum: f64,
        /// The sum of their squares in seconds squared.
        pub rtt_sum_squares: f64,
        /// Sum over received packets of one-way delay in seconds (receiving side).
        pub one_way_delay_sum: f64,
    }
}

impl Counters {
    /// The sum of both counts.
    #[must_use]
    pub fn plus(&self, other: &Counters) -> Counters {
        Counters {
            packets_sent: self.packets_sent + other.packets_sent,
            bytes_sent: self.bytes_sent + other.bytes_sent,
            packets_received: self.packets_received + other.packets_received,
            bytes_received: self.bytes_received + other.bytes_received,
            bytes_delivered: self.bytes_delivered + other.bytes_delivered,
            bytes_new: self.bytes_new + other.bytes_new,
            retransmits: self.retransmits + other.retransmits,
            timeouts: self.timeouts + other.timeouts,
            fast_recoveries: self.fast_recoveries + other.fast_recoveries,
            ecn_reductions: self.ecn_reductions + other.ecn_reductions,
            marks_seen: self.marks_seen + other.marks_seen,
            rtt_samples: self.rtt_samples + other.rtt_samples,
            rtt_sum: self.rtt_sum + other.rtt_sum,
            rtt_sum_squares: self.rtt_sum_squares + other.rtt_sum_squares,
            one_way_delay_sum: self.one_way_delay_sum + other.one_way_delay_sum,
        }
    }
}

/// Window of a sender at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowState {
    /// Payload bytes of a full segment, for windows in packets.
    pub segment: u64,
    /// Congestion window in bytes.
    pub cwnd: f64,
    /// The same, or while the rate is reduced in proportion (RFC 9937) the amount that may be in the network now.
    pub reduced: f64,
    /// Slow start threshold in bytes. It is infinite before the first loss.
    pub ssthresh: f64,
    /// Bytes outstanding by the sender's own count.
    pub inflight: u64,
    /// Smoothed round-trip time. `None` before the first sample.
    pub srtt: Option<Duration>,
    /// Retransmission timeout.
    pub rto: Duration,
}

/// A finished transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// The time at which the application asked for it.
    pub started: Instant,
    /// The time at which its last byte was acknowledged.
    pub finished: Instant,
    /// Payload bytes.
    pub bytes: u64,
}

counts! {
    /// The fate of the blocks. Only whole blocks are counted.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Repairs {
        /// Blocks of which all data arrived.
        pub blocks_complete: u64,
        /// Blocks of which data was lost and recovered.
        pub blocks_repaired: u64,
        /// Blocks that lost more packets than they have parity.
        pub blocks_lost: u64,
        /// Packets of these blocks, parity included.
        pub packets: u64,
        /// The lost packets among them.
        pub lost: u64,
        /// The lost packets among them in blocks that could not be repaired.
        pub unrepaired: u64,
        /// Data packets of these blocks.
        pub data: u64,
        /// The lost packets among them.
        pub data_lost: u64,
        /// The data packets among them that were lost and not recovered.
        pub data_unrepaired: u64,
    }
}
