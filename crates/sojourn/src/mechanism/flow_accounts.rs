//! What waits of each flow, with a state of the policy's own, kept as long as something does: the account of policies that treat
//! flows apart (FRED, BRED, LQD).

use std::collections::BTreeMap;

use crate::packet::{FlowId, Packet};
use crate::queue::Backlog;

/// A flow of which something waits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account<S> {
    /// What waits of it.
    pub backlog: Backlog,
    /// What the policy keeps of it.
    pub state: S,
}

/// Flows of which something waits. The policy reports each packet that joins or leaves.
#[derive(Clone, Debug, Default)]
pub struct FlowAccounts<S> {
    flows: BTreeMap<FlowId, Account<S>>,
}

impl<S: Copy + Default> FlowAccounts<S> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// A flow; one of which nothing waits has a fresh state.
    pub fn get(&self, flow: FlowId) -> Account<S> {
        self.flows.get(&flow).copied().unwrap_or_default()
    }

    /// All, by the number of the flow.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (FlowId, &Account<S>)> {
        self.flows.iter().map(|(flow, account)| (*flow, account))
    }

    /// Changes the state of a flow of which something waits; others keep none.
    pub fn change(&mut self, flow: FlowId, change: impl FnOnce(&mut S)) {
        if let Some(account) = self.flows.get_mut(&flow) {
            change(&mut account.state);
        }
    }

    /// A packet has joined the queue.
    pub fn joined(&mut self, packet: &Packet) {
        let account = self.flows.entry(packet.flow).or_default();
        account.backlog.packets += 1;
        account.backlog.bytes += u64::from(packet.size);
    }

    /// A packet has left the queue.
    pub fn left(&mut self, packet: &Packet) {
        let Some(account) = self.flows.get_mut(&packet.flow) else { return };
        account.backlog.packets -= 1;
        account.backlog.bytes = account.backlog.bytes.saturating_sub(u64::from(packet.size));
        if account.backlog.packets == 0 {
            self.flows.remove(&packet.flow);
        }
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
}
