use super::*;
use crate::packet::Codepoint;
use crate::rng::Rng;
use crate::transport::tcp::tests::config;
use crate::transport::{ContextOwner, Endpoint};

struct Rig {
    receiver: Receiver,
    cx: ContextOwner,
}

#[derive(Debug, PartialEq)]
struct Answer {
    ack: u64,
    sack: Vec<(u32, u32)>,
    codepoint: Codepoint,
    ece: bool,
    size: u32,
}

impl Rig {
    fn new(settings: &[(&str, &str)]) -> Self {
        let cx = ContextOwner::new(Rng::named(1, "test"));
        Rig { receiver: Receiver::new(config(settings)), cx }
    }

    fn receive(&mut self, now_ms: u64, seq: u64, ecn: Ecn, cwr: bool) -> Vec<Answer> {
        let body = Body::Data {
            seq,
            len: 10,
            sent_at: Instant::ZERO,
            syn: false,
            cwr,
            retransmit: false,
            push: false,
            header: None,
        };
        let packet = Packet { body, ..Packet::datagram(FlowId(0), 0, 50) }.with_ecn(ecn);
        self.receiver.on_packet(Instant::ZERO + Duration::from_millis(now_ms), &packet, &mut self.cx.lend());
        self.answers()
    }

    fn send(&mut self, seq: u64, len: u32, syn: bool, push: bool) -> Vec<Answer> {
        let sent_at = Instant::ZERO;
        let body = Body::Data { seq, len, sent_at, syn, cwr: false, retransmit: false, push, header: None };
        let packet = Packet { body, ..Packet::datagram(FlowId(0), 0, 50) };
        self.receiver.on_packet(Instant::ZERO, &packet, &mut self.cx.lend());
        self.answers()
    }

    fn data(&mut self, seq: u64) -> Vec<Answer> {
        self.receive(0, seq, Ecn::NotEct, false)
    }

    fn answers(&mut self) -> Vec<Answer> {
        self.cx
            .out
            .drain(..)
            .map(|packet| match packet.body {
                Body::Ack { ack, sack, codepoint, .. } => {
                    Answer { ack, sack: sack.as_slice().to_vec(), codepoint, ece: codepoint.ece(), size: packet.size }
                }
                _ => unreachable!("a receiver sends acknowledgements"),
            })
            .collect()
    }
}

#[test]
fn the_first_sack_block_holds_the_newest_segment() {
    // RFC 2018 §4, case of several holes: segments at 0, then 20, 40, 60, 80; blocks most recent first.
    let mut rig = Rig::new(&[("recovery", "sack")]);
    assert_eq!(rig.data(0)[0].sack, []);
    assert_eq!(rig.data(20)[0].sack, [(10, 20)]);
    assert_eq!(rig.data(40)[0].sack, [(30, 40), (10, 20)]);
    assert_eq!(rig.data(60)[0].sack, [(50, 60), (30, 40), (10, 20)]);
    assert_eq!(rig.data(80)[0].sack, [(70, 80), (50, 60), (30, 40)]);
    // 30 joins 20..30 and 40..50: their block becomes the most recent.
    assert_eq!(rig.data(30)[0].sack, [(10, 40), (70, 80), (50, 60)]);
}

#[test]
fn an_acknowledgement_with_three_blocks_offers_a_window_too() {
    let mut rig = Rig::new(&[("profile", "linux"), ("sack_delay", "0us")]);
    rig.send(0, 0, true, false);
    rig.cx.out.drain(..);
    for (hole, seq) in [20, 40, 60, 80].into_iter().enumerate() {
        let body = Body::Data {
            seq,
            len: 10,
            sent_at: Instant::ZERO,
            syn: false,
            cwr: false,
            retransmit: false,
            push: false,
            header: None,
        };
        let packet = Packet { body, ..Packet::datagram(FlowId(0), 0, 50) };
        rig.receiver.on_packet(Instant::ZERO, &packet, &mut rig.cx.lend());
        let told: Vec<(usize, u16)> = rig
            .cx
            .out
            .drain(..)
            .map(|sent| match sent.body {
                Body::Ack { sack, offered, .. } => (sack.as_slice().len(), offered),
                _ => unreachable!("a receiver sends acknowledgements"),
            })
            .collect();
        assert!(told.len() == 1 && told[0].0 == (hole + 1).min(3) && told[0].1 > 0, "{told:?}");
    }
}

