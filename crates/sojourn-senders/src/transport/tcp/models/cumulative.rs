//! RFC 5681 section 3.2 (Reno) and RFC 6582 section 3.2 (NewReno), step by step, in segments.

use super::{Model, Rules, Window};

pub struct Cumulative {
    rules: Rules,
    newreno: bool,
    window: Window,
    /// First segment not acknowledged, and the next new one.
    una: usize,
    next: usize,
    dup_acks: usize,
    /// Sent by limited transmit since the last new acknowledgement.
    limited: usize,
    recovering: bool,
    /// The data that had been sent at the last cut.
    recover: Option<usize>,
}

impl Cumulative {
    pub fn new(rules: Rules, newreno: bool) -> Self {
        let next = rules.total.min(10).min(rules.room);
        Cumulative {
            rules,
            newreno,
            window: Window { cwnd: 10.0, ssthresh: 10.0 },
            una: 0,
            next,
            dup_acks: 0,
            limited: 0,
            recovering: false,
            recover: None,
        }
    }

    fn send_within(&mut self, window: f64, most: usize, sent: &mut Vec<usize>) {
        for _ in 0..most {
            let flight = self.next - self.una + 1;
            if flight as f64 > window || flight > self.rules.room || self.next >= self.rules.total {
                return;
            }
            sent.push(self.next);
            self.next += 1;
        }
    }

    /// RFC 5681 section 3.2.
    fn on_duplicate(&mut self, sent: &mut Vec<usize>) {
        self.dup_acks += 1;
        match self.dup_acks {
            // Step 1: RFC 3042, at most two segments above the window.
            1 | 2 => {
                if self.rules.limited_transmit {
                    let before = sent.len();
                    self.send_within(self.window.cwnd + 2.0, 1, sent);
                    self.limited += sent.len() - before;
                }
                return;
            }
            // Steps 2 and 3.
            3 => {
                let may = !self.rules.careful || self.recover.is_none_or(|recover| self.una > recover);
                if may {
                    self.window.halve(self.next - self.una - self.limited);
                    self.recover = Some(self.next);
                    self.recovering = true;
                    sent.push(self.una);
                    self.window.cwnd = self.window.ssthresh + 3.0;
                }
            }
            // Step 4.
            _ => {
                if self.recovering {
                    self.window.cwnd += 1.0;
                }
            }
        }
        // Step 5.
        self.send_within(self.window.cwnd, usize::MAX, sent);
    }

    /// RFC 6582 section 3.2 step 3: a partial acknowledgement of `segments` segments.
    fn on_partial(&mut self, segments: usize, sent: &mut Vec<usize>) {
        sent.push(self.una);
        self.window.cwnd -= segments as f64;
        self.window.cwnd += 1.0;
        self.send_within(self.window.cwnd, usize::MAX, sent);
    }
}

impl Model for Cumulative {
    fn on_ack(&mut self, ack: usize, _blocks: &[(usize, usize)]) -> Vec<usize> {
        let mut sent = Vec::new();
        if ack == self.una {
            if self.una < self.next {
                self.on_duplicate(&mut sent);
            }
            return sent;
        }
        let segments = ack - self.una;
        self.una = ack;
        if self.recovering && self.newreno && self.recover.is_some_and(|recover| ack < recover) {
            self.on_partial(segments, &mut sent);
            return sent;
        }
        self.dup_acks = 0;
        self.limited = 0;
        if std::mem::take(&mut self.recovering) {
            // Step 6; RFC 6582 step 3, full acknowledgement (1).
            let flight = (self.next - self.una) as f64;
            let most = if self.newreno { flight.max(1.0) + 1.0 } else { f64::INFINITY };
            self.window.cwnd = self.window.ssthresh.min(most);
        } else {
            self.window.open();
        }
        self.send_within(self.window.cwnd, usize::MAX, &mut sent);
        sent
    }
}
