//! The tree of HTB's classes: the classes with tokens, those that may borrow, and the one whose turn it is. Behaviour of Linux 6.12,
//! `sch_htb`.
//!
//! Tokens are nanoseconds. A class *can send* while both its buckets are not below zero, *may borrow* while only that of its rate is, and
//! *cannot send* while that of its ceiling is. A class that waits and can send is in the row of its level and priority. One that
//! may borrow is in the feed of the class above, and that one in turn where it can send or may borrow. Rows and feeds are served in
//! the order of the classes' numbers, from a place that is kept.

use std::collections::BTreeSet;

use crate::mechanism::bucket::PerByte;
use crate::units::{Instant, Rate};

/// Levels of a tree: leaves are at 0, a class without another above it at 7 if others are below it.
pub const LEVELS: usize = 8;
pub const PRIORITIES: usize = 8;

/// A minute: no bucket remembers more.
const MOST: i64 = 60_000_000_000;
const SECOND: i64 = 1_000_000_000;

/// Whether a class may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It may send by its own tokens.
    CanSend,
    /// It may send with the tokens of a class above it.
    MayBorrow,
    /// It is beyond its ceiling.
    CannotSend,
}

/// Classes that are served in turn, each by its place among all classes.
#[derive(Clone, Debug, Default)]
struct Turns {
    members: BTreeSet<u32>,
    /// The class whose turn it is; `None` beyond the last one.
    next: Option<u32>,
    /// Where to go on if the one whose turn it was has left.
    left_off: Option<u32>,
}

impl Turns {
    /// The turn goes to the next one.
    fn pass(&mut self) {
        self.next = self.next.and_then(|place| self.members.range(place + 1..).next().copied());
    }
}

/// A class.
#[derive(Clone, Debug)]
pub struct Node {
    /// The class above it.
    parent: Option<u32>,
    /// Its place in the order of turns among all classes.
    place: u32,
    level: usize,
    rate: PerByte,
    ceil: PerByte,
    /// Depths of the buckets, in nanoseconds.
    burst: i64,
    cburst: i64,
    prio: usize,
    quantum: i64,
    tokens: i64,
    ctokens: i64,
    /// When tokens were counted.
    counted: i64,
    mode: Mode,
    /// A bit for each priority in which it, or one below it, waits.
    active: u8,
    /// Bytes that are left of its turn, by the level at which it sends.
    deficit: [i64; LEVELS],
    /// When its mode is looked at again, and a number that keeps the order among equals.
    waits: Option<(i64, u64)>,
    /// In a class above others, the turns of each priority.
    feeds: Vec<Turns>,
    /// Packets that it or those below it sent by its tokens.
    pub lends: u64,
    /// Packets that it sent by the tokens of another.
    pub borrows: u64,
    /// How often it came to its ceiling.
    pub overlimits: u64,
}

/// The settings of a class.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The class above it, by number.
    pub parent: Option<u32>,
    /// Its rate and its ceiling.
    pub rates: (Rate, Rate),
    /// Depths of the buckets of both, in nanoseconds.
    pub bursts: (i64, i64),
    /// Its number in the order of turns; those without one come last, in their order.
    pub number: Option<u64>,
    /// Its priority, from 0, which comes first, to 7.
    pub prio: usize,
    /// Bytes of a turn.
    pub quantum: i64,
}

/// All classes: leaves first, then those above others, each behind the one above it.
pub struct Tree {
    nodes: Vec<Node>,
    /// The class at each place in the order of turns.
    order_of_turns: Vec<u32>,
    rows: Vec<[Turns; PRIORITIES]>,
    /// A bit for each priority with a member in the row of a level.
    in_row: [u8; LEVELS],
    /// Classes whose mode changes with time, by level: when, in which order, which.
    waiting: Vec<BTreeSet<(i64, u64, u32)>>,
    /// Not later than the first of them.
    near: [i64; LEVELS],
    order: u64,
    now: i64,
}

/// A row or a feed.
#[derive(Clone, Copy)]
enum Place {
    Row(usize),
    Feed(u32),
}

