//! The blocks of pcapng files (draft-ietf-opsawg-pcapng) with times in nanoseconds, as bytes appended to a file.

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;

/// An interface at which packets were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface<'a> {
    /// Its name.
    pub name: &'a str,
    /// A sentence about it.
    pub doc: &'a str,
    /// Its speed.
    pub bits_per_second: u64,
    /// Bytes that are kept of each packet; 0 is all.
    pub snap: u32,
}

/// Section 4.1, the beginning of a file: byte order, version 1.0, a length that is not said.
pub fn section(file: &mut Vec<u8>) {
    let mut section = Vec::new();
    section.extend(0x1a2b_3c4d_u32.to_le_bytes());
    section.extend([1, 0, 0, 0]);
    section.extend(u64::MAX.to_le_bytes());
    options(&mut section, &[(4, b"Sojourn")]);
    block(file, SECTION_HEADER, &section);
}

/// Section 4.2: name, description, speed, nanoseconds. Link types are those of <https://www.tcpdump.org/linktypes.html>.
pub fn interface(file: &mut Vec<u8>, link_type: u16, about: Interface<'_>) {
    let mut interface = Vec::new();
    interface.extend(link_type.to_le_bytes());
    interface.extend([0; 2]);
    interface.extend(about.snap.to_le_bytes());
    let rate = about.bits_per_second.to_le_bytes();
    options(&mut interface, &[(2, about.name.as_bytes()), (3, about.doc.as_bytes()), (8, &rate), (9, &[9])]);
    block(file, INTERFACE, &interface);
}

/// Section 4.3: a packet of `len` bytes, with the part `kept` and comments.
pub fn packet(file: &mut Vec<u8>, nanos: u64, kept: &[u8], len: u32, comments: &[impl AsRef<str>]) {
    let mut body = Vec::with_capacity(48 + kept.len());
    body.extend(0_u32.to_le_bytes());
    body.extend(((nanos >> 32) as u32).to_le_bytes());
    body.extend((nanos as u32).to_le_bytes());
    body.extend((kept.len() as u32).to_le_bytes());
    body.extend(len.to_le_bytes());
    padded(&mut body, kept);
    if !comments.is_empty() {
        options(&mut body, &comments.iter().map(|text| (1, text.as_ref().as_bytes())).collect::<Vec<_>>());
    }
    block(file, PACKET, &body);
}

/// Section 3.1: type, length, body, length.
pub(crate) fn block(file: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let len = (12 + body.len() as u32).to_le_bytes();
    file.extend(kind.to_le_bytes());
    file.extend(len);
    file.extend(body);
    file.extend(len);
}

/// Section 3.5: the options of a block, and their end.
fn options(body: &mut Vec<u8>, list: &[(u16, &[u8])]) {
    for (code, value) in list {
        option(body, *code, value);
    }
    body.extend([0; 4]);
}

pub(crate) fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    padded(body, value);
}

/// To whole words of four bytes.
fn padded(body: &mut Vec<u8>, value: &[u8]) {
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}
