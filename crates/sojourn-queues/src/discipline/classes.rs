//! Classes of packets, each with a queue of its own under any policy: the common part of the schedulers by class.
//!
//! A packet belongs to the first class that takes it, and to the last one if none does. The policy of a class sees its own queue,
//! and the rate of the whole link.

use std::ops::Range;

use crate::choices;
use crate::header::Dscp;
use crate::packet::Ecn;
use crate::params::{Flows, Several, nearest};
use crate::quantity::Complaint;
use crate::queue::inner::InnerPolicy;
use crate::queue::prelude::*;
use crate::queue::{FlowGroups, Policed};

choices! {
    /// An ECN field.
    pub enum EcnField {
        /// Not ECN-capable.
        NotEct = "not_ect",
        /// ECN-capable, codepoint 0.
        Ect0 = "ect0",
        /// ECN-capable, codepoint 1.
        Ect1 = "ect1",
        /// Congestion experienced.
        Ce = "ce",
    }
}

params! {
    /// Which packets a class takes: those that fit each of these.
    pub struct Takes {
        /// Flows whose packets belong to the class: flow groups by name, or flows by number in the order of the scenario.
        flows: Several<Flows> = "", "our choice: empty takes all packets";
        /// Codepoints of differentiated services (DSCP) whose packets belong to the class.
        dscp: Several<Dscp> = "", "our choice: empty takes all packets";
        /// Values of the ECN field whose packets belong to the class.
        ecn: Several<EcnField> = "", "our choice: empty takes all packets";
        /// Priorities whose packets belong to the class, as packets carry them.
        priority: Several<u64> = "" in [0.0, 255.0], "our choice: empty takes all packets";
        /// The largest packet that belongs to the class.
        size_max: Option<Bytes> = "auto" in [1.0, 1e9], "our choice: `auto` takes packets of any size";
    }
}

params! {
    /// A class: its packets, and the queue in which they wait.
    pub struct ClassQueue {
        ..takes: Takes;
        /// The most that may wait in the class.
        limit: Option<Size> = "auto" in [0.0, 1e12], "auto: the limit of the queue";
        /// The policy in the queues of the class.
        policy: InnerPolicy = "fifo", "drop tail";
    }
}

impl Takes {
    /// An error if it names flows that are not there.
    pub fn check(&self, groups: &FlowGroups) -> Result<(), BuildError> {
        Filter::new(self, groups).map(|_| ())
    }
}

/// The packets of a class, ready for a test.
#[derive(Clone, Debug)]
struct Filter {
    flows: Vec<Range<u32>>,
    /// A bit for each codepoint.
    dscp: u64,
    /// A bit for each ECN field.
    ecn: u8,
    /// A bit for each priority.
    priorities: [u64; 4],
    size_max: u32,
}

impl Filter {
    fn new(takes: &Takes, groups: &FlowGroups) -> Result<Self, BuildError> {
        let flows = takes.flows.0.iter().map(|flows| {
            flows_called(&flows.0, groups).map_err(|complaint| BuildError::new("flows", complaint.what, complaint.hint))
        });
        let mut priorities = [0; 4];
        for &priority in &takes.priority.0 {
            priorities[priority as usize / 64] |= 1 << (priority % 64);
        }
        let ecn = takes.ecn.0.iter().fold(0, |bits, field| bits | bit_of(field.as_ecn()));
        let dscp = takes.dscp.0.iter().fold(0, |bits, dscp| bits | 1_u64 << dscp.number());
        Ok(Filter {
            flows: flows.collect::<Result<_, _>>()?,
            dscp: if dscp == 0 { u64::MAX } else { dscp },
            ecn: if ecn == 0 { u8::MAX } else { ecn },
            priorities: if takes.priority.0.is_empty() { [u64::MAX; 4] } else { priorities },
            size_max: takes.size_max.map_or(u32::MAX, |bytes| u32::try_from(bytes.0).unwrap_or(u32::MAX)),
        })
    }

    fn takes(&self, packet: &Packet) -> bool {
        let priority = self.priorities[usize::from(packet.priority / 64)] >> (packet.priority % 64) & 1;
        self.dscp >> packet.dscp.number() & 1 != 0
            && self.ecn & bit_of(packet.ecn) != 0
            && priority != 0
            && packet.size <= self.size_max
            && (self.flows.is_empty() || self.flows.iter().any(|flows| flows.contains(&packet.flow.0)))
    }
}

impl EcnField {
    fn as_ecn(self) -> Ecn {
        match self {
            EcnField::NotEct => Ecn::NotEct,
            EcnField::Ect0 => Ecn::Ect0,
            EcnField::Ect1 => Ecn::Ect1,
            EcnField::Ce => Ecn::Ce,
        }
    }
}

