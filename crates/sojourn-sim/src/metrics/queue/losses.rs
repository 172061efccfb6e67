//! Runs of consecutive losses of each flow at a queue.

/// Runs of consecutive losses of each flow at this queue.
///
/// Flows have places from the first to the last one that lost a packet: where each of many queues has its own few flows, not each queue
/// has a place for all.
#[derive(Clone, Debug, Default)]
pub(super) struct LossRuns {
    pub open_count: u32,
    /// The number of the flow in the first place.
    first: usize,
    /// The length of the open run of each flow.
    open: Vec<u32>,
    finished: Vec<FlowLosses>,
}

/// The losses of a flow at a queue.
///
/// Bound: counting stops at 4e9 packets of each kind, because there may be a million flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowLosses {
    /// Packets dropped.
    pub drops: u32,
    /// Packets marked.
    pub marks: u32,
    /// Runs of consecutive drops.
    pub runs: u32,
    /// Longest run.
    pub run_max: u32,
    /// Runs of one, of two and of three drops.
    pub runs_of: [u32; 3],
}

impl LossRuns {
    /// A packet of this flow was dropped, or else marked.
    pub fn count(&mut self, flow: usize, dropped: bool) {
        let place = self.place(flow);
        let losses = &mut self.finished[place];
        if dropped {
            self.open_count += u32::from(self.open[place] == 0);
            self.open[place] += 1;
            losses.drops = losses.drops.saturating_add(1);
        } else {
            losses.marks = losses.marks.saturating_add(1);
        }
    }

    /// The place of a flow, which is made if there is none.
    fn place(&mut self, flow: usize) -> usize {
        if self.open.is_empty() {
            self.first = flow;
        } else if flow < self.first {
            let more = self.first - flow;
            self.open.splice(0..0, std::iter::repeat_n(0, more));
            self.finished.splice(0..0, std::iter::repeat_n(FlowLosses::default(), more));
            self.first = flow;
        }
        let place = flow - self.first;
        if self.open.len() <= place {
            self.open.resize(place + 1, 0);
            self.finished.resize(place + 1, FlowLosses::default());
        }
        place
    }

    /// All runs are over.
    pub fn close_all(&mut self) {
        for place in 0..self.open.len() {
            self.close(self.first + place);
        }
    }

    /// The losses of a flow.
    pub fn of(&self, flow: usize) -> FlowLosses {
        flow.checked_sub(self.first).and_then(|place| self.finished.get(place)).copied().unwrap_or_default()
    }

    /// The run of this flow is over, if one is open.
    pub fn close(&mut self, flow: usize) {
        let place = flow.wrapping_sub(self.first);
        if let Some(length) = self.open.get_mut(place)
            && *length > 0
        {
            let losses = &mut self.finished[place];
            losses.runs += 1;
            losses.run_max = losses.run_max.max(*length);
            if let Some(runs) = losses.runs_of.get_mut(*length as usize - 1) {
                *runs += 1;
            }
            *length = 0;
            self.open_count -= 1;
        }
    }
}
