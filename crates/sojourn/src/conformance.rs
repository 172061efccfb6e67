//! What every discipline keeps, whatever it decides. [`check`] drives one the way a link does and compares
//! it with an account of its own; the tests below visit every entry of the registry, every preset and every choice, so
//! that a new discipline is covered without writing anything.
//!
//! Kept: packets in = out + dropped + waiting, in packets and bytes; order within a flow, unless the entry says
//! that it reorders; what was dropped never comes out; only ECN-capable packets are marked, and no packet changes
//! otherwise; the limit holds; events carry the time at which they happen; an idle queue empties; deadlines lie
//! ahead and each is used up; only who says so sends choke packets; the same seed gives the same events.

use crate::component::BuildError;
use crate::packet::{Body, DelayHint, Ecn, FlowId, Packet};
use crate::params::{Args, Kind, Param, Value};
use crate::queue::entry::QueueEntry;
use crate::queue::inner::{InnerPolicy, OUTER};
use crate::queue::{Backlog, Context, Event, Limit, LinkContext, QueueDiscipline, What};
use crate::registry::POLICIES;
use crate::rng::Rng;
use crate::units::{Duration, Instant};

/// One step of a sequence that drives a discipline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A packet arrives.
    Arrive {
        /// Its flow.
        flow: u32,
        /// Its bytes; at least 1.
        size: u32,
        /// Its ECN field.
        ecn: Ecn,
        /// Delay that it asks for.
        hint: Option<Duration>,
    },
    /// The packet in transmission, if any, has been sent.
    Depart,
    /// Time passes; deadlines in it are served.
    Pause(Duration),
}

/// What a discipline did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Numbers of the packets that came out, in order.
    pub departures: Vec<u64>,
    /// Drops and marks, in order.
    pub events: Vec<Event>,
}

/// Drives a new discipline through `operations` and then empties it. `Err` names what it broke, and at which operation.
pub fn check(
    entry: &QueueEntry,
    args: &Args,
    link: &LinkContext,
    seed: u64,
    operations: &[Operation],
) -> Result<Trace, String> {
    let build = |error: BuildError| format!("{}: {}", error.param, error.complaint.what);
    let mut driver = Driver {
        queue: entry.build(args, link).map_err(build)?,
        cx: Context::new(Rng::named(seed, entry.name)),
        reorders: entry.reorders,
        now: Instant::ZERO,
        transmitting: false,
        packets: Vec::new(),
        waiting: Backlog::default(),
        last_of_flow: Vec::new(),
        trace: Trace::default(),
    };
    for (index, operation) in operations.iter().enumerate() {
        driver.apply(*operation).map_err(|broken| format!("operation {index}, {operation:?}: {broken}"))?;
    }
    driver.empty().map_err(|broken| format!("emptying: {broken}"))?;
    Ok(driver.trace)
}

/// Checks that defaults and presets of an entry are valid and that each value's text reads back.
pub fn check_params(entry: &QueueEntry) -> Result<(), String> {
    for spec in entry.params {
        let default = spec.read_text(spec.default).map_err(|complaint| format!("{}: {}", spec.name, complaint.what))?;
        reads_back(spec, &default)?;
        if spec.doc.trim().is_empty() || spec.source.trim().is_empty() {
            return Err(format!("{}: documentation or source is missing", spec.name));
        }
    }
    for preset in entry.presets {
        let args = entry.args(Some(preset.name)).map_err(|complaint| format!("{}: {}", preset.name, complaint.what))?;
        args.specs().iter().zip(args.values()).try_for_each(|(spec, value)| reads_back(spec, value))?;
    }
    Ok(())
}

fn reads_back(spec: &Param, value: &Value) -> Result<(), String> {
    let text = value.to_string();
    match spec.read_text(&text) {
        Ok(again) if again == *value => Ok(()),
        other => Err(format!("{}: {value:?} is written {text:?} and read as {other:?}", spec.name)),
    }
}

