//! The values that a queue shows: the meaning of its probes, and its counters at the end of a run, like Linux's `tc -s qdisc`: counters
//! since the start, by name.
//!
//! By default a queue shows its probes, and its drops and marks by reason. A queue that Linux has, too, says in its
//! [entry](super::entry::QueueEntry) by which names `tc` shows the same.

use super::{Backlog, QueueDiscipline, Reason, What};

/// The description of a probe, which `record.probes` samples.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its name, as in the table `probe`.
    pub name: &'static str,
    /// Its unit. Empty for a number without one.
    pub unit: &'static str,
    /// The values that it may have.
    pub range: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}

/// The probes of a [`Policy`](crate::queue::Policy) or a [`QueueDiscipline`]: for each its name and its value. A `let` before them serves
/// all.
///
/// ```
/// # use sojourn_queues::queue::prelude::*;
/// struct Controller { p: f64 }
///
/// impl Policy for Controller {
///     # fn on_arrival(&mut self, _: Instant, _: &Packet, _: &mut QueueView<'_>, _: &mut Rng) -> Verdict { Verdict::Pass }
///     probes! { |self|
///         let drop_prob = self.p.min(1.0);
///         "drop_prob" => drop_prob,
///         "p" => self.p,
///     }
/// }
/// assert_eq!((Controller { p: 2.0 }.probes(), Controller { p: 2.0 }.probe(1)), (&["drop_prob", "p"][..], 2.0));
/// ```
#[macro_export]
macro_rules! probes {
    (|$self:ident| $(let $shared:pat = $of:expr;)* $($name:literal => $value:expr,)+) => {
        fn probes(&$self) -> &'static [&'static str] {
            &[$($name),+]
        }

        fn probe(&$self, index: usize) -> f64 {
            $(let $shared = $of;)*
            let mut places = 0..;
            $(if places.next() == Some(index) {
                return $value;
            })+
            f64::NAN
        }
    };
}

impl Probe {
    /// The unit of a queue whose thresholds are in packets or in bytes.
    pub const SIZE: &'static str = "packets or bytes, as the thresholds";
    /// The range of a share.
    pub const SHARE: &'static str = "0 to 1";
    /// The range of a number that is never negative.
    pub const UP: &'static str = "0 or more";

    /// A probe of this name, unit, range and meaning.
    pub const fn new(name: &'static str, unit: &'static str, range: &'static str, doc: &'static str) -> Probe {
        Probe { name, unit, range, doc }
    }
}

/// The counts of a queue since the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The packets that arrived.
    pub arrivals: u64,
    /// The bytes and packets that left.
    pub sent: (u64, u64),
    /// The bytes of the largest packet that left.
    pub largest: u32,
    /// The largest backlog in packets.
    pub highest: u64,
    /// The packets by their event.
    pub reasons: Vec<(What, u64)>,
}

impl Tally {
    fn sum(&self, which: impl Fn(What) -> bool) -> u64 {
        self.reasons.iter().filter(|(what, _)| which(*what)).map(|(_, packets)| packets).sum()
    }

    /// The dropped packets.
    pub fn drops(&self) -> u64 {
        self.sum(|what| matches!(what, What::Drop(_)))
    }
}

