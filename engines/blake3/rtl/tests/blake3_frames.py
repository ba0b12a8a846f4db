# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Request frames of the BLAKE3 commands as 512-bit beats, parsed replies, random messages.

The numbers are repeated here, from the wire format, so that the bench does not share a mistake with
the RTL.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from arith.simulation.crc32c import crc32c
from engines.blake3.model.hashing import KEYED, Mode, compute

HASH, DATA, REPLY = 0x120, 0x121, 0x8000_0000
(OK, WRONG_LENGTH, UNKNOWN_MODE, ABANDONED, CORRUPT, NO_MESSAGE, WRONG_PLACE,
 WRONG_OUTPUT) = range(8)
BEAT_BYTES = 64
CHUNK_BYTES = 1024


@dataclass(frozen=True)
class Reply:
    """A parsed reply frame."""

    index: int
    status: int
    output: bytes = b""
    command: int = HASH


def to_frame(command: int, payload: bytes) -> bytes:
    """A whole frame: header, payload, checksum and four zero bytes."""
    frame = (8 + len(payload) + 8).to_bytes(4, "little") + command.to_bytes(4, "little") + payload
    return frame + crc32c(frame).to_bytes(8, "little")


def hash_frame(
    index: int, length: int, data: bytes, mode: int = 0, key: bytes = b"", output_bytes: int = 32,
    first_block: int = 0,
) -> bytes:
    head = index.to_bytes(8, "little") + length.to_bytes(8, "little") + bytes((mode, 0))
    head += output_bytes.to_bytes(2, "little") + first_block.to_bytes(4, "little")
    return to_frame(HASH, head + key + data)


def data_frame(index: int, offset: int, data: bytes) -> bytes:
    head = index.to_bytes(8, "little") + offset.to_bytes(8, "little") + bytes(8)
    return to_frame(DATA, head + data)


def parse_reply(beats: Sequence[int]) -> Reply:
    """Parses a reply; fails unless every byte conforms to the wire format."""
    data = b"".join(beat.to_bytes(8, "little") for beat in beats)
    length = int.from_bytes(data[0:4], "little")
    assert -(-length // 8) == len(beats), f"{length} bytes in {len(beats)} beats"
    assert not any(data[length:]) and not any(data[17:24])
    frame = data[:length]
    assert int.from_bytes(frame[-8:], "little") == crc32c(frame[:-8])
    command = int.from_bytes(data[4:8], "little") ^ REPLY
    assert command in (HASH, DATA)
    return Reply(int.from_bytes(data[8:16], "little"), data[16], frame[24:-8], command)


@dataclass(frozen=True)
class Message:
    """A message and its requested output."""

    index: int
    data: bytes
    mode: Mode = Mode.HASH
    key: bytes = b""
    output_bytes: int = 32
    first_block: int = 0

    def frames(self, cuts: Sequence[int] = ()) -> list[bytes]:
        """The frames, cut at these chunks."""
        ends = [CHUNK_BYTES * cut for cut in cuts] + [len(self.data)]
        frames = [hash_frame(self.index, len(self.data), self.data[:ends[0]], self.mode, self.key,
                             self.output_bytes, self.first_block)]
        frames += [data_frame(self.index, begin, self.data[begin:end])
                   for begin, end in zip(ends, ends[1:])]
        return frames

    def reply(self) -> Reply:
        output = compute(self.mode, self.data, self.key, self.output_bytes, 64 * self.first_block)
        return Reply(self.index, OK, output)


def random_message(rng: random.Random, length: int, largest_output: int = 200) -> Message:
    """Random bytes in any mode; mostly a digest, sometimes another piece of the output."""
    mode = rng.choice(list(Mode))
    key = rng.randbytes(32) if mode in KEYED else b""
    output, first = 32, 0
    if rng.random() < 0.4:
        output = rng.randint(1, largest_output)
        first = rng.choice((0, 1, rng.getrandbits(32), (1 << 32) - 1))
    return Message(rng.getrandbits(64), rng.randbytes(length), mode, key, output, first)


def random_cuts(rng: random.Random, length: int) -> list[int]:
    """Cut positions of a message's frames: after any chunk except the last, or before the first."""
    if length == 0:  # complete with its first frame
        return []
    whole = (length - 1) // CHUNK_BYTES
    count = rng.randint(0, min(3, whole + 1))
    return sorted(rng.choices(range(whole + 1), k=count))
