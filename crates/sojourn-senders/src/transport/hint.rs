//! Delay hints: the application writes into each packet how long it may wait (RED-Worcester and RED-Boston use this). Specification:
//! [Phi02] Phirke, "Traffic sensitive active queue management for improved quality of service", 2002, sections 3.1 and 4.1.
//!
//! A hint goes with a flow, over any transport and whatever drives it: the flow's ends are wrapped, and those without
//! a hint cost nothing.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A hint that adapts moves by one step per period, up while the receiver gets less than the rate, down while it gets more by the headroom | [Phi02] draws the regions of a stationary flow (figure 4.1), not the way between them | `the_hint_rises_while_the_rate_is_not_reached_and_falls_again` |
//! | The sender knows the receiver's throughput at once | [Phi02] does not say how it learns of it; transports without acknowledgements would not | - |

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Counters, Endpoint, FlowContext, Known, Repairs, Turn, WindowState};
use crate::header::DelayHint;
use crate::packet::Packet;
use crate::params::Fraction;
use crate::units::{Duration, Instant, Rate};

/// The delay hint of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HintPlan {
    /// The hint; the least one if it adapts.
    pub delay: Duration,
    /// Whether the receiving end's packets carry it as well.
    pub acks: bool,
    /// How it adapts, if it does.
    pub adapt: Option<AdaptPlan>,
}

/// How a hint adapts to the throughput.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptPlan {
    /// The need of the application, in payload.
    pub rate: Rate,
    /// The step of the hint.
    pub step: Duration,
    /// The greatest hint.
    pub most: Duration,
    /// How long the throughput is measured for.
    pub every: Duration,
    /// The share by which the throughput exceeds the rate before the hint falls.
    pub headroom: Fraction,
}

/// The two ends of a flow with its hint in their packets; as they are without one.
pub fn endpoints(
    plan: Option<&HintPlan>,
    (sender, receiver): (Box<dyn Endpoint>, Box<dyn Endpoint>),
) -> (Box<dyn Endpoint>, Box<dyn Endpoint>) {
    let Some(&plan) = plan else { return (sender, receiver) };
    let shared = Arc::new(Shared { delivered: AtomicU64::new(0), hint: AtomicU64::new(plan.delay.as_nanos()) });
    let adapting = plan.adapt.map(|adapt| Adapting { adapt, least: plan.delay, measured: None });
    let sender = Hinted { inner: sender, marks: true, reports: false, adapting, shared: Arc::clone(&shared) };
    if !plan.acks && plan.adapt.is_none() {
        return (Box::new(sender), receiver);
    }
    let receiver = Hinted { inner: receiver, marks: plan.acks, reports: plan.adapt.is_some(), adapting: None, shared };
    (Box::new(sender), Box::new(receiver))
}

/// The state that both ends share. Only one of them runs at a time.
#[derive(Debug)]
struct Shared {
    /// Payload bytes that the receiver has delivered.
    delivered: AtomicU64,
    /// The hint in nanoseconds.
    hint: AtomicU64,
}

/// The sending side's part of adaptation.
#[derive(Debug)]
struct Adapting {
    adapt: AdaptPlan,
    least: Duration,
    /// The beginning of the period, and the data delivered by then.
    measured: Option<(Instant, u64)>,
}

impl Adapting {
    /// The hint from now on.
    fn next(&mut self, now: Instant, delivered: u64, hint: Duration) -> Duration {
        let (began, before) = *self.measured.get_or_insert((now, delivered));
        let elapsed = now.since(began);
        if elapsed < self.adapt.every {
            return hint;
        }
        self.measured = Some((now, delivered));
        let throughput = (delivered - before) as f64 * 8.0 / elapsed.as_secs_f64();
        let needed = self.adapt.rate.as_bps() as f64;
        if throughput < needed {
            (hint + self.adapt.step).min(self.adapt.most)
        } else if throughput >= needed * (1.0 + self.adapt.headroom.0) {
            let lower = hint.as_nanos().saturating_sub(self.adapt.step.as_nanos());
            Duration::from_nanos(lower).max(self.least)
        } else {
            hint
        }
    }
}

/// An end of a flow.
struct Hinted {
    inner: Box<dyn Endpoint>,
    /// Its packets carry the hint.
    marks: bool,
    /// Whether it reports the data that it has delivered.
    reports: bool,
    adapting: Option<Adapting>,
    shared: Arc<Shared>,
}

impl Hinted {
    /// Calls the end and labels its packets.
    fn call(&mut self, now: Instant, cx: &mut FlowContext, call: impl FnOnce(&mut dyn Endpoint, &mut FlowContext)) {
        let first = cx.out.len();
        call(self.inner.as_mut(), cx);
        if self.reports {
            self.shared.delivered.store(self.inner.counters().bytes_delivered, Relaxed);
        }
        if !self.marks || cx.out.len() == first {
            return;
        }
        let mut hint = Duration::from_nanos(self.shared.hint.load(Relaxed));
        if let Some(adapting) = &mut self.adapting {
            hint = adapting.next(now, self.shared.delivered.load(Relaxed), hint);
            self.shared.hint.store(hint.as_nanos(), Relaxed);
        }
        cx.out.change_from(first, |packet| packet.delay_hint = Some(DelayHint::new(hint)));
    }
}