/// The entry's parameters worth driving: defaults, every preset, and on each of them every truth value and choice
/// once, and a short buffer. Combinations that the entry refuses are left out, presets never.
pub fn variants(entry: &QueueEntry, link: &LinkContext) -> Result<Vec<Args>, String> {
    let mut all = Vec::new();
    for preset in std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name))) {
        let base = entry.args(preset).map_err(|complaint| complaint.what)?;
        let refused = |error: BuildError| format!("preset {preset:?}: {}: {}", error.param, error.complaint.what);
        entry.build(&base, link).map_err(refused)?;
        for (index, spec) in entry.params.iter().enumerate() {
            let inner = if matches!(spec.kind, Kind::Policy(_)) && preset.is_none() { policies()? } else { Vec::new() };
            for value in choices(spec).into_iter().chain(inner).filter(|value| *value != base.values()[index]) {
                let mut changed = base.clone();
                changed.set(index, value);
                if entry.build(&changed, link).is_ok() {
                    all.push(changed);
                }
            }
        }
        all.push(base);
    }
    Ok(all)
}

/// Every value of a parameter that has few, and a short buffer.
fn choices(spec: &Param) -> Vec<Value> {
    match spec.kind {
        Kind::Bool => vec![Value::Bool(true), Value::Bool(false)],
        Kind::Choice(names) => names.iter().copied().map(Value::Choice).collect(),
        Kind::Size if spec.name == "limit" => spec.read_text("3p").into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What may stand inside another discipline: each policy with its defaults, its presets, and each truth value and choice.
fn policies() -> Result<Vec<Value>, String> {
    let mut all = Vec::new();
    for entry in POLICIES {
        let base = entry.args(None).map_err(|complaint| complaint.what)?;
        for (index, spec) in entry.params.iter().enumerate().filter(|(_, spec)| spec.name != OUTER) {
            for value in choices(spec).into_iter().filter(|value| *value != base.values()[index]) {
                let mut changed = base.clone();
                changed.set(index, value);
                all.push(Value::Policy(InnerPolicy::new(entry, changed)));
            }
        }
        for preset in entry.presets {
            let args = entry.args(Some(preset.name)).map_err(|complaint| complaint.what)?;
            all.push(Value::Policy(InnerPolicy::new(entry, args)));
        }
        all.push(Value::Policy(InnerPolicy::new(entry, base)));
    }
    Ok(all)
}

/// `length` operations that load the link `load` times over on the long run, with bursts, idle times, eight flows and three
/// sizes; a pure function of its arguments.
pub fn random_operations(seed: u64, length: usize, load: f64) -> Vec<Operation> {
    let mut rng = Rng::named(seed, "conformance");
    let depart = 1.0 / (1.0 + load);
    let mut operation = || match rng.uniform() {
        u if u < 0.02 => Operation::Pause(Duration::from_secs_f64(rng.exponential(0.05))),
        u if u < 0.2 => Operation::Pause(Duration::from_secs_f64(rng.exponential(0.002))),
        _ if rng.uniform() < depart => Operation::Depart,
        _ => Operation::Arrive {
            flow: rng.below(8) as u32,
            size: [40, 1000, 1500][rng.below(3) as usize],
            ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][rng.below(4) as usize],
            hint: [None, Some(Duration::from_millis(20)), Some(Duration::from_millis(200))][rng.below(3) as usize],
        },
    };
    (0..length).map(|_| operation()).collect()
}

/// Where a packet is, by the driver's own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Waiting,
    Out,
    Dropped,
}

struct Driver {
    queue: Box<dyn QueueDiscipline>,
    cx: Context,
    reorders: bool,
    now: Instant,
    transmitting: bool,
    packets: Vec<(Packet, Place)>,
    waiting: Backlog,
    last_of_flow: Vec<Option<u64>>,
    trace: Trace,
}

impl Driver {
    fn apply(&mut self, operation: Operation) -> Result<(), String> {
        match operation {
            Operation::Arrive { flow, size, ecn, hint } => {
                let plain = Packet::datagram(FlowId(flow), self.packets.len() as u64, size).with_ecn(ecn);
                let packet = Packet { delay_hint: hint.map(DelayHint::new), ..plain };
                self.packets.push((packet, Place::Waiting));
                self.count(&packet, true);
                self.queue.enqueue(self.now, packet, &mut self.cx);
                self.take_events()?;
                if !self.transmitting {
                    self.transmit()?;
                }
            }
            Operation::Depart if self.transmitting => self.transmit()?,
            Operation::Depart => {}
            Operation::Pause(span) => self.pass(self.now + span)?,
        }
        self.compare()
    }

