//! Laws of Reno's kind: the window doubles in slow start, grows by the increase of the law above the threshold, and is cut to the part that
//! the law keeps. A [`Law`] is that increase and that part. [`Classic`] answers the sender for all of them.

use super::window::{Halving, Window};
use super::{
    Acked, Adjustment, Arrival, Attentive, Cause, Congestion, CongestionControl, Heard, Listener, Milestone, Needed,
    Needs, Phase, Setup,
};
use crate::units::{Duration, Instant};

/// An increase and a cut. Two methods are the law; three more follow the sender, for laws that measure. Windows are in segments.
///
/// The sender counts (`counting.rs`), and has the slow start, the rounding and the least values (`window.rs`).
pub trait Law: Send {
    /// True if the law uses [`on_arrival`](Law::on_arrival), [`on_phase`](Law::on_phase) or [`backs_off`](Law::backs_off).
    const FOLLOWS: bool = false;

    /// The acknowledged segments that add one to this window. Called for each acknowledgement that opens it in congestion avoidance. Unless
    /// the law says otherwise, they are a window, as in Reno.
    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_one(window.cwnd)
    }

    /// The segments that remain of the `event.used` segments in use, after a loss, an echo of congestion or a timeout
    /// (`event.cause`). It is not called for a timeout that holds the threshold.
    fn kept(&mut self, window: &Window, event: &Congestion) -> f64;

    /// An acknowledgement has been taken in. The sender has not looked for losses yet. A sender that does not detect losses by time calls
    /// this only for acknowledgements that may open the window.
    fn on_arrival(&mut self, _window: &mut Window, _arrival: &Arrival) {}

    /// The state of the sender has changed ([`Setup::phases`]).
    fn on_phase(&mut self, _phase: Phase) {}

    /// A connection begins. The law forgets everything before it.
    fn reset(&mut self, _setup: &Setup) {}

    // ---- For laws that have more than that.

    /// False for a law whose increase is a part of a segment at any sender. The window of another law has whole segments at a sender that
    /// counts them ([`Window::whole`]). Asked when a connection begins.
    fn is_whole(&self) -> bool {
        true
    }

    /// True if the law uses [`on_heard`](Law::on_heard) or [`on_round_trip`](Law::on_round_trip).
    const LISTENS: bool = false;

    /// Opens the window by a rule of the law's own, for an acknowledgement of the weight `counted`, which is 0 if it does not open the
    /// window. Returns false if slow start and [`needed`](Law::needed) shall do it.
    fn open(&mut self, _window: &mut Window, _acked: &Acked, _counted: f64) -> bool {
        false
    }

    /// Cuts the window after a loss or an echo, to the part that [`kept`](Law::kept) says.
    fn cut(&mut self, window: &mut Window, event: &Congestion) {
        let kept = self.kept(window, event);
        window.cut(event, kept);
    }

    /// The timer has expired, and the window is about to be cut, perhaps without [`kept`](Law::kept).
    fn on_timeout(&mut self, _window: &Window) {}

    /// An acknowledgement has arrived ([`Listener::on_heard`]).
    fn on_heard(&mut self, _window: &mut Window, _heard: &Heard) {}

    /// An acknowledgement gives a sample of the round trip ([`Listener::on_round_trip`]).
    fn on_round_trip(&mut self, _now: Instant, _rtt: Duration) -> bool {
        false
    }

    /// True if the law wants its window to be cut now ([`Attentive::backs_off`]).
    fn backs_off(&mut self) -> bool {
        false
    }

    /// A rare event has happened ([`CongestionControl::on_milestone`]).
    fn on_milestone(&mut self, _window: &mut Window, _milestone: Milestone<'_>) {}

    /// The sender wants to change the window or the threshold. Returns the change that is made.
    fn on_adjustment(&mut self, _window: &Window, change: Adjustment) -> Option<Adjustment> {
        Some(change)
    }

    /// The needs of the law ([`CongestionControl::needs`]).
    fn needs(&self) -> Needs {
        Needs::default()
    }
}

/// A law with its window, for a sender.
pub fn classic(law: impl Law + 'static) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(law))
}

/// A law with its window.
#[derive(Clone, Debug)]
pub(super) struct Classic<L> {
    pub window: Window,
    pub law: L,
}

impl<L: Law> Classic<L> {
    /// A law that cuts as it says.
    pub fn new(law: L) -> Self {
        Classic::with(law, Halving::Never)
    }

