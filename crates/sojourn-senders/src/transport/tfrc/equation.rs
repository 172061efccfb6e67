//! TCP's throughput equation (RFC 5348 section 3.1, after Padhye et al. 1998) with b = 1 and t_RTO = 4 R, and its
//! inverse.

/// `f(p) = sqrt(2 p / 3) + 12 sqrt(3 p / 8) p (1 + 32 p^2)` (RFC 5348 section 8.1).
fn f(p: f64) -> f64 {
    libm::sqrt(2.0 * p / 3.0) + 12.0 * libm::sqrt(3.0 * p / 8.0) * p * (1.0 + 32.0 * p * p)
}

/// X_Bps: bytes per second of a TCP with segments of `size` bytes, a round trip of `rtt` seconds and the loss event
/// rate `p` above zero.
pub(super) fn throughput(size: f64, rtt: f64, p: f64) -> f64 {
    size / (rtt * f(p))
}

/// The same with t_RTO of `timeout` seconds and Padhye's full factor `min(1, 3 sqrt(3 p / 8))`, as in ns-2 2.35.
pub(super) fn throughput_with(timeout: f64, size: f64, rtt: f64, p: f64) -> f64 {
    let waits = (3.0 * libm::sqrt(3.0 * p / 8.0)).min(1.0);
    size / (rtt * libm::sqrt(2.0 * p / 3.0) + timeout * waits * p * (1.0 + 32.0 * p * p))
}

/// The loss event rate at which [`throughput`] is `rate`; at most 1, and at least 1e-12.
pub(super) fn loss_event_rate(size: f64, rtt: f64, rate: f64) -> f64 {
    let wanted = size / (rtt * rate);
    let (mut low, mut high) = (-12.0_f64, 0.0_f64);
    // f rises with p: halve the exponent's interval until p is right to 1e-9.
    for _ in 0..36 {
        let middle = 0.5 * (low + high);
        if f(libm::pow(10.0, middle)) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    libm::pow(10.0, 0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equation_is_padhyes() {
        // RFC 5348 section 3.1 in full, with b = 1 and t_RTO = 4 R, written as it is there.
        let full = |s: f64, r: f64, p: f64| {
            let t_rto = 4.0 * r;
            s / (r * (2.0 * p / 3.0).sqrt() + t_rto * (3.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p)))
        };
        for p in [1e-6, 1e-4, 0.01, 0.1, 1.0] {
            assert!((throughput(1000.0, 0.1, p) / full(1000.0, 0.1, p) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn at_one_percent_it_is_eleven_packets_a_round_trip() {
        // By hand: sqrt(0.02/3) = 0.0816497; sqrt(0.03/8) = 0.0612372, times 0.12 times 1.0032 = 0.0073720.
        assert!((throughput(1.0, 1.0, 0.01) - 1.0 / 0.089_021_7).abs() < 1e-4);
    }

    #[test]
    fn a_timeout_of_four_round_trips_makes_no_difference_up_to_where_the_factor_is_one() {
        // 3 sqrt(3 p / 8) = 1 at p = 8/27 = 0.296.
        for p in [1e-6, 0.01, 0.29] {
            let (given, fixed) = (throughput_with(0.4, 1000.0, 0.1, p), throughput(1000.0, 0.1, p));
            assert!((given / fixed - 1.0).abs() < 1e-12, "{p}");
        }
        assert!(throughput_with(0.4, 1000.0, 0.1, 0.4) > throughput(1000.0, 0.1, 0.4));
        // A tick of 0.3 s instead of 4 R = 0.1 at 5 %: by hand sqrt(2 p / 3) = 0.182574, 3 sqrt(3 p / 8) = 0.410792.
        let expected = 1.0 / (0.025 * 0.182_574 + 0.3 * 0.410_792 * 0.05 * 1.08);
        assert!((throughput_with(0.3, 1.0, 0.025, 0.05) / expected - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_inverse_is_one() {
        for p in [1e-9, 1e-5, 0.003, 0.2, 0.9] {
            let found = loss_event_rate(960.0, 0.06, throughput(960.0, 0.06, p));
            assert!((found / p - 1.0).abs() < 1e-8, "{p}: {found}");
        }
        assert!((loss_event_rate(960.0, 0.06, 1e-9) - 1.0).abs() < 1e-8, "no rate is lower than that of p = 1");
    }
}
