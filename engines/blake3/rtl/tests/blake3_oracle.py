# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A card's replies to a stream of BLAKE3 frames, good or bad; and streams with every defect."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from arith.simulation.crc32c import crc32c
from card.model.frames import flipped as flip
from engines.blake3.model.hashing import KEYED, Mode, compute
from engines.blake3.rtl.tests.blake3_frames import (
    ABANDONED, CHUNK_BYTES, CORRUPT, DATA, NO_MESSAGE, OK, UNKNOWN_MODE, WRONG_LENGTH,
    WRONG_OUTPUT, WRONG_PLACE, Message, Reply, data_frame, hash_frame, random_cuts, random_message,
)

MOST_OUTPUT_BYTES = 65472


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")


@dataclass
class Oracle:
    """Consumes frames in sequence; holds the open message."""

    open: Message | None = None
    length: int = 0
    data: bytearray = field(default_factory=bytearray)

    def replies(self, frame: bytes) -> list[Reply]:
        """The replies that the frame causes, including the one to its message."""
        is_data, index = frame[4] & 1, _number(frame[8:16])
        good = crc32c(frame[:-8]) == _number(frame[-8:])
        if is_data:
            return self._data(frame, index, good)
        before = self._close(ABANDONED)
        if not good:
            return [*before, Reply(index, CORRUPT)]
        status = self._begin(frame, index)
        return [*before, *([Reply(index, status)] if status != OK else self._finish())]

    def _close(self, status: int) -> list[Reply]:
        closed, self.open = self.open, None
        return [Reply(closed.index, status)] if closed else []

    def _begin(self, frame: bytes, index: int) -> int:
        mode, output = frame[24], _number(frame[26:28])
        if mode not in list(Mode):
            return UNKNOWN_MODE
        if not 0 < output <= MOST_OUTPUT_BYTES:
            return WRONG_OUTPUT
        begin = 64 if Mode(mode) in KEYED else 32
        length, payload = _number(frame[16:24]), frame[begin:-8]
        if len(frame) < begin + 8 or not self._fits(len(payload), length):
            return WRONG_LENGTH
        self.open = Message(index, b"", Mode(mode), frame[32:begin], output, _number(frame[28:32]))
        self.length, self.data = length, bytearray(payload)
        return OK

    @staticmethod
    def _fits(payload: int, due: int) -> bool:
        return payload == due or (payload < due and payload % CHUNK_BYTES == 0)

    def _data(self, frame: bytes, index: int, good: bool) -> list[Reply]:
        if not good:
            return self._close(CORRUPT) or [Reply(index, CORRUPT, command=DATA)]
        if self.open is None or index != self.open.index:
            return [Reply(index, NO_MESSAGE, command=DATA)]
        if _number(frame[16:24]) != len(self.data):
            return self._close(WRONG_PLACE)
        payload = frame[32:-8]
        if not self._fits(len(payload), self.length - len(self.data)):
            return self._close(WRONG_LENGTH)
        self.data += payload
        return self._finish()

    def _finish(self) -> list[Reply]:
        message = self.open
        if message is None or len(self.data) != self.length:
            return []
        self.open = None
        output = compute(message.mode, bytes(self.data), message.key, message.output_bytes,
                         64 * message.first_block)
        return [Reply(message.index, OK, output)]


def flipped(rng: random.Random, frame: bytes) -> bytes:
    """The frame with one bit flipped, but not in its length or the bit that selects the command."""
    place = rng.choice([bit for bit in (33, rng.randrange(33, 8 * len(frame)))])
    return flip(frame, place)


def bad_stream(rng: random.Random, longest: int) -> Iterator[bytes]:
    """Frames of one message, possibly with a defect."""
    message = random_message(rng, rng.randint(0, longest))
    frames = message.frames(random_cuts(rng, len(message.data)))
    index, data = message.index, message.data
    wrong_index = index ^ 1 << rng.randrange(64)
    kind = rng.randrange(12)
    at = rng.randrange(len(frames))
    if kind == 0:
        frames[at] = flipped(rng, frames[at])
    elif kind == 1:  # abandoned
        del frames[at:]
    elif kind == 2:  # a frame removed
        del frames[at]
    elif kind == 3:  # a frame repeated
        frames.insert(at, frames[at])
    elif kind == 4:
        frames.insert(at + 1, data_frame(wrong_index, 0, rng.randbytes(rng.randint(0, 2100))))
    elif kind == 5:  # a data frame, corrupt
        frames.insert(at + 1, flipped(rng, data_frame(wrong_index, 0, rng.randbytes(80))))
    elif kind == 6:
        offset = rng.choice((1, 64, 1024, 1 << 63, len(data)))
        frames.insert(at + 1, data_frame(index, offset ^ 1 << rng.randrange(64), data[:1024]))
    elif kind == 7:  # a wrong declared length
        declared = max(0, len(data) + rng.choice((-2000, -1, 1, 1000, 1024, 1 << 63)))
        frames[0] = hash_frame(index, declared, data[:rng.choice((0, 1024, len(data)))],
                               message.mode, message.key)
    elif kind == 8:
        mode = rng.choice((4, 5, 8, 128, 255, rng.randrange(4, 256)))
        frames[0] = hash_frame(index, len(data), data, mode)
    elif kind == 9:
        frames[0] = hash_frame(index, len(data), data, message.mode, message.key,
                               rng.choice((0, MOST_OUTPUT_BYTES + 1, 65535)))
    elif kind == 10:  # no room for the key
        frames[0] = hash_frame(index, 0, rng.randbytes(rng.randrange(32)), Mode.KEYED_HASH)
    yield from frames