impl Tree {
    /// A tree whose buckets are full. The first `leaves` classes have packets.
    pub fn new(shapes: &[Shape], leaves: usize) -> Self {
        let mut levels = vec![0; shapes.len()];
        for (class, shape) in shapes.iter().enumerate().skip(leaves) {
            levels[class] = shape.parent.map_or(LEVELS, |parent| levels[parent as usize]) - 1;
        }
        let mut order_of_turns: Vec<u32> = (0..shapes.len() as u32).collect();
        order_of_turns.sort_by_key(|&class| shapes[class as usize].number.unwrap_or(u64::MAX));
        let mut places = vec![0; shapes.len()];
        for (place, class) in order_of_turns.iter().enumerate() {
            places[*class as usize] = place as u32;
        }
        let node = |(class, shape): (usize, &Shape)| Node {
            parent: shape.parent,
            place: places[class],
            level: levels[class],
            rate: PerByte::new(shape.rates.0),
            ceil: PerByte::new(shape.rates.1),
            burst: shape.bursts.0,
            cburst: shape.bursts.1,
            prio: shape.prio,
            quantum: shape.quantum,
            tokens: shape.bursts.0,
            ctokens: shape.bursts.1,
            counted: 0,
            mode: Mode::CanSend,
            active: 0,
            deficit: [0; LEVELS],
            waits: None,
            feeds: if class < leaves { Vec::new() } else { vec![Turns::default(); PRIORITIES] },
            lends: 0,
            borrows: 0,
            overlimits: 0,
        };
        Tree {
            nodes: shapes.iter().enumerate().map(node).collect(),
            order_of_turns,
            rows: (0..LEVELS).map(|_| std::array::from_fn(|_| Turns::default())).collect(),
            in_row: [0; LEVELS],
            waiting: vec![BTreeSet::new(); LEVELS],
            near: [0; LEVELS],
            order: 0,
            now: 0,
        }
    }

    /// The classes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A leaf has packets.
    pub fn activate(&mut self, leaf: usize) {
        if self.nodes[leaf].active == 0 {
            self.nodes[leaf].active = 1 << self.nodes[leaf].prio;
            self.join(leaf as u32);
        }
    }

    /// A leaf has none.
    pub fn deactivate(&mut self, leaf: usize) {
        if self.nodes[leaf].active != 0 {
            self.leave(leaf as u32);
            self.nodes[leaf].active = 0;
        }
    }

    /// Sets the time of the following calls.
    pub fn begin(&mut self, now: Instant) {
        self.now = now.as_nanos() as i64;
    }

    /// Looks again at the classes of a level whose time has come. Returns when the next one's does.
    pub fn events(&mut self, level: usize) -> i64 {
        if self.now >= self.near[level] {
            self.near[level] = self.serve(level).unwrap_or(self.now + SECOND);
        }
        self.near[level]
    }

    fn serve(&mut self, level: usize) -> Option<i64> {
        loop {
            let &(due, order, class) = self.waiting[level].first()?;
            if due > self.now {
                return Some(due);
            }
            self.waiting[level].remove(&(due, order, class));
            let node = &mut self.nodes[class as usize];
            node.waits = None;
            let passed = (self.now - node.counted).min(MOST);
            let until = self.change_mode(class, passed);
            self.wait(class, until);
        }
    }

    /// Priorities in which classes of a level can send, a bit for each.
    pub fn row(&self, level: usize) -> u8 {
        self.in_row[level]
    }

    /// The leaf whose turn it is in the row of a level and a priority; `None` if the row is empty.
    pub fn turn(&mut self, level: usize, prio: usize) -> Option<usize> {
        if self.rows[level][prio].members.is_empty() {
            return None;
        }
        let mut path = [Place::Row(level); LEVELS];
        let mut depth = 0;
        loop {
            let turns = self.turns(path[depth], prio);
            if let Some(from) = turns.left_off.take()
                && turns.next.is_none()
            {
                turns.next = turns.members.range(from..).next().copied();
            }
            if let Some(place) = turns.next {
                let class = self.order_of_turns[place as usize];
                if self.nodes[class as usize].level == 0 {
                    return Some(class as usize);
                }
                depth += 1;
                path[depth] = Place::Feed(class);
                continue;
            }
            // Beyond the last one: from the first again, and the turn above is the next one's.
            turns.next = turns.members.first().copied();
            if depth > 0 {
                depth -= 1;
                self.turns(path[depth], prio).pass();
            }
        }
    }

    /// The turn in which `leaf` sends at a level goes on.
    pub fn pass(&mut self, leaf: usize, level: usize, prio: usize) {
        let place = match self.nodes[leaf].parent {
            Some(parent) if level > 0 => Place::Feed(parent),
            _ => Place::Row(0),
        };
        self.turns(place, prio).pass();
    }

    fn turns(&mut self, place: Place, prio: usize) -> &mut Turns {
        match place {
            Place::Row(level) => &mut self.rows[level][prio],
            Place::Feed(class) => &mut self.nodes[class as usize].feeds[prio],
        }
    }

    /// A packet of `leaf` has used `bytes` bytes of its turn. The turn of the next one begins when nothing is left.
    pub fn spend(&mut self, leaf: usize, level: usize, prio: usize, bytes: u32) {
        let node = &mut self.nodes[leaf];
        node.deficit[level] -= i64::from(bytes);
        if node.deficit[level] < 0 {
            node.deficit[level] += node.quantum;
            self.pass(leaf, level, prio);
        }
    }

