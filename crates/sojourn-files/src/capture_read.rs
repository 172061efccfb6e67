//! Arrivals from a capture: pcap and pcapng. The blocks are taken apart by `pcap-parser`.

use std::collections::HashMap;

use pcap_parser::nom::{Err as NomErr, IResult};
use pcap_parser::pcapng::{Block, EnhancedPacketBlock, InterfaceDescriptionBlock, OptionCode, UnknownBlock};
use pcap_parser::{
    LegacyPcapBlock, PcapError, parse_block_be, parse_block_le, parse_pcap_frame, parse_pcap_frame_be,
    parse_pcap_frame_modified, parse_pcap_header,
};
use sojourn_sim::replay::{Arrival, TIME_MAX};
use sojourn_sim::units::Instant;

use crate::error::{Place, ReadError};
use crate::flows::Flows;
use crate::ip::{self, Content, FlowKey};
use crate::link_layer::{self, LinkType};
use crate::sides::{self, Side, Sides, Way};
use crate::trace::{LeftOut, NotIp, Trace};
use crate::wlan::Transmission;

/// The type of the obsolete Packet Block, which Enhanced Packet Blocks have replaced.
const PACKET_BLOCK: u32 = 2;
/// A command that makes a readable table from a capture that is not read.
const BY_TSHARK: &str = "\n  hint:    tshark reads more kinds of links: (echo time_s,bytes,ecn,dscp,source,destination,flow; \
    tshark -r FILE -Y 'ip || ipv6' -T fields -E separator=, -E occurrence=f -e frame.time_relative -e ip.len -e ipv6.plen \
    -e ip.dsfield.ecn -e ipv6.tclass.ecn -e ip.dsfield.dscp -e ipv6.tclass.dscp -e ip.src -e ipv6.src -e ip.dst -e ipv6.dst \
    -e ip.proto -e ipv6.nxt -e tcp.srcport -e udp.srcport -e tcp.dstport -e udp.dstport | awk -F, -v OFS=, \
    '{v = $2 == \"\"; print $1, v ? $3 + 40 : $2, $(4+v), $(6+v), $(8+v), $(10+v), \
    $(12+v) \" \" $(8+v) \" \" $14 $15 \" > \" $(10+v) \" \" $16 $17}') > arrivals.csv";

type Parsed<'a, T> = IResult<&'a [u8], T, PcapError<&'a [u8]>>;

/// The format that the first bytes show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Pcap,
    Pcapng,
}

pub fn recognise(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [0x0a, 0x0d, 0x0d, 0x0a, ..] => Some(Format::Pcapng),
        // Microseconds, nanoseconds, and the modified format of old Linux, in both byte orders.
        [0xa1, 0xb2, 0xc3, 0xd4, ..]
        | [0xd4, 0xc3, 0xb2, 0xa1, ..]
        | [0xa1, 0xb2, 0x3c, 0x4d, ..]
        | [0x4d, 0x3c, 0xb2, 0xa1, ..]
        | [0x34, 0xcd, 0xb2, 0xa1, ..] => Some(Format::Pcap),
        _ => None,
    }
}

pub fn read(bytes: &[u8], format: Format, link: Option<&str>, mtu: Option<u32>) -> Result<Trace, ReadError> {
    let mut collector = Collector::new(mtu);
    let reader = match format {
        Format::Pcap => read_pcap,
        Format::Pcapng => read_pcapng,
    };
    if link.is_some() || may_have_sides(bytes, format) {
        // First the sides alone are counted. What is wrong is found again by the second reading, in its place.
        let _ = reader(bytes, &mut collector);
    }
    collector.choose(link)?;
    reader(bytes, &mut collector)?;
    collector.finish()
}

/// Whether frames may be of several sides. A pcap has one interface, whose frames may say directions and further interfaces.
fn may_have_sides(bytes: &[u8], format: Format) -> bool {
    let says_them = |link: i32| LinkType::from_number(link).is_some_and(LinkType::has_sides);
    format == Format::Pcapng || parse_pcap_header(bytes).is_ok_and(|(_, header)| says_them(header.network.0))
}

