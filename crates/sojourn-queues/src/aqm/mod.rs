//! Queue management algorithms: one file each, all with the same anatomy (see CONTRIBUTING.md).
//!
//! An algorithm of RED's family includes RED's parameters (`..red: red::Settings;` in `params!`), holds a [`red::Red`], and makes its
//! changes between [`red::Red::observe`] and [`red::Red::decide`]; `ared_feng.rs` is the shortest example. One that moves max_p to keep the
//! average in a target range is a [`red::Law`]; `re_ared.rs` is an example.
//!
//! Algorithms that nothing but a publication names are in the crate `sojourn-archive`.

pub(crate) mod afc;
pub mod ared;
pub(crate) mod ared_feng;
pub(crate) mod avq;
pub(crate) mod black;
pub(crate) mod blue;
pub(crate) mod capped_tail;
pub(crate) mod care;
pub(crate) mod cared;
pub(crate) mod choke;
pub(crate) mod cobalt;
pub(crate) mod cobalt_kernel;
pub(crate) mod codel;
pub(crate) mod codel_kernel;
pub(crate) mod csfq;
pub(crate) mod decbit;
pub(crate) mod diffserv;
pub(crate) mod fared;
pub mod fifo;
pub(crate) mod hbf;
pub(crate) mod hybrid_red;
pub(crate) mod lpf_oda;
pub(crate) mod lqd;
pub(crate) mod lred;
pub(crate) mod p_controller;
pub mod pi;
pub(crate) mod pi2;
pub(crate) mod pie;
pub(crate) mod policer;
pub(crate) mod psand;
pub(crate) mod rcp;
pub mod re_ared;
pub mod red;
pub(crate) mod red_worcester;
pub(crate) mod rem;
pub(crate) mod rio;
pub(crate) mod sch_choke;
pub(crate) mod sch_pie;
pub(crate) mod sch_red;
pub(crate) mod sch_sfb;
pub(crate) mod sfb;
pub(crate) mod wred;
pub(crate) mod xcp;
