//! Class-based queueing: classes share the link by a tree; a class beyond its share borrows from those above it. Specification:
//! [Flo95] Floyd and Jacobson, "Link-Sharing and Resource Management Models for Packet Networks", IEEE/ACM ToN 3(4), 1995; points that the
//! paper leaves open are as in ns-2 2.35 (behaviour of `Queue/CBQ/WRR`). Compared with: ns-2's `CBQ` and `CBQ/WRR`, a second implementation
//! in Python, worked examples, below.
//!
//! After a packet of size s, which ends at time t and takes tx on the link, a class of share p, and every class above it, notes
//!
//! ```text
//! idle = t - t of the packet before - s / (p C)      avgidle += (idle - avgidle) / 16, at most max_idle
//! if avgidle <= 0:  undertime = t + tx (1/p - 1) - 15 avgidle
//! ```
//!
//! and is over its limit until `undertime`. A class sends if it is not over its limit, or if it may borrow and a lender above it is
//! not over its own; `lending` decides which lenders count. If no class may send, the first waiting one that may borrow sends, nothing is
//! recorded, and the turn passes on. Classes of a rank take turns by weighted round robin, in two passes: the second takes one that has
//! used up its turn; or a packet each.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The link wakes when a class is no longer over its limit; in ns-2 it sleeps until a packet comes | [Flo95] section 4 regulates a class by time | `a_class_that_may_not_borrow_waits_for_its_time` |
//! | Levels follow from the tree; in ns-2 a script says them | a user could contradict the tree | `levels_are_heights` |
//! | Turns by share among the classes with a queue; ns-2 counts those above with the same priority, too | these send nothing | - |

use crate::discipline::classes::{ClassQueue, ClassQueues};
use crate::params::Tables;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "cbq",
    title: "CBQ (class-based queueing)",
    doc: "A scheduler of classes that may borrow. Classes share the link along a tree. A class beyond its share borrows from unused \
          shares of those above it.",
    reference: "Floyd and Jacobson 1995",
    decides: "It decides by the recent rate of each class: a class within its share may send, and a class beyond it may send if a class \
              above it can lend. The policy of a class decides about drops in it.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A class's place in the tree.
    pub struct Place {
        /// Part of the link that the class has.
        share: Fraction = "0.5" in [1e-6, 1.0], "our choice: two classes";
        /// The `group` that the class borrows from, counted from 0.
        lender: Option<u64> = "auto" in [0.0, 1e4], "auto: none above the groups, the first group above the classes";
        /// Whether the class may send more than its share when its lender leaves some.
        borrow: bool = "true", "[Flo95]";
        /// The most credit that a pause gives; `auto` is for a burst of 8 packets.
        max_idle: Option<Duration> = "auto" in [0.0, 1e6], "ns-2 2.35, automaxidle with priority 1";
    }
}

params! {
    /// A class of `cbq`.
    pub struct Class {
        ..queue: ClassQueue;
        ..place: Place;
        /// Classes of rank 1 go first, then those of 2.
        rank: u64 = "1" in [1.0, 8.0], "[Flo95]: priorities";
        /// Additional time that a class waits after it was refused.
        extra_delay: Duration = "0s" in [0.0, 1e6], "ns-2 2.35";
    }
}

params! {
    /// A class without packets of its own, which lends.
    pub struct Lender {
        ..place: Place;
    }
}

params! {
    pub struct Params {
        /// The most that may wait in each class without a limit of its own.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The classes.
        class: Tables<Class> = "dscp=EF share=0.2; share=0.8 rank=2", "our choice: as cbfq, calls first";
        /// The groups above the classes, from which these borrow; a group comes before those that it lends to.
        group: Tables<Lender> = "share=1", "[Flo95]: the link";
        /// Which of the groups above a class may lend to it.
        lending: Lending = "top_level", "[Flo95] section 5.3";
        /// How classes of a rank take turns.
        turns: TurnRule = "weighted", "[Flo95] section 6: weighted round robin does best";
        /// The measure of a turn, and the largest packet.
        max_packet: Bytes = "1024B" in [1.0, 1e9], "ns-2 2.35";
    }
}

choices! {
    /// The classes that may lend.
    pub enum Lending {
        /// Anyone above that is not over its limit.
        AncestorOnly = "ancestor_only",
        /// As that, up to a level that follows the traffic.
        TopLevel = "top_level",
        /// Anyone above that is not over its limit, if no class below its level waits unsatisfied.
        Formal = "formal",
    }
}

