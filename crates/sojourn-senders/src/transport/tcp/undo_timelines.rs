//! Timelines of recoveries that Linux takes back (`rack/alert.rs`), derived by hand from its source. Round trips take 100 ms, packets no
//! time; the window is ten. Reports come a millisecond apart.

use super::pair::{Fate, MSS, Pair, answers, resent};
use super::rack_timelines::linux;
use super::recovery::LossRecovery;
use super::timelines::{millis, near};
use crate::packet::{Body, Ecn};
use crate::transport::Endpoint;
use crate::units::Duration;

/// Segment 0 comes after `micros`, those of `lost` never, and each other one a millisecond after the one before.
fn late(settings: &[(&str, &str)], micros: u64, lost: &'static [usize]) -> Pair {
    let mut pair = linux(settings, "60");
    pair.on_data = Box::new(move |n, _| match n {
        0 => Fate::Late(Duration::from_micros(micros)),
        n if lost.contains(&n) => Fate::Lose,
        1..10 => Fate::Late(millis(n as u64)),
        _ => Fate::Deliver,
    });
    pair
}

/// Threshold, and the window while it falls, in segments.
fn windows(pair: &Pair) -> (f64, f64) {
    let window = pair.sender.window().expect("a window");
    (window.ssthresh / MSS as f64, window.reduced / MSS as f64)
}

#[test]
fn in_linux_an_echo_in_the_acknowledgement_that_takes_a_recovery_back_does_not_cut() {
    // The third report cuts to 5 and resends 0. 0 comes at 105.5 ms with a mark: nothing was lost, but the echo forbids to restore the
    // window. It stays at the 8 to which it has fallen. The next acknowledgement, which echoes as well, cuts from there.
    let mut pair = late(&[("ecn", "true")], 5_500, &[]);
    pair.router = Box::new(|packet| {
        if matches!(packet.body, Body::Data { seq: 0, retransmit: false, .. }) {
            packet.ecn = Ecn::Ce;
        }
    });
    pair.start();
    assert_eq!(answers(&mut pair, 5).concat(), [10, 11, 0, 12]);
    assert_eq!(windows(&pair), (5.0, 8.0));
    answers(&mut pair, 1);
    assert_eq!(windows(&pair), (5.0, 8.0));
    assert_eq!(pair.sender.counters().ecn_reductions, 0);
    answers(&mut pair, 1);
    assert_eq!(windows(&pair), (4.0, 8.0));
    assert_eq!(pair.sender.counters().ecn_reductions, 1);
}

#[test]
fn in_linux_a_late_segment_that_takes_a_recovery_after_a_mark_back_leaves_the_window_where_it_has_fallen() {
    // The mark of 0 cuts to 5, and the window falls to 7 while 1 is late and sent again. 1 comes, and the echo that goes on cuts from 7, in
    // whole segments.
    let mut pair = linux(&[("ecn", "true")], "50");
    pair.on_data = Box::new(|n, _| match n {
        0 => Fate::Mark,
        1 => Fate::Late(Duration::from_micros(5_500)),
        2..10 => Fate::Late(millis(n as u64)),
        _ => Fate::Deliver,
    });
    pair.start();
    answers(&mut pair, 5);
    assert_eq!(windows(&pair), (5.0, 7.0));
    assert_eq!(resent(&pair), [(1, 105)]);
    answers(&mut pair, 1);
    assert_eq!(windows(&pair), (5.0, 7.0));
    answers(&mut pair, 1);
    assert!(near(pair.ssthresh(), 3.0), "{}", pair.ssthresh());
}

#[test]
fn in_linux_a_late_segment_takes_nothing_back_while_another_repair_is_out() {
    // 1 and 3 are lost. The third report finds 0, 1 and 3: ten were allowed and five are, 6 are in the network, so that 0 goes at 105 ms;
    // with 4 in the network 1 goes at 108. At 108.5 the first 0 is acknowledged. 1 is out: it may have been late, too. So a new segment
    // takes the place of the repair of 3, which goes with the next report. 1 was lost, and its repair takes nothing back.
    let mut pair = late(&[], 8_500, &[1, 3]);
    pair.start();
    assert_eq!(answers(&mut pair, 6).concat(), [10, 11, 0, 1]);
    assert!(near(pair.ssthresh(), 5.0));
    assert_eq!(answers(&mut pair, 2), [[12], [3]]);
    pair.run_until(230);
    assert!(near(pair.ssthresh(), 5.0), "{}", pair.ssthresh());
    assert_eq!(resent(&pair), [(0, 105), (1, 108), (3, 109)]);
}

#[test]
fn in_linux_a_probe_makes_the_next_packet_wait() {
    // 9, the last of ten, goes again at 300 ms. 1.2 windows of ten go per round trip: one each 8.3 ms, of which half has passed.
    for (arrivals, wait) in [("linux", 4.1..4.2), ("rfc", 0.0..0.1)] {
        let mut pair = linux(&[("pacing", "true"), ("arrivals", arrivals)], "10").losing(&[8, 9]);
        pair.start();
        pair.run_until(300);
        assert_eq!(resent(&pair), [(9, 300)]);
        let LossRecovery::Rack(rack) = &pair.sender.recovery else { unreachable!("RACK") };
        let after = rack.release().as_millis_f64() - 300.0;
        assert!(wait.contains(&after.max(0.0)), "{arrivals}: {after}");
    }
}
