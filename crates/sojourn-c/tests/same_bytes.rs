//! The functions for C decide as Rust's interface does, for every queue; and they refuse wrong input.
#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ptr::{null, null_mut};
use sojourn_archive::registry;
use sojourn_bottleneck::{Bottleneck, Datagram, Dscp, Ecn, Time};
use sojourn_c::{
    SOJOURN_BAD_PACKET, SOJOURN_NEVER, SOJOURN_NONE, SOJOURN_NULL, SOJOURN_PACKET, SOJOURN_TIME_GOES_BACK,
    SojournArrived, SojournBacklog, SojournLost, SojournPacket, sojourn_bottleneck_new, sojourn_path_backlog,
    sojourn_path_free, sojourn_path_lost, sojourn_path_new, sojourn_path_next_time, sojourn_path_receive,
    sojourn_path_send, sojourn_queue_backlog, sojourn_queue_dequeue, sojourn_queue_enqueue, sojourn_queue_free,
    sojourn_queue_lost, sojourn_queue_new, sojourn_queue_next_time,
};
use std::ffi::CString;

const PACKETS: u64 = 1500;

/// 1 packet of 700 to 1300 bytes each 0.8 ms on average, of 5 flows; some packets may be marked.
fn arrivals() -> impl Iterator<Item = (u64, u32, u32, u8)> {
    let mut state = 1_u64;
    let mut at = 0;
    (0..PACKETS).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let random = state >> 33;
        at += random % 1_600_000;
        (at, 700 + (random / 7 % 600) as u32, (random / 11 % 5) as u32, if random.is_multiple_of(3) { 2 } else { 0 })
    })
}

fn c(text: &str) -> CString {
    CString::new(text).expect("no zero in it")
}

/// The arrivals (time, wait, packet, ECN field), and the losses (time, packet, reason).
type Seen = (Vec<(u64, u64, u64, u8)>, Vec<(u64, u64, String)>);

fn through_rust(queue: &str) -> Seen {
    let mut link = Bottleneck::new_knowing(queue, "8Mbit", "10ms", 5, registry()).expect("a queue");
    for (number, (at, len, flow, ecn)) in arrivals().enumerate() {
        let ecn = if ecn == 2 { Ecn::Ect0 } else { Ecn::NotEct };
        link.send(Time::from_nanos(at), Datagram::new(len).flow(flow).ecn(ecn).dscp(Dscp::DF), number as u64);
    }
    let mut got = Vec::new();
    while let Some(now) = link.next_time() {
        while let Some(packet) = link.receive(now) {
            let ecn = match packet.datagram.ecn {
                Ecn::NotEct => 0,
                Ecn::Ect1 => 1,
                Ecn::Ect0 => 2,
                Ecn::Ce => 3,
            };
            got.push((packet.at.as_nanos() as u64, packet.waited.as_nanos() as u64, packet.payload, ecn));
        }
    }
    let lost = link.lost().map(|lost| (lost.at.as_nanos() as u64, lost.payload, lost.reason.to_owned())).collect();
    (got, lost)
}

fn through_c(queue: &str) -> Seen {
    let (mut got, mut gone) = (Vec::new(), Vec::new());
    // SAFETY: texts outlive the calls, results have room, and the handle is freed once, at the end.
    unsafe {
        let (queue, rate, delay) = (c(queue), c("8Mbit"), c("10ms"));
        let path = sojourn_bottleneck_new(queue.as_ptr(), rate.as_ptr(), delay.as_ptr(), 5, null_mut(), 0);
        assert!(!path.is_null());
        for (number, (at, len, flow, ecn)) in arrivals().enumerate() {
            let packet = SojournPacket { len, flow, ecn, dscp: 0 };
            assert_eq!(sojourn_path_send(path, at, packet, number as u64), SOJOURN_NONE);
        }
        let (mut arrived, mut lost) = (SojournArrived::default(), SojournLost::default());
        loop {
            let now = sojourn_path_next_time(path);
            if now == SOJOURN_NEVER {
                break;
            }
            while sojourn_path_receive(path, now, &raw mut arrived) == SOJOURN_PACKET {
                got.push((arrived.at, arrived.waited, arrived.payload, arrived.packet.ecn));
            }
        }
        while sojourn_path_lost(path, &raw mut lost) == SOJOURN_PACKET {
            let reason = CStr::from_bytes_until_nul(&lost.reason).expect("a zero at the end");
            gone.push((lost.at, lost.payload, reason.to_str().expect("ASCII").to_owned()));
        }
        sojourn_path_free(path);
    }
    (got, gone)
}

