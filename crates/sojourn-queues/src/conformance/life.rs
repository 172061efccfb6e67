//! The life of a packet under a policy is one path through the states that [the seam](crate::queue) draws. A [`Watched`] policy takes the
//! place of any other, passes every call on to a policy inside it, and notes the first call that does not follow from those before.
//! [`check`] drives one inside each discipline that takes policies.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::driver::{May, drive};
use super::{Operation, Trace};
use crate::component::BuildError;
use crate::discipline::flow_queue::{FlowQueue, Sharing};
use crate::discipline::source_quench::{Chosen, SourceQuench};
use crate::packet::{Body, Packet};
use crate::params::{Args, Kind, OUTER, Value};
use crate::queue::entry::{Build, QueueEntry};
use crate::queue::inner::InnerPolicy;
use crate::queue::{
    Backlog, By, Dropped, Limit, LinkContext, Managed, Policy, QueueDiscipline, QueueView, Stage, Tag, Verdict, What,
};
use crate::registry::QUEUES;
use crate::rng::Rng;
use crate::units::{Bytes, Instant};

/// The discipline around the watched policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// A first-in first-out queue.
    Nothing,
    /// A flow queue of four flows, which pushes out.
    FlowQueue,
    /// Source quench that spares the packets which the policy chooses.
    Sparing,
    /// Source quench that drops them.
    Dropping,
    /// The registered discipline of this name, with the policy in each of its queues.
    Registered(&'static str),
}

impl Around {
    /// All disciplines: these, and the schedulers and shapers of the registry that take policies.
    pub fn all() -> Vec<Around> {
        let takes_policies = QUEUES.iter().filter(|entry| entry.params.iter().any(|param| takes_policy(&param.kind)));
        let others = takes_policies.filter(|entry| !matches!(entry.name, "flow_queue" | "source_quench"));
        let plain = [Around::Nothing, Around::FlowQueue, Around::Sparing, Around::Dropping];
        plain.into_iter().chain(others.map(|entry| Around::Registered(entry.name))).collect()
    }

    /// The discipline with policies of one making in it, of at most `limit`.
    fn build(self, policy: &dyn Fn() -> Box<dyn Policy>, watch: &Watch, limit: Limit) -> Box<dyn QueueDiscipline> {
        let watched = || watch.over(policy(), self);
        let quench = |chosen| Managed::new(SourceQuench::new(Box::new(watched()), chosen), limit);
        match self {
            Around::Nothing => Box::new(Managed::new(watched(), limit)),
            Around::FlowQueue => {
                let sharing = Sharing::new(limit, Bytes(1514), 3);
                Box::new(FlowQueue::new((0..4).map(|_| watched()).collect(), sharing))
            }
            Around::Sparing => Box::new(quench(Chosen::Spared)),
            Around::Dropping => Box::new(quench(Chosen::Dropped)),
            Around::Registered(name) => {
                let watched = (0..QUEUES_AT_MOST).map(|_| Box::new(watched()) as Box<dyn Policy>).collect();
                registered(name, watched, limit)
            }
        }
    }

    /// Whether it may take out waiting packets to make room.
    fn pushes_out(self) -> bool {
        matches!(self, Around::FlowQueue | Around::Registered(_))
    }
}

/// Queues of a registered discipline that may ask for a policy.
const QUEUES_AT_MOST: usize = 16;

fn takes_policy(kind: &Kind) -> bool {
    match kind {
        Kind::Policy(_) => true,
        Kind::Tables(params) => params.iter().any(|param| takes_policy(&param.kind)),
        _ => false,
    }
}

/// The registered discipline with these policies, one in each queue.
fn registered(name: &str, policies: Vec<Box<dyn Policy>>, limit: Limit) -> Box<dyn QueueDiscipline> {
    let entry = QUEUES.iter().find(|entry| entry.name == name).expect("it is registered");
    let left = Mutex::new(policies);
    let next = move |_: &Args, _: &LinkContext| {
        let next = left.lock().unwrap_or_else(PoisonError::into_inner).pop();
        next.ok_or_else(|| BuildError::new("policy", "there are more queues than policies", "ask for fewer"))
    };
    // Bound: one for each call of the suite.
    let inner: &'static QueueEntry = Box::leak(Box::new(QueueEntry {
        name: "watched",
        params: &[],
        presets: &[],
        build: Build::made(next),
        ..**entry
    }));
    let policy = InnerPolicy::new(inner, Args::defaults(&[]));
    let mut args = with_policy(&Args::defaults(entry.params), &policy);
    for number in ["queues", "flows"] {
        let _ = args.set_text(number, "4");
    }
    args.set_text(OUTER, &format!("{}p", limit.packets)).expect("each has a limit");
    entry.build(&args, &LinkContext::default()).unwrap_or_else(|error| panic!("{name}: {}", error.complaint.what))
}

