//! Runs of consecutive losses of each flow at a queue.

/// Runs of consecutive losses of each flow at this queue.
#[derive(Clone, Debug, Default)]
pub(super) struct LossRuns {
    /// The length of the open run of each flow. Allocated at the first loss.
    pub open: Vec<u32>,
    pub open_count: u32,
    pub finished: Vec<FlowLosses>,
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
        if self.open.len() <= flow {
            self.open.resize(flow + 1, 0);
            self.finished.resize(flow + 1, FlowLosses::default());
        }
        if dropped {
            self.open_count += u32::from(self.open[flow] == 0);
            self.open[flow] += 1;
            self.finished[flow].drops = self.finished[flow].drops.saturating_add(1);
        } else {
            self.finished[flow].marks = self.finished[flow].marks.saturating_add(1);
        }
    }

    /// The run of this flow is over, if one is open.
    pub fn close(&mut self, flow: usize) {
        if let Some(length) = self.open.get_mut(flow)
            && *length > 0
        {
            let losses = &mut self.finished[flow];
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
