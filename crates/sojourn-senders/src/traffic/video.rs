//! Adaptive video: segments over one connection, each of a bitrate that follows from the player's buffer.
//!
//! Specification: Huang, Johari, McKeown, Trunnell and Watson 2014, "A buffer-based approach to rate adaptation", algorithm 1 (BBA-0).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The buffer holds 30 s where the paper's holds 240 s, the reservoir and the cushion with it | a run lasts a minute, and not an hour; all three are parameters | |
//! | The next segment is asked for when the last one has been acknowledged | a request carries no data of its own | `the_buffer_sets_the_bitrate` |

use super::playback::Playback;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "video",
    title: "Adaptive video",
    doc: "A viewer of video whose player asks for one segment after the other, each at a bitrate that its buffer allows \
          (BBA-0). The table `quality` has the bitrate and the time for which the video stalled.",
    reference: "Huang et al. 2014, algorithm 1",
    unpaced: |_| Some("a video that adapts".to_owned()),
    check,
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Bitrates of the segments in kbit/s, in rising order.
        bitrates_kbps: Numbers = "[235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800]" in [1.0, 1e6],
            "Netflix 2015, \"Per-title encode optimization\": the fixed ladder";
        /// Length of a segment.
        segment: Duration = "4s" in [0.1, 100.0], "Huang et al. 2014 section 4";
        /// Length of the video that the player's buffer can hold.
        buffer: Duration = "30s" in [0.1, 10000.0], "our choice: players of today; Huang et al. 2014 have 240 s";
        /// Content of the buffer up to which the player asks for the lowest bitrate.
        reservoir: Duration = "8s" in [0.0, 10000.0], "our choice: two segments; Huang et al. 2014 have 90 s";
        /// Content of the buffer above the reservoir over which the bitrate rises to the highest.
        cushion: Duration = "18s" in [0.1, 10000.0], "our choice: Huang et al. 2014 reach it at 90 % of the buffer";
        /// Content of the buffer at which the video begins, and goes on after a stall.
        startup: Duration = "4s" in [0.0, 1000.0], "our choice: one segment";
        /// Length of the video; `auto` is without end.
        length: Option<Duration> = "auto" in [0.1, 1e9], "a viewer who stays";
    }
}

fn check(args: &Args) -> Result<(), BuildError> {
    let params: Params = args.typed();
    let Numbers(rates) = &params.bitrates_kbps;
    if rates.is_empty() || !rates.is_sorted() {
        let what = "the bitrates are not in rising order".to_owned();
        return Err(BuildError::new("bitrates_kbps", what, "list one or more, the lowest first"));
    }
    if params.segment > params.buffer {
        let what = "a segment does not fit into the buffer".to_owned();
        return Err(BuildError::new("segment", what, "make the buffer larger"));
    }
    Ok(())
}

#[derive(Clone, Debug)]
struct Video {
    params: Params,
    player: Playback,
    /// Place of the last bitrate.
    rate: usize,
    asked: u64,
    /// When there will be room for the next segment, if there is none now.
    next: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    let params: Params = args.typed();
    let player = Playback::new(params.startup);
    Box::new(Video { params, player, rate: 0, asked: 0, next: None })
}

impl Video {
    fn ask(&mut self, connect: bool) -> Demand {
        let Numbers(rates) = &self.params.bitrates_kbps;
        self.rate = next_rate(rates, self.rate, wanted_kbps(&self.params, self.player.buffer()));
        self.asked += 1;
        let bytes = libm::round(rates[self.rate] * 1e3 * self.params.segment.as_secs_f64() / 8.0);
        Demand { connect, ..Demand::write(Bytes((bytes as u64).max(1))) }
    }
}

/// The map of figure 11: f(B) from the lowest bitrate at the reservoir to the highest at its end and the cushion's.
fn wanted_kbps(params: &Params, buffer: Duration) -> f64 {
    let Numbers(rates) = &params.bitrates_kbps;
    let (lowest, highest) = (rates[0], rates[rates.len() - 1]);
    let above = buffer.saturating_sub(params.reservoir).as_secs_f64();
    lowest + (highest - lowest) * (above / params.cushion.as_secs_f64()).min(1.0)
}

/// Algorithm 1: the bitrate stays until the map passes the next higher or the next lower one.
fn next_rate(rates: &[f64], last: usize, wanted: f64) -> usize {
    let highest = rates.len() - 1;
    if wanted >= rates[highest] {
        highest
    } else if wanted <= rates[0] {
        0
    } else if wanted >= rates[(last + 1).min(highest)] {
        // The highest below the map.
        rates.iter().rposition(|rate| *rate < wanted).unwrap_or(0)
    } else if wanted <= rates[last.saturating_sub(1)] {
        // The lowest above it.
        rates.iter().position(|rate| *rate > wanted).unwrap_or(highest)
    } else {
        last
    }
}

impl Application for Video {
    fn on_start(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.player.advance(now);
        self.ask(true)
    }

    fn on_transfer_complete(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        let Params { segment, buffer, length, .. } = self.params;
        self.player.add(now, segment);
        if length.is_some_and(|length| segment * self.asked >= length) {
            return Demand { finish: true, ..Demand::NOTHING };
        }
        let after = self.player.buffer() + segment;
        if after > buffer {
            self.next = Some(now + after.saturating_sub(buffer));
            return Demand::NOTHING;
        }
        self.ask(false)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.next = None;
        self.player.advance(now);
        self.ask(false)
    }

    fn role(&self) -> Role {
        Role::Video { segment: self.params.segment, startup: self.params.startup }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Amount;
    use crate::traffic::trial::{args, run};

    const LADDER: [f64; 4] = [100.0, 200.0, 400.0, 800.0];

    #[test]
    fn the_bitrate_stays_until_the_map_passes_its_neighbours() {
        assert_eq!(next_rate(&LADDER, 0, 100.0), 0);
        assert_eq!(next_rate(&LADDER, 0, 199.0), 0);
        assert_eq!(next_rate(&LADDER, 0, 500.0), 2);
        assert_eq!(next_rate(&LADDER, 2, 399.0), 2);
        assert_eq!(next_rate(&LADDER, 2, 200.0), 2);
        assert_eq!(next_rate(&LADDER, 2, 150.0), 1);
        assert_eq!(next_rate(&LADDER, 3, 900.0), 3);
    }

    #[test]
    fn the_buffer_sets_the_bitrate() {
        let args = args(&ENTRY, None, &[("length", "200s")]);
        // At 10 Mbit/s the highest bitrate comes through: 2.32 s for a segment of 4 s.
        let transfer = |bytes: u64| Duration::from_secs_f64(bytes as f64 * 8.0 / 10e6);
        let asked =
            run(build(&args).as_mut(), 1000.0, Some(|bytes| Duration::from_secs_f64(bytes as f64 * 8.0 / 10e6)));
        let bytes: Vec<u64> = asked
            .iter()
            .filter_map(|one| if let Amount::Bytes(Bytes(bytes)) = one.demand.write { Some(bytes) } else { None })
            .collect();
        assert_eq!(bytes.len(), 50);
        assert_eq!(bytes[0], 235 * 500);
        assert!(bytes.is_sorted(), "{bytes:?}");
        assert_eq!(bytes[49], 5800 * 500);
        // Then one is asked for every 4 s: the buffer is full.
        let last: Vec<f64> =
            asked.iter().filter(|one| one.demand.write != Amount::Nothing).map(|one| one.time).collect();
        assert!((last[49] - last[48] - 4.0).abs() < 1e-6, "{last:?}");
        assert!(transfer(bytes[49]) < Duration::from_secs(4));
    }
}