impl Endpoint for Hinted {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        self.call(now, cx, |inner, cx| inner.start(now, cx));
    }

    fn stop(&mut self, now: Instant, cx: &mut FlowContext) {
        self.call(now, cx, |inner, cx| inner.stop(now, cx));
    }

    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        self.call(now, cx, |inner, cx| inner.on_packet(now, packet, cx));
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.inner.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        self.call(now, cx, |inner, cx| inner.on_deadline(now, cx));
    }

    fn turn(&self) -> Turn {
        self.inner.turn()
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }

    fn repairs(&self) -> Option<Repairs> {
        self.inner.repairs()
    }

    fn standstill(&self, now: Instant) -> Duration {
        self.inner.standstill(now)
    }

    fn window(&self) -> Option<WindowState> {
        self.inner.window()
    }

    fn foretell(&mut self, known: Known) {
        self.inner.foretell(known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Args;
    use crate::registry::app;
    use crate::registry::transport;
    use crate::rng::Rng;
    use crate::transport::ContextOwner;
    use crate::transport::spec::TransportSpec;

    fn millis(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn constant(acks: bool) -> HintPlan {
        HintPlan { delay: millis(80), acks, adapt: None }
    }

    /// Both ends of a flow of `kind` driven by `source`, with a hint.
    fn flow(kind: &str, source: &str, plan: &HintPlan) -> (Box<dyn Endpoint>, Box<dyn Endpoint>) {
        let entry = transport(kind).expect("a transport");
        let app = app(source).expect("an application");
        let spec = TransportSpec::new(entry, entry.args(None).expect("defaults"), None).expect("a transport");
        endpoints(Some(plan), spec.endpoints((app.build)(&Args::defaults(app.params))))
    }

    fn context() -> ContextOwner {
        ContextOwner::new(Rng::named(1, "test"))
    }

    #[test]
    fn every_packet_of_any_source_over_any_transport_carries_the_hint() {
        for (kind, source) in [("tcp", "bulk"), ("udp", "cbr"), ("udp", "voice"), ("fec", "cbr"), ("tcp", "cbr")] {
            let (mut sender, _) = flow(kind, source, &constant(false));
            let mut cx = context();
            sender.start(Instant::ZERO, &mut cx.lend());
            while let Some(next) = sender.next_deadline().filter(|next| next.as_secs_f64() < 2.0) {
                sender.on_deadline(next, &mut cx.lend());
            }
            assert!(!cx.out.is_empty(), "{kind} {source}");
            for packet in cx.out.drain(..) {
                assert_eq!(packet.delay_hint.map(DelayHint::as_duration), Some(millis(80)), "{kind} {source}");
            }
        }
    }

    #[test]
    fn acknowledgements_carry_it_if_asked() {
        for (acks, expected) in [(false, None), (true, Some(millis(80)))] {
            let (mut sender, mut receiver) = flow("tcp", "bulk", &constant(acks));
            let (mut cx, mut back) = (context(), context());
            sender.start(Instant::ZERO, &mut cx.lend());
            let first = cx.out.drain(..).next().expect("a SYN");
            receiver.on_packet(Instant::ZERO + millis(50), &first, &mut back.lend());
            assert_eq!(back.out.drain(..).next().expect("an answer").delay_hint.map(DelayHint::as_duration), expected);
        }
    }

    #[test]
    fn the_hint_rises_while_the_rate_is_not_reached_and_falls_again() {
        // [Phi02] §4.1: 384 kbit/s, hints of 20, 40, 60 and 80 ms.
        let adapt = AdaptPlan {
            rate: Rate::from_bps(384_000),
            step: millis(20),
            most: millis(80),
            every: millis(1000),
            headroom: Fraction(0.1),
        };
        let mut adapting = Adapting { adapt, least: millis(20), measured: None };
        let (mut hint, mut delivered) = (millis(20), 0);
        let mut hints = Vec::new();
        // kbit/s in each second: region A, then ever more congestion, then less, then just enough.
        for (second, rate) in (1..).zip([400_u64, 300, 300, 300, 300, 500, 500, 390, 500, 500]) {
            if second == 1 {
                adapting.next(Instant::ZERO, 0, hint);
            }
            delivered += rate * 1000 / 8;
            hint = adapting.next(Instant::ZERO + Duration::from_secs(second), delivered, hint);
            hints.push(hint.as_nanos() / 1_000_000);
        }
        assert_eq!(hints, [20, 40, 60, 80, 80, 60, 40, 40, 20, 20]);
    }

    #[test]
    fn between_two_measurements_the_hint_stays() {
        let adapt = AdaptPlan {
            rate: Rate::from_bps(1_000_000),
            step: millis(20),
            most: millis(80),
            every: millis(1000),
            headroom: Fraction(0.1),
        };
        let mut adapting = Adapting { adapt, least: millis(20), measured: None };
        for n in 0..10 {
            assert_eq!(adapting.next(Instant::ZERO + millis(100 * n), 0, millis(20)), millis(20));
        }
        assert_eq!(adapting.next(Instant::ZERO + millis(1000), 0, millis(20)), millis(40));
    }
}
