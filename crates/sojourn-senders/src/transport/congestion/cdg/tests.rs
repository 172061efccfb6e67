use super::*;
use crate::transport::congestion::testing::{
    Controlled, acked, connected, connected_linux, echoed, heard, hears, near, used,
};
use crate::units::Instant;

/// A round trip of `rtt_ms` milliseconds with eight acknowledgements of one segment.
fn round(control: &mut Controlled, rtt_ms: u64) {
    for _ in 0..8 {
        hears(&mut *control).on_heard(&Heard { inflight: 8.0, ..heard(Instant::ZERO) });
        control.on_ack(&Acked { rtt: Some(Duration::from_millis(rtt_ms)), ece: true, ..acked(1.0) });
    }
}

#[test]
fn the_probability_is_that_of_the_paper() {
    // [HA11] equation 5: a mean gradient of 3 ms falls with 1 - 1/e. Eight rounds make 24 ms.
    let params = Params::default();
    assert!((probability(&params, 24_000.0) - 0.632_12).abs() < 1e-5);
    assert!(near(probability(&params, 0.0), 0.0));
}

#[test]
fn linux_has_it_to_a_ten_thousandth() {
    // The factor is round(1000 / (3 * 8)) = 42.
    let linux: Params = ENTRY.args(Some("linux")).expect("a preset").typed();
    for micros in [1.0, 7.0, 100.0, 3_000.0, 24_000.0, 200_000.0] {
        let exact = 1.0 - libm::exp(-micros * 42e-6);
        assert!((probability(&linux, micros) - exact).abs() < 1e-4, "{micros}");
    }
    assert_eq!(kept_in_bits(u32::MAX), 0);
    assert_eq!(kept_in_bits(0), u32::MAX);
}

#[test]
fn gradients_are_summed_over_the_window() {
    let mut gradients = Gradients::of(4);
    let span = |micros| Span { min: micros, max: micros };
    // Two rounds that grow by 10 each: as four would.
    assert_eq!(gradients.take(span(110), span(100)), 40);
    assert_eq!(gradients.take(span(120), span(110)), 40);
    assert_eq!(gradients.take(span(120), span(120)), 26);
    assert_eq!(gradients.take(span(120), span(120)), 20);
    assert_eq!(gradients.take(span(120), span(120)), 10, "the first is forgotten");
}

#[test]
fn it_falls_when_round_trips_grow_and_holds_when_that_does_not_help() {
    let mut control = connected(&ENTRY, None, &[("tolerance", "false")], 1000.0, 2.0);
    let mut cuts = 0;
    for n in 0..30 {
        let before = control.window();
        // By 100 ms per round trip: it would hardly ever not fall.
        round(&mut control, 100 + 100 * n);
        if control.window() < before {
            assert!(near(control.window(), before * 0.7), "{before} {}", control.window());
            cuts += 1;
        }
    }
    assert_eq!(cuts, 5);
    // It helps, and falls count again.
    (0..20).for_each(|_| round(&mut control, 100));
    let before = control.window();
    (0..3).for_each(|n| round(&mut control, 1000 * (n + 1)));
    assert!(control.window() < before);
}

#[test]
fn it_does_not_fall_while_round_trips_stay() {
    let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
    (0..100).for_each(|_| round(&mut control, 100));
    assert!(near(control.window(), 100.0));
}

#[test]
fn a_loss_leaves_half_of_what_the_window_would_be_without_falls() {
    // 1000 falls to 700; the shadow stays 1000; its half is 500, and not 350.
    let mut control = connected(&ENTRY, None, &[("tolerance", "false")], 1000.0, 2.0);
    round(&mut control, 100);
    while near(control.window(), 1000.0) {
        round(&mut control, 100);
        round(&mut control, 600);
    }
    control.on_congestion_event(&used(700.0));
    assert!(near(control.window(), 500.0), "{}", control.window());
}

#[test]
fn a_loss_while_the_queue_is_not_full_takes_nothing() {
    let mut control = Cdg { bottleneck: Bottleneck::NotFull, ..Cdg::new(Params::default()) };
    assert!(near(control.lose(100.0, 100.0), 100.0));
    let mut full = Cdg { bottleneck: Bottleneck::Full, shadow: 100.0, ..Cdg::new(Params::default()) };
    assert!(near(full.lose(100.0, 100.0), 50.0));
}

#[test]
fn slow_start_ends_when_nine_round_trips_are_longer_by_an_eighth() {
    let mut start = HyStart::default();
    assert!(!start.is_over(5000, 40_000, false));
    (0..7_i64).for_each(|n| assert!(!start.is_over(10_000 * (n + 1), 45_001, false)));
    assert!(start.is_over(90_000, 45_001, false));
    assert!(!start.is_over(100_000, 45_000, false));
}

#[test]
fn slow_start_ends_when_acknowledgements_come_in_a_row_for_half_a_round_trip() {
    let mut start = HyStart::default();
    let ended = (1..20_i64).find(|n| start.is_over(2000 * n, 40_000, false));
    // The first one begins at 2 ms; 20 ms and more behind it is 24.
    assert_eq!(ended, Some(12));
    let mut limited = HyStart::default();
    assert_eq!((1..9_i64).find(|n| limited.is_over(4000 * n, 40_000, true)), None);
}

#[test]
fn a_mark_cuts_as_a_loss() {
    let mut control = connected_linux(&ENTRY, Some("linux"), 100.0, 2.0);
    control.on_congestion_event(&echoed(100.0));
    assert!(near(control.window(), 50.0));
}

#[test]
fn linux_counts_the_round_trip_of_the_handshake_in_the_first_round() {
    let opened = |preset| {
        let mut cdg = Classic::new(Cdg::new(ENTRY.args(preset).expect("a preset").typed()));
        cdg.on_milestone(Milestone::Opened { now: Instant::ZERO, smoothed: Some(Duration::from_micros(41_435)) });
        cdg.law.round.take(41_264);
        cdg.law.round
    };
    assert_eq!(opened(Some("linux")), Span { min: 41_264, max: 41_435 });
    assert_eq!(opened(None), Span { min: 41_264, max: 41_264 });
}