#[test]
fn every_queue_decides_as_in_rust() {
    for entry in registry().queues() {
        let (rust, c) = (through_rust(entry.name), through_c(entry.name));
        assert_eq!(rust, c, "{}", entry.name);
        assert_eq!(c.0.len() + c.1.len(), PACKETS as usize, "{}", entry.name);
    }
}

#[test]
fn a_queue_alone_gives_back_what_it_was_handed() {
    let (name, rate, rtt) = (c("fifo:limit=2p"), c("8Mbit"), c("40ms"));
    let packet = SojournPacket { len: 1000, flow: 3, ecn: 1, dscp: 46 };
    let (mut left, mut lost) = (SojournArrived::default(), SojournLost::default());
    // SAFETY: as above.
    unsafe {
        let queue = sojourn_queue_new(name.as_ptr(), rate.as_ptr(), rtt.as_ptr(), 1, null_mut(), 0);
        for payload in 7..10 {
            assert_eq!(sojourn_queue_enqueue(queue, 100, packet, payload), SOJOURN_NONE);
        }
        assert_eq!(sojourn_queue_backlog(queue), SojournBacklog { packets: 2, bytes: 2000 });
        assert_eq!(sojourn_queue_dequeue(queue, 350, &raw mut left), SOJOURN_PACKET);
        assert_eq!(left, SojournArrived { at: 350, waited: 250, payload: 7, packet });
        assert_eq!(sojourn_queue_lost(queue, &raw mut lost), SOJOURN_PACKET);
        assert_eq!((lost.payload, lost.packet, &lost.reason[..9]), (9, packet, &b"overflow\0"[..]));
        assert_eq!(sojourn_queue_lost(queue, &raw mut lost), SOJOURN_NONE);
        assert_eq!(sojourn_queue_next_time(queue), SOJOURN_NEVER);
        sojourn_queue_free(queue);
    }
}

#[test]
fn what_is_wrong_is_refused() {
    let (link, none) = (c("[[link]]\nrate = \"1Mbit\"\ndelay = \"1ms\"\n"), c("codl"));
    let good = SojournPacket { len: 100, ..SojournPacket::default() };
    // SAFETY: as above; this tests nulls.
    unsafe {
        let mut error = [1; 2000];
        let (rate, delay) = (c("1Mbit"), c("1ms"));
        let made =
            sojourn_bottleneck_new(none.as_ptr(), rate.as_ptr(), delay.as_ptr(), 1, error.as_mut_ptr(), error.len());
        assert!(made.is_null());
        let message = CStr::from_ptr(error.as_ptr()).to_str().expect("UTF-8");
        assert!(message.contains("did you mean \"codel\"?"), "{message}");
        // A short buffer has the beginning.
        assert!(sojourn_path_new(none.as_ptr(), 1, error.as_mut_ptr(), 5).is_null());
        assert_eq!(CStr::from_ptr(error.as_ptr()).to_bytes().len(), 4);
        assert!(sojourn_path_new(null(), 1, error.as_mut_ptr(), error.len()).is_null());
        assert!(CStr::from_ptr(error.as_ptr()).to_str().expect("UTF-8").contains("null"));

        let path = sojourn_path_new(link.as_ptr(), 1, null_mut(), 0);
        assert_eq!(sojourn_path_send(path, 5, SojournPacket { len: 0, ..good }, 0), SOJOURN_BAD_PACKET);
        assert_eq!(sojourn_path_send(path, 5, SojournPacket { ecn: 4, ..good }, 0), SOJOURN_BAD_PACKET);
        assert_eq!(sojourn_path_send(path, 5, SojournPacket { dscp: 64, ..good }, 0), SOJOURN_BAD_PACKET);
        assert_eq!(sojourn_path_send(path, 5, good, 0), SOJOURN_NONE);
        assert_eq!(sojourn_path_send(path, 4, good, 0), SOJOURN_TIME_GOES_BACK);
        assert_eq!(sojourn_path_receive(path, 9, null_mut()), SOJOURN_NULL);
        assert_eq!(sojourn_path_send(null_mut(), 9, good, 0), SOJOURN_NULL);
        assert_eq!(sojourn_path_next_time(null()), SOJOURN_NEVER);
        assert_eq!(sojourn_path_backlog(path, 7), SojournBacklog::default());
        sojourn_path_free(path);
        sojourn_path_free(null_mut());
    }
}
