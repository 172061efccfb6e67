//! Queue management algorithms: one file each, all with the same anatomy (see CONTRIBUTING.md).
//!
//! An algorithm of RED's family includes RED's parameters (`..red: red::Settings;` in `params!`), holds a [`red::Red`], and makes its
//! changes between [`red::Red::observe`] and [`red::Red::decide`]; `ared_feng.rs` is the shortest example. One that moves max_p to keep the
//! average in a target range is a [`red::Law`]; `re_ared.rs` is an example.
//!
//! Algorithms that nothing but a publication names are in the crate `sojourn-archive`.

pub mod afc;
pub mod ared;
pub mod ared_feng;
pub mod avq;
pub mod black;
pub mod blue;
pub mod capped_tail;
pub mod care;
pub mod cared;
pub mod choke;
pub mod cobalt;
pub mod cobalt_kernel;
pub mod codel;
pub mod codel_kernel;
pub mod csfq;
pub mod decbit;
pub mod diffserv;
pub mod fared;
pub mod fifo;
pub mod hbf;
pub mod hybrid_red;
pub mod lpf_oda;
pub mod lqd;
pub mod lred;
pub mod p_controller;
pub mod pi;
pub mod pi2;
pub mod pie;
pub mod policer;
pub mod psand;
pub mod rcp;
pub mod re_ared;
pub mod red;
pub mod red_worcester;
pub mod rem;
pub mod rio;
pub mod sch_choke;
pub mod sch_pie;
pub mod sch_red;
pub mod sch_sfb;
pub mod sfb;
pub mod wred;
pub mod xcp;
