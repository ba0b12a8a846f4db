# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of verify_equihash and verify_equihash_checked for the benches: requests, damaged ones,
and the expected replies."""

import random
import struct
from collections.abc import Sequence

from arith.simulation.crc32c import crc32c
from card.model.frames import bytes_of
from engines.equihash.model.cases import (
    EASY_BITS, block_346, mutant, random_header, solved,
)
from engines.equihash.model.puzzle import (
    DIFFICULTY, SETS, Parameters, ZCASH, check, compact_size, minimal_of,
)

VERIFY, REPLY, IGNORE = 0x100, 0x8000_0100, 0x8000_0002
VERIFY_CHECKED, REPLY_CHECKED = 0x102, 0x8000_0102
CORRUPT = 4
CHECKSUM_BYTES = 8
FIRST_PREFIX_BYTE = 16 + 140


def request(
    index: int, parameters: Parameters, header: bytes, solution: bytes, is_checked: bool = False
) -> bytes:
    """A whole frame."""
    payload = header + compact_size(parameters.solution_bytes) + solution
    if not is_checked:
        return struct.pack("<IIQ", 16 + len(payload), VERIFY, index) + payload
    length = 16 + len(payload) + CHECKSUM_BYTES
    before = struct.pack("<IIQ", length, VERIFY_CHECKED, index) + payload
    return before + struct.pack("<II", crc32c(before), 0)


def is_checked(frame: bytes) -> bool:
    """Returns True if a request has a checksum."""
    return int.from_bytes(frame[4:8], "little") == VERIFY_CHECKED


def message_of(frame: bytes) -> bytes:
    """Header, length and solution of a request."""
    return frame[16:-CHECKSUM_BYTES] if is_checked(frame) else frame[16:]


def verdict(index: int, mask: int, is_checked: bool = False) -> list[int]:
    """The beats of a reply."""
    return _checksummed(index, mask) if is_checked else [REPLY << 32 | 24, index, mask]


def corrupt(index: int) -> list[int]:
    """The beats of the reply to a frame with a wrong checksum."""
    return _checksummed(index, CORRUPT << 8)


def _checksummed(index: int, found: int) -> list[int]:
    beats = [REPLY_CHECKED << 32 | 32, index, found]
    return [*beats, crc32c(bytes_of(beats))]


def refusal(frame: bytes) -> list[int]:
    """The beats of an ignore reply to a frame."""
    return [IGNORE << 32 | 16, int.from_bytes(frame[:8], "little")]


class Cases:
    """Random requests of some parameter sets with the expected masks."""

    def __init__(self, rng: random.Random, built: int) -> None:
        self.rng = rng
        self.sets = [parameters for bit, parameters in enumerate(SETS) if built >> bit & 1]
        # Solutions of (96, 5) and (144, 5) take too long to find.
        self.valid = {p: [block_346()] if p == ZCASH else [solved(p, rng) for _ in range(3)]
                      for p in self.sets if p == ZCASH or p.n == 48}
        self.seen: list[int] = []

    def _indices(self, parameters: Parameters) -> list[int]:
        """Random indices: sometimes few distinct ones, sometimes no duplicates, in some order."""
        rng, limit = self.rng, 1 << parameters.index_bits
        count = parameters.indices
        match rng.randrange(5):
            case 0:
                return [rng.randrange(limit) for _ in range(count)]
            case 1:
                return sorted(rng.sample(range(limit), count), reverse=rng.random() < 0.5)
            case 2:
                some = [rng.randrange(limit) for _ in range(rng.randrange(1, 4))]
                return [rng.choice(some) for _ in range(count)]
            case 3:
                distinct = rng.sample(range(limit), count)
                distinct[rng.randrange(count)] = rng.choice(distinct)
                return distinct
            case _:
                return [rng.randrange(limit)] * count

    def next(self, index: int) -> tuple[bytes, list[int]]:
        """A frame and the beats of its reply."""
        rng, parameters = self.rng, self.rng.choice(self.sets)
        if parameters in self.valid and rng.random() < 0.6:
            header, solution = rng.choice(self.valid[parameters])
            if rng.random() < 0.8:
                header, solution = mutant(rng, parameters, header, solution)
        else:
            header = random_header(rng, rng.choice((EASY_BITS, rng.getrandbits(32))))
            solution = minimal_of(parameters, self._indices(parameters))
            if rng.random() < 0.3:
                header, solution = mutant(rng, parameters, header, solution)
        mask = check(parameters, header, solution)
        self.seen.append(mask)
        is_checked = rng.random() < 0.5
        return (request(index, parameters, header, solution, is_checked),
                verdict(index, mask, is_checked))

    def checked(self, index: int, parameters: Parameters) -> tuple[bytes, list[int]]:
        """A frame of a random header and solution with a checksum, and the beats of its reply."""
        header = random_header(self.rng)
        solution = minimal_of(parameters, self._indices(parameters))
        mask = check(parameters, header, solution)
        return (request(index, parameters, header, solution, is_checked=True),
                verdict(index, mask, is_checked=True))

    def harmed(self, index: int) -> tuple[bytes, list[int]]:
        """A checked frame with a bit flipped after its first beat, and the beats of its reply."""
        frame, _ = self.checked(index, self.rng.choice(self.sets))
        return flipped(frame, self.rng.randrange(64, 8 * len(frame)))

    def bad(self, index: int) -> tuple[bytes, list[int]]:
        """A frame that fits no set, and the beats of its reply."""
        rng, (frame, _) = self.rng, self.next(index)
        self.seen.pop()
        match rng.randrange(4):
            case 0:  # a length that no set has, and a frame of this length
                longer = rng.choice((-8, -1, 1, 8, 64, rng.randrange(-100, 0), rng.randrange(1, 1000)))
                frame = (frame + rng.randbytes(1000))[:len(frame) + longer]
                frame = struct.pack("<I", len(frame)) + frame[4:]
            case 1:  # another set's solution length
                place = 16 + 140 + rng.randrange(1 if frame[156] != 0xFD else 3)
                other = bytes([frame[place] ^ 1 << rng.randrange(8)])
                frame = frame[:place] + other + frame[place + 1:]
            case 2:
                frame = struct.pack("<I", length := 16 + rng.randrange(1, 30)) + frame[4:length]
            case _:  # the shortest frame
                frame = struct.pack("<I", 16) + frame[4:16]
        return frame, refusal(frame)


def flipped(frame: bytes, bit: int) -> tuple[bytes, list[int]]:
    """A checked frame with the given bit flipped, outside its first beat, and the beats of the
    reply: if the solution's length no longer agrees with the frame's, the frame is ignored."""
    byte = bit // 8
    assert byte >= 8
    harmed = frame[:byte] + bytes([frame[byte] ^ 1 << bit % 8]) + frame[byte + 1:]
    prefix_bytes = 3 if frame[FIRST_PREFIX_BYTE] == 0xFD else 1
    if FIRST_PREFIX_BYTE <= byte < FIRST_PREFIX_BYTE + prefix_bytes:
        return harmed, refusal(harmed)
    return harmed, corrupt(int.from_bytes(harmed[8:16], "little"))


def every_check_seen(masks: Sequence[int]) -> bool:
    """Returns True if each bit was both set and clear, so that no check is missed."""
    return all(0 < sum(mask >> bit & 1 for mask in masks) < len(masks) for bit in range(5))


__all__ = ["Cases", "DIFFICULTY", "corrupt", "every_check_seen", "flipped", "is_checked",
           "message_of", "refusal", "request", "verdict"]
