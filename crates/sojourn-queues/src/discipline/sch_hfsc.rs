//! HFSC (hierarchical fair service curve): classes with guarantees in time, a share of the link, and an upper limit. Specification: [SZN97]
//! Stoica, Zhang and Ng, SIGCOMM 1997, as Linux 6.12 `sch_hfsc` does it (behaviour); tc-hfsc(7). Compared with: the kernel beside it
//! (`evidence/linux`).
//!
//! A curve says how many bytes a class has had at each time since it began to wait: a slope `m1` for the time `d`, then `m2`. By the
//! *real-time* curve a packet has a deadline, and a time from which on it is eligible: among classes that are eligible the one with the
//! earliest deadline goes first. If none is, the link is shared: from the top down, the class with the least *virtual time*, which is that
//! of its *link-share* curve for all bytes that it and those below it have sent. A class whose *upper limit* has a later time is passed
//! over.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet that no class takes goes to the last class; in Linux to `default` or nowhere | as the other schedulers by class | - |

use std::collections::BTreeSet;

use self::service::{Curve, NEVER, Placed, TICK};
use crate::discipline::classes::{ByFlow, Filters, Takes};
use crate::discipline::leaves::{Leaves, leaves_hooks};
use crate::params::Tables;
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;

mod service;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_hfsc",
    title: "HFSC (hierarchical fair service curve) of Linux",
    doc: "A scheduler of classes by service curves, as in Linux. A class may have a guarantee with a delay of its own, a share of the \
          link, and an upper limit. Any queue may be in a class.",
    reference: "Stoica, Zhang and Ng 1997; Linux sch_hfsc",
    decides: "It decides by deadlines of the classes with a guarantee, and then by virtual times, whose packet goes next. The queue of a \
          class decides about drops in it.",
    probes: &[Probe::new("overlimits", "", Probe::UP, "how often the link was free and no class might send")],
    shown: &[Counter(OVERLIMITS, Source::Probe("overlimits"))],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// The share of a class, and its upper limit.
    pub struct Share {
        /// Slope of the link-share curve at first; `auto` is `ls_m2`, or none with a `ls_d`.
        ls_m1: Option<Rate> = "auto" in [8.0, 34_359_738_360.0], "tc";
        /// The time for which it has that slope.
        ls_d: Duration = "0s" in [0.0, 4295.0], "tc";
        /// Slope of the link-share curve; shares are in proportion to it. `auto`: no share, or none after `ls_d`.
        ls_m2: Option<Rate> = "auto" in [8.0, 34_359_738_360.0], "tc";
        /// Slope of the upper limit at first; `auto` is `ul_m2`, or none with a `ul_d`.
        ul_m1: Option<Rate> = "auto" in [8.0, 34_359_738_360.0], "tc";
        /// The time for which it has that slope.
        ul_d: Duration = "0s" in [0.0, 4295.0], "tc";
        /// Slope of the upper limit; `auto`: no limit. An upper limit limits the share, not the guarantee.
        ul_m2: Option<Rate> = "auto" in [8.0, 34_359_738_360.0], "tc";
        /// The `group` above it, counted from 0; `auto` is the link.
        parent: Option<u64> = "auto" in [0.0, 1e6], "tc: parent";
    }
}

params! {
    /// A class of `sch_hfsc` with packets. It needs a guarantee or a share.
    pub struct Class {
        ..takes: Takes;
        ..share: Share;
        /// Slope of the real-time curve at first; `auto` is `rt_m2`, or none with a `rt_d`.
        rt_m1: Option<Rate> = "auto" in [8.0, 34_359_738_360.0], "tc";
        /// The time for which it has that slope.
        rt_d: Duration = "0s" in [0.0, 4295.0], "tc";
        /// Slope of the real-time curve, the guaranteed rate; `auto`: no guarantee, or none after `rt_d`.
        rt_m2: Option<Rate> = "auto" in [8.0, 34_359_738_360.0], "tc";
        /// The queue in the class, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "Linux: pfifo with the device's queue length";
    }
}

params! {
    /// A class without packets of its own.
    pub struct Above {
        ..share: Share;
    }
}

params! {
    /// Parameters of HFSC.
    pub struct Params {
        /// The classes with packets.
        class: Tables<Class> = "dscp=EF rt_m1=1Mbit rt_d=10ms rt_m2=100kbit ls_m2=100kbit; * ls_m2=900kbit",
            "our choice: 1250 bytes of calls within 10 ms; tc has none at first";
        /// The classes above them; a group comes before those below it.
        group: Tables<Above> = "", "tc has none at first";
    }
}

