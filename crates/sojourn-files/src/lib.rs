//! Reads recorded arrivals for [`sojourn_sim::replay`] (CSV, pcap, pcapng, traces of ns-2 and logs of Mahimahi), and writes the packets on
//! the links of a simulation as pcapng.
//!
//! Takes bytes and gives arrivals; opening files is the caller's. The format is recognised by the first bytes, not by a file name. No bytes
//! make it panic.
//!
//! A file is read whole or not at all: the first thing that cannot be understood ends it with one
//! [`ReadError`] with the place, and the found and the allowed values. Captured frames without an IP
//! packet are no error; they are left out, and counted by the words for them in [`Trace::left_out`].

mod capture_read;
mod capture_write;
mod csv_table;
mod departures;
mod error;
mod ethernet;
mod flows;
mod hosts;
mod ip;
mod link_layer;
mod mahimahi_log;
mod ns2_trace;
mod number;
mod opportunities;
mod packet_bytes;
pub mod pcapng;
mod sides;
mod text;
mod trace;
mod tunnel;
mod wlan;

pub use capture_write::{CaptureFile, Payload, write_captures};
pub use departures::read_departures;
pub use error::{Place, ReadError};
pub use ethernet::{Ethernet, IpPacket, read_ethernet};
pub use ip::FlowKey;
pub use opportunities::read_opportunities;
pub use sides::SideCount;
pub use trace::{LeftOut, NotIp, Oversize, Trace};

/// Reads a CSV, a pcap or a pcapng file, a trace of ns-2 (the plain format of wired links) with the arrivals at one link, or a log of
/// Mahimahi's `mm-link`.
///
/// Texts may be in UTF-8 or UTF-16. Lines that begin with `#` before the header of a CSV are left out.
///
/// A CSV has a header and the columns `time_s` (seconds), `bytes` and `flow` (any text), and may have
/// `ecn` (`not-ect`, `ect0`, `ect1`, `ce` or 0 to 3 as in the IP header) and `uniform` (0 up to, but
/// not including, 1), and `source` and `destination` (the hosts, by address or any name), in any order. An empty
/// `ecn` is `not-ect`, an empty `uniform` is none, and a host without a name is that of one flow alone.
///
/// From a capture, the size of an arrival is the length of the IP packet by its own header, link
/// headers and padding apart (or the original length of the frame less the link header where the IP
/// header says 0, as segmentation offload does), however little of it was captured. Of packets in
/// packets (tunnels), the outermost counts.
pub fn read(bytes: &[u8]) -> Result<Trace, ReadError> {
    read_as(bytes, Reading::default())
}

/// How a recording is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading<'t> {
    /// The link whose arrivals are meant: in a trace of ns-2 the numbers of its nodes, `0-2`; in a capture an interface, a direction (`in`,
    /// `out`), both (`eth0 out`) or `all`. Without it, a capture of several interfaces or both directions gives what went out (or all that
    /// was seen, if nothing went out) at the busiest interface: see [`Trace::sides`].
    pub link: Option<&'t str>,
    /// Packets larger than this number of bytes are cut as network cards cut them: into packets of at most this size, each with the headers
    /// of the whole (of a CSV and of ns-2, 40 bytes), at the same moment. 576 (RFC 791 section 3.1) to 65535.
    pub mtu: Option<u32>,
}

/// Like `read`, with the choices of `reading`.
pub fn read_as(bytes: &[u8], reading: Reading<'_>) -> Result<Trace, ReadError> {
    let Reading { link, mtu } = reading;
    if let Some(size) = mtu.filter(|size| !(576..=65_535).contains(size)) {
        return Err(ReadError::new(Place::File, format!("the MTU is {size} bytes; allowed are 576 to 65535")));
    }
    if bytes.is_empty() {
        return Err(ReadError::new(Place::File, "the file is empty"));
    }
    let decoded = text::from_utf16(bytes)?;
    let bytes = decoded.as_deref().map_or(bytes, str::as_bytes);
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let log = text.filter(|text| mahimahi_log::recognise(text));
    if let Some(trace) = text.filter(|text| log.is_none() && ns2_trace::recognise(text)) {
        return ns2_trace::read(trace, link, mtu);
    }
    if let Some(format) = capture_read::recognise(bytes) {
        return capture_read::read(bytes, format, link, mtu);
    }
    if link.is_some() {
        return Err(ReadError::new(
            Place::File,
            "a link is chosen in captures and traces of ns-2, and this is neither",
        ));
    }
    if let Some(log) = log {
        return mahimahi_log::read(log, mtu);
    }
    match bytes {
        [0x1f, 0x8b, ..] => Err(ReadError::new(Place::File, "the file is compressed (gzip): gunzip it first")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Err(ReadError::new(Place::File, "the file is compressed (zstd): unzstd it first"))
        }
        _ if text.is_none() => Err(ReadError::new(
            Place::File,
            format!(
                "the file is neither CSV text nor a trace of ns-2 nor pcap nor pcapng; it begins with the bytes {:02x?}",
                &bytes[..bytes.len().min(4)]
            ),
        )),
        _ => csv_table::read(bytes, mtu),
    }
}