#[test]
fn in_linux_what_comes_again_does_not_open_the_window() {
    // A new segment opens the window by two. Those that come again, in order or behind a hole, do not.
    let opened = |again: &[u64]| {
        let mut rig = Rig::new(&[("profile", "linux"), ("packet", "1514B"), ("header", "66B")]);
        rig.send(0, 0, true, false);
        for segment in [0, 2].iter().chain(again) {
            rig.send(1448 * segment, 1448, false, false);
        }
        rig.receiver.offer()
    };
    assert_eq!(opened(&[0, 2, 2, 0]), opened(&[]));
    assert!(opened(&[3]) > opened(&[]));
}

#[test]
fn filling_the_first_hole_moves_the_cumulative_ack_and_the_offsets() {
    let mut rig = Rig::new(&[]);
    rig.data(0);
    rig.data(20);
    rig.data(40);
    let answer = rig.data(10).remove(0);
    assert_eq!((answer.ack, answer.sack), (30, vec![(10, 20)]));
    assert_eq!(rig.receiver.counters().bytes_delivered, 30);
}

#[test]
fn a_duplicate_is_acknowledged_at_once_and_not_delivered_again() {
    let mut rig = Rig::new(&[("ack_every", "2")]);
    rig.data(0);
    rig.data(10);
    assert_eq!(rig.data(0)[0].ack, 20);
    assert_eq!(rig.receiver.counters().bytes_delivered, 20);
}

#[test]
fn a_delayed_ack_waits_for_a_second_segment_or_for_the_delay() {
    let mut rig = Rig::new(&[("ack_every", "2"), ("ack_delay", "100ms")]);
    assert!(rig.receive(0, 0, Ecn::NotEct, false).is_empty());
    assert_eq!(rig.receive(5, 10, Ecn::NotEct, false)[0].ack, 20);
    assert_eq!(rig.receiver.next_deadline(), None);

    assert!(rig.receive(10, 20, Ecn::NotEct, false).is_empty());
    let deadline = Instant::ZERO + Duration::from_millis(110);
    assert_eq!(rig.receiver.next_deadline(), Some(deadline));
    rig.receiver.on_deadline(deadline, &mut rig.cx.lend());
    assert_eq!(rig.answers()[0].ack, 30);
}

#[test]
fn the_first_segments_of_a_connection_and_those_after_a_duplicate_are_acknowledged_at_once() {
    let mut rig = Rig::new(&[("ack_every", "2"), ("quick_acks", "2")]);
    rig.send(0, 0, true, false);
    assert_eq!(rig.data(0)[0].ack, 10);
    assert_eq!(rig.data(10)[0].ack, 20);
    assert!(rig.data(20).is_empty(), "two have been");
    // The acknowledgement of the duplicate is the first of the two (Linux's `tcp_dec_quickack_mode` counts each that is sent).
    assert_eq!(rig.data(0)[0].ack, 30, "a duplicate");
    assert_eq!(rig.data(30)[0].ack, 40);
    assert!(rig.data(40).is_empty());
    assert_eq!(rig.data(50)[0].ack, 60, "two wait");
}

#[test]
fn linux_acknowledges_two_segments_at_once_when_marks_begin_and_the_one_with_cwr() {
    for (quick, expected) in [("16", [0, 1, 1, 0, 1, 1, 0]), ("0", [0, 1, 0, 1, 0, 1, 0])] {
        let mut rig = Rig::new(&[("ack_every", "2"), ("quick_acks", quick), ("ecn", "true")]);
        let (ect, ce) = (Ecn::Ect0, Ecn::Ce);
        // Marks begin with the second segment; the sixth carries CWR.
        let arrivals = [(ect, false), (ce, false), (ce, false), (ce, false), (ect, false), (ect, true), (ect, false)];
        let told: Vec<usize> =
            (0..).zip(arrivals).map(|(n, (ecn, cwr))| rig.receive(0, 10 * n, ecn, cwr).len()).collect();
        assert_eq!(told, expected, "quick_acks = {quick}");
    }
}

