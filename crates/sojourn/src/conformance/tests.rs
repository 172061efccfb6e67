//! Every entry of the registry keeps its promises, and who breaks one is caught.

use proptest::prelude::*;

use super::*;
use crate::packet::{Body, Packet};
use crate::queue::entry::Build;
use crate::queue::{Backlog, Context, Limit, QueueDiscipline};
use crate::registry::QUEUES;
use crate::units::{Instant, Size};

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
