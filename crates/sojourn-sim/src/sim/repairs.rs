//! The columns of the table of flows about forward error correction.

use std::collections::BTreeMap;

use super::state::{RECEIVER, Simulation};
use crate::metrics::fairness::ratio;
use crate::metrics::table::{Column, reals};
use crate::transport::fec::Repairs;

impl Simulation {
    /// The repairs so far of the flows that have error correction.
    pub(super) fn repairs_so_far(&self) -> BTreeMap<usize, Repairs> {
        let repairs = self.flows.iter().map(|flow| flow.ends[RECEIVER].repairs());
        repairs.enumerate().filter_map(|(flow, repairs)| Some((flow, repairs?))).collect()
    }

    /// One value per flow in each column, for the measured window; NaN without error correction. `so_far`: at its end.
    pub(super) fn repair_columns(&self, so_far: &BTreeMap<usize, Repairs>) -> Vec<Column> {
        let since = |flow: usize| {
            let before = self.repairs_before.get(&flow).copied().unwrap_or_default();
            so_far.get(&flow).map(|repairs| repairs.since(&before))
        };
        let column = |name, f: fn(&Repairs) -> f64| {
            let rows = (0..self.flow_records.len()).map(since);
            reals(name, rows.map(|row| row.as_ref().map_or(f64::NAN, f)))
        };
        vec![
            column("fec_blocks_complete", |row| row.blocks_complete as f64),
            column("fec_blocks_repaired", |row| row.blocks_repaired as f64),
            column("fec_blocks_lost", |row| row.blocks_lost as f64),
            column("fec_data_packets", |row| row.data as f64),
            column("fec_data_lost_packets", |row| row.data_lost as f64),
            column("fec_data_unrepaired_packets", |row| row.data_unrepaired as f64),
            column("fec_loss_before_ratio", |row| ratio(row.lost as f64, row.packets as f64)),
            column("fec_loss_after_ratio", |row| ratio(row.unrepaired as f64, row.packets as f64)),
            column("fec_residual_loss_ratio", |row| ratio(row.data_unrepaired as f64, row.data as f64)),
        ]
    }
}
