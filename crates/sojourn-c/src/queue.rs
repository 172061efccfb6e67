//! A queue whose transmitter is the caller.

use crate::boundary;
use crate::types::{
    SOJOURN_BAD_PACKET, SOJOURN_NEVER, SOJOURN_NONE, SOJOURN_NULL, SOJOURN_PACKET, SOJOURN_TIME_GOES_BACK,
    SojournArrived, SojournBacklog, SojournLost, SojournPacket, nanos,
};
use core::ffi::c_char;
use sojourn_bottleneck::{Lost, Queue, Time};
use std::collections::VecDeque;

/// A queue discipline alone: the caller takes packets out when it is free to send.
pub struct SojournQueue {
    queue: Queue<u64>,
    lost: VecDeque<Lost<u64>>,
}

/// A queue such as "codel" or "red:min_th=5p,ecn=true", on a link of this rate, for flows with this round-trip time without queues. The
/// seed decides all that is random. Gives null, and a message in `error`, if one of them is wrong.
///
/// # Safety
///
/// Texts end with a zero; `error` is null or has room for `error_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_queue_new(
    queue: *const c_char,
    rate: *const c_char,
    base_rtt: *const c_char,
    seed: u64,
    error: *mut c_char,
    error_len: usize,
) -> *mut SojournQueue {
    // SAFETY: the header asks callers for the conditions of both functions.
    unsafe {
        boundary::made(error, error_len, || {
            let (queue, rate) = (boundary::text("queue", queue)?, boundary::text("rate", rate)?);
            let base_rtt = boundary::text("base_rtt", base_rtt)?;
            let queue = Queue::new_knowing(queue, rate, base_rtt, seed, sojourn_archive::registry())
                .map_err(|refused| refused.to_string())?;
            Ok(SojournQueue { queue, lost: VecDeque::new() })
        })
    }
}

/// Frees a queue; null is allowed.
///
/// # Safety
///
/// `queue` comes from `sojourn_queue_new` and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_queue_free(queue: *mut SojournQueue) {
    // SAFETY: the header asks callers for it.
    unsafe { boundary::freed(queue) }
}

/// Hands a packet over; it, or others, may be lost. `payload` is given back with the packet. Gives `SOJOURN_NONE` or an error.
///
/// # Safety
///
/// `queue` is null or a queue in use by this thread alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_queue_enqueue(
    queue: *mut SojournQueue,
    now: u64,
    packet: SojournPacket,
    payload: u64,
) -> i32 {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::with(queue, |queue| {
            let Some(datagram) = packet.datagram() else { return SOJOURN_BAD_PACKET };
            if Time::from_nanos(now) < queue.queue.now() {
                return SOJOURN_TIME_GOES_BACK;
            }
            queue.queue.enqueue(Time::from_nanos(now), datagram, payload);
            SOJOURN_NONE
        })
    }
}

/// Takes the next packet to send. A caller that is free to send asks after each packet that it hands over, at
/// `sojourn_queue_next_time`, and when it has sent a packet. Gives `SOJOURN_PACKET`, `SOJOURN_NONE` or an error.
///
/// # Safety
///
/// `queue` is null or a queue in use by this thread alone; `left` is null or has room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_queue_dequeue(queue: *mut SojournQueue, now: u64, left: *mut SojournArrived) -> i32 {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::with(queue, |queue| {
            if left.is_null() {
                return SOJOURN_NULL;
            }
            if Time::from_nanos(now) < queue.queue.now() {
                return SOJOURN_TIME_GOES_BACK;
            }
            let Some(got) = queue.queue.dequeue(Time::from_nanos(now)) else { return SOJOURN_NONE };
            let (waited, packet) = (nanos(got.sojourn), SojournPacket::of(got.datagram));
            left.write(SojournArrived { at: now, waited, payload: got.payload, packet });
            SOJOURN_PACKET
        })
    }
}

/// Takes the next packet that was lost. Gives `SOJOURN_PACKET`, `SOJOURN_NONE` or an error.
///
/// # Safety
///
/// `queue` is null or a queue in use by this thread alone; `lost` is null or has room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_queue_lost(queue: *mut SojournQueue, lost: *mut SojournLost) -> i32 {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::with(queue, |queue| {
            if lost.is_null() {
                return SOJOURN_NULL;
            }
            queue.lost.extend(queue.queue.lost());
            let Some(gone) = queue.lost.pop_front() else { return SOJOURN_NONE };
            lost.write(SojournLost::of(&gone));
            SOJOURN_PACKET
        })
    }
}

/// Says when the queue wants to be asked next, or `SOJOURN_NEVER`.
///
/// # Safety
///
/// `queue` is null or a queue in use by this thread alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_queue_next_time(queue: *const SojournQueue) -> u64 {
    // SAFETY: the header asks callers for it.
    unsafe { boundary::seen(queue, SOJOURN_NEVER, |queue| queue.queue.next_time().map_or(SOJOURN_NEVER, nanos)) }
}

/// Says how much waits.
///
/// # Safety
///
/// `queue` is null or a queue in use by this thread alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_queue_backlog(queue: *const SojournQueue) -> SojournBacklog {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::seen(queue, SojournBacklog::default(), |queue| {
            let backlog = queue.queue.backlog();
            SojournBacklog { packets: backlog.packets, bytes: backlog.bytes }
        })
    }
}