/// Arguments with `policy` in each place of a policy.
fn with_policy(args: &Args, policy: &InnerPolicy) -> Args {
    let value = |value: &Value| match value {
        Value::Policy(_) => Value::Policy(policy.chosen()),
        Value::Tables(tables) => Value::Tables(tables.iter().map(|table| with_policy(table, policy)).collect()),
        other => other.clone(),
    };
    Args::new(args.specs(), args.values().iter().map(value).collect())
}

/// Drives policies inside a discipline and watches the lives of the packets. `Err` names the first step that is wrong.
pub fn check(
    around: Around,
    policy: &dyn Fn() -> Box<dyn Policy>,
    limit: Limit,
    seed: u64,
    operations: &[Operation],
) -> Result<Trace, String> {
    let watch = Watch::default();
    let queue = around.build(policy, &watch, limit);
    watch.check(queue, seed, operations)
}

/// Where a packet is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has come.
    Came(Verdict),
    Waits,
    /// The policy took it out of the queue and has not heard of it.
    TakenOut,
    /// It has left the head.
    Leaves(Verdict),
}

#[derive(Clone, Copy, Debug)]
struct Life {
    state: State,
    packet: Packet,
    tag: Tag,
    /// Whether there was room when it came.
    room: bool,
}

/// The calls that the policies of one discipline got.
#[derive(Clone, Debug, Default)]
struct Log {
    /// Packets whose path has not ended, by policy and number.
    lives: BTreeMap<(usize, u64), Life>,
    /// Numbers of those that came, were dropped and sent.
    came: Vec<u64>,
    dropped: Vec<u64>,
    sent: Vec<u64>,
    policies: usize,
    broken: Option<String>,
}

/// A watch over the policies of one discipline.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<Mutex<Log>>);

impl Watch {
    /// A policy that does as `inner`, and writes down the calls that it gets.
    pub fn over<P: Policy>(&self, inner: P, around: Around) -> Watched<P> {
        let number = self.with(|log| {
            log.policies += 1;
            log.policies
        });
        Watched { inner, watch: self.clone(), number, around }
    }

    /// Drives a discipline whose policies are under this watch, and compares the reports that they heard with its actions.
    pub fn check(&self, queue: Box<dyn QueueDiscipline>, seed: u64, operations: &[Operation]) -> Result<Trace, String> {
        let driven = drive(queue, May { reorder: true, remark: true }, Rng::named(seed, "life"), operations);
        let log = self.with(std::mem::take);
        if let Some(broken) = log.broken {
            return Err(broken);
        }
        let trace = driven?;
        if let Some(((_, number), life)) = log.lives.first_key_value() {
            return Err(format!("packet {number} is gone and the policy last heard of it as {:?}", life.state));
        }
        let drops = trace.events.iter().filter(|event| matches!(event.what, What::Drop(_)));
        let arrivals = operations.iter().filter(|operation| matches!(operation, Operation::Arrive { .. })).count();
        same("arrivals", (0..arrivals as u64).collect(), log.came)?;
        same("drops", drops.filter_map(|event| number(&event.packet)).collect(), log.dropped)?;
        same("departures", trace.departures.clone(), log.sent)?;
        Ok(trace)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Log) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether the discipline did what it reported to the policies, in any order.
fn same(what: &str, mut did: Vec<u64>, mut heard: Vec<u64>) -> Result<(), String> {
    did.sort_unstable();
    heard.sort_unstable();
    if did == heard { Ok(()) } else { Err(format!("{what} were {did:?}, and the policy heard of {heard:?}")) }
}

fn number(packet: &Packet) -> Option<u64> {
    match packet.body {
        Body::Datagram { seq, .. } => Some(seq),
        _ => None,
    }
}

/// A policy that is watched.
pub struct Watched<P> {
    inner: P,
    watch: Watch,
    number: usize,
    around: Around,
}

impl<P: Policy> Watched<P> {
    fn broken(&self, what: String) {
        self.watch.with(|log| {
            log.broken.get_or_insert(what);
        });
    }

