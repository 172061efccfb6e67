//! REM: a price that rises while arrivals exceed the link's rate or the queue is above its target, and a probability that is
//! exponential in the price. Specification: Athuraliya, Li, Low and Yin, "REM: Active Queue Management", IEEE Network 15(3),
//! 2001 [Ath01], as Alemu 2004 section 1.2 restates it (eq. 1.9 to 1.11) [Ale04]. Compared with: ns-2 2.35 `Queue/REM`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A random number of exactly 0 drops nothing at a price of 0; ns-2 tests U <= p | a probability of 0 means never | `without_a_price_nothing_is_dropped` |
//! | A packet that finds a full buffer and is chosen too counts as early, not as overflow; ns-2 looks at the buffer first | one order for all policies; the same packets are lost | `a_full_buffer_refuses_what_was_not_chosen` |
//! | Not modelled: ns-2's `qib_`, which measures in bytes | off unless asked for | - |

use crate::aqm::fifo::FullAt;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "rem",
    title: "REM (random exponential marking)",
    doc: "A controller by a price of congestion. The price sums up by how much arrivals exceed the link and the queue its \
          target; the drop probability is exponential in it.",
    reference: "Athuraliya, Li, Low and Yin 2001",
    presets: presets! {
        /// Athuraliya et al. 2001: gamma 0.001, alpha 0.1, phi 1.001, the price by rates and the queue at the period's beginning.
        paper = { form = "rate", gamma = "0.001", alpha = "0.1", phi = "1.001", interval = "2ms", marking = "arrival" };
        /// ns-2 2.35: the price by arrivals and the present queue every 2 ms, marks at departure, one packet fewer waits.
        ns2 = {
            limit = "50p", form = "ns2", q_ref = "20p", gamma = "0.001", alpha = "0.1", phi = "1.001", interval = "2ms",
            rate_weight = "1", marking = "departure", full_at = "ns2",
        };
        /// Alemu 2004 chapter 4, over ns-2's module: phi 1.1, target 10 of 35 packets.
        alemu2004 = {
            limit = "35p", q_ref = "10p", form = "ns2", gamma = "0.001", alpha = "0.1", phi = "1.1", interval = "2ms",
            full_at = "ns2",
        };
        /// Alemu 2004 algorithm 4 as printed, the price by queue lengths alone, with the values of chapter 4.
        alemu2004_printed = {
            limit = "35p", q_ref = "10p", form = "queue", gamma = "0.001", alpha = "0.1", phi = "1.1", interval = "2ms",
        };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Target of the queue.
        q_ref: Size = "20p" in [0.0, 1e12], "[Ath01] (b*); ns-2 2.35 pbo_";
        /// Step of the price for each packet of excess.
        gamma: f64 = "0.001" in [0.0, 1e6], "[Ath01]";
        /// Weight of the queue beside that of the rate.
        alpha: f64 = "0.1" in [0.0, 1e6], "[Ath01]; ns-2 2.35 rem.cc";
        /// Base of the exponential: the probability is 1 - phi^(-price).
        phi: f64 = "1.001" in [1.0, 1e6], "[Ath01]; [Ale04] chapter 4 uses 1.1";
        /// Time between two changes of the price.
        interval: Duration = "2ms" in [1e-6, 1e4], "ns-2 2.35 pupdtime_";
        /// The terms of the price: arrivals beyond the link's rate and the queue one period ago (`rate`) or now (`ns2`), or queue
        /// lengths alone (`queue`).
        form: Form = "rate", "[Ath01]; [Ale04] eq. 1.9 and 1.10; ns-2 2.35 rem.cc";
        /// Weight of a period in the average of the arrivals; 1 takes the last period alone.
        rate_weight: Fraction = "1" in [0.0, 1.0], "ns-2 2.35 inw_", when form not in ["queue"];
        /// Mark ECN-capable packets instead of dropping them, at any probability.
        ecn: bool = "false", "ns-2 2.35 markpkts_";
        /// The place of marks: on arrival, where packets that cannot be marked are dropped, or at departure, where they are spared.
        marking: Marking = "arrival", "[Ath01]; ns-2 2.35 rem.cc for departure", when ecn in ["true"];
        /// Whether a buffer of n packets is full when n wait (`limit`) or when n - 1 wait (`ns2`).
        full_at: FullAt = "limit", "plain meaning; ns-2 2.35 rem.cc for ns2";
    }
}

