//! Whether the window was the limit of the transmission, without which it does not grow (RFC 7661). Compared with: Linux's
//! `tcp_cwnd_validate` and `tcp_is_cwnd_limited` (behaviour).

/// The use of the window. Linux remembers it for a window of data; other senders know of their last transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// True if the window, and not a lack of data or the receiver's window, ended the transmission.
    full: bool,
    /// The most segments that were out in this window of data.
    most: u64,
    /// The byte behind this window of data.
    end: u64,
}

/// The state of the sender after a transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    /// True if the window ended it.
    pub full: bool,
    pub una: u64,
    pub nxt: u64,
    /// All segments that are not acknowledged in order.
    pub out: u64,
}

impl Usage {
    /// A transmission has ended. The largest use counts until the data that is out now has been acknowledged.
    pub fn remember(&mut self, after: After) {
        let After { full, una, nxt, out } = after;
        if una >= self.end || full || (!self.full && out > self.most) {
            *self = Usage { full, most: out, end: nxt };
        }
    }

    /// A transmission has ended. It alone counts.
    pub fn replace(&mut self, full: bool) {
        self.full = full;
    }

    /// Whether the window has been full in this window of data.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Whether a `window` may grow. In slow start it may if half of it is used: `out` segments are out, if no more were before.
    pub fn is_limited(&self, window: f64, slow: bool, out: Option<u64>) -> bool {
        self.full || (slow && window < 2.0 * out.unwrap_or(self.most) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_window_counts_until_its_data_is_acknowledged() {
        let mut usage = Usage::default();
        usage.remember(After { full: true, una: 0, nxt: 10, out: 10 });
        usage.remember(After { full: false, una: 9, nxt: 30, out: 21 });
        assert!(usage.is_limited(100.0, false, None));
        usage.remember(After { full: false, una: 10, nxt: 31, out: 21 });
        assert!(!usage.is_limited(100.0, false, None));
        assert!(usage.is_limited(41.0, true, None) && !usage.is_limited(42.0, true, None));
    }

    #[test]
    fn the_most_segments_of_a_window_of_data_count() {
        let mut usage = Usage::default();
        for (una, nxt, out) in [(0, 10, 10), (4, 11, 7), (5, 20, 15)] {
            usage.remember(After { full: false, una, nxt, out });
        }
        assert_eq!(usage, Usage { full: false, most: 15, end: 20 });
        usage.remember(After { full: false, una: 20, nxt: 22, out: 2 });
        assert_eq!(usage, Usage { full: false, most: 2, end: 22 });
    }
}
