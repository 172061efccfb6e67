//! Drives a discipline as a link does, and compares it with an account of its own.

use std::collections::BTreeMap;

use super::operations::{Operation, Trace};
use crate::header::{DelayHint, Dscp};
use crate::packet::{Body, Ecn, FlowId, Packet};
use crate::queue::{Backlog, Context, Event, Limit, QueueDiscipline, What};
use crate::rng::Rng;
use crate::units::Instant;

/// The actions of a discipline on packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct May {
    /// Let those of one flow overtake each other.
    pub reorder: bool,
    /// Write their codepoint and their service.
    pub remark: bool,
}

/// Drives `queue` through `operations` and empties it. `Err` names the rule that it broke, and the operation.
pub fn drive(queue: Box<dyn QueueDiscipline>, may: May, rng: Rng, operations: &[Operation]) -> Result<Trace, String> {
    let mut driver = Driver {
        queue,
        cx: Context::new(rng),
        may,
        now: Instant::ZERO,
        transmitting: false,
        packets: Vec::new(),
        waiting: Backlog::default(),
        last_of_flow: BTreeMap::new(),
        trace: Trace::default(),
    };
    for (index, operation) in operations.iter().enumerate() {
        driver.apply(*operation).map_err(|broken| format!("operation {index}, {operation:?}: {broken}"))?;
    }
    driver.empty().map_err(|broken| format!("emptying: {broken}"))?;
    Ok(driver.trace)
}

/// The number of deadlines after which nothing more is expected to come out.
const DEADLINES_IN_VAIN: u32 = 100_000;

/// Where a packet is, by the driver's own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Waiting,
    Out,
    Dropped,
}

struct Driver {
    queue: Box<dyn QueueDiscipline>,
    cx: Context,
    may: May,
    now: Instant,
    transmitting: bool,
    packets: Vec<(Packet, Place)>,
    waiting: Backlog,
    last_of_flow: BTreeMap<FlowId, u64>,
    trace: Trace,
}

impl Driver {
    fn apply(&mut self, operation: Operation) -> Result<(), String> {
        match operation {
            Operation::Arrive { flow, size, ecn, hint } => {
                let plain = Packet::datagram(FlowId(flow), self.packets.len() as u64, size).with_ecn(ecn);
                // Classes go by these.
                let dscp = Dscp::new([0, 46, 10, 12][flow as usize % 4]).unwrap_or_default();
                let packet = Packet { delay_hint: hint.map(DelayHint::new), dscp, priority: flow as u8, ..plain };
                self.packets.push((packet, Place::Waiting));
                self.count(&packet, true);
                self.queue.enqueue(self.now, packet, &mut self.cx);
                self.take_events()?;
                if !self.transmitting {
                    self.transmit()?;
                }
            }
            Operation::Depart if self.transmitting => self.transmit()?,
            Operation::Depart => {}
            Operation::Pause(span) => self.pass(self.now + span)?,
        }
        self.compare()
    }

    fn transmit(&mut self) -> Result<(), String> {
        let out = self.queue.dequeue(self.now, &mut self.cx);
        self.take_events()?;
        self.transmitting = out.is_some();
        match out {
            Some(packet) => self.leaves(&packet),
            None => Ok(()),
        }
    }

    fn leaves(&mut self, packet: &Packet) -> Result<(), String> {
        let number = self.change_place(packet, Place::Out)?;
        let original = self.packets[number as usize].0;
        let marked = self.trace.events.iter().any(|event| matches!(event.what, What::Mark(_)) && is(event, number));
        let ecn = if marked { Ecn::Ce } else { original.ecn };
        // Routers may write labels for the next one.
        let mut came_out = Packet { enqueued_at: original.enqueued_at, label: original.label, ..*packet };
        if self.may.remark {
            (came_out.dscp, came_out.service) = (original.dscp, original.service);
        }
        if came_out != original.with_ecn(ecn) {
            return Err(format!("packet {number} came out changed: {packet:?}"));
        }
        let last = self.last_of_flow.insert(packet.flow, number);
        if !self.may.reorder && last.is_some_and(|last| last > number) {
            return Err(format!("packet {number} came out behind a later one of its flow"));
        }
        self.trace.departures.push(number);
        Ok(())
    }

