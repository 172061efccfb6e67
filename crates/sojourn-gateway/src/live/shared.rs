//! The settings of a gateway, and the state that its loop and its owner share.

use crate::counts::{Parts, Totals};
use crate::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The settings of a gateway.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Names of the two interfaces: towards the hosts, and towards the network.
    pub interfaces: [String; 2],
    /// The links from the first to the second (up), and back (down), as for [`Path::from_toml`](sojourn_bottleneck::Path::from_toml).
    pub links: [String; 2],
    /// Decides all that is random.
    pub seed: u64,
    /// A folder for recordings: `up.in.pcapng`, `up.out.pcapng`, `down.in.pcapng`, `down.out.pcapng`.
    pub record: Option<PathBuf>,
    /// The rates that recordings are to name, in bits per second.
    pub rates: [u64; 2],
    /// The processor on which it is to run; by default the kernel's choice.
    pub cpu: Option<usize>,
    /// Whether it sleeps between packets at once, which takes less of the processor and makes packets later.
    pub spare: bool,
}

/// The counts of a gateway.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Up and down.
    pub directions: [Totals; 2],
    /// How long it has run, in nanoseconds.
    pub nanos: u64,
    /// Packets that the recordings lack, since the disk did not keep up.
    pub unrecorded: u64,
}

/// The state of the loop that others may read.
#[derive(Default)]
pub struct Shown {
    pub parts: Parts,
    pub report: Report,
    pub failed: Option<Error>,
}

/// The state that the loop and its owner share.
#[derive(Default)]
pub struct Shared {
    pub stop: AtomicBool,
    pub ended: AtomicBool,
    pub unrecorded: Arc<AtomicU64>,
    pub shown: Mutex<Shown>,
}

impl Shared {
    pub fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