/// A curve, if there is one; without a first slope it begins with the second, after a time without any if one is said.
fn curve(m1: Option<Rate>, d: Duration, m2: Option<Rate>) -> Option<Curve> {
    let first = if m1.is_none() && d == Duration::ZERO { m2 } else { m1 };
    (m1.is_some() || m2.is_some()).then(|| Curve::new(first, d, m2))
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let Params { class: Tables(classes), group: Tables(groups) } = args.typed();
    let mut nodes = vec![Node::new(None, [None; 3])];
    let leaves = Leaves::new(classes.iter().map(|class| &class.queue), "class", link)?;
    let mut add = |share: &Share, real: Option<Curve>, known: usize| {
        let parent = match share.parent {
            None => 0,
            Some(parent) if (parent as usize) < known => 1 + parent as usize,
            Some(parent) => {
                let what = format!("there is no group {parent} before it");
                return Err(BuildError::new("parent", what, format!("there are {known} groups, counted from 0")));
            }
        };
        let shares = curve(share.ls_m1, share.ls_d, share.ls_m2);
        nodes.push(Node::new(Some(parent), [real, shares, curve(share.ul_m1, share.ul_d, share.ul_m2)]));
        if real.is_some() || shares.is_some() {
            return Ok(());
        }
        Err(BuildError::new("ls_m2", "it has neither a guarantee nor a share", "give \"rt_m2\", \"ls_m2\", or both"))
    };
    for (number, group) in groups.iter().enumerate() {
        add(&group.share, None, number).map_err(|error| error.inside_entry("group", number))?;
    }
    for (number, class) in classes.iter().enumerate() {
        let real = curve(class.rt_m1, class.rt_d, class.rt_m2);
        add(&class.share, real, groups.len()).map_err(|error| error.inside_entry("class", number))?;
    }
    Ok(Box::new(Hfsc {
        filters: ByFlow::new(Filters::new(classes.iter().map(|class| &class.takes), &link.groups)?),
        leaves,
        first: 1 + groups.len(),
        nodes,
        eligible: BTreeSet::new(),
        order: 0,
        overlimits: 0,
        due: None,
    }))
}

/// A place in a sorted set: a time, an order among equals, a class.
type Place = (u64, u64, usize);

/// A class, as in `struct hfsc_class` of Linux; times are ticks.
struct Node {
    parent: Option<usize>,
    real: Option<Curve>,
    share: Option<Curve>,
    upper: Option<Curve>,
    deadline: Placed,
    eligible: Placed,
    virtual_: Placed,
    ulimit: Placed,
    /// Bytes that it sent, and those of them by its guarantee.
    total: u64,
    cumul: u64,
    /// Deadline, eligible time, virtual time, and the time when it fits into its upper limit and those below.
    d: u64,
    e: u64,
    vt: u64,
    f: u64,
    myf: u64,
    cfmin: u64,
    /// Of those below: the least virtual time that was served, the greatest that any had; its own correction.
    cvtmin: u64,
    cvtoff: u64,
    vtadj: u64,
    vtperiod: u32,
    parentperiod: u32,
    active: u32,
    /// Active classes below, by virtual time and by the time when they fit.
    by_vt: BTreeSet<Place>,
    by_f: BTreeSet<Place>,
    /// Its orders in those of its parent, and in the set of eligible times.
    vt_order: u64,
    f_order: u64,
    e_order: Option<u64>,
}

impl Node {
    fn new(parent: Option<usize>, [real, share, upper]: [Option<Curve>; 3]) -> Self {
        let placed = |curve: Option<Curve>| Placed::new(curve.unwrap_or_default());
        Node {
            parent,
            real,
            share,
            upper,
            deadline: placed(real),
            eligible: placed(real),
            virtual_: placed(share),
            ulimit: placed(upper),
            total: 0,
            cumul: 0,
            d: 0,
            e: 0,
            vt: 0,
            f: 0,
            myf: 0,
            cfmin: 0,
            cvtmin: 0,
            cvtoff: 0,
            vtadj: 0,
            vtperiod: 0,
            parentperiod: 0,
            active: 0,
            by_vt: BTreeSet::new(),
            by_f: BTreeSet::new(),
            vt_order: 0,
            f_order: 0,
            e_order: None,
        }
    }
}

