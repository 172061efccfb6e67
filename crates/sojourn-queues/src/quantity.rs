//! Reads quantities as users write them: `"10Mbit"`, `"20ms"`, `"50p"`, `"2BDP"`, `"5%"`.
//!
//! Rates are bits per second with k = 1000. Spellings that mean different things in different tools
//! (`Mbps` is megabytes in tc and megabits elsewhere; a bare `k` is 1024 in one place and 1000 in another)
//! are refused with an explanation rather than guessed.

use crate::units::{Duration, Rate, Size};

/// Why a text is not the quantity wanted: `what` is the mistake, `hint` says how to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The mistake, in words that follow the place: `the unit is missing`.
    pub what: String,
    /// How to write it, with an example.
    pub hint: String,
}

fn complain<T>(what: impl Into<String>, hint: impl Into<String>) -> Result<T, Complaint> {
    Err(Complaint { what: what.into(), hint: hint.into() })
}

/// Splits `"1.5 Mbit"` into 1.5 and `Mbit`.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = text
        .char_indices()
        .take_while(|&(i, c)| {
            c.is_ascii_digit()
                || matches!(c, '.' | '_')
                || (matches!(c, '+' | '-') && (i == 0 || text[..i].ends_with(['e', 'E'])))
                || (matches!(c, 'e' | 'E')
                    && i > 0
                    && text[i + 1..].starts_with(|next: char| next.is_ascii_digit() || matches!(next, '-' | '+')))
        })
        .map(|(i, c)| i + c.len_utf8())
        .last()?;
    let number: f64 = text[..digits].replace('_', "").parse().ok()?;
    number.is_finite().then_some((number, text[digits..].trim_start()))
}

/// A rate: `"10Mbit"`, `"1.5 Mbit/s"`, `"64kbit"`. The prefixes are k, M, G and T in either case, and Ki, Mi and Gi.
pub fn rate(text: &str) -> Result<Rate, Complaint> {
    const HINT: &str = "write a rate in bits per second, in bit, kbit, Mbit, Gbit or Tbit, such as \"10Mbit\"";
    let Some((number, unit)) = split(text) else {
        return complain("this is not a rate", HINT);
    };
    let factor = match unit.strip_suffix("/s").unwrap_or(unit) {
        "bit" => 1.0,
        "kbit" | "Kbit" => 1e3,
        "Mbit" | "mbit" => 1e6,
        "Gbit" | "gbit" => 1e9,
        "Tbit" | "tbit" => 1e12,
        "Kibit" => 1024.0,
        "Mibit" => 1024.0 * 1024.0,
        "Gibit" => 1024.0 * 1024.0 * 1024.0,
        "" => return complain("the unit is missing", HINT),
        // tc reads these in any case.
        other if matches!(other.to_ascii_lowercase().as_str(), "bps" | "kbps" | "mbps" | "gbps" | "tbps") => {
            return complain(
                format!("the unit {unit:?} is refused: it is bytes per second in tc and bits elsewhere"),
                HINT,
            );
        }
        "k" | "K" | "M" | "m" | "G" | "g" => {
            return complain(format!("the unit {unit:?} is refused: it does not tell bits from bytes"), HINT);
        }
        other if other.starts_with('/') => {
            return complain(
                "this is more than one rate",
                "write one, such as \"10Mbit\"; the other direction of a dumbbell has reverse_rate",
            );
        }
        other => return complain(format!("the unit {other:?} is not known for a rate"), HINT),
    };
    let bps = libm::round(number * factor);
    if number < 0.0 {
        return complain("a rate cannot be negative", HINT);
    }
    if !(1.0..=1e14).contains(&bps) {
        return complain("the rate is out of range", "allowed are 1bit to 100Tbit");
    }
    Ok(Rate::from_bps(bps as u64))
}

/// A time: `"20ms"`, `"0.1s"`, `"500us"`, `"1min"`. At most 10^9 seconds.
pub fn time(text: &str) -> Result<Duration, Complaint> {
    const HINT: &str = "write a time with its unit, such as \"20ms\", \"0.5s\" or \"100us\"";
    let Some((number, unit)) = split(text) else {
        return complain("this is not a time", HINT);
    };
    let factor = match unit {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        "" => return complain("the unit is missing", HINT),
        other => return complain(format!("the unit {other:?} is not known for a time"), HINT),
    };
    if number < 0.0 {
        return complain("a time cannot be negative", HINT);
    }
    if number * factor > 1e9 {
        return complain("the time is too long", "allowed is up to 1000000000s (31 years)");
    }
    Ok(Duration::from_secs_f64(number * factor))
}