choices! {
    /// The terms of the price.
    pub enum Form {
        /// `alpha (b(t) - b*) + x(t) - c(t)`, with the queue at the beginning of the period.
        Rate = "rate",
        /// `b(t + 1) - (1 - alpha) b(t) - alpha b*`.
        Queue = "queue",
        /// As `rate`, with the queue at the end of the period.
        Ns2 = "ns2",
    }
}

choices! {
    /// Where marks are made.
    pub enum Marking {
        /// As packets come; one that is not ECN-capable is dropped.
        Arrival = "arrival",
        /// As packets leave; nothing is dropped early.
        Departure = "departure",
    }
}

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Price {
    /// Step for each packet of excess.
    pub gamma: f64,
    /// Weight of the queue.
    pub alpha: f64,
    /// Base of the exponential.
    pub phi: f64,
    /// Target of the queue.
    pub q_ref: f64,
}

impl Price {
    /// `max(0, price + gamma (alpha (q - q_ref) + x - c))`, with `x` packets that came and `c` that the link can send in a
    /// period ([Ath01] eq. 1, [Ale04] eq. 1.9).
    pub fn by_rate(&self, price: f64, q: f64, x: f64, c: f64) -> f64 {
        (price + self.gamma * (self.alpha * (q - self.q_ref) + x - c)).max(0.0)
    }

    /// `max(0, price + gamma (q - (1 - alpha) q_old - alpha q_ref))` ([Ath01] eq. 2, [Ale04] eq. 1.10).
    pub fn by_queue(&self, price: f64, q: f64, q_old: f64) -> f64 {
        (price + self.gamma * (q - (1.0 - self.alpha) * q_old - self.alpha * self.q_ref)).max(0.0)
    }

    /// `1 - phi^(-price)` ([Ath01] eq. 3, [Ale04] eq. 1.11).
    pub fn probability(&self, price: f64) -> f64 {
        1.0 - libm::pow(self.phi, -price)
    }
}

#[derive(Clone, Debug)]
pub struct Rem {
    params: Params,
    law: Price,
    /// Packets that the link can send in a period.
    c: f64,
    due: Instant,
    /// Arrivals in this period, and their average over periods.
    came: u64,
    x: f64,
    /// Packets waiting at the last update.
    q_old: f64,
    price: f64,
    /// Drop probability.
    p: f64,
    /// Whether the last period changed nothing, over an empty queue: then the next ones will not.
    rests: bool,
}

impl PolicyParams for Params {
    type Policy = Rem;

