//! The calls of the control law: phases, and for an acknowledgement its round trip, its arrival, the growth of the window, and a sample of
//! the delivery rate. During a reduction RFC 9937 sets the window in the law's place.

use super::delivery::Rate;
use super::detect::Found;
use super::state::{News, Rack};
use crate::transport::congestion::{Acked, Adjustment, Arrival, Heard, Phase, Sample, Sampler};
use crate::transport::tcp::Reduction;
use crate::transport::tcp::settings::Arrivals;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::{Duration, Instant};

impl Stream {
    /// Calls the law before recovery uses the acknowledgement.
    pub(super) fn tell_control(&mut self, now: Instant, heard: Option<Heard>, news: &mut News) {
        if !self.listens {
            return;
        }
        if let Some(trip) = news.trip {
            let taken = self.control.on_round_trip(now, trip);
            if let Some(acked) = &mut news.acked {
                acked.rtt = if taken { None } else { acked.rtt };
            }
        }
        if let Some(heard) = &heard {
            self.control.on_heard(heard);
        }
    }
}

impl Rack {
    /// Sets the phase, and calls the law if it follows phases.
    #[inline]
    pub(super) fn set_phase(&mut self, stream: &mut Stream, phase: Phase) {
        if std::mem::replace(&mut self.phase, phase) != phase
            && stream.config.attends
            && let Some(law) = stream.control.attentive()
        {
            law.on_phase(phase);
        }
    }

    /// Calls a law that follows each acknowledgement ([`Attentive`](crate::transport::congestion::Attentive)).
    pub(super) fn tell_arrival(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, news: &News) {
        let delivered = self.delivery.as_mut().map_or(0, |delivery| delivery.since_newest());
        let arrival = Arrival {
            now,
            segments: news.in_order as f64,
            rtt: stream.trip(now, ack, news),
            smoothed: stream.rtt.srtt(&stream.config.rtt),
            delivered: delivered as f64,
            disordered: self.flight.sacked() as f64,
            out: self.flight.out() as f64,
            window: self.own_window(stream),
            phase: self.phase,
        };
        let before = stream.law_window();
        if let Some(law) = stream.control.attentive() {
            law.on_arrival(&arrival);
        }
        if self.is_reducing() && stream.law_window() != before {
            self.prr.fall_to(stream.law_window());
        }
    }

    /// The window, while it is not the law's.
    fn own_window(&self, stream: &Stream) -> Option<f64> {
        match self.phase {
            Phase::Reducing | Phase::Recovery if stream.config.params.rate_reduction == Reduction::Proportional => {
                Some(self.window as f64)
            }
            Phase::Loss if self.kept > 0 => Some((stream.law_window() + self.kept) as f64),
            _ => None,
        }
    }

    /// An acknowledgement that reports data out of order alone. In Linux the window grows with it if reordering is wider than usual
    /// (`tcp_may_raise_cwnd`): what comes late there does not tell a loss.
    fn acked_out_of_order(&self, stream: &Stream, now: Instant, news: &News) -> Option<Acked> {
        let grows =
            stream.config.params.arrivals == Arrivals::Linux && self.detector.is_wide() && news.sacked_at.is_some();
        grows.then_some(Acked {
            now,
            segments: 0.0,
            inflight: 0.0,
            rtt: None,
            elapsed: Duration::ZERO,
            ece: false,
            limited: false,
        })
    }

    /// Sets the window by RFC 9937 section 6.2 during a reduction, and otherwise by the law.
    pub(super) fn resize(&mut self, stream: &mut Stream, now: Instant, news: &News, found: Found) {
        if stream.config.samples {
            return;
        }
        if self.is_reducing() {
            if stream.config.params.rate_reduction == Reduction::Proportional && news.delivered > 0 {
                let in_network = self.flight.in_network();
                let safe = news.acked.is_some() && found.lost == 0;
                self.window = in_network + self.prr.allowed(news.delivered, in_network, safe);
            }
            return;
        }
        let Some(acked) = news.acked.or_else(|| self.acked_out_of_order(stream, now, news)) else { return };
        let window = stream.control.window();
        let used = news.in_network as f64;
        let slow = window < stream.control.ssthresh();
        let out = (stream.config.params.arrivals != Arrivals::Linux).then_some(news.in_network);
        let limited = stream.config.validates && !self.usage.is_limited(window, slow, out);
        // Laws that look by themselves at what was in flight see a full window.
        let inflight = if limited { used } else { used.max(window) };
        // In Linux an echo that does not cut does not keep the window from growing either (`tcp_may_raise_cwnd`).
        let ece = acked.ece && stream.config.params.arrivals != Arrivals::Linux;
        stream.control.on_ack(&Acked { segments: news.delivered as f64, inflight, limited, ece, ..acked });
        if !limited {
            stream.control.adjust(Adjustment::Limit(stream.config.window as f64));
        }
    }

