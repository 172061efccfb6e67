//! Random losses, marks, copies and delays against every kind of sender and control: a transfer always ends,
//! every byte is delivered once, and the sender's count of data in flight is right.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::pair::{Fate, MSS, Pair, Script};
use crate::header::Header;
use crate::packet::{Body, Packet};
use crate::params::Args;
use crate::registry::CONTROLS;
use crate::rng::Rng;
use crate::transport::Endpoint;
use crate::units::{Duration, Instant};

/// How bad a link is: probabilities in percent.
#[derive(Clone, Copy, Debug)]
struct Weather {
    lose: u32,
    mark: u32,
    copy: u32,
    late: u32,
    choke: u32,
}

fn weather() -> impl Strategy<Value = Weather> {
    (0_u32..40, 0_u32..40, 0_u32..20, 0_u32..30, 0_u32..20).prop_map(|(lose, mark, copy, late, choke)| Weather {
        lose,
        mark,
        copy,
        late,
        choke,
    })
}

fn script(weather: Weather, seed: u64, name: &str) -> Script {
    let mut rng = Rng::named(seed, name);
    Box::new(move |_, _| {
        let mut die = rng.below(200) as u32;
        let mut pick = |percent: u32| {
            let hit = die < percent;
            die = die.saturating_sub(percent);
            hit
        };
        if pick(weather.lose) {
            Fate::Lose
        } else if pick(weather.mark) {
            Fate::Mark
        } else if pick(weather.copy) {
            Fate::Duplicate
        } else if pick(weather.late) {
            Fate::Late(Duration::from_millis(rng.below(300)))
        } else if pick(weather.choke) {
            Fate::Choke
        } else {
            Fate::Deliver
        }
    })
}

/// Answers requests for window with anything, or not at all.
fn router(seed: u64) -> Box<dyn FnMut(&mut Packet)> {
    let mut rng = Rng::named(seed, "router");
    let speaks = rng.below(4) > 0;
    Box::new(move |packet| match &mut packet.body {
        Body::Data { header: Some(Header::Xcp(header)), .. } if speaks => {
            let bytes = 1e4 * (rng.uniform() - 0.5);
            header.feedback = header.feedback.min(bytes as f32);
        }
        Body::Data { header: Some(Header::Rcp(header)), .. } if speaks => {
            header.rate = header.rate.min((1e6 * rng.uniform()) as f32);
        }
        _ => {}
    })
}

/// The amount that the receiver's window bounds, counted from the packets alone: the highest byte sent above the last acknowledgement that
/// arrived, whatever has been reported as received above it.
struct Outstanding {
    looked_at: (usize, usize),
    sent: u64,
    acked: u64,
}

impl Outstanding {
    fn now(&mut self, pair: &Pair) -> u64 {
        for seen in &pair.data[self.looked_at.0..] {
            if let Body::Data { seq, len, .. } = seen.packet.body {
                self.sent = self.sent.max(seq + u64::from(len));
            }
        }
        for (ack, _) in &pair.heard[self.looked_at.1..] {
            self.acked = self.acked.max(*ack);
        }
        self.looked_at = (pair.data.len(), pair.heard.len());
        self.sent - self.acked
    }
}

/// The invariant of every timer: while data is out, the cumulative acknowledgement moves or the timer expires at least once in
/// three timeouts. By the packets, but for the timeout itself.
struct Progress {
    /// In Linux a segment that was found lost by time and then not lost waits for the timeout, which new data puts off as long as there is
    /// some: each acknowledgement is progress.
    by_answers: bool,
    acked: u64,
    timeouts: u64,
    /// When either moved last, or data went out where none was: a pacer may be silent before.
    since: Instant,
    idle: bool,
    rto: Duration,
}

impl Progress {
    /// Whether it holds after a step; `out` bytes are outstanding.
    fn holds(&mut self, pair: &Pair, out: u64) -> bool {
        let acked = match pair.heard.last() {
            _ if self.by_answers => pair.heard.len() as u64,
            last => last.map_or(0, |&(ack, _)| ack),
        };
        let timeouts = pair.sender.counters().timeouts;
        // An acknowledgement may end the back-off: the timer was set by the timeout before it.
        let rto = std::mem::replace(&mut self.rto, pair.sender.window().expect("a window").rto).max(self.rto);
        let held = out == 0 || self.idle || pair.now.since(self.since) <= rto * 3;
        if acked > self.acked || timeouts > self.timeouts || out == 0 || self.idle {
            (self.acked, self.timeouts, self.since) = (acked.max(self.acked), timeouts, pair.now);
        }
        self.idle = out == 0;
        held
    }
}

