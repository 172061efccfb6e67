//! Queues, bottlenecks and paths for C: the functions of `include/sojourn.h`.
//!
//! This crate has unsafe code because C hands over bare pointers. It relies on these promises of the caller:
//!
//! 1. A handle comes from a `_new` function, is used by one thread at a time, and is not used after its `_free`.
//! 2. A text is null or ends with a zero, and does not change during the call.
//! 3. A result pointer is aligned and has room for its type. An `error` is null or has room for `error_len` bytes.
//!
//! All of it is asked of callers in the header. Null handles, null results, texts that are not UTF-8, times that go back and numbers out of
//! range are refused with a code. A panic, which would be a fault of Sojourn, ends at the boundary as [`SOJOURN_FAULT`].

// Pointers come from C, and names of functions are kept for C.
#![allow(unsafe_code)]

/// The page's examples in Rust are run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/bottleneck.md")]
struct Page;

mod boundary;
mod path;
mod queue;
mod types;

pub use path::*;
pub use queue::*;
pub use types::*;
