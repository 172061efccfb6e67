//! `prio` and `pfifo_fast` of Linux: bands, of which one is served only if nothing waits in those before it. Specification: the behaviour
//! of Linux 6.12, `sch_prio`, `pfifo_fast` in `sch_generic`, and `ip_tos2prio`; tc-prio(8). Compared with: the kernel beside it
//! (`evidence/linux`). [`priority`](super::priority) is the published scheduler, whose classes have policies and a limit in common.
//!
//! A packet has a priority from 0 to 15, which a router makes of its codepoint: best effort 0, bulk 2, interactive bulk 4, interactive 6.
//! `priomap` has the band of each priority. Filters of bands are asked before that.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A band of `pfifo_fast` has `limit` places; Linux frees them by 16, and may drop with 15 fewer waiting | a ring's detail | - |
//! | A host's own packets have the priority of their codepoint; SO_PRIORITY is not here | a filter by `priority` does as well | - |

use crate::discipline::classes::Takes;
use crate::discipline::leaves::{Bands, Leaves, PRIOMAP, leaves_hooks, priomap};
use crate::params::{Several, Tables};
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_prio",
    title: "prio and pfifo_fast of Linux",
    doc: "A scheduler of bands by urgency, as in Linux. The codepoint of a packet gives its priority, and priorities have bands; a band \
          is served only if nothing waits in those before it. Any queue may be in a band.",
    reference: "Linux sch_prio, sch_generic",
    decides: "It decides by the order of the bands: the first one in which a packet waits is served. The queue of a band decides about \
          drops in it.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A band: packets that come to it whatever their priority, and its queue.
    pub struct Band {
        ..takes: Takes;
        /// The queue in the band, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "Linux: pfifo with the device's queue length";
    }
}

params! {
    /// Parameters of prio.
    pub struct Params {
        /// Number of bands.
        bands: u64 = "3" in [2.0, 16.0], "tc";
        /// The band of each priority from 0 to 15; those that are not said have tc's: 1 2 2 2 1 2 0 0, then 1.
        priomap: Several<u64> = "" in [0.0, 15.0], "tc";
        /// Tables of the bands, in order. A table that says which packets the band takes is a filter; filters are asked before `priomap`.
        /// Bands without a table have a `queue`.
        band: Tables<Band> = "", "tc has no filters at first";
        /// The queue in each band without a table, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "Linux: pfifo with the device's queue length";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let bands = params.bands as usize;
    if params.band.0.len() > bands {
        let what = format!("there are {} tables for {bands} bands", params.band.0.len());
        return Err(BuildError::new("band", what, "give more \"bands\", or fewer tables"));
    }
    let map = priomap(&params.priomap.0, PRIOMAP, bands)?;
    let queues = params.band.0.iter().map(|band| &band.queue).chain(std::iter::repeat(&params.queue)).take(bands);
    Ok(Box::new(Prio {
        bands: Bands::new(params.band.0.iter().map(|band| &band.takes), map, link)?,
        leaves: Leaves::new(queues, "band", link)?,
    }))
}

struct Prio {
    bands: Bands,
    leaves: Leaves,
}

impl QueueDiscipline for Prio {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let band = self.bands.of(&packet);
        self.leaves.enqueue(now, band, packet, cx);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        // Queues are asked even if nothing waits in them, as in Linux: RED learns by that that it is idle.
        self.leaves.all().find_map(|band| self.leaves.dequeue(now, band, cx))
    }

    leaves_hooks!(and times);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Dscp;
    use crate::packet::FlowId;
    use crate::rig::{args, at};

    /// Flows in the order in which they leave; a flow is a packet with a codepoint.
    fn order(settings: &[(&str, &str)], packets: &[(u32, &str)]) -> Vec<u32> {
        let mut queue = ENTRY.build(&args(&ENTRY, None, settings), &LinkContext::default()).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        for (flow, dscp) in packets {
            let dscp = Dscp::read(dscp).expect("a codepoint");
            queue.enqueue(at(0.0), Packet { dscp, ..Packet::datagram(FlowId(*flow), 0, 1000) }, &mut cx);
        }
        std::iter::from_fn(|| queue.dequeue(at(0.0), &mut cx)).map(|packet| packet.flow.0).collect()
    }

    /// ip_tos2prio (net/ipv4/route.c of 6.12) and tc's priomap: of the lower three bits of the codepoint the upper two count.
    #[test]
    fn codepoints_have_the_bands_of_tc() {
        // AF11 (10: bits 010) is bulk: priority 2, band 2. CS1 (8: 000) is best effort: band 1. AF41 (34: 010) is bulk, too. EF (46: 110)
        // is interactive bulk, 4: band 1. 4 (100) is 4 as well, and 12 (AF12: 100) interactive, 6.
        assert_eq!(order(&[], &[(1, "AF11"), (2, "CS1"), (3, "AF41"), (4, "EF"), (5, "12")]), [5, 2, 4, 1, 3]);
    }

    #[test]
    fn a_filter_is_asked_before_the_map() {
        let bands = ("band", "flows=7 queue=fifo:limit=1p; *");
        // The second packet of flow 7 finds no room; the others are best effort.
        assert_eq!(order(&[bands], &[(1, "DF"), (7, "DF"), (7, "DF"), (2, "AF11")]), [7, 1, 2]);
    }

    #[test]
    fn what_does_not_fit_is_refused_where_it_stands() {
        let wrong = |settings: &[(&str, &str)]| {
            let found = ENTRY.build(&args(&ENTRY, None, settings), &LinkContext::default());
            found.map(|_| ()).map_err(|error| error.path())
        };
        assert_eq!(wrong(&[("priomap", "3")]), Err("priomap".into()));
        assert_eq!(wrong(&[("bands", "4"), ("priomap", "3")]), Ok(()));
        assert_eq!(wrong(&[("bands", "2"), ("priomap", "1")]), Err("priomap".into()));
        assert_eq!(wrong(&[("band", "*; *; *; *")]), Err("band".into()));
        assert_eq!(wrong(&[("band", "*; flows=no")]), Err("band[1].flows".into()));
    }
}
