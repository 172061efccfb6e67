//! The quality that users of applications notice: the intelligibility of a call.
//!
//! Specification: ITU-T G.107 (the E-model), with the values of ITU-T G.113 for G.711 with concealment of losses.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | All is as by default in G.107 besides delay and loss; there is no echo | a network does nothing to the rest | `a_call_without_delay_has_the_default_rating` |
//! | The receiver plays a packet after the delay that 99 % of them keep | a buffer that neither waits for all nor loses many; a packet that comes later is lost | |

/// The rating by default: G.107 clause 7.
const DEFAULT_RATING: f64 = 93.2;
/// The robustness of the codec against losses: G.113 appendix I, G.711 with concealment.
const LOSS_ROBUSTNESS: f64 = 25.1;

/// Impairment by a delay one way in milliseconds, without echo.
pub fn delay_impairment(delay_ms: f64) -> f64 {
    if delay_ms <= 100.0 {
        return 0.0;
    }
    // G.107 equation 7-27: 25 ((1 + X^6)^(1/6) - 3 (1 + (X/3)^6)^(1/6) + 2), X = log2(Ta / 100).
    let x = libm::log2(delay_ms / 100.0);
    let sixth = |of: f64| libm::pow(1.0 + libm::pow(of, 6.0), 1.0 / 6.0);
    25.0 * (sixth(x) - 3.0 * sixth(x / 3.0) + 2.0)
}

/// Impairment by the part of the packets that is lost, at random.
pub fn loss_impairment(loss: f64) -> f64 {
    // G.107 equation 7-29: Ie + (95 - Ie) Ppl / (Ppl / BurstR + Bpl), Ie = 0, BurstR = 1.
    let percent = 100.0 * loss;
    95.0 * percent / (percent + LOSS_ROBUSTNESS)
}

/// The mean opinion score of a rating, 1 to 4.5.
pub fn opinion_score(rating: f64) -> f64 {
    // G.107 equation B-4.
    if rating <= 0.0 {
        1.0
    } else if rating >= 100.0 {
        4.5
    } else {
        1.0 + 0.035 * rating + 7e-6 * rating * (rating - 60.0) * (100.0 - rating)
    }
}

/// The mean opinion score of a call with this delay from mouth to ear and this loss.
pub fn call_score(delay_ms: f64, loss: f64) -> f64 {
    opinion_score(DEFAULT_RATING - delay_impairment(delay_ms) - loss_impairment(loss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_delay_has_the_default_rating() {
        // G.107: R = 93.2 is an opinion of 4.41.
        assert!((call_score(0.0, 0.0) - 4.41).abs() < 0.005);
        assert!((call_score(100.0, 0.0) - call_score(0.0, 0.0)).abs() < 1e-12);
    }

    #[test]
    fn delays_and_losses_cost_what_the_recommendations_say() {
        // G.107's figure of R against Ta without echo: about 10 at 250 ms and about 24 at 400 ms.
        assert!((delay_impairment(200.0) - 3.0).abs() < 1.0, "{}", delay_impairment(200.0));
        assert!((delay_impairment(400.0) - 24.0).abs() < 2.0, "{}", delay_impairment(400.0));
        // 5 % of losses: 95 * 5 / 30.1.
        assert!((loss_impairment(0.05) - 475.0 / 30.1).abs() < 1e-12);
        assert!(call_score(150.0, 0.02) > call_score(300.0, 0.02) && call_score(300.0, 0.02) > call_score(300.0, 0.1));
    }

    #[test]
    fn scores_lie_between_1_and_4_and_a_half() {
        assert!((opinion_score(-5.0) - 1.0).abs() < 1e-12 && (opinion_score(120.0) - 4.5).abs() < 1e-12);
        assert!(call_score(5000.0, 0.9) >= 1.0);
    }
}