    /// The life of a packet in a call of the policy. The packet must have arrived, and be unchanged, with its tag.
    fn life(&self, hook: &str, packet: &Packet, tag: Option<Tag>) -> Option<Life> {
        let number = number(packet)?;
        let life = self.watch.with(|log| log.lives.get(&(self.number, number)).copied());
        let Some(life) = life else {
            self.broken(format!("{hook} of packet {number}, which has not come or has ended"));
            return None;
        };
        if (packet.flow, packet.size, packet.body) != (life.packet.flow, life.packet.size, life.packet.body) {
            self.broken(format!("{hook} of packet {number} shows another packet"));
        }
        if tag.is_some_and(|tag| tag != life.tag) {
            self.broken(format!("{hook} of packet {number} gives tag {tag:?}, and it was left {}", life.tag));
        }
        Some(life)
    }

    /// Gives the packet its next state; `None` is its end.
    fn becomes(&self, packet: &Packet, life: Option<Life>) {
        let Some(number) = number(packet) else { return };
        self.watch.with(|log| match life {
            Some(life) => log.lives.insert((self.number, number), life),
            None => log.lives.remove(&(self.number, number)),
        });
    }

    /// The previous step must be complete when the next one begins.
    fn settled(&self, hook: &str) {
        let undone = self.watch.with(|log| {
            let of_this = log.lives.iter().filter(|((policy, _), _)| *policy == self.number);
            of_this
                .filter(|(_, life)| life.state != State::Waits)
                .map(|((_, number), life)| (*number, life.state))
                .next()
        });
        if let Some((number, state)) = undone {
            self.broken(format!("{hook} while packet {number} is {state:?}"));
        }
    }

    /// Each packet that the policy took out in the last hook has been reported to it.
    fn heard_of_taken_out(&self, hook: &str, packet: &Packet) {
        let unheard = self.watch.with(|log| {
            let taken_out = |(key, life): (&(usize, u64), &Life)| key.0 == self.number && life.state == State::TakenOut;
            log.lives.iter().any(taken_out)
        });
        if unheard {
            self.broken(format!(
                "{hook} of packet {:?} before on_drop of packets that the policy took out",
                number(packet)
            ));
        }
    }

    /// Notes the packets that the policy took out in the hook that has returned.
    fn note_taken_out(&self, queue: &QueueView<'_>) {
        let there =
            |life: &Life| (0..).map_while(|i| queue.get(i)).any(|packet| number(packet) == number(&life.packet));
        self.watch.with(|log| {
            let of_this = log.lives.iter_mut().filter(|((policy, _), _)| *policy == self.number);
            let waits: Vec<&mut Life> =
                of_this.map(|(_, life)| life).filter(|life| life.state == State::Waits).collect();
            if waits.len() as u64 != queue.packets() {
                waits.into_iter().filter(|life| !there(life)).for_each(|life| life.state = State::TakenOut);
            }
        });
    }

    /// Whether a verdict can have ended a packet's path.
    fn drops(verdict: Verdict, packet: &Packet) -> bool {
        match verdict {
            Verdict::Pass => false,
            Verdict::Mark(_) => !packet.ecn.is_capable(),
            Verdict::Drop(_) => true,
        }
    }

    /// Whether a packet on which this was decided may go on.
    fn may_go_on(&self, verdict: Verdict, came: &Packet) -> bool {
        self.around == Around::Sparing || !Self::drops(verdict, came)
    }

