//! Numbers in the texts of recordings, each with its name in messages.

use sojourn_sim::replay::{SIZE_MAX, TIME_MAX};
use sojourn_sim::units::Instant;

/// Seconds from the start of the recording.
pub fn time(name: &str, text: &str) -> Result<Instant, String> {
    match text.parse::<f64>() {
        Ok(secs) if secs > TIME_MAX.as_secs_f64() => Err(format!(
            "{name} is {text:?}; allowed are 0 to {} s; let the times count from the start of the recording",
            TIME_MAX.as_secs_f64()
        )),
        Ok(secs) if secs >= 0.0 => Ok(Instant::from_secs_f64(secs)),
        _ => Err(format!("{name} is {text:?}; allowed are seconds from the start of the recording, such as 0.0012")),
    }
}

/// Bytes of a packet.
pub fn size(name: &str, text: &str) -> Result<u32, String> {
    let wrong = |_| format!("{name} is {text:?}; allowed are whole numbers from 1 to {SIZE_MAX}, such as 1500");
    text.parse().map_err(wrong)
}
