# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Headers and solutions for tests: a real block, solutions found here, and mutants of both."""

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from engines.equihash.model.puzzle import (
    BITS_OFFSET, HEADER_BYTES, Parameters, ZCASH, indices_of, leaf, minimal_of,
)

BLOCK_346 = Path(__file__).parents[1] / "vectors" / "zcash_block_346.hex"
# Regtest's target: one in two hashes meets it.
EASY_BITS = 0x200F_0F0F


def block_346() -> tuple[bytes, bytes]:
    """Header and solution of block 346 of Zcash's main network."""
    whole = bytes.fromhex(BLOCK_346.read_text())
    return whole[:HEADER_BYTES], whole[HEADER_BYTES + 3:HEADER_BYTES + 3 + ZCASH.solution_bytes]


def random_header(rng: random.Random, bits: int = EASY_BITS) -> bytes:
    """Random bytes, except for the compact target."""
    header = bytearray(rng.randbytes(HEADER_BYTES))
    header[BITS_OFFSET:BITS_OFFSET + 4] = bits.to_bytes(4, "little")
    return bytes(header)


def solutions(parameters: Parameters, header: bytes) -> Iterator[list[int]]:
    """All of a header's solutions, by sorting into buckets level by level (Wagner's algorithm)."""
    rows: list[tuple[int, tuple[int, ...]]] = [
        (leaf(parameters, header, i), (i,)) for i in range(2 << parameters.collision_bits)]
    for level in range(1, parameters.k + 1):
        last = level == parameters.k
        shift = 0 if last else parameters.n - level * parameters.collision_bits
        buckets: dict[int, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        for row in rows:
            buckets[row[0] >> shift].append(row)
        rows = []
        for bucket in buckets.values():
            for place, (value, ours) in enumerate(bucket):
                for other, theirs in bucket[:place]:
                    if not set(ours) & set(theirs):
                        first, second = sorted((ours, theirs))
                        rows.append((value ^ other, first + second))
    for _, indices in rows:
        yield list(indices)


def solved(parameters: Parameters, rng: random.Random) -> tuple[bytes, bytes]:
    """A random header that has a solution, and the solution in the minimal form."""
    while True:
        header = random_header(rng)
        for indices in solutions(parameters, header):
            return header, minimal_of(parameters, indices)


def mutant(
    rng: random.Random, parameters: Parameters, header: bytes, solution: bytes
) -> tuple[bytes, bytes]:
    """A header and solution that differ from these in one way."""
    indices = indices_of(parameters, solution)
    half = 1 << rng.randrange(parameters.k)
    place = 2 * half * rng.randrange(parameters.indices // (2 * half))
    left, right = slice(place, place + half), slice(place + half, place + 2 * half)
    match rng.choice(("flip", "header", "index", "swap", "copy", "pairs", "shuffle", "bits")):
        case "flip":
            bit = rng.randrange(8 * len(solution))
            flipped = bytearray(solution)
            flipped[bit // 8] ^= 1 << bit % 8
            return header, bytes(flipped)
        case "header":
            bit = rng.randrange(8 * HEADER_BYTES)
            other = bytearray(header)
            other[bit // 8] ^= 1 << bit % 8
            return bytes(other), solution
        case "index":
            indices[rng.randrange(len(indices))] = rng.getrandbits(parameters.index_bits)
        case "swap":  # two subtrees: changes only their order
            indices[left], indices[right] = indices[right], indices[left]
        case "copy":  # of a subtree: its pair XORs to zero, and all its indices occur twice
            indices[right] = indices[left]
        case "pairs":  # all pairs XOR to zero
            indices[1::2] = indices[::2]
        case "shuffle":  # the leaves XOR to zero; the other checks fail
            rng.shuffle(indices)
        case _:
            bits = rng.choice((0, 0x0080_0001, 0x2100_FFFF, 0x2200_00FF, 0x2300_0001, 0x2080_0001,
                               0x0100_FFFF, 0x207F_FFFF, 0x1F7F_FFFF, rng.getrandbits(32)))
            return (header[:BITS_OFFSET] + bits.to_bytes(4, "little") + header[BITS_OFFSET + 4:],
                    solution)
    return header, minimal_of(parameters, indices)
