//! The table `quality`: the quality that users of calls, games, videos and of requests to many workers notice.

use std::collections::BTreeMap;

use super::flow_counts::FlowRow;
use super::state::Simulation;
use crate::metrics::Table;
use crate::metrics::column::Unit::{BitPerS, Plain, S, Share};
use crate::metrics::column::{Kind, NUMBER, Quantity, columns, quantity};
use crate::metrics::fairness::{mean_and_sd, ratio};
use crate::metrics::latency::Latencies;
use crate::metrics::quality::call_score;
use crate::traffic::Role;
use crate::traffic::playback::Playback;
use crate::transport::Completion;
use crate::units::Duration;

const ROUND: Quantity =
    quantity("Slowest of a round", S).less().kind(Kind::Delay).noun("time of a round").head("round slowest");

#[derive(Clone, Copy)]
struct Quality {
    mos: f64,
    late: f64,
    bitrate: f64,
    stalls: u64,
    stalled: f64,
    rounds: u64,
    slowest_mean: f64,
    slowest_p99: f64,
}

const NONE: Quality = Quality {
    mos: f64::NAN,
    late: f64::NAN,
    bitrate: f64::NAN,
    stalls: 0,
    stalled: f64::NAN,
    rounds: 0,
    slowest_mean: f64::NAN,
    slowest_p99: f64::NAN,
};

/// `quality`: one row for each group that users judge by something of their own.
pub struct QualityRow<'a> {
    name: &'a str,
    of: Quality,
}

columns! {
    impl<'a> QualityRow<'a> {
        /// Name of the group of flows.
        group: Text = |row| row.name;
        /// Mean opinion score of a call of G.711 (`voice`), 1 to 4.4; above 4 is good, below 3.1 nearly all are
        /// dissatisfied.
        mos: Real = |row| row.of.mos, quantity("Opinion of the call (MOS)", Plain).more().head("mos"),
            "ITU-T G.107: opinion of R = 93.2 - Idd - Ie,eff; delay_p99 of the packets and a frame, and the share that is lost or later";
        /// Part of the packets of a `game` that was of no use.
        late_fraction: Real = |row| row.of.late,
            quantity("Packets too late", Share).less().noun("part of the packets that are too late").head("late"),
            "packets lost or longer on their way than `deadline` / packets that came or were lost";
        /// Mean bitrate that a `video` was played with.
        video_bitrate_bps: Real = |row| row.of.bitrate,
            quantity("Bitrate of the video", BitPerS).more().head("video bitrate"),
            "8 * bytes of segments / video in them, whole run";
        /// How often a `video` stalled, all viewers together.
        stalls: Count = |row| row.of.stalls, NUMBER.less().noun("number of stalls"),
            "times at which the player's buffer was empty, whole run";
        /// Part of the time in which viewers waited, the start itself not counted.
        stall_fraction: Real = |row| row.of.stalled,
            quantity("Video stalled", Share).less().noun("part of the time in which the video stalls").head("stall"),
            "time of stalls / time since playing began, all viewers together, whole run";
        /// How many `rounds` were whole.
        rounds: Count = |row| row.of.rounds, NUMBER, "rounds in the window that all workers finished";
        /// How long a round took: until its slowest worker was done.
        round_slowest_mean_s: Real = |row| row.of.slowest_mean, ROUND.of("mean"),
            "mean over whole rounds of the last worker's end - the round's begin";
        /// One round in 100 took longer.
        round_slowest_p99_s: Real = |row| row.of.slowest_p99, ROUND.of("p99"), "0.99 quantile of the same";
    }
}

impl Simulation {
    /// `None` where users judge by nothing of their own. Transfers are to be in the order of flows.
    pub(super) fn quality_table(&self, flows: &[FlowRow]) -> Option<Table> {
        let row = |(group, role): (usize, &Role)| {
            let of = self.quality(group, *role, flows)?;
            Some(QualityRow { name: &self.settings.group_names[group], of })
        };
        let rows: Vec<QualityRow<'_>> = self.settings.roles.iter().enumerate().filter_map(row).collect();
        (!rows.is_empty()).then(|| Table::of_all("quality", &rows))
    }

