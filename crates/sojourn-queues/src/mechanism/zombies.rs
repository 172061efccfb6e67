//! SRED's list of recently seen flows ("zombies"), from whose hits the number of flows follows. Specification: [Ott99] Ott, Lakshman and
//! Wong, "SRED: Stabilized RED", INFOCOM 1999, after Alemu 2004 section 1.2 [Ale04].

use crate::choices;
use crate::packet::FlowId;

choices! {
    /// When a zombie may be overwritten.
    pub enum Overwrite {
        /// After a miss.
        Miss = "miss",
        /// After a miss or a hit, which then starts its count anew.
        Always = "always",
    }
}

/// A recently seen flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zombie {
    /// Which.
    pub flow: FlowId,
    /// Arrivals of the flow that were compared with it.
    pub count: u64,
}

/// The list, and how often arrivals hit it.
#[derive(Clone, Debug)]
pub struct Zombies {
    size: usize,
    replace: f64,
    alpha: f64,
    overwrite: Overwrite,
    list: Vec<Zombie>,
    frequency: f64,
}

impl Zombies {
    /// An empty list for `size` zombies, one of which a miss replaces with probability `replace`; an arrival has the weight `alpha` in the
    /// frequency of hits, by default `replace / size` ([Ott99]: p / M).
    pub fn new(size: u64, replace: f64, alpha: Option<f64>, overwrite: Overwrite) -> Self {
        let alpha = alpha.unwrap_or(replace / size as f64);
        Zombies { size: size as usize, replace, alpha, overwrite, list: Vec::new(), frequency: 0.0 }
    }

    /// P: frequency of hits. Its inverse estimates the number of flows; 0 before the first hit.
    pub fn frequency(&self) -> f64 {
        self.frequency
    }

    /// The number of flows, `1 / P`; `None` before the first hit.
    pub fn estimate(&self) -> Option<f64> {
        (self.frequency > 0.0).then(|| 1.0 / self.frequency)
    }

    /// The largest count, that of the flow that sends most; 0 if the list is empty.
    pub fn largest_count(&self) -> u64 {
        self.list.iter().map(|zombie| zombie.count).max().unwrap_or(0)
    }

    /// Compares the arrival's flow with the zombie that `choice` in [0, 1) chooses, which it may replace if `luck` in [0, 1) is
    /// small enough. Returns whether it is the same.
    pub fn meet(&mut self, flow: FlowId, choice: f64, luck: f64) -> bool {
        if self.list.len() < self.size {
            // [Ott99]: while the list fills, nothing is compared and P stays.
            self.list.push(Zombie { flow, count: 0 });
            return false;
        }
        let index = (choice * self.size as f64) as usize;
        let zombie = &mut self.list[index.min(self.size - 1)];
        let hit = zombie.flow == flow;
        if hit {
            zombie.count += 1;
        }
        if (!hit || self.overwrite == Overwrite::Always) && luck < self.replace {
            *zombie = Zombie { flow, count: 0 };
        }
        // P = (1 - alpha) P + alpha Hit ([Ott99]).
        self.frequency = (1.0 - self.alpha) * self.frequency + if hit { self.alpha } else { 0.0 };
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn while_the_list_fills_nothing_is_compared() {
        let mut zombies = Zombies::new(3, 0.25, None, Overwrite::Miss);

        for _ in 0..3 {
            assert!(!zombies.meet(FlowId(1), 0.5, 0.5));
        }

        assert_eq!(zombies.estimate(), None);
        assert!(zombies.meet(FlowId(1), 0.5, 0.5));
        // alpha = 0.25 / 3.
        assert!((zombies.frequency() - 0.25 / 3.0).abs() < 1e-12);
        assert_eq!(zombies.largest_count(), 1);
    }

    /// The list after one comparison of flow 2 (or 1) with a list of flow 1 alone, with this number drawn for the replacement.
    fn after(overwrite: Overwrite, flow: u32, drawn: f64) -> Zombie {
        let mut zombies = Zombies::new(1, 0.25, None, overwrite);
        zombies.meet(FlowId(1), 0.0, 0.0);
        zombies.meet(FlowId(flow), 0.0, drawn);
        zombies.list[0]
    }

    #[test]
    fn a_miss_overwrites_with_a_probability() {
        assert_eq!(after(Overwrite::Miss, 2, 0.2499), Zombie { flow: FlowId(2), count: 0 });
        assert_eq!(after(Overwrite::Miss, 2, 0.25), Zombie { flow: FlowId(1), count: 0 });
        assert_eq!(after(Overwrite::Miss, 1, 0.0), Zombie { flow: FlowId(1), count: 1 });
        assert_eq!(after(Overwrite::Always, 1, 0.0), Zombie { flow: FlowId(1), count: 0 });
    }

    #[test]
    fn the_inverse_of_the_frequency_estimates_the_number_of_flows() {
        for flows in [4_u32, 40] {
            let mut zombies = Zombies::new(200, 0.25, Some(0.001), Overwrite::Miss);
            let mut rng = Rng::named(1, "test");
            for _ in 0..50_000 {
                let flow = FlowId(rng.below(u64::from(flows)) as u32);
                zombies.meet(flow, rng.uniform(), rng.uniform());
            }

            // Every comparison hits with probability 1/n. The variance of an average of weight a is a/(2 - a) of p(1 - p); four
            // standard deviations, doubled for the variation of the list itself.
            let hit = 1.0 / f64::from(flows);
            let deviation = (0.001 / 1.999 * hit * (1.0 - hit)).sqrt();
            assert!((zombies.frequency() - hit).abs() < 8.0 * deviation, "{flows} {:?}", zombies.estimate());
        }
    }
}
