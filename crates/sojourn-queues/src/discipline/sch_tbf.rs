//! `tbf` (token bucket filter) of Linux: a shaper with a rate, and a peak rate for its bursts. Specification: the behaviour of Linux 6.12,
//! `sch_tbf`; tc-tbf(8). Compared with: the kernel beside it (`evidence/linux`). [`token_bucket`](super::token_bucket) is the published
//! shaper, with a policy in place of the queue.
//!
//! Tokens are nanoseconds. A packet leaves when both buckets have as many as it takes at their rates; that of the rate keeps those of
//! `burst` bytes, that of the peak rate those of `mtu`. A packet that is longer than one of these is dropped when it comes.

use crate::discipline::leaves::{Leaves, leaves_hooks};
use crate::mechanism::bucket::PerByte;
use crate::mechanism::framing::{Framing, Line};
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;
use crate::units::Duration;

/// The registry's entry.
pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "sch_tbf",
    title: "tbf (token bucket filter) of Linux",
    doc: "A shaper with a rate and a burst, as in Linux. With a peak rate, the burst leaves no faster than that. Any queue may be in it.",
    reference: "Linux sch_tbf",
    decides: "Tokens decide when a packet leaves. The queue in it decides about drops while packets wait.",
    probes: &[Probe::new(
        "overlimits",
        "",
        Probe::UP,
        "how often the link asked for a packet that had to wait for tokens",
    )],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of tbf.
    pub struct Params {
        ..framing: Framing;
        /// Rate at which packets leave in the long run; `auto` is that of the link.
        rate: Option<Rate> = "auto" in [8.0, 1e14], "our choice: tc asks for one";
        /// Bytes that may leave at once, with the `overhead` of a packet; it is the longest packet, too.
        burst: Bytes = "3028B" in [1.0, 4_294_967_295.0], "our choice: two of the longest packets; tc asks for it";
        /// The greatest rate of a burst, above `rate`; `auto`: that of the link.
        peakrate: Option<Rate> = "auto" in [8.0, 1e14], "tc";
        /// Bytes that may leave at once at the peak rate, with the `overhead` of a packet; it is the longest packet, too.
        mtu: Bytes = "1514B" in [1.0, 4_294_967_295.0], "our choice: the longest packet; tc asks for it", when peakrate not in ["auto"];
        /// The queue in it, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "our choice: as the schedulers; tc asks for a limit in bytes";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let rate = params.rate.unwrap_or(link.rate);
    let mut buckets = vec![Bucket::new(rate, params.burst, &params.framing)];
    if let Some(peak) = params.peakrate {
        if peak <= rate {
            let what = format!("the peak rate {peak} is not above the rate {rate}");
            return Err(BuildError::new("peakrate", what, "give a greater one, or none"));
        }
        buckets.push(Bucket::new(peak, params.mtu, &params.framing));
    }
    Ok(Box::new(Tbf {
        longest: params.burst.0.min(params.peakrate.map_or(u64::MAX, |_| params.mtu.0)),
        leaves: Leaves::new(std::iter::once(&params.queue), "queue", &LinkContext { rate, ..link.clone() })?,
        framing: params.framing,
        buckets,
        at: Instant::ZERO,
        due: None,
        overlimits: 0,
    }))
}

/// Time for packets at a rate. It is full at the start.
struct Bucket {
    per_byte: PerByte,
    depth: i64,
    tokens: i64,
}

impl Bucket {
    fn new(rate: Rate, bytes: Bytes, framing: &Framing) -> Self {
        let per_byte = PerByte::new(rate);
        let line = Line { overhead: 0, mpu: framing.mpu.0 as i64, cells: framing.cells };
        let depth = per_byte.nanos(line.bytes(bytes.0 as u32));
        Bucket { per_byte, depth, tokens: depth }
    }

    /// Its tokens after a time and a packet, below zero if it may not go yet.
    fn after(&self, passed: i64, bytes: u32) -> i64 {
        (self.tokens + passed).min(self.depth) - self.per_byte.nanos(bytes)
    }
}

