//! The gateway: two wires, two directions, and the loop between them in a thread of its own.

use crate::Error;
use shared::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

#[cfg(target_os = "linux")]
mod bridge;
mod shared;

pub use shared::{Report, Settings};

/// A gateway that runs. It ends when it is dropped.
pub struct Gateway {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    warnings: Vec<String>,
}

impl Gateway {
    /// Opens the interfaces and begins.
    ///
    /// # Errors
    ///
    /// If there is no such interface or it does not fit, a link is wrong, a file cannot be written, the rights are missing, or this is not
    /// Linux.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        let shared = Arc::new(Shared::default());
        let (thread, warnings) = start(settings, &shared)?;
        Ok(Gateway { shared, thread: Some(thread), warnings })
    }

    /// Warnings for the user: properties of the interfaces that may surprise.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether it has ended, by itself or by [`Gateway::stop`].
    pub fn has_ended(&self) -> bool {
        self.shared.ended.load(Ordering::Acquire)
    }

    /// The counts up to the last tenth of a second.
    pub fn report(&self) -> Report {
        self.shared.shown().report.clone()
    }

    /// Shows the tenths of seconds from this number on, as far as they are kept, to `each`.
    pub fn parts_since(&self, number: u64, mut each: impl FnMut(u64, &[crate::counts::Part; 2])) {
        for (which, part) in self.shared.shown().parts.since(number) {
            each(which, part);
        }
    }

    /// Ends it; returns all counts.
    ///
    /// # Errors
    ///
    /// If it had ended by itself, because an interface went away.
    pub fn stop(&mut self) -> Result<Report, Error> {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic there has been said on stderr; the data before it are complete.
            let panicked = thread.join().is_err();
            self.shared.ended.store(true, Ordering::Release);
            if panicked {
                return Err(Error::Broken("the gateway's thread panicked: this is a fault of Sojourn".to_owned()));
            }
        }
        let shown = self.shared.shown();
        shown.failed.clone().map_or_else(|| Ok(shown.report.clone()), Err)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

#[cfg(target_os = "linux")]
use bridge::start;

#[cfg(not(target_os = "linux"))]
fn start(_: Settings, _: &Arc<Shared>) -> Result<(JoinHandle<()>, Vec<String>), Error> {
    Err(Error::Input("the gateway needs Linux: it uses packet sockets".to_owned()))
}