#[test]
fn a_segment_that_is_pushed_does_not_wait() {
    let mut rig = Rig::new(&[("ack_every", "2")]);
    assert_eq!(rig.send(0, 10, false, true)[0].ack, 10);
    assert!(rig.data(10).is_empty());
    assert_eq!(rig.send(20, 10, false, true).len(), 1, "one acknowledgement for both");
}

#[test]
fn from_the_fourth_on_segments_behind_a_hole_are_told_together() {
    let mut rig = Rig::new(&[("sack_delay", "1ms")]);
    for seq in [10, 20, 30] {
        assert_eq!(rig.data(seq).len(), 1);
    }
    assert!(rig.data(40).is_empty());
    assert!(rig.data(50).is_empty());
    let deadline = Instant::ZERO + Duration::from_millis(1);
    assert_eq!(rig.receiver.next_deadline(), Some(deadline));
    rig.receiver.on_deadline(deadline, &mut rig.cx.lend());
    assert_eq!(rig.answers()[0].sack, [(10, 60)]);

    assert!(rig.data(60).is_empty());
    assert_eq!(rig.data(0)[0].ack, 70, "the hole is filled");
    assert_eq!(rig.receiver.next_deadline(), None);
}

#[test]
fn quick_acknowledgements_are_used_up_behind_a_hole_too() {
    let mut rig = Rig::new(&[("sack_delay", "1ms"), ("quick_acks", "2")]);
    rig.send(0, 0, true, false);
    // Two quick ones, and three that are told at once.
    for seq in [10, 20, 30, 40, 50] {
        assert_eq!(rig.data(seq).len(), 1, "{seq}");
    }
    assert!(rig.data(60).is_empty());
}

#[test]
fn out_of_order_and_hole_filling_segments_are_not_delayed() {
    let mut rig = Rig::new(&[("ack_every", "2")]);
    assert_eq!(rig.data(10)[0].ack, 0);
    assert_eq!(rig.data(0)[0].ack, 20, "RFC 5681 section 4.2: it fills a gap");
}

#[test]
fn in_ns2_the_newest_segment_in_order_may_wait_for_a_second_one_when_it_comes_again() {
    let mut rig = Rig::new(&[("profile", "ns2"), ("ack_every", "2")]);
    rig.data(0);
    rig.data(10);
    assert_eq!(rig.data(0)[0].ack, 20, "an older one is a duplicate");
    assert!(rig.data(10).is_empty());
    assert_eq!(rig.data(20)[0].ack, 30);

    rig.data(40);
    assert_eq!(rig.data(20)[0].ack, 30, "nothing waits while data is missing");
}

#[test]
fn what_comes_twice_is_reported_first() {
    // RFC 2883 §4.1: below the acknowledgement, here in descending order and from one; §4.2: within what is held, before the block that
    // holds it.
    let mut rig = Rig::new(&[("dsack", "true")]);
    rig.data(0);
    rig.data(10);
    assert_eq!(rig.data(0)[0].sack, [(21, 11)], "0 to 10, of which 20 are acknowledged");
    rig.data(40);
    assert_eq!(rig.data(50)[0].sack, [(20, 40)]);
    assert_eq!(rig.data(40)[0].sack, [(20, 30), (20, 40)]);
    let mut silent = Rig::new(&[]);
    silent.data(0);
    assert_eq!(silent.data(0)[0].sack, []);
}

#[test]
fn congestion_is_echoed_until_cwr() {
    let mut rig = Rig::new(&[("ecn", "true")]);
    assert!(!rig.receive(0, 0, Ecn::Ect0, false)[0].ece);
    assert!(rig.receive(0, 10, Ecn::Ce, false)[0].ece);
    assert!(rig.receive(0, 20, Ecn::Ect0, false)[0].ece, "until the sender has reacted");
    assert!(!rig.receive(0, 30, Ecn::Ect0, true)[0].ece, "CWR stops it");
    assert!(rig.receive(0, 40, Ecn::Ce, true)[0].ece, "CWR on a marked packet: a new mark");
    assert_eq!(rig.receiver.counters().marks_seen, 2);
}

