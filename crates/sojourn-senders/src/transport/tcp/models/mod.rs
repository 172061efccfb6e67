//! Second implementations of loss recovery, straight from the RFCs' text, and the senders held to them: the same
//! segments in the same order after the same acknowledgements. They work on lists of whole segments, share nothing with the
//! senders, and do not know the retransmission timer: runs are compared until the first timeout.

mod by_time;
mod cumulative;
mod selective;

use by_time::ByTime;
use cumulative::Cumulative;
use selective::Selective;

use super::pair::{Fate, MSS, Pair};
use super::timelines::ten;
use crate::rng::Rng;
use crate::transport::Endpoint;
use crate::units::{Duration, Instant};

/// The input of every model.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// Segments of the transfer.
    total: usize,
    /// Receiver's window.
    room: usize,
    /// Whether duplicates send new data before recovery.
    limited_transmit: bool,
    /// Whether losses in a window that has been cut wait for the timer (RFC 6582 section 3.2 step 2; `careful` of `tcp`).
    careful: bool,
}

/// Congestion avoidance, RFC 5681 section 3.1 with initial window and threshold of ten.
#[derive(Clone, Copy, Debug)]
struct Window {
    cwnd: f64,
    ssthresh: f64,
}

impl Window {
    fn open(&mut self) {
        self.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
    }

    /// Equation 4.
    fn halve(&mut self, flight: usize) {
        // At most the window: what Sojourn adds (`cut = "flight"`), for flights that have outgrown it.
        self.ssthresh = ((flight as f64).min(self.cwnd) / 2.0).max(2.0);
        self.cwnd = self.ssthresh;
    }
}

trait Model {
    /// An acknowledgement of the segments below `ack`, with SACK blocks; the segments that it sends.
    fn on_ack(&mut self, ack: usize, blocks: &[(usize, usize)]) -> Vec<usize>;
}

fn segments(bytes: u64) -> usize {
    (bytes / MSS) as usize
}

/// Runs a sender beside its model until it is done or its timer expires; the acknowledgements compared.
fn compare(pair: &mut Pair, model: &mut dyn Model, what: &str) -> usize {
    pair.start();
    let (mut heard, mut sent) = (0, pair.data.len());
    while pair.step(Instant::MAX) && pair.sender.counters().timeouts == 0 {
        let expected = match pair.heard.get(heard) {
            Some((ack, blocks)) => {
                heard += 1;
                let blocks: Vec<_> = blocks.iter().map(|&(start, end)| (segments(start), segments(end))).collect();
                model.on_ack(segments(*ack), &blocks)
            }
            None => Vec::new(),
        };
        let new: Vec<usize> = pair.data[sent..].iter().map(|seen| segments(seen.seq())).collect();
        sent = pair.data.len();
        let before = &pair.heard[..heard];
        assert_eq!(new, expected, "{what}: after acknowledgement {heard}, {:?}", before.last());
    }
    heard
}

fn run(recovery: &str, rules: Rules, pair_of: impl FnOnce(Pair) -> Pair, what: &str) -> usize {
    let (total, room) = (rules.total.to_string(), format!("{}p", rules.room));
    let text = |flag: bool| if flag { "true" } else { "false" };
    let settings = [
        ("profile", "rfc"),
        ("handshake", "false"),
        ("initial_window", "10"),
        ("initial_ssthresh", "10"),
        ("recovery", recovery),
        ("window", &room),
        ("limited_transmit", text(rules.limited_transmit)),
        ("careful", text(rules.careful)),
    ];
    let mut pair = pair_of(ten(&settings, &total));
    let mut model: Box<dyn Model> = match recovery {
        "sack" => Box::new(Selective::new(rules)),
        _ => Box::new(Cumulative::new(rules, recovery == "newreno")),
    };
    compare(&mut pair, model.as_mut(), &format!("{what} {recovery} {rules:?}"))
}

/// Every choice of one to four of ten.
fn patterns() -> impl Iterator<Item = Vec<usize>> {
    (1..1024_u32).filter(|bits| bits.count_ones() <= 4).map(|bits| (0..10).filter(|n| bits >> n & 1 == 1).collect())
}

/// A transfer that goes on and transfers that end with the window or just behind it; a receiver's window of ten.
fn cases() -> impl Iterator<Item = Rules> {
    let sizes = [(40, 1000), (10, 1000), (11, 1000), (12, 1000), (14, 1000), (40, 10), (40, 12)];
    let flags = [(true, true), (false, true), (true, false)];
    sizes.into_iter().flat_map(move |(total, room)| {
        flags.map(|(limited_transmit, careful)| Rules { total, room, limited_transmit, careful })
    })
}

fn every_pattern(recovery: &str) {
    for rules in cases() {
        for lost in patterns() {
            run(recovery, rules, |pair| pair.losing(&lost), &format!("{lost:?}"));
        }
    }
}

/// Losses of any transmission and of acknowledgements.
fn random_losses(recovery: &str) {
    let mut compared = 0;
    for seed in 0..1500 {
        let mut rng = Rng::named(seed, "losses");
        let rules = Rules {
            total: 10 + rng.below(90) as usize,
            room: if rng.below(3) == 0 { 8 + rng.below(10) as usize } else { 1000 },
            limited_transmit: rng.below(3) > 0,
            careful: rng.below(2) == 0,
        };
        let (data, acks) = (rng.below(25), rng.below(30));
        let die = |name: &str, percent: u64| {
            let mut dice = Rng::named(seed, name);
            move |_, _: &_| if dice.below(100) < percent { Fate::Lose } else { Fate::Deliver }
        };
        let spoil = |mut pair: Pair| {
            pair.on_data = Box::new(die("data", data));
            pair.on_ack = Box::new(die("acks", acks));
            pair
        };
        compared += run(recovery, rules, spoil, &format!("seed {seed}"));
    }
    assert!(compared > 10_000, "{compared} acknowledgements");
}

