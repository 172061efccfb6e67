//! Disciplines with an order or queues of their own: one file each, as in `sojourn_queues::discipline`.

pub(crate) mod abe;
pub(crate) mod cbfq;
pub(crate) mod dcbt;
pub(crate) mod leaky_bucket;
pub(crate) mod tcp_model;
