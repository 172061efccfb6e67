//! RED-Boston: RED-Worcester that also drops packets that ask for little delay less reluctantly, and in exchange sends packets
//! in the order of arrival time plus the delay asked for. Specification: Phirke, "Traffic Sensitive Active Queue Management for Improved
//! Quality of Service", MSc thesis, WPI, 2002, chapter 4 [Phi02]. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Eq. 4.1 changes the base probability, and spacing follows as in RED | the source does not say which comes first | `urgent_packets_are_dropped_more_where_the_queue_is_longer_than_they_like` |
//! | A full buffer loses the arriving packet | the source is silent | `a_full_buffer_loses_the_arriving_packet` |
//! | Above max_th eq. 4.1 does not apply; `above` = strict is the pseudo-code | the cap of 0.5 would let a long queue grow | `above_max_th_hints_do_not_help` |

use crate::aqm::red_worcester::{Hinted, PAPER, PROBES, hinted_params};
use crate::packet::Packet;
use crate::params::{Args, Fraction, Params as _};
use crate::queue::registry::{Build, BuildError, Preset, QueueEntry};
use crate::queue::sorted::Sorted;
use crate::queue::{Backlog, Context, Limit, LinkContext, QueueDiscipline, Reason, Verdict};
use crate::units::{Duration, Instant};

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "red_boston",
    title: "RED-Boston",
    doc: "RED-Worcester that sends packets in the order of arrival plus delay asked for, and drops the urgent ones more.",
    reference: "Phirke 2002",
    params: Params::SPECS,
    presets: &[
        Preset {
            name: "paper",
            doc: "Phirke 2002 section 4: strict RED above max_th; set limit 120p, min_th 20p and max_th 80p for its experiments.",
            settings: &[
                ("limit", "120p"),
                ("min_th", "20p"),
                ("max_th", "80p"),
                ("above", "strict"),
                ("count", "wait"),
                ("idle_decay", "ns2"),
                ("spare_short", "true"),
                ("spare_first", "true"),
            ],
        },
        Preset { name: "gentle", doc: "As paper, with the gentle part above max_th.", settings: PAPER },
    ],
    reorders: true,
    build: Build::Discipline(build),
};

hinted_params! {
    /// Parameters of RED-Boston.
    pub struct Params {
        /// Greatest probability that a hint can raise p_b to.
        hint_cap: Fraction = "0.5" in [0.0, 1.0], "[Phi02] eq. 4.1";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let sorted = Sorted::new(params.red().limit(link));
    Ok(Box::new(RedBoston { hinted: params.hinted(link)?, hint_cap: params.hint_cap.0, sorted }))
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct RedBoston {
    hinted: Hinted,
    hint_cap: f64,
    sorted: Sorted,
}

/// `p' = min(cap, p delay / hint)` ([Phi02] eq. 4.1).
fn hinted_probability(p: f64, delay: Duration, hint: Duration, cap: f64) -> f64 {
    // A hint is at least a nanosecond, so that nothing is divided by zero.
    (p * delay.as_secs_f64() / hint.as_secs_f64().max(1e-9)).min(cap)
}

impl RedBoston {
    /// RED's base probability, changed by the packet's hint between the thresholds.
    fn p_b(&self, hint: Duration) -> f64 {
        let red = &self.hinted.red;
        let average = red.average.value();
        if average >= red.curve.max_th {
            return red.p_b();
        }
        hinted_probability(red.p_b(), self.hinted.wish.delay(average), hint, self.hint_cap)
    }
}

impl QueueDiscipline for RedBoston {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        let backlog = self.sorted.backlog();
        self.hinted.red.observe(now, backlog);
        self.hinted.hear(&packet);
        let hint = self.hinted.hint(&packet);
        let p_b = self.p_b(hint);
        let verdict = self.hinted.red.decide_at(p_b, &packet, backlog, &mut cx.rng);
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

    fn probes(&self) -> &'static [&'static str] {
        PROBES
    }

    fn probe(&self, index: usize) -> f64 {
        self.hinted.probe(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::bench::{PACKET, args, at};
    use crate::packet::{DelayHint, FlowId};
    use crate::queue::{Event, What};
    use crate::rng::Rng;
    use crate::units::Rate;

    fn boston(settings: &[(&str, &str)]) -> RedBoston {
        // The thesis' link: a packet takes 1.6 ms.
        let link = LinkContext { rate: Rate::from_bps(5_000_000), ..LinkContext::default() };
        let params = args(&ENTRY, Some("paper"), settings).typed::<Params>();
        RedBoston {
            hinted: params.hinted(&link).expect("valid parameters"),
            hint_cap: params.hint_cap.0,
            sorted: Sorted::new(params.red().limit(&link)),
        }
    }

    fn packet(flow: u32, hint_millis: u64) -> Packet {
        Packet {
            delay_hint: Some(DelayHint::new(Duration::from_millis(hint_millis))),
            ..Packet::datagram(FlowId(flow), 0, 1000)
        }
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

        assert!((boston.p_b(Duration::from_millis(80)) - 0.05).abs() < 1e-9);
        assert!((boston.p_b(Duration::from_millis(40)) - 0.1).abs() < 1e-9);
        assert!((boston.p_b(Duration::from_millis(160)) - 0.025).abs() < 1e-9);
        assert!((boston.p_b(Duration::from_millis(1)) - 0.5).abs() < 1e-9, "the cap");
    }

    #[test]
    fn above_max_th_hints_do_not_help() {
        let mut boston = boston(&[]);
        boston.hinted.red.average.set(80.0);

        assert!((boston.p_b(Duration::from_secs(10)) - 1.0).abs() < 1e-12);
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
