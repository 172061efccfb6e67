//! RFC 6675, sections 2 to 5, in its own names. Sequence numbers are segments; those that the RFC has as "highest" are
//! one more here, so that `a..b` are the segments between them.

use super::{Model, Rules, Window};

const DUP_THRESH: usize = 3;

pub struct Selective {
    rules: Rules,
    window: Window,
    sacked: Vec<bool>,
    high_ack: usize,
    high_data: usize,
    high_rxt: usize,
    rescue_rxt: Option<usize>,
    /// Absent outside of loss recovery.
    recovery_point: Option<usize>,
    dup_acks: usize,
    /// Sent by limited transmit since the last cumulative acknowledgement.
    limited: usize,
}

/// The segment that [`Selective::next_seg`] names, and the rule that names it.
enum Next {
    Retransmission(usize),
    New,
    Rescue(usize),
    Nothing,
}

impl Selective {
    pub fn new(rules: Rules) -> Self {
        let high_data = rules.total.min(10).min(rules.room);
        Selective {
            rules,
            window: Window { cwnd: 10.0, ssthresh: 10.0 },
            sacked: vec![false; rules.total],
            high_ack: 0,
            high_data,
            high_rxt: 0,
            rescue_rxt: None,
            recovery_point: None,
            dup_acks: 0,
            limited: 0,
        }
    }

    /// Section 4: DupThresh discontiguous sequences above it, or more than DupThresh - 1 segments.
    fn is_lost(&self, segment: usize) -> bool {
        let above = &self.sacked[segment + 1..];
        let starts = (0..above.len()).filter(|&n| above[n] && (n == 0 || !above[n - 1])).count();
        starts >= DUP_THRESH || above.iter().filter(|&&sacked| sacked).count() > DUP_THRESH - 1
    }

    fn pipe(&self) -> usize {
        let unsacked = (self.high_ack..self.high_data).filter(|&segment| !self.sacked[segment]);
        unsacked.map(|segment| usize::from(!self.is_lost(segment)) + usize::from(segment < self.high_rxt)).sum()
    }

    /// Previously unsent data that the receiver's window allows.
    fn has_new(&self) -> bool {
        self.high_data < self.rules.total && self.high_data < self.high_ack + self.rules.room
    }

    fn next_seg(&self) -> Next {
        let unsacked = || (self.high_ack..self.high_data).filter(|&segment| !self.sacked[segment]);
        let highest_sacked = (0..self.rules.total).rev().find(|&segment| self.sacked[segment]).unwrap_or(0);
        // (1.a) and (1.b).
        let mut holes = unsacked().filter(|&segment| segment >= self.high_rxt && segment < highest_sacked);
        let hole = holes.next();
        match hole {
            Some(segment) if self.is_lost(segment) => Next::Retransmission(segment),
            _ if self.has_new() => Next::New,
            Some(segment) => Next::Retransmission(segment),
            None if self.rescue_rxt.is_none_or(|rescue| self.high_ack > rescue) => {
                unsacked().next_back().map_or(Next::Nothing, Next::Rescue)
            }
            None => Next::Nothing,
        }
    }

    fn room_in_pipe(&self) -> bool {
        self.window.cwnd - self.pipe() as f64 >= 1.0
    }

    /// Section 5, step C.
    fn fill(&mut self, sent: &mut Vec<usize>) {
        // C.4 adds what is sent; SetPipe knows nothing of a rescue.
        let mut pipe = self.pipe();
        while self.window.cwnd - pipe as f64 >= 1.0 {
            match self.next_seg() {
                Next::Retransmission(segment) => {
                    self.high_rxt = segment + 1;
                    sent.push(segment);
                }
                Next::New => {
                    sent.push(self.high_data);
                    self.high_data += 1;
                }
                Next::Rescue(segment) => {
                    self.rescue_rxt = self.recovery_point;
                    sent.push(segment);
                }
                Next::Nothing => return,
            }
            pipe += 1;
        }
    }

    /// Section 5, step 4.
    fn enter(&mut self, sent: &mut Vec<usize>) {
        self.recovery_point = Some(self.high_data);
        self.window.halve(self.high_data - self.high_ack - self.limited);
        sent.push(self.high_ack);
        self.high_rxt = self.high_ack + 1;
        self.rescue_rxt = Some(self.high_ack + 1);
        self.fill(sent);
    }

    /// Section 5, steps 1 to 4.
    fn on_duplicate(&mut self, sent: &mut Vec<usize>) {
        self.dup_acks += 1;
        if self.dup_acks >= DUP_THRESH || self.is_lost(self.high_ack) {
            self.enter(sent);
            return;
        }
        if self.rules.limited_transmit {
            // 3.1.
            self.high_rxt = self.high_ack;
            while self.room_in_pipe() && self.has_new() {
                sent.push(self.high_data);
                self.high_data += 1;
                self.limited += 1;
            }
        }
    }
}

impl Model for Selective {
    fn on_ack(&mut self, ack: usize, blocks: &[(usize, usize)]) -> Vec<usize> {
        let mut sent = Vec::new();
        // Section 2: a duplicate tells of something new between HighACK and HighData, whether or not it moves HighACK.
        let news = blocks.iter().flat_map(|&(start, end)| start..end).filter(|&segment| !self.sacked[segment]).count();
        for segment in blocks.iter().flat_map(|&(start, end)| start..end) {
            self.sacked[segment] = true;
        }
        let cumulative = ack > self.high_ack;
        if cumulative {
            self.sacked[..ack].fill(false);
            self.high_ack = ack;
            self.dup_acks = 0;
            self.limited = 0;
        }
        let recovered = self.recovery_point.is_some_and(|point| ack >= point);
        if recovered {
            self.recovery_point = None;
        } else if self.recovery_point.is_some() {
            self.fill(&mut sent);
            return sent;
        }
        if cumulative && !recovered {
            self.window.open();
        }
        if news > 0 {
            self.on_duplicate(&mut sent);
        }
        if self.recovery_point.is_none() && cumulative {
            // RFC 5681: what the window allows.
            while ((self.high_data - self.high_ack + 1) as f64) <= self.window.cwnd && self.has_new() {
                sent.push(self.high_data);
                self.high_data += 1;
            }
        }
        sent
    }
}
