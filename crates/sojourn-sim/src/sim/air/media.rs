//! Which media there are, and which links are their stations.

use std::collections::BTreeMap;

use super::super::event_queue::NEVER;
use crate::net::medium::{Attempts, Medium};
use crate::rng::Rng;
use crate::scenario::plan::Plan;
use crate::units::Instant;

/// All media.
#[derive(Default)]
pub(in crate::sim) struct Air {
    pub(super) media: Vec<Shared>,
    /// For each link the number of its medium, and its own number as a station there.
    pub(super) stations: BTreeMap<u32, (usize, usize)>,
}

pub(super) struct Shared {
    name: String,
    pub(super) medium: Medium,
    /// The link of each station, and its name.
    pub(super) links: Vec<(u32, String)>,
    /// When its next event is scheduled, in nanoseconds.
    pub(super) armed: u64,
}

impl Air {
    /// Builds the media of a plan. Each station has its own random stream.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let mut air = Air::default();
        let from = Instant::ZERO + plan.warmup;
        for medium in &plan.media {
            let (name, medium) = (medium.name.clone(), Medium::new(medium, from));
            air.media.push(Shared { name, medium, links: Vec::new(), armed: NEVER });
        }
        for (number, link) in (0..).zip(&plan.links) {
            let Some(medium) = link.wire.as_ref().and_then(|wire| wire.medium) else { continue };
            let shared = &mut air.media[medium];
            let name = link.name.to_string();
            air.stations.insert(number, (medium, shared.links.len()));
            shared.medium.join(link.rate, Rng::named(seed, &format!("medium/{}/{name}", shared.name)));
            shared.links.push((number, name));
        }
        air
    }

    /// Whether no link shares a medium.
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// The counts of each station: names of medium and link, and numbers.
    pub fn attempts<'a>(&'a self) -> Vec<(&'a str, &'a str, Attempts)> {
        let rows = |shared: &'a Shared| {
            let stations = shared.links.iter().enumerate();
            stations.map(|(number, (_, link))| (shared.name.as_str(), link.as_str(), shared.medium.attempts(number)))
        };
        self.media.iter().flat_map(rows).collect()
    }
}
