//! XCP's router: tells every sender by how much to change its window. An efficiency controller computes the change for all flows together.
//! A fairness controller divides it: equal gains for all, losses in proportion to the rate; a tenth of the traffic is always
//! redistributed. It keeps no state of flows. Specification: [KHR02] Katabi, Handley and Rohrs, Congestion Control for High
//! Bandwidth-Delay Product Networks, SIGCOMM 2002, section 3.5; for the intervals and the residue of feedback draft-falk-xcp-spec-03,
//! which counts in rates. Compared with: ns-2 2.35 `Queue/XCP` (tests/peers/explicit.py).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Packets without XCP's header share the queue, and count as traffic; ns-2 gives them a queue of their own | [KHR02] section 8.2 leaves coexistence to weighted fair queueing | `traffic_without_the_header_counts_and_is_left_alone` |
//! | The first intervals begin at time zero and have their initial length; ns-2 draws their ends | the same in every run; parameters set them | `the_first_intervals_end_when_they_are_told_to` |
//! | The capacity is that of the scenario's link, also after a change of its rate | a policy does not see the link | - |

use crate::header::Header;
use crate::header::xcp::XcpUnit;
use crate::packet::Body;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "xcp",
    title: "XCP router",
    doc: "A router that tells XCP's senders how to change their windows. It writes the change into each packet: the spare capacity less \
          the persistent queue, divided equally, and a tenth of the traffic redistributed in every round trip. It drops only when the \
          buffer is full.",
    reference: "Katabi, Handley and Rohrs 2002",
    presets: presets! {
        /// ns-2 2.35 (its source and the output of `ns`, checked on 2026-11-25): 50 packets wait at most; when its link falls idle it looks
        /// into its queue for other traffic, so that XCP's queue never counts as empty; SYNs alone are enough to distribute spare
        /// capacity.
        ns2 = {
            limit = "50p", alpha = "0.4", beta = "0.226", gamma = "0.1", initial_interval = "50ms", sees_idle = "false",
            deals_blindly = "true",
        };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1BDP" in [0.0, 1e12], "[KHR02] section 5.1";
        /// Part of the spare capacity that is given out in a round trip.
        alpha: Fraction = "0.4" in [0.0, 1.0], "[KHR02] section 3.5.1";
        /// Part of the persistent queue that is taken back in a round trip.
        beta: Fraction = "0.226" in [0.0, 1.0], "[KHR02] section 3.5.1";
        /// Part of the traffic that is dealt anew in a round trip.
        gamma: Fraction = "0.1" in [0.0, 1.0], "[KHR02] section 3.5.2";
        /// Control interval while no round-trip time is known.
        initial_interval: Duration = "50ms" in [0.001, 1.0], "ns-2 2.35";
        /// Take an idle link for a sign that no queue persists.
        sees_idle: bool = "true", "[KHR02] section 3.5.1: the least queue that an arrival finds";
        /// Give spare capacity to the first packets that report a round-trip time also after traffic without such reports (SYNs).
        deals_blindly: bool = "false", "[KHR02] section 3.5.2: by the last interval's packets";
        /// End of the first control interval, which keeps routers from each other's step; `auto` is `initial_interval`.
        control_phase: Option<Duration> = "auto" in [0.0, 1000.0], "the same for all routers";
        /// End of the first interval over which the least queue is taken; `auto` is `initial_interval`.
        queue_phase: Option<Duration> = "auto" in [0.0, 1000.0], "the same for all routers";
    }
}

/// Shortest control interval in seconds; ns-2 2.35.
const INTERVAL_MIN: f64 = 0.001;
/// Longer round-trip times count as this one in the mean, in seconds; ns-2 2.35.
const RTT_MAX: f64 = 1.0;
/// Shortest interval over which the least queue is taken, in seconds; draft-falk-xcp-spec-03, ALLOWED_QUEUE.
const QUEUE_INTERVAL_MIN: f64 = 0.002;

/// Sums over the packets of a control interval.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    /// Bytes of all packets.
    bytes: f64,
    /// Sum of `rtt s / cwnd` in seconds: the idealised time between a flow's packets.
    spacing: f64,
    /// Sum of `rtt^2 s / cwnd`.
    spacing_rtt: f64,
}

