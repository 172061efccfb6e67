//! Numbers as people write them: `1/6000 ≈ 0.0001667` where the registry has `0.00016666666666666666`.

/// Digits that a reader takes in; a number of more is shown in another form.
const DIGITS: usize = 5;
/// Digits from which on a number that has no simple form is rounded: fewer were chosen by somebody.
const COMPUTED: usize = 9;
/// Digits that rounding keeps.
const KEPT: i32 = 4;
/// How far from a simple form a number may be that stands for it, as a part of it.
const CLOSE: f64 = 1e-12;

/// A value of a parameter. A number of many digits gets the simple form that it stands for, if there is one, and four digits.
pub fn as_written(text: &str) -> String {
    let Some(digits) = significant(text) else { return text.to_owned() };
    let Ok(value) = text.parse::<f64>() else { return text.to_owned() };
    if digits <= DIGITS {
        return text.to_owned();
    }
    match simple(value) {
        Some(form) => format!("{form} ≈ {}", rounded(value)),
        None if digits >= COMPUTED => format!("about {}", rounded(value)),
        None => text.to_owned(),
    }
}

/// How many significant digits a decimal fraction has; `None` if the text is anything else.
fn significant(text: &str) -> Option<usize> {
    let (whole, part) = text.split_once('.')?;
    if !whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(format!("{whole}{part}").trim_start_matches('0').trim_end_matches('0').len())
}

/// A fraction, the root of a fraction, or a number over ln 2.
fn simple(value: f64) -> Option<String> {
    if let Some((over, under)) = fraction(value, 10, 10_000.0) {
        return Some(format!("{over}/{under}"));
    }
    if let Some((over, under)) = fraction(value * value, 10, 10.0) {
        return Some(format!("√({over}/{under})"));
    }
    let times = value * std::f64::consts::LN_2;
    (near(times, times.round()) && times.round() <= 10.0).then(|| format!("{}/ln 2", times.round()))
}

/// The value as a fraction of whole numbers up to these, the least that there is.
fn fraction(value: f64, over_most: u32, under_most: f64) -> Option<(f64, f64)> {
    (1..=over_most)
        .map(|over| (f64::from(over), (f64::from(over) / value).round()))
        .find(|&(over, under)| (1.0..=under_most).contains(&under) && near(over / under, value))
}

fn near(left: f64, right: f64) -> bool {
    right > 0.0 && (left - right).abs() <= CLOSE * right
}

/// The number with a few significant digits, without zeros at the end.
fn rounded(value: f64) -> String {
    let before = value.abs().log10().floor() as i32 + 1;
    let places = usize::try_from(KEPT - before).unwrap_or(0);
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_many_digits_is_written_as_what_it_stands_for() {
        assert_eq!(as_written("2.885390081777927"), "2/ln 2 ≈ 2.885");
        assert_eq!(as_written("1.2247448713915890"), "√(3/2) ≈ 1.225");
        assert_eq!(as_written("0.00016666666666666666"), "1/6000 ≈ 0.0001667");
        assert_eq!(as_written("0.3333333333333333"), "1/3 ≈ 0.3333");
        assert_eq!(as_written("0.001953125"), "1/512 ≈ 0.001953");
        // 1.5 / 38^2.
        assert_eq!(as_written("0.0010387811634349031"), "3/2888 ≈ 0.001039");
    }

    #[test]
    fn one_that_stands_for_nothing_simple_is_rounded() {
        assert_eq!(as_written("0.12345678901"), "about 0.1235");
        assert_eq!(as_written("12345.678901234"), "about 12346");
    }

    #[test]
    fn what_somebody_chose_stays() {
        for text in [
            "0.002",
            "0.0625",
            "1.5",
            "0.000344519",
            "0.0000001",
            "10",
            "33554432B",
            "auto",
            "20ms",
            "[0.1, 0.2]",
            "1e-6",
            "25%",
        ] {
            assert_eq!(as_written(text), text);
        }
    }

    #[test]
    fn no_value_of_the_registry_has_more_digits_than_a_reader_takes_in() {
        let json = super::super::registry_json(&crate::registry::Registry::default());
        for text in texts(&json, false) {
            let digits = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.').filter_map(significant);
            assert!(digits.max().unwrap_or(0) < COMPUTED, "{text}");
        }
    }

    /// All texts that are under the key `written`.
    fn texts(json: &serde_json::Value, inside: bool) -> Vec<&str> {
        match json {
            serde_json::Value::Object(map) => {
                map.iter().flat_map(|(key, value)| texts(value, inside || key == "written")).collect()
            }
            serde_json::Value::Array(values) => values.iter().flat_map(|value| texts(value, inside)).collect(),
            serde_json::Value::String(text) if inside => vec![text],
            _ => Vec::new(),
        }
    }
}
