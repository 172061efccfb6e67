//! Flows that are declared to be within their service profile or outside (In and Out of [Cla98] Clark and Fang, "Explicit Allocation of
//! Best-Effort Packet Delivery Service", IEEE/ACM ToN 6(4), 1998): the tag that an edge router would set stands in every packet of
//! both ends. The ends are wrapped, and those without a declaration cost nothing.

use super::{Counters, Endpoint, FlowContext, WindowState, fec};
use crate::packet::{Packet, Service};
use crate::prefetch::Part;
use crate::units::{Duration, Instant};

type Ends = (Box<dyn Endpoint>, Box<dyn Endpoint>);

/// The two ends of a flow with the declaration in their packets; as they are without one.
pub fn endpoints(service: Option<Service>, (sender, receiver): Ends) -> Ends {
    match service {
        Some(service) => {
            (Box::new(Declared { inner: sender, service }), Box::new(Declared { inner: receiver, service }))
        }
        None => (sender, receiver),
    }
}

/// An end of a flow.
struct Declared {
    inner: Box<dyn Endpoint>,
    service: Service,
}

impl Declared {
    /// Calls the end and marks what it sends.
    fn call(&mut self, cx: &mut FlowContext, call: impl FnOnce(&mut dyn Endpoint, &mut FlowContext)) {
        let first = cx.out.len();
        call(self.inner.as_mut(), cx);
        let service = Some(self.service);
        cx.out.change_from(first, |packet| packet.service = service);
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

    fn counters(&self) -> Counters {
        self.inner.counters()
    }

    fn stands_alone(&self) -> bool {
        self.inner.stands_alone()
    }

    fn prefetch(&self, part: Part) {
        self.inner.prefetch(part);
    }

    fn repairs(&self) -> Option<fec::Repairs> {
        self.inner.repairs()
    }

    fn standstill(&self, now: Instant) -> Duration {
        self.inner.standstill(now)
    }

    fn window(&self) -> Option<WindowState> {
        self.inner.window()
    }
}
