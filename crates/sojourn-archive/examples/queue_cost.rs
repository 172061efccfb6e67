//! The cost of a packet in each queue of the registry, with its defaults and with its preset `linux`, alone: without links, senders
//! and events.
//!
//! `queue_cost` prints one JSON line for each queue: nanoseconds and allocations per packet at 200 packets of backlog, and
//! nanoseconds with 1,000 flows and with 100,000. `queue_cost NAME ...` measures these queues only; `NAME:PRESET` is a queue with a
//! preset.
//!
//! Packets of 1000 bytes come at random from the flows, 2 % faster than the link sends them, and whatever waits beyond 200 packets
//! leaves at once. An AQM that drops more holds fewer: the backlog that was held is printed too. Limits are 1000 packets.
//!
//! `full` is the nanoseconds with 1,000 flows whose packets arrive twice as fast as the link sends, so that every other packet finds a full
//! buffer or is dropped before. `queue_cost --count NAME FLOWS calm|full PACKETS` runs PACKETS packets of one load and prints their number.
//! A profiler counts the rest.

use std::time::Instant as Clock;

use sojourn_archive::registry;
use sojourn_sim::packet::{Ecn, FlowId, Packet};
use sojourn_sim::queue::entry::QueueEntry;
use sojourn_sim::queue::{Context, LinkContext, QueueDiscipline};
use sojourn_sim::rng::Rng;
use sojourn_sim::units::{Bytes, Duration, Instant, Rate};

/// Packets that wait, if the queue lets them.
const BACKLOG: u64 = 200;
/// In the calm load, one packet in 50 is more than the link sends.
const EXCESS: u64 = 50;
const PACKETS: u64 = 200_000;
const ROUNDS: usize = 5;

fn main() -> Result<(), String> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let [option, name, flows, load, packets] = names.as_slice()
        && option == "--count"
    {
        return count(name, flows, load, packets);
    }
    let chosen: Result<Vec<Chosen>, String> = names.iter().map(|name| Chosen::named(name)).collect();
    let chosen = if names.is_empty() { Chosen::all() } else { chosen? };
    for queue in chosen {
        let few = Load::new(queue, 100, Kind::Calm)?.measure();
        let many = Load::new(queue, 1_000, Kind::Calm)?.measure();
        let most = Load::new(queue, 100_000, Kind::Calm)?.measure();
        let full = Load::new(queue, 1_000, Kind::Full)?.measure();
        println!(
            "{{\"queue\": {:?}, \"ns\": {:.1}, \"allocations\": {:.4}, \"backlog\": {:.1}, \"ns_1000\": {:.1}, \"ns_100000\": {:.1}, \
             \"full\": {:.1}}}",
            queue.name(),
            few.nanos,
            few.allocations,
            few.backlog,
            many.nanos,
            most.nanos,
            full.nanos
        );
    }
    Ok(())
}

fn count(name: &str, flows: &str, load: &str, packets: &str) -> Result<(), String> {
    let queue = Chosen::named(name)?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{text:?}: {error}"));
    let kind = match load {
        "calm" => Kind::Calm,
        "full" => Kind::Full,
        _ => return Err(format!("{load:?} is neither calm nor full")),
    };
    let mut run = Load::new(queue, number(flows)?, kind)?;
    (0..number(packets)?).for_each(|_| run.step());
    println!("{{\"queue\": {name:?}, \"packets\": {}, \"waiting\": {}}}", run.sent, run.queue.backlog().packets);
    Ok(())
}

/// A queue of the registry, and one of its presets.
#[derive(Clone, Copy)]
struct Chosen {
    entry: &'static QueueEntry,
    preset: Option<&'static str>,
}

impl Chosen {
    /// `NAME` or `NAME:PRESET`.
    fn named(text: &str) -> Result<Self, String> {
        let (name, preset) = text.split_once(':').map_or((text, None), |(name, preset)| (name, Some(preset)));
        let entry = registry().queue(name).ok_or_else(|| format!("there is no queue {name:?}"))?;
        let of = |wanted: &str| {
            let found = entry.presets.iter().find(|known| known.name == wanted);
            found.map(|known| known.name).ok_or_else(|| format!("{name} has no preset {wanted:?}"))
        };
        Ok(Chosen { entry, preset: preset.map(of).transpose()? })
    }