    fn quality(&self, group: usize, role: Role, flows: &[FlowRow]) -> Option<Quality> {
        let delay = &self.groups.all()[group].delay;
        let of_group = flows.iter().filter(|flow| flow.group as usize == group);
        let lost = of_group.map(|flow| u64::from(flow.losses.drops) + u64::from(flow.corrupted)).sum();
        match role {
            Role::Other | Role::Load | Role::Probe { .. } => None,
            Role::Call { frame } => {
                let waits = delay.quantile(0.99);
                // A delay that hardly varies lies in one cell or two: none of its packets is late.
                let missing = missing(delay, CELL * waits, lost);
                Some(Quality { mos: call_score(1e3 * (waits + frame.as_secs_f64()), missing), ..NONE })
            }
            Role::Game { deadline } => Some(Quality { late: missing(delay, deadline.as_secs_f64(), lost), ..NONE }),
            Role::Video { segment, startup } => Some(self.video(group, segment, startup)),
            Role::Round { interval } => Some(self.rounds(group, interval)),
        }
    }

    /// The transfers of each flow of a group, with the flow's number.
    fn transfers_of(&self, group: usize) -> BTreeMap<u32, Vec<Completion>> {
        let mut found: BTreeMap<u32, Vec<Completion>> = BTreeMap::new();
        for (flow, done) in &self.completions {
            if self.flow_records[*flow as usize].group as usize == group {
                found.entry(*flow).or_default().push(*done);
            }
        }
        found
    }

    fn video(&self, group: usize, segment: Duration, startup: Duration) -> Quality {
        let (mut bytes, mut segments, mut stalls) = (0, 0_u64, 0);
        let (mut stalled, mut played) = (Duration::ZERO, Duration::ZERO);
        for (flow, transfers) in self.transfers_of(group) {
            let mut player = Playback::new(startup);
            player.advance(self.flow_records[flow as usize].started);
            for done in transfers {
                player.add(done.finished, segment);
                bytes += done.bytes;
                segments += 1;
            }
            player.advance(self.now);
            stalls += player.stalls();
            let (of_stalls, since) = player.stalled();
            stalled += of_stalls;
            played += since;
        }
        let media = segment.as_secs_f64() * segments as f64;
        let stalled = ratio(stalled.as_secs_f64(), played.as_secs_f64());
        Quality { bitrate: ratio(8.0 * bytes as f64, media), stalls, stalled, ..NONE }
    }

    /// A round is whole if all flows have done it; its flows may have begun it a little apart.
    fn rounds(&self, group: usize, interval: Duration) -> Quality {
        let of_flows = self.transfers_of(group);
        let workers = self.flow_records.iter().filter(|flow| flow.group as usize == group).count();
        let mut rounds: BTreeMap<u64, Vec<Completion>> = BTreeMap::new();
        for (flow, transfers) in of_flows {
            let started = self.flow_records[flow as usize].started;
            for done in transfers {
                let round = done.started.since(started).as_nanos() / interval.as_nanos().max(1);
                rounds.entry(round).or_default().push(done);
            }
        }
        let mut took = Vec::new();
        for done in rounds.into_values().filter(|done| done.len() == workers) {
            let begin = done.iter().map(|one| one.started).min();
            let end = done.iter().map(|one| one.finished).max();
            if let (Some(begin), Some(end)) = (begin, end)
                && begin >= self.settings.warmup
            {
                took.push((end - begin).as_secs_f64());
            }
        }
        took.sort_unstable_by(f64::total_cmp);
        let last = (libm::ceil(0.99 * took.len() as f64) as usize).saturating_sub(1);
        let slowest_p99 = took.get(last).copied().unwrap_or(f64::NAN);
        Quality { rounds: took.len() as u64, slowest_mean: mean_and_sd(&took).0, slowest_p99, ..NONE }
    }
}

