//! RED's parameters, a group that its family shares, and the values that follow from them on a link.

use super::average::{Average, Mode, weight_for};
use super::decision::Spare;
use super::{Above, Count, Curve, IdleDecay, Red, Spacing};
use crate::queue::prelude::*;

choices! {
    /// The meaning of "auto" for w_q.
    pub enum WeightRule {
        /// The average follows a step within a second of arrivals at link rate.
        OneSecond = "one_second",
        /// The average follows a step within ten base round-trip times.
        TenRtts = "ten_rtts",
    }
}

params! {
    /// RED's parameters, which its family shares.
    pub struct Settings {
        /// The most that may wait, without the packet in transmission. In byte mode a limit in packets counts mean packets.
        limit: Size = "50p" in [0.0, 1e12], "ns-2 2.35 limit_";
        /// Average below which nothing is dropped. Automatic: max(5 packets, half of the packets that the link sends in `target_delay`), at
        /// most a third of the limit.
        min_th: Option<Size> = "auto" in [0.0, 1e12], "Floyd, Gummadi and Shenker 2001; the bound by the limit is ours";
        /// Average at which the probability reaches `max_p`. Automatic: 3 times `min_th`, at most the limit.
        max_th: Option<Size> = "auto" in [0.0, 1e12], "Floyd, Gummadi and Shenker 2001; the bound by the limit is ours";
        /// Average queuing delay at which automatic thresholds aim.
        target_delay: Duration = "5ms" in [0.0, 100.0], "ns-2 2.35 targetdelay_", when min_th in ["auto"];
        /// Probability at the upper threshold; its initial value if it is adapted.
        max_p: Fraction = "0.1" in [0.0, 1.0], "Floyd 1997 (recommendation); ns-2 2.35 linterm_ 10";
        /// Weight of an arrival in the average; automatic by `w_q_auto`.
        w_q: Option<Fraction> = "auto" in [1e-9, 1.0], "Floyd, Gummadi and Shenker 2001";
        /// The rule for an automatic `w_q`: 1 - exp(-1/C) (`one_second`) or 1 - exp(-1/(10 C RTT)) (`ten_rtts`), C in packets per second.
        w_q_auto: WeightRule = "one_second", "Floyd, Gummadi and Shenker 2001; Haider 2005 eq. 2.7 for ten_rtts", when w_q in ["auto"];
        /// Above `max_th`: drop everything, or let the probability rise to 1 at twice `max_th`.
        above: Above = "gentle", "Floyd 2000";
        /// Whether the queue, its thresholds and the count are in packets or in bytes.
        mode: Mode = "packets", "[Flo93] section 4";
        /// The mean packet, for amounts in packets, for the idle time and for `mode`. Automatic: that of the link.
        mean_packet: Option<Bytes> = "auto" in [1.0, 65535.0], "that of the link; ns-2 2.35 mean_pktsize_ 500";
        /// How early drops are spaced.
        count: Count = "on", "[Flo93] section 7; ns-2 2.35 wait_ for wait";
        /// How the average decays while the link is idle. `ns2_short` counts a packet less if the link is idle for a whole number of
        /// packet times.
        idle_decay: IdleDecay = "ns2", "ns-2 2.35 red.cc; [Flo93] section 4 for paper";
        /// Never drop early while at most one packet (byte) waits.
        spare_short: bool = "false", "[Flo93] has no such rule; ns-2 2.35 red.cc has";
        /// Spare the packet with which the average enters the region of early drops, and count from it.
        spare_first: bool = "false", "[Flo93] has no such rule; ns-2 2.35 red.cc has";
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false", "ns-2 2.35 setbit_";
        /// Mark only while p_b is below this, and drop above; 1 marks up to certain drops, more than 1 always marks.
        mark_max_p: Fraction = "1" in [0.0, 2.0], "RFC 3168 section 7: drop above the upper threshold; ns-2 2.35 mark_p_ is 0.1",
            when ecn in ["true"];
    }
}

impl Settings {
    /// The limit on this link. In byte mode packets count as mean packets (ns-2's `qlim * mean_pktsize`).
    pub fn limit(&self, link: &LinkContext) -> Limit {
        match (self.mode, self.limit) {
            (Mode::Bytes, packets @ Size::Packets(_)) => Limit::from_size(Size::Bytes(link.bytes(packets)), link),
            _ => Limit::from_size(self.limit, link),
        }
    }

    /// An amount of queue in the unit that the mode measures in.
    pub fn amount(&self, size: Size, link: &LinkContext) -> f64 {
        match self.mode {
            Mode::Packets => link.packets(size),
            Mode::Bytes => link.bytes(size),
        }
    }

    /// The automatic lower threshold on this link in packets, where the highest threshold that follows from it is `times` as high: that
    /// one is at most the limit, for above it nothing would happen.
    pub fn automatic_min_th(&self, link: &LinkContext, times: f64) -> f64 {
        auto_min_th(self.target_delay, link.packets_per_sec()).min(link.packets(self.limit).max(1.0) / times)
    }

