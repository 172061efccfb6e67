//! Sending: the segments that a window allows, with the requests to routers on the path.

use super::Details;
use super::recovery::scoreboard::Scoreboard;
use super::stream::Stream;
use crate::header::rcp::RcpHeader;
use crate::header::xcp::XcpHeader;
use crate::header::{Answer, Dscp, Header, RateLabel};
use crate::packet::{Body, Ecn, FlowId, Packet};
use crate::transport::FlowContext;
use crate::transport::congestion::{Grant, Milestone, Reply};
use crate::units::{Coarse, Instant};

impl Stream {
    /// The bytes from `una` on that may be in flight: the congestion window, inflated in fast recovery, and the receiver's window, in whole
    /// segments.
    fn send_window(&self, inflation: f64) -> u64 {
        // Whole segments; what is not inflated need not become a real number again.
        let window = self.control.window() as i64;
        let inflated = if inflation == 0.0 { window } else { (window as f64 + inflation) as i64 };
        inflated.max(0).unsigned_abs().min(self.config.window) * u64::from(self.config.mss)
    }

    /// The length of the segment at `nxt`, or zero if there is nothing to send.
    pub(super) fn next_len(&self) -> u64 {
        let end = if self.nxt < self.max { self.max } else { self.end };
        (end - self.nxt).min(u64::from(self.config.mss))
    }

    /// Sends the segments that the window allows when it is inflated by `inflation` segments, at most `burst` of them. Data that the
    /// scoreboard has as received is not sent again.
    pub(super) fn pump(
        &mut self,
        now: Instant,
        burst: u32,
        inflation: f64,
        board: Option<&Scoreboard>,
        cx: &mut FlowContext,
    ) {
        let window = self.send_window(inflation);
        for _ in 0..burst {
            let (len, sacked) = match board {
                Some(board) if self.nxt < self.max => {
                    let (nxt, len) = board.next_missing(self.nxt, self.next_len());
                    self.nxt = nxt;
                    (len, board.sacked.total_below(nxt))
                }
                _ => (self.next_len(), 0),
            };
            if self.nxt == self.end || self.nxt + len - self.una - sacked > window {
                break;
            }
            if len == 0 {
                // All that was sent before has been received: go on with new data.
                continue;
            }
            self.output(now, self.nxt, len as u32, cx);
            self.nxt += len;
        }
    }

    /// Limited transmit (RFC 3042): one segment for each of the first duplicates.
    pub(super) fn send_one(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.nxt < self.max && self.config.params.details != Details::Ns2 {
            // RFC 3042 §2: previously unsent data only.
            return;
        }
        let mss = u64::from(self.config.mss);
        let above = match self.config.params.details {
            Details::Ns2 => self.dup_acks,
            // RFC 3042 §2: two segments beyond the window, whichever duplicate it is.
            Details::Rfc => self.config.dup_threshold - 1,
        };
        let window = (libm::floor(self.control.window()) as u64 + u64::from(above)).min(self.config.window);
        let len = self.next_len();
        if len > 0 && self.nxt + len - self.una <= window * mss {
            self.output(now, self.nxt, len as u32, cx);
            self.nxt += len;
            self.limited += 1;
        }
    }

    /// The length of the next segment that the receiver's window allows, or zero if there is none. It is new data, except in ns-2 after a
    /// timeout: there a partial acknowledgement may have covered the next segment already.
    pub(super) fn new_segment(&self) -> u64 {
        let mss = u64::from(self.config.mss);
        let written = self.known.as_ref().map_or(self.written, |known| known.written(self.nxt, mss).min(self.written));
        let len = (written - self.nxt).min(mss);
        if self.nxt + len <= self.una + self.config.window * mss { len } else { 0 }
    }

    /// Sends the segment at the head of the window again.
    pub(super) fn resend_head(&mut self, now: Instant, cx: &mut FlowContext) -> u64 {
        let len = (self.max - self.una).min(u64::from(self.config.mss));
        self.output(now, self.una, len as u32, cx);
        len
    }

