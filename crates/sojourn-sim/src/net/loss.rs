//! Packets that are corrupted on a link. This is not congestion, so no queue learns of it. Adding a model is one entry in [`LOSSES`].

use crate::params;
use crate::params::{Args, Fraction, Param, Params as _};
use crate::rng::Rng;

/// Decides for each packet in the order of transmission.
pub trait LossModel: Send {
    /// Returns whether a packet of `size` bytes is corrupted.
    fn corrupts(&mut self, size: u32, rng: &mut Rng) -> bool;
}

/// All that the registry knows of a loss model.
#[derive(Clone, Copy)]
pub struct LossEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// Its effect.
    pub doc: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// The function that makes one.
    pub build: fn(&Args) -> Box<dyn LossModel>,
}

impl std::fmt::Debug for LossEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "loss model {}", self.name)
    }
}

/// All loss models, in the order in which lists show them.
pub static LOSSES: &[&LossEntry] = &[&UNIFORM, &BIT, &GILBERT_ELLIOTT];

/// Every packet alike.
pub static UNIFORM: LossEntry = LossEntry {
    name: "uniform",
    title: "Uniform loss",
    doc: "Losses without memory. Each packet is corrupted with the same probability, independently of the others.",
    reference: "ns-2's ErrorModel with unit pkt",
    params: Uniform::SPECS,
    build: |args| Box::new(args.typed::<Uniform>()),
};

/// Every bit alike.
pub static BIT: LossEntry = LossEntry {
    name: "bit",
    title: "Bit errors",
    doc: "Errors of single bits. Each bit is wrong with the same probability, independently of the others, and one wrong bit \
          corrupts a packet: long packets suffer more.",
    reference: "ns-2's ErrorModel with unit bit",
    params: Bit::SPECS,
    build: |args| Box::new(args.typed::<Bit>()),
};

/// Two states.
pub static GILBERT_ELLIOTT: LossEntry = LossEntry {
    name: "gilbert_elliott",
    title: "Gilbert-Elliott",
    doc: "A channel of two states that may change with each packet; losses come in bursts. With `loss_bad` = 1 the \
          mean burst is 1 / `bad_to_good` packets, and the loss ratio is `good_to_bad` / (`good_to_bad` + \
          `bad_to_good`).",
    reference: "Gilbert 1960, Elliott 1963",
    params: GilbertElliott::SPECS,
    build: |args| Box::new(Channel { params: args.typed(), bad: None }),
};

params! {
    pub struct Uniform {
        /// Probability that a packet is corrupted.
        probability: Fraction = "1%" in [0.0, 1.0], "a common choice";
    }
}

params! {
    pub struct Bit {
        /// Probability that a bit is wrong.
        error_rate: Fraction = "1e-6" in [0.0, 1.0], "a common choice";
    }
}

params! {
    pub struct GilbertElliott {
        /// Probability that the good state becomes the bad one, for each packet.
        good_to_bad: Fraction = "0.5%" in [0.0, 1.0], "2.4 % of loss with the other defaults";
        /// Probability that the bad state becomes the good one, for each packet.
        bad_to_good: Fraction = "20%" in [0.0, 1.0], "bursts of five packets";
        /// Probability that a packet is corrupted in the good state.
        loss_good: Fraction = "0" in [0.0, 1.0], "Gilbert 1960";
        /// Probability that a packet is corrupted in the bad state.
        loss_bad: Fraction = "1" in [0.0, 1.0], "losses then come in whole bursts";
    }
}

impl LossModel for Uniform {
    fn corrupts(&mut self, _size: u32, rng: &mut Rng) -> bool {
        rng.uniform() < self.probability.0
    }
}

/// Probability that at least one of `bits` is wrong: 1 - (1 - error_rate)^bits.
fn any_wrong(error_rate: f64, bits: f64) -> f64 {
    // expm1 and log1p keep the digits that 1 - (1 - x) would lose for small x.
    -libm::expm1(bits * libm::log1p(-error_rate))
}

impl LossModel for Bit {
    fn corrupts(&mut self, size: u32, rng: &mut Rng) -> bool {
        rng.uniform() < any_wrong(self.error_rate.0, 8.0 * f64::from(size))
    }
}

struct Channel {
    params: GilbertElliott,
    /// The state for the last packet. Before the first packet the state is drawn from its long-run distribution.
    bad: Option<bool>,
}

