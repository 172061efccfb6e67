//! SCReAM's reference window: how many bytes may be in flight, and the rate of the media that follows from it. Times in seconds.

use super::settings::{Ecn, Params};

/// The constants of [SCReAM] sections 4.2 to 4.4 that are no parameters.
const L4S_AVG_G_UP: f64 = 1.0 / 8.0;
const L4S_AVG_G_DOWN: f64 = 1.0 / 128.0;
const QDELAY_AVG_G: f64 = 1.0 / 4.0;
const QDELAY_MIN_MAX_AVG_G: f64 = 1.0 / 16.0;
const QDELAY_DEV_AVG_G: f64 = 1.0 / 32.0;
const QDELAY_DEV_THRESHOLD: f64 = 0.01;
/// Bytes.
const MIN_REF_WND: f64 = 3000.0;
const REF_WND_OVERHEAD_MIN: f64 = 1.5;
const REF_WND_OVERHEAD_MAX: f64 = 3.0;
/// The share of a new sample in the smoothed round trip: RFC 6298 section 2.
const RTT_GAIN: f64 = 1.0 / 8.0;

/// The content of a report about the packets since the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    pub now: f64,
    pub rtt: f64,
    /// The excess of the one-way delay over the least.
    pub qdelay: f64,
    /// Data units that came, and how many of them are marked.
    pub acked: f64,
    pub marked: f64,
    /// Bytes by which the highest number that came has moved.
    pub bytes: f64,
    /// A data unit was held to be lost.
    pub lost: bool,
}

/// The state of [SCReAM] section 4.2.
#[derive(Clone, Debug)]
pub(super) struct Window {
    params: Params,
    mss: f64,
    /// Bytes.
    pub ref_wnd: f64,
    /// ref_wnd_i: where the window last turned.
    inflection: f64,
    inflection_moves: bool,
    pub s_rtt: Option<f64>,
    /// l4s_alpha, when it was last updated, and the data units since.
    pub alpha: f64,
    alpha_at: f64,
    delivered: f64,
    delivered_marked: f64,
    qdelay: f64,
    pub qdelay_avg: f64,
    qdelay_max: f64,
    qdelay_min: f64,
    qdelay_dev: f64,
    qdelay_at: f64,
    /// ref_wnd_delay_scale: from 0 to 1.
    pub scale: f64,
    /// The signals that have been seen since the window last fell.
    lost: bool,
    marked: bool,
    detected_at: Option<f64>,
    reacted_at: Option<f64>,
    /// Most bytes in flight in this round trip and in the one before; when this one began.
    most: f64,
    most_before: f64,
    round_at: f64,
    rate_adjust: f64,
    /// target_bitrate.
    pub rate: f64,
}

impl Window {
    pub fn new(params: Params, mss: f64) -> Self {
        let (rate, target) = (params.min_rate.as_bps() as f64, params.qdelay_target.as_secs_f64());
        Window {
            mss,
            ref_wnd: MIN_REF_WND,
            inflection: 1.0,
            inflection_moves: true,
            s_rtt: None,
            alpha: 0.0,
            alpha_at: 0.0,
            delivered: 0.0,
            delivered_marked: 0.0,
            qdelay: 0.0,
            qdelay_avg: 0.0,
            qdelay_max: target,
            qdelay_min: 0.0,
            qdelay_dev: 0.0,
            qdelay_at: 0.0,
            scale: 1.0,
            lost: false,
            marked: false,
            detected_at: None,
            reacted_at: None,
            most: 0.0,
            most_before: 0.0,
            round_at: 0.0,
            rate_adjust: 0.0,
            rate,
            params,
        }
    }

    /// The most bytes that may be in flight: section 4.3.1.
    pub fn most_in_flight(&self) -> f64 {
        self.ref_wnd * (REF_WND_OVERHEAD_MIN + (REF_WND_OVERHEAD_MAX - REF_WND_OVERHEAD_MIN) * self.scale)
    }

    /// Section 4.1.1: `bytes` bytes are in flight.
    pub fn in_flight(&mut self, now: f64, bytes: f64) {
        if now - self.round_at >= self.s_rtt.unwrap_or(0.0) {
            (self.most_before, self.most, self.round_at) = (self.most, 0.0, now);
        }
        self.most = self.most.max(bytes);
    }

