//! The backlog of each flow, with a state of the policy, kept as long as packets of the flow wait: the account of policies that treat
//! flows apart (FRED, BRED, LQD).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::packet::{FlowId, Packet};
use crate::queue::Backlog;

/// A flow with a backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account<S> {
    /// Its backlog.
    pub backlog: Backlog,
    /// The policy's state.
    pub state: S,
}

/// Flows with a backlog. The policy reports each packet that joins or leaves. Meanwhile each flow has a place, a small number of its own.
/// Places are used again, so that flows come and go without new memory.
#[derive(Clone, Debug, Default)]
pub struct FlowAccounts<S> {
    /// Looked up but never iterated, because its order differs from run to run. Its hash is random, so that nobody can construct
    /// collisions.
    places: HashMap<FlowId, usize>,
    /// The accounts by place. A free place has no backlog.
    accounts: Vec<(FlowId, Account<S>)>,
    free: Vec<usize>,
}

impl<S: Copy + Default> FlowAccounts<S> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// A flow's account; a flow without a backlog has a fresh state.
    pub fn get(&self, flow: FlowId) -> Account<S> {
        self.places.get(&flow).map_or_else(Account::default, |place| self.accounts[*place].1)
    }

    /// The place of a flow with a backlog.
    pub fn place(&self, flow: FlowId) -> Option<usize> {
        self.places.get(&flow).copied()
    }

    /// The flow that has a place, or had it last, and its account: of a free place one of nothing.
    pub fn at(&self, place: usize) -> (FlowId, Account<S>) {
        self.accounts[place]
    }

    /// All, by place.
    pub fn iter(&self) -> impl Iterator<Item = (FlowId, &Account<S>)> {
        self.accounts.iter().filter(|(_, account)| account.backlog.packets > 0).map(|(flow, account)| (*flow, account))
    }

    /// Changes the state of a flow with a backlog; others have none.
    pub fn change(&mut self, flow: FlowId, change: impl FnOnce(&mut S)) {
        if let Some(place) = self.places.get(&flow) {
            change(&mut self.accounts[*place].1.state);
        }
    }

    /// A packet has joined the queue: the place of its flow.
    pub fn joined(&mut self, packet: &Packet) -> usize {
        let place = match self.places.entry(packet.flow) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let place = self.free.pop().unwrap_or(self.accounts.len());
                if place == self.accounts.len() {
                    self.accounts.push((packet.flow, Account::default()));
                }
                self.accounts[place] = (packet.flow, Account::default());
                *new.insert(place)
            }
        };
        let backlog = &mut self.accounts[place].1.backlog;
        backlog.packets += 1;
        backlog.bytes += u64::from(packet.size);
        place
    }

    /// A packet has left the queue: the place that its flow has or had, if one of it waited.
    pub fn left(&mut self, packet: &Packet) -> Option<usize> {
        let place = *self.places.get(&packet.flow)?;
        let account = &mut self.accounts[place].1;
        account.backlog.packets -= 1;
        account.backlog.bytes = account.backlog.bytes.saturating_sub(u64::from(packet.size));
        if account.backlog.packets == 0 {
            *account = Account::default();
            self.places.remove(&packet.flow);
            self.free.push(place);
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(flow: u32, size: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, size)
    }

    #[test]
    fn a_flow_keeps_its_state_while_something_waits() {
        let mut flows: FlowAccounts<u64> = FlowAccounts::default();
        flows.joined(&of(1, 1000));
        flows.joined(&of(2, 500));
        flows.joined(&of(1, 40));
        flows.change(FlowId(1), |state| *state = 7);
        flows.change(FlowId(3), |state| *state = 7);

        flows.left(&of(1, 1000));
        assert_eq!(flows.get(FlowId(1)), Account { backlog: Backlog { packets: 1, bytes: 40 }, state: 7 });
        assert_eq!(flows.get(FlowId(3)), Account::default());
        assert_eq!(flows.len(), 2);

        flows.left(&of(1, 40));
        flows.joined(&of(1, 40));
        assert_eq!(flows.get(FlowId(1)).state, 0);
    }

    #[test]
    fn places_are_used_again() {
        let mut flows: FlowAccounts<u64> = FlowAccounts::default();
        assert_eq!([flows.joined(&of(7, 100)), flows.joined(&of(9, 200)), flows.joined(&of(7, 300))], [0, 1, 0]);

        assert_eq!([flows.left(&of(7, 100)), flows.left(&of(7, 300)), flows.left(&of(7, 1))], [Some(0), Some(0), None]);
        assert_eq!(flows.at(0), (FlowId(7), Account::default()));

        assert_eq!(flows.joined(&of(8, 400)), 0);
        assert_eq!(flows.at(0).0, FlowId(8));
        let all: Vec<(u32, u64)> = flows.iter().map(|(flow, account)| (flow.0, account.backlog.bytes)).collect();
        assert_eq!(all, [(8, 400), (9, 200)]);
    }

    #[test]
    fn flows_that_come_and_go_ask_for_no_memory() {
        let mut flows: FlowAccounts<u64> = FlowAccounts::default();
        let mut pass = |packets: std::ops::Range<u32>| {
            for flow in packets {
                flows.joined(&of(flow, 1000));
                if flow >= 100 {
                    flows.left(&of(flow - 100, 1000));
                }
            }
        };
        // A table that is full of removed entries is made anew once.
        pass(0..10_000);

        let measured = allocation_counter::measure(|| pass(10_000..100_000));

        assert_eq!(measured.count_total, 0);
    }
}