/// An amount of queue: `"50p"`, `"64KiB"`, `"2BDP"`, `"20ms"`. At most 10^12 packets or bytes.
pub fn size(text: &str) -> Result<Size, Complaint> {
    const HINT: &str = "write packets, bytes, a multiple of the bandwidth-delay product or a time: \"50p\", \"64KiB\", \"2BDP\", \"20ms\"";
    let Some((number, unit)) = split(text) else {
        return complain("this is not an amount of queue", HINT);
    };
    if number < 0.0 {
        return complain("an amount of queue cannot be negative", HINT);
    }
    let size = match unit {
        "p" | "pkt" | "packets" => Size::Packets(number),
        "BDP" | "bdp" => Size::Bdp(number),
        "" => return complain("the unit is missing", HINT),
        "s" | "ms" | "us" | "ns" => Size::Time(time(text)?),
        "k" | "K" | "M" => {
            return complain(
                format!("the unit {unit:?} is refused: it is 1000 in some tools and 1024 in others"),
                "write \"kB\" for 1000 bytes or \"KiB\" for 1024",
            );
        }
        _ => Size::Bytes(
            number
                * byte_factor(unit).ok_or_else(|| Complaint {
                    what: format!("the unit {unit:?} is not known for an amount of queue"),
                    hint: HINT.into(),
                })?,
        ),
    };
    let magnitude = match size {
        Size::Packets(n) | Size::Bytes(n) | Size::Bdp(n) => n,
        Size::Time(_) => 0.0,
    };
    if magnitude > 1e12 {
        return complain("the amount is too large", "allowed is up to 1e12 packets or bytes");
    }
    Ok(size)
}

/// A number of bytes: `"1000B"`, `"1.5MB"`, `"64KiB"`. Whole, at most 10^18.
pub fn bytes(text: &str) -> Result<u64, Complaint> {
    const HINT: &str = "write a number of bytes, such as \"1000B\", \"64KiB\" or \"1.5MB\"";
    let Some((number, unit)) = split(text) else {
        return complain("this is not a number of bytes", HINT);
    };
    if unit.is_empty() {
        return complain("the unit is missing", HINT);
    }
    let Some(factor) = byte_factor(unit) else {
        return complain(format!("the unit {unit:?} is not known for a number of bytes"), HINT);
    };
    if number < 0.0 {
        return complain("a number of bytes cannot be negative", HINT);
    }
    if number * factor > 1e18 {
        return complain("the number of bytes is too large", "allowed is up to 1e18 bytes");
    }
    Ok(libm::round(number * factor) as u64)
}

fn byte_factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "B" | "byte" | "bytes" => 1.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

/// A fraction: `"5%"` or `"0.05"`.
pub fn fraction(text: &str) -> Result<f64, Complaint> {
    const HINT: &str = "write a fraction such as 0.05 or \"5%\"";
    match split(text) {
        Some((number, "%")) => Ok(number / 100.0),
        Some((number, "")) => Ok(number),
        Some((_, unit)) => complain(format!("the unit {unit:?} is not known for a fraction"), HINT),
        None => complain("this is not a fraction", HINT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_decimal_bits() {
        assert_eq!(rate("10Mbit").map(Rate::as_bps), Ok(10_000_000));
        assert_eq!(rate("1.5 Mbit/s").map(Rate::as_bps), Ok(1_500_000));
        assert_eq!(rate("10mbit").map(Rate::as_bps), Ok(10_000_000));
        assert_eq!(rate("1e3bit").map(Rate::as_bps), Ok(1_000));
    }

    #[test]
    fn ambiguous_rates_are_refused_with_an_explanation() {
        for unit in ["bps", "kbps", "Kbps", "mbps", "Mbps", "gbps", "Gbps", "MBPS", "Tbps"] {
            let refused = rate(&format!("10{unit}")).unwrap_err();
            assert!(refused.what.contains("bytes per second in tc"), "{unit}: {refused:?}");
            assert!(refused.hint.contains("bit, kbit, Mbit, Gbit or Tbit"), "{unit}: {refused:?}");
        }
        assert!(rate("10k").unwrap_err().what.contains("refused"));
        assert!(rate("10").unwrap_err().what.contains("missing"));
        assert!(rate("-1Mbit").is_err());
        assert!(rate("1e300Mbit").is_err());
        assert!(rate("nanMbit").is_err());
    }

    #[test]
    fn amounts_of_queue_take_four_units() {
        assert_eq!(size("50p"), Ok(Size::Packets(50.0)));
        assert_eq!(size("64KiB"), Ok(Size::Bytes(65536.0)));
        assert_eq!(size("2BDP"), Ok(Size::Bdp(2.0)));
        assert_eq!(size("5ms"), Ok(Size::Time(Duration::from_millis(5))));
        assert!(size("5k").unwrap_err().hint.contains("KiB"));
    }

    #[test]
    fn what_prints_reads_back() {
        for text in ["50p", "1500B", "2BDP", "20ms"] {
            assert_eq!(size(text).map(|size| size.to_string()).as_deref(), Ok(text));
        }
        for text in ["10Mbit", "1.5Mbit", "64kbit", "999bit"] {
            assert_eq!(rate(text).map(|rate| rate.to_string()).as_deref(), Ok(text));
        }
    }
}
