//! DRR (deficit round robin): a queue for each of a few hashes of flows, served in turn by bytes; a full buffer drops from the longest.
//! Specification: Shreedhar and Varghese, "Efficient Fair Queueing Using Deficit Round Robin", SIGCOMM 1995 [Shr95]. Compared with: ns-2
//! 2.35 `Queue/DRR` (behaviour). [`RoundRobin`] serves [`sfq`](super::sfq) too; `flow_queue` differs from both: new flows first, and half
//! of the fattest queue dropped at once.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The first in turn of equally long queues loses a packet | [Shr95] does not say; as ns-2 | `the_longest_queue_loses_a_packet` |
//! | A queue that loses its last packet forgets its deficit and its turn; ns-2 keeps them | [Shr95]: an empty queue has no deficit | `an_empty_queue_has_no_deficit` |
//! | Flows are hashed by their number | the simulation knows no addresses | - |

use super::round_robin::{Full, Length, OfEquals, RoundRobin, Rules, Service, Settings};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "drr",
    title: "DRR (deficit round robin)",
    doc: "Fair queueing by flow in turns of bytes. Flows are hashed to queues, which are served in turn. The unused bytes of a turn are \
          added to the next one. A full buffer drops from the longest queue.",
    reference: "Shreedhar and Varghese 1995",
    decides: "It decides by turns of bytes whose packet goes next. Nothing is dropped before the buffer is full; then the \
          longest queue loses a packet.",
    presets: presets! {
        /// Shreedhar and Varghese 1995: a quantum of the largest packet, so that each turn sends one.
        paper = { quantum = "1500B", drop_from = "back" };
        /// ns-2 2.35's defaults: 25000 bytes, 10 queues, a quantum of 250 bytes, drops from the front.
        ns2 = { limit = "25000B", queues = "10", quantum = "250B", drop_from = "front" };
    },
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        ..round_robin: Settings;
    }
}

#[allow(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    Ok(Box::new(RoundRobin::new(params.round_robin.queues, params.rules(link))))
}

impl Params {
    fn rules(&self, link: &LinkContext) -> Rules {
        Rules {
            limit: Limit::from_size(self.round_robin.limit, link),
            service: Service::Deficit { quantum: self.round_robin.quantum.0 as i64 },
            full: Full::Longest { from: self.round_robin.drop_from, by: Length::Bytes, of_equals: OfEquals::FirstTurn },
            depth: u64::MAX,
            flows: u64::MAX,
            perturb: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::round_robin::rig::Rig;
    use super::*;
    use crate::rig::args;

    fn drr(preset: &str, settings: &[(&str, &str)]) -> Rig {
        let params: Params = args(&ENTRY, Some(preset), settings).typed();
        Rig::new(params.rules(&LinkContext::default()))
    }

    #[test]
    fn the_papers_example_of_deficits() {
        // [Shr95] figures 2 and 3: quantum 500; queue 1 holds 200, 750 ... Its first turn sends 200 and leaves 300; the second
        // has 800 for 750.
        let mut rig = drr("paper", &[("quantum", "500B")]);
        for size in [200, 750, 20] {
            rig.arrive(&[1], size);
        }
        rig.arrive(&[2, 2], 500);

        assert_eq!(rig.serve(1), [1]);
        assert_eq!(rig.serve(1), [2], "750 do not fit into 300");
        assert_eq!(rig.serve(2), [1, 1], "50 are left for 20");
        assert_eq!(rig.serve(9), [2]);
    }

    #[test]
    fn flows_share_by_bytes() {
        let mut rig = drr("paper", &[("limit", "1000p")]);
        rig.arrive(&[1; 100], 1500);
        rig.arrive(&[2; 300], 500);

        let sent = rig.serve(200);

        // In 50 rounds each sends 1500 bytes.
        assert_eq!(sent.iter().filter(|flow| **flow == 1).count(), 50);
    }

    #[test]
    fn a_new_flow_waits_for_its_turn() {
        let mut rig = drr("paper", &[]);
        rig.arrive(&[1, 1, 2, 2], 1500);
        assert_eq!(rig.serve(1), [1]);

        rig.arrive(&[3], 100);

        // Behind flow 2, before the second turn of flow 1; flow_queue would send it first.
        assert_eq!(rig.serve(9), [2, 3, 1, 2]);
    }

    #[test]
    fn the_longest_queue_loses_a_packet() {
        for (preset, lost) in [("paper", (1, 4)), ("ns2", (1, 0))] {
            let mut rig = drr(preset, &[("limit", "6p")]);
            // Three each: flow 1 has its turn first.
            assert_eq!(rig.arrive(&[1, 2, 2, 1, 1, 2], 1000), []);
            assert_eq!(rig.arrive(&[3], 1000), [lost], "{preset}");
        }
    }

    #[test]
    fn an_empty_queue_has_no_deficit() {
        let mut rig = drr("paper", &[("quantum", "1000B")]);
        rig.arrive(&[1], 100);
        assert_eq!(rig.serve(1), [1]);

        // 900 were left; a packet of 1500 needs two turns all the same.
        rig.arrive(&[1], 1500);
        rig.arrive(&[2, 2], 1000);

        assert_eq!(rig.serve(9), [2, 1, 2]);
    }

    #[test]
    fn a_packet_larger_than_the_buffer_goes() {
        let mut rig = drr("paper", &[("limit", "1200B")]);

        assert_eq!(rig.arrive(&[1], 1500), [(1, 0)]);
        assert_eq!(rig.serve(1), [0; 0]);
    }
}
