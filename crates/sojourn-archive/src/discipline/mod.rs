//! Disciplines with an order or queues of their own: one file each, as in `sojourn_queues::discipline`.

pub mod abe;
pub mod cbfq;
pub mod dcbt;
pub mod leaky_bucket;
pub mod tcp_model;
