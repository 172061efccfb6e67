//! The loop, on Linux.

use super::shared::{Report, Settings, Shared};
use crate::Error;
use crate::counts::PART_NS;
use crate::direction::{Direction, Leaving};
use crate::frame::Frame;
use crate::pieces;
use crate::record;
use crate::wire::{self, BATCH, Interface, Received, Wire};
use sojourn_files::{Ethernet, read_ethernet};
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;

const NAMES: [&str; 2] = ["up", "down"];
/// After the last packet it polls for this time, unless it spares the processor: the next packet of a burst finds it awake.
const AWAKE_NS: u64 = 2_000_000;
/// It wakes up this long before something is due, since that takes time.
const EARLY_NS: u64 = 50_000;
/// After `RUN_NS` without a pause it rests. That is more than the twentieth of the time that Linux reserves for ordinary threads: otherwise
/// the kernel would suspend it for 50 ms in each second.
const RUN_NS: u64 = 400_000;
const REST_NS: u64 = 30_000;
/// The longest sleep: it then ends within this time when it is stopped.
const NAP_NS: u64 = 20_000_000;
/// Calls in a row that read from one wire before anything leaves.
const READS: usize = 4;
/// Frames that leave with one call: the measured time is that of the last one.
const TOGETHER: usize = 16;
/// How often the difference between the two clocks is taken anew, and the recordings are handed over.
const SECOND_NS: u64 = 1_000_000_000;

pub(super) fn start(settings: Settings, shared: &Arc<Shared>) -> Result<(JoinHandle<()>, Vec<String>), Error> {
    let [lan, wan] = &settings.interfaces;
    if lan == wan {
        let message = format!(
            "both interfaces are {lan}\n  hint:    name the one towards the hosts and the one towards the network"
        );
        return Err(Error::Input(message));
    }
    let interfaces = [found(lan)?, found(wan)?];
    let mut warnings = Vec::new();
    for interface in &interfaces {
        if wire::has_address(&interface.name) {
            warnings.push(format!(
                "{} has an IP address: packets for this host go to this host, not through the gateway",
                interface.name
            ));
        }
    }
    if interfaces[0].mtu != interfaces[1].mtu {
        let [a, b] = &interfaces;
        warnings.push(format!(
            "the MTU of {} is {}, that of {} is {}: packets that are too large for one are lost",
            a.name, a.mtu, b.name, b.mtu
        ));
    }
    let (sender, receiver) = sync_channel(1);
    let theirs = Arc::clone(shared);
    // A queue need not be able to change its thread: all is made where it is used.
    let thread = std::thread::Builder::new().name("gateway".to_owned()).spawn(move || {
        match Bridge::new(&settings, &interfaces, &theirs) {
            Ok(mut bridge) => {
                let _ = sender.send(Ok(()));
                let ended = bridge.run(&theirs);
                bridge.finish(&theirs, ended);
            }
            Err(error) => {
                let _ = sender.send(Err(error));
            }
        }
        theirs.ended.store(true, Ordering::Release);
    });
    let thread = thread.map_err(|error| Error::Broken(format!("a thread cannot be started: {error}")))?;
    match receiver.recv() {
        Ok(Ok(())) => Ok((thread, warnings)),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(Error::Broken("the gateway's thread panicked: this is a fault of Sojourn".to_owned())),
    }
}

fn found(name: &str) -> Result<Interface, Error> {
    let Some(interface) = wire::interface(name) else {
        let known = wire::interface_names();
        let mut message = format!("there is no interface {name}\n  allowed: {}", known.join(", "));
        let near = known.iter().map(|other| (strsim(name, other), other)).min();
        if let Some((_, near)) = near.filter(|(distance, _)| *distance <= 2 && 2 * distance <= name.len()) {
            let _ = write!(message, "\n  hint:    did you mean {near}?");
        }
        return Err(Error::Input(message));
    };
    let refused = |what: &str, hint: &str| Err(Error::Input(format!("{name} {what}\n  hint:    {hint}")));
    if interface.loopback {
        return refused("is the loopback", "the gateway is between two networks; sojourn run simulates one");
    }
    if !interface.ethernet {
        return refused(
            "is not Ethernet",
            "name an Ethernet card, a veth, a bridge's port that is taken out, or a TAP",
        );
    }
    if !interface.up {
        return refused("is down", &format!("ip link set {name} up"));
    }
    if std::path::Path::new(&format!("/sys/class/net/{name}/brport")).exists() {
        let hint = format!("take it out: ip link set {name} nomaster; the gateway is a bridge itself");
        return refused("is a port of a bridge, which would send its packets on, too", &hint);
    }
    Ok(interface)
}

