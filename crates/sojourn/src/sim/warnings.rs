//! What a finished run shows of itself that a reader of its numbers should know. Each check is a function of this file and a
//! line of [`CHECKS`]; what its code means stands in `metrics::registry::WARNINGS`. Checks look at what has been counted
//! anyway, once, after the run.

use super::tables::FlowRow;
use super::{SENDER, Simulation};
use crate::metrics::Table;
use crate::metrics::table::texts;
use crate::units::Duration;

/// A link or a group of flows, and what to say of it.
type Found = Vec<(String, String)>;

type Check = fn(&Simulation, &[FlowRow]) -> Found;

/// Code and finder.
const CHECKS: [(&str, Check); 2] = [("standstill", standstills), ("goodput_above_capacity", goodput_above_capacity)];

impl Simulation {
    /// Before the books are given back.
    pub(super) fn warning_table(&self, flows: &[FlowRow]) -> Table {
        let found = CHECKS
            .iter()
            .flat_map(|(code, check)| check(self, flows).into_iter().map(move |(place, text)| (*code, place, text)));
        let (mut codes, mut places, mut said) = (Vec::new(), Vec::new(), Vec::new());
        for (code, place, text) in found {
            codes.push(code);
            places.push(place);
            said.push(text);
        }
        Table::new("warnings", vec![texts("code", codes), texts("place", places), texts("text", said)])
    }
}

fn standstills(simulation: &Simulation, flows: &[FlowRow]) -> Found {
    let names = &simulation.settings.group_names;
    let mut groups = vec![(0_u64, 0_u64, Duration::ZERO, 0_usize); names.len()];
    for (number, flow) in flows.iter().enumerate() {
        let (members, still, longest, of) = &mut groups[flow.group as usize];
        *members += 1;
        *still += u64::from(flow.standstill > Duration::ZERO);
        if flow.standstill > *longest {
            (*longest, *of) = (flow.standstill, number);
        }
    }
    let say = |(name, (members, still, longest, of)): (&String, (u64, u64, Duration, usize))| {
        (still > 0).then(|| {
            let text = format!(
                "{still} of {members} flows had data out and no new acknowledgement for more than three timeouts, flow {of} for \
                 {:.1} s",
                longest.as_secs_f64()
            );
            (name.clone(), text)
        })
    };
    names.iter().zip(groups).filter_map(say).collect()
}

/// What came to receivers for the first time has been on the link in the window, or on the way behind it at its beginning.
fn goodput_above_capacity(simulation: &Simulation, flows: &[FlowRow]) -> Found {
    let window = simulation.window().as_secs_f64();
    let numbers: Vec<u32> = simulation.settings.observed.keys().copied().collect();
    let mut sums = vec![(0.0_f64, 0.0_f64); numbers.len()];
    for (flow, row) in flows.iter().enumerate() {
        let mut hop = simulation.flows[flow].route[SENDER] as usize;
        while !simulation.routes[hop].is_end() {
            if let Ok(link) = numbers.binary_search(&simulation.routes[hop].number()) {
                let (bits, way) = &mut sums[link];
                *bits += row.new_bits();
                *way = way.max(row.longest_way());
            }
            hop += 1;
        }
    }
    let rates = simulation.observed().into_iter().map(|(name, rate, _)| (name, rate));
    let say = |((name, rate), (bits, way)): ((String, f64), (f64, f64))| {
        (bits > rate * (window + way)).then(|| {
            let text = format!(
                "its flows got {:.4} Mbit/s of payload, more than the {:.4} Mbit/s that it can carry; this is a fault of Sojourn: please \
                 report it with the scenario and the seed",
                bits / window / 1e6,
                rate / 1e6
            );
            (name, text)
        })
    };
    rates.zip(sums).filter_map(say).collect()
}

#[cfg(test)]
mod tests {
    use super::CHECKS;
    use crate::metrics::registry::WARNINGS;

    #[test]
    fn every_check_has_its_meaning_in_the_reference() {
        let said: Vec<&str> = WARNINGS.iter().map(|entry| entry.code).collect();
        assert_eq!(CHECKS.map(|(code, _)| code).to_vec(), said);
    }
}
