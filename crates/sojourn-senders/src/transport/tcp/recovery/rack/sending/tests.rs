use crate::packet::Body;
use crate::rng::Rng;
use crate::transport::congestion::Phase;
use crate::transport::tcp::offload::Extent;
use crate::transport::tcp::pair::{Fate, MSS, Pair};
use crate::transport::tcp::recovery::LossRecovery;
use crate::transport::tcp::timelines::ten;
use crate::transport::{ContextOwner, Endpoint, Known};
use crate::units::{Duration, Instant};

/// A machine of which nothing is known.
fn nothing() -> Known {
    let (ends, shorts, edges, leaves, first) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Known {
        ends,
        shorts,
        clock: Duration::from_nanos(256),
        edges,
        followed: Vec::new(),
        heard: 0,
        writes: Instant::ZERO,
        leaves,
        first,
    }
}

/// A sender of Linux that sends its window of ten. `edges` are the bytes up to which the receiver allows it to send, after each
/// acknowledgement.
fn bounded(edges: Vec<u64>, settings: &[(&str, &str)]) -> Pair {
    let of_linux = [("profile", "linux"), ("ack_every", "2"), ("advertise", "false"), ("defer", "false")];
    let mut pair = ten(&[&of_linux[..], settings].concat(), "2000");
    let (clock, writes) = (Duration::from_nanos(1), Instant::ZERO);
    pair.sender.foretell(Known { clock, edges, writes, ..nothing() });
    pair
}

/// First byte and length of each segment that was sent, from segment `from` on.
fn sent(pair: &Pair, from: usize) -> Vec<(u64, u64)> {
    let parts = |body: Body| match body {
        Body::Data { seq, len, .. } => (seq, u64::from(len)),
        _ => unreachable!("data"),
    };
    pair.data[from..].iter().map(|seen| parts(seen.packet.body)).collect()
}

#[test]
fn the_receivers_window_cuts_a_segment_unless_a_small_one_is_out() {
    // Each acknowledgement makes room for two segments. The receiver allows 240 bytes of the second one. While they are out, it cuts no
    // other: of 960 and 100 bytes behind them one segment leaves.
    let mut pair = bounded([&[11 * MSS + 240][..], &[12 * MSS + 340; 4]].concat(), &[]);
    pair.start();
    pair.run_until(120);
    assert_eq!(sent(&pair, 10), [(10 * MSS, MSS), (11 * MSS, 240), (11 * MSS + 240, MSS)]);
}

#[test]
fn the_device_of_two_packets_has_more_than_their_bytes() {
    // Two segments of 1448 bytes and their descriptions are 4560 bytes, and the connection itself counts as one.
    let device = super::Device { queued: 4560, news: false };
    assert_eq!([4560, 4561].map(|most| device.has_more_than(most)), [true, false]);
}

#[test]
fn the_pacer_counts_the_bytes_of_a_packet() {
    // 1.2 windows of ten go in 100 ms: a segment in 8.33 ms, and one and a quarter of one in 10.42 ms.
    for (offload, micros) in [("true", 10_416), ("false", 16_666)] {
        let mut pair = bounded(Vec::new(), &[("pacing", "true"), ("offload", offload)]);
        pair.start();
        pair.sender.stream.sample_rtt(Instant::ZERO, Duration::from_millis(100));
        let extent = Extent { window: 10.0, out: 10 };
        let gap = pair.sender.stream.gap_of_packet(extent, 2, MSS + MSS / 4).expect("a rate");
        assert_eq!(gap.as_nanos() / 1000, micros);
    }
}

#[test]
fn the_timer_sends_the_head_though_the_pacer_waits() {
    // The timeout of 1 s goes off at the end of a slot of 64 ms. The head counts as sent at 9 s, when the pacer lets it go.
    let mut pair = bounded(Vec::new(), &[("pacing", "true"), ("tail_probe", "false")]);
    pair.on_data = Box::new(|_, _| Fate::Lose);
    pair.start();
    let LossRecovery::Rack(rack) = &mut pair.sender.recovery else { unreachable!("RACK") };
    rack.release = Instant::ZERO + Duration::from_secs(9);
    pair.run_until(1100);
    let [.., head] = &pair.data[..] else { unreachable!("data") };
    let counts = head.packet.sent_at().expect("data").as_nanos() / 1_000_000;
    assert_eq!((pair.data.len(), head.seq(), head.at.as_nanos() / 1_000_000, counts), (11, 0, 1024, 9000));
}

#[test]
fn a_timer_goes_off_at_the_tick_at_which_the_machine_read_its_clock() {
    let at = Instant::from_nanos;
    let known = Known { leaves: vec![at(512), at(1280)], ..nothing() };
    assert_eq!(known.tick_after(at(500)), at(512), "a segment left at the next tick");
    assert_eq!(known.tick_after(at(1000)), at(1280), "none at the next one, but one a tick later");
    assert_eq!(known.tick_after(at(600)), at(768), "none at either");
}

#[test]
fn the_send_buffer_grows_while_new_data_waits_for_the_device() {
    // Of ten segments one or two are sent again, and a new one makes the window of eleven full. Two repairs are all that the device takes:
    // in Linux the new segment waits, and the window is not full when the sender looks for room.
    for (losses, room_for) in [(1, 10), (2, 11)] {
        let mut pair = bounded(Vec::new(), &[]);
        pair.start();
        let sender = &mut pair.sender;
        let LossRecovery::Rack(rack) = &mut sender.recovery else { unreachable!("RACK") };
        rack.phase = Phase::Recovery;
        (0..losses).for_each(|number| rack.flight.lose(number));
        sender.stream.buffer.as_deref_mut().expect("a buffer").waits = true;
        rack.fill(&mut sender.stream, 11, true, pair.now, &mut ContextOwner::new(Rng::named(1, "test")).lend());
        let size = sender.stream.buffer.as_deref().expect("a buffer").size();
        assert_eq!((rack.flight.out(), rack.flight.repairing(), size), (11, losses, 2 * room_for * 2304));
    }
}

#[test]
fn what_is_written_later_leaves_when_the_machine_read_its_clock_again() {
    let at = Instant::from_nanos;
    let known = Known { first: vec![(0, at(1024)), (1448, at(1280)), (2896, at(90_000))], ..nothing() };
    let written = |first, now| known.written_at(first, at(now)).as_nanos();
    assert_eq!((written(0, 1024), written(1448, 1024)), (1024, 1280));
    assert_eq!(written(2896, 1024), 1024, "it left much later: that is a difference of the senders");
    assert_eq!(written(1448, 2048), 2048, "nor does it leave before it is written");
    assert_eq!(written(4344, 1024), 1024, "nothing is known of it");
}