/// The data that has been sent and not acknowledged, counted from the packets alone.
fn in_flight(pair: &Pair, selective: bool) -> u64 {
    let ends = pair.data.iter().map(|seen| match seen.packet.body {
        Body::Data { seq, len, .. } => seq + u64::from(len),
        _ => 0,
    });
    let sent = ends.max().unwrap_or(0);
    let acked = pair.heard.iter().map(|(ack, _)| *ack).max().unwrap_or(0);
    let mut sacked = BTreeSet::new();
    if selective {
        for &(start, end) in pair.heard.iter().flat_map(|(_, blocks)| blocks) {
            sacked.extend((start..end).filter(|&byte| byte >= acked && byte % 10 == 0));
        }
    }
    sent - acked - 10 * sacked.len() as u64
}

/// Checks a transfer of `packets` packets with a receiver's window of `room` packets.
fn check(
    drawn: &[(&str, &str)],
    (packets, room): (u64, u64),
    weather: Weather,
    seed: u64,
) -> Result<(), TestCaseError> {
    let mut all = drawn.to_vec();
    let samples = |&(name, value): &(&str, &str)| {
        let law = CONTROLS.iter().find(|law| name == "control" && law.name == value);
        law.is_some_and(|law| (law.build)(&Args::defaults(law.params)).sampled().is_some())
    };
    if drawn.iter().any(samples) {
        // It needs a sender that paces, whatever else was drawn.
        all.retain(|(key, _)| !["profile", "recovery"].contains(key));
        all.extend([("profile", "linux"), ("recovery", "rack")]);
    }
    let settings = &all.clone()[..];
    let room_text = format!("{room}p");
    all.extend_from_slice(&[("window", &room_text), ("header", "40B")]);
    let text = packets.to_string();
    let mut pair = Pair::new(&all, ("bulk", &[("packets", &text)]));
    pair.on_data = script(weather, seed, "data");
    pair.on_ack = script(weather, seed, "acks");
    pair.router = router(seed);
    let mut outstanding = Outstanding { looked_at: (0, 0), sent: 0, acked: 0 };
    let by_answers = settings.contains(&("recovery", "rack"));
    let mut progress =
        Progress { by_answers, acked: 0, timeouts: 0, since: Instant::ZERO, idle: true, rto: Duration::ZERO };
    // ns-2 forgets selective acknowledgements at a timeout and at each new acknowledgement.
    let forgetful = settings.contains(&("profile", "ns2"));
    let exact = packets <= 200 && (!forgetful || !settings.contains(&("recovery", "sack")));
    let selective = ["sack", "rack"].iter().any(|recovery| settings.contains(&("recovery", recovery)));
    // The routers of RCP may grant next to nothing, and Linux's timers wait for the pacer.
    let silent = settings.contains(&("profile", "linux")) && settings.contains(&("control", "rcp"));
    pair.start();
    let mut steps = 0;
    while pair.step(Instant::MAX) {
        steps += 1;
        prop_assert!(steps < 2000 * (packets + 100), "it never ends");
        let window = pair.sender.window().expect("a window");
        let out = outstanding.now(&pair);
        prop_assert!(out <= room * MSS, "beyond the receiver's window");
        prop_assert!(silent || progress.holds(&pair, out), "it stands still at {:?}", pair.now);
        // Only under ns-2's laws a cut takes a window of one below it, and the timer sends on.
        let least = if settings.contains(&("profile", "ns2")) { 0.25 } else { 1.0 };
        // Linux's Vegas takes the window that it has just lowered by one as its threshold, before it raises that window to two.
        let floor = if settings.contains(&("control", "vegas")) { 1.0 } else { 2.0 };
        prop_assert!(window.cwnd.is_finite() && window.ssthresh >= floor * MSS as f64);
        prop_assert!(window.cwnd >= least * MSS as f64, "{}", window.cwnd);
        if exact && steps % 7 == 0 {
            let (counted, there) = (window.inflight, in_flight(&pair, selective));
            // After a timeout that was taken back and another one, Linux counts retransmissions that are not there.
            let linux = settings.contains(&("profile", "linux"));
            prop_assert!(counted == there || linux && counted > there, "{} for {}", counted, there);
        }
    }
    let received = pair.receiver.counters();
    prop_assert_eq!((received.bytes_delivered, received.bytes_new), (packets * MSS, packets * MSS));
    prop_assert_eq!(pair.take_completions().len(), 1);
    let sent = pair.sender.counters();
    let syns = pair.data.iter().filter(|seen| seen.is_syn()).count() as u64;
    let bare = pair.data.iter().filter(|seen| seen.is_bare()).count() as u64;
    // Every segment once, and each further one is a retransmission; of SYNs all but the first. Linux's receiver may cut some.
    let again = pair.data.iter().filter(|seen| seen.is_syn() || seen.is_retransmit()).count() as u64;
    let new = pair.data.len() as u64 - bare - again;
    prop_assert!(new == packets || new > packets && settings.contains(&("profile", "linux")));
    prop_assert_eq!(sent.packets_sent, new + sent.retransmits + 1 + bare);
    prop_assert!(syns >= 1);
    prop_assert_eq!(sent.packets_sent, pair.data.len() as u64);
    prop_assert_eq!(pair.sender.next_deadline(), None);
    Ok(())
}

