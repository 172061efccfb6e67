//! Which packets wait of each flow: their tags in order of arrival, so that the first and the last packet of any flow are known at once.

use crate::queue::Tag;

/// No packet.
const NONE: usize = usize::MAX;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
struct Node {
    tag: Tag,
    /// Those of the same flow that came before it and after it.
    before: usize,
    after: usize,
}

/// The first and the last packet of a flow.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: usize,
    last: usize,
}

/// Tags of each flow's waiting packets; flows are small numbers, as [`FlowAccounts`](super::flow_accounts::FlowAccounts) gives them.
#[derive(Clone, Debug, Default)]
pub struct FlowPackets {
    nodes: Vec<Node>,
    free: Vec<usize>,
    flows: Vec<Ends>,
}

impl FlowPackets {
    /// A packet of the flow has come.
    pub fn push(&mut self, flow: usize, tag: Tag) {
        if flow >= self.flows.len() {
            self.flows.resize(flow + 1, Ends { first: NONE, last: NONE });
        }
        let last = self.flows[flow].last;
        let node = Node { tag, before: last, after: NONE };
        let place = self.free.pop().unwrap_or(self.nodes.len());
        if place == self.nodes.len() {
            self.nodes.push(node);
        }
        self.nodes[place] = node;
        match self.nodes.get_mut(last) {
            Some(before) => before.after = place,
            None => self.flows[flow].first = place,
        }
        self.flows[flow].last = place;
    }

    /// The first packet of a flow; `None` if none waits.
    pub fn first(&self, flow: usize) -> Option<Tag> {
        Some(self.nodes.get(self.flows.get(flow)?.first)?.tag)
    }

    /// The last packet of a flow; `None` if none waits.
    pub fn last(&self, flow: usize) -> Option<Tag> {
        Some(self.nodes.get(self.flows.get(flow)?.last)?.tag)
    }

    /// The first packet of a flow goes; `None` if none waits.
    pub fn pop_first(&mut self, flow: usize) -> Option<Tag> {
        let place = self.flows.get(flow)?.first;
        let Node { tag, after, .. } = *self.nodes.get(place)?;
        match self.nodes.get_mut(after) {
            Some(next) => next.before = NONE,
            None => self.flows[flow].last = NONE,
        }
        self.flows[flow].first = after;
        self.free.push(place);
        Some(tag)
    }

    /// The last packet of a flow goes; `None` if none waits.
    pub fn pop_last(&mut self, flow: usize) -> Option<Tag> {
        let place = self.flows.get(flow)?.last;
        let Node { tag, before, .. } = *self.nodes.get(place)?;
        match self.nodes.get_mut(before) {
            Some(previous) => previous.after = NONE,
            None => self.flows[flow].first = NONE,
        }
        self.flows[flow].last = before;
        self.free.push(place);
        Some(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    #[test]
    fn each_flow_has_a_list_of_its_own() {
        let (mut packets, mut lists) = (FlowPackets::default(), vec![VecDeque::new(); 5]);
        let mut rng = Rng::named(1, "flow packets");
        let mut most = 0;
        for tag in 0..5000 {
            let flow = rng.below(5) as usize;
            match rng.below(4) {
                0 | 1 => {
                    packets.push(flow, tag);
                    lists[flow].push_back(tag);
                }
                2 => assert_eq!(packets.pop_first(flow), lists[flow].pop_front()),
                _ => assert_eq!(packets.pop_last(flow), lists[flow].pop_back()),
            }
            assert_eq!(packets.first(flow), lists[flow].front().copied());
            assert_eq!(packets.last(flow), lists[flow].back().copied());
            most = most.max(lists.iter().map(VecDeque::len).sum());
        }
        assert_eq!(packets.nodes.len(), most, "no more than waited at a time");
    }
}
