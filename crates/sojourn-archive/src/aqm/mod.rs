//! Policies: one file each, as in `sojourn_queues::aqm`.

pub(crate) mod ared_mimd;
pub(crate) mod bred;
pub(crate) mod cbt_red;
pub(crate) mod dred;
pub(crate) mod dsred;
pub(crate) mod e_red;
pub(crate) mod ered;
pub(crate) mod fred;
pub(crate) mod green;
pub(crate) mod mred;
pub(crate) mod nlred;
pub(crate) mod red_filter;
pub(crate) mod red_pd;
pub(crate) mod self_tuning_red;
pub(crate) mod sfc;
pub mod sred;
pub(crate) mod wq_max_p;
pub(crate) mod xred;
