//! RED-Worcester: Adaptive RED whose target follows the queuing delay that the packets ask for. Specification:
//! Phirke, "Traffic Sensitive Active Queue Management for Improved Quality of Service", MSc thesis, WPI, 2002, chapter
//! 3 [Phi02]. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | max_p rises by min(0.01, max_p / 4), as in Adaptive RED; the thesis says about 0.1 | 0.1 is a tenth of the whole range twice a second; `alpha` sets it | `max_p_moves_towards_the_moving_target` |
//! | A packet without a hint asks for the queue midway between the thresholds in mean packets; eq. 3.1 would let an acknowledgement ask for 25 times as many | section 3.1: no hint is Adaptive RED's target queue | `a_packet_without_a_hint_asks_for_the_target_queue` |
//! | The target is a band, as wide in proportion as Adaptive RED's; the pseudo-code has one value | the text extends Adaptive RED; `band` = 0 is the pseudo-code | `without_a_band_the_target_is_one_value` |

use crate::aqm::ared::Aimd;
use crate::aqm::red::{Bounds, Mode, NS2_LAWS, Reach, Red, Seen, Settings, distinct};
use crate::header::DelayHint;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "red_worcester",
    title: "RED-Worcester",
    doc: "Adaptive RED for packets that state an acceptable delay. The target of the average queue follows a moving average of the delays \
          that the packets ask for.",
    reference: "Phirke 2002",
    presets: presets! {
        /// Phirke 2002 section 3.4: 120 packets, thresholds 20 and 80, over ns-2's RED.
        paper = { ..PAPER };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().hinted(link)?.graph())),
    ..QueueEntry::of_policy::<Params>()
};

/// The settings of the thesis' experiments.
pub const PAPER: &[Setting] = settings! {
    ..NS2_LAWS, limit = "120p", min_th = "20p", max_th = "80p", w_t = "0.02",
};

params! {
    /// Parameters of RED-Worcester.
    pub struct Params {
        ..red: Settings { max_p = "0.1", "as ared" };
        /// Weight of a packet's hint in the moving target.
        w_t: Fraction = "0.02" in [1e-9, 1.0], "[Phi02] section 3.2";
        /// Queuing delay that a packet without a hint asks for. Automatic: that of a queue midway between the thresholds.
        default_hint: Option<Duration> = "auto" in [1e-6, 100.0], "[Phi02] section 3.4";
        /// Time between two changes of max_p.
        interval: Duration = "0.5s" in [1e-6, 1e4], "[Phi02] section 3.2; Floyd, Gummadi and Shenker 2001";
        /// Greatest increment of max_p; a quarter of max_p bounds it too.
        alpha: Fraction = "0.01" in [0.0, 1.0], "Floyd, Gummadi and Shenker 2001; [Phi02] section 3.2 says about 0.1";
        /// Factor of a decrease of max_p.
        beta: Fraction = "0.9" in [0.0, 1.0], "[Phi02] section 3.2";
        /// max_p decreases only while above it.
        bottom: Fraction = "0.01" in [0.0, 1.0], "[Phi02] section 3.2";
        /// max_p increases only while below it.
        top: Fraction = "0.5" in [0.0, 1.0], "[Phi02] section 3.2";
        /// Half width of the target band, as a fraction of the distance between the thresholds.
        band: Fraction = "0.1" in [0.0, 1.0], "Floyd, Gummadi and Shenker 2001 (the middle fifth)";
    }
}

impl Params {
    /// RED with the moving target on this link, which starts at the default hint's.
    pub fn hinted(&self, link: &LinkContext) -> Result<Hinted, BuildError> {
        let red = self.red.build(link)?;
        let middle = f64::midpoint(red.curve.min_th, red.curve.max_th);
        let wish = Wish { rate: link.rate, mean_packet: link.mean_packet, mode: self.red.mode };
        let default_hint = self.default_hint.unwrap_or_else(|| wish.delay(middle));
        let default_target = wish.target(default_hint, wish.mean_packet.0 as u32);
        Ok(Hinted {
            wish,
            aimd: Aimd { alpha: self.alpha.0, beta: self.beta.0 },
            reach: Reach { bottom: self.bottom.0, top: self.top.0, bounds: Bounds::Strict },
            default_hint,
            default_target,
            w_t: self.w_t.0,
            band: self.band.0 * (red.curve.max_th - red.curve.min_th),
            moving_target: default_target,
            interval: self.interval,
            due: Instant::ZERO + self.interval,
            red,
        })
    }
}

/// Turns delays into amounts of queue and back.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// The rate of the link.
    pub rate: Rate,
    /// For averages in packets.
    pub mean_packet: Bytes,
    /// The unit of the queue.
    pub mode: Mode,
}

impl Wish {
    /// `target = C D / P` packets of this packet's size ([Phi02] eq. 3.1), or `C D / 8` bytes.
    pub fn target(&self, delay: Duration, packet_size: u32) -> f64 {
        let bytes = self.rate.as_bps() as f64 * delay.as_secs_f64() / 8.0;
        match self.mode {
            Mode::Packets => bytes / f64::from(packet_size.max(1)),
            Mode::Bytes => bytes,
        }
    }

    /// `avg P / C`: how long an amount of queue takes to send.
    pub fn delay(&self, amount: f64) -> Duration {
        let bytes = match self.mode {
            Mode::Packets => amount * self.mean_packet.0 as f64,
            Mode::Bytes => amount,
        };
        Duration::from_secs_f64(8.0 * bytes / self.rate.as_bps() as f64)
    }
}

