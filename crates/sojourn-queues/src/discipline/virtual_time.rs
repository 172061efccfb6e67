//! When packets would start and finish if a link served all sessions at once, each by its weight: the tags by which fair queueing
//! chooses. Specification: [Par93] Parekh and Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated Services
//! Networks: The Single-Node Case", IEEE/ACM ToN 1(3), 1993 (WFQ, which they call PGPS); [Gol94] Golestani, "A Self-Clocked Fair Queueing
//! Scheme for Broadband Applications", INFOCOM 1994 (SCFQ); [Ben97] Bennett and Zhang, "Hierarchical Packet Fair Queueing Algorithms",
//! IEEE/ACM ToN 5(5), 1997 (WF2Q+).
//!
//! A packet of length L of session i with weight w gets, as it comes,
//!
//! ```text
//! start = max(finish of the packet before it in its session, V)      finish = start + L / w
//! ```
//!
//! The laws differ in the virtual time V, and in the packets that may be chosen. Every busy period begins with V = 0.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::choices;
use crate::units::{Instant, Rate};

choices! {
    /// The course of virtual time, and the packets that may be chosen.
    pub enum Law {
        /// WFQ (PGPS): the time of the fluid server, dV/dt = C / (sum of the weights that it serves); the least finish goes first.
        Wfq = "wfq",
        /// SCFQ: the finish of the packet in service; the least finish goes first.
        Scfq = "scfq",
        /// WF2Q+: V grows with time and is never below the least start; among packets that have started, the least finish goes first.
        Wf2qPlus = "wf2q+",
    }
}

/// A tag as heaps order it: rounded, so that tags that are equal in the paper are so here.
type Key = i64;

fn key(tag: f64, scale: f64) -> Key {
    libm::round(tag * scale) as Key
}

/// Sessions by a tag, the least first; with equal tags the first session.
type Heap = BinaryHeap<Reverse<(Key, u32)>>;

#[derive(Clone, Copy, Debug)]
struct Tags {
    start: f64,
    finish: f64,
}

#[derive(Clone, Debug, Default)]
struct Session {
    /// The tags of each waiting packet.
    tags: VecDeque<Tags>,
    weight: f64,
    /// The finish of the last packet that came in this busy period.
    finish: f64,
    /// The busy period that `finish` and `fluid` are about.
    period: u64,
    /// Whether the fluid server is still serving it.
    fluid: bool,
    /// Whether it is in a heap.
    listed: bool,
}

/// The tags of all packets that wait, and the virtual time.
#[derive(Clone, Debug)]
pub struct VirtualTime {
    law: Law,
    /// Bytes per second; under WF2Q+ of a session of weight 1.
    rate: f64,
    sessions: Vec<Session>,
    /// Keys in a unit of tags.
    scale: f64,
    now: f64,
    updated: Instant,
    /// Whether nothing has come in this busy period.
    fresh: bool,
    period: u64,
    /// The session whose packet is in service.
    in_service: Option<usize>,
    /// Sessions with a backlog, by the finish of their heads; under WF2Q+ those that have started.
    ready: Heap,
    /// Those that have not started, by the start of their heads.
    coming: Heap,
    /// Sessions that the fluid server serves, by each finish that they have or had.
    fluid: Heap,
    fluid_weight: f64,
}

impl VirtualTime {
    /// Sessions of these weights, each above zero, on a link of `rate`.
    pub fn new(law: Law, weights: impl IntoIterator<Item = f64>, rate: Rate) -> Self {
        let session = |weight| Session { weight, ..Session::default() };
        let sessions: Vec<Session> = weights.into_iter().map(session).collect();
        let bytes = rate.as_bps() as f64 / 8.0;
        let total: f64 = sessions.iter().map(|each| each.weight).sum();
        VirtualTime {
            law,
            // [Ben97]: the rate of a session is its part of the link's.
            rate: if law == Law::Wf2qPlus { bytes / total } else { bytes },
            sessions,
            // Nanoseconds; 65536ths of a byte.
            scale: if law == Law::Wf2qPlus { 1e9 } else { 65536.0 },
            now: 0.0,
            updated: Instant::ZERO,
            fresh: true,
            period: 1,
            in_service: None,
            ready: Heap::new(),
            coming: Heap::new(),
            fluid: Heap::new(),
            fluid_weight: 0.0,
        }
    }

