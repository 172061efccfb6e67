//! Queue management algorithms: one file each, all with the same anatomy (see CONTRIBUTING.md).

pub mod ared;
pub mod ared_feng;
#[cfg(test)]
pub(crate) mod bench;
pub mod blue;
pub mod choke;
pub mod codel;
pub mod fifo;
pub mod fq_codel;
pub mod hybrid_red;
pub mod lpf_oda;
pub mod pi;
pub mod red;
pub mod red_boston;
pub mod red_worcester;
