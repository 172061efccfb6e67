//! How evenly flows share.

/// Jain's index: (sum x)^2 / (n sum x^2), from 1/n (one takes all) to 1 (all equal). NaN without flows or throughput.
pub fn jain_index(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|x| x * x).sum();
    sum * sum / (values.len() as f64 * squares)
}

/// Mean and standard deviation (n - 1 in the denominator; zero for one value, NaN for none).
pub fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() == 1 {
        return (mean, 0.0);
    }
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    (mean, libm::sqrt(variance))
}

/// Standard deviation (n in the denominator) of values with this weight (or number), sum and sum of squares; NaN without values.
pub fn standard_deviation(weight: f64, sum: f64, squares: f64) -> f64 {
    let mean = sum / weight;
    let variance = squares / weight - mean * mean;
    // Rounding may take it below zero; `max` would take NaN for zero.
    libm::sqrt(if variance < 0.0 { 0.0 } else { variance })
}

/// `part / whole`; NaN if the whole is 0, even where a part from before the window is counted.
pub fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_nothing_there_is_no_spread_and_no_part() {
        assert!(standard_deviation(0.0, 0.0, 0.0).is_nan());
        // Rounding makes the variance -1e-17.
        assert!(standard_deviation(3.0, 0.3, 0.03 - 1e-17).abs() < 1e-7);
        assert!((standard_deviation(2.0, 4.0, 10.0) - 1.0).abs() < 1e-15);
        assert!(ratio(5.0, 0.0).is_nan() && ratio(0.0, 0.0).is_nan());
        assert!((ratio(1.0, 4.0) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn jain_is_one_for_equals_and_one_in_n_for_a_monopoly() {
        assert!((jain_index(&[3.0; 7]) - 1.0).abs() < 1e-15);
        assert!((jain_index(&[5.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-15);
        // (1 + 2 + 3)^2 / (3 * 14) = 36 / 42.
        assert!((jain_index(&[1.0, 2.0, 3.0]) - 6.0 / 7.0).abs() < 1e-15);
        assert!(jain_index(&[]).is_nan());
    }

    #[test]
    fn the_sample_standard_deviation_divides_by_one_fewer() {
        assert_eq!(mean_and_sd(&[1.0, 3.0]), (2.0, libm::sqrt(2.0)));
        assert_eq!(mean_and_sd(&[4.0]), (4.0, 0.0));
    }
}
