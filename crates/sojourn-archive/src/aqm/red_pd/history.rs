//! RED-PD's memory: how much of each flow was dropped in the last intervals, and how many of their lists each flow is in. Only flows that
//! are in a list, are monitored, or have lost packets in the present interval have records.

use std::collections::BTreeMap;

use super::monitored::Monitored;
use sojourn_queues::packet::FlowId;

/// Lists that there may be.
pub const LISTS_MOST: usize = 16;

/// Bytes of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bytes {
    /// Those that came.
    pub arrived: u64,
    /// The packets among them that the filter dropped.
    pub filtered: u64,
    /// The packets among them that the queue behind the filter dropped or marked.
    pub dropped: u64,
}

impl Bytes {
    /// The share of its arrivals that the queue behind the filter dropped.
    pub fn drop_rate(self) -> f64 {
        ratio(self.dropped, self.arrived - self.filtered)
    }

    /// The part that was dropped in all.
    pub fn loss(self) -> f64 {
        ratio(self.filtered + self.dropped, self.arrived)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The state of a flow.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// In the present interval.
    pub present: Bytes,
    /// Bytes dropped behind the filter, in the list of each interval, the last one first; 0 where it is in none.
    lists: [u64; LISTS_MOST],
    /// If it is monitored.
    pub monitored: Option<Monitored>,
}

impl Record {
    /// In how many lists it is, and the bytes in them.
    pub fn listed(&self) -> (u64, u64) {
        self.lists.iter().fold((0, 0), |(lists, bytes), own| (lists + u64::from(*own > 0), bytes + own))
    }
}

/// The records by flow: a tree, whose depth no choice of flows can make worse than its size does.
#[derive(Clone, Debug)]
pub struct History {
    pub records: BTreeMap<FlowId, Record>,
    /// M.
    lists: usize,
    /// Flows in a list.
    longest: usize,
}

impl History {
    /// Empty; `lists` of at most `longest` flows.
    pub fn new(lists: u64, longest: u64) -> Self {
        History { records: BTreeMap::new(), lists: (lists as usize).min(LISTS_MOST), longest: longest as usize }
    }

    /// Makes a list of the flows that lost something behind the filter in the present interval: those that lost most, of equals those
    /// with the least number. The oldest list is forgotten.
    pub fn close_list(&mut self) {
        let lost = |record: &Record| record.present.dropped;
        let mut lowest = 0;
        if self.records.values().filter(|record| lost(record) > 0).count() > self.longest {
            let mut bytes: Vec<u64> = self.records.values().map(lost).collect();
            bytes.sort_unstable_by(|a, b| b.cmp(a));
            lowest = bytes[self.longest - 1];
        }
        let mut room = self.longest - self.records.values().filter(|record| lost(record) > lowest).count();
        for record in self.records.values_mut() {
            let equals = lowest > 0 && record.present.dropped == lowest;
            let enters = record.present.dropped > lowest || (equals && room > 0);
            room -= usize::from(equals && enters);
            record.lists[..self.lists].rotate_right(1);
            record.lists[0] = if enters { record.present.dropped } else { 0 };
        }
    }

    /// Begins an interval: who is in no list and not monitored is forgotten.
    pub fn begin_interval(&mut self) {
        self.records.retain(|_, record| record.monitored.is_some() || record.listed().0 > 0);
        self.records.values_mut().for_each(|record| record.present = Bytes::default());
    }

    /// How many flows are monitored.
    pub fn monitored(&self) -> usize {
        self.records.values().filter(|record| record.monitored.is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closes an interval in which flows lost these bytes.
    fn interval(history: &mut History, lost: &[(u32, u64)]) {
        for (flow, dropped) in lost {
            history.records.entry(FlowId(*flow)).or_default().present.dropped = *dropped;
        }
        history.close_list();
        history.begin_interval();
    }

    fn listed(history: &History, flow: u32) -> Option<(u64, u64)> {
        history.records.get(&FlowId(flow)).map(Record::listed)
    }

    #[test]
    fn the_last_lists_are_kept() {
        let mut history = History::new(3, 50);
        interval(&mut history, &[(1, 1000), (2, 500)]);
        interval(&mut history, &[(1, 2000)]);
        interval(&mut history, &[]);
        assert_eq!(listed(&history, 1), Some((2, 3000)));
        assert_eq!(listed(&history, 2), Some((1, 500)));

        interval(&mut history, &[]);
        assert_eq!(listed(&history, 1), Some((1, 2000)), "the first list is forgotten");
        assert_eq!(listed(&history, 2), None, "and with it who was in no other");
    }

    #[test]
    fn a_list_holds_those_who_lost_most() {
        let mut history = History::new(5, 3);
        interval(&mut history, &[(1, 10), (2, 30), (3, 20), (4, 20), (5, 20), (6, 5)]);

        // 30, and of the three with 20 the first two.
        assert_eq!([2, 3, 4].map(|flow| listed(&history, flow)), [Some((1, 30)), Some((1, 20)), Some((1, 20))]);
        assert_eq!([1, 5, 6].map(|flow| listed(&history, flow)), [None; 3]);
    }

    #[test]
    fn a_list_that_is_just_full_leaves_nobody_out() {
        let mut history = History::new(5, 3);
        interval(&mut history, &[(1, 10), (2, 10), (3, 10)]);

        assert!([1, 2, 3].iter().all(|flow| listed(&history, *flow) == Some((1, 10))));
    }

    #[test]
    fn a_monitored_flow_is_not_forgotten() {
        let mut history = History::new(5, 3);
        history.records.entry(FlowId(7)).or_default().monitored =
            Some(Monitored::new(0.1, sojourn_queues::rig::at(0.0)));
        interval(&mut history, &[]);

        assert_eq!((listed(&history, 7), history.monitored()), (Some((0, 0)), 1));
    }

    #[test]
    fn rates_of_nothing_are_zero() {
        let some = Bytes { arrived: 1000, filtered: 200, dropped: 100 };

        assert!((some.drop_rate() - 0.125).abs() < 1e-12 && (some.loss() - 0.3).abs() < 1e-12);
        assert!(Bytes::default().drop_rate() <= 0.0 && Bytes::default().loss() <= 0.0);
    }
}