    /// Whether a packet in this state may be dropped this way.
    fn may_end(&self, life: &Life, dropped: Dropped) -> bool {
        match (dropped.stage, life.state) {
            (Stage::Arrival, State::Came(verdict)) => match dropped.by {
                By::Policy => self.around != Around::Sparing && Self::drops(verdict, &life.packet),
                By::Buffer => !life.room && (self.around == Around::Sparing || !matches!(verdict, Verdict::Drop(_))),
                By::Around => false,
            },
            (Stage::Queue, State::TakenOut) => dropped.by == By::Policy,
            (Stage::Queue, State::Waits) => dropped.by == By::Around && self.around.pushes_out(),
            (Stage::Departure, State::Leaves(verdict)) => {
                dropped.by == By::Policy && self.around != Around::Sparing && Self::drops(verdict, &life.packet)
            }
            _ => false,
        }
    }
}

impl<P: Policy> Policy for Watched<P> {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.settled("an arrival");
        if queue.tag() != 0 {
            self.broken(format!("a packet comes with tag {}", queue.tag()));
        }
        let due = self.inner.next_deadline();
        let verdict = self.inner.on_arrival(now, packet, queue, rng);
        if self.inner.decides_on_arrival() && self.inner.next_deadline() != due {
            self.broken("an arrival moves the deadline of a policy that decides on arrival".into());
        }
        self.note_taken_out(queue);
        let (tag, room) = (queue.tag(), queue.has_room_for(packet));
        if let Some(number) = number(packet) {
            if self.watch.with(|log| log.came.contains(&number)) {
                self.broken(format!("packet {number} comes again"));
            }
            self.watch.with(|log| log.came.push(number));
        }
        self.becomes(packet, Some(Life { state: State::Came(verdict), packet: *packet, tag, room }));
        verdict
    }

    fn on_enqueued(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        self.heard_of_taken_out("on_enqueued", packet);
        if let Some(life) = self.life("on_enqueued", packet, Some(queue.tag())) {
            match life.state {
                State::Came(verdict) if self.may_go_on(verdict, &life.packet) && life.room => {}
                state => self.broken(format!("on_enqueued of packet {:?} after {state:?}", number(packet))),
            }
            // Where the engine keeps the packets there is no tail to see.
            if queue.tail().is_some_and(|tail| number(tail) != number(packet)) {
                self.broken(format!("on_enqueued of packet {:?}, which is not the tail", number(packet)));
            }
            self.becomes(packet, Some(Life { state: State::Waits, ..life }));
        }
        self.inner.on_enqueued(now, packet, queue);
        self.note_taken_out(queue);
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.settled("a departure");
        let life = self.life("on_departure", packet, Some(queue.tag()));
        self.becomes(packet, None);
        let verdict = self.inner.on_departure(now, packet, queue, rng);
        self.note_taken_out(queue);
        if let Some(life) = life {
            if (0..).map_while(|i| queue.get(i)).any(|other| number(other) == number(packet)) {
                self.broken(format!("on_departure of packet {:?}, which still waits", number(packet)));
            }
            self.becomes(packet, Some(Life { state: State::Leaves(verdict), ..life }));
        }
        verdict
    }

    fn on_transmission(&mut self, now: Instant, packet: &mut Packet, waiting: Backlog) {
        self.heard_of_taken_out("on_transmission", packet);
        if let Some(life) = self.life("on_transmission", packet, None) {
            match life.state {
                State::Leaves(verdict) if self.may_go_on(verdict, &life.packet) => {}
                state => self.broken(format!("on_transmission of packet {:?} after {state:?}", number(packet))),
            }
            self.becomes(packet, None);
            self.watch.with(|log| log.sent.extend(number(packet)));
        }
        self.inner.on_transmission(now, packet, waiting);
    }

    fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        if dropped != Dropped::TAKEN_OUT {
            self.heard_of_taken_out("on_drop", packet);
        }
        if let Some(life) = self.life("on_drop", packet, Some(queue.tag())) {
            if !self.may_end(&life, dropped) {
                self.broken(format!("on_drop of packet {:?}, {dropped:?}, after {:?}", number(packet), life.state));
            }
            self.becomes(packet, None);
            self.watch.with(|log| log.dropped.extend(number(packet)));
        }
        self.inner.on_drop(now, packet, dropped, queue);
        self.note_taken_out(queue);
    }

    fn on_idle(&mut self, now: Instant) {
        self.settled("on_idle");
        if self.watch.with(|log| log.lives.keys().any(|(policy, _)| *policy == self.number)) {
            self.broken("on_idle while packets wait".into());
        }
        self.inner.on_idle(now);
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.inner.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        self.settled("a deadline");
        self.inner.on_deadline(now, queue);
        self.note_taken_out(queue);
    }

    fn decides_on_arrival(&self) -> bool {
        self.inner.decides_on_arrival()
    }

    fn sends_chokes(&self) -> bool {
        self.inner.sends_chokes()
    }

    fn probes(&self) -> &'static [&'static str] {
        self.inner.probes()
    }

    fn probe(&self, index: usize) -> f64 {
        self.inner.probe(index)
    }
}

#[cfg(test)]
mod tests;