    /// A report has arrived.
    pub fn hear(&mut self, news: &News) {
        let before = self.s_rtt.unwrap_or(news.rtt);
        self.s_rtt = Some(before + RTT_GAIN * (news.rtt - before));
        self.qdelay = news.qdelay;
        self.note_marks(news);
        self.note_delay(news.now);
        self.lost |= news.lost;
        self.marked |= news.marked > 0.0;
        let near = self.nearness();
        self.reduce(news.now, near);
        self.increase(news, near);
        self.rate = self.target();
    }

    /// min(VIRTUAL_RTT, s_rtt).
    fn shorter_rtt(&self) -> f64 {
        self.params.virtual_rtt.as_secs_f64().min(self.rtt())
    }

    fn longer_rtt(&self) -> f64 {
        self.params.virtual_rtt.as_secs_f64().max(self.rtt())
    }

    fn rtt(&self) -> f64 {
        self.s_rtt.unwrap_or(0.0)
    }

    /// ref_wnd_ratio: section 4.1.1.
    fn ratio(&self) -> f64 {
        (self.mss / self.ref_wnd).min(1.0)
    }

    /// l4s_alpha: section 4.2.1.3.
    fn note_marks(&mut self, news: &News) {
        self.delivered += news.acked;
        self.delivered_marked += news.marked;
        if self.delivered > 0.0 && news.now - self.alpha_at >= self.rtt().min(0.01) {
            let marked = self.delivered_marked / self.delivered;
            self.alpha = if marked >= self.alpha {
                L4S_AVG_G_UP * marked + (1.0 - L4S_AVG_G_UP) * self.alpha
            } else {
                (1.0 - L4S_AVG_G_DOWN) * self.alpha
            };
            (self.alpha_at, self.delivered, self.delivered_marked) = (news.now, 0.0, 0.0);
        }
    }

    /// qdelay_avg and ref_wnd_delay_scale: section 4.2.1.4.
    fn note_delay(&mut self, now: f64) {
        if self.params.reduce_jitter {
            self.qdelay_max = self.qdelay_max.max(self.qdelay).min(self.params.qdelay_target.as_secs_f64());
            self.qdelay_min = self.qdelay_min.min(self.qdelay);
        }
        if now - self.qdelay_at < self.shorter_rtt() {
            return;
        }
        self.qdelay_avg = if self.qdelay < self.qdelay_avg {
            self.qdelay
        } else {
            QDELAY_AVG_G * self.qdelay + (1.0 - QDELAY_AVG_G) * self.qdelay_avg
        };
        if self.params.reduce_jitter {
            self.qdelay_max *= 1.0 - QDELAY_MIN_MAX_AVG_G;
            self.qdelay_min += QDELAY_MIN_MAX_AVG_G * (self.qdelay_max - self.qdelay_min);
            self.qdelay_dev += QDELAY_DEV_AVG_G * (self.qdelay_max - self.qdelay_min - self.qdelay_dev);
            self.scale = (1.0 - self.qdelay_dev / QDELAY_DEV_THRESHOLD).clamp(0.0, 1.0);
        }
        self.qdelay_at = now;
    }

    /// scl_t: least where the window last turned. Section 4.2.2.1.
    fn nearness(&self) -> f64 {
        let off = 8.0 * (self.ref_wnd - self.inflection) / self.inflection;
        (off * off).clamp(0.1, 1.0)
    }

    /// Section 4.2.2.1.
    fn reduce(&mut self, now: f64, near: f64) {
        if self.lost || self.marked {
            self.detected_at = Some(now);
        }
        let since = self.reacted_at.map_or(f64::INFINITY, |at| now - at);
        if since < self.shorter_rtt() {
            return;
        }
        let half = self.params.qdelay_target.as_secs_f64() / 2.0;
        let late = self.qdelay_avg > half;
        if !(self.lost || self.marked || late) {
            return;
        }
        if self.inflection_moves {
            (self.inflection, self.inflection_moves) = (self.ref_wnd, false);
        }
        if self.lost {
            self.ref_wnd *= self.params.beta_loss.0;
        } else if self.marked && self.params.ecn == Ecn::Classic {
            self.ref_wnd *= self.params.beta_ecn.0;
        } else if self.marked {
            let mut back = self.alpha / 2.0 / self.trips_per_reaction();
            if self.qdelay < half / 2.0 {
                back *= near.max(0.25) * self.scale.max(0.25);
            }
            if since > 100.0 * self.longer_rtt() {
                // The window may have grown far above its use.
                self.ref_wnd = self.ref_wnd.min(self.most_before);
            }
            self.ref_wnd *= 1.0 - back;
        } else {
            let virtual_alpha = ((self.qdelay_avg - half) / half).clamp(0.0, 1.0);
            self.ref_wnd *= 1.0 - virtual_alpha / 2.0 / self.trips_per_reaction();
        }
        self.ref_wnd = self.ref_wnd.max(MIN_REF_WND);
        self.reacted_at = Some(now);
        (self.lost, self.marked) = (false, false);
    }

