//! Every entry of the registry keeps its promises, and who breaks one is caught.

use proptest::prelude::*;

use super::suite::PROMISES;
use super::thresholds::full_buffers;
use super::*;
use crate::packet::{Body, Ecn, Packet};
use crate::queue::entry::Build;
use crate::queue::{Backlog, Context, Limit, QueueDiscipline};
use crate::registry::QUEUES;
use crate::units::{Duration, Instant, Size};

fn every_entry_keeps(promise: &str) {
    let promise = PROMISES.iter().find(|known| known.name == promise).expect("a promise");
    for entry in QUEUES {
        assert_eq!((promise.check)(entry), Ok(()), "{}", entry.name);
    }
}

#[test]
fn every_entry_keeps_its_promises_on_fixed_sequences() {
    every_entry_keeps("packets");
}

#[test]
fn every_entry_keeps_its_promises_under_random_load_and_repeats_itself() {
    every_entry_keeps("random load");
}

#[test]
fn no_queue_breaks_where_a_number_is_at_the_end_of_its_range() {
    every_entry_keeps("ranges");
}

#[test]
fn every_entry_has_valid_defaults_and_presets() {
    every_entry_keeps("parameters");
}

#[test]
fn the_packets_of_every_policy_lead_one_life_inside_every_discipline() {
    every_entry_keeps("one life");
}

#[test]
fn automatic_thresholds_are_at_most_the_limit() {
    let drawn: usize = QUEUES.iter().map(|entry| full_buffers(entry).expect("thresholds within the limit")).sum();
    assert!(drawn > 100, "{drawn} laws were drawn");
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
        let fourth = self.packets.first().is_some_and(|packet| matches!(packet.body, Body::Datagram { seq: 3, .. }));
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