choices! {
    /// How classes of a rank take turns.
    pub enum TurnRule {
        /// By their shares, in bytes: ns-2's `CBQ/WRR`.
        Weighted = "weighted",
        /// A packet each: ns-2's `CBQ`.
        Packets = "packets",
    }
}

/// Above all levels.
const NO_LEVEL: u32 = 32;
/// The level of classes with packets.
const LEAF: u32 = 1;

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let queues = ClassQueues::new(params.class.0.iter().map(|class| &class.queue), params.limit, link)?;
    let turns = turns(&params);
    Ok(Box::new(Cbq { queues, tree: Tree::new(&params, link)?, turns, due: None }))
}

/// The turns of each rank, the first rank first.
fn turns(params: &Params) -> Vec<Turns> {
    let classes = &params.class.0;
    let weighted = params.turns == TurnRule::Weighted;
    let of_rank = |rank| {
        let members: Vec<usize> = (0..classes.len()).filter(|class| classes[*class].rank == rank).collect();
        let shares = || members.iter().map(|class| classes[*class].place.share.0);
        let bytes = members.len() as f64 * params.max_packet.0 as f64 / shares().sum::<f64>();
        let quanta = shares().map(|share| (share * bytes) as i64).collect();
        Turns { left: vec![0; members.len()], members, quanta, next: 0, weighted }
    };
    (1..=8).map(of_rank).filter(|turns| !turns.members.is_empty()).collect()
}

/// Classes of a rank take turns.
struct Turns {
    members: Vec<usize>,
    /// Bytes of a turn of each.
    quanta: Vec<i64>,
    /// Bytes that are left of it.
    left: Vec<i64>,
    /// The place in the list of the class whose turn it is.
    next: usize,
    /// Whether turns are measured in bytes; else each is a packet.
    weighted: bool,
}

impl Turns {
    /// Whether one of this place has some of its turn left; in the first pass a new turn begins if not.
    fn has_left(&mut self, place: usize, second_pass: bool) -> bool {
        if !second_pass && self.left[place] <= 0 {
            self.left[place] += self.quanta[place];
        }
        !self.weighted || second_pass || self.left[place] > 0
    }

    /// The turn of this place is over.
    fn end(&mut self, place: usize) {
        self.next = (place + 1) % self.members.len();
    }

    /// Passes a place without a packet to send.
    fn pass(&mut self) {
        self.left[self.next] = 0;
        self.end(self.next);
    }

    /// The class whose turn it is has sent `size` bytes.
    fn charge(&mut self, size: u32) {
        let left = &mut self.left[self.next];
        if *left > 0 {
            *left -= i64::from(size);
        }
        if *left <= 0 || !self.weighted {
            self.end(self.next);
        }
    }
}

/// A class of the tree. Times are nanoseconds.
#[derive(Clone, Debug)]
struct Node {
    share: f64,
    lender: Option<usize>,
    borrow: bool,
    level: u32,
    max_idle: f64,
    extra_delay: f64,
    last: f64,
    avg_idle: f64,
    undertime: f64,
    delayed: bool,
}

/// All classes, those with packets first.
struct Tree {
    nodes: Vec<Node>,
    leaves: usize,
    lending: Lending,
    /// Classes up to this level may lend, under `top_level`.
    top: u32,
    /// Nanoseconds that a byte takes on the link.
    byte: f64,
}

impl Tree {
    fn new(params: &Params, link: &LinkContext) -> Result<Self, BuildError> {
        let (classes, groups) = (&params.class.0, &params.group.0);
        let byte = 8e9 / link.rate.as_bps() as f64;
        let packet = params.max_packet.0 as f64 * byte;
        let mut nodes = Vec::new();
        for (number, class) in classes.iter().enumerate() {
            let wrong = |error: BuildError| error.inside_entry("class", number);
            let lender = class.place.lender.or((!groups.is_empty()).then_some(0));
            let lender = lends(lender, groups.len(), "group").map_err(wrong)?;
            let extra_delay = class.extra_delay.as_nanos() as f64;
            let lender = lender.map(|group| classes.len() + group);
            nodes.push(Node { extra_delay, ..Node::new(&class.place, lender, LEAF, packet) });
        }
        for (number, group) in groups.iter().enumerate() {
            let wrong = |error: BuildError| error.inside_entry("group", number);
            let lender = lends(group.place.lender, number, "group before this one").map_err(wrong)?;
            nodes.push(Node::new(&group.place, lender.map(|above| classes.len() + above), LEAF + 1, packet));
        }
        // Groups are behind those above them: from the last on, each is lower than its lender.
        for number in (classes.len()..nodes.len()).rev() {
            if let Some(lender) = nodes[number].lender {
                nodes[lender].level = nodes[lender].level.max(nodes[number].level + 1);
            }
        }
        Ok(Tree { nodes, leaves: classes.len(), lending: params.lending, top: NO_LEVEL, byte })
    }

