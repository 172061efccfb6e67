//! RED-Boston: RED-Worcester that is also readier to drop packets that ask for little delay, and in exchange sends packets
//! in the order of arrival time plus the delay asked for. Specification: Phirke, "Traffic Sensitive Active Queue Management for Improved
//! Quality of Service", MSc thesis, WPI, 2002, chapter 4 [Phi02]. Compared with: a second implementation in `tests/implementations`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Eq. 4.1 changes the probability that RED's spacing has made; `hint_acts` has the other readings: the pseudo-code has no spacing, and before it a small class would lose packets because of other classes' counts | the source says neither; so its claims hold best (papers/phirke2002) | `urgent_packets_of_a_few_are_not_dropped_for_what_others_have_counted` |
//! | The result of the spacing is limited to 1 before eq. 4.1 changes it | p_b / (1 - count p_b) may exceed 1 just before the drop is certain | `eq_4_1_changes_a_probability` |
//! | Below min_th a packet enters the queue; figure 4.2 inserts one only between the thresholds | by its letter nothing would enter a short queue | `packets_leave_by_arrival_plus_hint` |
//! | The order is by arrival plus hint; figure 4.2 writes `pkt.delay` for the hint | the prose has the hint | `packets_leave_by_arrival_plus_hint` |
//! | A full buffer loses the arriving packet | the source is silent | `a_full_buffer_loses_the_arriving_packet` |
//! | Above max_th eq. 4.1 does not apply; `above` = strict is the pseudo-code | the cap of 0.5 would let a long queue grow | `above_max_th_hints_do_not_help` |

use crate::aqm::red_worcester::{self, Hinted, PAPER};
use crate::discipline::sorted::Sorted;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "red_boston",
    title: "RED-Boston",
    doc: "RED-Worcester that lets urgent packets overtake. Packets are sent in the order of arrival plus the delay that they ask \
          for, and the urgent ones are dropped more in return.",
    reference: "Phirke 2002",
    presets: presets! {
        /// Phirke 2002 section 4: strict RED above max_th; set limit 120p, min_th 20p and max_th 80p for its experiments.
        paper = { ..PAPER, above = "strict" };
        /// As paper, with the gentle part above max_th.
        gentle = { ..PAPER };
    },
    reorders: true,
    law: Some(draw_law),
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        ..red_worcester: red_worcester::Params {
            count = "on", "[Flo93] section 7; ns-2 2.35 wait_ for wait", when hint_acts not in ["alone"];
        };
        /// Greatest probability that a hint can raise another to.
        hint_cap: Fraction = "0.5" in [0.0, 1.0], "[Phi02] eq. 4.1";
        /// The probability that equation 4.1 changes.
        hint_acts: HintActs = "after_spacing", "[Phi02] section 4.2.1, our reading";
    }
}

choices! {
    /// Which probability a hint changes.
    pub enum HintActs {
        /// The base probability, and the packet is dropped with the result.
        Alone = "alone",
        /// The base probability. RED's spacing then makes the probability of the packet from it.
        BeforeSpacing = "before_spacing",
        /// The probability of the packet, after RED's spacing.
        AfterSpacing = "after_spacing",
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let sorted = Sorted::new(params.red_worcester.red.limit(link));
    Ok(Box::new(RedBoston {
        hinted: params.red_worcester.hinted(link)?,
        hint_cap: params.hint_cap.0,
        hint_acts: params.hint_acts,
        sorted,
    }))
}

/// The base probability of packets that ask for half the default delay, for it, and for twice as much.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let params: Params = args.typed();
    let hinted = params.red_worcester.hinted(link)?;
    let red = &hinted.red;
    let middle = hinted.wish.delay(f64::midpoint(red.curve.min_th, red.curve.max_th));
    let mut graph = Graph {
        curves: Vec::new(),
        ..red.graph().about("Drawn for the max_p of the beginning. RED's spacing of drops is left out.")
    };
    for factor in [0.5, 1.0, 2.0] {
        let hint = middle.mul_f64(factor);
        let law =
            |average: f64| change(&hinted, average, hint, params.hint_cap.0).of(red.curve.p_b(average, red.max_p));
        graph = graph.curve(format!("asks for {hint}"), (0.0, 2.25 * red.curve.max_th), &red.knees(), law);
    }
    Ok(graph)
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct RedBoston {
    hinted: Hinted,
    hint_cap: f64,
    hint_acts: HintActs,
    sorted: Sorted,
}

/// The effect of a packet's hint on a probability.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// `delay / hint`, or nothing above max_th.
    factor: Option<f64>,
    cap: f64,
}

