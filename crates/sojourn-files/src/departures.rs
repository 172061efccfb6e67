//! Recorded moments at which a link was free to send the next packet.

use sojourn_sim::units::Instant;

use crate::error::{Place, ReadError};
use crate::number;
use crate::text;

/// The column of a CSV that has them.
const COLUMN: &str = "departure_s";

/// The moments in `bytes`, in order: a time in seconds on each line, or the column `departure_s` of a CSV, in any order, empty
/// for a packet that did not leave. They count from the same moment as the arrivals.
pub fn read_departures(bytes: &[u8]) -> Result<Vec<Instant>, ReadError> {
    let decoded = text::from_utf16(bytes)?;
    let (skipped, bytes) = text::behind_comments(decoded.as_deref().map_or(bytes, str::as_bytes));
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = std::str::from_utf8(bytes).map_err(|_| {
        ReadError::new(Place::File, "this is not a text; allowed are a CSV, or a time in seconds on each line")
    })?;
    let is_header = first.iter().any(|byte| byte.is_ascii_alphabetic() && !b"eE".contains(byte));
    let moments = if is_header { column(bytes, skipped)? } else { lines(text, skipped)? };
    match moments.len() {
        0 => Err(ReadError::new(Place::File, "there is no departure in it")),
        _ => Ok(moments),
    }
}

fn lines(text: &str, skipped: u64) -> Result<Vec<Instant>, ReadError> {
    let mut moments: Vec<Instant> = Vec::new();
    for (line, number) in text.lines().zip(skipped + 1..) {
        let at = |what: String| ReadError::new(Place::Line(number), what);
        let moment = number::time("the departure", line.trim()).map_err(at)?;
        if moments.last().is_some_and(|previous| *previous > moment) {
            return Err(at(format!("the departure at {} s goes back in time; sort them", moment.as_secs_f64())));
        }
        moments.push(moment);
    }
    Ok(moments)
}

fn column(bytes: &[u8], skipped: u64) -> Result<Vec<Instant>, ReadError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let broken = |error: &csv::Error| {
        let place = error.position().map_or(Place::File, |position| Place::Line(skipped + position.line()));
        ReadError::new(place, format!("this is not CSV: {error}"))
    };
    let headers = reader.headers().map_err(|error| broken(&error))?.clone();
    let Some(place) = headers.iter().position(|name| name == COLUMN) else {
        let names: Vec<&str> = headers.iter().collect();
        let what = format!("there is no column {COLUMN:?} in it, but {}", names.join(", "));
        return Err(ReadError::new(Place::Line(skipped + 1), what));
    };
    let mut moments = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(&error))?;
        let line = skipped + record.position().map_or(0, csv::Position::line);
        let text = record.get(place).unwrap_or("");
        if text.is_empty() {
            continue;
        }
        let moment = number::time(COLUMN, text).map_err(|what| ReadError::new(Place::Line(line), what))?;
        moments.push(moment);
    }
    // Rows are packets, and a queue may send them in another order.
    moments.sort_unstable();
    Ok(moments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(bytes: &[u8]) -> Vec<u64> {
        read_departures(bytes).unwrap().into_iter().map(Instant::as_nanos).collect()
    }

    fn refused(bytes: &[u8]) -> String {
        read_departures(bytes).unwrap_err().to_string()
    }

    #[test]
    fn a_line_is_a_time() {
        assert_eq!(nanos(b"0.001\n0.001\r\n1e0\n"), [1_000_000, 1_000_000, 1_000_000_000]);
    }

    #[test]
    fn a_column_is_put_in_order_and_what_did_not_leave_is_empty() {
        assert_eq!(nanos(b"packet,departure_s\n0,0.5\n1,\n2,0.25\n"), [250_000_000, 500_000_000]);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(refused(b"0.5\n0.4\n").starts_with("line 2: the departure at 0.4 s goes back in time"));
        assert!(refused(b"0.5\n\n0.6\n").starts_with("line 2: the departure is \"\""));
        assert!(refused(b"time_s,bytes\n0,1\n").contains("no column \"departure_s\" in it, but time_s, bytes"));
        assert!(refused(b"departure_s\nx\n").starts_with("line 2: departure_s is \"x\""));
        assert!(refused(b"departure_s,b\n1\n").contains("not CSV"));
        assert!(refused(b"departure_s\n\n").contains("no departure in it"));
        assert!(refused(b"").contains("no departure in it"));
        assert!(refused(&[0xd4, 0xc3, 0xb2, 0xa1]).contains("this is not a text"));
        assert!(refused(b"99999999\n").contains("allowed are 0 to 10000000 s"));
    }
}
