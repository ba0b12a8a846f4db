# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLAKE3's request frames, as benches send them to a card, and the replies."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from card.model.commands import checked, checksummed, reply_code
from card.model.frames import SPEC, Frame

BLAKE3_FRAME_DATA_BYTES = SPEC.limit("blake3_frame_data_bytes")


def blake3_hash(
    index: int, length: int, key_and_data: bytes, mode: int = 0, output_bytes: int = 32,
    first_output_block: int = 0,
) -> Frame:
    """The first frame of a message of `length` bytes."""
    head = struct.pack("<QQBxHI", index, length, mode, output_bytes, first_output_block)
    return checksummed(SPEC.command("blake3_hash").code, head + key_and_data)


def blake3_data(index: int, offset: int, data: bytes) -> Frame:
    """A frame with more bytes of the message."""
    head = struct.pack("<QQ8x", index, offset)
    return checksummed(SPEC.command("blake3_data").code, head + data)


def blake3_message(
    index: int, message: bytes, key: bytes = b"", mode: int = 0, output_bytes: int = 32,
    first_output_block: int = 0, frame_bytes: int = BLAKE3_FRAME_DATA_BYTES,
) -> list[Frame]:
    """All frames of a message, `frame_bytes` (whole chunks) of it in each but the last."""
    parts = [message[at : at + frame_bytes] for at in range(0, len(message), frame_bytes)] or [b""]
    first = blake3_hash(
        index, len(message), key + parts[0], mode, output_bytes, first_output_block
    )
    return [first, *(blake3_data(index, (i + 1) * frame_bytes, part)
                     for i, part in enumerate(parts[1:]))]


def blake3_reply(index: int, status: int, output: bytes = b"") -> Frame:
    return checksummed(reply_code("blake3_hash"), struct.pack("<QB7x", index, status) + output)


@dataclass(frozen=True)
class Blake3Reply:
    index: int
    status: int
    output: bytes

    @classmethod
    def of(cls, frame: Frame) -> Blake3Reply:
        assert frame.command == reply_code("blake3_hash")
        payload = checked(frame)
        index, status, zeros = struct.unpack_from("<QB7s", payload)
        assert not any(zeros)
        return cls(index, status, payload[16:])