/// The source of a counter.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The probe of this name.
    Probe(&'static str),
    /// Packets dropped for one of these reasons.
    Drops(&'static [Reason]),
    /// Packets marked, for any reason.
    Marks,
    /// Packets dropped or marked for one of these reasons.
    Signals(&'static [Reason]),
    /// Pairs of packets dropped for this reason.
    Pairs(Reason),
    /// Packets that arrived and were not dropped.
    Queued,
    /// The bytes of the largest packet that left.
    Largest,
    /// The largest backlog in packets that a queued packet found.
    Found,
    /// Zero: there is no such thing here.
    Zero,
    /// Another source, and the probe of this name if the queue has it.
    With(&'static Source, &'static str),
}

/// A counter by the name that `tc -s` shows.
#[derive(Clone, Copy, Debug)]
pub struct Counter(pub &'static str, pub Source);

/// The counter in the first line of every queue of `tc -s`. It is 0 unless the queue has it.
pub const OVERLIMITS: &str = "overlimits";

impl Source {
    fn value(&self, tally: &Tally, probes: &[(&'static str, f64)]) -> f64 {
        let probe = |name| probes.iter().find(|(probe, _)| *probe == name).map(|(_, value)| *value);
        let count = match *self {
            Source::Probe(name) => return probe(name).unwrap_or(f64::NAN),
            Source::With(source, name) => return source.value(tally, probes) + probe(name).unwrap_or(0.0),
            Source::Drops(reasons) => tally.sum(|what| matches!(what, What::Drop(reason) if reasons.contains(&reason))),
            Source::Marks => tally.sum(|what| matches!(what, What::Mark(_))),
            Source::Signals(reasons) => {
                tally.sum(|what| matches!(what, What::Drop(reason) | What::Mark(reason) if reasons.contains(&reason)))
            }
            Source::Pairs(reason) => tally.sum(|what| what == What::Drop(reason)) / 2,
            Source::Queued => tally.arrivals - tally.drops(),
            Source::Largest => u64::from(tally.largest),
            Source::Found => tally.highest.saturating_sub(1),
            Source::Zero => 0,
        };
        count as f64
    }
}

/// All that `tc -s` shows of a queue, by name: first the counters of any queue, then the queue's own. `None` is a drop-tail queue that the
/// engine keeps.
pub fn all(
    shown: &[Counter],
    tally: &Tally,
    backlog: Backlog,
    queue: Option<&dyn QueueDiscipline>,
) -> Vec<(String, f64)> {
    let mut own = own(shown, tally, queue);
    let place = own.iter().position(|(name, _)| name == OVERLIMITS);
    let overlimits = place.map_or(0.0, |place| own.remove(place).1);
    let of_any = [
        ("sent_bytes", tally.sent.0 as f64),
        ("sent_packets", tally.sent.1 as f64),
        ("dropped", tally.drops() as f64),
        (OVERLIMITS, overlimits),
        ("requeues", 0.0),
        ("backlog_bytes", backlog.bytes as f64),
        ("backlog_packets", backlog.packets as f64),
    ];
    of_any.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(own).collect()
}

/// The counters of a queue, by name. `None` is a drop-tail queue that the engine keeps.
fn own(shown: &[Counter], tally: &Tally, queue: Option<&dyn QueueDiscipline>) -> Vec<(String, f64)> {
    let names = queue.map_or(&[][..], |queue| queue.probes());
    let probes: Vec<(&'static str, f64)> =
        names.iter().enumerate().map(|(probe, name)| (*name, queue.map_or(0.0, |queue| queue.probe(probe)))).collect();
    if !shown.is_empty() {
        return shown.iter().map(|counter| (counter.0.to_owned(), counter.1.value(tally, &probes))).collect();
    }
    let reasons = tally.reasons.iter().map(|(what, packets)| {
        (
            format!("{}_{}", if matches!(what, What::Drop(_)) { "dropped" } else { "marked" }, what.reason().0),
            *packets as f64,
        )
    });
    probes.iter().map(|(name, value)| ((*name).to_owned(), *value)).chain(reasons).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: What = What::Drop(Reason::EARLY);

    fn tally() -> Tally {
        let reasons = vec![
            (EARLY, 3),
            (What::Drop(Reason::OVERFLOW), 2),
            (What::Mark(Reason::EARLY), 4),
            (What::Drop(Reason::UNFAIR), 6),
        ];
        Tally { arrivals: 100, sent: (90_000, 89), largest: 1514, highest: 30, reasons }
    }

    #[test]
    fn counters_are_found_where_they_say() {
        let of = |source: Source| source.value(&tally(), &[("prob", 0.5)]);
        assert_eq!(of(Source::Drops(&[Reason::EARLY, Reason::FORCED])).to_bits(), 3.0_f64.to_bits());
        let counts = [Source::Marks, Source::Signals(&[Reason::EARLY]), Source::Pairs(Reason::UNFAIR), Source::Queued];
        assert_eq!(counts.map(|source| of(source) as u64), [4, 7, 3, 89]);
        assert_eq!([Source::Largest, Source::Found, Source::Zero].map(|source| of(source) as u64), [1514, 29, 0]);
        assert_eq!(of(Source::Probe("prob")).to_bits(), 0.5_f64.to_bits());
        assert!(of(Source::Probe("none")).is_nan());
        let with = [of(Source::With(&Source::Marks, "prob")), of(Source::With(&Source::Marks, "none"))];
        assert_eq!(with.map(f64::to_bits), [4.5_f64, 4.0].map(f64::to_bits));
    }

    #[test]
    fn a_queue_that_says_nothing_shows_its_reasons() {
        let names: Vec<(String, f64)> = own(&[], &tally(), None);
        let expected =
            [("dropped_early", 3.0), ("dropped_overflow", 2.0), ("marked_early", 4.0), ("dropped_unfair", 6.0)];
        assert_eq!(names, expected.map(|(name, packets)| (name.to_owned(), packets)));
    }
}