fn bit_of(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 1,
        Ecn::Ect0 => 2,
        Ecn::Ect1 => 4,
        Ecn::Ce => 8,
    }
}

/// The flows that a user's text names: a group by its name, else numbers.
fn flows_called(text: &str, groups: &FlowGroups) -> Result<Range<u32>, Complaint> {
    if let Some(flows) = groups.get(text) {
        return Ok(flows);
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..last.saturating_add(1)),
        (Ok(_), Ok(_)) => Err(Complaint {
            what: format!("the flows {text:?} end before they begin"),
            hint: "write the lower number first".into(),
        }),
        _ => {
            let near = nearest(text, groups.names()).map(|near| format!("did you mean {near:?}?"));
            let known = || match groups.names().next() {
                None => {
                    "allowed: numbers of flows such as 3 or \"4-9\", as there is no scenario with names here".into()
                }
                Some(_) => format!("known: {}", groups.names().collect::<Vec<_>>().join(", ")),
            };
            Err(Complaint { what: format!("there is no flow group {text:?}"), hint: near.unwrap_or_else(known) })
        }
    }
}

/// The packets of classes, in their order.
#[derive(Clone, Debug)]
pub struct Filters(Vec<Filter>);

impl Filters {
    /// Made from the tables in the parameter `class`; there is at least one, and each may take something.
    pub fn new<'a>(classes: impl IntoIterator<Item = &'a Takes>, groups: &FlowGroups) -> Result<Self, BuildError> {
        let mut filters = Vec::new();
        let mut takes_all = None;
        for (number, takes) in classes.into_iter().enumerate() {
            let inside = |error: BuildError| error.inside_entry("class", number);
            if let Some(before) = takes_all {
                let what = format!("no packet is left for this class: class {before} takes all");
                let hint = format!("say in class {before} which packets it takes, or put it last");
                return Err(inside(BuildError::new("flows", what, hint)));
            }
            if *takes == Takes::default() {
                takes_all = Some(number);
            }
            filters.push(Filter::new(takes, groups).map_err(inside)?);
        }
        if filters.is_empty() {
            return Err(BuildError::new(
                "class",
                "there are no classes",
                "give at least one, such as { dscp = \"EF\" }",
            ));
        }
        Ok(Filters(filters))
    }

    /// Classes that may take packets of a flow, in their order.
    fn of_flow(&self, flow: u32) -> Box<[u32]> {
        let of_flow =
            |filter: &Filter| filter.flows.is_empty() || filter.flows.iter().any(|flows| flows.contains(&flow));
        (0_u32..).zip(&self.0).filter(|(_, filter)| of_flow(filter)).map(|(class, _)| class).collect()
    }

    /// The class of a packet.
    pub fn class_of(&self, packet: &Packet) -> usize {
        self.0.iter().position(|filter| filter.takes(packet)).unwrap_or(self.0.len() - 1)
    }
}

/// [`Filters`] for many classes: those that may take packets of a flow are found once.
#[derive(Clone, Debug)]
pub struct ByFlow {
    filters: Filters,
    of_flow: Vec<Option<Box<[u32]>>>,
}

/// Flows of higher numbers are looked for each time.
const KNOWN_FLOWS: usize = 1 << 20;

impl ByFlow {
    /// Nothing is known of flows yet.
    pub fn new(filters: Filters) -> Self {
        ByFlow { filters, of_flow: Vec::new() }
    }

    /// The class of a packet.
    pub fn class_of(&mut self, packet: &Packet) -> usize {
        let flow = packet.flow.0 as usize;
        if flow >= KNOWN_FLOWS {
            return self.filters.class_of(packet);
        }
        if flow >= self.of_flow.len() {
            self.of_flow.resize(flow + 1, None);
        }
        let Filters(filters) = &self.filters;
        let known = self.of_flow[flow].get_or_insert_with(|| self.filters.of_flow(packet.flow.0));
        let found = known.iter().find(|class| filters[**class as usize].takes(packet));
        found.map_or(filters.len() - 1, |class| *class as usize)
    }
}

/// Flows that a user's text names, in equal parts, as texts that name them.
pub fn parts_of(flows: &Flows, parts: u64, groups: &FlowGroups) -> Result<impl Iterator<Item = String>, BuildError> {
    let wrong = |complaint: Complaint| BuildError::new("flows", complaint.what, complaint.hint);
    let Range { start, end } = flows_called(&flows.0, groups).map_err(wrong)?;
    let each = u64::from(end - start) / parts;
    if each * parts != u64::from(end - start) {
        let what = format!("the {} flows {:?} cannot be divided among {parts} copies evenly", end - start, &*flows.0);
        return Err(BuildError::new("flows", what, format!("have a multiple of {parts} flows there")));
    }
    Ok((0..parts).map(move |part| {
        let first = u64::from(start) + part * each;
        format!("{first}-{}", first + each - 1)
    }))
}

