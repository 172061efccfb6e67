//! The declaration of a flow for its packets, which its host or an edge router would write into each: whether they are within their service
//! profile (In and Out of [Cla98] Clark and Fang, "Explicit Allocation of Best-Effort Packet Delivery Service", IEEE/ACM ToN 6(4), 1998),
//! their codepoint (RFC 2474) and their priority. It is in every packet of both ends. The ends are wrapped, and those without a declaration
//! cost nothing.

use super::{Counters, Endpoint, FlowContext, Repairs, Turn, WindowState};
use crate::header::Dscp;
use crate::packet::{Packet, Service};
use crate::prefetch::Part;
use crate::units::{Duration, Instant};

type Ends = (Box<dyn Endpoint>, Box<dyn Endpoint>);

/// The declaration of a flow; fields without a declaration stay as the sender sets them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Whether the packets are within their profile.
    pub service: Option<Service>,
    /// Their codepoint.
    pub dscp: Option<Dscp>,
    /// How much they matter.
    pub priority: Option<u8>,
}

impl Declaration {
    fn write(self, packet: &mut Packet) {
        packet.service = self.service.or(packet.service);
        packet.dscp = self.dscp.unwrap_or(packet.dscp);
        packet.priority = self.priority.unwrap_or(packet.priority);
    }
}

/// The two ends of a flow with the declaration in their packets; as they are without one.
pub fn endpoints(declaration: Declaration, (sender, receiver): Ends) -> Ends {
    if declaration == Declaration::default() {
        return (sender, receiver);
    }
    (Box::new(Declared { inner: sender, declaration }), Box::new(Declared { inner: receiver, declaration }))
}

/// An end of a flow.
struct Declared {
    inner: Box<dyn Endpoint>,
    declaration: Declaration,
}

impl Declared {
    /// Calls the end and labels its packets.
    fn call(&mut self, cx: &mut FlowContext, call: impl FnOnce(&mut dyn Endpoint, &mut FlowContext)) {
        let first = cx.out.len();
        call(self.inner.as_mut(), cx);
        let declaration = self.declaration;
        cx.out.change_from(first, |packet| declaration.write(packet));
    }
}

impl Endpoint for Declared {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        self.call(cx, |inner, cx| inner.start(now, cx));
    }

    fn stop(&mut self, now: Instant, cx: &mut FlowContext) {
        self.call(cx, |inner, cx| inner.stop(now, cx));
    }

    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        self.call(cx, |inner, cx| inner.on_packet(now, packet, cx));
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.inner.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        self.call(cx, |inner, cx| inner.on_deadline(now, cx));
    }

    fn turn(&self) -> Turn {
        self.inner.turn()
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }

    fn stands_alone(&self) -> bool {
        self.inner.stands_alone()
    }

    fn prefetch(&self, part: Part) {
        self.inner.prefetch(part);
    }

    fn repairs(&self) -> Option<Repairs> {
        self.inner.repairs()
    }

    fn standstill(&self, now: Instant) -> Duration {
        self.inner.standstill(now)
    }

    fn window(&self) -> Option<WindowState> {
        self.inner.window()
    }
}