fn read_pcap(bytes: &[u8], collector: &mut Collector) -> Result<(), ReadError> {
    let Ok((mut rest, header)) = parse_pcap_header(bytes) else {
        return Err(ReadError::new(
            Place::File,
            format!("the file ends inside the pcap header: it has {} bytes of 24", bytes.len()),
        ));
    };
    let parse: for<'a> fn(&'a [u8]) -> Parsed<'a, LegacyPcapBlock<'a>> = if header.is_modified_format() {
        parse_pcap_frame_modified
    } else if header.is_bigendian() {
        parse_pcap_frame_be
    } else {
        parse_pcap_frame
    };
    let nanos_per_unit = if header.is_nanosecond_precision() { 1 } else { 1_000 };
    while !rest.is_empty() {
        // Every error of these three is a lack of bytes.
        let Ok((behind, block)) = parse(rest) else { return Err(collector.cut_off(rest.len())) };
        let nanos = i128::from(block.ts_sec) * 1_000_000_000 + i128::from(block.ts_usec) * nanos_per_unit;
        let frame = Frame { link: header.network.0, nanos, data: block.data, original_len: block.origlen };
        collector.add(&frame, Side::default())?;
        rest = behind;
    }
    Ok(())
}

/// The properties of an interface that its packet blocks need.
struct Interface {
    /// The place of this one among those that were seen.
    place: usize,
    link: i32,
    units_per_sec: i128,
    offset_secs: i128,
}

fn read_pcapng(bytes: &[u8], collector: &mut Collector) -> Result<(), ReadError> {
    let mut rest = bytes;
    let mut interfaces = Vec::new();
    let mut big_endian = false;
    while !rest.is_empty() {
        let parsed = if big_endian { parse_block_be(rest) } else { parse_block_le(rest) };
        let (behind, block) = parsed.map_err(|error| collector.bad_block(rest, big_endian, &error))?;
        match block {
            Block::SectionHeader(section) => {
                big_endian = section.big_endian();
                interfaces.clear();
            }
            Block::InterfaceDescription(description) => {
                interfaces.push(Interface::read(&description, interfaces.len(), big_endian, collector)?);
            }
            Block::EnhancedPacket(packet) => {
                let interface = collector.interface(&interfaces, packet.if_id)?;
                let units = units(packet.ts_high, packet.ts_low);
                let (data, original_len) = (captured(&packet), packet.origlen);
                let frame = Frame { link: interface.link, nanos: interface.nanos(units), data, original_len };
                collector.add(&frame, Side { interface: Some(interface.place), way: way(&packet, big_endian) })?;
            }
            Block::Unknown(block) if kind(rest, big_endian) == PACKET_BLOCK => {
                let packet = ObsoletePacket::read(&block, big_endian)
                    .ok_or_else(|| collector.here("the packet block there is damaged".to_owned()))?;
                let interface = collector.interface(&interfaces, packet.interface)?;
                let ObsoletePacket { units, data, original_len, .. } = packet;
                let frame = Frame { link: interface.link, nanos: interface.nanos(units), data, original_len };
                collector.add(&frame, Side { interface: Some(interface.place), way: None })?;
            }
            Block::SimplePacket(_) => {
                return Err(collector.here("it is a simple packet block, which has no time of arrival".to_owned()));
            }
            Block::Unknown(_) => collector.trace.leave_out(LeftOut::Block(kind(rest, big_endian))),
            // Names, statistics, secrets and the like do not arrive.
            Block::NameResolution(_)
            | Block::InterfaceStatistics(_)
            | Block::SystemdJournalExport(_)
            | Block::DecryptionSecrets(_)
            | Block::ProcessInformation(_)
            | Block::Custom(_) => {}
        }
        rest = behind;
    }
    Ok(())
}

/// Section 4.3.1 of the draft: the lowest two bits of the option `epb_flags`.
fn way(packet: &EnhancedPacketBlock<'_>, big_endian: bool) -> Option<Way> {
    let flags = packet.options.iter().find(|option| option.code.0 == EPB_FLAGS)?.value().get(..4)?.try_into().ok()?;
    match if big_endian { u32::from_be_bytes(flags) } else { u32::from_le_bytes(flags) } & 3 {
        1 => Some(Way::In),
        2 => Some(Way::Out),
        _ => None,
    }
}

const EPB_FLAGS: u16 = 2;

/// The block's data without its padding.
fn captured<'a>(packet: &EnhancedPacketBlock<'a>) -> &'a [u8] {
    packet.data.get(..packet.caplen as usize).unwrap_or(packet.data)
}

/// The type of the block at the front; pcap-parser 0.17 gives that of a block that it does not know in little-endian order only.
fn kind(block: &[u8], big_endian: bool) -> u32 {
    let bytes = block.get(..4).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 4]);
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

/// A time in the units of an interface.
fn units(high: u32, low: u32) -> i128 {
    (i128::from(high) << 32) | i128::from(low)
}

/// The content of an obsolete Packet Block (draft-ietf-opsawg-pcapng appendix A). It numbers its interface in 16 bits, and counts lost
/// packets beside it.
struct ObsoletePacket<'a> {
    interface: u32,
    units: i128,
    data: &'a [u8],
    original_len: u32,
}

