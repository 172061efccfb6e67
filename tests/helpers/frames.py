"""Packets and captures, byte by byte."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterable
from pathlib import Path

MACS = bytes(12)


def udp(source: int, destination: int, size: int) -> bytes:
    """A datagram with `size` bytes of data (RFC 768)."""
    return struct.pack(">HHHH", source, destination, 8 + size, 0) + bytes(size)


def acknowledgement(source: int, destination: int, number: int, options: bytes = b"", flags: int = 0x10) -> bytes:
    """A segment of TCP without data (RFC 9293 section 3.1); `options` are whole words."""
    words = 5 + len(options) // 4
    return struct.pack(">HHIIBBHHH", source, destination, 1, number, words << 4, flags, 1000, 0, 0) + options


def ip4(source: str, destination: str, protocol: int, payload: bytes, *, tos: int = 0, fragment: int = 0) -> bytes:
    """RFC 791 section 3.1; `fragment` has flags and offset."""
    header = struct.pack(">BBHHHBBH", 0x45, tos, 20 + len(payload), 7, fragment, 64, protocol, 0)
    return header + ipaddress.ip_address(source).packed + ipaddress.ip_address(destination).packed + payload


def ip6(source: str, destination: str, header: int, payload: bytes, *, tos: int = 0, label: int = 0) -> bytes:
    """RFC 8200 section 3; `header` is the type of the first one behind it."""
    first = struct.pack(">IHBB", 6 << 28 | tos << 20 | label, len(payload), header, 64)
    return first + ipaddress.ip_address(source).packed + ipaddress.ip_address(destination).packed + payload


def ethernet(packet: bytes) -> bytes:
    """A frame with an IP packet."""
    return MACS + (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00") + packet


def write_pcap(path: Path, link: int, frames: Iterable[tuple[float, bytes]], snap: int = 65535) -> Path:
    """Frames with their times in seconds, to whole microseconds."""
    content = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap, link)]
    for time, frame in frames:
        micros = round(time * 1e6)
        kept = frame[:snap]
        content += [struct.pack("<IIII", micros // 10**6, micros % 10**6, len(kept), len(frame)), kept]
    path.write_bytes(b"".join(content))
    return path


def block(kind: int, body: bytes) -> bytes:
    """A block of pcapng, filled up to whole words."""
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def option(code: int, value: bytes) -> bytes:
    """An option of a block of pcapng."""
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def write_pcapng(path: Path, interfaces: list[str], frames: Iterable[tuple[int, float, bytes, int]]) -> Path:
    """Frames of Ethernet: interface, time in seconds, content, and flags of the block (1 inbound, 2 outbound)."""
    content = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    content += [block(1, struct.pack("<HHI", 1, 0, 0) + option(2, name.encode()) + bytes(4)) for name in interfaces]
    for interface, time, frame, flags in frames:
        micros = round(time * 1e6)
        head = struct.pack("<IIIII", interface, micros >> 32, micros & 0xFFFFFFFF, len(frame), len(frame))
        options = option(2, struct.pack("<I", flags)) + bytes(4) if flags else b""
        content.append(block(6, head + frame + bytes(-len(frame) % 4) + options))
    path.write_bytes(b"".join(content))
    return path