impl LossModel for Channel {
    fn corrupts(&mut self, _size: u32, rng: &mut Rng) -> bool {
        let GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } = self.params;
        let draw = rng.uniform();
        let bad = match self.bad {
            // Neither state is ever left if both probabilities are zero: the channel stays good.
            None => draw * (good_to_bad.0 + bad_to_good.0) < good_to_bad.0,
            Some(true) => draw >= bad_to_good.0,
            Some(false) => draw < good_to_bad.0,
        };
        self.bad = Some(bad);
        rng.uniform() < if bad { loss_bad.0 } else { loss_good.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 400_000;

    fn fates(entry: &LossEntry, settings: &[(&str, &str)], size: u32) -> Vec<bool> {
        let args = crate::rig::set(Args::defaults(entry.params), settings);
        let mut model = (entry.build)(&args);
        let mut rng = Rng::named(1, "test");
        (0..N).map(|_| model.corrupts(size, &mut rng)).collect()
    }

    fn ratio(fates: &[bool]) -> f64 {
        fates.iter().filter(|lost| **lost).count() as f64 / fates.len() as f64
    }

    /// Lengths of the runs of consecutive losses.
    fn bursts(fates: &[bool]) -> Vec<f64> {
        fates.split(|lost| !lost).map(|burst| burst.len() as f64).filter(|length| *length > 0.0).collect()
    }

    #[test]
    fn uniform_losses_have_their_rate_and_come_singly() {
        let fates = fates(&UNIFORM, &[("probability", "2%")], 1000);
        let bursts = bursts(&fates);

        assert!((ratio(&fates) - 0.02).abs() < 4.0 * libm::sqrt(0.02 * 0.98 / N as f64));
        // Geometric bursts: mean 1/(1-p), standard deviation sqrt(p)/(1-p).
        let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
        let error = libm::sqrt(0.02) / 0.98 / libm::sqrt(bursts.len() as f64);
        assert!((mean - 1.0 / 0.98).abs() < 4.0 * error, "{mean}");
    }

    #[test]
    fn bit_errors_hit_long_packets_more_often() {
        for (size, p) in [(40, 1.0 - 0.99999_f64.powi(320)), (1500, 1.0 - 0.99999_f64.powi(12_000))] {
            let seen = ratio(&fates(&BIT, &[("error_rate", "1e-5")], size));
            assert!((seen - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / N as f64), "{size}: {seen} not {p}");
        }
        assert!((any_wrong(1e-18, 8000.0) - 8e-15).abs() < 1e-20);
        assert_eq!(any_wrong(1.0, 8.0).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn gilbert_elliott_has_its_loss_ratio_and_burst_length() {
        let (p, r) = (0.01, 0.25);
        let fates = fates(&GILBERT_ELLIOTT, &[("good_to_bad", "1%"), ("bad_to_good", "25%")], 1000);
        let bursts = bursts(&fates);

        // A chain of two states has the variance pi (1 - pi) (1 + l)/(1 - l) with l = 1 - p - r.
        let (pi, l) = (p / (p + r), 1.0 - p - r);
        let error = libm::sqrt(pi * (1.0 - pi) * (1.0 + l) / (1.0 - l) / N as f64);
        assert!((ratio(&fates) - pi).abs() < 4.0 * error, "{}", ratio(&fates));
        // Bursts are geometric with mean 1/r and standard deviation sqrt(1 - r)/r.
        let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
        assert!((mean - 1.0 / r).abs() < 4.0 * libm::sqrt(1.0 - r) / r / libm::sqrt(bursts.len() as f64), "{mean}");
        let beyond = bursts.iter().filter(|length| **length > 8.0).count() as f64 / bursts.len() as f64;
        let tail = libm::pow(1.0 - r, 8.0);
        assert!((beyond - tail).abs() < 4.0 * libm::sqrt(tail * (1.0 - tail) / bursts.len() as f64));
    }

    #[test]
    fn both_states_lose_with_their_own_probability() {
        let settings = [("good_to_bad", "10%"), ("bad_to_good", "30%"), ("loss_good", "1%"), ("loss_bad", "50%")];
        let seen = ratio(&fates(&GILBERT_ELLIOTT, &settings, 1000));

        // pi = 1/4: 0.75 * 0.01 + 0.25 * 0.5. The chain adds (0.49)^2 pi (1 - pi) (1 + l)/(1 - l), l = 0.6,
        // to the variance of independent losses.
        let p: f64 = 0.75 * 0.01 + 0.25 * 0.5;
        let variance = p * (1.0 - p) + 0.49 * 0.49 * 0.1875 * 4.0;
        assert!((seen - p).abs() < 4.0 * libm::sqrt(variance / N as f64), "{seen}");
    }

    #[test]
    fn a_channel_that_never_changes_stays_good() {
        assert_eq!(ratio(&fates(&GILBERT_ELLIOTT, &[("good_to_bad", "0"), ("bad_to_good", "0")], 1000)).to_bits(), 0);
    }
}