/// Linux recovers by SACK and time alone.
fn of_profile<'a>(profile: &str, recovery: &'a str) -> &'a str {
    if profile == "linux" { "rack" } else { recovery }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_transfer_ends_and_every_byte_arrives_once(
        profile in prop::sample::select(vec!["ns2", "rfc", "linux"]),
        recovery in prop::sample::select(vec!["tahoe", "reno", "newreno", "sack"]),
        control in prop::sample::select(CONTROLS.to_vec()),
        preset in 0_u8..4,
        ecn in prop::sample::select(vec!["true", "false"]),
        ecn_feedback in prop::sample::select(vec!["rfc3168", "dctcp", "xecn"]),
        rto_restart in prop::sample::select(vec!["acks", "fast_retransmit", "retransmissions"]),
        quench in prop::sample::select(vec!["ignore", "one_segment", "slow_start", "as_mark"]),
        ack_every in prop::sample::select(vec!["1", "2"]),
        start in prop::sample::select(vec![("false", "standard"), ("true", "standard"), ("false", "hystart++"), ("true", "hystart++")]),
        packets in 1_u64..120,
        weather in weather(),
        seed in any::<u64>(),
    ) {
        let recovery = of_profile(profile, recovery);
        // What laws that live on marks do not get.
        let marks = ["dctcp", "decbit", "prague", "surathkal"].contains(&control.name);
        let mut settings = vec![
            ("profile", profile),
            ("recovery", recovery),
            ("control", control.name),
            ("ecn", if marks { "auto" } else { ecn }),
            ("ecn_feedback", if marks && ecn_feedback == "rfc3168" { "auto" } else { ecn_feedback }),
            ("rto_restart", rto_restart),
            ("quench", quench),
            ("ack_every", ack_every),
            ("pacing", start.0),
            ("slow_start", start.1),
        ];
        if let Some(preset) = control.presets.get(usize::from(preset)) {
            settings.push(("control.preset", preset.name));
        }
        check(&settings, (packets, 30), weather, seed)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Losses go on coming while one is repaired: what a timer must not take for progress. RFC 6675's optional restart
    /// (`rto_restart = "retransmissions"`) does.
    #[test]
    fn no_long_transfer_stands_still(
        profile in prop::sample::select(vec!["ns2", "rfc", "linux"]),
        recovery in prop::sample::select(vec!["reno", "newreno", "sack"]),
        control in prop::sample::select(CONTROLS.to_vec()),
        rto_restart in prop::sample::select(vec!["acks", "fast_retransmit"]),
        lose in 1_u32..16,
        packets in 500_u64..3000,
        seed in any::<u64>(),
    ) {
        let recovery = of_profile(profile, recovery);
        let settings = [("profile", profile), ("recovery", recovery), ("control", control.name), ("rto_restart", rto_restart)];
        let weather = Weather { lose, mark: 0, copy: 0, late: 0, choke: 0 };
        check(&settings, (packets, 300), weather, seed)?;
    }
}

/// Found by the test above, one case of 3,000. A timeout that was taken back, and another one, leave a retransmission that counts as in the
/// network (`Flight::lose_at_timeout`). While it still counted when nothing was out, it filled the window of one segment that a router's
/// request has left, and the last segment was never sent.
#[test]
fn a_retransmission_that_is_counted_twice_does_not_end_a_transfer() {
    let settings = [
        ("profile", "linux"),
        ("recovery", "rack"),
        ("control", "nv"),
        ("ecn", "false"),
        ("quench", "one_segment"),
        ("pacing", "true"),
    ];
    let weather = Weather { lose: 37, mark: 14, copy: 2, late: 21, choke: 7 };
    check(&settings, (42, 30), weather, 6_004_632_773_862_323_421).expect("the whole transfer");
}