/// The queues of classes, in order.
pub struct ClassQueues {
    filters: Filters,
    queues: Vec<Policed<Box<dyn Policy>>>,
    limit: Limit,
    backlog: Backlog,
    transmitting: bool,
    /// The class from which the last packet was sent, if nothing was left there.
    emptied: Option<usize>,
    /// Not later than the earliest deadline of a policy.
    due: Option<Instant>,
}

impl ClassQueues {
    /// Made from the tables in the parameter `class`; `limit` is that of classes without one.
    pub fn new<'a>(
        classes: impl Iterator<Item = &'a ClassQueue> + Clone,
        limit: Size,
        link: &LinkContext,
    ) -> Result<Self, BuildError> {
        let filters = Filters::new(classes.clone().map(|class| &class.takes), &link.groups)?;
        let mut queues = Vec::new();
        for (number, class) in classes.enumerate() {
            let inside = |error: BuildError| error.inside_entry("class", number);
            let own = class.limit.unwrap_or(limit);
            let policy = class.policy.clone().over(own).build("policy", link).map_err(inside)?;
            queues.push(Policed::new(policy, Limit::from_size(own, link)));
        }
        let due = queues.iter().filter_map(|queue: &Policed<Box<dyn Policy>>| queue.policy().next_deadline()).min();
        let all = sum(queues.iter().map(Policed::limit));
        Ok(ClassQueues {
            filters,
            queues,
            limit: all,
            backlog: Backlog::default(),
            transmitting: false,
            emptied: None,
            due,
        })
    }

    /// Number of classes; at least one.
    #[allow(clippy::len_without_is_empty, reason = "there is always a class")]
    pub fn len(&self) -> usize {
        self.queues.len()
    }

    /// The class of a packet.
    pub fn class_of(&self, packet: &Packet) -> usize {
        self.filters.class_of(packet)
    }

    /// A packet of `class` comes. Returns whether it was queued.
    pub fn enqueue(&mut self, now: Instant, class: usize, packet: Packet, cx: &mut Context) -> bool {
        self.with(class, |queue, transmitting| queue.enqueue(now, packet, transmitting, cx))
    }

    /// Before the scheduler chooses.
    pub fn turn(&mut self, now: Instant) {
        self.transmitting = true;
        if let Some(class) = self.emptied.take()
            && self.queues[class].backlog().packets == 0
        {
            self.queues[class].policy_mut().on_idle(now);
        }
    }

    /// The next packet of `class` that its policy lets go, if any.
    pub fn dequeue(&mut self, now: Instant, class: usize, cx: &mut Context) -> Option<Packet> {
        let packet = self.with(class, |queue, _| queue.dequeue(now, cx));
        if self.queues[class].backlog().packets == 0 {
            self.emptied = Some(class);
        }
        packet
    }

    /// Nothing can be sent now.
    pub fn rest(&mut self) {
        self.transmitting = false;
    }

    /// The backlog of a class.
    pub fn backlog_of(&self, class: usize) -> Backlog {
        self.queues[class].backlog()
    }

    /// Bytes of the packet at the head of a class.
    pub fn head(&self, class: usize) -> Option<u32> {
        self.queues[class].head().map(|packet| packet.size)
    }

    /// The backlog of all.
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// The limit of all.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// The earliest deadline of a policy.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    /// Serves the deadlines of policies.
    pub fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        for class in 0..self.queues.len() {
            if self.queues[class].policy().next_deadline().is_some_and(|due| due <= now) {
                self.with(class, |queue, transmitting| queue.on_deadline(now, transmitting, cx));
            }
        }
        self.due = self.queues.iter().filter_map(|queue| queue.policy().next_deadline()).min();
    }

    /// Whether a policy sends choke packets.
    pub fn sends_chokes(&self) -> bool {
        self.queues.iter().any(|queue| queue.policy().sends_chokes())
    }

    /// Calls a queue, and keeps the account of all.
    fn with<T>(&mut self, class: usize, act: impl FnOnce(&mut Policed<Box<dyn Policy>>, bool) -> T) -> T {
        let queue = &mut self.queues[class];
        let before = queue.backlog();
        let done = act(queue, self.transmitting);
        let after = queue.backlog();
        self.backlog.packets = self.backlog.packets + after.packets - before.packets;
        self.backlog.bytes = self.backlog.bytes + after.bytes - before.bytes;
        self.due = [self.due, queue.policy().next_deadline()].into_iter().flatten().min();
        done
    }
}