impl<'a> ObsoletePacket<'a> {
    fn read(block: &UnknownBlock<'a>, big_endian: bool) -> Option<ObsoletePacket<'a>> {
        let word = |at: usize| -> Option<u32> {
            let bytes: [u8; 4] = block.data.get(at..at + 4)?.try_into().ok()?;
            Some(if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
        };
        let first = word(0)?;
        let captured_len = word(12)? as usize;
        Some(ObsoletePacket {
            interface: if big_endian { first >> 16 } else { first & 0xffff },
            units: units(word(4)?, word(8)?),
            data: block.data.get(20..20_usize.checked_add(captured_len)?)?,
            original_len: word(16)?,
        })
    }
}

impl Interface {
    /// Options are read here because pcap-parser 0.17 takes no resolution that is a power of 2, and
    /// takes every offset for little-endian.
    fn read(
        description: &InterfaceDescriptionBlock<'_>,
        number: usize,
        big_endian: bool,
        collector: &mut Collector,
    ) -> Result<Interface, ReadError> {
        let value =
            |code| description.options.iter().find(|option| option.code == code).map(pcap_parser::PcapNGOption::value);
        let resolution = value(OptionCode::IfTsresol).and_then(|bytes| bytes.first().copied()).unwrap_or(6);
        let exponent = u32::from(resolution & 0x7f);
        let base = if resolution & 0x80 == 0 { 10_i128 } else { 2 };
        let units_per_sec = base.checked_pow(exponent).filter(|units| *units < 1 << 80).ok_or_else(|| {
            collector.here(format!("before it, an interface counts time in units of {base}^-{exponent} s"))
        })?;
        let offset = value(OptionCode::IfTsoffset).and_then(|bytes| bytes.get(..8)?.try_into().ok()).unwrap_or([0; 8]);
        let offset = if big_endian { i64::from_be_bytes(offset) } else { i64::from_le_bytes(offset) };
        let named =
            value(OptionCode::IfName).map(|name| String::from_utf8_lossy(name).trim_end_matches('\0').to_owned());
        let place = collector.sides.interface(match named.filter(|name| !name.is_empty()) {
            Some(name) => sides::Interface::Name(name),
            None => sides::Interface::Number(number as u32),
        });
        Ok(Interface { place, link: description.linktype.0, units_per_sec, offset_secs: i128::from(offset) })
    }

    /// Nanoseconds since 1970, rounded down.
    fn nanos(&self, units: i128) -> i128 {
        // At most 2^64 * 10^9 < 2^94, so that nothing overflows.
        units * 1_000_000_000 / self.units_per_sec + self.offset_secs * 1_000_000_000
    }
}

/// Turns frames into arrivals.
struct Collector {
    trace: Trace,
    flows: Flows<FlowKey>,
    frames: u64,
    origin: Option<i128>,
    previous: Instant,
    cuts: bool,
    sides: Sides,
    /// For each sender over the air the number of its last frame.
    over_the_air: HashMap<([u8; 6], u8), u16>,
    /// Whether frames become arrivals, and are not only counted.
    takes: bool,
}

/// A captured frame.
struct Frame<'a> {
    link: i32,
    nanos: i128,
    data: &'a [u8],
    original_len: u32,
}

impl Collector {
    fn new(mtu: Option<u32>) -> Self {
        Collector {
            trace: Trace::new(mtu, true),
            flows: Flows::new(),
            frames: 0,
            origin: None,
            previous: Instant::ZERO,
            cuts: mtu.is_some(),
            sides: Sides::default(),
            over_the_air: HashMap::new(),
            takes: false,
        }
    }

    /// Begins again, to take frames of the sides that are wanted.
    fn choose(&mut self, link: Option<&str>) -> Result<(), ReadError> {
        self.sides.choose(link)?;
        self.trace.left_out.clear();
        (self.takes, self.frames) = (true, 0);
        Ok(())
    }

