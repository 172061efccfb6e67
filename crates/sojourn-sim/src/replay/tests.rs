use super::*;
use crate::header::Dscp;
use crate::packet::{Ecn, FlowId};
use crate::queue::{Backlog, Limit, LinkContext, Managed, Policy, QueueView, Reason, Verdict};
use crate::registry::{QUEUES, queue};
use crate::rng::Rng;
use crate::units::Duration;
use proptest::prelude::*;

const RATE: Rate = Rate::from_bps(8_000_000);

fn micros(n: u64) -> Instant {
    Instant::from_nanos(n * 1_000)
}

fn arrival(at_micros: u64, size: u32) -> Arrival {
    Arrival {
        time: micros(at_micros),
        size,
        flow: FlowId(0),
        ecn: Ecn::NotEct,
        dscp: Dscp::DF,
        acknowledgement: None,
        uniform: None,
    }
}

fn discipline(name: &str, settings: &[(&str, &str)]) -> Box<dyn QueueDiscipline> {
    let entry = queue(name).expect("a registered queue");
    let args = crate::rig::set(entry.args(None).expect("defaults"), settings);
    entry.build(&args, &LinkContext::default()).expect("a queue")
}

fn run(discipline: Box<dyn QueueDiscipline>, rate: Rate, arrivals: &[Arrival]) -> Outcome {
    let mut replay = Replay::new(discipline, rate, Rng::named(1, "queue"));
    for &arrival in arrivals {
        replay.push(arrival).expect("a valid arrival");
    }
    replay.finish()
}

fn end(sent: Transmission) -> Instant {
    sent.end.expect("a link with a rate")
}

fn sent_micros(outcome: &Outcome) -> Vec<Option<(u64, u64)>> {
    let whole = |time: Instant| time.as_nanos() / 1_000;
    outcome.decisions.iter().map(|d| d.sent.map(|sent| (whole(sent.start), whole(end(sent))))).collect()
}

#[test]
fn a_fifo_sends_as_worked_out_by_hand() {
    // At 8 Mbit/s a byte takes 1 us. The limit is two waiting packets.
    let arrivals = [
        arrival(100, 1000), // link idle: sent 100 to 1100
        arrival(200, 500),  // waits for the first: 1100 to 1600
        arrival(300, 100),  // waits behind it: 1600 to 1700
        arrival(400, 1000), // two wait already: dropped
        arrival(1100, 200), // at 1100 the second left the queue, so one waits: 1700 to 1900
        arrival(5000, 300), // link idle again: 5000 to 5300
    ];

    let outcome = run(discipline("fifo", &[("limit", "2p")]), RATE, &arrivals);

    let expected =
        [Some((100, 1100)), Some((1100, 1600)), Some((1600, 1700)), None, Some((1700, 1900)), Some((5000, 5300))];
    assert_eq!(sent_micros(&outcome), expected);
    assert_eq!(outcome.decisions[3].fate, Fate::Dropped { reason: Reason::OVERFLOW, at: micros(400) });
    let summary = &outcome.summary;
    assert_eq!((summary.arrivals, summary.departures, summary.dropped(), summary.waiting), (6, 5, 1, 0));
    // Sojourns 0, 900, 1300, 600, 0: mean 560 us.
    assert_eq!(summary.sojourn_mean, Some(Duration::from_micros(560)));
    // From 100 to 5300 us; 2100 bytes take 2100 us of it; packets waited for 2800 us together.
    assert_eq!(summary.duration, Duration::from_micros(5200));
    assert!((summary.utilisation.expect("a rate") - 2100.0 / 5200.0).abs() < 1e-12);
    assert!((summary.throughput_bps - 2100.0 * 8.0 / 5200e-6).abs() < 1e-3);
    assert!((summary.backlog_mean_packets - 2800.0 / 5200.0).abs() < 1e-12);
    // 500 bytes for 900 us, 100 for 1300, 200 for 600.
    assert!((summary.backlog_mean_bytes - 700_000.0 / 5200.0).abs() < 1e-9);
}