/// How many letters differ: enough for names of interfaces.
fn strsim(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    a.iter().zip(b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len())
}

struct Bridge {
    /// The first is towards the hosts, the second towards the network.
    wires: [Wire; 2],
    names: [String; 2],
    /// The first from the first wire to the second, the second back.
    directions: [Direction; 2],
    leaving: Vec<Leaving>,
    awake_ns: u64,
    offset: u64,
    began: u64,
}

impl Bridge {
    fn new(settings: &Settings, interfaces: &[Interface; 2], shared: &Shared) -> Result<Self, Error> {
        let open =
            |number: usize| Wire::open(&interfaces[number]).map_err(|error| not_open(&interfaces[number], &error));
        let offset = wire::since_1970();
        // Without files first: a link that is wrong leaves none.
        for link in &settings.links {
            Direction::new(link, settings.seed, None).map_err(|error| Error::Input(error.to_string()))?;
        }
        let wires = [open(0)?, open(1)?];
        if let Err(error) = wire::be_punctual(settings.cpu) {
            return Err(Error::Input(format!("processor {}: {error}", settings.cpu.unwrap_or_default())));
        }
        let recorders = match &settings.record {
            Some(folder) => record::begin(folder, NAMES, settings.rates, offset, &shared.unrecorded)
                .map_err(|error| Error::Input(format!("the recording cannot be written: {error}")))?
                .map(Some),
            None => [None, None],
        };
        let [up, down] = recorders;
        let direction = |number: usize, recorder| {
            Direction::new(&settings.links[number], settings.seed, recorder)
                .map_err(|error| Error::Input(error.to_string()))
        };
        Ok(Bridge {
            wires,
            names: settings.interfaces.clone(),
            directions: [direction(0, up)?, direction(1, down)?],
            leaving: Vec::with_capacity(TOGETHER),
            awake_ns: if settings.spare { 0 } else { AWAKE_NS },
            offset,
            began: wire::now(),
        })
    }

    /// Runs until it is stopped, or an interface goes away.
    fn run(&mut self, shared: &Shared) -> Result<(), Error> {
        let mut part_ends = self.began + PART_NS;
        let mut second_ends = self.began + SECOND_NS;
        let (mut awake_until, mut rested) = (0, self.began);
        while !shared.stop.load(Ordering::Acquire) {
            let before = wire::now();
            let mut busy = false;
            for from in 0..2 {
                busy |= self.read(from)?;
            }
            for from in 0..2 {
                busy |= self.send_due(from, before)?;
            }
            if before >= part_ends {
                self.end_part(shared, before);
                part_ends += PART_NS;
            }
            if before >= second_ends {
                self.offset = wire::since_1970();
                self.directions.iter_mut().for_each(Direction::flush);
                second_ends = before + SECOND_NS;
            }
            if busy {
                awake_until = before + self.awake_ns;
            }
            if before > rested + RUN_NS {
                wire::rest(REST_NS);
                rested = wire::now();
            } else if !busy && before > awake_until {
                let next = self.directions.iter().filter_map(Direction::next).min().unwrap_or(u64::MAX);
                let nap = next.min(part_ends).saturating_sub(before + EARLY_NS).min(NAP_NS);
                if nap > 0 {
                    wire::wait(&self.wires, nap);
                    rested = wire::now();
                }
            }
        }
        Ok(())
    }

    /// Takes the frames that arrived at one wire. Returns whether there were any.
    fn read(&mut self, from: usize) -> Result<bool, Error> {
        let mut any = false;
        for _ in 0..READS {
            let (direction, wires) = (&mut self.directions[from], &mut self.wires);
            let [first, second] = wires;
            let (wire, other) = if from == 0 { (first, second) } else { (second, first) };
            let mut passing = Vec::new();
            let got = wire.receive(self.offset, |received| take(direction, &received, &mut passing));
            let got = got.map_err(|error| gone(&self.names[from], &error))?;
            for frame in passing {
                let counts = &mut direction.counts;
                counts.totals.passed += 1;
                let leaving = [Leaving::passing(frame)];
                if other.send(&leaving).map_err(|error| gone(&self.names[1 - from], &error))? == 0 {
                    direction.counts.totals.missed += 1;
                }
            }
            any |= got > 0;
            if got < BATCH {
                break;
            }
        }
        Ok(any)
    }