    /// Whether a class is not over its limit, or finds a lender: who that is.
    fn permitted(&mut self, class: usize, now: f64, queues: &ClassQueues) -> Option<usize> {
        if self.nodes[class].undertime < now {
            self.nodes[class].delayed = false;
            return Some(class);
        }
        if !self.nodes[class].borrow {
            return None;
        }
        let mut above = self.nodes[class].lender;
        while let Some(lender) = above {
            let node = &self.nodes[lender];
            let too_high = self.lending == Lending::TopLevel && node.level > self.top;
            let over = node.undertime > now;
            if over && too_high {
                return None;
            }
            let eligible = match self.lending {
                Lending::AncestorOnly => true,
                Lending::TopLevel => !too_high,
                Lending::Formal => self.satisfied_below(node.level, now, queues),
            };
            if !over && eligible {
                return Some(lender);
            }
            above = node.lender;
        }
        None
    }

    /// [Flo95] section 5.1: whether no class below a level waits while it is under its limit.
    fn satisfied_below(&self, level: u32, now: f64, queues: &ClassQueues) -> bool {
        let waits = |class: usize| queues.backlog_of(class).packets > 0;
        self.nodes.iter().enumerate().filter(|(_, node)| node.level < level && node.undertime < now).all(
            |(number, _)| {
                if number < self.leaves {
                    !waits(number)
                } else {
                    !(0..self.leaves).any(|class| waits(class) && self.is_above(number, class))
                }
            },
        )
    }

    /// Whether `class` may borrow its way up to `group`.
    fn is_above(&self, group: usize, class: usize) -> bool {
        let mut node = class;
        while let (true, Some(lender)) = (self.nodes[node].borrow, self.nodes[node].lender) {
            if lender == group {
                return true;
            }
            node = lender;
        }
        false
    }

    /// A class has sent a packet with leave of `lender`, and `waiting` of its packets still wait.
    fn sent(&mut self, class: usize, lender: usize, size: u32, now: f64, waiting: u64) {
        let tx = f64::from(size) * self.byte;
        let mut above = Some(class);
        while let Some(number) = above {
            self.nodes[number].note(tx, now + tx);
            above = self.nodes[number].lender;
        }
        let node = &self.nodes[lender];
        if self.top >= node.level {
            self.top = if waiting <= 1 || node.undertime > now { NO_LEVEL } else { node.level };
        }
    }

    /// A packet of a class comes: [Flo95] section 5.3, who may send again brings the level down.
    fn arrives(&mut self, class: usize, now: f64) {
        let node = &self.nodes[class];
        if self.top > LEAF && node.undertime < now {
            self.top = LEAF;
        } else if self.top > LEAF + 1
            && node.borrow
            && node.lender.is_some_and(|lender| self.nodes[lender].undertime < now)
        {
            self.top = LEAF + 1;
        }
    }
}

/// The group that a class lends from, which has to be one of the first `known`.
fn lends(lender: Option<u64>, known: usize, what: &str) -> Result<Option<usize>, BuildError> {
    let Some(lender) = lender else { return Ok(None) };
    let found = usize::try_from(lender).ok().filter(|lender| *lender < known);
    let hint = if known == 0 { "there is none".into() } else { format!("known: 0 to {}", known - 1) };
    found.map(Some).ok_or_else(|| BuildError::new("lender", format!("there is no {what} of number {lender}"), hint))
}

impl Node {
    fn new(place: &Place, lender: Option<usize>, level: u32, packet: f64) -> Self {
        let share = place.share.0;
        let max_idle = place.max_idle.map_or_else(|| auto_max_idle(share, packet), |idle| idle.as_nanos() as f64);
        Node {
            share,
            lender,
            borrow: place.borrow,
            level,
            max_idle,
            extra_delay: 0.0,
            last: 0.0,
            avg_idle: 0.0,
            undertime: 0.0,
            delayed: false,
        }
    }

