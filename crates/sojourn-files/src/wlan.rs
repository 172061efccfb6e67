//! Frames of IEEE 802.11, alone and behind radiotap's header: where the data of a frame begin, or why it has none to read.

/// Why a frame of 802.11 has no packet that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wlan {
    /// Management or control.
    Signalling,
    /// Data without a payload, such as the announcement of a power state.
    Empty,
    /// The payload is encrypted.
    Encrypted,
    /// Several payloads in one frame (A-MSDU).
    Aggregate,
}

impl std::fmt::Display for Wlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Wlan::Signalling => "802.11 management or control",
            Wlan::Empty => "802.11 data without a payload",
            Wlan::Encrypted => "encrypted 802.11",
            Wlan::Aggregate => "802.11 with several packets in a frame (A-MSDU)",
        })
    }
}

const DATA: u8 = 2;
// Bits of the subtype of data.
const NO_PAYLOAD: u8 = 4;
const QOS: u8 = 8;
// Bits of the second byte.
const BOTH_WAYS: u8 = 0x03;
const PROTECTED: u8 = 0x40;
const ORDER: u8 = 0x80;
/// A bit of the control field of QoS: the frame is an aggregate.
const AGGREGATE: u8 = 0x80;

/// IEEE 802.11-2020 section 9.2.4: the byte at which the data of the frame at `at` begin. Its header is filled up to four bytes where
/// `is_padded`. None if the frame is too short.
pub fn data(frame: &[u8], at: usize, is_padded: bool) -> Option<Result<usize, Wlan>> {
    let &[control, flags] = frame.get(at..)?.first_chunk()?;
    let subtype = control >> 4;
    if control >> 2 & 3 != DATA {
        return Some(Err(Wlan::Signalling));
    }
    if subtype & NO_PAYLOAD != 0 {
        return Some(Err(Wlan::Empty));
    }
    if flags & PROTECTED != 0 {
        return Some(Err(Wlan::Encrypted));
    }
    // Control, duration, three addresses and the number of the frame; the fourth address between two access points.
    let mut len = if flags & BOTH_WAYS == BOTH_WAYS { 30 } else { 24 };
    if subtype & QOS != 0 {
        if frame.get(at + len)? & AGGREGATE != 0 {
            return Some(Err(Wlan::Aggregate));
        }
        len += if flags & ORDER == 0 { 2 } else { 6 };
    }
    if is_padded {
        len = len.next_multiple_of(4);
    }
    (at + len < frame.len()).then_some(Ok(at + len))
}

/// A transmission of a frame: its sender with its class of service, the number that the sender gave to the frame, and whether the sender
/// says that it sends it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    pub sender: ([u8; 6], u8),
    pub number: u16,
    pub is_again: bool,
}

/// That of the data frame at `at` (IEEE 802.11-2020 sections 9.2.4.1.5 and 9.2.4.4). Each class of service is numbered for itself.
pub fn transmission(frame: &[u8], at: usize) -> Option<Transmission> {
    const AGAIN: u8 = 0x08;
    let header = frame.get(at..)?.first_chunk::<24>()?;
    let [control, flags] = [header[0], header[1]];
    if control >> 2 & 3 != DATA {
        return None;
    }
    let qos = if flags & BOTH_WAYS == BOTH_WAYS { 30 } else { 24 };
    let class = if control >> 4 & QOS == 0 { 0xff } else { frame.get(at + qos)? & 0x0f };
    let sender = [header[10], header[11], header[12], header[13], header[14], header[15]];
    let number = u16::from_le_bytes([header[22], header[23]]);
    Some(Transmission { sender: (sender, class), number, is_again: flags & AGAIN != 0 })
}

/// <https://www.radiotap.org>: the length of the header, and whether the frame behind it is padded.
pub fn radiotap(frame: &[u8]) -> Option<(usize, bool)> {
    const STAMP: u32 = 1;
    const FLAGS: u32 = 1 << 1;
    const MORE: u32 = 1 << 31;
    const PADDED: u8 = 0x20;
    let word = |at: usize| Some(u32::from_le_bytes(frame.get(at..at + 4)?.try_into().ok()?));
    let len = usize::from(u16::from_le_bytes([*frame.get(2)?, *frame.get(3)?]));
    let present = word(4)?;
    let mut at = 8;
    let mut last = present;
    while last & MORE != 0 {
        last = word(at)?;
        at += 4;
    }
    if present & STAMP != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    let is_padded = present & FLAGS != 0 && frame.get(at)? & PADDED != 0;
    Some((len, is_padded))
}