#[test]
fn recorded_moments_take_packets_in_place_of_a_rate() {
    let arrivals = [
        arrival(100, 1000), // it came to an idle link: taken at 100
        arrival(200, 500),  // waits
        arrival(300, 100),  // waits
        arrival(400, 1000), // two wait already: dropped
        arrival(700, 200),  // at 700 it comes before the link takes a packet: two wait, dropped
    ];
    let moments = [100, 150, 700, 900].map(micros).to_vec();

    let mut replay = Replay::with_departures(discipline("fifo", &[("limit", "2p")]), moments, Rng::named(1, "queue"));
    assert_eq!(replay.push_within(&arrivals, u64::MAX), Ok(5));
    let outcome = replay.finish();

    let starts: Vec<_> = outcome.decisions.iter().map(|one| one.sent.map(|sent| sent.start)).collect();
    assert_eq!(starts, [Some(micros(100)), Some(micros(700)), Some(micros(900)), None, None]);
    assert!(outcome.decisions.iter().filter_map(|one| one.sent).all(|sent| sent.end.is_none()));
    let summary = &outcome.summary;
    // That at 150 found nothing.
    assert_eq!((summary.unused_departures, summary.utilisation), (1, None));
    // 1600 bytes from 100 to 900 us.
    assert!((summary.throughput_bps - 1600.0 * 8.0 / 800e-6).abs() < 1e-3);
    // 500 bytes wait for 500 us and 100 for 600.
    assert!((summary.backlog_mean_packets - 1100.0 / 800.0).abs() < 1e-9);
}

#[test]
fn what_waits_when_the_moments_are_over_stays() {
    let mut replay = Replay::with_departures(discipline("fifo", &[]), vec![micros(5)], Rng::named(1, "queue"));
    replay.push(arrival(1, 100)).unwrap();
    replay.push(arrival(2, 100)).unwrap();

    let summary = replay.finish().summary;

    assert_eq!((summary.departures, summary.waiting, summary.duration), (1, 1, Duration::from_micros(4)));
}

#[test]
fn the_moments_of_a_link_with_a_rate_lead_to_the_same_decisions() {
    // No two at one instant: 937 and 1000 us have no common multiple below.
    let arrivals: Vec<Arrival> = (0..900).map(|n| arrival(937 * n + 1, 1000 + 100 * (n as u32 % 3))).collect();
    for name in ["fifo", "codel", "red", "pie", "fq_codel"] {
        let settings: &[(&str, &str)] = if name == "fifo" { &[("limit", "20p")] } else { &[] };
        let with_rate = run(discipline(name, settings), RATE, &arrivals);
        let mut moments: Vec<Instant> =
            with_rate.decisions.iter().filter_map(|one| one.sent).map(|sent| sent.start).collect();
        moments.sort_unstable();

        let mut replay = Replay::with_departures(discipline(name, settings), moments, Rng::named(1, "queue"));
        assert_eq!(replay.push_within(&arrivals, u64::MAX), Ok(arrivals.len()));
        let again = replay.finish();

        assert!(with_rate.summary.dropped() > 0, "{name} drops nothing, which says nothing");
        for (one, other) in with_rate.decisions.iter().zip(&again.decisions) {
            assert_eq!((one.fate, one.sent.map(|sent| sent.start)), (other.fate, other.sent.map(|sent| sent.start)));
        }
        assert_eq!(again.summary.unused_departures, 0);
    }
}

#[test]
fn drop_front_is_told_of_the_packet_that_waited() {
    let arrivals = [arrival(0, 1000), arrival(1, 1000), arrival(2, 1000)];

    let outcome = run(discipline("fifo", &[("limit", "1p"), ("overflow", "drop_front")]), RATE, &arrivals);

    assert_eq!(outcome.decisions[1].fate, Fate::Dropped { reason: Reason::OVERFLOW, at: micros(2) });
    assert_eq!(outcome.decisions[2].fate, Fate::Enqueued);
}

