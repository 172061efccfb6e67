//! Runs a scenario that may name the queue: `cargo run -- SCENARIO.toml [SEED]`. Prints what became of the packets at each queue.

use own_queue::registry;
use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::scenario::Document;
use sojourn_sim::sim::Simulation;

const SCENARIO: &str = r#"
duration = "20s"
[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = { kind = "ramp", preset = "steep", start = "10%" }
[[flow]]
count = 8
start = { spread = "1s" }
"#;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            std::process::ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let file = args.next();
    let text = match &file {
        Some(path) => std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?,
        None => SCENARIO.to_owned(),
    };
    let seed = args.next().map_or(Ok(1), |seed| seed.parse()).map_err(|error| format!("seed: {error}"))?;
    let name = file.as_deref().unwrap_or("scenario");
    let document = Document::from_toml(&text, name).map_err(|error| error.to_string())?;
    let plan = document.knowing(&registry()?).plan().map_err(|error| error.to_string())?;
    let mut simulation = Simulation::new(&plan, seed).map_err(|error| format!("{error:?}"))?;
    simulation.advance(simulation.end());
    for table in simulation.finish().iter().filter(|table| table.name == "queue") {
        for row in 0.. {
            let Some(link) = text_at(table, "link", row) else { break };
            let shown = ["utilisation", "loss_ratio", "sojourn_mean_ms"].map(|name| number_at(table, name, row));
            println!("{link:<10} utilisation {:.3}  loss {:.4}  mean wait {:.2} ms", shown[0], shown[1], shown[2]);
        }
    }
    Ok(())
}

fn text_at(table: &Table, name: &str, row: usize) -> Option<String> {
    let Some(Data::Text(values)) = table.column(name) else { return None };
    values.iter().nth(row).map(ToString::to_string)
}

fn number_at(table: &Table, name: &str, row: usize) -> f64 {
    let Some(Data::F64(values)) = table.column(name) else { return f64::NAN };
    values[row]
}