    fn transmit(&mut self) -> Result<(), String> {
        let out = self.queue.dequeue(self.now, &mut self.cx);
        self.take_events()?;
        self.transmitting = out.is_some();
        match out {
            Some(packet) => self.leaves(&packet),
            None => Ok(()),
        }
    }

    fn leaves(&mut self, packet: &Packet) -> Result<(), String> {
        let number = self.change_place(packet, Place::Out)?;
        let original = self.packets[number as usize].0;
        let marked = self.trace.events.iter().any(|event| matches!(event.what, What::Mark(_)) && is(event, number));
        let ecn = if marked { Ecn::Ce } else { original.ecn };
        if (Packet { enqueued_at: original.enqueued_at, ..*packet }) != original.with_ecn(ecn) {
            return Err(format!("packet {number} came out changed: {packet:?}"));
        }
        let flow = packet.flow.0 as usize;
        self.last_of_flow.resize(self.last_of_flow.len().max(flow + 1), None);
        if !self.reorders && self.last_of_flow[flow].is_some_and(|last| last > number) {
            return Err(format!("packet {number} came out behind a later one of its flow"));
        }
        self.last_of_flow[flow] = Some(number);
        self.trace.departures.push(number);
        Ok(())
    }

    fn take_events(&mut self) -> Result<(), String> {
        let events: Vec<Event> = self.cx.events.drain().collect();
        for event in events {
            if event.time != self.now {
                return Err(format!("an event says {:?} at {:?}", event.time, self.now));
            }
            match event.what {
                What::Drop(_) => {
                    self.change_place(&event.packet, Place::Dropped)?;
                }
                What::Mark(_) => {
                    let number = self.known(&event.packet)?;
                    if !self.packets[number as usize].0.ecn.is_capable() || event.packet.ecn != Ecn::Ce {
                        return Err(format!("packet {number} was marked and is not capable of it, or carries no mark"));
                    }
                }
                What::Choke(_) => {
                    if !self.queue.sends_chokes() {
                        return Err("it sends choke packets and does not say that it does".into());
                    }
                    let Body::Datagram { seq, .. } = event.packet.body else {
                        return Err("a packet's body changed".into());
                    };
                    if seq as usize >= self.packets.len() {
                        return Err(format!("a choke packet is about packet {seq}, which never came"));
                    }
                }
                What::Loss(_) => return Err("a queue knows nothing of losses on the link".into()),
            }
            self.trace.events.push(event);
        }
        Ok(())
    }

    /// Its number, if it waits.
    fn known(&self, packet: &Packet) -> Result<u64, String> {
        let Body::Datagram { seq, .. } = packet.body else {
            return Err("a packet's body changed".into());
        };
        match self.packets.get(seq as usize) {
            Some((_, Place::Waiting)) => Ok(seq),
            Some((_, place)) => Err(format!("packet {seq} appears again and is {place:?} already")),
            None => Err(format!("packet {seq} never came")),
        }
    }

    fn change_place(&mut self, packet: &Packet, place: Place) -> Result<u64, String> {
        let number = self.known(packet)?;
        self.packets[number as usize].1 = place;
        self.count(packet, false);
        Ok(number)
    }

    fn count(&mut self, packet: &Packet, joins: bool) {
        let size = u64::from(packet.size);
        if joins {
            self.waiting.packets += 1;
            self.waiting.bytes += size;
        } else {
            self.waiting.packets -= 1;
            self.waiting.bytes -= size;
        }
    }

    /// Serves the deadlines up to `until`.
    fn pass(&mut self, until: Instant) -> Result<(), String> {
        while let Some(due) = self.queue.next_deadline().filter(|due| *due <= until) {
            if due < self.now {
                return Err(format!("the next deadline {due:?} lies in the past of {:?}", self.now));
            }
            self.now = due;
            self.queue.on_deadline(due, &mut self.cx);
            self.take_events()?;
            if self.queue.next_deadline().is_some_and(|next| next <= due) {
                return Err(format!("the deadline {due:?} was served and is not used up"));
            }
        }
        self.now = until;
        Ok(())
    }

