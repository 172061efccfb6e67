//! HTTP: a person who reads pages. A page is a number of objects over a connection each (1.0) or over one
//! connection that stays open (1.1); a thinking time lies between pages.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Objects of a page follow each other; browsers open several connections | a flow has one connection: `count` flows are as many parallel connections | `every_object_has_its_connection_in_1_0` |
//! | The request for the next object comes with the last acknowledgement of the one before | it carries no data of its own | `objects_share_a_connection_in_1_1` |

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "http",
    title: "HTTP session",
    doc: "A person who reads web pages. The objects of a page come one after the other, over a connection each (1.0) or over one \
          that stays open (1.1); then the person thinks.",
    reference: "RFC 1945, RFC 9112; Barford and Crovella 1998 (SURGE)",
    unpaced: |_| Some("an HTTP session".to_owned()),
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Version of the protocol.
        version: Version = "1.1", "RFC 9112";
        /// Objects of a page, in the mean.
        objects: u64 = "4" in [1.0, 1e6], "a common choice";
        /// How the number of objects is distributed; a random number is rounded up.
        objects_law: Law = "pareto", "Barford and Crovella 1998, embedded references";
        /// Shape of a Pareto number of objects.
        objects_shape: f64 = "2.43" in [1.001, 1000.0], "Barford and Crovella 1998, embedded references", when objects_law in ["pareto"];
        /// Payload of an object, in the mean.
        size: Bytes = "12kB" in [1.0, 1e12], "ns-2's web traffic scripts: 12 packets of 1000 bytes";
        /// How sizes are distributed.
        size_law: Law = "pareto", "Crovella and Bestavros 1997";
        /// Shape of Pareto sizes.
        size_shape: f64 = "1.2" in [1.001, 1000.0], "Crovella and Bestavros 1997: 1.0 to 1.3 for web files", when size_law in ["pareto"];
        /// Sizes are rounded up to a multiple of this.
        size_step: Bytes = "1B" in [1.0, 1e12], "RFC 9112; ns-2's PagePool counts in packets";
        /// Mean time between a page and the next.
        think: Duration = "5s" in [0.0, 1e6], "a common choice";
        /// How thinking times are distributed.
        think_law: Law = "exponential", "memoryless readers";
        /// Shape of Pareto thinking times.
        think_shape: f64 = "1.5" in [1.001, 1000.0], "Barford and Crovella 1998, inactive OFF times", when think_law in ["pareto"];
        /// Pages in all; `auto` is without end.
        pages: Option<u64> = "auto" in [1.0, 1e15], "a person who stays";
    }
}

choices! {
    /// How objects share connections.
    pub enum Version {
        /// A connection for each object (RFC 1945).
        V10 = "1.0",
        /// A connection for the session (RFC 9112).
        V11 = "1.1",
    }
}

#[derive(Clone, Debug)]
struct Http {
    params: Params,
    pages: u64,
    /// Objects of this page still to come.
    left: u64,
    connected: bool,
    wakes: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Http { params: args.typed(), pages: 0, left: 0, connected: false, wakes: None })
}

impl Http {
    fn page(&mut self, cx: &mut AppContext<'_>) -> Demand {
        self.pages += 1;
        self.left = self.params.objects_law.draw_packets(self.params.objects, self.params.objects_shape, cx.rng);
        self.object(cx)
    }

    fn object(&mut self, cx: &mut AppContext<'_>) -> Demand {
        self.left -= 1;
        let drawn = self.params.size_law.draw(self.params.size.0 as f64, self.params.size_shape, cx.rng);
        let connect = self.params.version == Version::V10 || !self.connected;
        self.connected = true;
        Demand { connect, write: Amount::Bytes(whole(drawn, self.params.size_step)), finish: false }
    }
}

/// At least one byte, and a multiple of `step`.
fn whole(size: f64, step: Bytes) -> Bytes {
    Bytes((libm::round(size) as u64).max(1).next_multiple_of(step.0))
}

impl Application for Http {
    fn on_start(&mut self, _now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.page(cx)
    }

    fn on_transfer_complete(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        if self.left > 0 {
            return self.object(cx);
        }
        if self.params.pages.is_some_and(|pages| self.pages >= pages) {
            return Demand { finish: true, ..Demand::NOTHING };
        }
        let Params { think, think_law, think_shape, .. } = self.params;
        self.wakes = Some(now + think_law.draw_time(think, think_shape, cx.rng));
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.wakes
    }

    fn on_deadline(&mut self, _now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.wakes = None;
        self.page(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{Asked, args, run};

    fn session(settings: &[(&str, &str)], seconds: f64) -> Vec<Asked> {
        let asked = run(build(&args(&ENTRY, None, settings)).as_mut(), seconds, Some(|_| Duration::from_millis(100)));
        asked.into_iter().filter(|asked| asked.demand.write != Amount::Nothing).collect()
    }

    const PLAIN: [(&str, &str); 3] = [("objects_law", "fixed"), ("size_law", "fixed"), ("think_law", "fixed")];

    #[test]
    fn every_object_has_its_connection_in_1_0() {
        let asked = session(&[&PLAIN[..], &[("version", "1.0"), ("pages", "2")]].concat(), 100.0);

        // Four objects of 0.1 s, 5 s of thought, four more.
        let tenths: Vec<u64> = asked.iter().map(|asked| libm::round(asked.time * 10.0) as u64).collect();
        assert_eq!(tenths, [0, 1, 2, 3, 54, 55, 56, 57]);
        assert!(asked.iter().all(|asked| asked.demand.connect));
    }

    #[test]
    fn objects_share_a_connection_in_1_1() {
        let asked = session(&[&PLAIN[..], &[("pages", "2")]].concat(), 100.0);

        assert_eq!(asked.len(), 8);
        assert_eq!(asked.iter().filter(|asked| asked.demand.connect).count(), 1);
        assert!(asked.iter().all(|asked| asked.demand.write == Amount::Bytes(Bytes(12_000))));
    }

    #[test]
    fn sizes_may_count_in_packets() {
        assert_eq!(whole(0.2, Bytes(1)), Bytes(1));
        assert_eq!([1.0, 960.0, 961.0].map(|size| whole(size, Bytes(960)).0), [960, 960, 1920]);
    }

    #[test]
    fn pages_have_a_pareto_number_of_objects() {
        let asked = session(&[("think_law", "fixed")], 20_000.0);
        let mut pages = vec![1_u64];
        for pair in asked.windows(2) {
            if pair[1].time - pair[0].time > 1.0 {
                pages.push(1);
            } else if let Some(last) = pages.last_mut() {
                *last += 1;
            }
        }
        // Rounded up, above k objects with (scale/k)^2.43, scale = 4 * 1.43 / 2.43.
        let n = pages.len() as f64;
        for bound in [3_u32, 5, 10] {
            let p = libm::pow(4.0 * 1.43 / 2.43 / f64::from(bound), 2.43);
            let seen = pages.iter().filter(|objects| **objects > u64::from(bound)).count() as f64 / n;
            assert!((seen - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / n), "above {bound}: {seen} not {p}");
        }
    }
}