    /// V.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// A packet of `size` bytes joins a session, in which `waiting` packets then wait, itself included; 0 if its policy took it out at
    /// once.
    pub fn joined(&mut self, now: Instant, session: usize, size: u32, waiting: u64) {
        if waiting == 0 {
            return self.forget(session, 0);
        }
        if self.fresh {
            (self.fresh, self.updated, self.now) = (false, now, 0.0);
        }
        self.advance(now);
        self.forget(session, waiting - 1);
        let of = &mut self.sessions[session];
        if of.period != self.period {
            (of.period, of.finish, of.fluid) = (self.period, 0.0, false);
        }
        // [Ben97] equation (23): behind another packet of the session, which may be in service, V does not matter.
        let follows = self.law == Law::Wf2qPlus && (waiting > 1 || self.in_service == Some(session));
        let start = if follows { of.finish } else { of.finish.max(self.now) };
        let length = f64::from(size) / of.weight;
        of.finish = start + if self.law == Law::Wf2qPlus { length / self.rate } else { length };
        of.tags.push_back(Tags { start, finish: of.finish });
        if self.law == Law::Wfq {
            self.fluid_weight += if of.fluid { 0.0 } else { of.weight };
            of.fluid = true;
            self.fluid.push(Reverse((key(of.finish, self.scale), session as u32)));
        }
        if !of.listed {
            self.list(session);
        }
    }

    /// The session whose head goes next; `None` if nothing waits. [`VirtualTime::sent`] must follow.
    pub fn choose(&mut self, now: Instant) -> Option<usize> {
        self.advance(now);
        self.in_service = None;
        loop {
            if self.law == Law::Wf2qPlus {
                self.start();
            }
            let chosen = self.first_ready();
            if chosen.is_some() || self.coming.is_empty() {
                return chosen;
            }
        }
    }

    /// Takes the first session out of those that are ready.
    fn first_ready(&mut self) -> Option<usize> {
        while let Some(Reverse((tag, session))) = self.ready.pop() {
            let session = session as usize;
            self.sessions[session].listed = false;
            match self.sessions[session].tags.front() {
                Some(head) if key(head.finish, self.scale) == tag => {
                    if self.law == Law::Scfq {
                        self.now = head.finish;
                    }
                    return Some(session);
                }
                // A policy has emptied it since.
                Some(_) => self.list(session),
                None => {}
            }
        }
        None
    }

    /// The result for the chosen session: whether a packet of it was sent, and how many still wait.
    pub fn sent(&mut self, session: usize, sent: bool, waiting: u64) {
        if sent {
            self.sessions[session].tags.pop_front();
            self.in_service = Some(session);
        }
        self.forget(session, waiting);
        if waiting > 0 {
            self.list(session);
        }
    }

    /// The session now has this many packets. If its policy dropped some, the newest finish tags are released.
    pub fn forget(&mut self, session: usize, waiting: u64) {
        let of = &mut self.sessions[session];
        while of.tags.len() as u64 > waiting {
            let Some(last) = of.tags.pop_back() else { break };
            if of.period == self.period {
                of.finish = last.start;
                if of.fluid {
                    self.fluid.push(Reverse((key(of.finish, self.scale), session as u32)));
                }
            }
        }
    }

    /// The busy period is over.
    pub fn rest(&mut self, now: Instant) {
        self.now = 0.0;
        self.updated = now;
        self.fresh = true;
        self.period += 1;
        self.in_service = None;
        self.fluid.clear();
        self.fluid_weight = 0.0;
    }

    /// Puts a session into its heap by the tags of its head.
    fn list(&mut self, session: usize) {
        let of = &mut self.sessions[session];
        let Some(head) = of.tags.front() else { return };
        of.listed = true;
        let (start, finish) = (key(head.start, self.scale), key(head.finish, self.scale));
        if self.law == Law::Wf2qPlus && start > key(self.now, self.scale) {
            self.coming.push(Reverse((start, session as u32)));
        } else {
            self.ready.push(Reverse((finish, session as u32)));
        }
    }

    /// [Ben97] equation (24): V is not below the least start; sessions that have started may be chosen.
    fn start(&mut self) {
        while let Some(&Reverse((start, session))) = self.coming.peek() {
            let session = session as usize;
            let Some(head) = self.sessions[session].tags.front() else {
                // A policy has emptied it since.
                self.coming.pop();
                self.sessions[session].listed = false;
                continue;
            };
            if start > key(self.now, self.scale) {
                if !self.ready.is_empty() {
                    return;
                }
                self.now = self.now.max(head.start);
            }
            self.coming.pop();
            self.list(session);
        }
    }

    /// Time passes.
    fn advance(&mut self, now: Instant) {
        let elapsed = now.since(self.updated).as_secs_f64();
        self.updated = now;
        match self.law {
            Law::Wfq => self.serve_fluid(elapsed),
            Law::Scfq => {}
            Law::Wf2qPlus => self.now += elapsed,
        }
    }