    fn compare(&self) -> Result<(), String> {
        let (backlog, limit) = (self.queue.backlog(), self.queue.limit());
        if backlog != self.waiting {
            return Err(format!("the queue says {backlog:?}, in - out - dropped is {:?}", self.waiting));
        }
        if backlog.packets > limit.packets || backlog.bytes > limit.bytes {
            return Err(format!("{backlog:?} is over the limit {limit:?}"));
        }
        if limit == Limit::NONE {
            return Err("the queue has no limit".into());
        }
        match (0..self.queue.probes().len()).find(|index| self.queue.probe(*index).is_nan()) {
            Some(index) => Err(format!("probe {} is not a number", self.queue.probes()[index])),
            None => Ok(()),
        }
    }

    fn empty(&mut self) -> Result<(), String> {
        self.transmitting = true;
        while self.transmitting {
            self.transmit()?;
        }
        self.compare()?;
        if self.waiting == Backlog::default() { Ok(()) } else { Err(format!("{:?} never came out", self.waiting)) }
    }
}

fn is(event: &Event, number: u64) -> bool {
    matches!(event.packet.body, Body::Datagram { seq, .. } if seq == number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::queue::entry::Build;
    use crate::registry::QUEUES;
    use crate::units::Size;

    fn fixed_sequences() -> Vec<Vec<Operation>> {
        let arrive = |flow: u32| Operation::Arrive { flow, size: 1000, ecn: Ecn::Ect0, hint: None };
        let burst: Vec<Operation> = (0..300).map(|n| arrive(n % 3)).collect();
        // 1000 arrivals at twice the rate of the link: 0.4 ms apart, a departure every 0.8 ms.
        let overload = (0..1000_u32).flat_map(|n| {
            let step = [arrive(n % 5), Operation::Pause(Duration::from_micros(400)), Operation::Depart];
            step.into_iter().take(if n % 2 == 0 { 2 } else { 3 })
        });
        let alone = [arrive(0), Operation::Pause(Duration::from_millis(200)), Operation::Depart].repeat(10);
        vec![Vec::new(), burst, overload.collect(), alone]
    }

    #[test]
    fn every_entry_keeps_its_promises_on_fixed_sequences() {
        let link = LinkContext::default();
        for entry in QUEUES {
            for args in variants(entry, &link).expect(entry.name) {
                for operations in fixed_sequences() {
                    if let Err(broken) = check(entry, &args, &link, 1, &operations) {
                        panic!("{} {:?}: {broken}", entry.name, args.values());
                    }
                }
            }
        }
    }

    #[test]
    fn every_entry_keeps_its_promises_under_random_load_and_repeats_itself() {
        let link = LinkContext::default();
        for entry in QUEUES {
            for (mut args, seed) in variants(entry, &link).expect(entry.name).into_iter().zip(1..) {
                // Few queues, so that eight flows meet in them and the test is quick.
                let _ = args.set_text("flows", "4");
                for load in [0.5, 1.0, 3.0] {
                    let operations = random_operations(seed, 1000, load);
                    let first = check(entry, &args, &link, seed, &operations);
                    if let Err(broken) = &first {
                        panic!("{} {:?}: {broken}", entry.name, args.values());
                    }
                    assert_eq!(first, check(entry, &args, &link, seed, &operations), "{}", entry.name);
                }
            }
        }
    }

    /// The least and the greatest value of a parameter that is a number.
    fn ends(spec: &Param) -> Vec<Value> {
        let unit = match spec.kind {
            Kind::Integer | Kind::Number | Kind::Fraction => "",
            Kind::Size => "p",
            Kind::Time => "s",
            _ => return Vec::new(),
        };
        [spec.min, spec.max].iter().filter_map(|end| spec.read_text(&format!("{end}{unit}")).ok()).collect()
    }

    #[test]
    fn no_policy_breaks_where_a_number_is_at_the_end_of_its_range() {
        let link = LinkContext::default();
        let operations = random_operations(1, 100, 2.0);
        for entry in POLICIES {
            let base = entry.args(None).expect(entry.name);
            for (index, spec) in entry.params.iter().enumerate() {
                for value in ends(spec) {
                    let mut args = base.clone();
                    args.set(index, value.clone());
                    // A combination may be refused, but not break.
                    if entry.build(&args, &link).is_ok()
                        && let Err(broken) = check(entry, &args, &link, 1, &operations)
                    {
                        panic!("{} with {} = {value}: {broken}", entry.name, spec.name);
                    }
                }
            }
        }
    }

    #[test]
    fn every_entry_has_valid_defaults_and_presets() {
        for entry in QUEUES {
            assert_eq!(check_params(entry), Ok(()), "{}", entry.name);
        }
    }

    #[test]
    fn names_are_unique() {
        for (index, entry) in QUEUES.iter().enumerate() {
            assert!(QUEUES[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
        }
    }

    /// Does everything wrong that its `limit` names: 1 loses, 2 marks, 3 overtakes, 4 holds back every fourth packet.
    struct Faulty {
        packets: Vec<Packet>,
        fault: u64,
    }

    impl QueueDiscipline for Faulty {
        fn enqueue(&mut self, _now: Instant, packet: Packet, _cx: &mut Context) {
            self.packets.push(packet);
        }

        fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
            let fourth =
                self.packets.first().is_some_and(|packet| matches!(packet.body, Body::Datagram { seq: 3, .. }));
            match self.fault {
                1 if fourth => drop(self.packets.remove(0)),
                2 if fourth => {
                    self.packets[0].ecn = Ecn::Ect0;
                    assert!(cx.events.mark_or_drop(now, &mut self.packets[0], crate::queue::Reason::EARLY));
                }
                3 if fourth => self.packets.rotate_left(1),
                4 if fourth => return None,
                _ => {}
            }
            (!self.packets.is_empty()).then(|| self.packets.remove(0))
        }

        fn backlog(&self) -> Backlog {
            let bytes = self.packets.iter().map(|packet| u64::from(packet.size)).sum();
            Backlog { packets: self.packets.len() as u64, bytes }
        }

        fn limit(&self) -> Limit {
            Limit::packets(100)
        }
    }

    #[test]
    fn faults_are_caught() {
        #[allow(clippy::unnecessary_wraps, reason = "the registry's signature")]
        fn build(args: &Args, _link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
            let Some(Value::Size(Size::Packets(fault))) = args.get("limit") else { unreachable!("fifo has a limit") };
            Ok(Box::new(Faulty { packets: Vec::new(), fault: fault as u64 }))
        }
        let entry = QueueEntry { build: Build::Discipline(build), ..crate::aqm::fifo::ENTRY };
        let arrivals = [Operation::Arrive { flow: 0, size: 1000, ecn: Ecn::NotEct, hint: None }; 6];
        let caught = |fault: &str| {
            let mut args = entry.args(None).expect("defaults");
            args.set_text("limit", fault).expect("a size");
            check(&entry, &args, &LinkContext::default(), 1, &arrivals).err().unwrap_or_default()
        };

        assert_eq!(caught("0p"), "");
        assert!(caught("1p").contains("in - out - dropped"), "{}", caught("1p"));
        assert!(caught("2p").contains("was marked"), "{}", caught("2p"));
        assert!(caught("3p").contains("behind a later one"), "{}", caught("3p"));
        assert!(caught("4p").contains("never came out"), "{}", caught("4p"));
    }

    fn operation() -> impl Strategy<Value = Operation> {
        let ecn = prop_oneof![Just(Ecn::NotEct), Just(Ecn::Ect0), Just(Ecn::Ect1), Just(Ecn::Ce)];
        let hint = proptest::option::of((0..500_u64).prop_map(Duration::from_millis));
        prop_oneof![
            4 => (0..4_u32, 1..3000_u32, ecn, hint)
                .prop_map(|(flow, size, ecn, hint)| Operation::Arrive { flow, size, ecn, hint }),
            3 => Just(Operation::Depart),
            2 => (0..200_000_u64).prop_map(|micros| Operation::Pause(Duration::from_micros(micros))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_sequence_breaks_an_entry(operations in proptest::collection::vec(operation(), 0..200), seed in 0..1000_u64) {
            let link = LinkContext::default();
            for entry in QUEUES {
                for preset in std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name))) {
                    let args = entry.args(preset).expect("a valid preset");
                    let result = check(entry, &args, &link, seed, &operations);
                    prop_assert!(result.is_ok(), "{} {:?}: {:?}", entry.name, preset, result);
                }
            }
        }
    }
}