impl Change {
    /// `p' = min(cap, p delay / hint)` ([Phi02] eq. 4.1).
    fn of(self, p: f64) -> f64 {
        self.factor.map_or(p, |factor| (p * factor).min(self.cap))
    }
}

/// The effect of a hint at this average.
fn change(hinted: &Hinted, average: f64, hint: Duration, cap: f64) -> Change {
    let delay = hinted.wish.delay(average).as_secs_f64();
    // A hint is at least a nanosecond, so that nothing is divided by zero.
    let factor = (average < hinted.red.curve.max_th).then(|| delay / hint.as_secs_f64().max(1e-9));
    Change { factor, cap }
}

impl RedBoston {
    fn decide(&mut self, packet: &Packet, hint: Duration, backlog: Backlog, rng: &mut Rng) -> Verdict {
        let change = change(&self.hinted, self.hinted.red.average.value(), hint, self.hint_cap);
        let red = &mut self.hinted.red;
        let p_b = red.p_b();
        let p = change.of(p_b);
        match self.hint_acts {
            HintActs::Alone => red.decide_by(p, packet, backlog, rng, |_| p),
            HintActs::BeforeSpacing => red.decide_at(p, packet, backlog, rng),
            HintActs::AfterSpacing => {
                red.decide_by(p, packet, backlog, rng, |spacing| change.of(spacing.p_a(p_b, packet.size)))
            }
        }
    }
}

