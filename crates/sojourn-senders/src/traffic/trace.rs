//! Trace: replays recorded sending times and sizes. The core reads no files: the lists are in the scenario, and the
//! Python package fills them from CSV and pcap.

use super::prelude::*;
use std::sync::Arc;

pub static ENTRY: AppEntry = AppEntry {
    name: "trace",
    title: "Recorded trace",
    doc: "A recording that is sent once more. At the recorded times it sends packets of recorded sizes, or transfers of recorded \
          sizes over a new connection each.",
    reference: "trace-driven simulation; ns-2's Application/Traffic/Trace",
    unpaced: super::entry::paced,
    check,
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Seconds after the start of the flow, in order.
        times_s: Numbers = "[]" in [0.0, 1e9], "nothing recorded";
        /// Sizes: of a packet its bytes on the wire, of a transfer its payload. A single size holds for all entries.
        sizes_bytes: Numbers = "[]" in [1.0, 1e12], "full packets";
        /// The meaning of an entry of the trace.
        entry: Entry = "packet", "most traces are of packets";
        /// After this time the trace begins again; `auto` plays it once.
        repeat: Option<Duration> = "auto" in [0.000_001, 1e9], "once";
    }
}

choices! {
    /// The meaning of an entry of a trace.
    pub enum Entry {
        /// A packet.
        Packet = "packet",
        /// A transfer over a new connection. One that is due while another lasts starts right after it.
        Transfer = "transfer",
    }
}

#[derive(Clone, Debug)]
struct Trace {
    times: Arc<[f64]>,
    sizes: Arc<[f64]>,
    entry: Entry,
    repeat: Option<Duration>,
    /// When this round began, and the next entry in it.
    round: Instant,
    index: usize,
    started: bool,
    busy: bool,
}

fn check(args: &Args) -> Result<(), BuildError> {
    let Params { times_s: Numbers(times), sizes_bytes: Numbers(sizes), repeat, .. } = args.typed();
    if let Some(at) = times.windows(2).position(|pair| pair[0] > pair[1]) {
        let what = format!("entry {} comes before the one in front of it", at + 1);
        return Err(BuildError::new("times_s", what, "list the times in order"));
    }
    if sizes.len() > 1 && sizes.len() != times.len() {
        let what = format!("there are {} sizes for {} times", sizes.len(), times.len());
        return Err(BuildError::new("sizes_bytes", what, "give one size for each time, or one for all"));
    }
    match (repeat, times.last()) {
        (Some(repeat), Some(last)) if repeat.as_secs_f64() < *last => Err(BuildError::new(
            "repeat",
            "the trace begins again before its last entry",
            format!("give at least the last time, {last} s"),
        )),
        _ => Ok(()),
    }
}

fn build(args: &Args) -> Box<dyn Application> {
    let Params { times_s: Numbers(times), sizes_bytes: Numbers(sizes), entry, repeat } = args.typed();
    let (round, index, started, busy) = (Instant::ZERO, 0, false, false);
    Box::new(Trace { times, sizes, entry, repeat, round, index, started, busy })
}

impl Trace {
    fn due(&self) -> Option<Instant> {
        let seconds = self.times.get(self.index)?;
        Some(self.round + Duration::from_secs_f64(*seconds))
    }

    fn send(&mut self, cx: &AppContext<'_>) -> Demand {
        let size = self.sizes.get(self.index).or(self.sizes.first()).map(|size| *size as u64);
        self.index += 1;
        if let (Some(repeat), true) = (self.repeat, self.index == self.times.len()) {
            self.round += repeat;
            self.index = 0;
        }
        match self.entry {
            Entry::Packet => Demand::packet(Bytes(size.unwrap_or(cx.packet.0)), cx),
            Entry::Transfer => {
                self.busy = true;
                Demand::transfer(Amount::Bytes(Bytes(size.unwrap_or(cx.payload().0))))
            }
        }
    }
}

impl Application for Trace {
    fn on_start(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.round = now;
        self.started = true;
        Demand::NOTHING
    }

    fn on_transfer_complete(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.busy = false;
        match self.due() {
            Some(due) if due <= now && self.entry == Entry::Transfer => self.send(cx),
            _ => Demand::NOTHING,
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        if self.started && !self.busy { self.due() } else { None }
    }

    fn on_deadline(&mut self, _now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.send(cx)
    }

    fn largest_packet(&self, _header: Bytes) -> Option<(Bytes, &'static str)> {
        let largest = self.sizes.iter().fold(0.0, |most: f64, size| most.max(*size)) as u64;
        (self.entry == Entry::Packet && largest > 0).then_some((Bytes(largest), "sizes_bytes"))
    }

    fn reports_completions(&self) -> bool {
        self.entry == Entry::Transfer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, run, sends};

    #[test]
    fn packets_leave_at_their_times_with_their_sizes() {
        let settings = [("times_s", "0, 0.5, 0.5, 2.25"), ("sizes_bytes", "1000, 40, 20, 1500")];
        let sent = sends(build(&args(&ENTRY, None, &settings)).as_mut(), 10.0);

        // Sizes on the wire less 28 bytes of headers; a packet smaller than its headers carries a byte.
        assert_eq!(sent, [(0.0, 972), (0.5, 12), (0.5, 1), (2.25, 1472)]);
    }

    #[test]
    fn a_trace_repeats_and_one_size_is_that_of_all() {
        let settings = [("times_s", "0, 1"), ("sizes_bytes", "128"), ("repeat", "3s")];
        let sent = sends(build(&args(&ENTRY, None, &settings)).as_mut(), 6.5);
        assert_eq!(sent, [(0.0, 100), (1.0, 100), (3.0, 100), (4.0, 100), (6.0, 100)]);
    }

    #[test]
    fn a_transfer_that_is_due_waits_for_the_one_before() {
        let settings = [("times_s", "0, 1, 5"), ("sizes_bytes", "3000"), ("entry", "transfer")];
        let asked = run(build(&args(&ENTRY, None, &settings)).as_mut(), 10.0, Some(|_| Duration::from_secs(2)));

        assert_eq!(asked.iter().map(|asked| asked.time).collect::<Vec<_>>(), [0.0, 2.0, 5.0]);
        assert!(asked.iter().all(|asked| asked.demand == Demand::transfer(Amount::Bytes(Bytes(3000)))));
    }

    #[test]
    fn lists_that_do_not_go_together_are_refused() {
        let wrong = |settings: &[(&str, &str)]| check(&args(&ENTRY, None, settings)).expect_err("wrong").param;
        assert_eq!(wrong(&[("times_s", "1, 0")]), "times_s");
        assert_eq!(wrong(&[("times_s", "0, 1, 2"), ("sizes_bytes", "1, 2")]), "sizes_bytes");
        assert_eq!(wrong(&[("times_s", "0, 1, 2"), ("repeat", "1s")]), "repeat");
    }

    #[test]
    fn an_empty_trace_is_silent() {
        assert!(sends(build(&args(&ENTRY, None, &[])).as_mut(), 10.0).is_empty());
    }
}
