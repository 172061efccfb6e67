//! Flow RED: RED that counts the waiting packets of each flow, spares flows with few packets, and limits flows that ignore drops to their
//! share. Specification: [Lin97] Lin and Morris, "Dynamics of Random Early Detection", SIGCOMM 1997; [Ale04] Alemu, "Performance
//! Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier II, 2004, section 1.3.1. Compared
//! with: no module in ns-2 2.35; J-Sim's `FRED` (behaviour), which follows all parts of the pseudo-code at once (`many_flows = "both"`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | With many flows the limit of two packets replaces the other rules above `max_th` (`many_flows`) | so we read [Lin97] on many flows, with whose drop-tail rule no second packet would ever be admitted there; J-Sim has both | `with_many_flows_two_packets_of_each_are_admitted_above_max_th` |
//! | A flow may always hold one packet: `max_q` is at least that | at a `min_th` of 0 nothing would ever be admitted | `a_flow_may_hold_a_packet_at_a_min_th_of_nothing` |
//! | Above `max_th` everything is dropped only where `above` is strict; gentle, the probability goes on rising | [Lin97] is older than gentle RED; `paper` is strict | `gentle_goes_on_above_max_th` |
//! | The queue is without the packet in transmission, and it is idle, for the average, while that is missing | as RED | those of `red` |

use sojourn_queues::aqm::red::{Above, Red, Settings};
use sojourn_queues::mechanism::flow_accounts::{Account, FlowAccounts};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "fred",
    title: "FRED (flow RED)",
    doc: "RED with an account of each flow that waits. Flows with few packets are spared, and flows that ignore drops are held \
          to the average flow's share.",
    reference: "Lin and Morris 1997",
    presets: presets! {
        /// Lin and Morris 1997: thresholds at a quarter and a half of the buffer, here of 64 packets, w_q 0.002, max_p 0.02.
        paper = { ..PAPER };
        /// As `paper`, with two packets of each flow above max_th, for more flows than packets in the buffer.
        many_flows = { ..PAPER, many_flows = "on" };
        /// Alemu 2004 section 1.3.1: random drops of flows above min_q at any share; the share may be below one packet.
        alemu2004 = { above = "strict", count = "on", idle_decay = "paper", many_flows = "off", robust = "min_q", share_min = "0p" };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.red.graph())),
    probes: &[Probe::new("avgcq", "packets", Probe::UP, "mean backlog of a flow: a flow's share")],
    ..QueueEntry::of_policy::<Params>()
};

/// The algorithm of 1997.
const PAPER: &[Setting] = settings! {
    limit = "64p", min_th = "16p", max_th = "32p", w_q = "0.002", max_p = "0.02", above = "strict", count = "on", idle_decay = "paper",
    many_flows = "off",
};

params! {
    pub struct Params {
        ..red: Settings {
            max_p = "0.02", "[Lin97]";
            above = "gentle", "Floyd 2000", when many_flows not in ["on"];
        };
        /// A flow with fewer waiting packets than this has no random drops.
        min_q: Size = "2p" in [0.0, 1e12], "[Lin97]: 2 for small buffers, 4 for large ones";
        /// The most that may wait of a flow. Automatic: `min_th`.
        max_q: Option<Size> = "auto" in [0.0, 1e12], "[Lin97]";
        /// Least value of the average flow's share.
        share_min: Size = "1p" in [0.0, 1e12], "[Lin97]; 0 in Alemu 2004";
        /// Which flows are dropped at random: those with at least `min_q` and the average share, or those with more than `min_q`.
        robust: Robust = "share", "[Lin97]; Alemu 2004 for min_q";
        /// The rule above `max_th`: at most twice the average share and then no packet of any flow (`off`), at most two packets of each
        /// flow (`on`), or both.
        many_flows: ManyFlows = "off", "[Lin97]; J-Sim for both";
    }
}

choices! {
    /// Which flows are dropped at random between the thresholds.
    pub enum Robust {
        /// Those with at least the greater of `min_q` and the average flow's share.
        Share = "share",
        /// Those with more than `min_q`.
        MinQ = "min_q",
    }
}

choices! {
    /// The rule if the average is above the upper threshold.
    pub enum ManyFlows {
        /// No flow has more than twice the average share, and then everything is dropped.
        Off = "off",
        /// No flow has more than two packets.
        On = "on",
        /// Both.
        Both = "both",
    }
}