    /// Tells a law that uses samples which segments count as lost now. `lost` segments have been found before.
    pub(super) fn tell_losses(&mut self, stream: &mut Stream, now: Instant, mut lost: u64) {
        let Rack { flight, delivery, .. } = self;
        let (Some(found), Some(delivery)) = (&mut flight.found, delivery) else { return };
        let Some(law) = stream.control.sampled() else { return };
        for number in found.drain(..) {
            lost += 1;
            law.on_lost(&delivery.lost(now, number, lost));
        }
    }

    /// Gives a sample of the delivery rate to a law that uses samples.
    pub(super) fn sample_rate(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, news: &News, found: Found) {
        let trip = match stream.config.sampler {
            Sampler::MostDelivered => None,
            Sampler::LastSent => news.trip,
            Sampler::Linux => stream.trip(now, ack, news),
        };
        let full = self.usage.is_full();
        let recovering = self.is_recovering();
        let Some(delivery) = &mut self.delivery else { return };
        let rtt = news.acked.as_ref().and_then(|acked| acked.rtt);
        let rate = delivery.sample(rtt);
        let sample = Sample {
            now,
            delivered: news.delivered as f64,
            marked: if stream.accurate.is_some() || ack.marks == 0 { ack.marks as f64 } else { news.delivered as f64 },
            total: delivery.delivered,
            prior: rate.map(|sample| sample.prior),
            rate: rate.and_then(|Rate { segments, .. }| segments),
            app_limited: rate.is_some_and(|sample| sample.app_limited),
            rtt,
            before: news.in_network as f64,
            inflight: self.flight.in_network() as f64,
            lost: found.lost as f64,
            all_lost: self.lost,
            recovering,
            most: stream.config.window as f64,
            phase: self.phase,
            spans: rate.map(|sample| sample.spans),
            trip,
            delayed: news.runt && rate.is_some_and(|sample| sample.prior + 1 == delivery.delivered),
            departs: self.release,
            flight_then: rate.map_or(0.0, |sample| sample.flight as f64),
            lost_since: rate.map_or(0.0, |sample| (self.lost - sample.lost) as f64),
            full,
        };
        let Some(law) = stream.control.sampled() else { return };
        law.on_sample(&sample);
        if law.is_held_back() {
            delivery.on_lack_of_data(self.flight.in_network());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::transport::tcp::pair::{Fate, MSS, answers};
    use crate::transport::tcp::rack_timelines::linux;
    use crate::transport::tcp::recovery::LossRecovery;
    use crate::units::Duration;

    #[test]
    fn in_linux_reports_let_the_window_grow_where_reordering_is_wide() {
        // 1 and 2 are reported at 101 and 102 ms, before 0 comes. After the first report one may be late by five segments. In slow start
        // the second one opens the window, and so does the acknowledgement of 0.
        for (arrivals, windows) in [("linux", [10, 11, 12]), ("rfc", [10, 10, 11])] {
            let mut pair = linux(&[("arrivals", arrivals), ("initial_ssthresh", "100")], "50");
            pair.on_data = Box::new(|n, _| match n {
                0 => Fate::Late(Duration::from_micros(2500)),
                _ => Fate::Late(Duration::from_millis(n as u64)),
            });
            pair.start();
            let found = [0, 1, 2].map(|n| {
                answers(&mut pair, 1);
                let LossRecovery::Rack(rack) = &mut pair.sender.recovery else { unreachable!("RACK") };
                if n == 0 {
                    rack.detector.on_reordering(0, MSS * 2 / 5);
                }
                pair.cwnd() as u64
            });
            assert_eq!(found, windows, "{arrivals}");
        }
    }
}
