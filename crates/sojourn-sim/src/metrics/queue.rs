//! The events at one queue.

mod backlog;
mod losses;

use super::histogram::DurationHistogram;
use crate::packet::{Ecn, Packet};
use crate::queue::shown::Tally;
use crate::queue::{Backlog, Event, Limit, Reason, What};
use crate::units::{Duration, Instant};
use backlog::{BacklogIntegral, Occupancy, Samples};
pub use losses::FlowLosses;
use losses::LossRuns;

/// Packets and bytes for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByReason {
    /// The event and its reason.
    pub what: What,
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Counters, moments and distributions at one queue since the end of the warm-up.
#[derive(Clone, Debug)]
pub struct QueueRecorder {
    /// Counting begins here.
    from: Instant,
    limit: Limit,
    mean_packet: u64,
    integral: BacklogIntegral,
    samples: Samples,
    /// Kept if the scenario asks for it.
    occupancy: Option<Box<Occupancy>>,
    arrivals: u64,
    arrived_bytes: u64,
    departures: u64,
    departed_bytes: u64,
    /// Departures with the mark of congestion, of this queue or of one before it.
    departures_ce: u64,
    /// The last packet taken for transmission: when, and its size.
    last: (Instant, u32),
    /// Bytes of the packet in transmission when counting began that were sent afterwards, ...
    carried_in: f64,
    /// ... and of the one in transmission at the end that are still to be sent.
    carried_out: f64,
    by_reason: Vec<ByReason>,
    /// Early drops while at most one packet waited.
    early_at_short: u64,
    /// Drops of ECN-capable packets by decision, not for lack of room.
    capable_drops: u64,
    /// The same from before counting began, for live displays and for counters as of `tc -s`.
    before: Before,
    /// Bytes of the largest packet that left.
    largest: u32,
    sojourn: DurationHistogram,
    loss_runs: LossRuns,
}

/// The counts of the warm-up.
#[derive(Clone, Debug, Default)]
struct Before {
    arrivals: u64,
    departures: u64,
    departed_bytes: u64,
    /// The largest backlog in packets.
    max: u64,
    reasons: Vec<(What, u64)>,
}

impl Before {
    fn count(&self, which: impl Fn(What) -> bool) -> u64 {
        self.reasons.iter().filter(|(what, _)| which(*what)).map(|(_, packets)| packets).sum()
    }
}

impl QueueRecorder {
    /// A recorder for a queue that holds at most `limit`. It counts from `from` on.
    pub fn new(from: Instant, limit: Limit, mean_packet: u64) -> Self {
        QueueRecorder {
            from,
            limit,
            mean_packet,
            integral: BacklogIntegral { since: from, ..BacklogIntegral::default() },
            samples: Samples::default(),
            occupancy: None,
            arrivals: 0,
            arrived_bytes: 0,
            departures: 0,
            departed_bytes: 0,
            departures_ce: 0,
            last: (Instant::ZERO, 0),
            carried_in: 0.0,
            carried_out: 0.0,
            by_reason: Vec::new(),
            early_at_short: 0,
            capable_drops: 0,
            before: Before::default(),
            largest: 0,
            sojourn: DurationHistogram::default(),
            loss_runs: LossRuns::default(),
        }
    }

    /// Keeps how long each backlog lasted, too.
    #[must_use]
    pub fn with_occupancy(mut self) -> Self {
        self.occupancy = Some(Box::default());
        self
    }

    /// The backlog is this from `now` on.
    #[inline(always)]
    pub fn backlog_becomes(&mut self, now: Instant, backlog: Backlog) {
        if let Some((packets, elapsed)) = self.integral.becomes(now, backlog, self.limit, self.mean_packet)
            && let Some(occupancy) = &mut self.occupancy
        {
            occupancy.at(packets).time += elapsed;
        }
        let max = if now >= self.from { &mut self.integral.max } else { &mut self.before.max };
        *max = (*max).max(backlog.packets);
    }

    /// A packet arrived.
    #[inline]
    pub fn arrival(&mut self, now: Instant, size: u32) {
        if now >= self.from {
            self.arrivals += 1;
            self.arrived_bytes += u64::from(size);
        } else {
            self.before.arrivals += 1;
        }
    }

    /// A packet stayed: its flow's run of losses, if any, is over.
    #[inline]
    pub fn accepted(&mut self, packet: &Packet) {
        if self.loss_runs.open_count > 0 {
            self.loss_runs.close(packet.flow.0 as usize);
        }
    }

