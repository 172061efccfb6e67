//! A probe of responsiveness: a new connection, a TLS handshake and a request, each timed on its own.
//!
//! Specification: draft-ietf-ippm-responsiveness-09 section 5.3, its *foreign probes*.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Requests go to the receiver and acknowledgements come back; the answers of TLS and HTTP carry no data | a flow carries data one way; an answer of one byte is as small as an acknowledgement, that of TLS is some packets larger | `a_probe_is_three_exchanges_on_a_new_connection` |
//! | TLS takes one exchange | TLS 1.3 (RFC 8446); the draft divides by the number of round trips | the same |
//! | A prober has one probe at a time | several probers are several flows (`count`) | `a_slow_probe_delays_the_next` |

use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "probe",
    title: "Probe of responsiveness",
    doc: "A prober as in a test of responsiveness: at fixed intervals it opens a new connection, shakes hands for TLS and asks for one \
          byte. Each of the three exchanges is timed. The table `responsiveness` makes round trips per minute (RPM) of them.",
    reference: "draft-ietf-ippm-responsiveness-09 section 5.3",
    unpaced: |_| Some("a probe".to_owned()),
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Time from the start of a probe to that of the next; a probe that takes longer delays the next.
        interval: Duration = "500ms" in [0.001, 1e6], "ten probers make 20 probes a second; the draft allows up to 100";
        /// Whether there is a TLS handshake. Without one the draft's formula for TCP alone holds.
        tls: bool = "true", "draft-ietf-ippm-responsiveness-09 section 5.3.1";
        /// Payload of the first message of TLS.
        hello: Bytes = "517B" in [1.0, 1e6], "a ClientHello padded to 512 bytes (RFC 7685), with its record header", when tls in ["true"];
        /// Payload of the request.
        request: Bytes = "100B" in [1.0, 1e6], "a GET of HTTP/2 with compressed headers";
        /// Probes in all; `auto` is without end.
        count: Option<u64> = "auto" in [1.0, 1e15], "the test goes on until its end";
    }
}

/// The event for which the prober waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The time of the next probe.
    Idle,
    /// The connection.
    Opening,
    /// The answer to the first message of TLS.
    Hello,
    /// The answer to the request.
    Request,
}

#[derive(Clone, Debug)]
struct Probe {
    params: Params,
    state: State,
    begun: u64,
    /// When the next probe is due.
    due: Instant,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Probe { params: args.typed(), state: State::Idle, begun: 0, due: Instant::ZERO })
}

impl Probe {
    fn begin(&mut self, now: Instant) -> Demand {
        self.state = State::Opening;
        self.begun += 1;
        self.due = now + self.params.interval;
        Demand::transfer(Amount::Nothing)
    }
}

impl Application for Probe {
    fn on_start(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.begin(now)
    }

    fn on_transfer_complete(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        let write = match self.state {
            State::Opening if self.params.tls => {
                self.state = State::Hello;
                self.params.hello
            }
            State::Opening | State::Hello => {
                self.state = State::Request;
                self.params.request
            }
            State::Request | State::Idle => {
                self.state = State::Idle;
                if self.params.count.is_some_and(|count| self.begun >= count) {
                    return Demand { finish: true, ..Demand::NOTHING };
                }
                self.due = self.due.max(now);
                return Demand::NOTHING;
            }
        };
        Demand::write(write)
    }

    fn next_deadline(&self) -> Option<Instant> {
        let more = self.params.count.is_none_or(|count| self.begun < count);
        (self.state == State::Idle && self.begun > 0 && more).then_some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.begin(now)
    }

    fn role(&self) -> Role {
        Role::Probe { tls: self.params.tls }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis as at;
    use crate::rng::Rng;
    use crate::traffic::trial::args;

    fn probe(settings: &[(&str, &str)]) -> Box<dyn Application> {
        build(&args(&ENTRY, None, settings))
    }

    #[test]
    fn a_probe_is_three_exchanges_on_a_new_connection() {
        let mut rng = Rng::named(1, "test");
        let mut cx = AppContext { rng: &mut rng, packet: Bytes(1000), header: Bytes(40) };
        let mut source = probe(&[("count", "2")]);
        for start in [0, 500] {
            let first =
                if start == 0 { source.on_start(at(0), &mut cx) } else { source.on_deadline(at(start), &mut cx) };
            assert_eq!(first, Demand::transfer(Amount::Nothing));
            assert_eq!(source.next_deadline(), None);
            assert_eq!(source.on_transfer_complete(at(start + 30), &mut cx), Demand::write(Bytes(517)));
            assert_eq!(source.on_transfer_complete(at(start + 60), &mut cx), Demand::write(Bytes(100)));
            let last = source.on_transfer_complete(at(start + 90), &mut cx);
            assert_eq!(last.finish, start == 500);
            assert_eq!(source.next_deadline(), (start == 0).then_some(at(500)));
        }
    }

    #[test]
    fn without_tls_there_are_two() {
        let mut rng = Rng::named(1, "test");
        let mut cx = AppContext { rng: &mut rng, packet: Bytes(1000), header: Bytes(40) };
        let mut source = probe(&[("tls", "false")]);
        source.on_start(at(0), &mut cx);
        assert_eq!(source.on_transfer_complete(at(30), &mut cx), Demand::write(Bytes(100)));
        assert_eq!(source.on_transfer_complete(at(60), &mut cx), Demand::NOTHING);
    }

    #[test]
    fn a_slow_probe_delays_the_next() {
        let mut rng = Rng::named(1, "test");
        let mut cx = AppContext { rng: &mut rng, packet: Bytes(1000), header: Bytes(40) };
        let mut source = probe(&[("tls", "false")]);
        source.on_start(at(0), &mut cx);
        source.on_transfer_complete(at(900), &mut cx);
        source.on_transfer_complete(at(1800), &mut cx);
        assert_eq!(source.next_deadline(), Some(at(1800)));
    }
}
