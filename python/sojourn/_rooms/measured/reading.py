"""A file of any format as a measurement: unpacked, recognised by its content, and read."""

from __future__ import annotations

import bz2
import io
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .formats import FORMATS, Content
from .measurement import Measurement

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["read"]

_MOST = 512 << 20
"""Bytes of a file when it is unpacked; captures are large, and other files hardly ever above a few millions."""
_MOST_TEXT = 64 << 20
_CHUNK = 1 << 16


def read(path: StrPath) -> Measurement:
    """The measurement in a file.

    Raises
    ------
    ValueError
        If the file has none, is broken, or is of a format that is not read.
    OSError
        If it cannot be read.
    """
    place = Path(path)
    data = _unpacked(place.read_bytes(), place.name)
    content = Content(place.name, data, _json(data))
    for form in FORMATS:
        if form.knows(content):
            return form.read(content)
    raise ValueError(
        f"{place.name}: this is no measurement that is read here\n"
        f"  found:   {_found(content)}\n"
        f"  allowed: {', '.join(form.name for form in FORMATS)}"
    )


def _found(content: Content) -> str:
    if isinstance(content.json, dict):
        names = ", ".join(str(name)[:24] for name in list(content.json)[:6])
        return f"JSON with {names}" if names else "an empty table of JSON"
    if content.json is not None:
        return "JSON without a table of a known tool"
    if not content.data.strip():
        return "an empty file"
    first = content.text.strip().splitlines()[0]
    if first.startswith(("qdisc ", "class ")):
        return "counters of tc, which say nothing of the line: measure it without that queue"
    return "text" if first.isprintable() else "bytes that are no text"


def _unpacked(data: bytes, file: str) -> bytes:
    """Without gzip or bzip2 around it."""
    try:
        if data[:2] == b"\x1f\x8b":
            data = _inflated(data, zlib.decompressobj(wbits=31), file)
        elif data[:3] == b"BZh":
            data = _inflated(data, bz2.BZ2Decompressor(), file)
    except (zlib.error, OSError, EOFError) as error:
        raise ValueError(f"{file}: the packed file is damaged: {error}") from None
    if len(data) > _MOST:
        raise ValueError(f"{file}: it is too large\n  allowed: at most {_MOST >> 20} MiB; cut it to the test")
    return data


def _inflated(data: bytes, unpacker: Any, file: str) -> bytes:
    out, source = io.BytesIO(), io.BytesIO(data)
    while chunk := source.read(_CHUNK):
        # Of a chunk at most a thousand times as much comes out.
        out.write(unpacker.decompress(chunk))
        if out.tell() > _MOST:
            raise ValueError(f"{file}: unpacked it is too large\n  allowed: at most {_MOST >> 20} MiB")
    if not unpacker.eof:
        raise ValueError(f"{file}: the packed file was cut off")
    return out.getvalue()


def _json(data: bytes) -> Any:
    """The value of JSON, also behind a warning of the tool; a list of lines of JSON; None if it is neither."""
    if len(data) > _MOST_TEXT or b"\0" in data[:4096]:
        return None
    text = data.decode("utf-8-sig", errors="replace").strip()
    begin = 0 if text.startswith("[") else text.find("{")
    if begin < 0:
        return None
    text = text[begin:]
    try:
        if text.startswith("["):
            # Stamps of ping begin so, too.
            return json.loads(text)
        return json.JSONDecoder().raw_decode(text)[0] if "\n{" not in text else _rows(text)
    except (ValueError, RecursionError):
        return None


def _rows(text: str) -> Any:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        value, end = None, 0
    if end and not text[end:].strip().startswith("{"):
        return value
    return [json.loads(row) for row in text.splitlines() if row.startswith("{")]
