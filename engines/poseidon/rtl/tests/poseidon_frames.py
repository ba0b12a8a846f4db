# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Request and reply frames of poseidon_hash as lists of 64-bit beats, and requests of every kind.

The numbers are repeated here, from the wire format, so that the bench does not share a mistake with
the RTL.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from arith.simulation.crc32c import crc32c
from engines.poseidon.model.parameters import Instance, filecoin, stark
from engines.poseidon.model.permutation import permute

COMMAND, REPLY = 0x110, 0x8000_0110
OK, UNKNOWN_INSTANCE, NOT_CANONICAL, WRONG_LENGTH, CORRUPT = range(5)
CHECKSUM_BYTES = 8

INSTANCES: dict[int, Instance] = {
    **{width: filecoin(width) for width in (3, 5, 9, 12)},
    **{0x10 | width: filecoin(width, strengthened=True) for width in (3, 5, 9, 12)},
    **{0x20 | width: stark(width) for width in (3, 4, 5, 9)},
}
FAMILY_STARK = 2
ALL_CODES = (0x03, 0x05, 0x09, 0x0C, 0x13, 0x15, 0x19, 0x1C, 0x23, 0x24, 0x25, 0x29)


@dataclass(frozen=True)
class Reply:
    """A parsed reply frame."""

    index: int
    status: int
    elements: tuple[int, ...] = ()


@dataclass(frozen=True)
class Request:
    """A request's beats, and the expected reply."""

    beats: tuple[int, ...]
    reply: Reply


def to_beats(payload: bytes) -> tuple[int, ...]:
    """A whole frame: header, payload cut or padded to whole beats, checksum."""
    length = 8 + len(payload) + CHECKSUM_BYTES
    frame = length.to_bytes(4, "little") + COMMAND.to_bytes(4, "little") + payload
    frame += b"\xa5" * (-len(frame) % 8)
    frame += crc32c(frame).to_bytes(CHECKSUM_BYTES, "little")
    return tuple(int.from_bytes(frame[i:i + 8], "little") for i in range(0, len(frame), 8))


def payload(index: int, code: int, elements: Sequence[int], digest: bool = False) -> bytes:
    fixed = index.to_bytes(8, "little") + bytes((code, int(digest))) + bytes(6)
    return fixed + b"".join(element.to_bytes(32, "little") for element in elements)


def parse_reply(beats: Sequence[int]) -> Reply:
    """Parses a reply; fails unless every byte conforms to the wire format."""
    data = b"".join(beat.to_bytes(8, "little") for beat in beats)
    assert int.from_bytes(data[0:4], "little") == len(data), f"length of {data.hex()}"
    assert int.from_bytes(data[4:8], "little") == REPLY
    assert data[17:24] == bytes(7)
    assert int.from_bytes(data[-CHECKSUM_BYTES:], "little") == crc32c(data[:-CHECKSUM_BYTES])
    words = range(24, len(data) - CHECKSUM_BYTES, 32)
    elements = [int.from_bytes(data[i:i + 32], "little") for i in words]
    return Reply(int.from_bytes(data[8:16], "little"), data[16], tuple(elements))


class Requests:
    """Generates requests with unique indices."""

    def __init__(self, rng: random.Random, codes: Sequence[int] = tuple(INSTANCES)) -> None:
        self.rng, self.codes = rng, tuple(codes)
        self._used: set[int] = {0}

    def _index(self) -> int:
        index = 0
        while index in self._used:
            index = self.rng.getrandbits(64)
        self._used.add(index)
        return index

    def _state(self, instance: Instance) -> list[int]:
        edges = (0, 1, instance.modulus - 1)
        return [self.rng.choice(edges) if self.rng.random() < 0.1
                else self.rng.randrange(instance.modulus) for _ in range(instance.width)]

    def good(self, code: int | None = None, digest: bool | None = None) -> Request:
        code = self.rng.choice(self.codes) if code is None else code
        digest = self.rng.random() < 0.5 if digest is None else digest
        index, state = self._index(), self._state(INSTANCES[code])
        result = permute(INSTANCES[code], state)
        if digest:
            result = [result[0 if code >> 4 == FAMILY_STARK else 1]]
        beats = to_beats(payload(index, code, state, digest))
        return Request(beats, Reply(index, OK, tuple(result)))

    def unknown_instance(self) -> Request:
        """A code of the wire format that this card lacks, or a code that does not exist."""
        absent = [code for code in ALL_CODES if code not in self.codes]
        code = self.rng.choice([*absent, *(c for c in range(256) if c not in ALL_CODES)])
        elements = [self.rng.getrandbits(256) for _ in range(self.rng.randint(0, 12))]
        index = self._index()
        beats = to_beats(payload(index, code, elements))
        return Request(beats, Reply(index, UNKNOWN_INSTANCE))

    def not_canonical(self) -> Request:
        """One or more elements at or above the modulus, anywhere in the frame."""
        code = self.rng.choice(self.codes)
        modulus, state = INSTANCES[code].modulus, self._state(INSTANCES[code])
        for position in self.rng.sample(range(len(state)), self.rng.randint(1, len(state))):
            state[position] = self.rng.choice((
                modulus, modulus + 1, (1 << 256) - 1, modulus + (1 << 64), modulus | 1 << 255,
                self.rng.randrange(modulus, 1 << 256),
            ))
        index = self._index()
        return Request(to_beats(payload(index, code, state)), Reply(index, NOT_CANONICAL))

    def wrong_length(self) -> Request:
        """Elements missing or too many, a few bytes too short, or no room for the fixed fields."""
        code = self.rng.choice(self.codes)
        index, width = self._index(), INSTANCES[code].width
        full = payload(index, code, [self.rng.getrandbits(250) for _ in range(width + 9)])
        right = 16 + 32 * width
        lengths = [n for n in range(len(full) + 1) if n != right]
        near = [right + n for n in (-32, -8, -7, -1, 1, 7, 8, 32)]
        length = self.rng.choice((self.rng.choice(lengths), self.rng.choice(near),
                                  self.rng.randrange(24)))
        cut = full[:length]
        beats = to_beats(cut)
        # Without a payload the checksum is in the place of the index.
        return Request(beats, Reply(beats[1], WRONG_LENGTH))

    def corrupt(self, code: int | None = None, bit: int | None = None) -> Request:
        """One bit of a good request flipped, or a beat removed or inserted."""
        beats = list(self.good(code).beats)
        if bit is None and self.rng.random() < 0.2:
            at = self.rng.randrange(2, len(beats))
            if self.rng.random() < 0.5:
                del beats[at]
            else:
                beats.insert(at, beats[at] ^ self.rng.getrandbits(64))
        else:
            bit = self.rng.randrange(64 * len(beats)) if bit is None else bit
            beats[bit // 64] ^= 1 << bit % 64
        return Request(tuple(beats), Reply(beats[1], CORRUPT))

    def any(self, codes: Sequence[int] = ()) -> Request:
        """A request of any kind; a good one has one of `codes`, if any are given."""
        def good() -> Request:
            return self.good(self.rng.choice(codes) if codes else None)

        kinds = (good, good, good, self.unknown_instance, self.not_canonical,
                 self.wrong_length, self.corrupt)
        return self.rng.choice(kinds)()
