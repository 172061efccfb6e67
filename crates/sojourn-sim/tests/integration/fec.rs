//! The losses that forward error correction leaves, against probability theory.

use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::sim::Simulation;
use sojourn_sim::units::{Duration, Instant};

/// The row of the only flow, from a run of `blocks` blocks.
fn row(data: u32, parity: u32, loss: &str, app: &str, more: &str, blocks: u32) -> Table {
    // 1000 packets of 1000 bytes a second.
    let seconds = f64::from(blocks * (data + parity)) / 1000.0;
    let toml = format!(
        r#"
        duration = "{seconds}s"
        warmup = "1s"
        [dumbbell]
        rate = "1Gbit"
        delay = "1ms"
        loss = {loss}
        [[flow]]
        transport = {{ kind = "fec", data = {data}, parity = {parity}{more} }}
        app = {{ kind = "{app}", rate = "8Mbit" }}
        "#
    );
    let plan = Plan::from_toml(&toml, "fec.toml").unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&plan, 1).expect("a network");
    simulation.advance(Instant::ZERO + Duration::from_secs_f64(seconds));
    simulation.finish().into_iter().find(|table| table.name == "flow").expect("the table of flows")
}

fn value(table: &Table, column: &str) -> f64 {
    table.number(column, 0).expect("a number")
}

/// Probability of each number of losses among `n` independent packets.
fn binomial(n: u32, p: f64) -> Vec<f64> {
    let mut law = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; law.len() + 1];
        for (lost, q) in law.iter().enumerate() {
            next[lost] += q * (1.0 - p);
            next[lost + 1] += q * p;
        }
        law = next;
    }
    law
}

/// Mean and standard deviation of the unrepaired losses of a block of `n`, as a fraction of its size, if losses up to `parity`
/// are repaired: E[L 1{L > h}] / n ([Ale04] section 5.1).
fn residual(law: &[f64], parity: u32) -> (f64, f64) {
    let n = (law.len() - 1) as f64;
    let kept = |lost: usize| if lost > parity as usize { lost as f64 / n } else { 0.0 };
    let mean: f64 = law.iter().enumerate().map(|(lost, q)| q * kept(lost)).sum();
    let square: f64 = law.iter().enumerate().map(|(lost, q)| q * kept(lost) * kept(lost)).sum();
    (mean, (square - mean * mean).sqrt())
}