#[test]
fn in_linux_cwr_answers_a_mark_that_no_acknowledgement_has_told() {
    for (arrivals, told) in [("rfc", true), ("linux", false)] {
        let mut rig = Rig::new(&[("ecn", "true"), ("ack_every", "2"), ("arrivals", arrivals)]);
        assert!(rig.receive(0, 0, Ecn::Ce, false).is_empty());
        assert_eq!(rig.receive(0, 10, Ecn::Ect0, true)[0].ece, told, "{arrivals}");
        assert!(rig.receive(0, 20, Ecn::Ect0, false).is_empty());
        assert!(rig.receive(0, 30, Ecn::Ce, true)[0].ece, "a mark on the segment itself");
    }
}

#[test]
fn exact_feedback_tells_each_mark_and_needs_no_cwr() {
    let mut rig = Rig::new(&[("ecn", "true"), ("ecn_feedback", "dctcp")]);
    assert!(!rig.receive(0, 0, Ecn::Ect0, false)[0].ece);
    assert!(rig.receive(0, 10, Ecn::Ce, false)[0].ece);
    assert!(!rig.receive(0, 20, Ecn::Ect0, false)[0].ece, "no CWR has come");
    assert!(rig.receive(0, 30, Ecn::Ce, true)[0].ece, "CWR says nothing");
}

#[test]
fn exact_feedback_acknowledges_at_once_when_marks_begin_or_end() {
    // RFC 8257 §3.2, figure 1, with an acknowledgement for every second segment.
    let mut rig = Rig::new(&[("ecn", "true"), ("ecn_feedback", "dctcp"), ("ack_every", "2")]);
    let mut told = |seq, ecn| {
        let answers = rig.receive(0, seq, ecn, false);
        answers.into_iter().map(|answer| (answer.ack, answer.ece)).collect::<Vec<_>>()
    };
    assert_eq!(told(0, Ecn::Ect0), []);
    assert_eq!(told(10, Ecn::Ce), [(10, false), (20, true)], "the waiting one as not marked");
    assert_eq!(told(20, Ecn::Ce), []);
    assert_eq!(told(30, Ecn::Ce), [(40, true)]);
    assert_eq!(told(40, Ecn::Ce), []);
    assert_eq!(told(50, Ecn::Ect0), [(50, true), (60, false)], "the waiting one as marked");
}

#[test]
fn a_counting_receiver_tells_each_mark_and_echoes_until_cwr() {
    // [Tah13] algorithm 5 and the order of figure 4.2.
    let mut rig = Rig::new(&[("ecn", "true"), ("ecn_feedback", "xecn")]);
    let mut told = |seq, ecn, cwr| rig.receive(0, seq, ecn, cwr)[0].codepoint;
    assert_eq!(told(0, Ecn::Ect0, false), Codepoint::None);
    assert_eq!(told(10, Ecn::Ce, false), Codepoint::Count);
    assert_eq!(told(20, Ecn::Ce, false), Codepoint::Count, "each of consecutive marks");
    assert_eq!(told(30, Ecn::Ect0, false), Codepoint::Ece, "the sender has not yet responded");
    assert_eq!(told(40, Ecn::Ect0, true), Codepoint::None, "it has");
    assert_eq!(told(50, Ecn::Ce, true), Codepoint::Count, "a mark on the segment with CWR is a new one");
    assert_eq!(told(60, Ecn::Ect0, false), Codepoint::Ece);
}

#[test]
fn a_counting_receiver_acknowledges_each_marked_segment_by_itself() {
    let mut rig = Rig::new(&[("ecn", "true"), ("ecn_feedback", "xecn"), ("ack_every", "2")]);
    let mut told = |seq, ecn| {
        let answers = rig.receive(0, seq, ecn, false);
        answers.into_iter().map(|answer| (answer.ack, answer.codepoint)).collect::<Vec<_>>()
    };
    assert_eq!(told(0, Ecn::Ect0), []);
    assert_eq!(told(10, Ecn::Ce), [(10, Codepoint::None), (20, Codepoint::Count)], "what waited was not marked");
    assert_eq!(told(20, Ecn::Ce), [(30, Codepoint::Count)]);
    assert_eq!(told(30, Ecn::Ect0), []);
    assert_eq!(told(40, Ecn::Ect0), [(50, Codepoint::Ece)]);
}