#[test]
fn serialisation_keeps_fractions_of_a_nanosecond() {
    // One byte at 3 Gbit/s takes 8/3 ns: the ends are 8/3, 16/3 and 8, and then 20 + 8/3, rounded down.
    let rate = Rate::from_bps(3_000_000_000);
    let at = |nanos| Arrival { time: Instant::from_nanos(nanos), ..arrival(0, 1) };

    let outcome = run(discipline("fifo", &[]), rate, &[at(0), at(0), at(0), at(20)]);

    let ends: Vec<u64> = outcome.decisions.iter().filter_map(|d| d.sent).map(|sent| end(sent).as_nanos()).collect();
    assert_eq!(ends, [2, 5, 8, 22]);
}

/// The values that a probe saw, in order.
type Log = std::sync::Arc<std::sync::Mutex<Vec<(&'static str, u64)>>>;

/// Logs the calls, draws one number at each arrival, and has a deadline every `period`.
struct Probe {
    log: Log,
    period: Duration,
    next: Instant,
    verdict_below: f64,
}

impl Policy for Probe {
    fn on_arrival(&mut self, now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.log.lock().unwrap().push(("arrival", now.as_nanos() / 1_000));
        if rng.uniform() < self.verdict_below { Verdict::Mark(Reason::EARLY) } else { Verdict::Pass }
    }
    fn on_departure(&mut self, now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.log.lock().unwrap().push(("departure", now.as_nanos() / 1_000));
        Verdict::Pass
    }
    fn next_deadline(&self) -> Option<Instant> {
        Some(self.next)
    }
    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        self.log.lock().unwrap().push(("deadline", now.as_nanos() / 1_000));
        self.next += self.period;
    }
}

fn probe(period: Duration, verdict_below: f64) -> (Box<dyn QueueDiscipline>, Log) {
    let log = Log::default();
    let policy = Probe { log: log.clone(), period, next: Instant::ZERO + period, verdict_below };
    (Box::new(Managed::new(policy, Limit::NONE)), log)
}

#[test]
fn at_one_instant_departures_come_before_deadlines_and_these_before_arrivals() {
    let (queue, log) = probe(Duration::from_millis(1), 0.0);

    // The first two packets take 1 ms each; the third comes when the first has been sent and the
    // deadline falls due.
    run(queue, RATE, &[arrival(0, 1000), arrival(0, 1000), arrival(1000, 1000)]);

    let seen = log.lock().unwrap().clone();
    assert_eq!(
        seen,
        [
            ("arrival", 0),
            ("departure", 0),
            ("arrival", 0),
            ("departure", 1000),
            ("deadline", 1000),
            ("arrival", 1000),
            ("departure", 2000),
            ("deadline", 2000),
        ]
    );
}

#[test]
fn a_supplied_number_decides_about_its_packet_and_no_other() {
    let (queue, _) = probe(Duration::from_secs(1), 0.5);
    let with = |uniform| Arrival { uniform: Some(uniform), ecn: Ecn::Ect0, ..arrival(0, 100) };
    let not_ect = Arrival { ecn: Ecn::NotEct, ..with(0.25) };

    let outcome = run(queue, RATE, &[with(0.25), with(0.75), with(0.5), not_ect, with(0.499_999)]);

    let fates: Vec<Fate> = outcome.decisions.iter().map(|decision| decision.fate).collect();
    let marked = Fate::Marked { reason: Reason::EARLY, at: Instant::ZERO };
    let dropped = Fate::Dropped { reason: Reason::EARLY, at: Instant::ZERO };
    assert_eq!(fates, [marked, Fate::Enqueued, Fate::Enqueued, dropped, marked]);
    assert_eq!((outcome.summary.marked(), outcome.summary.dropped()), (2, 1));
    assert!((outcome.summary.mark_ratio() - 0.4).abs() < 1e-12);
    assert!((outcome.summary.loss_ratio() - 0.2).abs() < 1e-12);
}

/// Holds every packet until the next whole second.
struct Gate {
    held: Vec<Packet>,
    open: bool,
    next: Instant,
}

