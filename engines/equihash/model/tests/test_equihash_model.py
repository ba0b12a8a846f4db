# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the golden model with a real block, solutions that it finds, and mutants of both."""

import hashlib
import random

import pytest

from engines.equihash.model import cases
from engines.equihash.model.puzzle import (
    COLLISION, DIFFICULTY, DUPLICATE, ORDER, REGTEST, SETS, XOR, ZCASH, check, compact_size,
    indices_of, meets_target, minimal_of, target_of,
)


def test_block_346() -> None:
    header, solution = cases.block_346()
    whole = header + compact_size(ZCASH.solution_bytes) + solution
    hashed = hashlib.sha256(hashlib.sha256(whole).digest()).digest()[::-1]
    assert hashed.hex() == "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f"
    assert check(ZCASH, header, solution) == 0


@pytest.mark.parametrize("seed", range(3))
def test_solutions_and_their_mutants(seed: int) -> None:
    """A solution is valid; a mutant that changes only the order fails only the order check."""
    rng = random.Random(seed)
    header, solution = cases.solved(REGTEST, rng)
    assert check(REGTEST, header, solution) & ~DIFFICULTY == 0
    indices = indices_of(REGTEST, solution)
    assert minimal_of(REGTEST, indices) == solution
    swapped = minimal_of(REGTEST, indices[16:] + indices[:16])
    assert check(REGTEST, header, swapped) & ~DIFFICULTY == ORDER
    doubled = minimal_of(REGTEST, indices[:16] * 2)
    assert check(REGTEST, header, doubled) & ~DIFFICULTY == ORDER | DUPLICATE
    other = indices[:31] + [indices[31] ^ 1]
    assert check(REGTEST, header, minimal_of(REGTEST, other)) & (XOR | COLLISION) == XOR | COLLISION


def test_every_mask_bit_is_seen_set_and_clear() -> None:
    """Otherwise the benches that use these cases would miss a check."""
    rng, (header, solution) = random.Random(1), cases.block_346()
    seen = [check(ZCASH, *cases.mutant(rng, ZCASH, header, solution)) for _ in range(120)]
    for bit in (DIFFICULTY, XOR, ORDER, COLLISION, DUPLICATE):
        assert 0 < sum(mask & bit != 0 for mask in seen) < len(seen)


def test_sizes() -> None:
    assert [(p.collision_bits, p.indices, p.solution_bytes, p.hash_bytes) for p in SETS] == [
        (20, 512, 1344, 50), (24, 32, 100, 54), (16, 32, 68, 60), (8, 32, 36, 60)]


@pytest.mark.parametrize("bits, target", [
    (0, None), (0x0080_0001, None), (0x0100_3456, None), (0x0112_3456, 0x12), (0x0200_8000, 0x80),
    (0x0312_3456, 0x12_3456), (0x0412_3456, 0x1234_5600), (0x0492_3456, None),
    (0x1D00_FFFF, 0xFFFF << 208), (0x1F07_FFFF, 0x7_FFFF << 224), (0x207F_FFFF, 0x7F_FFFF << 232),
    (0x2100_FFFF, 0xFFFF << 240), (0x2101_0000, None), (0x2200_00FF, 0xFF << 248),
    (0x2200_0100, None), (0x2300_0001, None), (0xFF00_0001, None), (0xFF00_0000, None),
    # An odd exponent sets bit 24, which is not the sign.
    (0x1F00_0001, 1 << 224), (0x1E80_0001, None),
])
def test_compact_targets(bits: int, target: int | None) -> None:
    assert target_of(bits) == target


def test_a_hash_meets_the_target_that_equals_it() -> None:
    rng = random.Random(5)
    for _ in range(100):
        whole = cases.random_header(rng, rng.choice((0x2000_00FF, 0x2001_0000, 0x207F_FFFF)))
        number = int.from_bytes(hashlib.sha256(hashlib.sha256(whole).digest()).digest(), "little")
        target = target_of(int.from_bytes(whole[104:108], "little"))
        assert target is not None and meets_target(whole) == (number <= target)
