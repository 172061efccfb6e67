//! The measurements of a run. Counters are always on; time series are asked for by the scenario.

pub mod capture;
pub mod cells;
pub mod column;
pub mod fairness;
pub mod group;
pub mod histogram;
pub mod latency;
pub mod quality;
pub mod quantities;
pub mod queue;
pub mod responsiveness;
pub mod table;
pub mod warning_codes;

pub use table::{Column, Data, Table};
