//! Imports for the file of an application: `use super::prelude::*`.

pub(super) use super::entry::AppEntry;
pub(super) use super::{Amount, AppContext, Application, Demand, Role};
pub(super) use crate::component::BuildError;
pub(super) use crate::params::{Args, Fraction, Numbers};
pub(super) use crate::rng::Rng;
pub(super) use crate::units::{Bytes, Duration, Instant, Rate};
pub(super) use crate::{choices, params, presets};
