//! A medium that several links share, one frame at a time: the distributed coordination function of IEEE Std 802.11-2012,
//! clause 9.3, with basic access, or with RTS and CTS for frames above a threshold.
//!
//! A *station* is a link with its queue. It holds one packet, which has left the queue, and contends for the medium with it:
//! DIFS of silence, then a random number of slots, counted down while the medium is idle and kept while it is not. The frame
//! is acknowledged after SIFS. Without an acknowledgement the window doubles, and the frame is sent again up to `retries`
//! times. Two stations that begin in the same slot collide, and both frames are lost.
//!
//! A *protected* frame is preceded by RTS and CTS (9.3.2.5): RTS, SIFS, CTS, SIFS, then the frame. A collision then costs an
//! RTS and not a frame. Attempts whose RTS is not answered have a limit of their own, `rts_retries` (9.3.4).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A frame that finds the medium idle begins with the next slot, at most a slot later than it might | who begins in one slot collides, as a slot is the time in which stations hear each other (9.3.7) | `what_comes_to_an_idle_medium_begins_with_the_next_slot` |
//! | After a failure the sender, too, waits for EIFS, which is a little longer than its ACK timeout (9.3.2) and DIFS | all stations count the same slots | `a_failure_lasts_as_long_as_eifs` |
//! | Frames are never fragmented | - | - |
//! | After an RTS without a CTS all stations wait for EIFS, a little longer than the CTS timeout | all stations count the same slots | `an_rts_that_collides_lasts_as_long_as_eifs` |
//!
//! Not modelled: hidden stations, capture, errors in ACK frames, propagation inside the hop (the link's delay comes on top),
//! beacons, rate adaptation.

use super::link_plan::MediumPlan;
use super::wifi::{ACK_BYTES, CTS_BYTES, Phy, RTS_BYTES};
use crate::rng::Rng;
use crate::units::{Duration, Instant, Rate};

/// A packet that a station holds.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The packet's handle.
    pub handle: u32,
    /// The packet's bytes.
    pub size: u32,
}

/// A frame that has the medium for itself.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// The station that sends it.
    pub station: usize,
    /// The packet that it sends.
    pub frame: Frame,
    /// Its bytes, with those that the frame adds to the packet.
    pub bytes: u32,
    /// When its last bit is sent.
    pub ends_at: Instant,
}

/// The fate of a station's packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was acknowledged.
    Delivered,
    /// All allowed attempts to send it have failed: the packet's handle.
    GivenUp(u32),
}

/// The counts of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Frames sent, again and again counted.
    pub sent: u64,
    /// The frames among them that were acknowledged.
    pub delivered: u64,
    /// The frames among them that were sent in the same slot as another station's.
    pub collided: u64,
    /// The frames among them that were corrupted.
    pub corrupted: u64,
    /// Packets for which all allowed attempts have failed.
    pub given_up: u64,
}

/// One link's part in a medium.
struct Station {
    rng: Rng,
    rate: Rate,
    ack: Duration,
    frame: Option<Frame>,
    /// Slots that it still waits from `Medium::slots_from` on; `None`: it need not wait.
    backoff: Option<u64>,
    window: u32,
    failures: u32,
    /// Failures of RTS since the last CTS: SSRC of 9.3.4.
    unanswered: u32,
    /// Time of an RTS, and of an RTS and a CTS with a SIFS after each.
    request: Duration,
    reservation: Duration,
    attempts: Attempts,
}

/// The frame in the air.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Exchange {
    /// When it is over, the acknowledgement or the time for one included.
    until: Instant,
    received: bool,
}

/// The medium and its stations.
pub struct Medium {
    phy: Phy,
    basic_rate: Option<Rate>,
    retries: u32,
    overhead: u32,
    rts_threshold: Option<u32>,
    rts_retries: u32,
    stations: Vec<Station>,
    /// Numbers of those that send now.
    on_air: Vec<usize>,
    exchange: Option<Exchange>,
    /// The slots of this silence begin here, after DIFS.
    slots_from: Instant,
    /// Counting begins here.
    from: Instant,
}

impl Medium {
    /// Silent for long; it counts from `from` on.
    pub fn new(plan: &MediumPlan, from: Instant) -> Self {
        Medium {
            phy: plan.phy,
            basic_rate: plan.basic_rate,
            retries: plan.retries,
            overhead: plan.overhead,
            rts_threshold: plan.rts_threshold,
            rts_retries: plan.rts_retries,
            stations: Vec::new(),
            on_air: Vec::new(),
            exchange: None,
            slots_from: Instant::ZERO,
            from,
        }
    }

    /// Adds a station that sends data at `rate` and draws from `rng`; its number is that of those before it.
    pub fn join(&mut self, rate: Rate, rng: Rng) {
        // 9.7.6: control frames go at a basic rate.
        let basic = self.phy.ack_rate(rate, self.basic_rate);
        let request = self.phy.airtime(RTS_BYTES, basic);
        let sifs = self.phy.standard.sifs();
        self.stations.push(Station {
            rng,
            rate,
            ack: self.phy.airtime(ACK_BYTES, basic),
            frame: None,
            backoff: None,
            window: self.phy.standard.windows().0,
            failures: 0,
            unanswered: 0,
            request,
            reservation: request + sifs + self.phy.airtime(CTS_BYTES, basic) + sifs,
            attempts: Attempts::default(),
        });
    }