    /// A packet left for transmission after having waited; `ce` if it carries the mark of congestion.
    #[inline]
    pub fn departure(&mut self, now: Instant, size: u32, ce: bool, waited: Duration) {
        self.last = (now, size);
        self.largest = self.largest.max(size);
        if now >= self.from {
            self.departures += 1;
            self.departed_bytes += u64::from(size);
            self.departures_ce += u64::from(ce);
            self.sojourn.record(waited);
        } else {
            self.before.departures += 1;
            self.before.departed_bytes += u64::from(size);
        }
    }

    /// A packet came to an empty queue and an idle transmitter, and left at once: nothing ever waited.
    #[inline]
    pub fn passage(&mut self, now: Instant, packet: &Packet) {
        self.accepted(packet);
        self.last = (now, packet.size);
        self.largest = self.largest.max(packet.size);
        if now >= self.from {
            self.arrivals += 1;
            self.arrived_bytes += u64::from(packet.size);
            self.departures += 1;
            self.departed_bytes += u64::from(packet.size);
            self.departures_ce += u64::from(packet.ecn == Ecn::Ce);
            self.sojourn.record_zero();
        } else {
            self.before.arrivals += 1;
            self.before.departures += 1;
            self.before.departed_bytes += u64::from(packet.size);
        }
    }

    /// A drop, a mark or a loss.
    pub fn event(&mut self, event: &Event) {
        if event.time < self.from {
            match self.before.reasons.iter_mut().find(|(what, _)| *what == event.what) {
                Some((_, packets)) => *packets += 1,
                None => self.before.reasons.push((event.what, 1)),
            }
            return;
        }
        match event.what {
            What::Drop(_) => self.loss_runs.count(event.packet.flow.0 as usize, true),
            What::Mark(_) => self.loss_runs.count(event.packet.flow.0 as usize, false),
            What::Loss(_) | What::Choke(_) => {}
        }
        if event.what == What::Drop(Reason::EARLY) && self.integral.backlog.packets <= 1 {
            self.early_at_short += 1;
        }
        let decided = matches!(event.what, What::Drop(reason) if reason != Reason::OVERFLOW);
        self.capable_drops += u64::from(decided && event.packet.ecn.is_capable());
        let size = u64::from(event.packet.size);
        let found = self.by_reason.iter_mut().find(|entry| entry.what == event.what);
        if let Some(entry) = found {
            entry.packets += 1;
            entry.bytes += size;
        } else {
            self.by_reason.push(ByReason { what: event.what, packets: 1, bytes: size });
        }
    }

    /// Takes a sample of the backlog, as papers do that sampled.
    pub fn sample(&mut self, now: Instant, backlog: Backlog) {
        if now >= self.from {
            self.samples.take(backlog.packets as f64);
            if let Some(occupancy) = &mut self.occupancy {
                occupancy.at(backlog.packets).samples += 1;
            }
        }
    }

    /// Counting begins, and nothing has happened yet at that moment; the transmission that is going on ends at `busy_until`.
    pub fn begin(&mut self, busy_until: Instant) {
        self.carried_in = self.rest(self.from, busy_until);
    }

    /// Bytes of the last packet taken for transmission that are sent after `now`, if its transmission ends at `busy_until`.
    fn rest(&self, now: Instant, busy_until: Instant) -> f64 {
        let (start, size) = self.last;
        if busy_until <= now || start > now {
            return 0.0;
        }
        f64::from(size) * busy_until.since(now).as_secs_f64() / busy_until.since(start).as_secs_f64()
    }

    /// Closes the books at `end`; the transmission that is going on ends at `busy_until`.
    pub fn finish(&mut self, end: Instant, busy_until: Instant) {
        if end >= self.from {
            self.carried_out = self.rest(end, busy_until);
        }
        let backlog = self.integral.backlog;
        self.backlog_becomes(end, backlog);
        self.loss_runs.close_all();
        self.sojourn.settle();
        self.by_reason.sort_by_key(|entry| (entry.what.name(), entry.what.reason()));
    }

    /// Packets that arrived.
    pub fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// Bytes that arrived.
    pub fn arrived_bytes(&self) -> u64 {
        self.arrived_bytes
    }

    /// Packets that left for transmission.
    pub fn departures(&self) -> u64 {
        self.departures
    }

    /// Packets that left with the mark of congestion, of this queue or of one before it.
    pub fn departures_ce(&self) -> u64 {
        self.departures_ce
    }

    /// Bits sent between the beginning of counting and the end: of a packet that is in transmission at either, its part.
    pub fn sent_bits(&self) -> f64 {
        8.0 * (self.departed_bytes as f64 + self.carried_in - self.carried_out)
    }

    /// Packets dropped, for all reasons.
    pub fn drops(&self) -> u64 {
        self.count(|what| matches!(what, What::Drop(_)))
    }

