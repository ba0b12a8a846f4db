# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The loopback's frames: the requests of loopback_echo and their replies."""

import struct

from arith.simulation.crc32c import crc32c

COMMAND, REPLY = 0x0000_0130, 0x8000_0130
MOST_DATA_BYTES = 4064
OK, WRONG_LENGTH, CORRUPT = 0, 3, 4
_FIXED_BYTES = 24  # of a request, besides its data


def _finished(command: int, payload: bytes) -> bytes:
    """Returns the frame of a payload, with its checksum."""
    frame = struct.pack("<II", 8 + len(payload) + 8, command) + payload
    return frame + struct.pack("<II", crc32c(frame), 0)


def request(index: int, data: bytes) -> bytes:
    """Returns a request for the data, of any length."""
    return _finished(COMMAND, struct.pack("<Q", index) + data)


def reply(frame: bytes) -> bytes:
    """Returns the card's answer to a frame with a valid header."""
    size = len(frame) - _FIXED_BYTES
    data, end = frame[16:-8], frame[-8:]
    if size % 8 or size > MOST_DATA_BYTES:
        status, data = WRONG_LENGTH, b""
    else:
        status = OK if end == struct.pack("<II", crc32c(frame[:-8]), 0) else CORRUPT
    return _finished(REPLY, frame[8:16] + data + struct.pack("<Q", status))
