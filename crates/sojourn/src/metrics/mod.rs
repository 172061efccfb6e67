//! What a run has measured.

pub mod registry;
