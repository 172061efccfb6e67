//! A hint to the processor: this will be read soon. Large networks do not fit into its caches, and most of the memory that an event touches
//! is known some events before.

use std::collections::VecDeque;

/// The part of a value that is prefetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The value itself. It is not read.
    Itself,
    /// Data elsewhere: the value is read to find it.
    Elsewhere,
}

/// Asks for the cache lines of `value`, if there is one. Nothing else happens, whatever the processor does with it.
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: Option<&T>) {
    let Some(value) = value else { return };
    let start = std::ptr::from_ref(value).cast::<i8>();
    for offset in (0..size_of_val(value)).step_by(64) {
        prefetch_line(start.wrapping_add(offset));
    }
}

/// Shorter queues stay in the cache.
const LONG: usize = 1 << 10;

/// Asks for the packets behind the next ones of a long queue: those that were written a while ago have left the cache.
#[inline(always)]
pub fn prefetch_later<T>(queue: &VecDeque<T>) {
    if queue.len() > LONG {
        prefetch(queue.get(128 / size_of::<T>()));
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the intrinsic takes a raw pointer")]
#[inline(always)]
fn prefetch_line(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch changes nothing that a program can see, and an address that is not mapped is ignored.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch_line(_: *const i8) {}