/// RED whose max_p moves the average towards a moving target.
#[derive(Clone, Debug)]
pub struct Hinted {
    pub red: Red,
    /// Delays and amounts of queue on this link.
    pub wish: Wish,
    aimd: Aimd,
    reach: Reach,
    default_hint: Duration,
    default_target: f64,
    w_t: f64,
    band: f64,
    pub(crate) moving_target: f64,
    interval: Duration,
    due: Instant,
}

impl Hinted {
    /// RED's curve at the bounds of max_p and at its first value.
    pub fn graph(&self) -> Graph {
        self.red.graph_at(&distinct([self.reach.bottom, self.red.max_p, self.reach.top]))
    }

    /// The delay that this packet asks for.
    pub fn hint(&self, packet: &Packet) -> Duration {
        packet.delay_hint.map_or(self.default_hint, DelayHint::as_duration)
    }

    /// `moving_target = (1 - w_t) moving_target + w_t target` ([Phi02] eq. 3.2). A packet without a hint asks for Adaptive RED's
    /// target queue ([Phi02] section 3.1), whatever its own size.
    pub fn hear(&mut self, packet: &Packet) {
        let hinted = |hint: DelayHint| self.wish.target(hint.as_duration(), packet.size);
        let target = packet.delay_hint.map_or(self.default_target, hinted);
        self.moving_target = (1.0 - self.w_t) * self.moving_target + self.w_t * target;
    }

    /// When max_p changes next.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// Changes max_p at the times due up to `now`.
    pub fn adapt(&mut self, now: Instant) {
        while self.due <= now {
            let average = self.red.average.value();
            let seen = Seen {
                average,
                lower: self.moving_target - self.band,
                upper: self.moving_target + self.band,
                min_th: self.red.curve.min_th,
                before_arrival: average,
                before_look: average,
            };
            if let Some(max_p) = self.reach.step(&mut self.aimd, self.red.max_p, &seen) {
                self.red.max_p = max_p;
            }
            self.due += self.interval;
        }
    }
}

#[derive(Clone, Debug)]
pub struct RedWorcester {
    hinted: Hinted,
}

impl PolicyParams for Params {
    type Policy = RedWorcester;

    fn policy(&self, link: &LinkContext) -> Result<RedWorcester, BuildError> {
        Ok(RedWorcester { hinted: self.hinted(link)? })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Policy for RedWorcester {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.hinted.red.observe(now, queue.backlog());
        self.hinted.hear(packet);
        self.hinted.red.decide(packet, queue.backlog(), rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.hinted.red.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.hinted.red.overflow();
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.hinted.due())
    }

    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        self.hinted.adapt(now);
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.hinted.red.average.value(),
        "max_p" => self.hinted.red.max_p,
        "p_b" => self.hinted.red.last_p_b(),
        "moving_target" => self.hinted.moving_target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{PACKET, args, at, near};

    /// The thesis' link: 5 Mbit/s, 1000-byte packets; thresholds 20 and 80.
    fn hinted(settings: &[(&str, &str)]) -> Hinted {
        let link = LinkContext { rate: Rate::from_bps(5_000_000), ..LinkContext::default() };
        args(&ENTRY, Some("paper"), settings).typed::<Params>().hinted(&link).expect("valid parameters")
    }

    #[test]
    fn the_default_hint_is_the_delay_midway_between_the_thresholds() {
        let hinted = hinted(&[]);

        // 50 packets of 8000 bits at 5 Mbit/s are 80 ms.
        assert_eq!(hinted.hint(&PACKET), Duration::from_millis(80));
        assert!(near(hinted.moving_target, 50.0));
    }

    #[test]
    fn the_target_moves_towards_what_packets_ask_for() {
        let mut hinted = hinted(&[]);
        let urgent = Packet { delay_hint: Some(DelayHint::new(Duration::from_millis(32))), ..PACKET };

        hinted.hear(&urgent);

        // 32 ms are 20 packets: 0.98 * 50 + 0.02 * 20.
        assert!(near(hinted.moving_target, 49.4));
    }

    #[test]
    fn a_packet_without_a_hint_asks_for_the_target_queue() {
        // Thesis, section 3.1: Adaptive RED's 50 packets. 80 ms of 5 Mbit/s would be 1250 acknowledgements of 40 bytes.
        let mut hinted = hinted(&[]);
        for size in [40, 1000, 1500] {
            hinted.hear(&Packet { size, ..PACKET });
            assert!(near(hinted.moving_target, 50.0), "{size}");
        }
        // One that has a hint is told by its size: 32 ms are 500 packets of 40 bytes.
        let urgent = Packet { size: 40, delay_hint: Some(DelayHint::new(Duration::from_millis(32))), ..PACKET };
        hinted.hear(&urgent);
        assert!(near(hinted.moving_target, 0.98 * 50.0 + 0.02 * 500.0));
    }

    #[test]
    fn max_p_moves_towards_the_moving_target() {
        // Band 50 +- 6.
        let mut hinted = hinted(&[]);
        let mut after = |average: f64, seconds: f64| {
            hinted.red.average.set(average);
            hinted.adapt(at(seconds));
            hinted.red.max_p
        };

        assert!(near(after(57.0, 0.499), 0.1), "not before the interval");
        assert!(near(after(57.0, 0.5), 0.11));
        assert!(near(after(55.0, 1.0), 0.11), "in the band");
        assert!(near(after(43.0, 1.5), 0.099));
    }

    #[test]
    fn without_a_band_the_target_is_one_value() {
        let mut hinted = hinted(&[("band", "0")]);
        hinted.red.average.set(50.1);

        hinted.adapt(at(0.5));

        assert!(near(hinted.red.max_p, 0.11));
    }
}
