//! The benchmark's dumbbell: N bulk flows through one bottleneck under adaptive gentle RED or drop tail.
//!
//! `dumbbell n=10 c=10 t=100 seed=1 aqm=red tcp=sack` prints one JSON line of counters. The workload
//! is that of `benchmarks/dumbbell/dumbbell.tcl` for ns-2. With `packets=3` each flow sends three packets and is idle then. `dumbbell
//! file=SCENARIO.toml t=100 seed=1` runs a scenario file for that long instead. `queue=codel` takes any queue of the registry with its
//! defaults in place of `aqm`, `queue=codel:linux` one with a preset. With `without=scout,ends` the engine leaves these shortcuts out, with
//! `without=all` every one; the counters do not change.

use std::fmt::Write as _;

use sojourn_archive::registry;
use sojourn_sim::metrics::Table;
use sojourn_sim::scenario::Document;
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::sim::Simulation;
use sojourn_sim::sim::shortcuts::Shortcuts;
use sojourn_sim::units::Duration;

struct Settings {
    flows: u32,
    rate_mbit: f64,
    seconds: f64,
    seed: u64,
    aqm: String,
    /// Any queue of the registry with its defaults, in place of `aqm`.
    queue: Option<String>,
    recovery: String,
    /// Full packets that each flow sends, if not without end.
    packets: Option<u64>,
    file: Option<String>,
    shortcuts: Shortcuts,
}

fn main() -> Result<(), String> {
    let settings = Settings::from_args(std::env::args().skip(1))?;
    let plan = settings.plan()?;
    let mut simulation =
        Simulation::from_plan_with(plan, settings.seed, settings.shortcuts).map_err(|error| format!("{error:?}"))?;
    simulation.advance(simulation.end());
    let tables = simulation.finish();
    println!("{}", Settings::counters(&tables));
    Ok(())
}

impl Settings {
    fn from_args(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut settings = Settings {
            flows: 10,
            rate_mbit: 10.0,
            seconds: 100.0,
            seed: 1,
            aqm: "red".into(),
            queue: None,
            recovery: "sack".into(),
            packets: None,
            file: None,
            shortcuts: Shortcuts::ALL,
        };
        for arg in args {
            let (key, value) = arg.split_once('=').ok_or_else(|| format!("{arg:?} is not key=value"))?;
            let wrong = |error: &dyn std::fmt::Display| format!("{key}={value}: {error}");
            match key {
                "n" => settings.flows = value.parse().map_err(|error| wrong(&error))?,
                "c" => settings.rate_mbit = value.parse().map_err(|error| wrong(&error))?,
                "t" => settings.seconds = value.parse().map_err(|error| wrong(&error))?,
                "seed" => settings.seed = value.parse().map_err(|error| wrong(&error))?,
                "aqm" => settings.aqm = value.into(),
                "queue" => settings.queue = Some(value.into()),
                "tcp" => settings.recovery = value.into(),
                "packets" => settings.packets = Some(value.parse().map_err(|error| wrong(&error))?),
                "file" => settings.file = Some(value.into()),
                "without" if value == "all" => settings.shortcuts = Shortcuts::NONE,
                "without" => {
                    for name in value.split(',') {
                        let names = Shortcuts::NAMES.join(", ");
                        settings.shortcuts = settings
                            .shortcuts
                            .without(name)
                            .ok_or_else(|| format!("{name:?} is not one of {names}"))?;
                    }
                }
                _ => {
                    return Err(format!(
                        "{key:?} is not one of n, c, t, seed, aqm, queue, tcp, packets, file, without"
                    ));
                }
            }
        }
        Ok(settings)
    }

    fn plan(&self) -> Result<Plan, String> {
        let Some(path) = &self.file else {
            return read(&self.scenario(), "dumbbell");
        };
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let mut plan = read(&text, path)?;
        plan.duration = Duration::from_secs_f64(self.seconds);
        Ok(plan)
    }

    /// The workload as a scenario file: buffer of one BDP at 60 ms, thresholds at a sixth and a half of it.
    fn scenario(&self) -> String {
        let buffer = (self.rate_mbit * 1e6 * 0.06 / 8000.0).round();
        let queue = match self.aqm.as_str() {
            _ if self.queue.is_some() => match self.queue.as_deref().unwrap_or_default().split_once(':') {
                Some((name, preset)) => format!("{{ kind = {name:?}, preset = {preset:?} }}"),
                None => format!("{{ kind = {:?} }}", self.queue.as_deref().unwrap_or_default()),
            },
            "droptail" => format!("{{ kind = \"fifo\", preset = \"ns2\", limit = \"{buffer}p\" }}"),
            _ => format!(
                "{{ kind = \"ared\", preset = \"ns2\", mode = \"packets\", mean_packet = \"auto\", \
                 limit = \"{buffer}p\", min_th = \"{}p\", max_th = \"{}p\" }}",
                buffer / 6.0,
                buffer / 2.0
            ),
        };
        let mut text = String::new();
        let _ = write!(
            text,
            "duration = \"{seconds}s\"\nwarmup = \"0s\"\n\
             [dumbbell]\nrate = \"{rate}Mbit\"\ndelay = \"20ms\"\nqueue = {queue}\n\
             reverse_queue = {{ kind = \"fifo\", limit = \"100000p\" }}\n\
             access = {{ rate = \"{access}Mbit\", delay = \"5ms\" }}\n\
             [[flow]]\nname = \"bulk\"\ncount = {flows}\n\
             transport = {{ kind = \"tcp\", profile = \"ns2\", recovery = \"{recovery}\", window = \"1000p\" }}\n\
             app = {{ kind = \"bulk\", packets = {packets} }}\nstart = {{ at = \"0s\", spread = \"{spread}s\" }}\n",
            seconds = self.seconds,
            // A run of a millisecond shows the cost of the set-up.
            spread = (self.seconds / 2.0).min(1.0),
            rate = self.rate_mbit,
            access = 10.0 * self.rate_mbit,
            flows = self.flows,
            recovery = self.recovery,
            packets = self.packets.map_or("\"auto\"".into(), |packets| packets.to_string()),
        );
        text
    }

    fn counters(tables: &[Table]) -> String {
        let queue = tables.iter().find(|table| table.name == "queue").expect("there is always a queue table");
        let count = |column: &str| queue.number(column, 0).expect("the first queue is the bottleneck");
        format!(
            "{{\"departures\": {}, \"drops\": {}, \"utilisation\": {:.4}, \"mean_queue\": {:.2}}}",
            count("departures_packets"),
            count("drops_packets"),
            count("utilisation"),
            count("backlog_mean_packets")
        )
    }
}

/// The plan of a scenario file that may name any queue, those of the archive too.
fn read(text: &str, source: &str) -> Result<Plan, String> {
    Document::from_toml(text, source)
        .and_then(|file| file.knowing(registry()).plan())
        .map_err(|error| error.to_string())
}