    /// [Par93] equations (8) to (10): the fluid server goes on for a time.
    fn serve_fluid(&mut self, mut left: f64) {
        while let Some(&Reverse((tag, session))) = self.fluid.peek() {
            let session = session as usize;
            let of = &self.sessions[session];
            if !of.fluid || key(of.finish, self.scale) != tag {
                // More came since, or a policy dropped some.
                self.fluid.pop();
                continue;
            }
            let finish = of.finish;
            let takes = (finish - self.now).max(0.0) * self.fluid_weight / self.rate;
            if takes > left {
                self.now += left * self.rate / self.fluid_weight;
                return;
            }
            left -= takes;
            self.now = self.now.max(finish);
            self.fluid.pop();
            self.sessions[session].fluid = false;
            self.fluid_weight -= self.sessions[session].weight;
            if self.fluid.is_empty() {
                self.fluid_weight = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{at, near};

    #[test]
    fn the_fluid_servers_time_runs_faster_when_fewer_are_served() {
        // A byte in a second. Weights 1 and 1: a packet of 2 bytes each at 0; a third session of weight 2 gets 4 bytes at 2 s.
        let mut time = VirtualTime::new(Law::Wfq, [1.0, 1.0, 2.0], Rate::from_bps(8));
        time.joined(at(0.0), 0, 2, 1);
        time.joined(at(0.0), 1, 2, 1);
        time.joined(at(2.0), 2, 4, 1);
        // dV/dt = 1/2 until 2 s: V = 1. Then 1/4: the first two finish with V = 2 at 6 s. Then 1/2: the third, with 1 + 4/2 = 3,
        // finishes at 8 s, when as much was served as came.
        assert!(near(time.now(), 1.0));
        time.advance(at(4.0));
        assert!(near(time.now(), 1.5));
        time.advance(at(7.0));
        assert!(near(time.now(), 2.5));
        time.advance(at(9.0));
        assert!(near(time.now(), 3.0), "nothing is served any more");
    }

    #[test]
    fn self_clocked_time_is_the_finish_in_service() {
        let mut time = VirtualTime::new(Law::Scfq, [1.0, 2.0], Rate::from_bps(8));
        time.joined(at(0.0), 0, 10, 1);
        assert_eq!(time.choose(at(0.0)), Some(0));
        time.sent(0, true, 0);
        // V = 10: the start of a packet that comes now, at any time.
        time.joined(at(9.0), 1, 10, 1);
        let tags = time.sessions[1].tags[0];
        assert_eq!((tags.start, tags.finish), (10.0, 15.0));
    }

    #[test]
    fn what_has_not_started_is_not_chosen_unless_nothing_has() {
        // A byte in a second, halves: a packet of 1 byte takes 2 s of V.
        let mut time = VirtualTime::new(Law::Wf2qPlus, [1.0, 1.0], Rate::from_bps(8));
        for waiting in 1..=3 {
            time.joined(at(0.0), 0, 1, waiting);
        }
        time.joined(at(0.0), 1, 3, 1);
        let mut choose = |now: f64| {
            let session = time.choose(at(now)).expect("something waits");
            let waiting = time.sessions[session].tags.len() as u64 - 1;
            time.sent(session, true, waiting);
            (session, time.now())
        };
        // At 0 both may go, finishes 2 and 6. At 1 s the second of session 0 starts at 2: session 1 goes, and takes 3 s. At 4 s
        // V = 4, and the third starts at 4: both may go.
        assert_eq!(choose(0.0), (0, 0.0));
        assert_eq!(choose(1.0), (1, 1.0));
        assert_eq!(choose(4.0), (0, 4.0));
        assert_eq!(choose(5.0), (0, 5.0));
        assert_eq!(time.choose(at(6.0)), None);
    }

    #[test]
    fn the_virtual_time_jumps_to_the_least_start() {
        let mut time = VirtualTime::new(Law::Wf2qPlus, [1.0, 1.0], Rate::from_bps(8));
        time.joined(at(0.0), 0, 1, 1);
        time.joined(at(0.0), 0, 1, 2);
        assert_eq!(time.choose(at(0.0)), Some(0));
        time.sent(0, true, 1);
        // The second starts at 2, V would be 1 after a second: the link goes on, V = 2.
        assert_eq!((time.choose(at(1.0)), time.now()), (Some(0), 2.0));
    }

    #[test]
    fn what_a_policy_drops_gives_back_its_tag() {
        for law in [Law::Wfq, Law::Scfq, Law::Wf2qPlus] {
            let mut time = VirtualTime::new(law, [1.0, 1.0], Rate::from_bps(8));
            time.joined(at(0.0), 0, 8, 1);
            time.joined(at(0.0), 0, 8, 2);
            let twice = time.sessions[0].finish;
            time.forget(0, 1);
            time.joined(at(0.0), 0, 8, 2);
            assert!(near(time.sessions[0].finish, twice), "{law:?}");
            time.forget(0, 0);
            assert_eq!(time.choose(at(0.0)), None);
        }
    }

    #[test]
    fn a_busy_period_begins_anew() {
        for law in [Law::Wfq, Law::Scfq, Law::Wf2qPlus] {
            let mut time = VirtualTime::new(law, [1.0], Rate::from_bps(8));
            for start in [0.0, 100.0] {
                time.joined(at(start), 0, 10, 1);
                assert!(near(time.sessions[0].tags[0].start, 0.0), "{law:?}");
                assert_eq!(time.choose(at(start)), Some(0));
                time.sent(0, true, 0);
                assert_eq!(time.choose(at(start + 10.0)), None);
                time.rest(at(start + 10.0));
            }
        }
    }
}