    /// max(1, s_rtt / VIRTUAL_RTT), the number of reactions in a round trip.
    fn trips_per_reaction(&self) -> f64 {
        (self.rtt() / self.params.virtual_rtt.as_secs_f64()).max(1.0)
    }

    /// Section 4.2.2.2.
    fn increase(&mut self, news: &News, near: f64) {
        let cautious = self.params.post_congestion_rtts * self.longer_rtt();
        let calm = self.detected_at.map_or(1.0, |at| ((news.now - at) / cautious).clamp(0.0, 1.0));
        let growth = self.params.mul_increase * self.ref_wnd / self.mss;
        let marked_bytes = if news.acked > 0.0 { news.bytes * (news.marked / news.acked).min(1.0) } else { 0.0 };
        let by_rtt = (self.rtt() / self.params.virtual_rtt.as_secs_f64()).min(1.0);
        let increment = (news.bytes - marked_bytes)
            * self.ratio()
            * by_rtt
            * near.max(0.25)
            * self.scale.max(0.1)
            * (1.0 + growth * calm * near);
        let allowed = self.mss + self.most.max(self.most_before) * self.params.head_room;
        let wanted = self.ref_wnd + increment;
        if increment > 0.0 && wanted <= allowed && self.rate < self.params.max_rate.as_bps() as f64 {
            self.ref_wnd = wanted;
            self.inflection_moves = true;
        }
    }

    /// A frame is ready; the oldest media has waited for `waited` seconds: section 4.4.
    pub fn on_frame(&mut self, waited: f64) {
        const RATE_ADJUST_GAIN: f64 = 1.0 / 16.0;
        let period = self.params.frame.as_secs_f64();
        let error = (waited - period / 4.0) / period;
        self.rate_adjust = (self.rate_adjust + RATE_ADJUST_GAIN * error).clamp(0.0, 0.5);
    }

    /// target_bitrate: section 4.4.
    fn target(&self) -> f64 {
        let header = self.params.header.0 as f64;
        let small = 1.0 - (self.ratio() - 0.1).clamp(0.0, 0.2);
        let part = small * (self.mss - header) / self.mss / (1.2 + self.rate_adjust);
        let rate = part * 8.0 * self.ref_wnd / self.rtt().max(1e-6);
        rate.min(self.params.max_rate.as_bps() as f64).max(self.params.min_rate.as_bps() as f64)
    }

