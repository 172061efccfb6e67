//! ETS (enhanced transmission selection) of Linux: bands of strict priority, then bands that share the rest by turns of bytes.
//! Specification: IEEE 802.1Qaz, as Linux 6.12 `sch_ets` does it (behaviour); tc-ets(8). Compared with: the kernel beside it
//! (`evidence/linux`).
//!
//! A band that shares has a turn of `quantum` bytes. While the packet at its head fits into the deficit, it is sent and counted; if it does
//! not fit, the band gets a quantum more and goes behind the others. A band in which nothing waits has no turn; it begins with a quantum.
//!
//! Deviations: those of [`sch_prio`](super::sch_prio).

use std::collections::VecDeque;

use crate::discipline::leaves::{Bands, Leaves, leaves_hooks, priomap};
use crate::discipline::sch_prio::Band;
use crate::params::{Several, Tables};
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_ets",
    title: "ETS (enhanced transmission selection) of Linux",
    doc: "A scheduler of bands, as in Linux. The first bands are served strictly in order, and the others share the rest of the link in \
          proportion to their quanta. Any queue may be in a band.",
    reference: "IEEE 802.1Qaz; Linux sch_ets",
    decides: "It decides by the order of the strict bands, and then by turns of bytes. The queue of a band decides about drops in it.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of ETS.
    pub struct Params {
        /// Number of bands; `auto` is one for each strict band and each of `quanta`.
        bands: Option<u64> = "auto" in [1.0, 16.0], "tc";
        /// How many of the bands are strict: the first ones.
        strict: u64 = "1" in [0.0, 16.0], "our choice: tc has none";
        /// Bytes of a turn of the other bands, in order, 256 to 1048576 each; those that are not said have 1514.
        quanta: Several<Bytes> = "3028B,1514B" in [1.0, 4_294_967_295.0], "our choice: tc asks for them; for the others the device's MTU";
        /// The band of each priority from 0 to 15; those that are not said have the last band.
        priomap: Several<u64> = "" in [0.0, 15.0], "tc";
        /// Tables of the bands, in order. A table that says which packets the band takes is a filter; filters are asked before `priomap`.
        /// Bands without a table have a `queue`.
        band: Tables<Band> = "", "tc has no filters at first";
        /// The queue in each band without a table, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "Linux: pfifo with the device's queue length";
    }
}

/// The device's MTU with the header of Ethernet (`psched_mtu`).
pub const MTU: i64 = 1514;
const MOST: usize = 16;

/// Bytes of a turn of Linux: 256 at least, 1 MiB at most.
pub fn turn_of(quantum: Bytes) -> i64 {
    quantum.0.clamp(256, 1 << 20) as i64
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let (strict, quanta) = (params.strict as usize, &params.quanta.0);
    let bands = params.bands.map_or(strict + quanta.len(), |bands| bands as usize);
    if strict + quanta.len() > bands || bands == 0 || bands > MOST {
        let what = format!("{strict} strict bands and {} quanta are for {bands} bands", quanta.len());
        return Err(BuildError::new("bands", what, format!("have 1 to {MOST} bands, and not more of both than bands")));
    }
    if params.band.0.len() > bands {
        let what = format!("there are {} tables for {bands} bands", params.band.0.len());
        return Err(BuildError::new("band", what, "give more \"bands\", or fewer tables"));
    }
    let map = priomap(&params.priomap.0, [bands as u8 - 1; 16], bands)?;
    let queues = params.band.0.iter().map(|band| &band.queue).chain(std::iter::repeat(&params.queue)).take(bands);
    let quanta = quanta.iter().map(|bytes| turn_of(*bytes)).chain(std::iter::repeat(MTU)).take(bands - strict);
    Ok(Box::new(Ets {
        bands: Bands::new(params.band.0.iter().map(|band| &band.takes), map, link)?,
        leaves: Leaves::new(queues, "band", link)?,
        strict,
        turns: Turns::new(quanta),
    }))
}

/// Turns of bytes among those that have packets.
pub struct Turns {
    /// Those with packets, in the order of their turns.
    active: VecDeque<usize>,
    of: Vec<Turn>,
}

#[derive(Clone, Copy)]
struct Turn {
    quantum: i64,
    deficit: i64,
    is_active: bool,
}

impl Turns {
    /// For as many as there are quanta.
    pub fn new(quanta: impl Iterator<Item = i64>) -> Self {
        let of = quanta.map(|quantum| Turn { quantum, deficit: 0, is_active: false });
        Turns { active: VecDeque::new(), of: of.collect() }
    }

