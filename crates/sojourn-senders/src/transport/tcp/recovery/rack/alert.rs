//! The phases of Linux after an acknowledgement, in its order: a cut that was not necessary is taken back, losses are looked for, a
//! recovery begins or ends. Compared with: Linux's `tcp_fastretrans_alert`, `tcp_try_undo_partial`, `tcp_process_loss` and `tcp_init_undo`
//! (behaviour).

use super::detect::Found;
use super::state::{Again, News, Rack};
use super::twice;
use crate::transport::congestion::{Cause, Milestone, Phase};
use crate::transport::tcp::settings::Arrivals;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::Instant;

impl Rack {
    /// Looks for losses and sets the phase that follows from them.
    pub(super) fn alert(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, news: &News) -> Found {
        let echoes = ack.marks > 0;
        if !self.is_dubious(news, echoes) {
            return Found::default();
        }
        if echoes {
            self.undo.on_echo();
        }
        self.end_phase(stream, ack);
        let mut found = Found::default();
        match self.phase {
            Phase::Recovery => return self.go_on(stream, now, ack, news),
            Phase::Loss => {
                self.process_loss(stream, ack, news);
                found = self.detect(stream, now, true);
                if self.phase != Phase::Open && found.repairs == 0 {
                    return found;
                }
            }
            Phase::Open | Phase::Disorder | Phase::Reducing => {}
        }
        if matches!(self.phase, Phase::Open | Phase::Disorder) {
            self.undo_by_duplicates(stream);
        }
        let more = self.detect(stream, now, true);
        found.lost += more.lost;
        found.repairs += more.repairs;
        found.after = more.after.or(found.after);
        if self.flight.has_losses() {
            self.begin_recovery(stream, now, news.delivered, echoes);
            return found;
        }
        self.undo.settle(self.goes_on(stream));
        let calm = matches!(self.phase, Phase::Open | Phase::Disorder);
        if calm && echoes && stream.control.needs().answers_echoes {
            // RFC 3168 §6.1.2.
            self.cut(stream, now, Cause::Echo, news.delivered);
            self.set_phase(stream, Phase::Reducing);
        } else if calm {
            self.keep_open(stream);
        }
        found
    }

    /// In the phase `Open` an acknowledgement is looked at if it says more than that new data has arrived (`tcp_ack_is_dubious`). While
    /// nothing is out, only reports of duplicates are.
    fn is_dubious(&self, news: &News, echoes: bool) -> bool {
        let idle = self.flight.out() == 0 && news.in_order == 0;
        let plain = news.acked.is_some() && news.sacked_at.is_none() && !echoes;
        news.twice.is_some() || !idle && (self.phase != Phase::Open || !plain)
    }

    /// A phase ends when all is acknowledged that was in flight at its beginning.
    fn end_phase(&mut self, stream: &mut Stream, ack: &Ack<'_>) {
        match self.phase {
            Phase::Open => self.undo.forget_first(),
            Phase::Reducing if stream.una > self.high => {
                stream.control.on_milestone(Milestone::Reduced);
                self.set_phase(stream, Phase::Open);
            }
            Phase::Recovery if stream.una >= self.high => {
                self.undo_at_end(stream, ack);
                stream.control.on_milestone(Milestone::Reduced);
                self.set_phase(stream, Phase::Open);
            }
            _ => {}
        }
    }

    /// Recovery or repairs after a timeout have come to their end. Either they were not necessary, or there was a loss.
    fn undo_at_end(&mut self, stream: &mut Stream, ack: &Ack<'_>) {
        if self.may_undo(stream, ack) {
            self.restore(stream, false);
        } else {
            self.detector.on_recovered(false);
        }
    }

    /// An acknowledgement in recovery. If a segment that was sent again turns out to be late, the cut is taken back, but not while other
    /// retransmissions are out: only new data is sent then. An echo in the acknowledgement that takes a cut back does not cut.
    fn go_on(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, news: &News) -> Found {
        if news.acked.is_some() && stream.config.params.undo && self.is_late(stream, ack) {
            self.detector.on_reordering(news.from, stream.config.mss.into());
            if self.flight.repairing() > 0 {
                self.holds = true;
                return Found::default();
            }
            self.restore(stream, true);
            self.keep_open(stream);
        }
        if self.undo_by_duplicates(stream) {
            self.keep_open(stream);
        }
        let found = self.detect(stream, now, true);
        if self.phase != Phase::Recovery && self.flight.has_losses() {
            self.begin_recovery(stream, now, news.delivered, ack.marks > 0);
        }
        found
    }

