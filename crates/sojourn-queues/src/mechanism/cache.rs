//! The HBF cache ("high bandwidth flows"): the few flows that may take more than their share, and their part of the traffic in past periods
//! and in the present one. Least recently used flows are replaced, but only if they are small, and only with some probability: Chatranon
//! 2004 sections 3.2.1, 3.2.3 and 3.2.4 [Cha04], after Kim 2001.

use crate::packet::FlowId;

/// A flow in the cache, with its owner's own state `T` of it.
#[derive(Clone, Debug)]
pub struct Entry<T> {
    /// The flow of the entry.
    pub flow: FlowId,
    /// Hits (or bytes) in the present period.
    pub hits: u64,
    /// H: its part in past periods, from 0 to 1.
    pub past: f64,
    /// The owner's.
    pub own: T,
}

/// How far the present period has come.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    /// m: samples (or bytes) in a period; above 0.
    pub length: f64,
    /// m_tau: those of the present one.
    pub collected: u64,
}

impl Period {
    /// `(h + H m) / (m_tau + m)` ([Cha04] eq. 3.3): a flow's part, past and present together.
    pub fn blended(self, hits: u64, past: f64) -> f64 {
        (hits as f64 + past * self.length) / (self.collected as f64 + self.length)
    }
}

/// The cache, most recent flow first.
#[derive(Clone, Debug)]
pub struct Cache<T> {
    entries: Vec<Entry<T>>,
    capacity: usize,
    /// The present period.
    pub period: Period,
    /// Weight of the past in H.
    memory: f64,
}

impl<T> Cache<T> {
    /// Empty, for `capacity` flows and periods of `length`; `memory` is [Cha04]'s alpha.
    pub fn new(capacity: u64, length: f64, memory: f64) -> Self {
        let period = Period { length, collected: 0 };
        Cache { entries: Vec::new(), capacity: capacity as usize, period, memory }
    }

    /// The flows, most recent first.
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }

    /// The flow's entry, which stays where it is.
    pub fn find(&mut self, flow: FlowId) -> Option<&mut Entry<T>> {
        self.entries.iter_mut().find(|entry| entry.flow == flow)
    }

    /// The flow's entry, which becomes the most recent.
    pub fn touch(&mut self, flow: FlowId) -> Option<&mut Entry<T>> {
        let index = self.entries.iter().position(|entry| entry.flow == flow)?;
        self.entries[..=index].rotate_right(1);
        self.entries.first_mut()
    }

    /// The entry that a new flow would replace; `None` while there is room.
    pub fn last(&self) -> Option<&Entry<T>> {
        if self.entries.len() < self.capacity { None } else { self.entries.last() }
    }

    /// Puts a flow that is not in the cache first, in place of the last one if there is no room.
    pub fn insert(&mut self, flow: FlowId, hits: u64, own: T) {
        self.entries.truncate(self.capacity - 1);
        self.entries.insert(0, Entry { flow, hits, past: 0.0, own });
    }

    /// Counts collected traffic, of a cached flow or not. Returns whether the period is over.
    pub fn collect(&mut self, amount: u64) -> bool {
        self.period.collected += amount;
        self.period.collected as f64 >= self.period.length
    }

    /// `H = alpha H + (1 - alpha) h / m` ([Cha04] eq. 3.1) for all, and a new period. `m` is the collected amount: in bytes, the last
    /// packet may go beyond the length.
    pub fn end_period(&mut self) {
        let collected = self.period.collected as f64;
        for entry in &mut self.entries {
            entry.past = self.memory * entry.past + (1.0 - self.memory) * entry.hits as f64 / collected;
            entry.hits = 0;
        }
        self.period.collected = 0;
    }

    /// Sets the owner's state of each flow.
    pub fn refresh(&mut self, own: impl Fn(&Entry<T>) -> T) {
        for entry in &mut self.entries {
            entry.own = own(entry);
        }
    }

    /// The largest part, past and present together; 0 if there is none.
    pub fn largest(&self) -> f64 {
        self.entries.iter().map(|entry| self.period.blended(entry.hits, entry.past)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::near;

    fn flows(cache: &Cache<()>) -> Vec<u32> {
        cache.entries().iter().map(|entry| entry.flow.0).collect()
    }

    #[test]
    fn the_least_recent_makes_room() {
        let mut cache = Cache::new(3, 100.0, 0.5);
        for flow in [1, 2, 3] {
            assert!(cache.last().is_none());
            cache.insert(FlowId(flow), 1, ());
        }
        assert!(cache.touch(FlowId(1)).is_some());
        assert_eq!(flows(&cache), [1, 3, 2]);
        assert_eq!(cache.last().map(|entry| entry.flow), Some(FlowId(2)));

        cache.insert(FlowId(4), 1, ());

        assert_eq!(flows(&cache), [4, 1, 3]);
        assert!(cache.touch(FlowId(2)).is_none());
    }

    #[test]
    fn a_look_leaves_the_order_alone() {
        let mut cache = Cache::new(3, 100.0, 0.5);
        for flow in [1, 2] {
            cache.insert(FlowId(flow), 1, ());
        }

        assert!(cache.find(FlowId(1)).is_some());

        assert_eq!(flows(&cache), [2, 1]);
    }

    #[test]
    fn a_period_ends_with_its_last_sample() {
        let mut cache = Cache::new(1, 3.0, 0.5);
        cache.insert(FlowId(1), 0, ());

        assert_eq!([(); 3].map(|()| cache.collect(1)), [false, false, true]);
    }

    #[test]
    fn parts_of_past_and_present_are_weighed_by_their_samples() {
        // H = 0.4 of 100 samples and 5 hits in 25: (5 + 40) / 125.
        let period = Period { length: 100.0, collected: 25 };

        assert!(near(period.blended(5, 0.4), 0.36));
    }

    #[test]
    fn with_equal_weights_the_part_does_not_jump_when_a_period_ends() {
        // [Cha04] leaves alpha open; at m_tau = m eq. 3.3 is eq. 3.1 with alpha = 0.5.
        let mut cache = Cache::new(1, 10.0, 0.5);
        cache.insert(FlowId(1), 0, ());
        cache.entries[0].past = 0.4;
        for _ in 0..10 {
            cache.collect(1);
        }
        cache.entries[0].hits = 2;
        let before = cache.largest();

        cache.end_period();

        assert!(near(before, 0.3), "{before}");
        assert!(near(cache.largest(), 0.3));
        assert_eq!(cache.entries()[0].hits, 0);
    }

    #[test]
    fn the_memory_weighs_the_past() {
        let mut cache = Cache::new(1, 10.0, 0.9);
        cache.insert(FlowId(1), 5, ());
        cache.entries[0].past = 0.1;
        cache.period.collected = 20;

        cache.end_period();

        assert!(near(cache.entries()[0].past, 0.9 * 0.1 + 0.1 * 0.25), "what was collected counts, not the length");
    }
}