    /// Sends the packets that are due by `time` in the direction from this wire. Returns whether there were any.
    fn send_due(&mut self, from: usize, time: u64) -> Result<bool, Error> {
        let direction = &mut self.directions[from];
        let mut any = false;
        loop {
            self.leaving.extend(std::iter::from_fn(|| direction.due(time)).take(TOGETHER));
            if self.leaving.is_empty() {
                return Ok(any);
            }
            any = true;
            let full = self.leaving.len() == TOGETHER;
            while !self.leaving.is_empty() {
                let sent =
                    self.wires[1 - from].send(&self.leaving).map_err(|error| gone(&self.names[1 - from], &error))?;
                let now = wire::now();
                if sent == 0 {
                    direction.refused(self.leaving.remove(0));
                }
                self.leaving.drain(..sent).for_each(|leaving| direction.left(now, leaving));
            }
            if !full {
                return Ok(any);
            }
        }
    }

    fn end_part(&mut self, shared: &Shared, time: u64) {
        for (direction, wire) in self.directions.iter_mut().zip(&mut self.wires) {
            direction.counts.totals.missed += wire.missed();
        }
        let mut shown = shared.shown();
        let parts = self.directions.each_mut().map(|direction| {
            let backlog = direction.backlog();
            direction.counts.end_part(backlog)
        });
        shown.parts.push(parts);
        shown.report = self.report(shared, time);
    }

    fn report(&self, shared: &Shared, time: u64) -> Report {
        Report {
            directions: self.directions.each_ref().map(|direction| direction.counts.totals.clone()),
            nanos: time - self.began,
            unrecorded: shared.unrecorded.load(Ordering::Relaxed),
        }
    }

    fn finish(mut self, shared: &Shared, ended: Result<(), Error>) {
        self.end_part(shared, wire::now());
        for direction in self.directions {
            direction.finish();
        }
        let mut shown = shared.shown();
        shown.report.unrecorded = shared.unrecorded.load(Ordering::Relaxed);
        shown.failed = ended.err();
    }
}

/// Puts a received frame on its path, cut as a card would have cut it; other frames than IP are added to `passing`.
fn take(direction: &mut Direction, received: &Received<'_>, passing: &mut Vec<Frame>) {
    let mut bytes = direction.buffer();
    bytes.clear();
    let mut checksum = received.checksum;
    if let Some(tag) = received.tag {
        let (addresses, rest) = received.bytes.split_at(12);
        bytes.extend_from_slice(addresses);
        bytes.extend_from_slice(&tag);
        bytes.extend_from_slice(rest);
        if let Some(checksum) = &mut checksum {
            checksum.start += tag.len() as u16;
        }
    } else {
        bytes.extend_from_slice(received.bytes);
    }
    let Ethernet::Ip(packet) = read_ethernet(&bytes) else {
        passing.push(Frame { bytes, checksum });
        return;
    };
    let time = received.time;
    let (Some(joined), Some(sum)) = (received.joined, checksum) else {
        direction.arrive(time, Frame { bytes, checksum }, &packet);
        return;
    };
    let mut parts = Vec::new();
    let is_cut = pieces::cut(&bytes, &packet, joined, sum, || direction.buffer(), |part| parts.push(part));
    if !is_cut {
        direction.arrive(time, Frame { bytes, checksum }, &packet);
        return;
    }
    direction.give_back(Frame { bytes, checksum });
    for part in parts {
        if let Ethernet::Ip(cut) = read_ethernet(&part.bytes) {
            direction.arrive(time, part, &cut);
        }
    }
}

fn not_open(interface: &Interface, error: &io::Error) -> Error {
    Error::Input(if error.kind() == io::ErrorKind::PermissionDenied {
        let what = "the gateway needs the rights of root: it opens packet sockets (CAP_NET_RAW)";
        format!("{what}\n  hint:    sudo, or a namespace of your own: unshare -Urn")
    } else {
        format!("{}: a packet socket cannot be opened: {error}", interface.name)
    })
}

fn gone(name: &str, error: &io::Error) -> Error {
    Error::Broken(format!("{name} went down or away: {error}"))
}