    /// The interface of the frame that comes next.
    fn interface<'i>(&self, interfaces: &'i [Interface], number: u32) -> Result<&'i Interface, ReadError> {
        interfaces.get(number as usize).ok_or_else(|| {
            self.here(format!("it comes from interface {number}, and {} were described before it", interfaces.len()))
        })
    }

    /// The side of a frame, where the headers of its link or its block say it.
    fn side(&mut self, link: LinkType, data: &[u8], block: Side) -> Side {
        let (interface, way) = link_layer::side(link, data);
        let interface = interface.map(|interface| self.sides.interface(interface));
        Side { interface: interface.or(block.interface), way: way.or(block.way) }
    }

    fn add(&mut self, frame: &Frame<'_>, block: Side) -> Result<(), ReadError> {
        let &Frame { link, nanos, data, original_len } = frame;
        let link = LinkType::from_number(link).ok_or_else(|| {
            let name = LinkType::name(link).map_or(String::new(), |name| format!(" ({name})"));
            let what = format!("its link type is {link}{name}; supported are {}", LinkType::SUPPORTED);
            self.here(what).help(BY_TSHARK)
        })?;
        self.frames += 1;
        let side = self.side(link, data, block);
        if !self.takes {
            self.sides.count(side);
            return Ok(());
        }
        if !self.sides.takes(side) {
            return Ok(());
        }
        if let Some(Transmission { sender, number, is_again }) = link_layer::transmission(link, data)
            && self.over_the_air.insert(sender, number) == Some(number)
            && is_again
        {
            self.trace.leave_out(LeftOut::Again);
            return Ok(());
        }
        let datagram = match ip::parse(link, data, original_len) {
            Content::Ip(datagram) => datagram,
            Content::NotIp(protocol) => {
                self.trace.leave_out(LeftOut::NotIp(NotIp(protocol)));
                return Ok(());
            }
            Content::Malformed => {
                self.trace.leave_out(LeftOut::Malformed);
                return Ok(());
            }
        };
        let since = nanos - *self.origin.get_or_insert(nanos);
        let time = u64::try_from(since.max(0)).map_or(Instant::MAX, Instant::from_nanos);
        let at = |what: String| ReadError::new(Place::Frame(self.frames), what);
        if since < i128::from(self.previous.as_nanos()) {
            return Err(at(format!(
                "it was captured {} s before the IP packet before it; sort the capture (reordercap does)",
                (i128::from(self.previous.as_nanos()) - since) as f64 / 1e9
            )));
        }
        if since > i128::from(TIME_MAX.as_nanos()) {
            return Err(at(format!(
                "it was captured {} s after the first IP packet; allowed are up to {} s",
                since as f64 / 1e9,
                TIME_MAX.as_secs_f64()
            )));
        }
        let flow = self.flows.number(datagram.flow, |flow| (flow.name(), flow.hosts()));
        let ip::Datagram { size, dscp, ecn, headers, is_short, acknowledgement, .. } = datagram;
        self.trace.short += u64::from(is_short);
        let acknowledgement = acknowledgement.and_then(|acknowledgement| self.trace.keep(acknowledgement));
        let arrival = Arrival { time, size, flow, ecn, dscp, acknowledgement, uniform: None };
        arrival.check(self.previous).map_err(|error| at(error.to_string()))?;
        self.previous = time;
        self.trace.push(arrival, self.frames, headers, self.cuts);
        Ok(())
    }

    /// Something is wrong with the frame that comes next.
    fn here(&self, what: String) -> ReadError {
        ReadError::new(Place::Frame(self.frames + 1), what)
    }

    fn cut_off(&self, left: usize) -> ReadError {
        self.here(format!(
            "the file ends inside this frame ({left} bytes of it are there): it was cut off, or is damaged; \
             editcap FILE NEW writes the frames before it to a file of their own"
        ))
    }

    fn bad_block(&self, rest: &[u8], big_endian: bool, error: &NomErr<PcapError<&[u8]>>) -> ReadError {
        let announced = rest
            .get(4..8)
            .and_then(|bytes| <[u8; 4]>::try_from(bytes).ok())
            .map(|bytes| if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) });
        match announced {
            Some(len) if matches!(error, NomErr::Error(_) | NomErr::Failure(_)) || len as usize <= rest.len() => {
                self.here(format!("the pcapng block there (of {len} bytes by its header) is damaged"))
            }
            _ => self.cut_off(rest.len()),
        }
    }

    fn finish(mut self) -> Result<Trace, ReadError> {
        let left_out = &self.trace.left_out;
        if self.trace.arrivals.is_empty() && !left_out.is_empty() {
            let found: Vec<String> = left_out.iter().map(|(what, number)| format!("{number} {what}")).collect();
            let what = match self.frames {
                0 => format!("there is no packet in it: {}", found.join("; ")),
                frames => format!("there is no IP packet among the {frames} frames: {}", found.join("; ")),
            };
            return Err(ReadError::new(Place::File, what));
        }
        self.flows.describe(&mut self.trace, true);
        self.trace.sides = self.sides.counts();
        Ok(self.trace)
    }
}

#[cfg(test)]
mod tests;