    /// Bytes dropped, for all reasons.
    pub fn dropped_bytes(&self) -> u64 {
        let drops = self.by_reason.iter().filter(|entry| matches!(entry.what, What::Drop(_)));
        drops.map(|entry| entry.bytes).sum()
    }

    /// Packets marked.
    pub fn marks(&self) -> u64 {
        self.count(|what| matches!(what, What::Mark(_)))
    }

    /// Packets dropped and packets marked since the start of the run, the warm-up included.
    pub fn signals_so_far(&self) -> (u64, u64) {
        let drops = self.before.count(|what| matches!(what, What::Drop(_)));
        (drops + self.drops(), self.before.count(|what| matches!(what, What::Mark(_))) + self.marks())
    }

    /// The backlog as it is now.
    pub fn backlog(&self) -> Backlog {
        self.integral.backlog
    }

    /// The counts since the start of the run, the warm-up included; drops and marks in the order of their names.
    pub fn tally(&self) -> Tally {
        let mut reasons = self.before.reasons.clone();
        for entry in &self.by_reason {
            match reasons.iter_mut().find(|(what, _)| *what == entry.what) {
                Some((_, packets)) => *packets += entry.packets,
                None => reasons.push((entry.what, entry.packets)),
            }
        }
        reasons.retain(|(what, _)| matches!(what, What::Drop(_) | What::Mark(_)));
        reasons.sort_by_key(|(what, _)| (what.name(), what.reason()));
        let highest = self.before.max.max(self.integral.max);
        Tally {
            arrivals: self.before.arrivals + self.arrivals,
            sent: (self.before.departed_bytes + self.departed_bytes, self.before.departures + self.departures),
            largest: self.largest,
            highest,
            reasons,
        }
    }

    /// ECN-capable packets dropped by decision, not for lack of room.
    pub fn capable_drops(&self) -> u64 {
        self.capable_drops
    }

    /// Packets dropped early, and how many of them found at most one packet waiting.
    pub fn early_drops(&self) -> (u64, u64) {
        (self.count(|what| what == What::Drop(Reason::EARLY)), self.early_at_short)
    }

    /// Packets lost on the link behind the queue.
    pub fn corrupted(&self) -> u64 {
        self.count(|what| matches!(what, What::Loss(_)))
    }

    fn count(&self, which: impl Fn(What) -> bool) -> u64 {
        self.by_reason.iter().filter(|entry| which(entry.what)).map(|entry| entry.packets).sum()
    }

    /// Drops, losses and marks by reason, in this order.
    pub fn by_reason(&self) -> &[ByReason] {
        &self.by_reason
    }

    /// Time-weighted mean backlog in packets.
    pub fn backlog_mean_packets(&self) -> f64 {
        self.integral.mean_packets()
    }

    /// Time-weighted standard deviation of the backlog in packets.
    pub fn backlog_sd_packets(&self) -> f64 {
        self.integral.sd_packets()
    }

    /// Time-weighted mean backlog in bytes.
    pub fn backlog_mean_bytes(&self) -> f64 {
        self.integral.mean_bytes()
    }

    /// Largest backlog in packets.
    pub fn backlog_max_packets(&self) -> u64 {
        self.integral.max
    }

    /// Mean and standard deviation of the sampled backlog in packets; NaN without samples.
    pub fn sampled_backlog_packets(&self) -> (f64, f64) {
        self.samples.mean_and_sd()
    }

    /// Each backlog in packets that lasted for a time or was sampled: fractions of the time and of the samples, which are NaN without
    /// any. Nothing unless it was asked for.
    pub fn occupancy(&self) -> impl Iterator<Item = (u64, f64, f64)> + '_ {
        let cells = self.occupancy.as_deref().map_or(&[][..], |occupancy| &occupancy.0);
        let (time, samples) = (self.integral.time as f64, self.samples.count);
        (0..)
            .zip(cells)
            .filter(|(_, cell)| cell.time > 0 || cell.samples > 0)
            .map(move |(packets, cell)| (packets, cell.time as f64 / time, cell.samples as f64 / samples))
    }

    /// Fraction of the time in which nothing waited.
    pub fn empty_fraction(&self) -> f64 {
        self.integral.empty as f64 / self.integral.time as f64
    }

    /// Fraction of the time in which a packet of mean size would have found no room.
    pub fn full_fraction(&self) -> f64 {
        self.integral.full as f64 / self.integral.time as f64
    }

    /// Distribution of the time that packets waited, without their transmission.
    pub fn sojourn(&self) -> &DurationHistogram {
        &self.sojourn
    }

    /// The losses of a flow at this queue.
    pub fn flow_losses(&self, flow: usize) -> FlowLosses {
        self.loss_runs.of(flow)
    }
}

#[cfg(test)]
mod tests;