    /// pace_bitrate: section 4.3.2.
    pub fn pace(&self) -> f64 {
        const RATE_PACE_MIN: f64 = 50_000.0;
        const RELAXED_PACING_LIMIT_LOW: f64 = 0.8;
        const MAX_RELAXED_PACING_FACTOR: f64 = 4.0;
        let nominal = self.rate / self.params.max_rate.as_bps() as f64;
        let relaxed = ((nominal - RELAXED_PACING_LIMIT_LOW) / (1.0 - RELAXED_PACING_LIMIT_LOW)).min(1.0);
        let scale = (1.0 - relaxed).clamp(1.0 / MAX_RELAXED_PACING_FACTOR, 1.0);
        self.rate.max(RATE_PACE_MIN) * self.params.pacing / scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::near_by_ratio;

    fn window(ecn: Ecn) -> Window {
        Window { s_rtt: Some(0.05), ref_wnd: 50_000.0, ..Window::new(Params { ecn, ..Params::default() }, 1000.0) }
    }

    fn news(now: f64) -> News {
        News { now, rtt: 0.05, acked: 10.0, bytes: 10_000.0, ..News::default() }
    }

    #[test]
    fn a_loss_leaves_70_percent_and_a_classic_mark_80() {
        let mut lost = window(Ecn::Off);
        lost.hear(&News { lost: true, ..news(1.0) });
        assert!(near_by_ratio(lost.ref_wnd, 35_000.0), "{}", lost.ref_wnd);
        let mut marked = window(Ecn::Classic);
        marked.hear(&News { marked: 1.0, ..news(1.0) });
        assert!(near_by_ratio(marked.ref_wnd, 40_000.0));
        // A second loss within the shorter of round trip and 25 ms belongs to the first.
        lost.hear(&News { lost: true, ..news(1.02) });
        assert!(near_by_ratio(lost.ref_wnd, 35_000.0));
        lost.hear(&News { lost: true, ..news(1.03) });
        assert!(near_by_ratio(lost.ref_wnd, 24_500.0));
    }

    #[test]
    fn a_scalable_mark_takes_half_of_alpha_over_the_reactions_in_a_round_trip() {
        let mut window = window(Ecn::L4s);
        window.qdelay_at = 1.0;
        window.reacted_at = Some(0.9);
        window.most = 50_000.0;
        // All of ten marked: alpha = 1/8; two reactions in 50 ms; the delay is above a quarter of 60 ms.
        window.hear(&News { marked: 10.0, qdelay: 0.02, ..news(1.0) });
        assert!(near_by_ratio(window.alpha, 0.125));
        assert!(near_by_ratio(window.ref_wnd, 50_000.0 * (1.0 - 0.125 / 2.0 / 2.0)));
    }

    #[test]
    fn a_delay_above_half_of_the_target_counts_as_marks() {
        let mut window = window(Ecn::Off);
        // qdelay_avg = 0.18 / 4 = 45 ms: half of the way from 30 to 60 ms.
        window.hear(&News { qdelay: 0.18, ..news(1.0) });
        assert!(near_by_ratio(window.qdelay_avg, 0.045));
        assert!(near_by_ratio(window.ref_wnd, 50_000.0 * (1.0 - 0.5 / 2.0 / 2.0)));
        // A lesser delay counts at once.
        window.hear(&News { qdelay: 0.01, ..news(1.1) });
        assert!(near_by_ratio(window.qdelay_avg, 0.01));
    }

    #[test]
    fn a_round_trip_of_acknowledgements_adds_a_packet_and_2_percent_where_all_is_calm() {
        let mut window = window(Ecn::Off);
        (window.most, window.rate) = (100_000.0, 1e6);
        // 50 000 bytes: 1000 (1 + 0.02 * 50).
        window.hear(&News { acked: 50.0, bytes: 50_000.0, ..news(1.0) });
        assert!(near_by_ratio(window.ref_wnd, 52_000.0), "{}", window.ref_wnd);
        // Right after a loss, and where the window last turned, a quarter of a packet.
        let mut after = self::window(Ecn::Off);
        (after.most, after.detected_at, after.inflection) = (100_000.0, Some(1.0), 50_000.0);
        after.hear(&News { acked: 50.0, bytes: 50_000.0, ..news(1.0) });
        assert!(near_by_ratio(after.ref_wnd, 50_250.0), "{}", after.ref_wnd);
    }

    #[test]
    fn the_window_does_not_grow_far_beyond_its_use_nor_at_the_greatest_rate() {
        let mut window = window(Ecn::Off);
        window.most = 20_000.0;
        window.hear(&news(1.0));
        assert!(near_by_ratio(window.ref_wnd, 50_000.0));
        (window.most, window.rate) = (100_000.0, 2.5e6);
        window.hear(&news(1.1));
        assert!(near_by_ratio(window.ref_wnd, 50_000.0));
    }

    #[test]
    fn the_rate_is_the_window_over_the_round_trip_less_a_sixth() {
        let mut window = window(Ecn::Off);
        window.ref_wnd = 12_000.0;
        // 960 of 1000 bytes are media, 1.2; nothing else, as a packet is less than a tenth of the window.
        assert!(near_by_ratio(window.target(), 8.0 * 12_000.0 / 0.05 * 0.96 / 1.2));
        window.rate = 1.5e6;
        assert!(near_by_ratio(window.pace(), 1.5 * 1.5e6));
        window.rate = 2.5e6;
        assert!(near_by_ratio(window.pace(), 4.0 * 1.5 * 2.5e6));
    }
}