/// The ratio of the middles of two cells of [`Latencies`] at most, which are quantiles to half a per cent.
const CELL: f64 = 1.01;

/// The part of the packets that was lost or took longer than `seconds` seconds.
fn missing(delay: &Latencies, seconds: f64, lost: u64) -> f64 {
    let late: u64 = delay.middles().filter(|(middle, _)| *middle > seconds).map(|(_, count)| count).sum();
    ratio((late + lost) as f64, (delay.count() + lost) as f64)
}

#[cfg(test)]
mod tests {
    use crate::metrics::Table;
    use crate::metrics::quality::call_score;
    use crate::sim::shortcuts::Shortcuts;
    use crate::sim::tests::{number, run};

    fn quality(rate: &str, flows: &str) -> Vec<Table> {
        let text = format!(
            r#"
duration = "60s"
warmup = "10s"
[dumbbell]
rate = "{rate}"
delay = "50ms"
access = {{ rate = "10Gbit", delay = "0s" }}
queue = {{ kind = "fifo", limit = "1000p" }}
{flows}
"#
        );
        run(&text, 1, Shortcuts::ALL)
    }

    #[test]
    fn a_call_alone_has_the_score_of_its_delay() {
        let flows = "[[flow]]\ntransport = \"udp\"\napp = { kind = \"voice\", silence = false }\n";
        let tables = quality("100Mbit", flows);
        // 50 ms on the way and 20 ms of a frame: below 100 ms nothing is lost of 4.41.
        let found = number(&tables, "quality", "mos", 0);
        assert!((found - call_score(70.0, 0.0)).abs() < 1e-9, "{found}");
    }

    #[test]
    fn a_game_is_late_when_the_way_is_longer_than_its_deadline() {
        let game = |deadline: &str| {
            let app = format!("app = {{ kind = \"game\", deadline = \"{deadline}\" }}");
            number(
                &quality("100Mbit", &format!("[[flow]]\ntransport = \"udp\"\n{app}\n")),
                "quality",
                "late_fraction",
                0,
            )
        };
        assert!(game("60ms").abs() < 1e-12);
        assert!((game("40ms") - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_video_at_a_constant_rate_stalls_by_the_closed_form() {
        let video = |rate: &str| {
            let app = "app = { kind = \"video\", bitrates_kbps = [1000], segment = \"2s\", startup = \"2s\" }";
            let transport = "transport = { kind = \"tcp\", profile = \"linux\", packet = \"1500B\" }";
            quality(rate, &format!("[[flow]]\n{transport}\n{app}\n"))
        };
        // Plenty of rate: none.
        let fast = video("10Mbit");
        assert!(number(&fast, "quality", "stalls", 0).abs() < 1e-12);
        assert!((number(&fast, "quality", "video_bitrate_bps", 0) - 1e6).abs() < 1.0);
        // A link of 0.5 Mbit/s carries 0.5 * 1448 / 1500 of media of 1 Mbit/s: each segment of 2 s takes 2 s / 0.4827, and the rest
        // is a stall.
        let slow = video("500kbit");
        let stalled = number(&slow, "quality", "stall_fraction", 0);
        assert!((stalled - (1.0 - 0.5 * 1448.0 / 1500.0)).abs() < 0.03, "{stalled}");
    }

    #[test]
    fn the_slowest_of_a_round_ends_when_the_link_has_sent_all_blocks() {
        let flows = "[[flow]]\ncount = 10\napp = { kind = \"rounds\", interval = \"1s\", size = \"14480B\" }\n\
                     transport = { kind = \"tcp\", profile = \"linux\", packet = \"1500B\" }\n";
        let tables = quality("10Mbit", flows);
        // Ten packets of each of ten workers: 150 kB at 10 Mbit/s take 120 ms, and the way there and back 100 ms.
        let found = number(&tables, "quality", "round_slowest_mean_s", 0);
        assert!((found - 0.22).abs() < 0.002, "{found}");
        assert!((49.0..=50.0).contains(&number(&tables, "quality", "rounds", 0)));
    }
}