/// Amounts of queue in the mode's unit.
#[derive(Clone, Copy, Debug)]
struct Amounts {
    min_q: f64,
    max_q: f64,
    two_packets: f64,
    share_min: f64,
}

#[derive(Clone, Debug)]
pub struct Fred {
    red: Red,
    amounts: Amounts,
    robust: Robust,
    many_flows: ManyFlows,
    /// The backlog of each flow, and the number of times that it failed to respond (strike).
    flows: FlowAccounts<u64>,
    /// The backlog of an average flow (avgcq).
    share: f64,
}

impl PolicyParams for Params {
    type Policy = Fred;

    fn policy(&self, link: &LinkContext) -> Result<Fred, BuildError> {
        let settings = &self.red;
        let red = settings.build(link)?;
        let packet = settings.amount(Size::Packets(1.0), link);
        let max_q = self.max_q.map_or(red.curve.min_th, |size| settings.amount(size, link));
        let amounts = Amounts {
            min_q: settings.amount(self.min_q, link),
            max_q: max_q.max(packet),
            two_packets: 2.0 * packet,
            share_min: settings.amount(self.share_min, link),
        };
        let share = amounts.share_min;
        let flows = FlowAccounts::default();
        Ok(Fred { red, amounts, robust: self.robust, many_flows: self.many_flows, flows, share })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Fred {
    /// Moves the average, and with it the share of a flow: `avgcq = max(avg / Nactive, 1)` ([Lin97]).
    fn average(&mut self, now: Instant, backlog: Backlog) {
        self.red.observe(now, backlog);
        let flows = self.flows.len().max(1) as f64;
        self.share = (self.red.average.value() / flows).max(self.amounts.share_min);
    }

    fn is_full(&self) -> bool {
        self.red.average.value() >= self.red.curve.max_th
    }

    /// Whether the flow takes more than it may: one that does not adapt ([Lin97], "identify and manage non-adaptive flows").
    fn takes_too_much(&self, flow: &Account<u64>) -> bool {
        let (waiting, full) = (self.red.measure(flow.backlog), self.is_full());
        let max_q =
            if full && self.many_flows != ManyFlows::Off { self.amounts.two_packets } else { self.amounts.max_q };
        let double = full && self.many_flows != ManyFlows::On && waiting > 2.0 * self.share;
        waiting >= max_q || double || (waiting >= self.share && flow.state > 1)
    }

    /// Whether the flow has enough waiting to be dropped at random.
    fn is_robust(&self, flow: &Account<u64>) -> bool {
        let waiting = self.red.measure(flow.backlog);
        match self.robust {
            Robust::Share => waiting >= self.amounts.min_q.max(self.share),
            Robust::MinQ => waiting > self.amounts.min_q,
        }
    }
}

impl Policy for Fred {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        if backlog.packets == 0 {
            // [Lin97]: packets that are dropped do not move the average, unless the queue is empty.
            self.average(now, backlog);
        }
        let flow = self.flows.get(packet.flow);
        if self.takes_too_much(&flow) {
            self.flows.change(packet.flow, |strike| *strike += 1);
            return Verdict::Drop(Reason::UNFAIR);
        }
        if self.is_full() && self.many_flows == ManyFlows::On {
            return Verdict::Pass;
        }
        if self.is_full() && self.red.curve.above == Above::Strict {
            self.red.overflow();
            return Verdict::Drop(Reason::FORCED);
        }
        if self.is_robust(&flow) {
            self.red.decide(packet, backlog, rng)
        } else {
            self.red.pass_untested(packet, backlog)
        }
    }

    fn on_enqueued(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        self.flows.joined(packet);
        let with_it = queue.backlog();
        if with_it.packets > 1 {
            // The queue that the packet found.
            let bytes = with_it.bytes - u64::from(packet.size);
            self.average(now, Backlog { packets: with_it.packets - 1, bytes });
        }
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.average(now, queue.backlog());
        self.flows.left(packet);
        Verdict::Pass
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.red.overflow();
        }
        if dropped.from_queue() {
            self.flows.left(packet);
        }
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "p_b" => self.red.last_p_b(),
        "avgcq" => self.share,
        "active_flows" => self.flows.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::{Ecn, FlowId};
    use sojourn_queues::queue::{Context, Managed, What};
    use sojourn_queues::rig::{args, at};

    /// FRED over a queue, thresholds 8 and 16, min_q 2, max_q 8; the average is the queue that the last packet found.
    struct Gateway {
        queue: Managed<Fred>,
        cx: Context,
        sent: u64,
    }

    fn of(flow: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, 1000)
    }