#[test]
fn a_sack_block_costs_eight_bytes_and_its_option_header() {
    let mut ns2 = Rig::new(&[("sack_header", "0B")]);
    assert_eq!(ns2.data(0)[0].size, 40);
    assert_eq!(ns2.data(20)[0].size, 48);
    let mut rfc = Rig::new(&[("sack_header", "4B")]);
    rfc.data(20);
    assert_eq!(rfc.data(40)[0].size, 40 + 4 + 16);
    let mut without = Rig::new(&[("recovery", "newreno")]);
    without.data(0);
    assert_eq!(without.data(20)[0].size, 40);
}

#[test]
fn a_late_copy_of_a_syn_begins_no_connection_in_linux() {
    for (profile, answers) in [("linux", 0), ("rfc", 1)] {
        let mut rig = Rig::new(&[("profile", profile)]);
        assert_eq!(rig.send(0, 0, true, false).len(), 1);
        assert_eq!(rig.send(0, 0, true, false).len(), 1, "before data it is answered");
        rig.data(0);
        assert_eq!(rig.send(0, 0, true, false).len(), answers, "{profile}");
        assert_eq!(rig.send(10, 0, true, false).len(), 1, "the next connection");
    }
}

#[test]
fn linux_keeps_four_blocks_and_forgets_those_before() {
    let told = |arrivals: &str, segments: &[u64]| {
        let mut rig = Rig::new(&[("recovery", "sack"), ("arrivals", arrivals)]);
        let mut last = Vec::new();
        for &seq in segments {
            last.clone_from(&rig.data(seq)[0].sack);
        }
        last
    };
    // 10 joins 20, so that 30 is next: the block of 80 is the fourth.
    let filled = [0, 80, 60, 40, 20, 10];
    assert_eq!(told("rfc", &filled), [(10, 20), (30, 40)]);
    assert_eq!(told("linux", &filled), [(10, 20), (30, 40), (50, 60)]);
    // 30 joins 20, which Linux has forgotten, and 40.
    let joined = [0, 20, 40, 60, 80, 100, 30];
    assert_eq!(told("rfc", &joined)[0], (10, 40));
    assert_eq!(told("linux", &joined)[0], (20, 40));
}

#[test]
fn linux_sends_reports_that_wait_before_news_of_another_block() {
    let mut rig = Rig::new(&[("recovery", "sack"), ("arrivals", "linux"), ("sack_delay", "1ms")]);
    assert_eq!([0, 20, 40, 60].map(|seq| rig.data(seq).len()), [1, 1, 1, 1], "three reports are sent at once");
    assert_eq!(rig.data(80), [], "it waits");
    assert_eq!(rig.data(90), [], "it belongs to the first block");
    // The report of 80 and 90 goes before 110, which waits.
    let before = rig.data(110);
    assert_eq!(before.iter().map(|answer| answer.sack[0]).collect::<Vec<_>>(), [(70, 90)]);
    assert_eq!(rig.data(120), []);
}

#[test]
fn a_report_that_is_due_leaves_before_the_segment_that_comes_at_its_time() {
    for (arrivals, reported) in [("linux", vec![(70, 90)]), ("rfc", vec![])] {
        let mut rig = Rig::new(&[("recovery", "sack"), ("arrivals", arrivals), ("sack_delay", "1ms")]);
        assert_eq!([0, 20, 40, 60].map(|seq| rig.data(seq).len()), [1, 1, 1, 1], "three reports are sent at once");
        assert_eq!([rig.data(80).len(), rig.data(90).len()], [0, 0], "they wait");
        // 100 waits for the next report.
        let answers = rig.receive(1, 100, Ecn::NotEct, false);
        assert_eq!(answers.iter().map(|answer| answer.sack[0]).collect::<Vec<_>>(), reported, "{arrivals}");
    }
}

#[test]
fn in_linux_a_report_that_cwr_asks_for_is_none_of_the_first_three() {
    let settings = [("recovery", "sack"), ("arrivals", "linux"), ("sack_delay", "1ms"), ("ecn", "true")];
    let mut rig = Rig::new(&settings);
    rig.receive(0, 0, Ecn::Ect0, false);
    let mut told = |seq, cwr| rig.receive(0, seq, Ecn::Ect0, cwr).len();
    let reports = [(20, false), (30, true), (40, false), (50, false), (60, false)];
    assert_eq!(reports.map(|(seq, cwr)| told(seq, cwr)), [1, 1, 1, 1, 0]);
}