    /// An acknowledgement after a timeout. Unlike in recovery, reports of duplicates count only with new data.
    fn process_loss(&mut self, stream: &mut Stream, ack: &Ack<'_>, news: &News) {
        if news.acked.is_some() && self.may_undo(stream, ack) {
            self.restore(stream, true);
            self.set_phase(stream, Phase::Open);
            return;
        }
        let done = stream.una >= self.high;
        self.settle_doubt(stream, news);
        if done && self.phase == Phase::Loss {
            self.undo_at_end(stream, ack);
            self.set_phase(stream, Phase::Open);
        }
    }

    /// Takes the last cut back if all that was sent again has been received twice.
    fn undo_by_duplicates(&mut self, stream: &mut Stream) -> bool {
        let proven = stream.config.params.undo && self.undo.by_duplicates();
        if proven {
            self.detector.on_taken_back_by_duplicates();
            self.restore(stream, false);
        }
        proven
    }

    fn may_undo(&self, stream: &Stream, ack: &Ack<'_>) -> bool {
        stream.config.params.undo && (self.undo.by_duplicates() || self.is_late(stream, ack))
    }

    fn is_late(&self, stream: &Stream, ack: &Ack<'_>) -> bool {
        self.undo.is_late(stream.config.params.timestamps.then(|| stream.latest_echo(ack)))
    }

    /// The phase where nothing is cut.
    fn keep_open(&mut self, stream: &mut Stream) {
        let calm = self.flight.sacked() == 0 && !self.flight.has_losses() && !self.goes_on(stream);
        let phase = if calm { Phase::Open } else { Phase::Disorder };
        if phase != self.phase {
            self.set_phase(stream, phase);
            self.high = stream.max;
        }
    }

    /// The retransmissions that are out at a cut. If each is reported as a duplicate, the cut was not necessary. In Linux a probe that has
    /// sent a segment again is one of them.
    pub(super) fn doubtful(&self, stream: &Stream) -> u64 {
        let probe = stream.config.params.arrivals == Arrivals::Linux && self.probe.is_some_and(|probe| probe.again);
        self.flight.repairing() + u64::from(probe)
    }

    /// The segments that an acknowledgement reports as received twice, as far as they have been sent again. Before it, `una` was the first
    /// byte that was not acknowledged.
    pub(super) fn sent_again(&self, una: u64, ack: &Ack<'_>) -> Again {
        let mut places = 0..ack.sack.as_slice().len();
        let Some(bytes) = places.find_map(|place| twice(ack, place)).filter(|bytes| bytes.end > una) else {
            return Again::default();
        };
        let numbers = self.flight.within(bytes.start, bytes.end);
        let segments = || numbers.clone().map(|number| self.flight.get(number)).filter(|segment| segment.resent);
        Again {
            counted: Some(segments().filter(|segment| segment.end > self.undo.from()).count() as u64),
            low: segments().filter(|segment| segment.sacked).map(|segment| segment.start).min(),
            numbers,
        }
    }