#[test]
fn independent_losses_leave_what_the_binomial_law_says() {
    let blocks = 40_000;
    for (data, parity, p) in [(16, 1, 0.01), (16, 1, 0.05), (16, 4, 0.1), (8, 2, 0.05), (4, 0, 0.02), (1, 1, 0.2)] {
        let loss = format!(r#"{{ kind = "uniform", probability = {p} }}"#);
        let flow = row(data, parity, &loss, "cbr", "", blocks);
        let law = binomial(data + parity, p);
        let (mean, sd) = residual(&law, parity);
        let error = sd / f64::from(blocks).sqrt();

        let after = value(&flow, "fec_loss_after_ratio");
        assert!((after - mean).abs() < 4.0 * error, "({data}, {parity}) at {p}: {after}, expected {mean} +- {error}");
        // Of exchangeable losses data has its share, with a spread greater by at most n/k.
        let data_after = value(&flow, "fec_residual_loss_ratio");
        let wider = error * f64::from(data + parity) / f64::from(data);
        assert!((data_after - mean).abs() < 4.0 * wider, "({data}, {parity}) at {p}: {data_after} of the data");
        let packets = f64::from(blocks * (data + parity));
        let before = value(&flow, "fec_loss_before_ratio");
        assert!((before - p).abs() < 4.0 * (p * (1.0 - p) / packets).sqrt(), "{before} before");

        // A block is lost with P(L > h), complete with (1 - p)^k.
        let blocks_seen = ["complete", "repaired", "lost"].map(|what| value(&flow, &format!("fec_blocks_{what}")));
        let all: f64 = blocks_seen.iter().sum();
        let lost: f64 = law[parity as usize + 1..].iter().sum();
        let complete = (1.0 - p).powi(data as i32);
        for (seen, q) in [(blocks_seen[0], complete), (blocks_seen[2], lost)] {
            assert!((seen / all - q).abs() < 4.0 * (q * (1.0 - q) / all).sqrt(), "{seen} of {all}, expected {q}");
        }
    }
}

#[test]
fn what_is_repaired_is_goodput() {
    // 1000 packets a second, 16 of 17 with 972 bytes of data.
    let p = 0.05;
    let flow = row(16, 1, r#"{ kind = "uniform", probability = 0.05 }"#, "cbr", "", 40_000);
    let sent = 8.0 * 972.0 * 1000.0 * 16.0 / 17.0;
    let kept = 1.0 - residual(&binomial(17, p), 1).0;
    assert!((value(&flow, "goodput_bps") / sent / kept - 1.0).abs() < 0.001, "{}", value(&flow, "goodput_bps"));

    // The same from the counts: data is lost as often before repair as it is sent.
    let (data, lost) = (value(&flow, "fec_data_packets"), value(&flow, "fec_data_lost_packets"));
    assert!((lost / data - p).abs() < 4.0 * (p / data).sqrt());
    let unrepaired = value(&flow, "fec_data_unrepaired_packets");
    assert_eq!((unrepaired / data).to_bits(), value(&flow, "fec_residual_loss_ratio").to_bits());
}

#[test]
fn bursts_leave_what_a_chain_of_two_states_says() {
    // An independent computation: the joint law of state and losses, packet by packet, from the long-run state.
    let (to_bad, to_good, loss_good, loss_bad) = (0.01, 0.25, 0.002, 0.8);
    let chain = |n: u32| {
        let long_run = to_bad / (to_bad + to_good);
        let mut law = vec![[1.0 - long_run, long_run]];
        for step in 0..n {
            let mut next = vec![[0.0; 2]; law.len() + 1];
            for (lost, &[good, bad]) in law.iter().enumerate() {
                // The state of the first packet is the long-run one.
                let (good, bad) = if step == 0 {
                    (good, bad)
                } else {
                    (good * (1.0 - to_bad) + bad * to_good, good * to_bad + bad * (1.0 - to_good))
                };
                next[lost][0] += good * (1.0 - loss_good);
                next[lost + 1][0] += good * loss_good;
                next[lost][1] += bad * (1.0 - loss_bad);
                next[lost + 1][1] += bad * loss_bad;
            }
            law = next;
        }
        law.iter().map(|[in_good, in_bad]| in_good + in_bad).collect::<Vec<f64>>()
    };
    let loss = format!(
        r#"{{ kind = "gilbert_elliott", good_to_bad = {to_bad}, bad_to_good = {to_good}, loss_good = {loss_good}, loss_bad = {loss_bad} }}"#
    );
    let blocks = 40_000;
    for (data, parity, app) in [(16, 1, "poisson"), (16, 4, "poisson"), (8, 2, "cbr"), (64, 16, "cbr")] {
        let law = chain(data + parity);
        let (mean, sd) = residual(&law, parity);
        // Neighbouring blocks share a state with (1 - 0.26)^n: at most 5 % for n = 10, a little more spread.
        let error = sd / f64::from(blocks).sqrt() * 1.1;
        let after = value(&row(data, parity, &loss, app, "", blocks), "fec_loss_after_ratio");
        assert!((after - mean).abs() < 4.0 * error, "({data}, {parity}): {after}, expected {mean} +- {error}");
    }
}

#[test]
fn a_flow_without_error_correction_has_no_such_numbers() {
    let toml = r#"
        duration = "1s"
        dumbbell = { rate = "1Mbit", delay = "1ms" }
        [[flow]]
        [[flow]]
        transport = "fec"
        app = { kind = "poisson", rate = "500kbit" }
    "#;
    let plan = Plan::from_toml(toml, "fec.toml").unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&plan, 1).expect("a network");
    simulation.advance(Instant::ZERO + Duration::from_secs(1));
    let tables = simulation.finish();
    let flow = tables.iter().find(|table| table.name == "flow").expect("the table of flows");
    for column in flow.columns.iter().filter(|column| column.name.starts_with("fec_")) {
        let Data::F64(values) = &column.data else { panic!("a real number") };
        assert!(values[0].is_nan() && !values[1].is_nan(), "{}", column.name);
    }
}