/// The feedback of one sign that is left in this interval.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    /// Per unit of a packet's claim: xi_p / rtt and xi_n / rtt of [KHR02].
    rate: f64,
    /// In bytes per second.
    residue: f64,
}

impl Share {
    /// `total` over the packets' claims, whose sum was `claims` in the last interval.
    fn of(total: f64, claims: f64) -> Self {
        if claims > 0.0 { Share { rate: total / claims, residue: total } } else { Share::default() }
    }

    fn offer(&self, claim: f64) -> f64 {
        (self.rate * claim).min(self.residue)
    }

    fn take(&mut self, part: f64) {
        self.residue = (self.residue - part).max(0.0);
        if self.residue <= 0.0 {
            self.rate = 0.0;
        }
    }
}

/// The policy. Rates in bytes per second.
#[derive(Clone, Debug)]
pub struct Xcp {
    alpha: f64,
    beta: f64,
    gamma: f64,
    initial_interval: f64,
    sees_idle: bool,
    deals_blindly: bool,
    capacity: f64,

    arrivals: Arrivals,
    /// Length of the present control interval, and when it ends.
    interval: f64,
    control_due: Instant,
    /// Mean round-trip time of the traffic: d of [KHR02].
    rtt: f64,
    /// The last result of the efficiency controller.
    phi: f64,
    gains: Share,
    cuts: Share,

    /// Q of [KHR02], in bytes.
    persistent_queue: f64,
    least_queue: f64,
    queue_due: Instant,
}

impl PolicyParams for Params {
    type Policy = Xcp;

    fn policy(&self, link: &LinkContext) -> Result<Xcp, BuildError> {
        let interval = self.initial_interval.as_secs_f64();
        Ok(Xcp {
            alpha: self.alpha.0,
            beta: self.beta.0,
            gamma: self.gamma.0,
            initial_interval: interval,
            sees_idle: self.sees_idle,
            deals_blindly: self.deals_blindly,
            capacity: link.rate.as_bps() as f64 / 8.0,
            arrivals: Arrivals::default(),
            interval,
            control_due: Instant::ZERO + self.control_phase.unwrap_or(self.initial_interval),
            rtt: interval,
            phi: 0.0,
            gains: Share::default(),
            cuts: Share::default(),
            persistent_queue: 0.0,
            least_queue: 0.0,
            queue_due: Instant::ZERO + self.queue_phase.unwrap_or(self.initial_interval),
        })
    }
}

/// [KHR02] equation 1 over d: `phi / d = alpha S - beta Q / d`.
fn efficiency(alpha: f64, beta: f64, spare: f64, queue: f64, rtt: f64) -> f64 {
    alpha * spare - beta * queue / rtt
}

/// [KHR02] section 3.5.2: `h = max(0, gamma y - |phi|)`.
fn shuffled(gamma: f64, traffic: f64, phi: f64) -> f64 {
    (gamma * traffic - phi.abs()).max(0.0)
}

/// The feedback to all flows together in a round trip, and the part that is redistributed among them.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Xcp { alpha, beta, gamma, .. } = args.typed::<Params>().policy(link)?;
    // Rates in percent of the capacity and round trips of 1, so that the path holds 100.
    let phi = |traffic: f64, queue: f64| efficiency(alpha, beta, 100.0 - traffic, queue, 1.0);
    let (range, knee) = ((0.0, 200.0), [100.0]);
    let unit = "% of the capacity";
    Ok(Graph::new(Axis::new("traffic that comes", unit), Axis::new("feedback to all", unit))
        .about(
            "The throughput that all flows together gain or lose in a round trip. A gain is divided evenly among them, a loss in \
             proportion to their rates. What is dealt anew is given to all and taken from all at once.",
        )
        .curve("no queue persists", range, &knee, |traffic| phi(traffic, 0.0))
        .curve("a queue of all that the path holds persists", range, &knee, |traffic| phi(traffic, 100.0))
        .curve("dealt anew where no queue persists", range, &dealt_from_to(alpha, gamma), |traffic| {
            shuffled(gamma, traffic, phi(traffic, 0.0))
        }))
}