struct Hfsc {
    filters: ByFlow,
    leaves: Leaves,
    /// The number of the first class with packets among all: the link, groups, classes.
    first: usize,
    nodes: Vec<Node>,
    /// Classes with a guarantee that wait, by eligible time.
    eligible: BTreeSet<Place>,
    order: u64,
    overlimits: u64,
    due: Option<Instant>,
}

impl Hfsc {
    fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order
    }

    fn leave_eligible(&mut self, class: usize) {
        if let Some(order) = self.nodes[class].e_order.take() {
            self.eligible.remove(&(self.nodes[class].e, order, class));
        }
    }

    /// The eligible time and the deadline of a class whose head has these `bytes`.
    fn set_eligible(&mut self, class: usize, bytes: u32) {
        self.leave_eligible(class);
        let order = self.next_order();
        let node = &mut self.nodes[class];
        node.e = node.eligible.time_of(node.cumul);
        node.d = node.deadline.time_of(node.cumul + u64::from(bytes));
        node.e_order = Some(order);
        self.eligible.insert((node.e, order, class));
    }

    /// `init_ed`: a class with a guarantee begins to wait.
    fn begin_real(&mut self, class: usize, real: &Curve, now: u64, bytes: u32) {
        let node = &mut self.nodes[class];
        node.deadline.lower(real, now, node.cumul);
        node.eligible = node.deadline.eligible(real);
        self.set_eligible(class, bytes);
    }

    fn set_cfmin(&mut self, class: usize) {
        let node = &mut self.nodes[class];
        node.cfmin = node.by_f.first().map_or(0, |(f, ..)| *f);
    }

    /// The class has another time when it fits.
    fn set_f(&mut self, class: usize, parent: usize, f: u64) {
        let order = self.next_order();
        let node = &mut self.nodes[class];
        let before = (node.f, node.f_order, class);
        (node.f, node.f_order) = (f, order);
        let by_f = &mut self.nodes[parent].by_f;
        by_f.remove(&before);
        by_f.insert((f, order, class));
    }

    /// `init_vf`: a class begins to wait for its share, and so do those above it that had nothing to send.
    fn begin_share(&mut self, leaf: usize, now: u64) {
        let mut class = leaf;
        let mut begins = true;
        while let Some(parent) = self.nodes[class].parent {
            let node = &mut self.nodes[class];
            if begins {
                begins = node.active == 0;
                node.active += 1;
            }
            if begins {
                self.activate(class, parent, now);
            }
            let after = &self.nodes[class];
            let f = after.myf.max(after.cfmin);
            if f != after.f {
                self.set_f(class, parent, f);
            }
            self.set_cfmin(parent);
            class = parent;
        }
    }

    fn activate(&mut self, class: usize, parent: usize, now: u64) {
        let (vt_order, f_order) = (self.next_order(), self.next_order());
        let above = &mut self.nodes[parent];
        let (last, cvtmin, cvtoff) = (above.by_vt.last().copied(), above.cvtmin, above.cvtoff);
        let (period, is_idle) = (above.vtperiod, above.active == 0);
        if last.is_none() {
            above.cvtmin = 0;
        }
        let node = &mut self.nodes[class];
        match last {
            Some((most, ..)) => {
                // Between the least and the greatest of the others; not earlier within one period of the class above.
                let vt = if cvtmin == 0 { most } else { cvtmin.wrapping_add(most) / 2 };
                if period != node.parentperiod || vt > node.vt {
                    node.vt = vt;
                }
            }
            None => node.vt = cvtoff,
        }
        node.virtual_.lower(&node.share.unwrap_or_default(), node.vt, node.total);
        node.vtadj = 0;
        node.vtperiod = node.vtperiod.wrapping_add(1);
        node.parentperiod = period.wrapping_add(u32::from(is_idle));
        (node.f, node.vt_order, node.f_order) = (0, vt_order, f_order);
        let vt = node.vt;
        if let Some(upper) = node.upper {
            node.ulimit.lower(&upper, now, node.total);
            node.myf = node.ulimit.time_of(node.total);
        }
        let siblings = &mut self.nodes[parent];
        siblings.by_vt.insert((vt, vt_order, class));
        siblings.by_f.insert((0, f_order, class));
    }

    /// `update_vf`: a class has sent bytes, and waits no more if `ends`.
    fn sent(&mut self, leaf: usize, bytes: u64, ends: bool) {
        let mut ends = ends && self.nodes[leaf].share.is_some() && self.nodes[leaf].active > 0;
        let mut class = leaf;
        while let Some(parent) = self.nodes[class].parent {
            self.nodes[class].total += bytes;
            if self.nodes[class].share.is_some() && self.nodes[class].active > 0 {
                if ends {
                    self.nodes[class].active -= 1;
                    ends = self.nodes[class].active == 0;
                }
                self.advance(class, parent, ends);
            }
            class = parent;
        }
    }

    fn advance(&mut self, class: usize, parent: usize, ends: bool) {
        let order = self.next_order();
        let cvtmin = self.nodes[parent].cvtmin;
        let node = &mut self.nodes[class];
        let before = (node.vt, node.vt_order, class);
        node.vt = node.virtual_.time_of(node.total).wrapping_add(node.vtadj);
        if node.vt < cvtmin {
            // It was passed over because it did not fit.
            node.vtadj += cvtmin - node.vt;
            node.vt = cvtmin;
        }
        node.vt_order = order;
        let (vt, f, f_order) = (node.vt, node.f, node.f_order);
        let above = &mut self.nodes[parent];
        above.by_vt.remove(&before);
        if ends {
            above.cvtoff = above.cvtoff.max(vt);
            above.by_f.remove(&(f, f_order, class));
            return self.set_cfmin(parent);
        }
        above.by_vt.insert((vt, order, class));
        let after = &mut self.nodes[class];
        if after.upper.is_some() {
            after.myf = after.ulimit.time_of(after.total);
        }
        let fits = after.myf.max(after.cfmin);
        if fits != after.f {
            self.set_f(class, parent, fits);
            self.set_cfmin(parent);
        }
    }

    /// The eligible class with the earliest deadline.
    fn by_deadline(&self, now: u64) -> Option<usize> {
        let eligible = self.eligible.iter().take_while(|(e, ..)| *e <= now).map(|(.., class)| *class);
        // Among equals the first.
        eligible.min_by_key(|class| self.nodes[*class].d)
    }

    /// The class whose share is the next.
    fn by_share(&mut self, now: u64) -> Option<usize> {
        if self.nodes[0].cfmin > now {
            return None;
        }
        let mut class = 0;
        while class < self.first {
            let mut fits = self.nodes[class].by_vt.iter().filter(|(.., below)| self.nodes[*below].f <= now);
            let (vt, _, below) = fits.next().copied()?;
            self.nodes[class].cvtmin = self.nodes[class].cvtmin.max(vt);
            class = below;
        }
        Some(class)
    }

    /// Nothing waits in a class.
    fn rest(&mut self, class: usize) {
        self.sent(class, 0, true);
        self.leave_eligible(class);
    }
}

