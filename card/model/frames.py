# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A plain implementation of frames: builds requests, splits a reply stream, and decodes a request
stream.

`decode` is the reference for the card's frame decoder: the rules of docs/card.md, byte by byte,
with the numbers of card.toml and the manifests. It shares no code with the RTL or the Rust.

A frame starts at a multiple of the card's `stream_bytes`, the size of a beat of its stream. The
default of such an argument is 8, the size for the narrowest stream.
"""

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from card.spec.specification import CONTROL_ENGINE, load

SPEC = load()
HEADER_BYTES = SPEC.limit("header_bytes")
ALIGNMENT_BYTES = SPEC.limit("alignment_bytes")
MAX_FRAME_BYTES = SPEC.limit("max_frame_bytes")
ELEMENT_BYTES = SPEC.limit("element_bytes")

_COMMANDS = {c.code: c for c in SPEC.commands if not c.reserved}
IGNORE_CODE = next(n.code for n in SPEC.notices if n.name == "fpga_ignore_rpl")


class FrameError(ValueError):
    """A reply stream breaks the frame rules. The message gives the byte offset."""


@dataclass(frozen=True)
class Frame:
    """A frame without its padding."""

    command: int
    payload: bytes

    @property
    def name(self) -> str:
        """The name of the command or reply in the specification, or its number."""
        for entry in SPEC.commands:
            if self.command in (entry.code, entry.reply_code):
                return entry.name
        for notice in SPEC.notices:
            if self.command == notice.code:
                return notice.name
        return f"0x{self.command:08x}"

    def encode(self, stream_bytes: int = ALIGNMENT_BYTES) -> bytes:
        """Header, payload and zero padding."""
        body = struct.pack("<II", HEADER_BYTES + len(self.payload), self.command) + self.payload
        return body + bytes(-len(body) % stream_bytes)


@dataclass(frozen=True)
class Taken:
    """A frame that an engine receives: its beats, with zero padding."""

    engine: str
    beats: tuple[int, ...]


@dataclass(frozen=True)
class Ignored:
    """A frame that is answered with fpga_ignore_rpl."""

    header: int


def padded(length_bytes: int, stream_bytes: int = ALIGNMENT_BYTES) -> int:
    """The length, rounded up to whole beats."""
    return length_bytes + -length_bytes % stream_bytes


def beats_of(data: bytes, beat_bytes: int = ALIGNMENT_BYTES) -> list[int]:
    """Beats with byte 0 in the low bits. The last beat is padded with zeros."""
    return [int.from_bytes(data[i : i + beat_bytes], "little")
            for i in range(0, len(data), beat_bytes)]


def bytes_of(beats: Sequence[int], beat_bytes: int = ALIGNMENT_BYTES) -> bytes:
    """The inverse of beats_of."""
    return b"".join(beat.to_bytes(beat_bytes, "little") for beat in beats)


def flipped(data: bytes, bit: int) -> bytes:
    """The bytes with this bit flipped."""
    byte = bit // 8
    return data[:byte] + bytes([data[byte] ^ 1 << bit % 8]) + data[byte + 1:]


def engine_for(command: int, length: int, engines: Collection[str]) -> str | None:
    """The destination of a frame with this header; None if it is ignored."""
    entry = _COMMANDS.get(command)
    if entry is None or (entry.engine != CONTROL_ENGINE and entry.engine not in engines):
        return None
    least, most = entry.request.fixed_bytes, entry.request.most_bytes
    payload = length - HEADER_BYTES
    fits = payload >= least if most is None else payload in (least, most)
    return entry.engine if fits else None


def decode(
    stream: bytes, engines: Collection[str], stream_bytes: int = ALIGNMENT_BYTES
) -> tuple[list[Taken | Ignored], int]:
    """The frames in a stream (whole beats), in order, and the number of bytes missing at its end.

    An ignored frame counts from its header on; an accepted frame counts once it is complete.
    """
    events: list[Taken | Ignored] = []
    at = 0
    while at < len(stream):
        length, command = struct.unpack_from("<II", stream, at)
        header = int.from_bytes(stream[at : at + 8], "little")
        if length == 0:
            at += stream_bytes
        elif length < HEADER_BYTES or length > MAX_FRAME_BYTES:
            events.append(Ignored(header))
            at += stream_bytes
        else:
            end = at + padded(length, stream_bytes)
            engine = engine_for(command, length, engines)
            if engine is None:
                events.append(Ignored(header))
            elif end <= len(stream):
                whole = stream[at : at + length] + bytes(end - at - length)
                events.append(Taken(engine, tuple(beats_of(whole, stream_bytes))))
            at = end
    return events, at - len(stream)


def split(
    stream: bytes, stream_bytes: int = ALIGNMENT_BYTES
) -> tuple[list[Frame], bytes]:
    """The complete frames of a reply stream, and the rest. Raises FrameError if it breaks the
    rules."""
    frames, at = [], 0
    while len(stream) - at >= HEADER_BYTES:
        length, command = struct.unpack_from("<II", stream, at)
        if not HEADER_BYTES <= length <= MAX_FRAME_BYTES:
            raise FrameError(f"length {length} at byte {at}")
        end = at + padded(length, stream_bytes)
        if end > len(stream):
            break
        if any(stream[at + length : end]):
            raise FrameError(f"padding is not zero at byte {at + length}")
        frames.append(Frame(command, stream[at + HEADER_BYTES : at + length]))
        at = end
    return frames, stream[at:]
