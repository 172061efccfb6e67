//! Reads traces of Mahimahi: a line for each opportunity to send, in whole milliseconds.

use crate::error::{Place, ReadError};
use crate::{mahimahi_log, text};

/// Greatest time in a trace, 1000 s of its longest published ones being 10^6 ms.
const MILLIS_MAX: u64 = 1_000_000_000;

/// The times in `bytes` in milliseconds, in order, the last one above zero.
pub fn read_opportunities(bytes: &[u8]) -> Result<Vec<f64>, ReadError> {
    let decoded = text::from_utf16(bytes)?;
    let text = std::str::from_utf8(decoded.as_deref().map_or(bytes, str::as_bytes))
        .map_err(|_| ReadError::new(Place::File, "this is not a text file with a time in milliseconds on each line"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if mahimahi_log::recognise(text) {
        let what = "this is a log of mm-link, not a trace of opportunities";
        return Err(ReadError::new(Place::File, what).help(
            "\n  hint:    its lines with # are the opportunities: awk '$2 == \"#\" {print $1}' LOG > TRACE; sojourn replay LOG \
             takes its arrivals",
        ));
    }
    let mut times = Vec::new();
    let mut before = 0;
    for (line, number) in text.lines().zip(1..) {
        let at = |what: String| ReadError::new(Place::Line(number), what);
        let time = line.trim().parse().ok().filter(|time: &u64| *time <= MILLIS_MAX).ok_or_else(|| {
            let refused = at(format!("this is {line:?}; allowed are whole milliseconds from 0 to {MILLIS_MAX}"));
            refused.help(as_rates(text).unwrap_or_default())
        })?;
        if time < before {
            return Err(at(format!("{time} ms comes before {before} ms; times must not go back")));
        }
        before = time;
        times.push(time as f64);
    }
    match before {
        0 => Err(ReadError::new(Place::File, "the trace does not last: its last time must be above 0 ms")),
        _ => Ok(times),
    }
}

/// How a table of times in seconds and rates in Mbit/s is said, as in the traces of Pensieve; none if this is no such table.
fn as_rates(text: &str) -> Option<String> {
    let mut rows = text.lines().take(2).map(|line| {
        let fields: Vec<f64> = line.split([',', ' ', '\t']).filter_map(|field| field.trim().parse().ok()).collect();
        <[f64; 2]>::try_from(fields).ok()
    });
    let [secs, rate] = rows.next()??;
    rows.all(|row| row.is_some()).then(|| {
        format!(
            "\n  hint:    rates over time, in seconds and Mbit/s, are changes of a link, such as {{ at = \"{secs}s\", rate = \
             \"{rate}Mbit\" }}:\n           awk -F'[ ,\\t]+' '{{printf \"[[dumbbell.changes]]\\nat = \\\"%ss\\\"\\nrate = \
             \\\"%sMbit\\\"\\n\", $1, $2}}' FILE >> SCENARIO.toml"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_time() {
        assert_eq!(read_opportunities(b"0\n5\r\n5\n20").unwrap(), [0.0, 5.0, 5.0, 20.0]);
        assert_eq!(read_opportunities(b"\xef\xbb\xbf5\n").unwrap(), [5.0]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let wrong = |text: &[u8]| read_opportunities(text).unwrap_err().to_string();
        assert!(wrong(b"1\n\n2").starts_with("line 2: this is \"\""));
        assert!(wrong(b"1\n-2").starts_with("line 2: this is \"-2\""));
        assert!(wrong(b"5\n4").starts_with("line 2: 4 ms comes before 5 ms"));
        assert!(wrong(b"").contains("does not last"));
        assert!(wrong(b"0\n0\n").contains("does not last"));
        assert!(wrong(b"\xff").contains("not a text file"));
        assert!(!wrong(b"1\n-2").contains("changes"));
        for table in [&b"0.0 4.5\n1.5 3.2\n2 6\n"[..], b"0.0,4.5\n1.5,3.2\n", b"0\t4.5\n1.5\t3.2"] {
            let hint = "are changes of a link, such as { at = \"0s\", rate = \"4.5Mbit\" }";
            assert!(wrong(table).contains(hint), "{}", wrong(table));
        }
    }
}
