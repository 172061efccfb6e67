//! Arrivals from a log of Mahimahi's `mm-link` (`--uplink-log`, `--downlink-log`). Specification: `link_queue.cc` of Mahimahi 0.98.
//!
//! A log begins with comments, of which one may have the base of all times. Behind them each line has a time in whole milliseconds and an
//! event: `+ BYTES` a packet came, `- BYTES WAITED` one left, `# BYTES` the link could send, `d PACKETS BYTES` the queue dropped. Packets
//! that were dropped have come, too. Sizes count the four bytes that a TUN device has before a packet.

use sojourn_sim::header::Dscp;
use sojourn_sim::packet::{Ecn, FlowId};
use sojourn_sim::replay::Arrival;
use sojourn_sim::units::Instant;

use crate::error::{Place, ReadError};
use crate::number;
use crate::trace::{HEADERS, Trace};

const EVENTS: [&str; 4] = ["+", "-", "#", "d"];

/// Whether it is a log: it begins with a comment, and the first line behind the comments has a time and an event.
pub fn recognise(text: &str) -> bool {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut words = lines().find(|line| !line.starts_with('#')).unwrap_or("").split_whitespace();
    lines().next().is_some_and(|line| line.starts_with('#'))
        && words.next().is_some_and(|time| time.bytes().all(|byte| byte.is_ascii_digit()))
        && words.next().is_some_and(|event| EVENTS.contains(&event))
}

/// The packets that came, all of one flow.
pub fn read(text: &str, mtu: Option<u32>) -> Result<Trace, ReadError> {
    let mut trace = Trace::new(mtu, false);
    let mut previous = Instant::ZERO;
    let base = text.lines().find_map(|line| line.strip_prefix("# base timestamp:")?.trim().parse().ok()).unwrap_or(0);
    for (line, number) in text.lines().zip(1..) {
        let at = |what: String| ReadError::new(Place::Line(number), what);
        let words: Vec<&str> = line.split_whitespace().collect();
        let (stamp, size) = match words[..] {
            [first, ..] if first.starts_with('#') => continue,
            [stamp, "+", size] => (stamp, size),
            [] | [_, "#", _] | [_, "-" | "d", _, _] => continue,
            _ => {
                let allowed = "TIME + BYTES, TIME - BYTES WAITED, TIME # BYTES and TIME d PACKETS BYTES";
                return Err(at(format!("{line:?} is no event of mm-link's logs; allowed are {allowed}")));
            }
        };
        let millis: u64 = stamp
            .parse()
            .map_err(|_| at(format!("the time is {stamp:?}; allowed are whole milliseconds from the log's start")))?;
        let time = number::time("the time", &format!("{}", millis.saturating_sub(base) as f64 / 1e3)).map_err(at)?;
        let arrival = Arrival {
            time,
            size: number::size("the size", size).map_err(at)?,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
            dscp: Dscp::DF,
            acknowledgement: None,
            uniform: None,
        };
        arrival.check(previous).map_err(|error| at(error.to_string()))?;
        previous = time;
        trace.push(arrival, number, HEADERS, mtu.is_some());
    }
    trace.flows = vec!["mm-link".to_owned()];
    Ok(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "# mahimahi mm-link (Downlink) [twelve] > link.log\n# queue: droptail [packets=100]\n# base timestamp: 0\n";

    #[test]
    fn packets_that_came_are_arrivals() {
        let log = format!("{HEAD}1 + 1500\n1 + 1504\n1 # 1504\n1 - 1500 0\n2 d 1 1504\n2 # 1504\n2500 + 52\n");

        let trace = crate::read(log.as_bytes()).unwrap();

        let found: Vec<(f64, u32)> = trace.arrivals.iter().map(|one| (one.time.as_secs_f64(), one.size)).collect();
        assert_eq!(found, [(0.001, 1500), (0.001, 1504), (2.5, 52)]);
        assert_eq!((&trace.records[..], &trace.flows[..]), (&[4, 5, 10][..], &["mm-link".to_owned()][..]));
    }

    #[test]
    fn times_count_from_the_base_of_the_log() {
        let log = "# mahimahi mm-link (Uplink) [a] > b\n# base timestamp: 1000\n1000 # 1504\n1007 + 52\n";
        assert_eq!(read(log, None).unwrap().arrivals[0].time, Instant::from_nanos(7_000_000));
    }

    #[test]
    fn other_files_with_comments_are_no_logs() {
        assert!(!recognise("# by our probe\ntime_s,bytes,flow\n0,1,a\n"));
        assert!(!recognise("+ 1.84 0 2 cbr 210 ------- 0 0.0 3.1 225 610\n"));
        assert!(!recognise("# 1\n5\n7\n"));
        assert!(!recognise(""));
        assert!(recognise(&format!("{HEAD}0 # 1504\n")));
    }

    #[test]
    fn errors_name_the_line() {
        let refused = |line: &str| read(&format!("{HEAD}0 + 40\n{line}\n"), None).unwrap_err().to_string();

        assert!(refused("1 x 5").starts_with("line 5: \"1 x 5\" is no event of mm-link's logs"));
        assert!(refused("1.5 + 5").starts_with("line 5: the time is \"1.5\""));
        assert!(refused("1 + 0").starts_with("line 5: a packet of 0 bytes"));
        assert!(read(&format!("{HEAD}5 + 40\n4 + 40\n"), None).unwrap_err().to_string().contains("goes back in time"));
    }
}
