//! The promises of each algorithm, tested in a closed loop: twenty TCP flows on a dumbbell of 10 Mbit/s. Each bound is derived beside it,
//! from the algorithm's own law or target, not from a run.

use sojourn_archive::registry;
use sojourn_sim::aqm::pi::Gains;
use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::scenario::Document;
use sojourn_sim::sim::{LinkSoFar, Simulation};
use sojourn_sim::units::{Duration, Instant};

/// The measured part of a run, in seconds, and packets that the link sends in it.
const WINDOW: f64 = 20.0;
const CAPACITY: f64 = 1250.0 * WINDOW;

/// The result of the forward queue in the measured twenty seconds.
struct Outcome {
    queue: Table,
    reasons: Table,
    /// The values that it showed at their beginning and at their end.
    from: LinkSoFar,
    to: LinkSoFar,
}

impl Outcome {
    fn value(&self, column: &str) -> f64 {
        self.queue.number(column, 0).unwrap_or_else(|| panic!("no column {column}"))
    }

    fn mean_packets(&self) -> f64 {
        self.value("backlog_mean_packets")
    }

    /// The growth of the backlog, in packets.
    fn grown(&self) -> f64 {
        self.to.backlog.packets as f64 - self.from.backlog.packets as f64
    }

    /// The change of a probe of the queue.
    fn moved(&self, probe: &str) -> f64 {
        shown(&self.to, probe) - shown(&self.from, probe)
    }
}

fn shown(link: &LinkSoFar, probe: &str) -> f64 {
    link.probes.iter().find(|(name, _)| *name == probe).map_or_else(|| panic!("no {probe}"), |(_, value)| *value)
}

/// TCP flows over 10 Mbit/s. The first part of the run is not measured.
fn dumbbell(seconds: u32, warmup: u32, queue: &str, flows: u32, transport: &str) -> String {
    format!(
        r#"
duration = "{seconds}s"
warmup = "{warmup}s"
[dumbbell]
rate = "10Mbit"
delay = "20ms"
access = {{ rate = "100Mbit", delay = ["2ms", "10ms"] }}
queue = {{ {queue} }}
[[flow]]
name = "bulk"
count = {flows}
transport = {{ kind = "tcp", recovery = "sack", profile = "ns2" {transport} }}
app = {{ kind = "bulk" }}
start = {{ at = "0s", spread = "1s" }}
"#
    )
}