    /// Packets wait at this one.
    pub fn activate(&mut self, which: usize) {
        let turn = &mut self.of[which];
        if !turn.is_active {
            *turn = Turn { deficit: turn.quantum, is_active: true, ..*turn };
            self.active.push_back(which);
        }
    }

    /// The packet that is sent. Of each, `leaves` has the queue whose number is greater by `first`.
    pub fn next(&mut self, now: Instant, leaves: &mut Leaves, first: usize, cx: &mut Context) -> Option<Packet> {
        while let Some(&which) = self.active.front() {
            let size = leaves.peek(now, first + which, cx);
            if !leaves.waits(first + which) {
                // Its queue has dropped the last packets.
                self.rest();
                continue;
            }
            // A queue that holds its packets back has the turn until it gives one.
            let size = i64::from(size?);
            let turn = &mut self.of[which];
            if size <= turn.deficit {
                turn.deficit -= size;
                let packet = leaves.dequeue(now, first + which, cx);
                if !leaves.waits(first + which) {
                    self.rest();
                }
                return packet;
            }
            turn.deficit += turn.quantum;
            self.active.rotate_left(1);
        }
        None
    }

    /// Nothing waits at the one whose turn it is.
    fn rest(&mut self) {
        if let Some(which) = self.active.pop_front() {
            self.of[which].is_active = false;
        }
    }
}

struct Ets {
    bands: Bands,
    leaves: Leaves,
    strict: usize,
    turns: Turns,
}

impl QueueDiscipline for Ets {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let band = self.bands.of(&packet);
        if self.leaves.enqueue(now, band, packet, cx) && band >= self.strict {
            self.turns.activate(band - self.strict);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        let strict = (0..self.strict).find_map(|band| self.leaves.dequeue(now, band, cx));
        strict.or_else(|| self.turns.next(now, &mut self.leaves, self.strict, cx))
    }

    leaves_hooks!(and times);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{SchedulerRig, args};

    const TWO: (&str, &str) = ("band", "flows=0; flows=1; flows=2");

    /// 802.1Qaz by hand: quanta of two packets and of one.
    #[test]
    fn bands_share_by_their_quanta_behind_the_strict_one() {
        let quanta = ("quanta", "3000B,1500B");
        let mut rig = SchedulerRig::new(&ENTRY, &[TWO, quanta]);
        rig.arrive(0.0, &[1, 1, 1, 1, 1, 1, 2, 2, 2, 0], 1500);

        assert_eq!(rig.serve(0.0, 10), [0, 1, 1, 2, 1, 1, 2, 1, 1, 2]);
    }

    #[test]
    fn a_rest_of_a_turn_is_kept_while_packets_wait_and_lost_with_the_last() {
        // 1000 of 1514 leave 514, which with the next quantum are two packets: 1, 2, 1 1, 2 2.
        let mut rig = SchedulerRig::new(&ENTRY, &[TWO, ("quanta", "1514B,1514B")]);
        rig.arrive(0.0, &[1, 1, 1, 2, 2, 2], 1000);
        assert_eq!(rig.serve(0.0, 6), [1, 2, 1, 1, 2, 2]);
        // Both are empty: they begin with a quantum.
        rig.arrive(10.0, &[1, 1, 2, 2], 1000);
        assert_eq!(rig.serve(10.0, 4), [1, 2, 1, 2]);
    }

    #[test]
    fn a_queue_that_decides_late_is_looked_into() {
        // CoDel gives its packet to the one who looks; no packet is lost, and the order is that of first in, first out.
        let late = "flows=0; flows=1 queue=codel; flows=2 queue=codel";
        let mut rig = SchedulerRig::new(&ENTRY, &[("band", late), ("quanta", "1514B,1514B")]);
        rig.arrive(0.0, &[1, 1, 1, 2, 2, 2], 1000);
        assert_eq!(rig.queue.backlog(), Backlog { packets: 6, bytes: 6000 });
        assert_eq!(rig.serve(0.0, 6), [1, 2, 1, 1, 2, 2]);
        assert_eq!(rig.queue.backlog(), Backlog::default());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let wrong = |settings: &[(&str, &str)]| {
            let found = ENTRY.build(&args(&ENTRY, None, settings), &LinkContext::default());
            found.map(|_| ()).map_err(|error| error.path())
        };
        assert_eq!(wrong(&[("bands", "2")]), Err("bands".into()));
        assert_eq!(wrong(&[("bands", "8")]), Ok(()));
        assert_eq!(wrong(&[("strict", "0"), ("quanta", "")]), Err("bands".into()));
        assert_eq!(wrong(&[("priomap", "3")]), Err("priomap".into()));
    }
}
