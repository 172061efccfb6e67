//! The tables of samples and of single packets.

use std::collections::BTreeMap;

use super::super::links::Link;
use super::super::record::series::{ProbeRow, RateSample, WindowSample};
use super::super::state::{ObservedLink, Simulation};
use crate::metrics::Table;
use crate::metrics::column::Unit::{Bytes, Ms, Packets};
use crate::metrics::column::{NUMBER, columns, quantity};
use crate::metrics::quantities::{BACKLOG, BACKLOG_BYTES, SOJOURN, THROUGHPUT, TIME};
use crate::net::queue_link::{DropRow, Series};
use crate::packet::{Ecn, Packet};
use crate::queue::Backlog;
use crate::units::{Duration, Instant};

/// Something at an observed link.
pub struct AtLink<'a, T> {
    links: &'a BTreeMap<u32, ObservedLink>,
    link: u32,
    of: T,
}

impl<T> AtLink<'_, T> {
    fn link(&self) -> &str {
        &self.links[&self.link].name
    }
}

/// `backlog`: samples of the backlog of queues.
pub type BacklogRow<'a> = AtLink<'a, (u32, Instant, Backlog)>;

columns! {
    impl<'a> BacklogRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link();
        /// Simulated time since the start of the run.
        time_s: Real = |row| row.of.1.as_secs_f64(), TIME;
        /// Waiting packets.
        backlog_packets: Count = |row| row.of.2.packets, BACKLOG, "backlog at that time";
        /// Waiting bytes, headers included.
        backlog_bytes: Count = |row| row.of.2.bytes, BACKLOG_BYTES, "backlog at that time";
    }
}

/// `probe`: samples of the internals of queues.
pub type ProbeTableRow<'a> = AtLink<'a, ProbeRow>;

columns! {
    impl<'a> ProbeTableRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link();
        /// Simulated time since the start of the run.
        time_s: Real = |row| row.of.time.as_secs_f64(), TIME;
        /// Which of the queue's internals: `avg`, `drop_prob` ...
        probe: Text = |row| row.of.name;
        /// In the unit that the documentation of the queue states.
        value: Real = |row| row.of.value, NUMBER.within(f64::NEG_INFINITY, f64::INFINITY), "value at that time";
    }
}

/// `drops`: every drop and mark.
pub type DropTableRow<'a> = AtLink<'a, &'a DropRow>;

columns! {
    impl<'a> DropTableRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link();
        /// Simulated time since the start of the run.
        time_s: Real = |row| row.of.time.as_secs_f64(), TIME;
        /// Number of the flow, from 0 in the order of the scenario.
        flow: Count = |row| row.of.flow.0.into(), NUMBER;
        /// The event: `drop`, `mark`, or `loss` on the link behind the queue.
        event: Text = |row| row.of.what.name();
        /// The reason that the queue gives; `corruption` on the link.
        reason: Text = |row| row.of.what.reason().0;
        /// Headers included.
        size_bytes: Count = |row| row.of.size.into(), quantity("Size", Bytes), "size of the packet";
        /// Its waiting time: 0 if it is dropped or marked when it comes; NaN for a loss on the link.
        sojourn_ms: Real = |row| row.of.waited().map_or(f64::NAN, Duration::as_millis_f64), SOJOURN,
            "time_s - arrival at the queue";
    }
}

/// `packets`: every packet that left a queue.
pub type PacketRow<'a> = AtLink<'a, &'a (Instant, Packet, Duration)>;

columns! {
    impl<'a> PacketRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link();
        /// Simulated time since the start of the run.
        time_s: Real = |row| row.of.0.as_secs_f64(), TIME;
        /// Number of the flow, from 0 in the order of the scenario.
        flow: Count = |row| row.of.1.flow.0.into(), NUMBER;
        /// Headers included.
        size_bytes: Count = |row| row.of.1.size.into(), quantity("Size", Bytes), "size of the packet";
        /// How long it waited.
        sojourn_ms: Real = |row| row.of.2.as_millis_f64(), SOJOURN, "time between arrival and departure from the queue";
        /// The ECN field as it left.
        ecn: Text = |row| match row.of.1.ecn { Ecn::NotEct => "not-ect", Ecn::Ect0 => "ect0", Ecn::Ect1 => "ect1", Ecn::Ce => "ce" };
    }
}

columns! {
    impl<'a> WindowSample {
        /// Number of the flow, from 0 in the order of the scenario.
        flow: Count = |row| row.flow.into(), NUMBER;
        /// Simulated time since the start of the run.
        time_s: Real = |row| row.time.as_secs_f64(), TIME;
        /// The segments that may be outstanding.
        cwnd_packets: Real = |row| row.cwnd, quantity("Cwnd", Packets), "congestion window / segment size";
        /// Infinite before the first loss.
        ssthresh_packets: Real = |row| row.ssthresh, quantity("Ssthresh", Packets),
            "slow start threshold / segment size";
        /// By the sender's own count.
        inflight_packets: Real = |row| row.inflight, quantity("Inflight", Packets), "bytes outstanding / segment size";
        /// NaN before the first sample.
        srtt_ms: Real = |row| row.srtt.map_or(f64::NAN, Duration::as_millis_f64),
            quantity("Smoothed round-trip time", Ms).head("srtt"), "smoothed round-trip time";
    }
}

columns! {
    impl<'a> RateSample {
        /// Number of the flow, from 0 in the order of the scenario.
        flow: Count = |row| row.flow.into(), NUMBER;
        /// Simulated time since the start of the run.
        time_s: Real = |row| row.time.as_secs_f64(), TIME;
        /// Throughput in the interval that ends here.
        throughput_bps: Real = |row| row.rate, THROUGHPUT, "8 * bytes received since the previous sample / interval";
    }
}

impl Simulation {
    /// The samples of a series are freed when its table is there.
    pub(super) fn series_tables(&mut self) -> Vec<Table> {
        let record = self.settings.record.clone();
        let mut tables = Vec::new();
        if record.queue.is_some() {
            let rows = std::mem::take(&mut self.recorded.backlog);
            tables.push(Table::of("backlog", &rows.iter().map(|of| self.at_link(of.0, *of))));
        }
        if record.probes.is_some() {
            let rows = std::mem::take(&mut self.recorded.probes);
            tables.push(Table::of("probe", &rows.rows().map(|of| self.at_link(of.link, of))));
        }
        if record.cwnd.is_some() {
            tables.push(Table::of_all("window", &std::mem::take(&mut self.recorded.windows)));
        }
        if record.throughput.is_some() {
            tables.push(Table::of_all("rate", &std::mem::take(&mut self.recorded.rates)));
        }
        if record.drops {
            tables.push(Table::of("drops", &self.each_of(|series| series.drops.as_deref())));
        }
        if record.packets {
            tables.push(Table::of("packets", &self.each_of(|series| series.packets.as_deref())));
        }
        tables
    }

    fn at_link<T>(&self, link: u32, of: T) -> AtLink<'_, T> {
        AtLink { links: &self.settings.observed, link, of }
    }

    /// The kept records of the queues, in the order of links.
    fn each_of<'a, T>(
        &'a self,
        kept: fn(&'a Series) -> Option<&'a [T]>,
    ) -> impl Iterator<Item = AtLink<'a, &'a T>> + Clone {
        (0..).zip(self.links.iter()).flat_map(move |(number, link)| {
            let rows = match link {
                Link::Queue(queue) => kept(queue.series()),
                Link::Buffer(_) => None,
            };
            rows.unwrap_or_default().iter().map(move |of| self.at_link(number, of))
        })
    }
}
