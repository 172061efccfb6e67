//! Imports for the file of a policy or a discipline: `use crate::queue::prelude::*`.

pub use super::drawing::{Axis, Graph};
pub use super::entry::{PolicyParams, QueueEntry};
pub use super::shown::{Counter, OVERLIMITS, Source};
pub use super::{
    Backlog, Context, Dropped, Limit, LinkContext, Policy, Probe, QueueDiscipline, QueueView, Reason, Tag, Verdict,
};
pub use crate::component::{BuildError, Preset, Setting};
pub use crate::packet::Packet;
pub use crate::params::{Args, Fraction, Numbers, Params as _};
pub use crate::rng::Rng;
pub use crate::units::{Bytes, Duration, Instant, Rate, Size};
pub use crate::{choices, params, presets, probes, settings};
