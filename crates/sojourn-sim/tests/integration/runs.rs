//! Runs of scenarios, and the numbers in their tables.

use sojourn_sim::metrics::Table;
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::sim::Simulation;

/// The tables of a run to its end.
pub fn run(text: &str) -> Vec<Table> {
    run_with(text, 1)
}

pub fn run_with(text: &str, seed: u64) -> Vec<Table> {
    let plan = Plan::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&plan, seed).expect("a plan that runs");
    simulation.advance(simulation.end());
    simulation.finish()
}

pub fn number(tables: &[Table], table: &str, column: &str, row: usize) -> f64 {
    let table = tables.iter().find(|candidate| candidate.name == table).expect("a table");
    table.number(column, row).unwrap_or_else(|| panic!("no {column} in row {row}"))
}