    /// The lower and upper threshold on this link, in the mode's unit.
    pub fn thresholds(&self, link: &LinkContext) -> Result<(f64, f64), BuildError> {
        let min_th = self.amount(self.min_th.unwrap_or(Size::Packets(self.automatic_min_th(link, 3.0))), link);
        let most = self.amount(Size::Packets(link.packets(self.limit).max(1.0)), link).max(min_th);
        let max_th = self.max_th.map_or((3.0 * min_th).min(most), |size| self.amount(size, link));
        if max_th < min_th || max_th <= 0.0 {
            let unit = if self.mode == Mode::Packets { "packets" } else { "bytes" };
            return Err(BuildError::new(
                "max_th",
                format!("max_th is {max_th} {unit} and min_th is {min_th} {unit} on this link"),
                "max_th is above zero and at least min_th",
            ));
        }
        Ok((min_th, max_th))
    }

    /// The weight of the average on this link.
    pub fn weight(&self, link: &LinkContext) -> f64 {
        let following = |span| weight_for(span, link.packets_per_sec());
        self.w_q.map_or_else(
            || match self.w_q_auto {
                WeightRule::OneSecond => following(1.0),
                WeightRule::TenRtts => following(10.0 * link.base_rtt.as_secs_f64()),
            },
            |weight| weight.0,
        )
    }

    /// RED with these parameters on this link.
    pub fn build(&self, link: &LinkContext) -> Result<Red, BuildError> {
        let (min_th, max_th) = self.thresholds(link)?;
        Ok(Red {
            average: Average::new(self.weight(link), self.idle_decay, link.packets_per_sec()),
            curve: Curve { min_th, max_th, above: self.above, gentle_from: None },
            spacing: Spacing::new(self.count, self.mode, link.mean_packet.0),
            max_p: self.max_p.0,
            mode: self.mode,
            spare: Spare { short: self.spare_short, first: self.spare_first },
            ecn: self.ecn,
            mark_max_p: self.mark_max_p.0,
            inside: false,
            last_p_b: 0.0,
        })
    }
}

/// `min_th = max(5, target_delay C / 2)` packets (Floyd, Gummadi and Shenker 2001).
fn auto_min_th(target_delay: Duration, packets_per_sec: f64) -> f64 {
    (target_delay.as_secs_f64() * packets_per_sec / 2.0).max(5.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Rate};

    fn link(mbits: u64) -> LinkContext {
        LinkContext { rate: Rate::from_bps(mbits * 1_000_000), ..LinkContext::default() }
    }

    #[test]
    fn automatic_thresholds_aim_at_the_target_delay() {
        let settings = Settings::default();

        // 10 Mbit/s: half of 5 ms are 3.125 packets of 1000 bytes, so 5 and 15.
        assert_eq!(settings.thresholds(&link(10)), Ok((5.0, 15.0)));
        // 80 Mbit/s are 10 packets/ms: 25 and 75.
        let roomy = Settings { limit: Size::Packets(100.0), ..settings };
        assert_eq!(roomy.thresholds(&link(80)), Ok((25.0, 75.0)));
    }

    #[test]
    fn automatic_thresholds_are_at_most_the_limit() {
        let of = |limit, min_th| Settings { limit: Size::Packets(limit), min_th, ..Settings::default() };

        // 80 Mbit/s: 25 and 75 packets without a limit.
        assert_eq!(of(60.0, None).thresholds(&link(80)), Ok((20.0, 60.0)));
        assert_eq!(of(75.0, None).thresholds(&link(80)), Ok((25.0, 75.0)));
        assert_eq!(of(60.0, Some(Size::Packets(40.0))).thresholds(&link(80)), Ok((40.0, 60.0)));
        // Values that the scenario sets are taken unchanged.
        assert_eq!(of(30.0, Some(Size::Packets(40.0))).thresholds(&link(80)), Ok((40.0, 40.0)));
        assert_eq!(of(0.0, None).thresholds(&link(10)), Ok((1.0 / 3.0, 1.0)));
    }

    #[test]
    fn byte_mode_counts_mean_packets_in_bytes() {
        let settings = Settings { mode: Mode::Bytes, ..Settings::default() };
        let link = LinkContext { mean_packet: Bytes(500), ..LinkContext::default() };

        assert_eq!(settings.thresholds(&link), Ok((6.25 * 500.0, 18.75 * 500.0)));
        assert_eq!(settings.limit(&link), Limit { packets: u64::MAX, bytes: 25_000 });
    }

    #[test]
    fn crossed_thresholds_are_refused_by_name() {
        let settings = Settings { max_th: Some(Size::Packets(4.0)), ..Settings::default() };

        assert_eq!(settings.build(&link(10)).map(|_| ()).map_err(|error| error.param), Err("max_th"));
    }

    #[test]
    fn the_automatic_weight_follows_its_rule() {
        let one_second = Settings::default();
        let ten_rtts = Settings { w_q_auto: WeightRule::TenRtts, ..one_second.clone() };
        let near = LinkContext { base_rtt: Duration::from_millis(10), ..link(10) };

        // C = 1250 packets/s.
        assert!((one_second.weight(&near) - (1.0 - (-1.0_f64 / 1250.0).exp())).abs() < 1e-15);
        assert!((ten_rtts.weight(&near) - (1.0 - (-1.0_f64 / 125.0).exp())).abs() < 1e-15);
    }
}