    /// Each queue with its defaults, and behind it with the preset `linux` if there is one.
    fn all() -> Vec<Self> {
        let linux = |entry: &&QueueEntry| entry.presets.iter().any(|preset| preset.name == "linux");
        registry()
            .queues()
            .flat_map(|entry| {
                let exact = Some(entry).filter(linux).map(|entry| Chosen { entry, preset: Some("linux") });
                std::iter::once(Chosen { entry, preset: None }).chain(exact)
            })
            .collect()
    }

    fn name(&self) -> String {
        self.preset.map_or_else(|| self.entry.name.into(), |preset| format!("{}:{preset}", self.entry.name))
    }
}

/// How much comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Hardly more than leaves.
    Calm,
    /// Twice as much.
    Full,
}

struct Cost {
    nanos: f64,
    allocations: f64,
    backlog: f64,
}

/// A queue under load.
struct Load {
    queue: Box<dyn QueueDiscipline>,
    cx: Context,
    rng: Rng,
    flows: u64,
    kind: Kind,
    now: Instant,
    sent: u64,
    waited: u64,
}

impl Load {
    fn new(chosen: Chosen, flows: u64, kind: Kind) -> Result<Self, String> {
        // At 1 Gbit/s and 100 ms a bandwidth-delay product is 12,500 packets: no default limit is in the way.
        let link = LinkContext {
            rate: Rate::from_bps(1_000_000_000),
            base_rtt: Duration::from_millis(100),
            mean_packet: Bytes(1000),
            flows,
            ..LinkContext::default()
        };
        let Chosen { entry, preset } = chosen;
        let mut args = entry.args(preset).map_err(|complaint| complaint.what)?;
        if entry.params.iter().any(|param| param.name == "limit") {
            args.set_text("limit", "1000p").map_err(|complaint| complaint.what)?;
        }
        let queue = entry.build(&args, &link).map_err(|error| error.complaint.what)?;
        let cx = Context::new(Rng::named(1, "queue"));
        let rng = Rng::named(1, "load");
        Ok(Load { queue, cx, rng, flows, kind, now: Instant::ZERO, sent: 0, waited: 0 })
    }

    /// One packet comes, and one leaves but for every fiftieth, or every other one.
    fn step(&mut self) {
        self.now += Duration::from_nanos(8_000);
        if let Some(deadline) = self.queue.next_deadline()
            && deadline <= self.now
        {
            self.queue.on_deadline(deadline, &mut self.cx);
        }
        let flow = FlowId(self.rng.below(self.flows) as u32);
        let packet = Packet::datagram(flow, self.sent, 1000).with_ecn(Ecn::NotEct);
        self.sent += 1;
        self.queue.enqueue(self.now, packet, &mut self.cx);
        self.waited += self.queue.backlog().packets;
        let excess = if self.kind == Kind::Full { 2 } else { EXCESS };
        if !self.sent.is_multiple_of(excess) {
            self.queue.dequeue(self.now, &mut self.cx);
        }
        // A shaper keeps its packets until there are tokens; its limit bounds them.
        while self.kind == Kind::Calm
            && self.queue.backlog().packets > BACKLOG
            && self.queue.dequeue(self.now, &mut self.cx).is_some()
        {}
        self.cx.events.clear();
    }

    fn measure(mut self) -> Cost {
        for _ in 0..PACKETS {
            self.step();
        }
        self.waited = 0;
        let mut nanos = f64::INFINITY;
        for _ in 0..ROUNDS {
            let began = Clock::now();
            for _ in 0..PACKETS {
                self.step();
            }
            nanos = nanos.min(began.elapsed().as_nanos() as f64 / PACKETS as f64);
        }
        let backlog = self.waited as f64 / (ROUNDS as u64 * PACKETS) as f64;
        let counted = allocation_counter::measure(|| (0..PACKETS).for_each(|_| self.step()));
        Cost { nanos, allocations: counted.count_total as f64 / PACKETS as f64, backlog }
    }
}
