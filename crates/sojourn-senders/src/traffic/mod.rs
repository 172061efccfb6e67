//! Applications, which drive senders.
//!
//! An [`Application`] does no I/O, like an [`Endpoint`](crate::transport::Endpoint). It gets the time and returns a [`Demand`], the next
//! action of the transport below it. It never sees packets. The same applications run over every transport.

pub(crate) mod bulk;
pub(crate) mod cbr;
pub(crate) mod distribution;
pub mod entry;
pub(crate) mod game;
pub(crate) mod http;
pub(crate) mod mice;
pub(crate) mod on_off;
pub(crate) mod packmime;
pub mod playback;
pub(crate) mod poisson;
mod prelude;
pub(crate) mod probe;
pub(crate) mod rounds;
pub(crate) mod streaming;
pub(crate) mod telnet;
pub(crate) mod trace;
pub(crate) mod transfers;
#[cfg(test)]
mod trial;
pub(crate) mod video;
pub(crate) mod voice;

use crate::rng::Rng;
use crate::units::{Bytes, Duration, Instant};

/// The properties of the transport below that an application may know, and its random numbers.
#[derive(Debug)]
pub struct AppContext<'a> {
    /// The flow's own stream.
    pub rng: &'a mut Rng,
    /// Size on the wire of a full packet, headers included.
    pub packet: Bytes,
    /// The part of it that is headers.
    pub header: Bytes,
}

impl AppContext<'_> {
    /// The payload of a full packet.
    pub fn payload(&self) -> Bytes {
        Bytes(self.packet.0.saturating_sub(self.header.0).max(1))
    }
}

/// How much to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Amount {
    /// Nothing.
    #[default]
    Nothing,
    /// This many bytes of payload, in packets of the transport's size.
    Bytes(Bytes),
    /// This many bytes of payload in one packet. A transport of datagrams sends it as one; of a stream's bytes it is a part.
    Packet(Bytes),
    /// Without end.
    Endless,
}

/// The next action of an application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Open a new connection first, with fresh windows and timers. Only asked for when all that was
    /// written before has been acknowledged. With nothing to write, the transfer is complete when the
    /// connection is open. Transports without connections ignore it.
    pub connect: bool,
    /// Then write this.
    pub write: Amount,
    /// Then report no more: the application will write nothing further.
    pub finish: bool,
}

impl Demand {
    /// Nothing.
    pub const NOTHING: Demand = Demand { connect: false, write: Amount::Nothing, finish: false };

    /// Write on the open connection.
    pub const fn write(bytes: Bytes) -> Self {
        Demand { connect: false, write: Amount::Bytes(bytes), finish: false }
    }

    /// Write one packet of this size on the wire. A packet smaller than its headers still carries a byte.
    pub fn packet(wire: Bytes, cx: &AppContext<'_>) -> Self {
        let payload = Bytes(wire.0.saturating_sub(cx.header.0).max(1));
        Demand { connect: false, write: Amount::Packet(payload), finish: false }
    }

    /// Open a new connection and write on it.
    pub const fn transfer(write: Amount) -> Self {
        Demand { connect: true, write, finish: false }
    }
}

/// The criterion by which users judge a source, for the tables `responsiveness` and `quality`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// By nothing of these.
    Other,
    /// It loads the link without end.
    Load,
    /// It times a connection, a TLS handshake if it has one, and a request.
    Probe {
        /// Whether it has one.
        tls: bool,
    },
    /// It speaks: packets that come late are lost.
    Call {
        /// Speech in a packet, which the speaker waits for.
        frame: Duration,
    },
    /// It plays video.
    Video {
        /// Video in a transfer.
        segment: Duration,
        /// With how much in its buffer it begins.
        startup: Duration,
    },
    /// It is done when the slowest of its group is.
    Round {
        /// From one round to the next.
        interval: Duration,
    },
    /// Its packets are of use for a while.
    Game {
        /// For how long.
        deadline: Duration,
    },
}

/// Writes data over a transport.
pub trait Application: Send {
    /// The flow begins. The first connection is open: [`Demand::connect`] is not needed.
    fn on_start(&mut self, now: Instant, cx: &mut AppContext<'_>) -> Demand;

    /// All that was written has been acknowledged (a transport without acknowledgements: sent).
    fn on_transfer_complete(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        Demand::NOTHING
    }

    /// When [`Application::on_deadline`] wants to be called next. Asked after every call.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// That time has come.
    fn on_deadline(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        Demand::NOTHING
    }

    /// The largest packet that it writes, with its headers, and the parameter that says so. `None` where it writes bytes, takes the
    /// transport's packet, or draws sizes without a bound.
    fn largest_packet(&self, _header: Bytes) -> Option<(Bytes, &'static str)> {
        None
    }

    /// The source of its connections, if it has many at a time. Then no other hook here is called, and each connection has windows and
    /// timers of its own ([`connections`](crate::transport::connections)).
    fn arrivals(&self) -> Option<Box<dyn Arrivals>> {
        None
    }

    /// Whether the times of finished transfers are wanted ([`Completion`](crate::transport::Completion)).
    /// A source that writes packet by packet says no.
    fn reports_completions(&self) -> bool {
        true
    }

    /// The criterion by which users judge it.
    fn role(&self) -> Role {
        Role::Other
    }
}

/// Draws connections that do not wait for each other.
pub trait Arrivals: Send {
    /// Time between a connection's beginning and the next one's.
    fn interval(&mut self, rng: &mut Rng) -> Duration;

    /// The size of the next connection.
    fn request(&mut self, rng: &mut Rng) -> Bytes;

    /// The time that the server thinks, and the size of its answer.
    fn response(&mut self, rng: &mut Rng) -> (Duration, Bytes);

    /// Greatest number of connections at a time; further ones are refused.
    fn most(&self) -> usize;

    /// Whether the times of finished connections are wanted.
    fn reports_completions(&self) -> bool;
}
