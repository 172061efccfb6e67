//! Streaming: media of a constant mean rate, written block by block, with a first part at once to fill the
//! player's buffer.

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "streaming",
    title: "Streaming",
    doc: "Media of a mean rate, one block after the other at fixed intervals on one connection, whether or not the \
          last one has arrived. A first part may be sent at once to fill the player's buffer.",
    reference: "Rao et al. 2011 (streaming in blocks); frames of a codec with short intervals",
    presets: presets! {
        /// A web video: 10 s at once, then blocks of 64 kB on average at 1 Mbit/s.
        web = { rate = "1Mbit", interval = "0.524288s", ahead = "10s", size_law = "fixed" };
        /// A live video: 25 frames a second of exponential sizes, nothing ahead.
        live = { rate = "1Mbit", interval = "40ms", ahead = "0s", size_law = "exponential" };
    },
    unpaced,
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Mean rate of the media, without headers.
        rate: Rate = "1Mbit" in [1.0, 1e12], "a web video of standard definition";
        /// Time between blocks.
        interval: Duration = "40ms" in [0.0001, 1000.0], "25 frames a second";
        /// How the sizes of blocks are distributed around rate * interval.
        size_law: Law = "fixed", "a codec of constant rate";
        /// Shape of Pareto sizes.
        size_shape: f64 = "1.5" in [1.001, 1000.0], "a tail without variance", when size_law in ["pareto"];
        /// Media sent at once at the start.
        ahead: Duration = "0s" in [0.0, 1000.0], "live media has nothing ahead";
        /// Length of the media from the start of the flow; `auto` is without end.
        length: Option<Duration> = "auto" in [0.0, 1e9], "a viewer who stays";
    }
}

#[derive(Clone, Debug)]
struct Streaming {
    params: Params,
    started: Instant,
    blocks: u64,
    next: Option<Instant>,
}

fn unpaced(args: &Args) -> Option<String> {
    let params: Params = args.typed();
    (params.ahead > Duration::ZERO).then(|| "media sent ahead at once".to_owned())
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Streaming { params: args.typed(), started: Instant::ZERO, blocks: 0, next: None })
}

impl Streaming {
    fn bytes_in(&self, time: Duration) -> f64 {
        self.params.rate.as_bps() as f64 * time.as_secs_f64() / 8.0
    }

    fn arm(&mut self) {
        let media = self.params.ahead + self.params.interval * self.blocks;
        let more = self.params.length.is_none_or(|length| media < length);
        // From the start, so that rounding does not add up.
        self.next = more.then(|| self.started + self.params.interval * self.blocks);
    }
}

impl Application for Streaming {
    fn on_start(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.started = now;
        self.arm();
        let ahead = self.params.length.map_or(self.params.ahead, |length| length.min(self.params.ahead));
        match self.bytes_in(ahead) as u64 {
            0 => Demand::NOTHING,
            bytes => Demand::write(Bytes(bytes)),
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, _now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.blocks += 1;
        self.arm();
        let block = self.params.size_law.draw(self.bytes_in(self.params.interval), self.params.size_shape, cx.rng);
        Demand::write(Bytes((libm::round(block) as u64).max(1)))
    }

    fn reports_completions(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, sends};

    #[test]
    fn media_sent_ahead_comes_at_once_and_the_rest_block_by_block() {
        let settings = [("rate", "800kbit"), ("interval", "1s"), ("ahead", "5s"), ("length", "7s")];
        let sent = sends(build(&args(&ENTRY, None, &settings)).as_mut(), 100.0);

        // 100 kB a second: 5 s ahead at 0 s, blocks of 1 s at 0 and 1 s.
        assert_eq!(sent.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>(), [500_000, 100_000, 100_000]);
        assert_eq!(sent.iter().map(|(time, _)| *time as u64).collect::<Vec<_>>(), [0, 0, 1]);
    }

    #[test]
    fn the_rate_holds_in_the_mean_over_random_blocks() {
        let sent = sends(build(&args(&ENTRY, Some("live"), &[])).as_mut(), 4000.0);

        // 100 000 blocks of 5000 bytes, exponential: four standard errors.
        let mean = sent.iter().map(|(_, bytes)| *bytes as f64).sum::<f64>() / sent.len() as f64;
        assert_eq!(sent.len(), 100_000);
        assert!((mean - 5000.0).abs() < 4.0 * 5000.0 / libm::sqrt(100_000.0), "{mean}");
    }
}
