//! Shares of datagrams and of TCP behind a queue that holds large flows to a fair part: experiments E1 to E4 of Chatranon 2004, tables
//! 3 to 6 and 13 to 17.
//!
//! `large_flows QUEUE [EXPERIMENTS] [SEEDS] [SECONDS]` prints for each experiment the throughput of a flow of datagrams and of a flow of
//! TCP in
//! kbit/s, means over flows and seeds 1 to SEEDS (2), over SECONDS (80) after half of that. QUEUE is written as in a scenario,
//! such as
//! `kind = "afc", preset = "paper"`; limit and thresholds are those of the experiment. EXPERIMENTS is such as `14` (all).

use sojourn_sim::metrics::Table;
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::sim::Simulation;

/// Name, rate of the link, flows of datagrams, rate of each, and buffer and thresholds of RED in packets.
struct Experiment(&'static str, &'static str, u32, &'static str, [u32; 3]);

const EXPERIMENTS: [Experiment; 4] = [
    Experiment("1", "5Mbit", 1, "5Mbit", [300, 50, 150]),
    Experiment("2", "45Mbit", 1, "10Mbit", [800, 200, 400]),
    Experiment("3", "5Mbit", 5, "500kbit", [300, 50, 150]),
    Experiment("4", "5Mbit", 5, "5Mbit", [300, 50, 150]),
];

const SCENARIO: &str = r#"
duration = "END"
warmup = "WARM"
[dumbbell]
rate = "RATE"
delay = "10ms"
access = { rate = "100Mbit", delay = "10ms" }
queue = { QUEUE }
[[flow]]
name = "tcp"
count = 100
transport = { kind = "tcp", profile = "ns2", recovery = "sack", window = "1000p" }
app = { kind = "bulk" }
start = { at = "0s", spread = "1s" }
[[flow]]
name = "udp"
count = COUNT
transport = { kind = "udp" }
app = { kind = "cbr", rate = "EACH", packet = "1000B" }
start = { at = "0s", spread = "1s" }
"#;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let queue = args.first().ok_or("usage: large_flows QUEUE [EXPERIMENTS] [SEEDS] [SECONDS]")?;
    let number = |index: usize, default: u64| -> Result<u64, String> {
        args.get(index).map_or(Ok(default), |text| text.parse().map_err(|error| format!("{text:?}: {error}")))
    };
    let chosen = args.get(1).map_or("1234", String::as_str);
    let (seeds, seconds) = (number(2, 2)?, number(3, 80)?);
    for experiment in EXPERIMENTS.iter().filter(|experiment| chosen.contains(experiment.0)) {
        let plan = Plan::from_toml(&experiment.scenario(queue, seconds), "E").map_err(|error| error.to_string())?;
        let mut sums = [0.0; 2];
        for seed in 1..=seeds {
            let mut simulation = Simulation::new(&plan, seed).map_err(|error| format!("{error:?}"))?;
            simulation.advance(simulation.end());
            let tables = simulation.finish();
            let udp = 100..100 + experiment.2 as usize;
            sums[0] += throughput(&tables, udp) / seeds as f64;
            sums[1] += throughput(&tables, 0..100) / seeds as f64;
        }
        println!("E{} udp {:.1} tcp {:.2} kbit/s", experiment.0, sums[0], sums[1]);
    }
    Ok(())
}

impl Experiment {
    fn scenario(&self, queue: &str, seconds: u64) -> String {
        let Experiment(_, rate, count, each, [limit, min_th, max_th]) = self;
        let kind = queue.split('"').nth(1).and_then(sojourn_sim::registry::queue);
        let has = |name: &str| kind.is_some_and(|entry| entry.params.iter().any(|param| param.name == name));
        let sizes = [("limit", limit), ("min_th", min_th), ("max_th", max_th)];
        let own = sizes.iter().filter(|(name, _)| has(name) && !queue.contains(&format!("{name} =")));
        let sized: Vec<String> = own.map(|(name, packets)| format!(", {name} = \"{packets}p\"")).collect();
        SCENARIO
            .replace("QUEUE", &format!("{queue}{}", sized.concat()))
            .replace("RATE", rate)
            .replace("COUNT", &count.to_string())
            .replace("EACH", each)
            .replace("END", &format!("{}s", seconds + seconds / 2))
            .replace("WARM", &format!("{}s", seconds / 2))
    }
}

/// Mean of these rows of the table of flows, in kbit/s on the wire.
fn throughput(tables: &[Table], rows: std::ops::Range<usize>) -> f64 {
    let flows = tables.iter().find(|table| table.name == "flow").expect("there is always a flow table");
    let count = rows.len() as f64;
    rows.map(|row| flows.number("throughput_bps", row).expect("a row for each flow")).sum::<f64>() / count / 1e3
}
