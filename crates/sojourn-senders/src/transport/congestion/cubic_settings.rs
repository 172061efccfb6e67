//! CUBIC's parameters ([`super::cubic`]), which its forms in whole numbers have too.

use crate::mechanism::arithmetic::Arithmetic;
use crate::params::Fraction;
use crate::{choices, params};

choices! {
    /// The estimate of Reno's window, below which CUBIC does not fall.
    pub enum Friendly {
        /// Grows by 3 (1 - beta) / (1 + beta) per round trip, by 1 above the window of the last cut (RFC 9438 §4.3).
        Faster = "faster",
        /// Grows by 3 (1 - beta) / (1 + beta) per round trip (Rhee and Xu 2005, RFC 8312).
        Constant = "constant",
        /// There is none.
        Off = "off",
    }
}

params! {
    pub struct Params {
        /// Steepness C of the cubic function, in segments per second cubed.
        c: f64 = "0.4" in [1e-6, 1e6], "RFC 9438 section 5.1";
        /// Fraction beta of the window that is kept at a cut.
        decrease: Fraction = "0.7" in [0.01, 0.99], "RFC 9438 section 4.6";
        /// Whether the plateau is lowered when the window no longer reaches the last one.
        fast_convergence: bool = "true", "RFC 9438 section 4.7";
        /// The estimate of Reno's window, below which CUBIC does not fall.
        friendly: Friendly = "faster", "RFC 9438 section 4.3";
        /// The arithmetic of the window.
        arithmetic: Arithmetic = "real", "RFC 9438";
        /// Whether slow start ends when acknowledgements have come in a row for half a round trip, or round trips grow (Linux's
        /// HyStart); only in the kernel's numbers.
        hystart: bool = "false", "Ha and Rhee 2011; Linux", when arithmetic in ["kernel"];
        /// Segments that may be added per second (S_max); `auto` is no bound.
        increase_max: Option<f64> = "auto" in [0.001, 1e9],
            "RFC 9438 has none; Rhee and Xu 2005 take 160", when arithmetic in ["real"];
    }
}