struct Tbf {
    framing: Framing,
    leaves: Leaves,
    /// That of the rate, and that of the peak rate.
    buckets: Vec<Bucket>,
    /// When the last packet left.
    at: Instant,
    longest: u64,
    due: Option<Instant>,
    overlimits: u64,
}

impl QueueDiscipline for Tbf {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        if u64::from(packet.size) + self.framing.overhead.0 > self.longest {
            return cx.events.drop(now, packet, Reason::OVERFLOW);
        }
        self.leaves.enqueue(now, 0, packet, cx);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.due = None;
        let bytes = self.framing.framed(self.leaves.peek(now, 0, cx)?);
        let passed = (now.since(self.at).as_nanos() as i64).min(self.buckets[0].depth);
        let missing = self.buckets.iter().map(|bucket| -bucket.after(passed, bytes)).max()?;
        if missing > 0 {
            self.due = Some(now + Duration::from_nanos(missing as u64));
            self.overlimits += 1;
            return None;
        }
        let packet = self.leaves.dequeue(now, 0, cx)?;
        for bucket in &mut self.buckets {
            bucket.tokens = bucket.after(passed, bytes);
        }
        self.at = now;
        Some(packet)
    }

    fn next_deadline(&self) -> Option<Instant> {
        [self.due, self.leaves.next_deadline()].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        // The link asks for a packet then.
        self.due = self.due.filter(|due| *due > now);
        self.leaves.on_deadline(now, cx);
    }

    leaves_hooks!();

    probes! { |self|
        "overlimits" => self.overlimits as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{SchedulerRig, args};

    /// When each packet of 1000 bytes leaves, in ms; the link takes no time.
    fn left(settings: &[(&str, &str)]) -> Vec<f64> {
        let mut rig = SchedulerRig::new(&ENTRY, settings);
        rig.arrive(0.0, &[1; 6], 1000);
        let (mut now, mut times) = (0.0, Vec::new());
        while times.len() < 6 {
            match rig.next(now) {
                Some(_) => times.push(now),
                None => now = rig.queue.next_deadline().expect("a time").as_secs_f64() * 1e3,
            }
        }
        times
    }

    /// 1000 bytes take 2 ms at 4 Mbit/s and 1 ms at 8.
    #[test]
    fn a_burst_leaves_at_the_peak_rate() {
        let slow = [("rate", "4Mbit"), ("burst", "3000B")];
        assert_eq!(left(&slow), [0.0, 0.0, 0.0, 2.0, 4.0, 6.0]);
        // 3000 bytes and those of the 4 ms until the fifth make five packets, one each millisecond; then the rate.
        let peak = [("peakrate", "8Mbit"), ("mtu", "1000B")];
        assert_eq!(left(&[slow.as_slice(), &peak].concat()), [0.0, 1.0, 2.0, 3.0, 4.0, 6.0]);
    }

    #[test]
    fn a_packet_longer_than_a_bucket_is_dropped() {
        for (settings, waits) in [
            (vec![("burst", "1000B")], 1),
            (vec![("burst", "999B")], 0),
            (vec![("burst", "1013B"), ("overhead", "14B")], 0),
            (vec![("rate", "1Mbit"), ("peakrate", "2Mbit"), ("mtu", "999B")], 0),
        ] {
            let mut rig = SchedulerRig::new(&ENTRY, &settings);
            rig.arrive(0.0, &[1], 1000);
            assert_eq!(rig.queue.backlog().packets, waits, "{settings:?}");
        }
    }

    #[test]
    fn the_peak_is_above_the_rate() {
        let settings = args(&ENTRY, None, &[("rate", "2Mbit"), ("peakrate", "2Mbit")]);
        let found = ENTRY.build(&settings, &LinkContext::default());
        assert_eq!(found.map(|_| ()).map_err(|error| error.path()), Err("peakrate".into()));
    }
}
