//! The moments at which a link's transmissions begin and end, where a rule orders an arrival and a departure of one moment.

use crate::queue::ties::{MOMENT, SHORTEST, arrival_is_first};
use crate::units::{Duration, Instant};

/// The begin of the transmission in service, or of the idle time, and the end of the transmission.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    began: Instant,
    ends: Instant,
    busy: bool,
}

/// The place of an arrival among the departures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The packet joins the queue, at this time.
    Now(Instant),
    /// A departure of the same moment comes first. The packet's turn is at this time.
    Later(Instant),
}

impl Moments {
    /// A transmission begins: the time of the event at which it ends. That event waits for arrivals of the same moment. If a medium decides
    /// about the end, `ends` is [`Instant::MAX`].
    pub fn begin(&mut self, now: Instant, ends: Instant) -> Instant {
        let busy = ends != Instant::MAX;
        *self = Moments { began: now, ends: if busy { ends } else { now }, busy };
        if busy && self.service() >= SHORTEST { ends + MOMENT } else { ends }
    }

    /// A transmission has ended: the moment at which the next one begins.
    pub fn end(&mut self, now: Instant) -> Instant {
        let moment = if self.busy { self.ends } else { now };
        *self = Moments { began: moment, ends: moment, busy: false };
        moment
    }

    /// The turn of a packet that arrives now, and took `crossing` from the begin of its transmission on the last link.
    pub fn turn(&self, now: Instant, crossing: Duration) -> Turn {
        if self.busy && self.service() >= SHORTEST && is_one(now, self.ends) {
            if arrival_is_first(crossing, self.service()) {
                Turn::Now(self.ends)
            } else {
                Turn::Later(self.ends + MOMENT)
            }
        } else if is_one(now, self.began) {
            Turn::Now(self.began)
        } else {
            Turn::Now(now)
        }
    }

    fn service(&self) -> Duration {
        self.ends.since(self.began)
    }
}

fn is_one(a: Instant, b: Instant) -> bool {
    a.since(b).max(b.since(a)) <= MOMENT
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1000;
    const END: Instant = Instant::from_nanos(2000 * US);

    fn busy() -> Moments {
        let mut moments = Moments::default();
        assert_eq!(moments.begin(Instant::from_nanos(1000 * US), END), END + MOMENT);
        moments
    }

    fn at(nanos: i64) -> Instant {
        Instant::from_nanos(END.as_nanos().wrapping_add_signed(nanos))
    }

    #[test]
    fn the_one_that_was_scheduled_first_comes_first() {
        let (longer, same, shorter) = (1001 * US, 1000 * US, 999 * US);

        for nanos in [-10, -1, 0, 10] {
            assert_eq!(busy().turn(at(nanos), Duration::from_nanos(longer)), Turn::Now(END), "{nanos}");
            assert_eq!(busy().turn(at(nanos), Duration::from_nanos(same)), Turn::Later(END + MOMENT), "{nanos}");
            assert_eq!(busy().turn(at(nanos), Duration::from_nanos(shorter)), Turn::Later(END + MOMENT), "{nanos}");
        }
    }

    #[test]
    fn times_further_apart_are_in_their_own_order() {
        for nanos in [-11, 11] {
            assert_eq!(busy().turn(at(nanos), Duration::ZERO), Turn::Now(at(nanos)));
        }
    }

    #[test]
    fn what_waited_for_a_departure_arrives_at_its_moment() {
        let mut moments = busy();

        assert_eq!(moments.end(END + MOMENT), END);

        assert_eq!(moments.turn(END + MOMENT, Duration::ZERO), Turn::Now(END));
        moments.begin(END, END + Duration::from_nanos(1000 * US));
        assert_eq!(moments.turn(END + MOMENT, Duration::ZERO), Turn::Now(END));
    }

    #[test]
    fn a_transmission_of_less_than_a_tenth_of_a_microsecond_has_no_moments() {
        let mut moments = Moments::default();
        let ends = Instant::from_nanos(1000 * US + 99);

        assert_eq!(moments.begin(Instant::from_nanos(1000 * US), ends), ends);
        assert_eq!(
            moments.turn(Instant::from_nanos(1000 * US + 95), Duration::ZERO),
            Turn::Now(Instant::from_nanos(1000 * US + 95))
        );
    }

    #[test]
    fn a_shared_medium_ends_a_transmission_when_it_wants() {
        let mut moments = Moments::default();

        assert_eq!(moments.begin(END, Instant::MAX), Instant::MAX);

        assert_eq!(moments.turn(at(1000), Duration::ZERO), Turn::Now(at(1000)));
        assert_eq!(moments.end(at(5000)), at(5000));
    }
}