    impl Gateway {
        fn new(settings: &[(&str, &str)]) -> Self {
            let args = sojourn_queues::rig::set(
                args(&ENTRY, Some("paper"), &[("min_th", "8p"), ("max_th", "16p"), ("w_q", "1"), ("max_p", "0")]),
                settings,
            );
            let (params, link) = (args.typed::<Params>(), LinkContext::default());
            let queue = Managed::new(params.policy(&link).expect("valid parameters"), params.limit(&link));
            Gateway { queue, cx: Context::new(Rng::named(1, "fred")), sent: 0 }
        }

        /// The reasons for the drops among `packets` packets of the flow. Empty if none was dropped.
        fn arrive(&mut self, flow: u32, packets: usize) -> Vec<Reason> {
            self.cx.events.clear();
            for _ in 0..packets {
                self.queue.enqueue(at(0.0), of(flow), &mut self.cx);
            }
            self.cx.events.as_slice().iter().map(|event| event.what.reason()).collect()
        }

        fn depart(&mut self, packets: usize) {
            for _ in 0..packets {
                assert!(self.queue.dequeue(at(0.0), &mut self.cx).is_some(), "something waits");
                self.sent += 1;
            }
        }

        fn flow(&self, flow: u32) -> Account<u64> {
            self.queue.policy().flows.get(FlowId(flow))
        }
    }

    #[test]
    fn a_flow_never_has_more_than_max_q() {
        let mut gateway = Gateway::new(&[]);

        assert_eq!(gateway.arrive(1, 8), []);
        assert_eq!(gateway.arrive(1, 1), [Reason::UNFAIR]);
        assert_eq!(gateway.arrive(2, 1), []);
        assert_eq!((gateway.flow(1).state, gateway.flow(2).state), (1, 0));
    }

    #[test]
    fn a_flow_with_two_strikes_is_held_to_the_average_share() {
        let mut gateway = Gateway::new(&[("max_q", "4p")]);
        gateway.arrive(1, 4);
        gateway.arrive(2, 1);
        assert_eq!(gateway.arrive(1, 2).len(), 2, "two strikes at max_q");
        gateway.depart(2);

        // The departure left 3 waiting, of two flows: a share of 1.5, and flow 1 has 2.
        assert!((gateway.queue.policy().share - 1.5).abs() < 1e-12);
        assert_eq!(gateway.arrive(1, 1), [Reason::UNFAIR]);
        assert_eq!(gateway.arrive(3, 1), []);
        // 3 waited, of three flows: a share of 1, the least.
        gateway.depart(1);
        assert_eq!(gateway.arrive(1, 1), [Reason::UNFAIR], "one waits, and the share is 1");
    }

    #[test]
    fn strikes_go_when_nothing_waits() {
        let mut gateway = Gateway::new(&[("max_q", "2p")]);
        gateway.arrive(1, 5);
        assert_eq!(gateway.flow(1).state, 3);

        gateway.depart(2);

        assert_eq!(gateway.flow(1), Account::default());
        assert_eq!(gateway.arrive(1, 2), []);
    }

    #[test]
    fn between_the_thresholds_only_robust_flows_are_dropped_at_random() {
        let mut gateway = Gateway::new(&[("max_p", "0.5"), ("count", "off")]);
        // The least number drawn: a packet that is tested at a probability above 0 is dropped.
        let mut arrive = |flow: u32| {
            gateway.cx.rng.supply(0.0);
            gateway.arrive(flow, 1)
        };
        for flow in (0..12).chain([0, 1]) {
            assert_eq!(arrive(flow), [], "a first or second packet of flow {flow}");
        }

        // 13 waited when the last came: p_b is 5/16, and the share of 12 flows 13/12. min_q is 2.
        assert_eq!(arrive(0), [Reason::EARLY]);
        assert_eq!(arrive(1), [Reason::EARLY]);
        assert_eq!(arrive(2), []);
    }

    #[test]
    fn alemu_tests_flows_above_min_q_only() {
        let robust = |preset: &str, waiting: u64| {
            let params = args(&ENTRY, Some(preset), &[]).typed::<Params>();
            let fred = params.policy(&LinkContext::default()).expect("valid parameters");
            fred.is_robust(&Account { backlog: Backlog { packets: waiting, bytes: 1000 * waiting }, state: 0 })
        };

        assert!(!robust("paper", 1) && robust("paper", 2));
        assert!(!robust("alemu2004", 2) && robust("alemu2004", 3));
    }

