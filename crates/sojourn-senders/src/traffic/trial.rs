//! The common part of tests of sources: a source runs without a transport, and every transfer is complete at once or after a given time.

use super::{Amount, AppContext, Application, Demand};
use crate::params::Args;
use crate::rng::Rng;
use crate::traffic::entry::AppEntry;
use crate::units::{Bytes, Duration, Instant};

/// Default values, a preset and settings.
pub fn args(entry: &AppEntry, preset: Option<&str>, settings: &[(&str, &str)]) -> Args {
    let mut args = entry.args(preset).expect("a preset");
    for (name, value) in settings {
        args.set_text(name, value).unwrap_or_else(|error| panic!("{name} = {value}: {error:?}"));
    }
    args
}

/// Something that a source asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// When, in seconds.
    pub time: f64,
    pub demand: Demand,
}

/// Runs a source for `seconds` seconds. A transfer of `bytes` takes `transfer(bytes)`. With `None` no transfer ends (datagrams).
pub fn run(source: &mut dyn Application, seconds: f64, transfer: Option<fn(u64) -> Duration>) -> Vec<Asked> {
    let mut rng = Rng::named(1, "test");
    let mut cx = AppContext { rng: &mut rng, packet: Bytes(1000), header: Bytes(28) };
    let mut asked = Vec::new();
    let mut done: Option<Instant> = None;
    let mut now = Instant::ZERO;
    let mut demand = source.on_start(now, &mut cx);
    loop {
        if demand != Demand::NOTHING {
            asked.push(Asked { time: now.as_secs_f64(), demand });
        }
        if let (Amount::Bytes(Bytes(bytes)), Some(transfer)) = (demand.write, transfer) {
            done = Some(now + transfer(bytes));
        }
        let deadline = source.next_deadline();
        let Some(next) = [deadline, done].into_iter().flatten().min() else { break };
        if next.as_secs_f64() >= seconds {
            break;
        }
        assert!(next >= now, "time went backwards");
        now = next;
        demand = if done == Some(now) {
            done = None;
            source.on_transfer_complete(now, &mut cx)
        } else {
            source.on_deadline(now, &mut cx)
        };
    }
    asked
}

/// Time and payload of each write of a source that sends datagrams of at most 1000 bytes, 28 of them headers.
pub fn sends(source: &mut dyn Application, seconds: f64) -> Vec<(f64, u64)> {
    run(source, seconds, None)
        .into_iter()
        .filter_map(|asked| match asked.demand.write {
            Amount::Bytes(Bytes(bytes)) | Amount::Packet(Bytes(bytes)) => Some((asked.time, bytes)),
            Amount::Nothing | Amount::Endless => None,
        })
        .collect()
}

/// The times alone.
pub fn sending_times(mut source: Box<dyn Application>, seconds: f64) -> Vec<f64> {
    sends(source.as_mut(), seconds).into_iter().map(|(time, _)| time).collect()
}