fn scenario(queue: &str, transport: &str) -> String {
    dumbbell(40, 20, queue, 20, &format!(r#", control = "reno"{transport}"#))
}

fn begun(text: &str) -> Simulation {
    let plan = Document::from_toml(text, "test.toml").and_then(|document| document.knowing(registry()).plan());
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&plan, 1).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn tables(simulation: Simulation) -> impl Fn(&str) -> Table {
    let tables = simulation.finish();
    move |name| tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table {name}")).clone()
}

fn run(queue: &str, transport: &str) -> Outcome {
    let mut simulation = begun(&scenario(queue, transport));
    simulation.advance(Instant::from_secs_f64(40.0 - WINDOW));
    let from = simulation.links_so_far().swap_remove(0);
    simulation.advance(simulation.end());
    let to = simulation.links_so_far().swap_remove(0);
    let table = tables(simulation);
    Outcome { queue: table("queue"), reasons: table("reasons"), from, to }
}

/// The path holds 60 to 100 packets, by the round trips of 48 to 80 ms.
const LONGEST_PATH: f64 = 100.0;

/// Windows that go from 2/3 to 4/3 of their mean, one as often as the other, have a standard deviation of 1 / sqrt(27) of it: the sum
/// of twenty is off by 4.3 %.
fn spread_of_all_windows() -> f64 {
    1.0 / (27.0_f64 * 20.0).sqrt()
}

#[test]
fn managed_queues_are_shorter_than_a_plain_buffer_and_keep_the_link_busy() {
    // Reno over a buffer of B = 100 packets that holds the path as well: even if all windows are halved together the backlog goes from
    // (B - path) / 2 up to B, which is (3 B - path) / 4 in the mean. So the link is never idle.
    let least = (3.0 * 100.0 - LONGEST_PATH) / 4.0;
    let plain = run(r#"kind = "fifo", limit = "100p""#, "");
    assert!(plain.value("utilisation") > 1.0 - 1.0 / CAPACITY, "{}", plain.value("utilisation"));
    assert!(plain.mean_packets() > least, "{}", plain.mean_packets());

    // Gentle RED drops everything where its average is at twice `max_th`, which is 15 packets here. The others promise no length: their
    // backlog is less than any plain buffer could have.
    let gentle = ["red", "ared_feng", "lpf_oda", "hybrid_red", "nlred", "fred", "cbt_red"].map(|name| (name, 30.0));
    for (name, most) in gentle.into_iter().chain(["bred", "blue", "codel", "fq_codel"].map(|name| (name, least))) {
        let managed = run(&format!(r#"kind = "{name}""#), "");
        // With an empty queue the sum of all windows is sent. If its mean is two standard deviations below the link's rate, it
        // is as high as that for one fortieth of the time: a managed queue does better than that.
        let utilisation = managed.value("utilisation");
        assert!(utilisation > 1.0 - 2.0 * spread_of_all_windows(), "{name} {utilisation}");
        assert!(managed.mean_packets() < most, "{name} {}", managed.mean_packets());
        // A packet takes 0.8 ms.
        assert!(managed.value("sojourn_p50_ms") < 0.8 * most, "{name} {}", managed.value("sojourn_p50_ms"));
    }
}

#[test]
fn adaptive_red_holds_its_target() {
    // Thresholds 5 and 15: the average is to be between 9 and 11 packets. The backlog varies between none and 20, evenly at the worst, and
    // is independent after a round trip of 64 ms and 10 packets: a mean over the window is off by less than 2.58 standard errors (99 %).
    // ns-2 counts in mean packets of 500 bytes: the link sends 12.5 of them in 5 ms, half of which are 6.25, the upper threshold is
    // 18.75, and the range is 11.25 to 13.75, half as many packets of 1000 bytes.
    let error = 2.58 * (20.0 / 12.0_f64.sqrt()) / (WINDOW / 0.072).sqrt();
    for name in ["ared", "re_ared", "fared", "cared", "ared_mimd"] {
        for (preset, target, band) in [("paper", 10.0, 1.0), ("ns2", 6.25, 0.625)] {
            let mean = run(&format!(r#"kind = "{name}", preset = "{preset}""#), "").mean_packets();
            assert!((mean - target).abs() < band + error, "{name} {preset} {mean}");
        }
    }
}

#[test]
fn pi_holds_its_reference_but_for_what_the_probability_has_moved() {
    // Hollot et al.: stable with 20 flows and a round trip of 80 ms and a full buffer.
    let (reference, updates) = (25.0, 170.0 * WINDOW);
    let Gains { a, b } = Gains::designed(20.0, 0.16, 1250.0, 170.0);
    let pi = run(&format!(r#"kind = "pi", q_ref = "25p", limit = "100p", a = {a}, b = {b}"#), "");

    // p changes by a (q - q_ref) - b (q_old - q_ref) at each update. All of them add up to
    // (a - b) (sum of q - q_ref) + b (q now - q before), so that the mean of q is known from where p begins and ends.
    let expected = reference + (pi.moved("drop_prob") - b * pi.grown()) / ((a - b) * updates);
    // 1/170 s is seven packets' time, so that a sample is off by 7 at most from the value it represents, and the mean of 3400 has a
    // standard error of 7 / sqrt(3 * 3400) at most.
    let sampled = 7.0 / (3.0 * updates).sqrt();
    assert!((pi.mean_packets() - expected).abs() < 3.0 * sampled, "{} {expected}", pi.mean_packets());
}

#[test]
fn rem_holds_its_target_whatever_the_price_sums_up() {
    let (gamma, alpha, target, updates) = (0.001, 0.1, 20.0, 500.0 * WINDOW);
    for (settings, by_rate) in
        [(r#"preset = "paper""#, true), (r#"preset = "ns2""#, true), (r#"form = "queue""#, false)]
    {
        let rem = run(&format!(r#"kind = "rem", {settings}, q_ref = "20p", limit = "200p""#), "");
        // The price changes by gamma (alpha (q - q_ref) + x - c) at each update: the x sum up to the arrivals, the c to the capacity of the
        // link. By queue lengths x - c is q now less q before. So the mean of q is known from where the price begins and ends.
        let excess = if by_rate { rem.value("arrivals_packets") - CAPACITY } else { rem.grown() };
        let expected = target + (rem.moved("price") / gamma - excess) / (alpha * updates);
        // Samples are 2 ms or 2.5 packets apart, so that they come with a departure or halfway between two. The backlog rises by one packet
        // from one departure to the next.
        assert!((rem.mean_packets() - expected).abs() < 0.5, "{settings} {} {expected}", rem.mean_packets());
    }
}

#[test]
fn psand_holds_its_target_or_below_by_its_coefficient() {
    // At rest max_p stays where the average is at target coef^(-1/gamma): 10 for coef 1, 6.9 for 1.75 and 1.5.
    for (preset, coef, gamma) in [("psand1", 1.0_f64, 1.0_f64), ("paper", 1.75, 1.5)] {
        let mut simulation = begun(&scenario(&format!(r#"kind = "psand", preset = "{preset}""#), ""));
        let mut at = |half_seconds: u32| {
            simulation.advance(Instant::ZERO + Duration::from_millis(500 * u64::from(half_seconds)));
            let link = simulation.links_so_far().swap_remove(0);
            (shown(&link, "avg").ln(), shown(&link, "max_p").ln())
        };
        let (first, max_p) = at(40);
        let steps: Vec<_> = (41..=80).map(&mut at).collect();
        let (last, now) = steps[steps.len() - 1];
        let mean = steps.iter().map(|(average, _)| average).sum::<f64>() / steps.len() as f64;

        // Each half second max_p is multiplied by coef (K / target * K / K before)^gamma: the logarithms add up.
        let expected =
            (10.0 * coef.powf(-1.0 / gamma)).ln() + ((now - max_p) / gamma - (last - first)) / steps.len() as f64;
        assert!((mean - expected).abs() < 1e-9, "{preset} {} {}", mean.exp(), expected.exp());
        // max_p stays between 0.01 and 0.75, so that it moves this mean by ln(75) / (40 gamma) at most.
        let rest = mean - (10.0 * coef.powf(-1.0 / gamma)).ln() + (last - first) / steps.len() as f64;
        assert!(rest.abs() < 75.0_f64.ln() / (gamma * steps.len() as f64), "{preset} {rest}");
    }
}

#[test]
fn avq_lets_through_the_desired_share_of_the_link() {
    for gamma in [0.98, 0.9] {
        for preset in ["paper", "ns2"] {
            let avq = run(&format!(r#"kind = "avq", preset = "{preset}", gamma = {gamma}, alpha = 0.15"#), "");
            // In ns-2 the accepted packets make up the share; as published all arrivals do.
            let lost = if preset == "paper" { 0.0 } else { avq.value("drops_bytes") };
            let share = (avq.value("arrivals_bytes") - lost) / (1000.0 * CAPACITY);
            // The virtual capacity rises by alpha gamma C a second and falls by alpha for each byte: both add up to its movement.
            let expected = gamma - avq.moved("capacity") / (0.15 * WINDOW);
            // It moves when a packet comes. The rise for the time since the last packet is missing at both ends: twenty flows do
            // not all keep silent for longer than the longest round trip without a queue, 80 ms.
            assert!((share - expected).abs() < gamma * 0.08 / WINDOW, "{preset} {gamma} {share} {expected}");
        }
    }
}

#[test]
fn hinted_red_holds_the_delay_that_packets_ask_for() {
    // Without hints the default one: a queue midway between 20 and 80 packets, within Adaptive RED's band of a fifth of the way.
    for name in ["red_worcester", "red_boston"] {
        let hinted = run(&format!(r#"kind = "{name}", preset = "paper""#), "");
        assert!((hinted.mean_packets() - 50.0).abs() < 6.0, "{name} {}", hinted.mean_packets());
    }
}

#[test]
fn fq_codel_is_a_flow_queue_of_codel() {
    let whole = run(r#"kind = "fq_codel""#, "");
    let composed = run(r#"kind = "flow_queue", policy = "codel""#, "");

    for column in ["arrivals_packets", "drops_packets", "departures_packets", "backlog_mean_packets", "sojourn_mean_ms"]
    {
        assert_eq!(whole.value(column).to_bits(), composed.value(column).to_bits(), "{column}");
    }
}

#[test]
fn marks_take_the_place_of_losses() {
    for queue in [r#"kind = "red""#, r#"kind = "codel""#] {
        let dropping = run(queue, "");
        let marking = run(&format!("{queue}, ecn = true"), ", ecn = true");
        // Less than 50 packets wait in the mean, and all windows together are the packets on the path and in the queue. A window W in the
        // mean that is halved for each loss, and grows by one a round trip, sends 2 W^2 / 3 packets for each.
        for one in [&dropping, &marking] {
            assert!(one.mean_packets() < 50.0, "{queue} {}", one.mean_packets());
        }
        let window = (LONGEST_PATH + 50.0) / 20.0;
        let least = 3.0 / (2.0 * window * window);
        assert!(dropping.value("mark_ratio") == 0.0 && dropping.value("loss_ratio") > least, "{queue}");
        assert!(marking.value("mark_ratio") > least, "{queue} {}", marking.value("mark_ratio"));
        // Both mark wherever they would drop, up to certain drops: only a full buffer costs packets.
        assert_eq!(early_drops(&marking.reasons), 0, "{queue} {:?}", marking.reasons);
        assert!(early_drops(&dropping.reasons) > 0, "{queue} {:?}", dropping.reasons);
    }
}

/// The number of rows of the table of reasons that report drops besides those of a full buffer.
fn early_drops(reasons: &Table) -> usize {
    let column = |name| match reasons.column(name) {
        Some(Data::Text(texts)) => texts.iter().map(|text| (**text).to_owned()).collect::<Vec<_>>(),
        _ => panic!("no texts {name}"),
    };
    let rows = column("link").into_iter().zip(column("event")).zip(column("reason"));
    rows.filter(|((link, event), reason)| link == "forward" && event == "drop" && reason != "overflow").count()
}

/// Mbit/s of a constant source of 8 Mbit/s beside ten TCP flows on 10 Mbit/s (an equal share is 0.91), and the mean
/// number of packets that wait.
fn blast(queue: &str) -> (f64, f64) {
    let text = dumbbell(30, 10, queue, 10, "")
        + r#"
[[flow]]
name = "blast"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "8Mbit" }
"#;
    let mut simulation = begun(&text);
    simulation.advance(simulation.end());
    let table = tables(simulation);
    let number = |name: &str, column, row| table(name).number(column, row).expect("a column of the table");
    (number("group", "throughput_mean_bps", 1) / 1e6, number("queue", "backlog_mean_packets", 0))
}

#[test]
fn what_treats_flows_or_classes_apart_holds_a_source_that_does_not_adapt() {
    // RED drops the same part p of everybody's packets. At p = 1/4 the source would keep 6 Mbit/s and leave 4; but TCP sends at most
    // sqrt(3 / (2 p)) = 2.45 packets a round trip (Mathis and others 1997), which is 48 to 80 ms or longer: of ten flows
    // 2.45 * 8 kbit * 16 / s each, 3.1 Mbit/s. So p is less than that.
    let (red, _) = blast(r#"kind = "red""#);
    assert!(red > 6.0, "{red}");

    // FRED: where many wait, none has more than twice as many packets as the average flow, and one that has had more before no more than
    // the average. If all eleven wait, twice an even share is the most.
    let (fred, _) = blast(r#"kind = "fred", preset = "paper""#);
    assert!(fred < 2.0 * 10.0 / 11.0, "{fred}");

    // All wait equally long in one queue, so that a flow's part of the link is its part of the backlog (Little).
    for (queue, most_waiting) in [
        // BRED: at most `w_m` packets of a flow.
        (r#"kind = "bred", preset = "alemu2004", limit = "100p", w_m = "10p""#, 10.0),
        // CBT-RED: as many datagrams as its threshold in the mean, and the one that comes.
        (r#"kind = "cbt_red", limit = "100p", min_th = "20p", max_th = "60p", other_th = "2p""#, 2.0 + 1.0),
    ] {
        let (held, waiting) = blast(queue);
        assert!(held < 10.0 * most_waiting / waiting, "{queue}: {held} of 10 with {waiting} waiting");
        assert!(held < red, "{queue}: {held} beside {red}");
    }

    // RIO drops packets out of profile first; that is all of the source's packets and none of TCP's first 1 Mbit/s.
    let (rio, _) = blast(r#"kind = "rio", limit = "100p", profile_mbit = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]"#);
    assert!(rio < red, "{rio} beside {red}");
}
