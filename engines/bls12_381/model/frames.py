# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The engine's frames: requests to run a program or to access a word of a window, and their
replies."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from arith.simulation.crc32c import crc32c

COMMAND, REPLY = 0x0000_0201, 0x8000_0201
ACCESS, ACCESS_REPLY = 0x0000_0202, 0x8000_0202
INTERRUPT = 0x8000_0200
OK, BAD_REQUEST, RESULTS, WRONG_LENGTH, CORRUPT, TIMED_OUT = range(6)
RESULT_BYTES = 8128

Slot = tuple[int, int, int]
"""The place, kind and number of a slot."""


def finished(command: int, payload: bytes) -> bytes:
    """Returns the frame of a payload, with its checksum."""
    frame = struct.pack("<II", 8 + len(payload) + 8, command) + payload
    return frame + struct.pack("<II", crc32c(frame), 0)


def request(index: int, instructions: Sequence[bytes], slots: Sequence[Slot], start: int = 0,
            limit: int = 0) -> bytes:
    """Returns a request to run a program."""
    payload = struct.pack("<QIHHH6x", index, limit, len(instructions), len(slots), start)
    payload += b"".join(instructions)
    for place, kind, number in slots:
        payload += struct.pack("<HB5x", place, kind >> 3)
        payload += (number | (kind & 7) << 381).to_bytes(48, "little")
    return finished(COMMAND, payload)


@dataclass(frozen=True)
class Reply:
    """The contents of a reply. `results` are bytes as in the frame."""

    index: int
    status: int
    pointer: int
    instructions: int
    error: int
    clocks: int
    results: bytes


def reply(frame: bytes) -> Reply:
    """Parses a reply, whose length, command and checksum must be right."""
    length, command, index, status, zero, pointer, instructions, error, clocks = struct.unpack_from(
        "<IIQBBHIII", frame)
    assert length == len(frame) and command == REPLY and zero == 0, frame[:40].hex()
    assert frame[-8:] == struct.pack("<II", crc32c(frame[:-8]), 0)
    return Reply(index, status, pointer, instructions, error, clocks, frame[32:-8])


def results_of(interrupts: Sequence[bytes]) -> bytes:
    """Returns the results that a reply has for these frames of SEND_INTERRUPT."""
    return b"".join(frame[8:13] + bytes(3) + frame[16:] for frame in interrupts)


def access(index: int, address: int, value: int | None = None) -> bytes:
    """Returns a request to write a word of a window, or to read it if no value is given."""
    return finished(ACCESS, struct.pack("<QIIB7x", index, address, value or 0, value is not None))


def access_reply(index: int, address: int, value: int, status: int = OK) -> bytes:
    """Returns the reply to such a request."""
    return finished(ACCESS_REPLY, struct.pack("<QIIB7x", index, address, value, status))
