//! Links, and the ways through a graph of them.

pub mod ecmp;
pub mod fifo_link;
pub mod link_plan;
pub mod loss;
pub mod medium;
pub mod moments;
pub mod opportunities;
pub mod queue_link;
pub mod topology;
pub mod transmitter;
pub mod wifi;
pub mod wire;
