//! Queue management algorithms: one file each, all with the same anatomy (see CONTRIBUTING.md).

pub mod fifo;
pub mod red;
