//! Delay hints of flows at the queues that use them.

use sojourn_sim::metrics::Data;
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::sim::Simulation;
use sojourn_sim::units::{Duration, Instant};

fn plan(flows: &str) -> Result<Plan, String> {
    let toml = format!(
        r#"
        duration = "30s"
        [dumbbell]
        rate = "5Mbit"
        delay = "20ms"
        access = {{ rate = "20Mbit", delay = "15ms" }}
        queue = {{ kind = "red_worcester", limit = "120p", min_th = "20p", max_th = "80p" }}
        [record]
        probes = "100ms"
        {flows}
        "#
    );
    Plan::from_toml(&toml, "hints.toml").map_err(|error| error.to_string())
}

/// Mean of the moving target, in packets, over the second half.
fn moving_target(flows: &str) -> f64 {
    let plan = plan(flows).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&plan, 1).expect("a network");
    simulation.advance(Instant::ZERO + Duration::from_secs(30));
    let tables = simulation.finish();
    let probes = tables.iter().find(|table| table.name == "probe").expect("probes");
    let (Some(Data::Text(links)), Some(Data::Text(names))) = (probes.column("link"), probes.column("probe")) else {
        panic!("names");
    };
    let values: Vec<f64> = (0..names.len())
        .filter(|&row| &*names[row] == "moving_target" && &*links[row] == "forward")
        .filter(|&row| probes.number("time_s", row).is_some_and(|time| time > 15.0))
        .filter_map(|row| probes.number("value", row))
        .collect();
    assert!(!values.is_empty(), "{names:?}");
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn the_target_is_that_of_the_hint_whatever_drives_the_flow() {
    // [Phi02] equation 3.1: 5 Mbit/s times 32 ms are 20 packets of 1000 bytes.
    for (transport, app) in [
        ("tcp", r#""bulk""#),
        ("udp", r#"{ kind = "cbr", rate = "6Mbit" }"#),
        ("udp", r#"{ kind = "poisson", rate = "4Mbit" }"#),
    ] {
        let flows = format!(
            r#"
            [[flow]]
            transport = "{transport}"
            app = {app}
            delay_hint = "32ms"
            "#
        );
        // The first packets may be smaller: a SYN of 40 bytes asks for more packets.
        assert!((moving_target(&flows) / 20.0 - 1.0).abs() < 0.02, "{transport} {app}: {}", moving_target(&flows));
    }
}

#[test]
fn of_two_rates_alike_the_target_is_the_mean_of_their_hints() {
    // [Phi02] assertion on figure 3.4: linear in the mix. Two constant rates alike, hints of 80 and 32 ms: 35 packets.
    let flows = r#"
        [[flow]]
        transport = "udp"
        app = { kind = "poisson", rate = "2Mbit" }
        delay_hint = "80ms"
        [[flow]]
        transport = "udp"
        app = { kind = "poisson", rate = "2Mbit" }
        delay_hint = "32ms"
    "#;
    // The average of weight 0.02 over choices of 20 or 50 has a standard deviation of 15 sqrt(0.02/1.98) = 1.5 packets;
    // over 150 samples 0.1 s (50 packets) apart, each nearly independent, 0.15.
    let target = moving_target(flows);
    assert!((target - 35.0).abs() < 0.6, "{target}");
}

#[test]
fn a_flow_that_gets_too_little_asks_for_more_until_it_is_served() {
    // A constant 1 Mbit/s needs 1.2: the hint rises to the greatest. It needs 0.5: the hint stays at the least.
    let flow = |rate: &str| {
        format!(
            r#"
            [[flow]]
            transport = "udp"
            app = {{ kind = "cbr", rate = "1Mbit" }}
            delay_hint = {{ delay = "16ms", most = "64ms", step = "16ms", rate = "{rate}" }}
            "#
        )
    };
    assert!((moving_target(&flow("1.2Mbit")) - 40.0).abs() < 0.1);
    assert!((moving_target(&flow("500kbit")) - 10.0).abs() < 0.1);
}

#[test]
fn web_connections_over_a_transport_without_any_are_refused() {
    for transport in ["tfrc", "udp", "fec"] {
        let error =
            plan(&format!("[[flow]]\ntransport = \"{transport}\"\napp = \"packmime\"")).expect_err("no connections");
        assert!(error.contains("app") && error.contains(transport), "{error}");
    }
}

#[test]
fn a_greatest_hint_below_the_least_is_refused() {
    let error = plan(
        r#"
        [[flow]]
        delay_hint = { delay = "100ms", rate = "1Mbit" }
        "#,
    )
    .expect_err("80 ms by default");
    assert!(error.contains("most") && error.contains("100ms"), "{error}");
}