impl QueueDiscipline for Gate {
    fn enqueue(&mut self, _now: Instant, packet: Packet, _cx: &mut Context) {
        self.held.push(packet);
    }
    fn dequeue(&mut self, _now: Instant, _cx: &mut Context) -> Option<Packet> {
        if self.open && !self.held.is_empty() { Some(self.held.remove(0)) } else { None }
    }
    fn next_deadline(&self) -> Option<Instant> {
        (self.next < Instant::MAX).then_some(self.next)
    }
    fn on_deadline(&mut self, _now: Instant, _cx: &mut Context) {
        self.open = true;
        self.next = Instant::MAX;
    }
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.held.len() as u64, bytes: self.held.iter().map(|p| u64::from(p.size)).sum() }
    }
}

#[test]
fn a_discipline_may_hold_packets_until_its_deadline() {
    let gate = Gate { held: Vec::new(), open: false, next: micros(1_000_000) };

    let outcome = run(Box::new(gate), RATE, &[arrival(0, 1000), arrival(10, 1000)]);

    assert_eq!(sent_micros(&outcome), [Some((1_000_000, 1_001_000)), Some((1_001_000, 1_002_000))]);
}

#[test]
fn a_discipline_that_never_releases_leaves_packets_waiting() {
    let gate = Gate { held: Vec::new(), open: false, next: Instant::MAX };

    let outcome = run(Box::new(gate), RATE, &[arrival(0, 1000)]);

    assert_eq!((outcome.summary.waiting, outcome.summary.departures), (1, 0));
}

#[test]
fn arrivals_that_cannot_be_are_refused_and_change_nothing() {
    let mut replay = Replay::new(discipline("fifo", &[]), RATE, Rng::named(1, "queue"));
    replay.push(arrival(10, 1)).expect("a valid arrival");

    let back = replay.push(arrival(9, 1)).unwrap_err();
    assert_eq!(back, ArrivalError::BackInTime { previous: micros(10), time: micros(9) });
    assert_eq!(replay.push(arrival(10, 0)).unwrap_err(), ArrivalError::Size(0));
    assert!(replay.push(arrival(10, SIZE_MAX + 1)).is_err());
    let late = Arrival { time: TIME_MAX + Duration::from_nanos(1), ..arrival(0, 1) };
    assert!(matches!(replay.push(late).unwrap_err(), ArrivalError::TooLate(_)));
    for uniform in [-0.1, 1.0, f64::NAN] {
        assert!(replay.push(Arrival { uniform: Some(uniform), ..arrival(10, 1) }).is_err());
    }

    assert_eq!(replay.finish().summary.arrivals, 1);
}

#[test]
fn draining_in_parts_gives_the_same_as_finishing_at_once() {
    let arrivals = [arrival(0, 1000), arrival(1, 1000), arrival(2, 500)];
    let mut replay = Replay::new(discipline("fifo", &[]), RATE, Rng::named(1, "queue"));
    for arrival in arrivals {
        replay.push(arrival).expect("a valid arrival");
    }

    // Three ends of transmissions are left to do.
    let done: Vec<bool> = (0..4).map(|_| replay.drain(1)).collect();

    assert_eq!(done, [false, false, false, true]);
    assert_eq!(replay.finish(), run(discipline("fifo", &[]), RATE, &arrivals));
}

#[test]
fn arrivals_in_parts_give_the_same_as_arrivals_at_once_and_a_pause_is_divided() {
    // PI2 looks at its queue every 32 ms: 312 times in the pause of 10 s, and each is a step as arrivals and transmissions are.
    let arrivals = [arrival(0, 1000), arrival(1, 1000), arrival(10_000_000, 500), arrival(10_000_001, 500)];
    let whole = run(discipline("pi2", &[]), RATE, &arrivals);
    for steps in [1, 7, 100, 10_000] {
        let mut replay = Replay::new(discipline("pi2", &[]), RATE, Rng::named(1, "queue"));
        let (mut rest, mut calls) = (&arrivals[..], 0);
        while !rest.is_empty() {
            rest = &rest[replay.push_within(rest, steps).expect("valid arrivals")..];
            calls += 1;
        }
        assert!(calls * steps >= 312 && (calls - 1) * steps < 322, "{calls} calls of {steps}");
        assert_eq!(replay.finish(), whole);
    }
}