    /// A station that holds no packet takes this one.
    pub fn offer(&mut self, now: Instant, station: usize, frame: Frame) {
        let idle = self.exchange.is_none() && now >= self.slots_from;
        let next = self.next_slot(now);
        let station = &mut self.stations[station];
        debug_assert!(station.frame.is_none(), "a station holds one packet");
        station.frame = Some(frame);
        station.backoff = Some(match station.backoff {
            // 9.3.4: at once, once the backoff after the last frame is over.
            backoff if idle => backoff.unwrap_or(0).max(next),
            Some(rest) => rest,
            // 9.3.4: a busy medium must be waited for.
            None => station.draw(),
        });
    }

    /// The time of the next event, if any station holds a packet.
    pub fn next_event(&self) -> Option<Instant> {
        if let Some(exchange) = self.exchange {
            return Some(exchange.until);
        }
        let first =
            self.stations.iter().filter(|station| station.frame.is_some()).filter_map(|each| each.backoff).min()?;
        Some(self.slots_from + self.phy.standard.slot() * first)
    }

    /// Whether something is in the air.
    pub fn is_busy(&self) -> bool {
        self.exchange.is_some()
    }

    /// Those whose backoff is over begin to send: who, if there is only one. Until [`Medium::receive`] says otherwise, the
    /// attempt fails.
    pub fn begin(&mut self, now: Instant) -> Option<Attempt> {
        let slot = self.next_slot(now);
        let counts = u64::from(now >= self.from);
        self.on_air.clear();
        for (number, station) in self.stations.iter_mut().enumerate() {
            match station.frame {
                Some(_) if station.backoff == Some(slot) => {
                    self.on_air.push(number);
                    station.attempts.sent += counts;
                }
                // 9.3.4: the slot in which the medium becomes busy does not count.
                _ => station.backoff = station.backoff.and_then(|rest| rest.checked_sub(slot)).filter(|rest| *rest > 0),
            }
        }
        let alone = self.on_air.len() == 1;
        let ends_at = self.on_air.iter().fold(now, |last, &number| last.max(now + self.time_of(number, alone)));
        let until = ends_at + self.phy.standard.sifs() + self.phy.slowest_ack();
        self.exchange = Some(Exchange { until, received: false });
        if let [number] = *self.on_air {
            // 9.3.4: a CTS, or no need of one, sets the count of unanswered requests back.
            self.stations[number].unanswered = 0;
            let frame = self.stations[number].frame?;
            return Some(Attempt { station: number, frame, bytes: frame.size + self.overhead, ends_at });
        }
        for &number in &self.on_air {
            self.stations[number].attempts.collided += counts;
        }
        None
    }

    /// How long a station sends: its frame, with the reservation of the medium before it if it is alone; else only the request for it.
    fn time_of(&self, number: usize, alone: bool) -> Duration {
        let station = &self.stations[number];
        let Some(frame) = station.frame else { return Duration::ZERO };
        let data = self.phy.airtime(frame.size + self.overhead, station.rate);
        match (self.protects(frame), alone) {
            (false, _) => data,
            (true, false) => station.request,
            (true, true) => station.reservation + data,
        }
    }

    /// Whether RTS and CTS precede a frame.
    fn protects(&self, frame: Frame) -> bool {
        self.rts_threshold.is_some_and(|threshold| frame.size + self.overhead > threshold)
    }

    /// The frame that alone is in the air arrives, or it does not.
    pub fn receive(&mut self, now: Instant, attempt: &Attempt, received: bool) {
        let counts = u64::from(now >= self.from);
        let station = &mut self.stations[attempt.station];
        if received {
            let until = attempt.ends_at + self.phy.standard.sifs() + station.ack;
            self.exchange = Some(Exchange { until, received });
            station.attempts.delivered += counts;
        } else {
            station.attempts.corrupted += counts;
        }
    }

    /// The exchange is over: `done` says whose packets need no more attempts.
    pub fn end(&mut self, now: Instant, done: &mut Vec<(usize, Outcome)>) {
        let received = self.exchange.take().is_some_and(|exchange| exchange.received);
        // After a failure, EIFS = SIFS + ACK at the lowest rate + DIFS have then passed since the frame: 9.3.2.3.
        self.slots_from = now + self.phy.standard.difs();
        let (window_min, window_max) = self.phy.standard.windows();
        let collided = self.on_air.len() > 1;
        for &number in &self.on_air {
            let requested = collided && self.stations[number].frame.is_some_and(|frame| self.protects(frame));
            let station = &mut self.stations[number];
            if requested {
                station.unanswered += 1;
            } else {
                station.failures += u32::from(!received);
            }
            let over = received || station.failures > self.retries || station.unanswered > self.rts_retries;
            if over {
                let frame = station.frame.take();
                station.window = window_min;
                station.failures = 0;
                station.unanswered = 0;
                match frame {
                    Some(frame) if !received => {
                        station.attempts.given_up += u64::from(now >= self.from);
                        done.push((number, Outcome::GivenUp(frame.handle)));
                    }
                    _ => done.push((number, Outcome::Delivered)),
                }
            } else {
                // 9.3.3: 31, 63, 127 ...
                station.window = (2 * station.window + 1).min(window_max);
            }
            // Even with nothing to send: 9.3.4.
            station.backoff = Some(station.draw());
        }
        self.on_air.clear();
    }

    /// The counts of a station since counting began.
    pub fn attempts(&self, station: usize) -> Attempts {
        self.stations[station].attempts
    }

    /// The slot that begins at `now` or after it.
    fn next_slot(&self, now: Instant) -> u64 {
        if now <= self.slots_from {
            return 0;
        }
        now.since(self.slots_from).as_nanos().div_ceil(self.phy.standard.slot().as_nanos())
    }
}

impl Station {
    /// 9.3.3: a whole number from 0 to the window, all alike.
    fn draw(&mut self) -> u64 {
        self.rng.below(u64::from(self.window) + 1)
    }
}

#[cfg(test)]
mod tests;
