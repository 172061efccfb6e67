use super::*;
use crate::transport::congestion::controlled::arrival_of;
use crate::transport::congestion::testing::{
    Controlled, acked, attends, connected, connected_linux, echoed, heard, hears, near, used,
};

fn params(preset: Option<&str>) -> Params {
    ENTRY.args(preset).expect("a preset").typed()
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// Acknowledgements of one segment every 10 ms from `from_ms` to `to_ms`, each after a round trip of `rtt_ms`.
fn feed(control: &mut Controlled, (from_ms, to_ms): (u64, u64), rtt_ms: u64) {
    for at in (from_ms..to_ms).step_by(10) {
        let now = Instant::ZERO + Duration::from_millis(at);
        hears(&mut *control).on_heard(&heard(now));
        control.on_ack(&Acked { now, rtt: Some(Duration::from_millis(rtt_ms)), limited: true, ..acked(1.0) });
    }
}

#[test]
fn the_increase_is_renos_in_the_first_second_and_that_of_the_paper_after() {
    // [LS04]: 1 + 10 * 2 + (2 / 2)^2 = 22 three seconds after the loss; times 2 (1 - beta).
    let real = params(None);
    for (since, beta, alpha) in [(0.5, 0.5, 1.0), (1.0, 0.5, 1.0), (3.0, 0.5, 22.0), (3.0, 0.8, 8.8)] {
        assert!((increase(&real, seconds(since), None, beta) - alpha).abs() < 1e-9, "{since} {beta}");
    }
}

#[test]
fn the_scale_of_the_round_trip_is_bounded() {
    let scaled = Params { rtt_scaling: true, ..params(None) };
    // 22 times the round trip in parts of 100 ms, from 0.1 to 2 of them.
    for (rtt, alpha) in [(0.1, 22.0), (0.2, 44.0), (1.0, 44.0), (0.05, 11.0), (0.001, 2.2)] {
        let got = increase(&scaled, seconds(3.0), Some(seconds(rtt)), 0.5);
        assert!((got - alpha).abs() < 1e-9, "{rtt}: {got}");
    }
}

#[test]
fn a_short_round_trip_does_not_stop_the_increase() {
    let (scaled, linux) = (Params { rtt_scaling: true, ..params(None) }, params(Some("linux")));
    assert!(near(increase(&scaled, seconds(0.5), Some(seconds(0.001)), 0.5), 1.0));
    assert!(near(increase_in_parts(&linux, seconds(0.5), Some(seconds(0.001)), 0.5), 1.0));
}

#[test]
fn linux_has_whole_factors() {
    // Two seconds late: 1 + (10 * 2000 + 1000 * 1000 / 1000) / 1000 = 22. 40 ms: scale 8000 / 400 = 20 eighths, 176 / 20 = 8, and with
    // beta = 64/128 it is 2 * 8 * 64 / 128 = 8. With 85/128: 2 * 8 * 43 / 128.
    let linux = params(Some("linux"));
    for (beta, alpha) in [(64.0 / 128.0, 8.0), (85.0 / 128.0, 688.0 / 128.0)] {
        assert!(near(increase_in_parts(&linux, seconds(3.0), Some(seconds(0.04)), beta), alpha));
    }
}

#[test]
fn what_a_loss_leaves_is_the_ratio_of_round_trips_within_bounds() {
    let (real, linux) = (params(None), params(Some("linux")));
    let part = |params, least, longest| part_kept(params, seconds(least), seconds(longest));
    assert!((part(&real, 0.04, 0.06) - 2.0 / 3.0).abs() < 1e-9);
    assert!(near(part(&real, 0.04, 0.2), 0.5) && near(part(&real, 0.04, 0.041), 0.8));
    // 128 * 40 / 60 = 85.3; 0.8 of 128 is 102.4.
    assert!(near(part(&linux, 0.04, 0.06), 85.0 / 128.0) && near(part(&linux, 0.04, 0.041), 102.0 / 128.0));
}

#[test]
fn a_loss_at_the_throughput_of_the_one_before_takes_what_round_trips_say() {
    // 100 segments per second throughout, round trips from 40 to 50 ms. Nothing is known before the first loss, and the second is the
    // first that finds the throughput as it was: half, half, then a fifth.
    let mut control = connected(&ENTRY, None, &[], 4.0, 2.0);
    let lose = |law: &mut Controlled, at: u64| {
        let now = Instant::ZERO + Duration::from_millis(at);
        law.on_congestion_event(&Congestion { now, ..used(100.0) });
        law.window()
    };
    for (from, window) in [(0, 50.0), (1000, 50.0), (2000, 80.0)] {
        control.adjust(Adjustment::Limit(4.0));
        feed(&mut control, (from, from + 500), 40);
        feed(&mut control, (from + 500, from + 1000), 50);
        let left = lose(&mut control, from + 1000);
        assert!((left - window).abs() < 1e-9, "{from}: {left}");
    }
    // A third of the throughput is gone: half again.
    control.adjust(Adjustment::Limit(4.0));
    for at in (3000..5000).step_by(15) {
        feed(&mut control, (at, at + 1), 40);
    }
    assert!(near(lose(&mut control, 5000), 50.0));
}

#[test]
fn in_linux_an_increase_above_the_window_keeps_the_throughput_from_being_measured() {
    // Ten segments in 100 ms are more than a window of four. An increase of five segments makes the bound endless, in whole numbers.
    for (preset, alpha, rate) in [(Some("linux"), 5.0, 0.0), (Some("linux"), 3.0, 100.0), (None, 5.0, 100.0)] {
        let args = ENTRY.args(preset).expect("a preset");
        let path = Path { rtt_min: Some(seconds(0.04)), packets: 9.0, ..NOTHING_MEASURED };
        let mut law = HTcp { path, alpha, ..unmeasured(args.typed()) };
        let now = Instant::ZERO + Duration::from_millis(100);
        law.measure_rate(4.0, &Arrival { now, ..arrival_of(&acked(1.0)) });
        assert!(near(law.path.rate, rate), "{alpha} {}", law.path.rate);
    }
}

#[test]
fn a_mark_cuts_as_a_loss() {
    let mut control = connected(&ENTRY, None, &[], 50.0, 2.0);
    control.on_congestion_event(&echoed(50.0));
    assert!(near(control.window(), 25.0) && near(control.ssthresh(), 25.0));
}

#[test]
fn linux_adds_a_segment_with_the_acknowledgement_after_a_window_of_them() {
    // `htcp_cong_avoid`: alpha is 1 at first. Ten are counted by ten acknowledgements, and the next one adds a segment and is not
    // counted.
    let mut control = connected_linux(&ENTRY, Some("linux"), 10.0, 2.0);
    for _ in 0..10 {
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 10.0));
    }
    control.on_ack(&acked(1.0));
    assert!(near(control.window(), 11.0));
}

#[test]
fn a_silence_is_no_epoch() {
    // 3 s after a loss, 2 of them silent: Reno's increase of 1 over the window.
    let after = |silent: f64| {
        let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
        feed(&mut control, (0, 10), 100);
        control.on_congestion_event(&used(100.0));
        let now = Instant::from_secs_f64(3.0);
        control.on_milestone(Milestone::Resumes { now, silent: seconds(silent) });
        control.on_ack(&Acked { now, ..acked(1.0) });
        50.0 * (control.window() - 50.0)
    };
    assert!((after(2.5) - 1.0).abs() < 1e-9, "{}", after(2.5));
    assert!((after(0.0) - 22.0).abs() < 1e-6, "{}", after(0.0));
}

#[test]
fn a_cut_that_is_taken_back_was_no_loss() {
    let mut control = connected_linux(&ENTRY, Some("linux"), 50.0, 2.0);
    control.on_congestion_event(&used(50.0));
    attends(&mut control).on_phase(Phase::Recovery);
    control.adjust(Adjustment::Restore { window: 50.0, ssthresh: 40.0 });
    attends(&mut control).on_phase(Phase::Open);
    assert!(near(control.window(), 50.0) && near(control.ssthresh(), 40.0));
}