    /// The reports of data out of order have been looked at. Returns the first byte of the segments that were late according to them. A
    /// segment that had been reported before, and is reported twice after it was sent again, was late (`tcp_sacktag_one`). The reports tell
    /// nothing after a timeout that cannot be taken back.
    pub(super) fn low_of_reports(&mut self, stream: &Stream, news: &News, again: &Again) -> Option<u64> {
        let low = self.detector.take_low();
        if stream.config.params.arrivals != Arrivals::Linux {
            return low;
        }
        let twice = if news.twice.is_some() { again.low } else { None };
        if news.twice.is_some() {
            let out = self.flight.numbers();
            again.numbers.clone().filter(|number| out.contains(number)).for_each(|number| self.flight.on_twice(number));
        }
        let counts = self.phase != Phase::Loss || self.undo.is_open();
        [low, twice].into_iter().flatten().min().filter(|_| counts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Probe;
    use super::*;
    use crate::header::Answer;
    use crate::packet::{Codepoint, SackBlocks};
    use crate::rig::at_millis;
    use crate::transport::tcp::pair::MSS;
    use crate::transport::tcp::recovery::LossRecovery;
    use crate::transport::tcp::timelines::ten;

    /// Ten segments are out. All data below `from` was acknowledged at the cut, and two have been sent again since.
    fn after_a_cut(from: u64, check: impl Fn(&mut Rack, &mut Stream)) {
        let mut pair = ten(&[("profile", "linux")], "20");
        pair.start();
        pair.sender.stream.counters.retransmits = 9;
        let LossRecovery::Rack(rack) = &mut pair.sender.recovery else { unreachable!("RACK") };
        rack.undo.begin((10.0, 10.0), from, 0, false);
        (0..2).for_each(|_| rack.undo.on_resent(at_millis(1)));
        check(rack, &mut pair.sender.stream);
    }

    /// Two blocks, in segments.
    fn blocks(both: [(u32, u32); 2]) -> SackBlocks {
        let mut sack = SackBlocks::default();
        for (start, end) in both {
            sack.push(start * MSS as u32, end * MSS as u32);
        }
        sack
    }

    fn reports(sack: &SackBlocks) -> Ack<'_> {
        let (codepoint, answer) = (Codepoint::default(), Answer::default());
        Ack { next: 0, echo: at_millis(0), sack, codepoint, ece: false, marks: 0, offered: 0, answer }
    }

    #[test]
    fn duplicates_of_data_that_was_acknowledged_before_the_cut_do_not_count() {
        for (from, proven) in [(0, true), (MSS, true), (2 * MSS, false)] {
            after_a_cut(from, |rack, stream| {
                // Both segments in one report.
                rack.note_twice(stream, at_millis(3), &(0..2 * MSS), &Again::default(), &mut News::new(None, 10));
                assert_eq!(rack.undo.by_duplicates(), proven, "{from}");
            });
        }
    }

    #[test]
    fn of_data_that_is_out_those_count_that_have_been_sent_again() {
        after_a_cut(0, |rack, _| {
            rack.flight.lose(1);
            rack.flight.on_resent(at_millis(1), 1);
            for (una, start, counted) in [(0, 1, Some(1)), (0, 2, Some(0)), (3 * MSS, 1, None)] {
                let sack = blocks([(start, start + 1), (1, 3)]);
                assert_eq!(rack.sent_again(una, &reports(&sack)).counted, counted, "{start}");
            }
        });
    }

    #[test]
    fn a_repair_of_reported_data_that_is_a_duplicate_tells_that_the_data_was_late() {
        // 1 was sent again and has been reported. The report of the duplicate tells that its repair was not necessary: it was late.
        for (resent, late) in [(true, Some(MSS)), (false, None)] {
            after_a_cut(0, |rack, stream| {
                rack.flight.lose(1);
                if resent {
                    rack.flight.on_resent(at_millis(1), 1);
                }
                rack.flight.forgive(true);
                rack.flight.on_sacked(1, true);
                let sack = blocks([(1, 2), (1, 8)]);
                let again = rack.sent_again(0, &reports(&sack));
                let news = News { twice: Some(2 * MSS), ..News::new(None, 10) };
                assert_eq!(rack.low_of_reports(stream, &news, &again), late);
                assert_eq!(rack.flight.repairing(), 0);
            });
        }
    }

    #[test]
    fn a_probe_that_is_out_counts_as_sent_again() {
        after_a_cut(0, |rack, stream| {
            rack.probe = Some(Probe { end: stream.max, again: true });
            assert_eq!(rack.doubtful(stream), 1);
        });
    }

    #[test]
    fn an_echo_in_the_acknowledgement_that_begins_a_recovery_forbids_to_take_it_back() {
        for echoes in [false, true] {
            after_a_cut(0, |rack, stream| {
                rack.begin_recovery(stream, at_millis(3), 1, echoes);
                assert_eq!(rack.undo.take().is_none(), echoes);
            });
        }
    }
}