    fn take_events(&mut self) -> Result<(), String> {
        let events: Vec<Event> = self.cx.events.drain().collect();
        for event in events {
            if event.time != self.now {
                return Err(format!("an event says {:?} at {:?}", event.time, self.now));
            }
            match event.what {
                What::Drop(_) => {
                    self.change_place(&event.packet, Place::Dropped)?;
                }
                What::Mark(_) => {
                    let number = self.known(&event.packet)?;
                    if !self.packets[number as usize].0.ecn.is_capable() || event.packet.ecn != Ecn::Ce {
                        return Err(format!("packet {number} was marked and is not capable of it, or carries no mark"));
                    }
                }
                What::Choke(_) => {
                    if !self.queue.sends_chokes() {
                        return Err("it sends choke packets and does not say that it does".into());
                    }
                    let Body::Datagram { seq, .. } = event.packet.body else {
                        return Err("a packet's body changed".into());
                    };
                    if seq as usize >= self.packets.len() {
                        return Err(format!("a choke packet is about packet {seq}, which never came"));
                    }
                }
                What::Loss(_) => return Err("a queue knows nothing of losses on the link".into()),
            }
            self.trace.events.push(event);
        }
        Ok(())
    }

    /// Its number, if it waits.
    fn known(&self, packet: &Packet) -> Result<u64, String> {
        let Body::Datagram { seq, .. } = packet.body else {
            return Err("a packet's body changed".into());
        };
        match self.packets.get(seq as usize) {
            Some((_, Place::Waiting)) => Ok(seq),
            Some((_, place)) => Err(format!("packet {seq} appears again and is {place:?} already")),
            None => Err(format!("packet {seq} never came")),
        }
    }

    fn change_place(&mut self, packet: &Packet, place: Place) -> Result<u64, String> {
        let number = self.known(packet)?;
        self.packets[number as usize].1 = place;
        self.count(packet, false);
        Ok(number)
    }

    fn count(&mut self, packet: &Packet, joins: bool) {
        let size = u64::from(packet.size);
        if joins {
            self.waiting.packets += 1;
            self.waiting.bytes += size;
        } else {
            self.waiting.packets -= 1;
            self.waiting.bytes -= size;
        }
    }

    /// Serves the deadlines up to `until`.
    fn pass(&mut self, until: Instant) -> Result<(), String> {
        while let Some(due) = self.queue.next_deadline().filter(|due| *due <= until) {
            if due < self.now {
                return Err(format!("the next deadline {due:?} lies in the past of {:?}", self.now));
            }
            self.now = due;
            self.queue.on_deadline(due, &mut self.cx);
            self.take_events()?;
            if self.queue.next_deadline().is_some_and(|next| next <= due) {
                return Err(format!("the deadline {due:?} was served and is not used up"));
            }
            // The link that is idle asks again.
            if !self.transmitting && self.waiting.packets > 0 {
                self.transmit()?;
            }
        }
        self.now = until;
        Ok(())
    }

    fn compare(&self) -> Result<(), String> {
        let (backlog, limit) = (self.queue.backlog(), self.queue.limit());
        if backlog != self.waiting {
            return Err(format!("the queue says {backlog:?}, in - out - dropped is {:?}", self.waiting));
        }
        if backlog.packets > limit.packets || backlog.bytes > limit.bytes {
            return Err(format!("{backlog:?} is over the limit {limit:?}"));
        }
        if limit == Limit::NONE {
            return Err("the queue has no limit".into());
        }
        match (0..self.queue.probes().len()).find(|index| self.queue.probe(*index).is_nan()) {
            Some(index) => Err(format!("probe {} is not a number", self.queue.probes()[index])),
            None => Ok(()),
        }
    }

    fn empty(&mut self) -> Result<(), String> {
        self.transmitting = true;
        let mut in_vain = 0;
        while self.transmitting || self.waiting.packets > 0 {
            self.transmit()?;
            // A shaper lets the link wait for a deadline.
            if !self.transmitting && self.waiting.packets > 0 {
                let Some(due) = self.queue.next_deadline().filter(|_| in_vain < DEADLINES_IN_VAIN) else { break };
                in_vain += 1;
                self.pass(due)?;
            }
        }
        self.compare()?;
        if self.waiting == Backlog::default() { Ok(()) } else { Err(format!("{:?} never came out", self.waiting)) }
    }
}

fn is(event: &Event, number: u64) -> bool {
    matches!(event.packet.body, Body::Datagram { seq, .. } if seq == number)
}
