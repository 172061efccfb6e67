//! The repairs of flows with forward error correction.

use std::collections::BTreeMap;

use super::state::{RECEIVER, Simulation};
use crate::transport::fec::Repairs;

impl Simulation {
    /// The repairs so far of the flows that have error correction.
    pub(super) fn repairs_so_far(&self) -> BTreeMap<usize, Repairs> {
        let repairs = self.flows.iter().map(|flow| flow.ends[RECEIVER].repairs());
        repairs.enumerate().filter_map(|(flow, repairs)| Some((flow, repairs?))).collect()
    }
}
