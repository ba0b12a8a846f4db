# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The two fields in plain integers, and the operands of the arithmetic benches."""

import random

FR = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
FELT = 0x0800000000000011000000000000000000000000000000000000000000000001
SECP256K1 = 2**256 - 2**32 - 977
MODULI = (FR, FELT)
WIDTH = 256
MONTGOMERY_INVERSE = {p: pow(1 << WIDTH, -1, p) for p in MODULI}


def edge_values(modulus: int) -> list[int]:
    """Residues at which carries and borrows end: 0, 1, p-1, p-2, 2^k-1, 2^k, p-2^k."""
    values = {0, 1, 2, modulus - 1, modulus - 2, modulus // 2, modulus // 2 + 1}
    for k in (17, 26, 32, 63, 64, 65, 127, 128, 129, 132, 191, 192, 193, 250):
        values |= {(1 << k) - 1, 1 << k, modulus - (1 << k)}
    return sorted(value for value in values if 0 <= value < modulus)


def residue(rng: random.Random, modulus: int) -> int:
    """A random residue; sometimes an edge value, sometimes one with long runs of equal bits."""
    kind = rng.random()
    if kind < 0.2:
        return rng.choice(edge_values(modulus))
    if kind < 0.4:
        return runs_of_bits(rng, WIDTH) % modulus
    return rng.randrange(modulus)


def runs_of_bits(rng: random.Random, width: int) -> int:
    """A number of alternating runs of ones and zeros: long carries, full digits."""
    value, bit = 0, rng.getrandbits(1)
    position = 0
    while position < width:
        length = min(rng.randint(1, 80), width - position)
        if bit:
            value |= ((1 << length) - 1) << position
        position += length
        bit ^= 1
    return value


def montgomery_product(a: int, b: int, modulus: int) -> int:
    return a * b * MONTGOMERY_INVERSE[modulus] % modulus
