//! Policies: one file each, as in `sojourn_queues::aqm`.

pub mod ared_mimd;
pub mod bred;
pub mod cbt_red;
pub mod dred;
pub mod dsred;
pub mod e_red;
pub mod ered;
pub mod fred;
pub mod green;
pub mod mred;
pub mod nlred;
pub mod red_filter;
pub mod red_pd;
pub mod self_tuning_red;
pub mod sfc;
pub mod sred;
pub mod wq_max_p;
pub mod xred;