    #[test]
    fn above_max_th_everything_is_dropped_and_flows_above_twice_the_share_strike() {
        let mut gateway = Gateway::new(&[("max_q", "40p")]);
        gateway.arrive(1, 17);
        // The last found 16 waiting: the average is max_th, the share of one flow 16, and flow 1 has 17.
        assert_eq!(gateway.arrive(1, 1), [Reason::FORCED]);
        assert_eq!(gateway.arrive(2, 1), [Reason::FORCED]);
        assert_eq!(gateway.flow(1).state, 0);

        let mut shared = Gateway::new(&[("max_q", "40p")]);
        shared.arrive(1, 14);
        for flow in 2..5 {
            shared.arrive(flow, 1);
        }
        // 16 of four flows: a share of 4, and flow 1 has 14.
        assert_eq!(shared.arrive(1, 1), [Reason::UNFAIR]);
        assert_eq!(shared.arrive(2, 1), [Reason::FORCED]);
        assert_eq!(shared.flow(1).state, 1);
    }

    #[test]
    fn with_many_flows_two_packets_of_each_are_admitted_above_max_th() {
        for (many_flows, second) in [("on", vec![]), ("both", vec![Reason::FORCED])] {
            let mut gateway = Gateway::new(&[("many_flows", many_flows)]);
            for flow in 0..17 {
                assert_eq!(gateway.arrive(flow, 1), []);
            }
            assert_eq!(gateway.arrive(3, 1), second, "{many_flows}");
        }
        let mut crowded = Gateway::new(&[("many_flows", "on")]);
        for flow in 0..18 {
            crowded.arrive(flow, 1);
        }
        assert_eq!(crowded.arrive(3, 2), [Reason::UNFAIR], "a second packet, but no third");
    }

    #[test]
    fn dropped_packets_leave_the_average_alone_and_departures_move_it() {
        let mut gateway = Gateway::new(&[("w_q", "0.5"), ("max_q", "3p")]);
        gateway.arrive(1, 3);
        // At 0 it stays; packets that find 1 and 2: 0.5, 1.25.
        assert!((gateway.queue.probe(0) - 1.25).abs() < 1e-12);

        assert_eq!(gateway.arrive(1, 5).len(), 5);
        assert!((gateway.queue.probe(0) - 1.25).abs() < 1e-12);

        // Departures leave 2, 1 and 0: 1.625, 1.3125, 0.65625.
        gateway.depart(3);
        assert!((gateway.queue.probe(0) - 0.656_25).abs() < 1e-12);
    }

    #[test]
    fn a_flow_may_hold_a_packet_at_a_min_th_of_nothing() {
        assert_eq!(Gateway::new(&[("min_th", "0p")]).arrive(1, 1), []);
    }

    #[test]
    fn gentle_goes_on_above_max_th() {
        let mut gateway = Gateway::new(&[("above", "gentle"), ("max_q", "40p"), ("count", "off")]);
        for flow in 0..17 {
            gateway.arrive(flow, 1);
        }
        // max_p is 0, so that p_b is 0 at max_th itself; a flow with one packet is not tested.
        assert_eq!(gateway.arrive(1, 1), []);
    }

    #[test]
    fn random_drops_become_marks_but_strikes_do_not() {
        let mut gateway = Gateway::new(&[("ecn", "true"), ("max_p", "1"), ("count", "off"), ("max_q", "16p")]);
        let capable = of(1).with_ecn(Ecn::Ect0);
        for _ in 0..17 {
            gateway.queue.enqueue(at(0.0), capable, &mut gateway.cx);
        }

        let marks = gateway.cx.events.as_slice().iter().filter(|event| matches!(event.what, What::Mark(_))).count();
        assert!(marks > 0);
        assert_eq!(gateway.arrive(1, 1), [Reason::UNFAIR]);
    }

    #[test]
    fn bytes_are_shared_like_packets() {
        let mut gateway = Gateway::new(&[("mode", "bytes")]);

        // max_q is min_th, 8 mean packets of 1000 bytes.
        assert_eq!(gateway.arrive(1, 8), []);
        assert_eq!(gateway.arrive(1, 1), [Reason::UNFAIR]);
        assert_eq!(gateway.flow(1).backlog, Backlog { packets: 8, bytes: 8000 });
    }
}
