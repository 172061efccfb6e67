//! Queue management algorithms: one file each, all with the same anatomy (see CONTRIBUTING.md).
//!
//! An algorithm of RED's family includes RED's parameters (`..red: red::Settings;` in `params!`), holds a [`red::Red`], and changes
//! between [`red::Red::observe`] and [`red::Red::decide`] what it changes; `ared_feng.rs` is the shortest example. One that moves
//! max_p to keep the average in a target range is a [`red::Law`]; `ared_mimd.rs` is the shortest example.

pub mod afc;
pub mod ared;
pub mod ared_feng;
pub mod ared_mimd;
pub mod avq;
pub mod black;
pub mod blue;
pub mod bred;
pub mod capped_tail;
pub mod care;
pub mod cared;
pub mod cbt_red;
pub mod choke;
pub mod choke_kernel;
pub mod cobalt;
pub mod cobalt_kernel;
pub mod codel;
pub mod codel_kernel;
pub mod csfq;
pub mod decbit;
pub mod diffserv;
pub mod dred;
pub mod dsred;
pub mod e_red;
pub mod ered;
pub mod fared;
pub mod fifo;
pub mod fred;
pub mod green;
pub mod hbf;
pub mod hybrid_red;
pub mod lpf_oda;
pub mod lqd;
pub mod lred;
pub mod mred;
pub mod nlred;
pub mod p_controller;
pub mod pi;
pub mod pi2;
pub mod pie;
pub mod pie_kernel;
pub mod policer;
pub mod psand;
pub mod rcp;
pub mod re_ared;
pub mod red;
pub mod red_filter;
pub mod red_pd;
pub mod red_worcester;
pub mod rem;
pub mod rio;
pub mod self_tuning_red;
pub mod sfb;
pub mod sfc;
pub mod sred;
pub mod wq_max_p;
pub mod wred;
pub mod xcp;
pub mod xred;
