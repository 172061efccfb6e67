//! One link or several in a row.

use crate::boundary;
use crate::types::{
    SOJOURN_BAD_PACKET, SOJOURN_NEVER, SOJOURN_NONE, SOJOURN_NULL, SOJOURN_PACKET, SOJOURN_TIME_GOES_BACK,
    SojournArrived, SojournBacklog, SojournLost, SojournPacket, nanos,
};
use core::ffi::c_char;
use sojourn_bottleneck::{Bottleneck, Lost, Path, Time};
use std::collections::VecDeque;

/// Links in a row, in one direction. Times are nanoseconds since a moment of the caller's choice, and never go back.
pub struct SojournPath {
    path: Path<u64>,
    links: u32,
    lost: VecDeque<Lost<u64>>,
}

/// One link: a queue such as "codel" or "red:min_th=5p,ecn=true", a rate such as "10Mbit", a delay such as "20ms". The seed decides all
/// that is random. Gives null, and a message in `error`, if one of them is wrong.
///
/// # Safety
///
/// Texts end with a zero; `error` is null or has room for `error_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_bottleneck_new(
    queue: *const c_char,
    rate: *const c_char,
    delay: *const c_char,
    seed: u64,
    error: *mut c_char,
    error_len: usize,
) -> *mut SojournPath {
    // SAFETY: the header asks callers for the conditions of both functions.
    unsafe {
        boundary::made(error, error_len, || {
            let (queue, rate) = (boundary::text("queue", queue)?, boundary::text("rate", rate)?);
            let delay = boundary::text("delay", delay)?;
            let made = Bottleneck::new_knowing(queue, rate, delay, seed, sojourn_archive::registry())
                .map_err(|refused| refused.to_string())?;
            Ok(SojournPath { path: made.into(), links: 1, lost: VecDeque::new() })
        })
    }
}

/// Links in a row, as `[[link]]` tables in TOML with rate, delay, queue, loss, jitter, changes and what else scenario files say of links.
/// Gives null, and a message in `error`, if something is wrong.
///
/// # Safety
///
/// `links` ends with a zero; `error` is null or has room for `error_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_path_new(
    links: *const c_char,
    seed: u64,
    error: *mut c_char,
    error_len: usize,
) -> *mut SojournPath {
    // SAFETY: the header asks callers for the conditions of both functions.
    unsafe {
        boundary::made(error, error_len, || {
            let path = Path::from_toml_knowing(boundary::text("links", links)?, seed, sojourn_archive::registry())
                .map_err(|refused| refused.to_string())?;
            let count = path.links() as u32;
            Ok(SojournPath { path, links: count, lost: VecDeque::new() })
        })
    }
}

/// Frees a path; null is allowed.
///
/// # Safety
///
/// `path` comes from a `_new` function and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_path_free(path: *mut SojournPath) {
    // SAFETY: the header asks callers for it.
    unsafe { boundary::freed(path) }
}

/// Hands a packet to the first link, after all that happens up to and including `now`. `payload` is given back with the packet. Gives
/// `SOJOURN_NONE` or an error.
///
/// # Safety
///
/// `path` is null or a path in use by this thread alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_path_send(
    path: *mut SojournPath,
    now: u64,
    packet: SojournPacket,
    payload: u64,
) -> i32 {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::with(path, |path| {
            let Some(datagram) = packet.datagram() else { return SOJOURN_BAD_PACKET };
            if Time::from_nanos(now) < path.path.now() {
                return SOJOURN_TIME_GOES_BACK;
            }
            path.path.send(Time::from_nanos(now), datagram, payload);
            SOJOURN_NONE
        })
    }
}

/// Takes the next packet that has arrived by `now`, in order of arrival. Gives `SOJOURN_PACKET`, `SOJOURN_NONE` or an error.
///
/// # Safety
///
/// `path` is null or a path in use by this thread alone; `arrived` is null or has room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_path_receive(path: *mut SojournPath, now: u64, arrived: *mut SojournArrived) -> i32 {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::with(path, |path| {
            if arrived.is_null() {
                return SOJOURN_NULL;
            }
            if Time::from_nanos(now) < path.path.now() {
                return SOJOURN_TIME_GOES_BACK;
            }
            let Some(got) = path.path.receive(Time::from_nanos(now)) else { return SOJOURN_NONE };
            let (at, waited, packet) = (nanos(got.at), nanos(got.waited), SojournPacket::of(got.datagram));
            arrived.write(SojournArrived { at, waited, payload: got.payload, packet });
            SOJOURN_PACKET
        })
    }
}

/// Takes the next packet that was lost, as of the last time that was said. Gives `SOJOURN_PACKET`, `SOJOURN_NONE` or an error.
///
/// # Safety
///
/// `path` is null or a path in use by this thread alone; `lost` is null or has room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_path_lost(path: *mut SojournPath, lost: *mut SojournLost) -> i32 {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::with(path, |path| {
            if lost.is_null() {
                return SOJOURN_NULL;
            }
            path.lost.extend(path.path.lost());
            let Some(gone) = path.lost.pop_front() else { return SOJOURN_NONE };
            lost.write(SojournLost::of(&gone));
            SOJOURN_PACKET
        })
    }
}

/// Says when something happens next, or `SOJOURN_NEVER` while nothing is under way.
///
/// # Safety
///
/// `path` is null or a path in use by this thread alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_path_next_time(path: *const SojournPath) -> u64 {
    // SAFETY: the header asks callers for it.
    unsafe { boundary::seen(path, SOJOURN_NEVER, |path| path.path.next_time().map_or(SOJOURN_NEVER, nanos)) }
}

/// Says how much waits at the link of this number, from 0; nothing if there is no such link.
///
/// # Safety
///
/// `path` is null or a path in use by this thread alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sojourn_path_backlog(path: *const SojournPath, link: u32) -> SojournBacklog {
    // SAFETY: the header asks callers for it.
    unsafe {
        boundary::seen(path, SojournBacklog::default(), |path| {
            if link >= path.links {
                return SojournBacklog::default();
            }
            let backlog = path.path.backlog(link as usize);
            SojournBacklog { packets: backlog.packets, bytes: backlog.bytes }
        })
    }
}