    fn policy(&self, link: &LinkContext) -> Result<Rem, BuildError> {
        Ok(Rem {
            params: self.clone(),
            law: Price { gamma: self.gamma, alpha: self.alpha, phi: self.phi, q_ref: link.packets(self.q_ref) },
            c: link.packets_per_sec() * self.interval.as_secs_f64(),
            due: Instant::ZERO + self.interval,
            came: 0,
            x: 0.0,
            q_old: 0.0,
            price: 0.0,
            p: 0.0,
            rests: false,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.full_at.limit(Limit::from_size(self.limit, link))
    }
}

impl Rem {
    fn update(&mut self, q: f64) {
        let before = self.state();
        self.x = (1.0 - self.params.rate_weight.0) * self.x + self.params.rate_weight.0 * self.came as f64;
        self.price = match self.params.form {
            Form::Rate => self.law.by_rate(self.price, self.q_old, self.x, self.c),
            Form::Ns2 => self.law.by_rate(self.price, q, self.x, self.c),
            Form::Queue => self.law.by_queue(self.price, q, self.q_old),
        };
        self.p = self.law.probability(self.price);
        self.q_old = q;
        self.came = 0;
        self.rests = q == 0.0 && self.state() == before;
    }

    /// All that periods change.
    fn state(&self) -> (u64, [f64; 3]) {
        (self.came, [self.x, self.q_old, self.price])
    }

    fn marks_at_departure(&self) -> bool {
        self.params.ecn && self.params.marking == Marking::Departure
    }

    fn is_chosen(&self, rng: &mut Rng) -> bool {
        rng.uniform() <= self.p && self.p > 0.0
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Rem { law, .. } = args.typed::<Params>().policy(link)?;
    // The curve ends at a probability of 99 %.
    let to = if law.phi > 1.0 { libm::log(100.0) / libm::log(law.phi) } else { 1.0 };
    Ok(Graph::new(Axis::new("price", ""), Axis::PROBABILITY).curve("", (0.0, to), &[], |price| law.probability(price)))
}

impl Policy for Rem {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.came += 1;
        if self.marks_at_departure() || !self.is_chosen(rng) {
            Verdict::Pass
        } else {
            Verdict::signal(self.params.ecn, packet, Reason::EARLY)
        }
    }

    fn on_departure(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        if self.marks_at_departure() && self.is_chosen(rng) && packet.ecn.is_capable() {
            Verdict::Mark(Reason::EARLY)
        } else {
            Verdict::Pass
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.due <= now {
            self.update(queue.packets() as f64);
            self.due += self.params.interval;
        }
    }

    fn rests(&self) -> bool {
        self.rests && self.came == 0
    }

    fn rest_until(&mut self, until: Instant) {
        let (left, each) = (until.since(self.due).as_nanos(), self.params.interval.as_nanos());
        self.due += Duration::from_nanos(left.div_ceil(each) * each);
    }

    fn decides_on_arrival(&self) -> bool {
        !self.marks_at_departure()
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.due, self.state()) == (other.due, other.state())
    }

    fn take_over(&mut self, other: &Self) {
        self.clone_from(other);
    }

    probes! { |self|
        "price" => self.price,
        "drop_prob" => self.p,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};
    use crate::queue::Context;
    use crate::rig::{PACKET, Rig, args, at, near, policy_of};

    fn rem(preset: &str, settings: &[(&str, &str)]) -> Rem {
        policy_of::<Params>(&ENTRY, Some(preset), settings)
    }

    /// Numbers of packets that come in the next period, and that wait at its end.
    fn period(rem: &mut Rem, came: usize, waiting: usize) {
        let mut rig = Rig::waiting(waiting);
        for _ in 0..came {
            rig.arrive(rem, at(0.0));
        }
        let due = rem.next_deadline().expect("a clock");
        rem.on_deadline(due, &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
    }

    /// Big steps: gamma 0.5, alpha 0.2, target 10; c is 2.5 packets in 2 ms of 10 Mbit/s.
    const STEEP: &[(&str, &str)] = &[("gamma", "0.5"), ("alpha", "0.2"), ("q_ref", "10p"), ("phi", "2")];

    #[test]
    fn the_price_sums_up_excess_rate_and_queue() {
        let mut rem = rem("paper", STEEP);

        // 0.5 (0.2 (0 - 10) + 6 - 2.5): the queue of the period's beginning.
        period(&mut rem, 6, 15);
        assert!(near(rem.price, 0.75));
        // + 0.5 (0.2 (15 - 10) + 4 - 2.5).
        period(&mut rem, 4, 30);
        assert!(near(rem.price, 0.75 + 1.25));
        // 1 - 2^-2.
        assert!(near(rem.p, 0.75));
    }

    #[test]
    fn ns2_takes_the_queue_of_the_periods_end() {
        let mut rem = rem("ns2", STEEP);

        // 0.5 (0.2 (15 - 10) + 6 - 2.5).
        period(&mut rem, 6, 15);

        assert!(near(rem.price, 2.25));
    }

    #[test]
    fn by_queue_lengths_the_change_stands_for_the_rate() {
        let mut rem = rem("alemu2004_printed", STEEP);

        // 0.5 (15 - 0.8 * 0 - 0.2 * 10), then 0.5 (12 - 0.8 * 15 - 0.2 * 10); arrivals do not count.
        period(&mut rem, 6, 15);
        assert!(near(rem.price, 6.5));
        period(&mut rem, 60, 12);
        assert!(near(rem.price, 5.5));
    }

    #[test]
    fn at_the_target_with_as_much_coming_as_going_the_price_stays() {
        let law = Price { gamma: 0.001, alpha: 0.1, phi: 1.001, q_ref: 20.0 };

        assert!(near(law.by_rate(100.0, 20.0, 2.5, 2.5), 100.0));
        assert!(near(law.by_queue(100.0, 20.0, 20.0), 100.0));
        // 1 - 1.001^-100 = 1 - exp(-100 ln 1.001).
        assert!(near(law.probability(100.0), 1.0 - (-100.0 * 1.001_f64.ln()).exp()));
    }

    #[test]
    fn the_price_never_falls_below_zero() {
        let mut rem = rem("ns2", STEEP);
        period(&mut rem, 0, 0);

        assert!(near(rem.price, 0.0) && near(rem.p, 0.0));
    }

    #[test]
    fn without_a_price_nothing_is_dropped() {
        assert_eq!(Rig::waiting(90).arrive_drawing(&mut rem("ns2", &[]), at(0.0), &PACKET, 0.0), Verdict::Pass);
    }

    #[test]
    fn averaged_arrivals_follow_their_weight() {
        let mut rem = rem("ns2", &[("rate_weight", "0.25"), ("gamma", "1"), ("alpha", "0")]);

        // 0.25 * 20 - 2.5, then 0.75 * 5 + 0.25 * 8 - 2.5.
        period(&mut rem, 20, 0);
        assert!(near(rem.price, 2.5));
        period(&mut rem, 8, 0);
        assert!(near(rem.price, 2.5 + 3.25));
    }

    #[test]
    fn a_packet_is_dropped_or_marked_at_the_probability_of_the_price() {
        let mut dropping = rem("paper", &[]);
        let mut marking = rem("paper", &[("ecn", "true")]);
        let capable = PACKET.with_ecn(Ecn::Ect0);
        for rem in [&mut dropping, &mut marking] {
            rem.p = 0.4;
            assert_eq!(Rig::waiting(5).arrive_drawing(rem, at(0.0), &PACKET, 0.4), Verdict::Drop(Reason::EARLY));
            assert_eq!(Rig::waiting(5).arrive_drawing(rem, at(0.0), &capable, 0.401), Verdict::Pass);
        }
        assert_eq!(Rig::waiting(5).arrive_drawing(&mut marking, at(0.0), &capable, 0.4), Verdict::Mark(Reason::EARLY));
        assert_eq!(Rig::waiting(5).arrive_drawing(&mut dropping, at(0.0), &capable, 0.4), Verdict::Drop(Reason::EARLY));
    }

    #[test]
    fn ns2_marks_where_packets_leave_and_drops_none_early() {
        let mut rem = rem("ns2", &[("ecn", "true")]);
        rem.p = 0.4;
        let mut rig = Rig::waiting(1);
        assert_eq!(rig.arrive_drawing(&mut rem, at(0.0), &PACKET, 0.0), Verdict::Pass);
        assert!(!rem.decides_on_arrival());

        let mut leave = |packet: &Packet, u: f64| {
            rig.rng.supply(u);
            let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
            let verdict = rem.on_departure(at(0.0), packet, &mut view, &mut rig.rng);
            rig.rng.clear_supplied();
            verdict
        };
        let capable = PACKET.with_ecn(Ecn::Ect0);
        assert_eq!(leave(&capable, 0.4), Verdict::Mark(Reason::EARLY));
        assert_eq!(leave(&capable, 0.401), Verdict::Pass);
        assert_eq!(leave(&PACKET, 0.0), Verdict::Pass);
    }

    #[test]
    fn a_full_buffer_refuses_what_was_not_chosen() {
        for (preset, room) in [("paper", 3), ("ns2", 2)] {
            let entry_args = args(&ENTRY, Some(preset), &[("limit", "3p")]);
            let mut queue = ENTRY.build(&entry_args, &LinkContext::default()).expect("a queue");
            let mut cx = Context::new(Rng::named(1, "test"));
            for seq in 0..5 {
                queue.enqueue(Instant::ZERO, Packet::datagram(FlowId(0), seq, 1000), &mut cx);
            }
            assert_eq!(queue.backlog().packets, room, "{preset}");
            assert!(cx.events.as_slice().iter().all(|event| event.what.reason() == Reason::OVERFLOW));
        }
    }

    #[test]
    fn periods_that_are_left_out_would_have_changed_nothing() {
        for (preset, weight) in [("paper", "1"), ("ns2", "0.2"), ("alemu2004_printed", "1")] {
            let mut rem = rem(preset, &[("gamma", "0.01"), ("rate_weight", weight)]);
            period(&mut rem, 40, 30);
            assert!(!rem.rests(), "{preset}");
            while !rem.rests() {
                period(&mut rem, 0, 0);
            }
            for nanos in [1, 1_999_999, 2_000_000, 2_000_001, 864_000_000_000] {
                let (mut one_by_one, mut at_once, until) =
                    (rem.clone(), rem.clone(), rem.due + Duration::from_nanos(nanos));

                while one_by_one.due < until {
                    period(&mut one_by_one, 0, 0);
                }
                at_once.rest_until(until);

                assert!(
                    one_by_one.is_like(&at_once) && one_by_one.p.to_bits() == at_once.p.to_bits(),
                    "{preset} {nanos}"
                );
            }
            let mut rig = Rig::waiting(0);
            rig.arrive(&mut rem, at(0.0));
            assert!(!rem.rests(), "a packet has come");
        }
    }

    #[test]
    fn the_price_changes_every_interval() {
        let mut rem = rem("ns2", STEEP);

        assert_eq!(rem.next_deadline(), Some(at(0.002)));
        period(&mut rem, 9, 9);
        assert_eq!(rem.next_deadline(), Some(at(0.004)));
        assert_eq!(rem.came, 0);
    }
}
