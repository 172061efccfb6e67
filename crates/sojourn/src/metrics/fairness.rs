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

#[cfg(test)]
mod tests {
    use super::*;

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