    /// A law some cuts of which halve, as in ns-2.
    pub fn with(law: L, halving: Halving) -> Self {
        Classic { window: Window::new(halving), law }
    }
}

impl<L: Law> CongestionControl for Classic<L> {
    fn on_connect(&mut self, setup: &Setup) {
        self.window.connect(setup);
        self.window.whole &= self.law.is_whole();
        self.law.reset(setup);
    }

    fn on_ack(&mut self, acked: &Acked) {
        let window = &mut self.window;
        let counted = window.counted(acked);
        if !self.law.open(window, acked, counted) && counted > 0.0 {
            window.grow(counted, |window| self.law.needed(window, acked));
        }
    }

    fn on_congestion_event(&mut self, event: &Congestion) {
        self.law.cut(&mut self.window, event);
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        let event = event.map(|event| Congestion { cause: Cause::Timeout, ..*event });
        let kept = event.as_ref().map_or(0.0, |event| self.law.kept(&self.window, event));
        self.law.on_timeout(&self.window);
        self.window.timeout(event.as_ref(), |_| kept);
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        self.law.on_milestone(&mut self.window, milestone);
    }

    fn needs(&self) -> Needs {
        self.law.needs()
    }

    fn listener(&mut self) -> Option<&mut dyn Listener> {
        if L::LISTENS { Some(self) } else { None }
    }

    fn attentive(&mut self) -> Option<&mut dyn Attentive> {
        if L::FOLLOWS { Some(self) } else { None }
    }

    fn adjust(&mut self, change: Adjustment) {
        if let Some(change) = self.law.on_adjustment(&self.window, change) {
            self.window.adjust(change);
        }
    }

    fn window(&self) -> f64 {
        self.window.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }
}

impl<L: Law> Attentive for Classic<L> {
    fn on_arrival(&mut self, arrival: &Arrival) {
        self.law.on_arrival(&mut self.window, arrival);
    }

    fn on_phase(&mut self, phase: Phase) {
        self.law.on_phase(phase);
    }

    fn backs_off(&mut self) -> bool {
        self.law.backs_off()
    }
}

impl<L: Law> Listener for Classic<L> {
    fn on_heard(&mut self, heard: &Heard) {
        self.law.on_heard(&mut self.window, heard);
    }

    fn on_round_trip(&mut self, now: Instant, rtt: Duration) -> bool {
        self.law.on_round_trip(now, rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{acked, near, used};
    use super::super::{Counting, Cut, Growth};
    use super::*;

    /// Adds a segment for each two windows, and keeps a third.
    struct Slowly(Vec<Cause>);

    impl Law for Slowly {
        fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
            Needed::for_one(2.0 * window.cwnd)
        }

        fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
            self.0.push(event.cause);
            event.used / 3.0
        }
    }

    fn slowly(growth: Growth, window: f64, ssthresh: f64) -> Classic<Slowly> {
        let mut control = Classic::new(Slowly(Vec::new()));
        let counting = Counting { growth, cut: Cut::Cwnd };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, counting, paced: false, phases: false });
        control
    }

    #[test]
    fn a_law_says_what_is_needed_and_the_sender_counts() {
        let mut parts = slowly(Growth::Acks, 10.0, 2.0);
        let mut whole = slowly(Growth::Segments, 10.0, 2.0);
        for n in 1..=10 {
            parts.on_ack(&acked(2.0));
            whole.on_ack(&acked(2.0));
            assert!(near(whole.window(), if n < 10 { 10.0 } else { 11.0 }));
        }
        // Ten acknowledgements at a bit more than ten segments.
        assert!((10.45..10.5).contains(&parts.window()), "{}", parts.window());
    }

    #[test]
    fn what_slow_start_leaves_of_an_acknowledgement_counts_above_the_threshold_in_whole_segments() {
        let mut control = slowly(Growth::Segments, 7.0, 8.0);
        control.on_ack(&acked(3.0));
        assert!(near(control.window(), 8.0));
        for _ in 0..7 {
            control.on_ack(&acked(2.0));
        }
        assert!(near(control.window(), 9.0), "2 + 14 = 2 * 8: {}", control.window());
    }

    #[test]
    fn a_timeout_is_told_as_such_and_holds_the_threshold_without_an_event() {
        let mut control = slowly(Growth::Acks, 30.0, 2.0);
        control.on_timeout(Some(&used(30.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 10.0));
        control.on_timeout(None);
        assert!(near(control.ssthresh(), 10.0));
        assert_eq!(control.law.0, [Cause::Timeout]);
    }
}
