use super::*;
use crate::queue::Reason;
use crate::rig::{PACKET, Rig, args, at, near};

fn build(preset: &str, settings: &[(&str, &str)]) -> Result<Psand, BuildError> {
    args(&ENTRY, Some(preset), settings).typed::<Params>().policy(&LinkContext::default())
}

fn psand(preset: &str, settings: &[(&str, &str)]) -> Psand {
    build(preset, settings).expect("valid parameters")
}

/// Passes intervals at whose ends the average is each of these.
fn pass(psand: &mut Psand, averages: &[f64]) {
    for average in averages {
        psand.red.average.set(*average);
        let mut rig = Rig::waiting(0);
        let due = psand.next_deadline().expect("a clock");
        psand.on_deadline(due, &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
    }
}

const PSAND1: Law = Law { target: 10.0, coef: 1.0, gamma: 1.0, bottom: 0.01, top: 0.75 };
const PSAND2: Law = Law { coef: 1.75, gamma: 1.5, ..PSAND1 };

#[test]
fn max_p_is_multiplied_by_the_change_and_the_distance() {
    // K 12, K_prev 8, K_T 10: r = 1.2 * 1.5 = 1.8.
    assert!(near(PSAND1.step(0.1, 12.0, 8.0), 0.18));
    // 1.75 * 1.8^1.5 = 1.75 * 1.8 * sqrt(1.8).
    assert!(near(PSAND2.step(0.1, 12.0, 8.0), 0.1 * 1.75 * 1.8 * 1.8_f64.sqrt()));
    // Both ratios below 1: 0.8 * 8 / 12.
    assert!(near(PSAND1.step(0.3, 8.0, 12.0), 0.3 * 0.8 * 8.0 / 12.0));
}

#[test]
fn inverse_ratios_leave_max_p_as_it_is() {
    // [Ale04] section 2.3: 1.2 and 1 / 1.2, with coef 1 and gamma 1.
    assert!(near(PSAND1.step(0.2, 12.0, 14.4), 0.2));
}

#[test]
fn at_rest_the_average_settles_where_the_factor_is_one() {
    // K = K_T coef^(-1/gamma): 10 for PSAND1, 10 * 1.75^(-2/3) = 6.886 for PSAND2.
    assert!(near(PSAND1.step(0.2, 10.0, 10.0), 0.2));
    let settled = 10.0 / 1.75_f64.cbrt().powi(2);
    assert!((settled - 6.886).abs() < 5e-4);
    assert!(near(PSAND2.step(0.2, settled, settled), 0.2));
    assert!(PSAND2.step(0.2, settled + 0.1, settled + 0.1) > 0.2);
    assert!(PSAND2.step(0.2, settled - 0.1, settled - 0.1) < 0.2);
}

#[test]
fn max_p_stops_at_its_bounds() {
    assert!(near(PSAND1.step(0.5, 20.0, 10.0), 0.75));
    assert!(near(PSAND1.step(0.02, 1.0, 2.0), 0.01));
    assert!(near(PSAND2.step(0.5, 0.0, 3.0), 0.01), "an empty queue");
    // A power beyond all numbers, of nothing.
    let steep = Law { gamma: 100.0, bottom: 0.0, ..PSAND1 };
    assert!(steep.step(0.0, 1e12, 1e-300).is_finite());
}

#[test]
fn without_a_previous_average_only_the_distance_counts() {
    assert!(near(PSAND1.rate(12.0, 0.0), 1.2));
    assert!(near(PSAND1.rate(0.0, 0.0), 0.0));
}

#[test]
fn max_p_changes_at_every_interval_and_not_between() {
    let mut psand = psand("psand1", &[]);
    Rig::waiting(9).arrive(&mut psand, at(0.4));
    assert!(near(psand.red.max_p, 0.1));
    assert_eq!(psand.next_deadline(), Some(at(0.5)));

    pass(&mut psand, &[12.5, 10.0]);

    // 12.5 / 10; then (10 / 10) (10 / 12.5).
    assert!(near(psand.red.max_p, 0.1 * 1.25 * 0.8));
    assert_eq!(psand.next_deadline(), Some(at(1.5)));
}

#[test]
fn automatic_thresholds_are_symmetric_about_the_target() {
    let thresholds = |settings: &[(&str, &str)]| {
        let psand = psand("printed", settings);
        (psand.red.curve.min_th, psand.red.curve.max_th)
    };
    assert_eq!(thresholds(&[]), (0.0, 20.0));
    // On both sides of half the buffer.
    assert_eq!(thresholds(&[("target", "17.5p")]), (0.0, 35.0));
    assert_eq!(thresholds(&[("target", "20p")]), (5.0, 35.0));
    assert_eq!(thresholds(&[("target", "35p")]), (35.0, 35.0));
    // 10 Mbit/s: 20 ms are 25 packets of 1000 bytes, 5 ms fewer than 10, a limit of 12 has the middle at 6.
    let automatic = ("target", "auto");
    assert_eq!(thresholds(&[automatic, ("target_delay", "20ms"), ("limit", "100p")]), (0.0, 50.0));
    assert_eq!(thresholds(&[automatic, ("target_delay", "5ms"), ("limit", "100p")]), (0.0, 20.0));
    assert_eq!(thresholds(&[automatic, ("limit", "12p")]), (0.0, 12.0));
    assert_eq!(thresholds(&[("mode", "bytes")]), (0.0, 20_000.0));
}

#[test]
fn only_as_printed_an_empty_queue_drops() {
    for (preset, empty, one, two) in [("printed", true, true, true), ("paper", false, false, true)] {
        for (waiting, drops) in [(0, empty), (1, one), (2, two)] {
            // Without spacing, beyond the region's first packet.
            let mut psand = psand(preset, &[("count", "off"), ("spare_first", "false")]);
            psand.red.average.set(10.0);
            let verdict = Rig::waiting(waiting).arrive_drawing(&mut psand, at(0.0), &PACKET, 0.0);
            assert_eq!(verdict == Verdict::Drop(Reason::EARLY), drops, "{preset} {waiting}");
        }
    }
}

#[test]
fn the_probability_is_a_quarter_at_the_target_and_one_at_four_times_it() {
    // [Ale04] section 2.3, with max_p at 0.5.
    let mut psand = psand("paper", &[("max_p", "0.5")]);
    let mut p_b = |average: f64| {
        psand.red.average.set(average);
        psand.red.p_b()
    };

    assert!(near(p_b(10.0), 0.25));
    assert!(near(p_b(20.0), 0.5));
    assert!(near(p_b(30.0), 0.75));
    assert!(p_b(39.9) < 1.0);
    assert!(near(p_b(40.0), 1.0));
}

#[test]
fn the_gentle_part_follows_max_p_unless_its_slope_is_the_initial_one() {
    for (slope, expected) in [("current", 0.75), ("initial", 0.55)] {
        let mut psand = psand("paper", &[("gentle_slope", slope)]);
        psand.red.max_p = 0.5;
        psand.red.average.set(30.0);
        // Half way from 20 to 40, from max_p or from 0.1.
        assert!(near(psand.red.p_b(), expected), "{slope}");
    }
}

#[test]
fn each_method_moves_the_thresholds_its_way() {
    // From 5 and 15 after the average has risen by 2, and then fallen by 1.
    for (method, risen, fallen) in [
        ("fixed", (5.0, 15.0), (5.0, 15.0)),
        ("max_down", (5.0, 13.0), (5.0, 14.0)),
        ("max_up", (5.0, 17.0), (5.0, 16.0)),
        ("narrow", (7.0, 13.0), (6.0, 14.0)),
        ("widen", (3.0, 17.0), (4.0, 16.0)),
        ("up", (7.0, 17.0), (6.0, 16.0)),
        ("down", (3.0, 13.0), (4.0, 14.0)),
        ("pseudo_drop_tail", (10.0, 10.0), (10.0, 10.0)),
        ("sandwich", (7.0, 13.0), (6.0, 14.0)),
    ] {
        let mut psand = psand("paper", &[("thresholds", method), ("min_th", "5p"), ("max_th", "15p")]);
        pass(&mut psand, &[2.0]);
        assert_eq!((psand.red.curve.min_th, psand.red.curve.max_th), risen, "{method}");
        pass(&mut psand, &[1.0]);
        assert_eq!((psand.red.curve.min_th, psand.red.curve.max_th), fallen, "{method}");
    }
    let start = psand("up", &[]).red.curve;
    assert_eq!((start.min_th, start.max_th), (0.0, 20.0));
}

#[test]
fn thresholds_that_move_stay_on_their_side_of_the_target() {
    // Target 10 of 35: far up, then far down.
    for (method, risen, fallen) in [
        ("max_down", (0.0, 10.0), (0.0, 35.0)),
        ("max_up", (0.0, 35.0), (0.0, 10.0)),
        ("narrow", (10.0, 10.0), (0.0, 20.0)),
        ("widen", (0.0, 20.0), (10.0, 10.0)),
        ("up", (10.0, 35.0), (0.0, 10.0)),
        ("down", (0.0, 10.0), (10.0, 35.0)),
    ] {
        let mut psand = psand("paper", &[("thresholds", method)]);
        pass(&mut psand, &[100.0]);
        assert_eq!((psand.red.curve.min_th, psand.red.curve.max_th), risen, "{method}");
        pass(&mut psand, &[0.0]);
        assert_eq!((psand.red.curve.min_th, psand.red.curve.max_th), fallen, "{method}");
    }
}

#[test]
fn memory_shortens_the_steps_of_the_thresholds() {
    let mut psand = psand("max_up", &[("threshold_memory", "0.25")]);

    pass(&mut psand, &[4.0]);

    assert!(near(psand.red.curve.max_th, 23.0));
}

#[test]
fn pseudo_drop_tail_drops_from_the_target_on() {
    let mut psand = psand("pseudo_drop_tail", &[("w_q", "1")]);

    assert_eq!(Rig::waiting(9).arrive_drawing(&mut psand, at(0.0), &PACKET, 0.0), Verdict::Pass);
    assert_eq!(Rig::waiting(10).arrive(&mut psand, at(0.0)), Verdict::Drop(Reason::FORCED));
    pass(&mut psand, &[10.0]);
    assert_eq!(Rig::waiting(10).arrive(&mut psand, at(0.0)), Verdict::Drop(Reason::FORCED));
}

#[test]
fn sandwich_keeps_the_slope() {
    let mut psand = psand("sandwich", &[]);

    // 1 / 20 for each packet between the thresholds: 4 and 16, then both at 10, then 2 and 18.
    pass(&mut psand, &[4.0]);
    assert!(near(psand.red.max_p, 0.6));
    pass(&mut psand, &[40.0]);
    assert!(near(psand.red.max_p, 0.0));
    pass(&mut psand, &[32.0]);
    assert!(near(psand.red.max_p, 0.8));
}

#[test]
fn what_cannot_be_met_is_refused() {
    let refused = |settings: &[(&str, &str)]| build("paper", settings).map(|_| ()).map_err(|error| error.param);

    assert_eq!(refused(&[("target", "0p")]), Err("target"));
    assert_eq!(refused(&[("target", "35.1p")]), Err("target"));
    assert_eq!(refused(&[("bottom", "0.8")]), Err("bottom"));
    assert_eq!(refused(&[("thresholds", "sandwich"), ("min_th", "20p")]), Err("max_th"));
}
