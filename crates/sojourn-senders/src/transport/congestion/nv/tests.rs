use super::*;
use crate::transport::congestion::testing::{Controlled, acked, connected, connected_linux, heard, hears, near, used};

/// `acks` acknowledgements of one segment, with `inflight` segments in the network and a round trip of `rtt_ms`. So the rate is `inflight`
/// divided by the round trip. A round trip has `inflight` acknowledgements.
fn feed(control: &mut Controlled, acks: u32, inflight: u32, rtt_ms: u64) {
    for _ in 0..acks {
        hears(&mut *control).on_heard(&Heard { inflight: f64::from(inflight), ..heard(Instant::ZERO) });
        let rtt = Some(Duration::from_millis(rtt_ms));
        control.on_ack(&Acked { rtt, inflight: f64::from(inflight), ..acked(1.0) });
    }
}

#[test]
fn the_largest_window_is_what_the_rate_fills_and_ten_segments() {
    // 1000 segments per second in 100 ms: 100.
    assert!((window_max(&Params::default(), 1000.0, 0.1) - 110.0).abs() < 1e-6);
}

#[test]
fn a_rate_in_whole_numbers_fills_its_own_round_trip_with_one_segment_less() {
    let params: Params = ENTRY.args(Some("linux")).expect("a preset").typed();
    let mut nv = Nv { mss: 1448, rtt: 0.0654, rtt_min: 0.0654, ..Nv::new(params) };
    nv.rate_max = nv.rate(27.0);
    assert!(near(nv.most(), 36.0));
}

#[test]
fn the_measurement_of_the_syn_draws_a_number_for_nothing() {
    let new = || Classic::new(Nv::new(ENTRY.args(Some("linux")).expect("a preset").typed()));
    let (mut measured, mut lost) = (new(), new());
    measured.on_milestone(Milestone::Opened { now: Instant::ZERO, smoothed: Some(Duration::from_millis(40)) });
    lost.on_milestone(Milestone::Opened { now: Instant::ZERO, smoothed: None });
    lost.law.rng.uniform();
    assert_eq!(measured.law.rng.uniform().to_bits(), lost.law.rng.uniform().to_bits());
}

#[test]
fn a_window_that_is_too_large_gives_up_three_tenths_of_the_excess() {
    let (real, linux) = (Params::default(), ENTRY.args(Some("linux")).expect("a preset").typed());
    assert!((taken(&real, 40.0) - 12.0).abs() < 1e-9);
    // 30 * 128 / 100 = 38: 40 * 38 / 128 = 11.9.
    assert!(near(taken(&linux, 40.0), 11.0));
    // 2 at least, and of 2 or less all.
    assert!(near(taken(&real, 4.0), 2.0) && near(taken(&real, 1.5), 1.5));
}

#[test]
fn it_shrinks_after_sixty_measurements_and_two_round_trips() {
    // The base is 100 ms. Then 200 segments in 400 ms, at first in a mean of 250: 800 per second, 80 segments, 90 with the pad. The
    // window is 200 or a little more, and falls by three tenths of the excess of 110.
    let mut control = connected(&ENTRY, None, &[], 200.0, 2.0);
    feed(&mut control, 1, 1, 100);
    let before = control.window();
    feed(&mut control, 59, 200, 400);
    assert!(control.window() >= before);
    feed(&mut control, 400, 200, 400);
    assert!((167.0..170.0).contains(&control.window()), "{}", control.window());
    assert!((control.ssthresh() - 90.0).abs() < 1e-6, "{}", control.ssthresh());
}

#[test]
fn a_loss_leaves_four_fifths_and_growth_waits_for_a_decision() {
    let mut control = connected_linux(&ENTRY, Some("linux"), 101.0, 2.0);
    control.on_congestion_event(&used(101.0));
    // 101 * 819 / 1024 = 80.8.
    assert!(near(control.window(), 80.0));
    control.on_ack(&acked(80.0));
    assert!(near(control.window(), 80.0));
}

#[test]
fn a_timeout_halves_the_growth() {
    let mut control = Classic::new(Nv { may_grow: true, ..Nv::new(Params::default()) });
    let needed = |nv: &mut Classic<Nv>| nv.law.needed(&nv.window, &acked(1.0)).whole();
    control.on_timeout(Some(&used(100.0)));
    control.window.cwnd = 100.0;
    assert!(near(needed(&mut control), 200.0));
    (0..20).for_each(|_| control.on_timeout(None));
    control.window.cwnd = 100.0;
    assert!(near(needed(&mut control), 25_600.0));
}
