//! TCP: a sender and a receiver in bytes. Specification: RFC 5681 (congestion control), RFC 6298
//! (timer), RFC 6582 (NewReno), RFC 6675 (SACK), RFC 3042 (limited transmit), RFC 3168 (ECN), RFC 8985 (RACK-TLP),
//! RFC 9937 (rate reduction). Compared with: ns-2 2.35 `Agent/TCP/*` (profile `ns2`), the same packets at the same times
//! (`ns2_schedules.rs`); Linux 6.12 (profile `linux`), segment by segment (`tests/peers/linux/kernel`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Sequence numbers are 64 bits, count from 0 and go on over successive connections of a flow | no wrap-around; packets of an earlier connection are told by their time | `late_packets_of_an_old_connection_are_ignored` |
//! | SYN occupies no sequence number; there is no FIN | neither moves data | `the_handshake_costs_one_round_trip` |
//! | A cut starts from the data in flight, but from no more than the window | RFC 5681 equation 4 would raise a window that has just shrunk | `models/` |
//! | Reno waits for the timer when more is lost in a window that has been cut (`careful`) | RFC 6582 section 3.2 step 2; RFC 5681 says nothing of it | `models/` |
//! | The receiver's window never closes | the application reads at once | - |
//! | After an idle time the window is cut when sending begins again, not by a running timer | the same windows with fewer events | `an_idle_connection_starts_slowly_again` |

mod accurate_ecn;
mod config;
mod connection;
mod early;
#[cfg(test)]
mod ecn_timelines;
#[cfg(test)]
mod fuzz;
mod hearing;
mod mark_counts;
#[cfg(test)]
mod models;
#[cfg(test)]
mod ns2_schedules;
mod offload;
#[cfg(test)]
mod opening_timelines;
#[cfg(test)]
pub(crate) mod pair;
mod presets;
#[cfg(test)]
mod prr_timelines;
mod quench;
#[cfg(test)]
mod rack_timelines;
mod ranges;
mod receiver;
mod recovery;
mod rtt;
mod rtt_kernel;
mod scale;
mod seldom;
mod send_buffer;
mod sender;
mod sending;
mod settings;
mod strategy;
mod stream;
#[cfg(test)]
mod timelines;
#[cfg(test)]
mod timer_timelines;
#[cfg(test)]
mod undo_timelines;
#[cfg(test)]
mod vegas_timelines;
mod xecn;

pub use settings::*;

use std::sync::Arc;

use super::congestion::reno;
use crate::component::BuildError;
use crate::params::Args;
use crate::transport::entry::{Control, Flows, TransportEntry};
use config::Config;
use presets::PROFILES;
use receiver::Receiver;
use sender::Sender;

pub static ENTRY: TransportEntry = TransportEntry {
    name: "tcp",
    title: "TCP",
    doc: "Reliable transport with a congestion window. Losses are found and repaired as by Tahoe, Reno, NewReno or SACK, under \
          any congestion control, with or without ECN.",
    reference: "RFC 9293, RFC 5681, RFC 6298, RFC 6582, RFC 6675, RFC 3168, RFC 5682, RFC 8985, RFC 9937, RFC 9406",
    profiles: PROFILES,
    control: Some(&reno::ENTRY),
    ..TransportEntry::of::<Params>(build)
};

fn build(args: &Args, control: Option<Control>) -> Result<Flows, BuildError> {
    let control = control.unwrap_or_else(|| Control { entry: &reno::ENTRY, args: Args::defaults(reno::ENTRY.params) });
    let config = Arc::new(Config::new(&args.typed(), control)?);
    Ok(Arc::new(move |app| {
        let sender = Sender::new(Arc::clone(&config), app);
        (Box::new(sender), Box::new(Receiver::new(Arc::clone(&config))))
    }))
}

#[cfg(test)]
pub(crate) mod tests;