    /// [Flo95] appendix A: a packet of it, or of one below it, takes `tx` on the link and ends at `end`.
    fn note(&mut self, tx: f64, end: f64) {
        let idle = end - self.last - tx / self.share;
        self.avg_idle = (self.avg_idle + (idle - self.avg_idle) / 16.0).min(self.max_idle);
        if self.avg_idle <= 0.0 {
            self.undertime = end + tx * (1.0 / self.share - 1.0) - 15.0 * self.avg_idle;
        }
        self.last = end;
    }

    /// It may not send now: the first time it waits for its extra delay, and no longer for its average.
    fn refuse(&mut self, now: f64) {
        if self.undertime - now + self.extra_delay > 0.0 && !self.delayed {
            self.undertime += self.extra_delay + 15.0 * self.avg_idle;
            self.delayed = true;
        }
    }
}

/// Floyd, "Notes on CBQ and Guaranteed Service", 1995: the credit for a burst of n = 8 packets, with g = 15/16:
/// packet * max((1/p - 1) (1 - g^n) / g^n, 1 - g).
fn auto_max_idle(share: f64, packet: f64) -> f64 {
    let kept = libm::pow(15.0 / 16.0, 8.0);
    packet * ((1.0 / share - 1.0) * (1.0 - kept) / kept).max(1.0 / 16.0)
}

struct Cbq {
    queues: ClassQueues,
    tree: Tree,
    turns: Vec<Turns>,
    /// When a class that waits is no longer over its limit, if the link waits for that.
    due: Option<Instant>,
}

/// The classes that may send.
struct Choice {
    class: usize,
    /// Its rank, by place in the list, and its place there.
    rank: usize,
    place: usize,
    /// The class that lends; `None` if none may and it sends nevertheless.
    lender: Option<usize>,
}

impl Cbq {
    fn choose(&mut self, now: f64) -> Option<Choice> {
        let mut first = None;
        for rank in 0..self.turns.len() {
            let mut used_up = false;
            for second_pass in [false, true] {
                for _ in 0..self.turns[rank].members.len() {
                    let turns = &mut self.turns[rank];
                    let (place, class) = (turns.next, turns.members[turns.next]);
                    let has_left = turns.has_left(place, second_pass);
                    if self.queues.backlog_of(class).packets > 0 {
                        let node = &self.tree.nodes[class];
                        if first.is_none() && node.borrow && node.lender.is_some() {
                            first = Some(Choice { class, rank, place, lender: None });
                        }
                        match self.tree.permitted(class, now, &self.queues) {
                            None => self.tree.nodes[class].refuse(now),
                            lender if has_left => return Some(Choice { class, rank, place, lender }),
                            Some(_) => used_up = true,
                        }
                    }
                    self.turns[rank].pass();
                }
                if !used_up {
                    break;
                }
            }
        }
        first
    }

    /// When the first class that waits is no longer over its limit.
    fn wakes(&self, now: Instant) -> Option<Instant> {
        let waits = (0..self.queues.len()).filter(|class| self.queues.backlog_of(*class).packets > 0);
        let under = waits.map(|class| self.tree.nodes[class].undertime as u64 + 1);
        under.min().map(|nanos| Instant::from_nanos(nanos.max(now.as_nanos() + 1)))
    }
}

impl QueueDiscipline for Cbq {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let class = self.queues.class_of(&packet);
        self.tree.arrives(class, now.as_nanos() as f64);
        self.queues.enqueue(now, class, packet, cx);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.queues.turn(now);
        self.due = None;
        let nanos = now.as_nanos() as f64;
        while let Some(choice) = self.choose(nanos) {
            let packet = self.queues.dequeue(now, choice.class, cx);
            if let Some(packet) = packet {
                let turns = &mut self.turns[choice.rank];
                if let Some(lender) = choice.lender {
                    turns.charge(packet.size);
                    let waiting = self.queues.backlog_of(choice.class).packets;
                    self.tree.sent(choice.class, lender, packet.size, nanos, waiting);
                } else {
                    turns.end(choice.place);
                }
                return Some(packet);
            }
        }
        self.queues.rest();
        self.due = self.wakes(now);
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        [self.due, self.queues.next_deadline()].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        // The link asks for a packet then.
        if self.due.is_some_and(|due| due <= now) {
            self.due = None;
        }
        self.queues.on_deadline(now, cx);
    }

    fn sends_chokes(&self) -> bool {
        self.queues.sends_chokes()
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn limit(&self) -> Limit {
        self.queues.limit()
    }

    probes! { |self|
        "first_class_idle_ms" => self.tree.nodes[0].avg_idle * 1e-6,
    }
}

#[cfg(test)]
mod tests;