impl QueueDiscipline for RedBoston {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        let backlog = self.sorted.backlog();
        self.hinted.red.observe(now, backlog);
        self.hinted.hear(&packet);
        let hint = self.hinted.hint(&packet);
        let verdict = self.decide(&packet, hint, backlog, &mut cx.rng);
        if let Verdict::Drop(reason) = verdict {
            cx.events.drop(now, packet, reason);
        } else if !self.sorted.admits(&packet) {
            self.hinted.red.overflow();
            cx.events.drop(now, packet, Reason::OVERFLOW);
        } else {
            if let Verdict::Mark(reason) = verdict
                && !cx.events.mark_or_drop(now, &mut packet, reason)
            {
                return;
            }
            // Arrival time is the ageing term that prevents starvation ([Phi02] eq. 4.2).
            self.sorted.push(now, now + hint, packet);
        }
    }

    fn dequeue(&mut self, now: Instant, _cx: &mut Context) -> Option<Packet> {
        let packet = self.sorted.pop();
        if packet.is_none() {
            self.hinted.red.link_idle(now);
        }
        packet
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.hinted.due())
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut Context) {
        self.hinted.adapt(now);
    }

    fn backlog(&self) -> Backlog {
        self.sorted.backlog()
    }

    fn limit(&self) -> Limit {
        self.sorted.limit()
    }

    probes! { |self|
        "avg" => self.hinted.red.average.value(),
        "max_p" => self.hinted.red.max_p,
        "p_b" => self.hinted.red.last_p_b(),
        "moving_target" => self.hinted.moving_target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::DelayHint;
    use crate::packet::FlowId;
    use crate::queue::{Event, What};
    use crate::rig::{PACKET, args, at};
    use crate::units::Rate;

    fn boston(settings: &[(&str, &str)]) -> RedBoston {
        // The thesis' link: a packet takes 1.6 ms.
        let link = LinkContext { rate: Rate::from_bps(5_000_000), ..LinkContext::default() };
        let params = args(&ENTRY, Some("paper"), settings).typed::<Params>();
        RedBoston {
            hinted: params.red_worcester.hinted(&link).expect("valid parameters"),
            hint_cap: params.hint_cap.0,
            hint_acts: params.hint_acts,
            sorted: Sorted::new(params.red_worcester.red.limit(&link)),
        }
    }

    fn packet(flow: u32, hint_millis: u64) -> Packet {
        Packet {
            delay_hint: Some(DelayHint::new(Duration::from_millis(hint_millis))),
            ..Packet::datagram(FlowId(flow), 0, 1000)
        }
    }

    fn change_of(boston: &RedBoston, hint: Duration) -> Change {
        change(&boston.hinted, boston.hinted.red.average.value(), hint, boston.hint_cap)
    }

    #[test]
    fn packets_leave_by_arrival_plus_hint() {
        let mut boston = boston(&[]);
        let mut cx = Context::new(Rng::named(1, "test"));
        // Weights 80, 32 + 10, 32 + 60 and, without a hint, 80 + 0.5 ms.
        for (millis, packet) in [
            (0.0, packet(0, 80)),
            (0.5, Packet { flow: FlowId(3), ..PACKET }),
            (10.0, packet(1, 32)),
            (60.0, packet(2, 32)),
        ] {
            boston.enqueue(at(millis / 1e3), packet, &mut cx);
        }

        let order: Vec<u32> = std::iter::from_fn(|| boston.dequeue(at(0.1), &mut cx)).map(|p| p.flow.0).collect();

        assert_eq!(order, [1, 0, 3, 2]);
    }

    #[test]
    fn urgent_packets_are_dropped_more_where_the_queue_is_longer_than_they_like() {
        // max_p 0.1, average 50: p_b = 0.05, delay 80 ms.
        let mut boston = boston(&[]);
        boston.hinted.red.average.set(50.0);
        let p = |millis| change_of(&boston, Duration::from_millis(millis)).of(boston.hinted.red.p_b());

        assert!((p(80) - 0.05).abs() < 1e-9);
        assert!((p(40) - 0.1).abs() < 1e-9);
        assert!((p(160) - 0.025).abs() < 1e-9);
        assert!((p(1) - 0.5).abs() < 1e-9, "the cap");
    }

    #[test]
    fn above_max_th_hints_do_not_help() {
        let mut boston = boston(&[]);
        boston.hinted.red.average.set(80.0);

        assert!((change_of(&boston, Duration::from_secs(10)).of(boston.hinted.red.p_b()) - 1.0).abs() < 1e-12);
    }

    /// Share of the urgent packets that are dropped at an average of 50 with max_p 0.1 (p_b 0.05, of 40 ms 0.1), if one packet in
    /// 100 is urgent and the others accept 80 ms.
    fn share_of_urgent_dropped(hint_acts: &str) -> f64 {
        let mut boston = boston(&[("hint_acts", hint_acts)]);
        let mut rng = Rng::named(1, "test");
        boston.hinted.red.average.set(50.0);
        let backlog = Backlog { packets: 50, bytes: 50_000 };
        let (mut urgent, mut dropped) = (0, 0);
        for i in 0..200_000 {
            let hint = Duration::from_millis(if i % 100 == 0 { 40 } else { 80 });
            let verdict = boston.decide(&PACKET, hint, backlog, &mut rng);
            if i % 100 == 0 {
                urgent += 1;
                dropped += i32::from(verdict != Verdict::Pass);
            }
        }
        f64::from(dropped) / f64::from(urgent)
    }

    #[test]
    fn urgent_packets_of_a_few_are_not_dropped_for_what_others_have_counted() {
        // Three standard deviations of a share of 2000 urgent packets are 0.033 at most.
        let is_near = |acts, share: f64| (share_of_urgent_dropped(acts) - share).abs() < 0.033;
        assert!(is_near("alone", 0.1));
        // Drops of the others: none up to count 20, then one in 40 - c, so that the count c is met with a weight of 1 up to 20 and
        // (40 - c) / 20 from there on, 30 in all. An urgent packet's probability is 1 / (20 - c) from 10 on and 1 from
        // 20 on: (H_10 + 10.5) / 30.
        assert!(is_near("before_spacing", 0.448));
        // Twice 1 / (40 - c) from 20 on, at most 0.5: (16 * 0.1 + 0.15) / 30.
        assert!(is_near("after_spacing", 0.058));
    }

    #[test]
    fn eq_4_1_changes_a_probability() {
        // p_b = 0.06 at an average of 56. With a count of 16 the spacing makes 0.06 / 0.04, which is 1 and not 1.5; a hint four times
        // as long as the delay leaves a quarter of it.
        for (drawn, is_dropped) in [(0.26, false), (0.24, true)] {
            let mut boston = boston(&[("count", "on"), ("spare_first", "false"), ("spare_short", "false")]);
            boston.hinted.red.average.set(56.0);
            let hint = boston.hinted.wish.delay(56.0).mul_f64(4.0);
            let backlog = Backlog { packets: 50, bytes: 50_000 };
            let mut rng = Rng::named(1, "test");
            let mut decide = |supplied| {
                rng.supply(supplied);
                boston.decide(&PACKET, hint, backlog, &mut rng) != Verdict::Pass
            };
            assert!(!(0..16).any(|_| decide(0.999)));
            assert_eq!(decide(drawn), is_dropped, "{drawn}");
        }
    }

    #[test]
    fn a_full_buffer_loses_the_arriving_packet() {
        let mut boston = boston(&[("limit", "2p")]);
        let mut cx = Context::new(Rng::named(1, "test"));
        for (flow, hint) in [(0, 80), (1, 80), (2, 1)] {
            boston.enqueue(at(0.0), packet(flow, hint), &mut cx);
        }

        let events: Vec<Event> = cx.events.drain().collect();
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].packet.flow, events[0].what), (FlowId(2), What::Drop(Reason::OVERFLOW)));
    }
}