#[test]
fn sack_sends_after_every_pattern_of_losses_what_rfc_6675_says() {
    every_pattern("sack");
}

#[test]
fn sack_sends_after_any_losses_what_rfc_6675_says() {
    random_losses("sack");
}

#[test]
fn reno_sends_after_every_pattern_of_losses_what_rfc_5681_says() {
    every_pattern("reno");
}

#[test]
fn reno_sends_after_any_losses_what_rfc_5681_says() {
    random_losses("reno");
}

#[test]
fn newreno_sends_after_every_pattern_of_losses_what_rfc_6582_says() {
    every_pattern("newreno");
}

#[test]
fn newreno_sends_after_any_losses_what_rfc_6582_says() {
    random_losses("newreno");
}

/// The result of a run beside the model of RFC 8985.
#[derive(Clone, Copy, Debug, Default)]
struct Compared {
    acks: usize,
    /// Times at which a timer of the model's went off.
    timers: usize,
    recoveries: u64,
}

/// Runs a sender that finds losses by time beside the model of RFC 8985 and RFC 9937 until it is done or its timer expires. What is sent
/// at each event is compared, and so when.
fn compare_by_time(pair: &mut Pair, model: &mut ByTime, what: &str) -> Compared {
    pair.start();
    let numbers =
        |of: &Pair, from: usize| -> Vec<usize> { of.data[from..].iter().map(|seen| segments(seen.seq())).collect() };
    assert_eq!(numbers(pair, 0), model.start(pair.now), "{what}: at the start");
    let (mut heard, mut sent, mut compared) = (0, pair.data.len(), Compared::default());
    loop {
        let timer = pair.sender.next_deadline();
        if !pair.step(Instant::MAX) || pair.sender.counters().timeouts > 0 {
            compared.recoveries = pair.sender.counters().fast_recoveries;
            return compared;
        }
        let now = pair.now;
        let due = model.deadline().filter(|&due| due <= now);
        let expected = if let Some((ack, blocks)) = pair.heard.get(heard) {
            assert!(due.is_none_or(|due| due == now), "{what}: the model's timer went off at {due:?}, before {now:?}");
            let blocks: Vec<_> = blocks.iter().map(|&(start, end)| (segments(start), segments(end))).collect();
            let answer = model.on_ack(now, pair.echoes[heard], segments(*ack), &blocks);
            heard += 1;
            compared.acks += 1;
            answer
        } else if timer == Some(now) && due.is_some() {
            compared.timers += 1;
            model.on_deadline(now)
        } else {
            Vec::new()
        };
        let new = numbers(pair, sent);
        sent = pair.data.len();
        assert_eq!(new, expected, "{what}: at {now:?}, after {:?}", pair.heard[..heard].last());
    }
}

/// A sender with all of RFC 8985 and RFC 9937 and without what Linux does besides.
fn by_time(total: usize, probes: bool) -> (Pair, ByTime) {
    let settings = [
        ("profile", "rfc"),
        ("recovery", "rack"),
        ("rate_reduction", "prr"),
        ("tail_probe", if probes { "true" } else { "false" }),
        ("ack_every", "1"),
    ];
    (ten(&settings, &total.to_string()), ByTime::new(total, probes))
}

#[test]
fn rack_sends_after_every_pattern_of_losses_what_rfc_8985_and_rfc_9937_say() {
    for (total, probes) in [(40, true), (40, false), (10, true), (10, false), (11, true), (12, true), (14, true)] {
        for lost in patterns() {
            let (pair, mut model) = by_time(total, probes);
            compare_by_time(&mut pair.losing(&lost), &mut model, &format!("{total} {probes} {lost:?}"));
        }
    }
}

/// Losses of any transmission and of acknowledgements; in half of the runs segments and acknowledgements overtake each other.
#[test]
fn rack_sends_after_any_losses_and_reordering_what_rfc_8985_and_rfc_9937_say() {
    let mut all = Compared::default();
    for seed in 0..1500 {
        let mut rng = Rng::named(seed, "losses");
        let (total, probes) = (10 + rng.below(150) as usize, rng.below(3) > 0);
        let (data, acks) = (rng.below(20), rng.below(25));
        let late = if rng.below(2) == 0 { 0 } else { rng.below(30) };
        let (mut pair, mut model) = by_time(total, probes);
        let die = |name: &str, lose: u64| {
            let mut dice = Rng::named(seed, name);
            move |_, _: &_| {
                let pick = dice.below(100);
                if pick < lose {
                    Fate::Lose
                } else if pick < lose + late {
                    Fate::Late(Duration::from_micros(dice.below(60_000)))
                } else {
                    Fate::Deliver
                }
            }
        };
        pair.on_data = Box::new(die("data", data));
        pair.on_ack = Box::new(die("acks", acks));
        let compared = compare_by_time(&mut pair, &mut model, &format!("seed {seed}"));
        all.acks += compared.acks;
        all.timers += compared.timers;
        all.recoveries += compared.recoveries;
    }
    assert!(all.acks > 30_000 && all.timers > 300 && all.recoveries > 1500, "{all:?}");
}
