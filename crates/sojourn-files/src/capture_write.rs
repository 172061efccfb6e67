//! Writes the packets of links as pcapng files (draft-ietf-opsawg-pcapng): raw IP with times in nanoseconds, one
//! interface with the link's name, and the fate of a packet as its comment. See [`packet_bytes`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sojourn_sim::metrics::capture::{Captures, Frame, LinkCapture};
use sojourn_sim::packet::FlowId;
use sojourn_sim::queue::What;

use crate::packet_bytes::{self, Encoder, Ends};
use crate::pcapng::{self, Interface, block, option};

/// How much of each packet a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Payload {
    /// Headers, as with a snap length; the lengths and checksums are those of whole packets.
    #[default]
    Left,
    /// Whole packets: a payload is zeros.
    Zeros,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureFile {
    /// Its name, without folders: `forward.in.pcapng`, `forward.out.pcapng`. Letters that a file name cannot have become `_`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Two files for each link: the packets that came to its queue, and those that it sent.
pub fn write_captures(captures: &Captures, payload: Payload) -> Vec<CaptureFile> {
    let mut taken = BTreeSet::new();
    let ends = Arc::new(Ends::new(&captures.hosts, captures.flows.len()));
    let mut files = Vec::with_capacity(2 * captures.links.len());
    for link in &captures.links {
        let stem = stem(&link.name, &mut taken);
        for side in [Side::In, Side::Out] {
            let name = format!("{stem}.{}.pcapng", side.name());
            files.push(CaptureFile { name, bytes: write(link, side, captures, &ends, payload) });
        }
    }
    files
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    In,
    Out,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Side::In => "in",
            Side::Out => "out",
        }
    }

    const fn doc(self) -> &'static str {
        match self {
            Side::In => "packets as they came to the queue of this link",
            Side::Out => "packets as this link sent them",
        }
    }
}

/// A name for files that no other link has.
fn stem(link: &str, taken: &mut BTreeSet<String>) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let plain: String = link.chars().map(safe).collect();
    let plain = if plain.is_empty() { "link".to_owned() } else { plain };
    let numbered = (2..).map(|number| format!("{plain}-{number}"));
    let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(&name.to_ascii_lowercase()));
    let name = name.expect("there is always a next number");
    taken.insert(name.to_ascii_lowercase());
    name
}

const LINKTYPE_RAW: u16 = 101;

const NAMES: u32 = 4;
const NAMES_AT_ONCE: usize = 64;

fn write(link: &LinkCapture, side: Side, captures: &Captures, ends: &Arc<Ends>, payload: Payload) -> Vec<u8> {
    let frames = if side == Side::In { &link.arrived } else { &link.sent };
    let mut file = Vec::with_capacity(96 * frames.len() + 512);
    pcapng::section(&mut file);
    let about = Interface { name: &link.name, doc: side.doc(), bits_per_second: link.rate.as_bps(), snap: 0 };
    pcapng::interface(&mut file, LINKTYPE_RAW, about);

    names(&mut file, frames, captures, ends);
    let mut encoder = Encoder::between(Arc::clone(ends));
    for frame in frames {
        packet(&mut file, frame, &mut encoder, payload);
    }
    file
}

/// Section 4.5: the hosts of the flows that are seen, such as `bulk/0/source`, or the nodes.
fn names(file: &mut Vec<u8>, frames: &[Frame], captures: &Captures, ends: &Ends) {
    let seen: BTreeSet<FlowId> = frames.iter().map(|frame| frame.packet.flow).collect();
    let mut named = BTreeMap::new();
    for flow in seen {
        if let Some(nodes) = ends.nodes(flow) {
            let known = nodes.into_iter().filter_map(|node| Some((node, captures.nodes.get(node as usize)?)));
            named.extend(known.map(|(node, name)| (packet_bytes::node(node), name.clone())));
        } else if let Some(name) = captures.flows.get(flow.0 as usize) {
            let hosts = ends.addresses(flow).into_iter().zip(["source", "sink"]);
            named.extend(hosts.map(|(address, end)| (address, format!("{name}/{end}"))));
        }
    }
    for some in named.into_iter().collect::<Vec<_>>().chunks(NAMES_AT_ONCE) {
        let mut records = Vec::new();
        for (address, name) in some {
            let mut record = address.to_be_bytes().to_vec();
            record.extend(format!("{name}\0").as_bytes());
            option(&mut records, 1, &record);
        }
        records.extend([0; 4]);
        block(file, NAMES, &records);
    }
}

/// Section 4.3.
fn packet(file: &mut Vec<u8>, frame: &Frame, encoder: &mut Encoder, payload: Payload) {
    let mut bytes = encoder.encode(&frame.packet);
    if payload == Payload::Zeros {
        bytes.headers.resize(bytes.len as usize, 0);
    }
    let mark = frame.mark.map(|reason| format!("marked: {}", reason.0));
    let comments: Vec<String> = mark.into_iter().chain(frame.end.map(comment)).collect();
    pcapng::packet(file, frame.time.as_nanos(), &bytes.headers, bytes.len, &comments);
}

fn comment(what: What) -> String {
    let (verb, reason) = match what {
        What::Mark(reason) => ("marked", reason),
        What::Drop(reason) => ("dropped", reason),
        What::Loss(reason) => ("lost", reason),
        What::Choke(reason) => ("choked", reason),
    };
    format!("{verb}: {}", reason.0)
}

#[cfg(test)]
mod tests;
