//! Runs a scenario file and prints all tables of results as JSON, one line per seed.
//!
//! `run SCENARIO.toml [SEED ...]`; `-` reads the scenario from standard input; the seed is 1 unless given.

use std::io::{Read as _, Write as _};

use serde_json::{Map, Value};
use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::sim::Simulation;

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: run SCENARIO.toml [SEED ...]")?;
    let seeds = args.map(|seed| seed.parse().map_err(|error| format!("seed {seed:?}: {error}")));
    let seeds: Vec<u64> = seeds.collect::<Result<_, _>>()?;
    let text = read(&path).map_err(|error| format!("{path}: {error}"))?;
    let plan = Plan::from_toml(&text, &path).map_err(|error| error.to_string())?;
    let mut out = std::io::stdout().lock();
    for &seed in if seeds.is_empty() { &[1][..] } else { &seeds } {
        let mut simulation = Simulation::new(&plan, seed).map_err(|error| format!("{error:?}"))?;
        simulation.advance(simulation.end());
        let tables: Map<_, _> =
            simulation.finish().iter().map(|table| (table.name.to_owned(), columns(table))).collect();
        writeln!(out, "{}", Value::Object(tables)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn read(path: &str) -> std::io::Result<String> {
    if path != "-" {
        return std::fs::read_to_string(path);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// A table as an object of arrays; infinite numbers and NaN become null.
fn columns(table: &Table) -> Value {
    let column = |data: &Data| match data {
        Data::F64(values) => Value::from(values.clone()),
        Data::U64(values) => Value::from(values.clone()),
        Data::Text(values) => values.iter().map(|value| Value::from(&**value)).collect(),
    };
    Value::Object(table.columns.iter().map(|one| (one.name.to_owned(), column(&one.data))).collect())
}