fn ticks(now: Instant) -> u64 {
    now.as_nanos() >> TICK
}

impl QueueDiscipline for Hfsc {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let leaf = self.filters.class_of(&packet);
        let (waited, bytes) = (self.leaves.waits(leaf), packet.size);
        if !self.leaves.enqueue(now, leaf, packet, cx) || waited {
            return;
        }
        let class = self.first + leaf;
        let node = &self.nodes[class];
        if node.active > 0 || node.e_order.is_some() {
            return;
        }
        if let Some(real) = node.real {
            self.begin_real(class, &real, ticks(now), bytes);
        }
        if self.nodes[class].share.is_some() {
            self.begin_share(class, ticks(now));
        }
        // The deadline is that of this packet: its queue may not drop it any more.
        if self.nodes[class].real.is_some() {
            self.leaves.peek(now, leaf, cx);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.due = None;
        if self.leaves.backlog().packets == 0 {
            return None;
        }
        let time = ticks(now);
        loop {
            let real = self.by_deadline(time);
            let Some(class) = real.or_else(|| self.by_share(time)) else {
                self.overlimits += 1;
                let next = self.eligible.first().map_or(NEVER, |(e, ..)| *e);
                let next = if self.nodes[0].cfmin > 0 { next.min(self.nodes[0].cfmin) } else { next };
                self.due = (next < NEVER >> TICK).then(|| Instant::from_nanos((next << TICK).max(now.as_nanos() + 1)));
                return None;
            };
            let leaf = class - self.first;
            let Some(packet) = self.leaves.dequeue(now, leaf, cx) else {
                if self.leaves.waits(leaf) {
                    // A shaper in the class holds its packets back.
                    return None;
                }
                self.rest(class);
                continue;
            };
            self.sent(class, u64::from(packet.size), !self.leaves.waits(leaf));
            if real.is_some() {
                self.nodes[class].cumul += u64::from(packet.size);
            }
            if self.nodes[class].real.is_some() {
                let next = if self.leaves.waits(leaf) { self.leaves.peek(now, leaf, cx) } else { None };
                match next {
                    Some(bytes) if real.is_some() => self.set_eligible(class, bytes),
                    Some(bytes) => {
                        let node = &mut self.nodes[class];
                        node.d = node.deadline.time_of(node.cumul + u64::from(bytes));
                    }
                    None => self.leave_eligible(class),
                }
            }
            return Some(packet);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        [self.due, self.leaves.next_deadline()].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        // The link asks for a packet then.
        if self.due.is_some_and(|due| due <= now) {
            self.due = None;
        }
        self.leaves.on_deadline(now, cx);
    }

    leaves_hooks!();

    probes! { |self|
        "overlimits" => self.overlimits as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{SchedulerRig, args};

    #[test]
    fn shares_are_those_of_the_curves() {
        // 3 : 1 of 40 packets.
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1 ls_m2=3Mbit; * ls_m2=1Mbit")]);
        rig.arrive(0.0, &[1; 60], 1000);
        rig.arrive(0.0, &[2; 60], 1000);
        let first = rig.serve(0.0, 40).into_iter().filter(|flow| *flow == 1).count();
        assert!((29..=31).contains(&first), "{first}");
    }

    #[test]
    fn a_guarantee_with_a_short_delay_goes_first() {
        // 1000 bytes within 2 ms, though the rate is 80 kbit/s; the other class has all of the link besides.
        let class = "flows=1 rt_m1=4Mbit rt_d=2ms rt_m2=80kbit; * ls_m2=8Mbit";
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", class)]);
        rig.arrive(0.0, &[2; 300], 1000);
        rig.arrive(0.0, &[1; 3], 1000);
        let order = rig.serve(0.0, 300);
        let at: Vec<usize> = (0..300).filter(|place| order[*place] == 1).collect();
        // The second is eligible after 2 ms and 100 ms more, when its rate allows it, and the third after 100 ms more. With the first
        // packet of 2 ms a concave curve is eligible from the start.
        assert_eq!(at, [0, 2, 102], "{at:?}");
    }

    #[test]
    fn an_upper_limit_holds_though_the_link_is_free() {
        // 1000 bytes at 2 Mbit/s are 4 ms.
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1 ls_m2=1Mbit ul_m2=2Mbit; * ls_m2=1Mbit")]);
        rig.arrive(0.0, &[1; 4], 1000);
        let mut times = Vec::new();
        let mut now = 0.0;
        while times.len() < 4 {
            match rig.next(now) {
                Some(_) => times.push(now),
                None => now = rig.queue.next_deadline().expect("a time").as_secs_f64() * 1e3,
            }
        }
        for (found, expected) in times.iter().zip([0.0, 4.0, 8.0, 12.0]) {
            assert!((found - expected).abs() < 0.01, "{times:?}");
        }
    }

    #[test]
    fn groups_share_and_so_do_classes_in_them() {
        // Two groups of equal shares, of which one has two classes.
        let settings = [
            ("group", "ls_m2=1Mbit; ls_m2=1Mbit"),
            ("class", "flows=1 ls_m2=1Mbit parent=0; flows=2 ls_m2=1Mbit parent=0; * ls_m2=1Mbit parent=1"),
        ];
        let mut rig = SchedulerRig::new(&ENTRY, &settings);
        for flow in 1..4 {
            rig.arrive(0.0, &[flow; 60], 1000);
        }
        let order = rig.serve(0.0, 80);
        let sent = [1, 2, 3].map(|flow| order.iter().filter(|sent| **sent == flow).count());
        assert!(sent[2].abs_diff(40) <= 1 && sent[0].abs_diff(sent[1]) <= 1, "{sent:?}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let wrong = |settings: &[(&str, &str)]| {
            let found = ENTRY.build(&args(&ENTRY, None, settings), &LinkContext::default());
            found.map(|_| ()).map_err(|error| error.path())
        };
        assert_eq!(wrong(&[("class", "flows=1; * ls_m2=1Mbit")]), Err("class[0].ls_m2".into()));
        assert_eq!(wrong(&[("class", "* ls_m2=1Mbit parent=0")]), Err("class[0].parent".into()));
        assert_eq!(wrong(&[("group", "ls_m2=1Mbit parent=0")]), Err("group[0].parent".into()));
    }
}
