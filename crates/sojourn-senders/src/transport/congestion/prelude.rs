//! Imports for the file of a control law: `use super::prelude::*`.

pub(super) use super::classic::{Classic, Law};
pub(super) use super::place::Place;
pub(super) use super::round_trip::RoundTrip;
pub(super) use super::window::Window;
pub(super) use super::{
    Acked, Adjustment, Arrival, Cause, Congestion, CongestionControl, Heard, Milestone, Needed, Needs, Phase, Setup,
    drawn,
};
pub(super) use crate::mechanism::arithmetic::Arithmetic;
pub(super) use crate::params::{Args, Fraction};
pub(super) use crate::queue::drawing::{Axis, Graph};
pub(super) use crate::rng::Rng;
pub(super) use crate::transport::entry::ControlEntry;
pub(super) use crate::units::{Duration, Instant, Rate};
pub(super) use crate::{choices, params, presets};
