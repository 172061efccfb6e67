//! From C's pointers to Rust's references, and no panic beyond here.

use crate::types::{SOJOURN_FAULT, SOJOURN_NULL};
use core::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A text of C, or the reason why it is not one.
///
/// # Safety
///
/// `text` is null or ends with a zero, and does not change for `'a`.
pub unsafe fn text<'a>(name: &str, text: *const c_char) -> Result<&'a str, String> {
    if text.is_null() {
        return Err(format!("{name}: the text is null"));
    }
    // SAFETY: it is not null, and the caller vouches for the rest.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("{name}: the text is not UTF-8"))
}

/// Writes a message where C wants it, cut to the room there, with a zero behind it.
///
/// # Safety
///
/// `error` is null or has room for `error_len` bytes.
unsafe fn say(message: &str, error: *mut c_char, error_len: usize) {
    if error.is_null() || error_len == 0 {
        return;
    }
    let mut end = message.len().min(error_len - 1);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    // SAFETY: `end` is less than `error_len`, for which the caller vouches, and at most the length of the message. The two do not
    // overlap, since the message is ours.
    unsafe {
        core::ptr::copy_nonoverlapping(message.as_ptr(), error.cast::<u8>(), end);
        error.add(end).write(0);
    }
}

/// A new handle, or null and a message.
///
/// # Safety
///
/// `error` is null or has room for `error_len` bytes.
pub unsafe fn made<T>(error: *mut c_char, error_len: usize, make: impl FnOnce() -> Result<T, String>) -> *mut T {
    let made = catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| Err("a fault of Sojourn".to_owned()));
    match made {
        Ok(handle) => Box::into_raw(Box::new(handle)),
        Err(message) => {
            // SAFETY: the caller vouches for it.
            unsafe { say(&message, error, error_len) };
            core::ptr::null_mut()
        }
    }
}

/// Frees a handle; null is allowed.
///
/// # Safety
///
/// `handle` is null or comes from [`made`], and is not used again.
pub unsafe fn freed<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it came from `Box::into_raw`, and no other call frees it.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// Does something with a handle. Gives `SOJOURN_NULL` if it is null and `SOJOURN_FAULT` if it panics.
///
/// # Safety
///
/// `handle` is null or comes from [`made`], has not been freed, and no other thread uses it now.
pub unsafe fn with<T>(handle: *mut T, does: impl FnOnce(&mut T) -> i32) -> i32 {
    // SAFETY: the caller guarantees that a handle which is not null is valid.
    match unsafe { handle.as_mut() } {
        None => SOJOURN_NULL,
        Some(handle) => catch_unwind(AssertUnwindSafe(|| does(handle))).unwrap_or(SOJOURN_FAULT),
    }
}

/// Looks at a handle; `otherwise` if it is null or there is a panic.
///
/// # Safety
///
/// `handle` is null or comes from [`made`], has not been freed, and no other thread uses it now.
pub unsafe fn seen<T, R>(handle: *const T, otherwise: R, sees: impl FnOnce(&T) -> R) -> R {
    // SAFETY: the caller guarantees that a handle which is not null is valid.
    let Some(handle) = (unsafe { handle.as_ref() }) else { return otherwise };
    catch_unwind(AssertUnwindSafe(|| sees(handle))).unwrap_or(otherwise)
}
