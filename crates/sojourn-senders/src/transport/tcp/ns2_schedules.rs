//! The packets that ns-2 2.35 sends, and those that the profile `ns2` sends under the same losses and marks.
//!
//! `ns2_schedules.txt` was written by ns-2 (Debian 2.35+dfsg-5; `tests/peers/ns2_sender.tcl`): one bulk sender of
//! 1000-byte packets on links of 1 Tbit/s and a round trip of 110.3 ms, with `ErrorModel/List` losing data
//! packets, marking survivors and losing acknowledgements by number. A line is
//!
//! recovery | window | lost | marked | lost ACKs | ECN | until s | cwnd | ssthresh | ms:packet,packet ms:...

use std::collections::BTreeSet;

use super::pair::{Fate, MSS, Pair};
use crate::transport::tcp::rtt::RttEstimator;
use crate::units::Duration;

fn numbers(text: &str) -> BTreeSet<usize> {
    text.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

/// Our schedule in ns-2's words: packet 0 is the SYN.
fn schedule(pair: &Pair) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for seen in &pair.data {
        let number = if seen.is_syn() { 0 } else { seen.seq() / MSS + 1 }.to_string();
        let time = format!("{:.1}", seen.at.as_millis_f64());
        match groups.last_mut() {
            Some((last, numbers)) if *last == time => numbers.push(number),
            _ => groups.push((time, vec![number])),
        }
    }
    let texts: Vec<String> = groups.iter().map(|(time, numbers)| format!("{time}:{}", numbers.join(","))).collect();
    texts.join(" ")
}

#[test]
fn every_packet_leaves_when_ns2_sends_it() {
    for line in include_str!("ns2_schedules.txt").lines() {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [recovery, window, lost, marked, lost_acks, ecn, until, cwnd, ssthresh, expected] = fields[..] else {
            panic!("a line has ten fields: {line}");
        };
        let settings = [
            ("profile", "ns2"),
            ("recovery", recovery),
            ("window", &format!("{window}p")),
            ("ecn", if ecn == "1" { "true" } else { "false" }),
        ];
        let mut pair = Pair::new(&settings, ("bulk", &[]));
        pair.one_way = Duration::from_micros(55_150);
        let (lost, marked, lost_acks) = (numbers(lost), numbers(marked), numbers(lost_acks));
        let mut survivors = 0;
        pair.on_data = Box::new(move |n, _| {
            if lost.contains(&n) {
                return Fate::Lose;
            }
            survivors += 1;
            if marked.contains(&(survivors - 1)) { Fate::Mark } else { Fate::Deliver }
        });
        pair.on_ack = Box::new(move |n, _| if lost_acks.contains(&n) { Fate::Lose } else { Fate::Deliver });
        pair.start();
        // No sample of 110.3 ms starts in the last 0.3 ms of a tick.
        pair.sender.stream.rtt = RttEstimator::new(&pair.sender.stream.config.rtt, Duration::ZERO);
        pair.run_until((until.parse::<f64>().expect("seconds") * 1000.0) as u64);

        assert_eq!(schedule(&pair), expected, "{line}");
        // ns-2 prints six significant digits.
        let near = |ours: f64, theirs: &str| (ours / theirs.parse::<f64>().expect("a number") - 1.0).abs() < 1e-5;
        assert!(
            near(pair.cwnd(), cwnd) && near(pair.ssthresh(), ssthresh),
            "{} {}: {line}",
            pair.cwnd(),
            pair.ssthresh()
        );
    }
}
