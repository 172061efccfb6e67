//! Disciplines with an order or queues of their own: one file each, all with the same anatomy (see CONTRIBUTING.md).
//!
//! [`flow_queue`] puts any policy into every flow's queue. [`source_quench`] surrounds any policy. [`sorted`] is a store
//! whose packets leave by deadline. [`classes`] has the queues of schedulers by class, [`round_robin`] those of hashed flows in turn.
//! Disciplines that nothing but a publication names are in the crate `sojourn-archive`.

pub mod cake;
pub mod cbq;
pub mod classes;
pub mod drr;
pub mod dualpi2;
pub mod flow_queue;
pub mod fq;
pub mod fq_codel;
pub mod fq_pie;
pub mod hop_by_hop;
pub mod htb;
pub mod priority;
pub mod rate_controlled_priority;
pub mod red_boston;
pub mod round_robin;
pub mod sch_dualpi2;
pub mod sfq;
pub mod sorted;
pub mod source_quench;
pub mod token_bucket;
pub mod virtual_time;
pub mod wfq;
