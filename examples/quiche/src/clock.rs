//! quiche asks the machine for the time: `Instant::now()` is in its `recv`, `send` and `on_timeout`. The program has one address for
//! `clock_gettime`, and this file gives it a function that says the time of the test. Each thread, so each test, has its own.

use std::cell::Cell;
use std::time::Duration;

thread_local!(static NOW: Cell<Option<Duration>> = const { Cell::new(None) });

/// From now on `Instant::now()` says this time in this thread. It never goes back.
pub fn set(now: Duration) {
    // Not zero: quiche takes an `Instant` some time before the first one.
    NOW.set(Some(Duration::from_secs(1_000) + now));
}

/// The libc function that `Instant::now()` calls.
///
/// # Safety
/// `time` must point to a `timespec`, as for the function of libc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    match NOW.try_with(Cell::get).ok().flatten() {
        Some(now) if clock == libc::CLOCK_MONOTONIC => {
            let said = libc::timespec { tv_sec: now.as_secs() as i64, tv_nsec: i64::from(now.subsec_nanos()) };
            // SAFETY: the caller's promise.
            unsafe { time.write(said) };
            0
        }
        // SAFETY: the kernel checks both arguments.
        _ => unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as libc::c_int },
    }
}
