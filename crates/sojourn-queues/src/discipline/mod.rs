//! Disciplines with an order or queues of their own: one file each, all with the same anatomy (see CONTRIBUTING.md).
//!
//! [`flow_queue`] puts any policy into every flow's queue. [`source_quench`] surrounds any policy. [`sorted`] is a store
//! whose packets leave by deadline. [`classes`] has the queues of schedulers by class, [`leaves`] those of Linux's, [`round_robin`] those
//! of hashed flows in turn. Disciplines that nothing but a publication names are in the crate `sojourn-archive`.

pub(crate) mod cake;
pub(crate) mod cbq;
pub mod classes;
pub(crate) mod drr;
pub(crate) mod dualpi2;
pub mod flow_queue;
pub(crate) mod fq;
pub(crate) mod fq_codel;
pub(crate) mod fq_pie;
pub(crate) mod hop_by_hop;
pub(crate) mod htb;
pub(crate) mod leaves;
pub(crate) mod priority;
pub(crate) mod rate_controlled_priority;
pub(crate) mod red_boston;
pub(crate) mod round_robin;
pub(crate) mod sch_drr;
pub(crate) mod sch_dualpi2;
pub(crate) mod sch_ets;
pub(crate) mod sch_fq;
pub(crate) mod sch_hfsc;
pub(crate) mod sch_hhf;
pub(crate) mod sch_prio;
pub(crate) mod sch_qfq;
pub(crate) mod sch_skbprio;
pub(crate) mod sch_tbf;
pub(crate) mod sfq;
pub(crate) mod sorted;
pub(crate) mod source_quench;
pub mod token_bucket;
pub(crate) mod virtual_time;
pub(crate) mod wfq;