    /// A packet of `leaf` is sent with the tokens of the class at `level`, itself or one above it: all of them count it.
    pub fn charge(&mut self, leaf: usize, level: usize, bytes: u32) {
        let mut next = Some(leaf as u32);
        while let Some(class) = next {
            let node = &mut self.nodes[class as usize];
            let passed = (self.now - node.counted).min(MOST);
            if node.level >= level {
                node.lends += u64::from(node.level == level);
                node.tokens = spent(node.tokens + passed, node.burst, node.rate.nanos(bytes));
            } else {
                node.borrows += 1;
                node.tokens += passed;
            }
            node.ctokens = spent(node.ctokens + passed, node.cburst, node.ceil.nanos(bytes));
            node.counted = self.now;
            next = node.parent;
            let before = node.mode;
            let until = self.change_mode(class, 0);
            if self.nodes[class as usize].mode != before {
                let Node { waits, level: of, .. } = &mut self.nodes[class as usize];
                if let Some((due, order)) = waits.take() {
                    self.waiting[*of].remove(&(due, order, class));
                }
                self.wait(class, until);
            }
        }
    }

    /// The tokens after `passed`, and how long this holds.
    fn mode(node: &Node, passed: i64) -> (Mode, i64) {
        if node.ctokens + passed < 0 {
            (Mode::CannotSend, -(node.ctokens + passed))
        } else if node.tokens + passed >= 0 {
            (Mode::CanSend, passed)
        } else {
            (Mode::MayBorrow, -(node.tokens + passed))
        }
    }

    /// A class has the mode that its tokens say; gives how long it holds.
    fn change_mode(&mut self, class: u32, passed: i64) -> i64 {
        let node = &mut self.nodes[class as usize];
        let (mode, until) = Self::mode(node, passed);
        if mode == node.mode {
            return until;
        }
        node.overlimits += u64::from(mode == Mode::CannotSend);
        let is_active = node.active != 0;
        if is_active && node.mode != Mode::CannotSend {
            self.leave(class);
        }
        self.nodes[class as usize].mode = mode;
        if is_active && mode != Mode::CannotSend {
            self.join(class);
        }
        until
    }

    /// A class that cannot send is looked at again after `delay`.
    fn wait(&mut self, class: u32, delay: i64) {
        let node = &mut self.nodes[class as usize];
        if node.mode == Mode::CanSend {
            return;
        }
        let due = self.now + delay.max(1);
        self.order += 1;
        node.waits = Some((due, self.order));
        self.waiting[node.level].insert((due, self.order, class));
        self.near[node.level] = self.near[node.level].min(due);
    }

    /// A class that waits joins its row, or the feeds above it up to one that can send.
    fn join(&mut self, class: u32) {
        let mut class = class;
        let mut bits = self.nodes[class as usize].active;
        while self.nodes[class as usize].mode == Mode::MayBorrow
            && bits != 0
            && let Some(parent) = self.nodes[class as usize].parent
        {
            let place = self.nodes[class as usize].place;
            for prio in prios(bits) {
                let feed = &mut self.nodes[parent as usize].feeds[prio];
                if !feed.members.is_empty() {
                    // Those above have joined already.
                    bits &= !(1 << prio);
                }
                feed.members.insert(place);
            }
            self.nodes[parent as usize].active |= bits;
            class = parent;
        }
        let Node { mode, level, place, .. } = self.nodes[class as usize];
        if mode == Mode::CanSend {
            self.in_row[level] |= bits;
            for prio in prios(bits) {
                self.rows[level][prio].members.insert(place);
            }
        }
    }

    /// The opposite of [`Tree::join`], by the mode that it had then.
    fn leave(&mut self, class: u32) {
        let mut class = class;
        let mut bits = self.nodes[class as usize].active;
        while self.nodes[class as usize].mode == Mode::MayBorrow
            && bits != 0
            && let Some(parent) = self.nodes[class as usize].parent
        {
            let (mut emptied, place) = (0, self.nodes[class as usize].place);
            for prio in prios(bits) {
                let feed = &mut self.nodes[parent as usize].feeds[prio];
                if feed.next == Some(place) {
                    feed.next = None;
                    feed.left_off = Some(place);
                }
                feed.members.remove(&place);
                emptied |= u8::from(feed.members.is_empty()) << prio;
            }
            bits = emptied;
            self.nodes[parent as usize].active &= !bits;
            class = parent;
        }
        let Node { mode, level, place, .. } = self.nodes[class as usize];
        if mode == Mode::CanSend {
            for prio in prios(bits) {
                let row = &mut self.rows[level][prio];
                if row.next == Some(place) {
                    row.pass();
                }
                row.members.remove(&place);
                if row.members.is_empty() {
                    self.in_row[level] &= !(1 << prio);
                }
            }
        }
    }
}

/// The content of a bucket of this depth after `cost`.
fn spent(tokens: i64, depth: i64, cost: i64) -> i64 {
    let left = tokens.min(depth) - cost;
    if left <= -MOST { 1 - MOST } else { left }
}

/// The priorities whose bits are set, the first first.
pub fn prios(bits: u8) -> impl Iterator<Item = usize> {
    (0..PRIORITIES).filter(move |prio| bits >> prio & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_keeps_its_depth_and_owes_at_most_a_minute() {
        assert_eq!(spent(5000, 1000, 300), 700);
        assert_eq!(spent(-MOST, 1000, 300), 1 - MOST);
    }
}