    /// Sends `seq..seq + len`, for the first time or again.
    pub(super) fn output(&mut self, now: Instant, seq: u64, len: u32, cx: &mut FlowContext) {
        let end = seq + u64::from(len);
        let retransmit = seq < self.max;
        if end > self.max {
            if self.una == self.max
                && self.moved_at < now
                && self.max > self.start
                && !self.config.strategy.tells_restart()
            {
                self.control.on_milestone(Milestone::Resumes { now, silent: now.since(self.moved_at) });
            }
            self.max = end;
            if self.timed.is_none() && !retransmit {
                self.timed = Some((end, now));
            }
        }
        if let Some(early) = &mut self.early {
            early.on_sent(now, seq, end);
        }
        self.counters.retransmits += u32::from(retransmit);
        // RFC 3168 §6.1.5: a retransmission is not ECN-capable; §6.1.2: CWR goes on new data.
        let ecn_speaks = self.marks.agreed && (!retransmit || self.config.ecn_retransmits);
        let tells = ecn_speaks && !(retransmit && self.config.ecn_always) && self.accurate.is_none();
        let cwr = tells && std::mem::take(&mut self.marks.cwr_pending);
        let ecn = if ecn_speaks { self.config.ecn_codepoint.ecn() } else { Ecn::NotEct };
        let size = len + (self.config.packet - self.config.mss);
        let header = if self.speaks { self.header() } else { None };
        let push = std::mem::take(&mut self.push);
        let sent_at = self.stamp.take().unwrap_or(now);
        let body = Body::Data { seq, len, sent_at, syn: false, cwr, retransmit, push, header };
        self.transmit(now, size, ecn, body, cx);
        if self.rto_deadline.is_none() {
            // RFC 6298 rule 5.1.
            self.restart_timer(now);
            self.moved_at = now;
        }
    }

    pub(super) fn transmit(&mut self, now: Instant, size: u32, ecn: Ecn, body: Body, cx: &mut FlowContext) {
        self.counters.packets_sent += 1;
        cx.out.push(Packet {
            flow: FlowId(0),
            size,
            hop: 0,
            delay_hint: None,
            enqueued_at: now,
            waited: Coarse::ZERO,
            ecn,
            service: None,
            dscp: Dscp::DF,
            priority: 0,
            label: RateLabel::NONE,
            body,
        });
    }

    /// The message of a segment: the request of the control to the routers, or the echo of the receiver's clock.
    pub(super) fn header(&mut self) -> Option<Header> {
        if self.explicit { self.request() } else { Some(Header::Clock(self.clock)) }
    }

    /// The request of the control to the routers, in bytes on the wire.
    fn request(&mut self) -> Option<Header> {
        let law = self.control.explicit()?;
        if let Some(rtt) = law.rate_request() {
            return Some(Header::Rcp(RcpHeader { rtt: rtt as f32, rate: f32::INFINITY }));
        }
        let request = law.request()?;
        let packet = f64::from(self.config.packet);
        let window = request.window.min(self.config.window as f64);
        Some(Header::Xcp(XcpHeader {
            cwnd: (window * packet) as f32,
            rtt: request.rtt as f32,
            feedback: (request.change * packet) as f32,
            unit: request.unit,
        }))
    }

    /// Gives the answer of the routers to the control.
    pub(super) fn grant(&mut self, now: Instant, echo: Instant, answer: Answer) {
        let segments = f64::from(answer.0) / f64::from(self.config.packet);
        if let Some(law) = self.control.explicit() {
            let grant = if law.rate_request().is_some() { Grant::Rate(segments) } else { Grant::Step(segments) };
            law.on_grant(&Reply { grant, now, rtt: now.since(echo), most: self.config.window as f64 });
        }
    }
}