/// The traffic at which the amount that is dealt anew changes its course without a queue, in percent of the capacity: `gamma y = |alpha
/// (100 - y)|`.
fn dealt_from_to(alpha: f64, gamma: f64) -> [f64; 3] {
    [100.0 * alpha / (alpha + gamma), 100.0, 100.0 * alpha / (alpha - gamma)]
}

impl Xcp {
    /// The control interval has ended.
    fn control(&mut self, now: Instant) {
        let seen = std::mem::take(&mut self.arrivals);
        self.rtt = if seen.spacing > 0.0 { seen.spacing_rtt / seen.spacing } else { self.initial_interval };
        self.phi = 0.0;
        let mut dealt = 0.0;
        if seen.bytes > 0.0 {
            let traffic = seen.bytes / self.interval;
            self.phi = efficiency(self.alpha, self.beta, self.capacity - traffic, self.persistent_queue, self.rtt);
            dealt = shuffled(self.gamma, traffic, self.phi);
        }
        // ns-2 2.35 (XCPQueue::Te_timeout): without any claims it divides by one second.
        let claims = if self.deals_blindly && seen.spacing == 0.0 { 1.0 } else { seen.spacing };
        self.gains = Share::of(self.phi.max(0.0) + dealt, claims);
        self.cuts = Share::of((-self.phi).max(0.0) + dealt, seen.bytes);
        self.interval = self.rtt.max(INTERVAL_MIN);
        self.control_due = now + Duration::from_secs_f64(self.interval);
    }

    /// The interval of the least queue has ended: half of the round trip without queue.
    fn measure_queue(&mut self, now: Instant, waiting: f64) {
        self.persistent_queue = self.least_queue;
        self.least_queue = waiting;
        let interval = ((self.rtt - waiting / self.capacity) / 2.0).max(QUEUE_INTERVAL_MIN);
        self.queue_due = now + Duration::from_secs_f64(interval);
    }

    /// Feedback in bytes per second to a packet whose claims on gains and cuts are these and that asks for `asked`.
    fn feedback(&mut self, spacing: f64, size: f64, asked: f64) -> f64 {
        let (mut gain, mut cut) = (self.gains.offer(spacing), self.cuts.offer(size));
        let offered = gain - cut;
        if asked < offered {
            // The sender or another router wants less: the rest is taken from the cuts of others.
            cut = (cut + offered - asked).min(self.cuts.residue);
            gain = asked + cut;
        }
        self.gains.take(gain);
        self.cuts.take(cut);
        offered.min(asked)
    }
}

impl Policy for Xcp {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.arrivals.bytes += f64::from(packet.size);
        if let Body::Data { header: Some(Header::Xcp(header)), .. } = packet.body {
            let rtt = f64::from(header.rtt);
            let spacing = rtt * f64::from(packet.size) / f64::from(header.cwnd);
            self.arrivals.spacing += spacing;
            self.arrivals.spacing_rtt += spacing * rtt.min(RTT_MAX);
        }
        Verdict::Pass
    }

    fn on_transmission(&mut self, _now: Instant, packet: &mut Packet, waiting: Backlog) {
        // The least queue counts the packet that leaves, as in ns-2.
        let size = f64::from(packet.size);
        self.least_queue = self.least_queue.min(waiting.bytes as f64 + size);
        if let Body::Data { header: Some(Header::Xcp(header)), .. } = &mut packet.body {
            let rtt = f64::from(header.rtt);
            // A byte per second in the unit of the header.
            let scale = if header.unit == XcpUnit::Window { rtt } else { 1.0 };
            let asked = f64::from(header.feedback) / scale;
            let granted = self.feedback(rtt * size / f64::from(header.cwnd), size, asked);
            header.feedback = header.feedback.min((granted * scale) as f32);
        }
    }

    fn on_idle(&mut self, _now: Instant) {
        if self.sees_idle {
            self.least_queue = 0.0;
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.control_due.min(self.queue_due))
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        if self.queue_due <= now {
            self.measure_queue(now, queue.bytes() as f64);
        }
        if self.control_due <= now {
            self.control(now);
        }
    }

    probes! { |self|
        "phi_bps" => self.phi * 8.0,
        "rtt_ms" => self.rtt * 1e3,
        "persistent_queue_bytes" => self.persistent_queue,
    }
}

#[cfg(test)]
mod tests;
