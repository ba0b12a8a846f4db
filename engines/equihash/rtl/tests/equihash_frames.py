# SPDX-License-Identifier: Apache-2.0 OR MIT
"""verify_equihash frames for the benches: requests, their defects, and what must come back."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

from engines.equihash.model.cases import (
    EASY_BITS, block_346, mutant, random_header, solved,
)
from engines.equihash.model.puzzle import (
    DIFFICULTY, SETS, Parameters, ZCASH, check, compact_size, minimal_of,
)

VERIFY, REPLY, IGNORE = 0x100, 0x8000_0100, 0x8000_0002


def request(index: int, parameters: Parameters, header: bytes, solution: bytes) -> bytes:
    """A whole frame."""
    payload = header + compact_size(parameters.solution_bytes) + solution
    return struct.pack("<IIQ", 16 + len(payload), VERIFY, index) + payload


def to_beats(frame: bytes) -> list[int]:
    padded = frame + bytes(-len(frame) % 8)
    return [int.from_bytes(padded[i:i + 8], "little") for i in range(0, len(padded), 8)]


def verdict(index: int, mask: int) -> list[int]:
    """The beats of a reply."""
    return [REPLY << 32 | 24, index, mask]


def refusal(frame: bytes) -> list[int]:
    """The beats of an ignore reply to a frame."""
    return [IGNORE << 32 | 16, int.from_bytes(frame[:8], "little")]


class Cases:
    """Random requests of some parameter sets with the masks that they must get."""

    def __init__(self, rng: random.Random, built: int) -> None:
        self.rng = rng
        self.sets = [parameters for bit, parameters in enumerate(SETS) if built >> bit & 1]
        # Of (96, 5) and (144, 5) solutions take long to find.
        self.valid = {p: [block_346()] if p == ZCASH else [solved(p, rng) for _ in range(3)]
                      for p in self.sets if p == ZCASH or p.n == 48}
        self.seen: list[int] = []

    def _indices(self, parameters: Parameters) -> list[int]:
        """Random ones; at times hardly any distinct, at times none twice, in some order."""
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
        return request(index, parameters, header, solution), verdict(index, mask)

    def bad(self, index: int) -> tuple[bytes, list[int]]:
        """A frame that fits no set, and the beats of its reply."""
        rng, (frame, _) = self.rng, self.next(index)
        self.seen.pop()
        match rng.randrange(4):
            case 0:  # a length that no set has, the frame as long as it says
                longer = rng.choice((-8, -1, 1, 8, 64, rng.randrange(-100, 1000)))
                frame = (frame + rng.randbytes(1000))[:len(frame) + longer]
                frame = struct.pack("<I", len(frame)) + frame[4:]
            case 1:  # another set's solution length
                place = 16 + 140 + rng.randrange(1 if frame[156] != 0xFD else 3)
                other = bytes([frame[place] ^ 1 << rng.randrange(8)])
                frame = frame[:place] + other + frame[place + 1:]
            case 2:
                frame = struct.pack("<I", length := 16 + rng.randrange(1, 30)) + frame[4:length]
            case _:  # of the smallest sort
                frame = struct.pack("<I", 16) + frame[4:16]
        return frame, refusal(frame)


def every_check_seen(masks: Sequence[int]) -> bool:
    """Each bit both set and clear, so that no check is missed."""
    return all(0 < sum(mask >> bit & 1 for mask in masks) < len(masks) for bit in range(5))


__all__ = ["Cases", "DIFFICULTY", "every_check_seen", "refusal", "request", "to_beats", "verdict"]