/// The limit of all queues with these limits together. A packet has at least one byte.
pub fn sum(limits: impl Iterator<Item = Limit>) -> Limit {
    limits.fold(Limit { packets: 0, bytes: 0 }, |sum, limit| Limit {
        packets: sum.packets.saturating_add(limit.packets.min(limit.bytes)),
        bytes: sum.bytes.saturating_add(limit.bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::params::Tables;

    fn classes(text: &str) -> Result<ClassQueues, BuildError> {
        let value = crate::discipline::priority::Params::SPECS[1].read_text(text).expect("tables");
        let Tables(classes) = crate::params::ParamType::from_value(value).expect("of classes");
        let groups = FlowGroups::new([("voice".to_owned(), 3), ("data".to_owned(), 5)]);
        let link = LinkContext { groups, ..LinkContext::default() };
        let classes: Vec<crate::discipline::priority::Class> = classes;
        ClassQueues::new(classes.iter().map(|class| &class.queue), Size::Packets(10.0), &link)
    }

    fn packet(flow: u32, size: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, size)
    }

    #[test]
    fn the_first_class_that_takes_a_packet_has_it_and_the_last_has_the_rest() {
        let by = |text: &str| classes(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let flows = by("flows=voice; flows=4; flows=5-6; flows=0-7");
        let found: Vec<usize> = (0..9).map(|flow| flows.class_of(&packet(flow, 100))).collect();
        assert_eq!(found, [0, 0, 0, 3, 1, 2, 2, 3, 3], "what no class takes goes to the last");

        let sizes = by("size_max=100B; size_max=1000B; *");
        assert_eq!([100, 101, 1000, 1001].map(|size| sizes.class_of(&packet(0, size))), [0, 1, 1, 2]);

        let marks = by("dscp=EF; dscp=AF11,AF12 ecn=ect0,ce; priority=200,3; *");
        let with = |dscp: &str, ecn, priority| {
            let dscp = Dscp::read(dscp).expect("a codepoint");
            marks.class_of(&Packet { dscp, priority, ..packet(0, 100) }.with_ecn(ecn))
        };
        assert_eq!((with("EF", Ecn::NotEct, 0), with("46", Ecn::Ce, 200)), (0, 0));
        assert_eq!((with("AF12", Ecn::Ce, 0), with("AF12", Ecn::Ect1, 0), with("AF13", Ecn::Ce, 0)), (1, 3, 3));
        assert_eq!((with("DF", Ecn::NotEct, 200), with("DF", Ecn::NotEct, 3), with("DF", Ecn::NotEct, 201)), (2, 2, 3));
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        let wrong = |text: &str| {
            let error = classes(text).err().unwrap_or_else(|| panic!("{text} is built"));
            (error.path(), error.complaint.what + "; " + &error.complaint.hint)
        };
        let (path, unknown) = wrong("flows=voice; flows=dat; *");
        assert_eq!(path, "class[1].flows");
        assert!(unknown.contains("no flow group \"dat\"") && unknown.contains("did you mean \"data\""), "{unknown}");
        assert!(wrong("flows=nothing; *").1.contains("known: voice, data"));
        assert!(wrong("flows=9-3; *").1.contains("lower number first"));
        let (third, idle) = wrong("flows=voice; *; flows=data");
        assert_eq!(third, "class[2].flows");
        assert!(idle.contains("class 1 takes all"), "{idle}");
        assert_eq!(wrong("flows=voice policy=red:min_th=50p,max_th=5p; *").0, "class[0].policy.max_th");
        assert_eq!(wrong("").0, "class");
    }

    #[test]
    fn each_class_has_its_limit() {
        let mut queues = classes("flows=voice limit=2p; flows=data limit=5000B; *").expect("classes");
        let mut cx = Context::new(Rng::named(1, "classes"));
        let now = Instant::ZERO;

        let mut queued = |class, packet: Packet| [(); 4].map(|()| queues.enqueue(now, class, packet, &mut cx));
        assert_eq!(queued(0, packet(0, 100)), [true, true, false, false]);
        assert_eq!(queued(1, packet(3, 2500)), [true, true, false, false]);
        assert_eq!(queues.limit(), Limit { packets: 2 + 5000 + 10, bytes: u64::MAX });
        assert_eq!(queues.backlog(), Backlog { packets: 4, bytes: 5200 });
    }
}
