//! Voice: frames of a codec at a constant rate during talk spurts, silence between them.

use super::distribution::Law;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "voice",
    title: "Voice",
    doc: "A speaker over RTP: G.711 frames of 20 ms, 200 bytes each with the headers of RTP, UDP and IP, during talk \
          spurts. A call is two flows, one in each direction.",
    reference: "ITU-T G.711 and P.59, RFC 3550 and 3551",
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Rate of the codec, without headers.
        rate: Rate = "64kbit" in [1.0, 1e9], "ITU-T G.711";
        /// Speech in a packet.
        frame: Duration = "20ms" in [0.0001, 10.0], "RFC 3551 section 4.2";
        /// Header above that of the transport.
        header: Bytes = "12B" in [0.0, 1000.0], "RTP: RFC 3550 section 5.1";
        /// Whether nothing is sent between talk spurts.
        silence: bool = "true", "RFC 3551 section 4.1";
        /// Mean length of a talk spurt.
        talk: Duration = "1.004s" in [0.0, 1e6], "ITU-T P.59", when silence in ["true"];
        /// Mean length of a pause.
        pause: Duration = "1.587s" in [0.0, 1e6], "ITU-T P.59", when silence in ["true"];
        /// How the lengths of bursts and pauses are distributed.
        law: Law = "exponential", "Brady 1969", when silence in ["true"];
        /// Shape of Pareto lengths.
        shape: f64 = "1.5" in [1.001, 1000.0], "a tail without variance", when law in ["pareto"];
    }
}

#[derive(Clone, Debug)]
struct Voice {
    params: Params,
    /// Frames left in the talk spurt.
    left: u64,
    next: Option<Instant>,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Voice { params: args.typed(), left: 0, next: None })
}

impl Voice {
    /// The payload of a packet: a frame, rounded up to whole bytes, and the header.
    fn payload(&self) -> Bytes {
        let speech = libm::ceil(self.params.rate.as_bps() as f64 * self.params.frame.as_secs_f64() / 8.0);
        Bytes((speech as u64 + self.params.header.0).max(1))
    }

    /// Frames in a talk spurt: any part of a frame makes one.
    fn draw_spurt(&mut self, cx: &mut AppContext<'_>) {
        let Params { frame, talk, law, shape, silence, .. } = self.params;
        let frames = law.draw_time(talk, shape, cx.rng).as_nanos().div_ceil(frame.as_nanos().max(1));
        self.left = if silence { frames.max(1) } else { u64::MAX };
    }
}

impl Application for Voice {
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        self.draw_spurt(cx);
        self.next = Some(now);
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand {
        let mut next = now + self.params.frame;
        self.left -= 1;
        if self.left == 0 {
            next += self.params.law.draw_time(self.params.pause, self.params.shape, cx.rng);
            self.draw_spurt(cx);
        }
        self.next = Some(next);
        Demand { write: Amount::Packet(self.payload()), ..Demand::NOTHING }
    }

    fn largest_packet(&self, header: Bytes) -> Option<(Bytes, &'static str)> {
        Some((Bytes(self.payload().0 + header.0), "frame"))
    }

    fn reports_completions(&self) -> bool {
        false
    }

    fn role(&self) -> Role {
        Role::Call { frame: self.params.frame }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::{args, sends};

    #[test]
    fn a_packet_is_200_bytes_with_all_its_headers_every_20_ms() {
        let mut source = build(&args(&ENTRY, None, &[("silence", "false")]));
        let sent = sends(source.as_mut(), 10.0);

        // 64 kbit/s * 20 ms = 160 bytes; RTP 12, UDP and IP 28: 80 kbit/s on the wire.
        assert_eq!(sent.len(), 500);
        assert!(sent.iter().all(|(_, bytes)| bytes + 28 == 200));
        assert!(sent.windows(2).all(|pair| (pair[1].0 - pair[0].0 - 0.02).abs() < 1e-9));
    }

    #[test]
    fn talk_spurts_and_pauses_have_the_means_of_p59() {
        let mut source = build(&args(&ENTRY, None, &[]));
        let times: Vec<f64> = sends(source.as_mut(), 50_000.0).iter().map(|(time, _)| *time).collect();
        let pauses: Vec<f64> =
            times.windows(2).map(|pair| pair[1] - pair[0] - 0.02).filter(|gap| *gap > 1e-9).collect();
        let n = pauses.len() as f64;

        let pause = pauses.iter().sum::<f64>() / n;
        assert!((pause - 1.587).abs() < 4.0 * 1.587 / libm::sqrt(n), "{pause}");
        // Rounded up to frames an exponential is geometric: mean 20 ms / (1 - exp(-20/1004)) = 1.014 s.
        let spurt = times.len() as f64 / (n + 1.0) * 0.02;
        let expected = 0.02 / (1.0 - libm::exp(-0.02 / 1.004));
        assert!((spurt - expected).abs() < 4.0 * expected / libm::sqrt(n), "{spurt} against {expected}");
        // P(pause > t) = exp(-t / 1.587).
        for bound in [0.5, 3.0] {
            let p = libm::exp(-bound / 1.587);
            let seen = pauses.iter().filter(|length| **length > bound).count() as f64 / n;
            assert!((seen - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / n), "above {bound}");
        }
    }
}