#[test]
fn nothing_gives_an_empty_summary() {
    let outcome = run(discipline("fifo", &[]), RATE, &[]);

    assert_eq!((outcome.summary.arrivals, outcome.summary.duration), (0, Duration::ZERO));
    assert_eq!(outcome.summary.sojourn_mean, None);
}

#[test]
fn an_m_d_1_queue_waits_as_pollaczek_and_khinchine_say() {
    // 1000-byte packets take 1 ms; load 0.7. Mean wait = rho / (2 (1 - rho)) ms.
    const LOAD: f64 = 0.7;
    const BATCHES: usize = 40;
    const BATCH: usize = 5_000;
    let mut rng = Rng::named(3, "arrivals");
    let mut now = 0.0;
    let arrivals: Vec<Arrival> = (0..BATCHES * BATCH)
        .map(|_| {
            now += rng.exponential(1e-3 / LOAD);
            Arrival { time: Instant::from_secs_f64(now), ..arrival(0, 1000) }
        })
        .collect();

    let outcome = run(discipline("fifo", &[("limit", "1000000p")]), RATE, &arrivals);

    let sojourns: Vec<f64> =
        outcome.decisions.iter().map(|d| d.sojourn().expect("no packet is lost").as_millis_f64()).collect();
    let means: Vec<f64> = sojourns.chunks(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    let mean = means.iter().sum::<f64>() / BATCHES as f64;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (BATCHES - 1) as f64;
    let standard_error = (variance / BATCHES as f64).sqrt();
    assert!(standard_error < 0.03 * mean, "the test has no power: {standard_error}");
    assert!((mean - LOAD / (2.0 * (1.0 - LOAD))).abs() < 4.0 * standard_error, "{mean} +- {standard_error}");

    // Little: mean backlog = arrival rate times mean sojourn, exactly, over the whole run.
    let packet_ms = outcome.summary.backlog_mean_packets * outcome.summary.duration.as_millis_f64();
    assert!((packet_ms / sojourns.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_queue_accounts_for_every_packet(
        steps in prop::collection::vec((0_u64..3_000, 1_u32..2_000, 0_u32..4, 0_u8..4), 1..200),
        which in any::<prop::sample::Index>(),
    ) {
        let entry = QUEUES[which.index(QUEUES.len())];
        let args = entry.args(None).expect("defaults");
        let link = LinkContext { rate: RATE, ..LinkContext::default() };
        let queue = entry.build(&args, &link).expect("a queue");
        let mut now = 0;
        let arrivals: Vec<Arrival> = steps
            .iter()
            .map(|&(gap, size, flow, ecn)| {
                now += gap;
                let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][usize::from(ecn)];
                Arrival { flow: FlowId(flow), ecn, ..arrival(now, size) }
            })
            .collect();

        let outcome = run(queue, RATE, &arrivals);

        let summary = &outcome.summary;
        prop_assert_eq!(summary.departures + summary.dropped() + summary.waiting, summary.arrivals);
        prop_assert_eq!(summary.waiting, 0);
        let mut sent: Vec<Transmission> = outcome.decisions.iter().filter_map(|d| d.sent).collect();
        sent.sort_by_key(|sent| sent.start);
        prop_assert!(sent.windows(2).all(|pair| end(pair[0]) <= pair[1].start));
        for decision in &outcome.decisions {
            prop_assert_eq!(decision.sent.is_none(), matches!(decision.fate, Fate::Dropped { .. }));
            if decision.arrival.ecn == Ecn::NotEct {
                prop_assert!(!matches!(decision.fate, Fate::Marked { .. }), "not marked");
            }
        }
    }
}
