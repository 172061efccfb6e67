//! The buffer of a player: media arrive in segments and are played in real time; playback stalls when the buffer is empty.

use crate::units::{Duration, Instant};

/// A player. It begins, and begins again after a stall, when its buffer holds the startup amount.
#[derive(Clone, Debug)]
pub struct Playback {
    startup: Duration,
    buffer: Duration,
    is_playing: bool,
    /// The time of the other fields.
    since: Instant,
    /// When playing began first.
    began: Option<Instant>,
    stalls: u64,
    stalled: Duration,
}

impl Playback {
    /// With nothing in its buffer.
    pub fn new(startup: Duration) -> Self {
        Playback {
            startup,
            buffer: Duration::ZERO,
            is_playing: false,
            since: Instant::ZERO,
            began: None,
            stalls: 0,
            stalled: Duration::ZERO,
        }
    }

    /// Plays until now.
    pub fn advance(&mut self, now: Instant) {
        let mut passed = now.since(self.since);
        self.since = now;
        if self.is_playing {
            if passed <= self.buffer {
                self.buffer = self.buffer.saturating_sub(passed);
                return;
            }
            passed = passed.saturating_sub(self.buffer);
            self.buffer = Duration::ZERO;
            self.is_playing = false;
            self.stalls += 1;
        }
        if self.began.is_some() {
            self.stalled += passed;
        }
    }

    /// A segment has arrived.
    pub fn add(&mut self, now: Instant, segment: Duration) {
        self.advance(now);
        self.buffer += segment;
        if !self.is_playing && self.buffer >= self.startup {
            self.is_playing = true;
            self.began.get_or_insert(now);
        }
    }

    /// The content of the buffer, as a time.
    pub fn buffer(&self) -> Duration {
        self.buffer
    }

    /// How often it has stalled.
    pub fn stalls(&self) -> u64 {
        self.stalls
    }

    /// For how long it has stalled, and how long ago it began to play; the start itself is no stall.
    pub fn stalled(&self) -> (Duration, Duration) {
        (self.stalled, self.began.map_or(Duration::ZERO, |began| self.since.since(began)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(secs)
    }

    #[test]
    fn what_is_not_there_in_time_is_a_stall_until_enough_has_come() {
        let mut player = Playback::new(Duration::from_secs(4));
        player.add(at(3), Duration::from_secs(2));
        assert_eq!(player.stalls(), 0);
        // 4 s are there at 5 s: it plays until 9 s, and again from 12 s on, when 4 s are there once more.
        player.add(at(5), Duration::from_secs(2));
        player.add(at(10), Duration::from_secs(2));
        player.add(at(12), Duration::from_secs(2));
        player.advance(at(14));
        assert_eq!((player.stalls(), player.stalled()), (1, (Duration::from_secs(3), Duration::from_secs(9))));
        assert_eq!(player.buffer(), Duration::from_secs(2));
    }
}
