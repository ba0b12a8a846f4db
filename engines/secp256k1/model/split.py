# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Splits a scalar into two odd halves with windows of signs: the integers that the microcode
computes.

Gallant, Lambert, Vanstone (CRYPTO 2001): k = k1 + k2 * LAMBDA modulo N with short k1, k2, from the
lattice of all (a, b) with a + b * LAMBDA = 0 modulo N. Rounding to a coordinate of the right parity
makes both halves odd; ../rtl/README.md has the bounds.
"""

from math import isqrt
from typing import Final

from engines.secp256k1.model.curve import LAMBDA, N

HALF_BITS: Final = 130
"""A half is odd, with an absolute value below 2^HALF_BITS."""
WINDOW_BITS: Final = 5
WINDOWS: Final = HALF_BITS // WINDOW_BITS
ENTRIES: Final = 1 << (WINDOW_BITS - 1)
"""The number of digits of one sign: 1, 3, ..., 2 * ENTRIES - 1."""

Vector = tuple[int, int]


def _short_basis() -> tuple[Vector, Vector]:
    """Returns two short vectors of the lattice, with determinant N (Guide to ECC, algorithm
    3.74)."""
    rows = [(N, 0), (LAMBDA, 1)]  # (remainder, factor of LAMBDA)
    while rows[-1][0]:
        quotient = rows[-2][0] // rows[-1][0]
        rows.append((rows[-2][0] - quotient * rows[-1][0], rows[-2][1] - quotient * rows[-1][1]))
    last = max(i for i, (remainder, _) in enumerate(rows) if remainder > isqrt(N))
    before, first, after = ((r, -t) for r, t in rows[last:last + 3])
    second = min(before, after, key=lambda vector: vector[0]**2 + vector[1]**2)
    if first[0] * second[1] - second[0] * first[1] < 0:
        second = (-second[0], -second[1])
    return first, second


FIRST, SECOND = _short_basis()
"""(a1, b1) and (a2, b2), with b2 > 0 and b1 < 0, a1, b1, b2 odd and a2 even (checked by the
tests)."""

SHIFT: Final = 256
FACTOR_1: Final = ((SECOND[1] << SHIFT) + N) // (2 * N)
"""round(2^255 * b2 / N): the high half of k * FACTOR_1 is about half of k's first coordinate."""
FACTOR_2: Final = ((-FIRST[1] << SHIFT) + N) // (2 * N)


def split(k: int) -> Vector:
    """Returns odd (k1, k2) below 2^HALF_BITS with k1 + k2 * LAMBDA = k modulo N, for 0 <= k <
    2^256."""
    parity = k & 1
    c1 = 2 * (k * FACTOR_1 >> SHIFT) + 1 - parity
    c2 = 2 * (k * FACTOR_2 >> SHIFT) + parity
    return k - c1 * FIRST[0] - c2 * SECOND[0], -c1 * FIRST[1] - c2 * SECOND[1]


def signs(half: int) -> int:
    """Returns the bits that say which of the terms +-2^j of an odd half are positive."""
    if half % 2 == 0 or abs(half) >> HALF_BITS:
        raise ValueError(f"{half:#x} is even or has more than {HALF_BITS} bits")
    return (half + (1 << HALF_BITS) - 1) >> 1


def window(bits: int, number: int) -> int:
    """Returns five of the sign bits; window 0 holds the lowest."""
    return bits >> WINDOW_BITS * number & (1 << WINDOW_BITS) - 1


def digit(window_bits: int) -> tuple[bool, int]:
    """Returns True if a window's digit is negative, and its row i in a table of 1, 3, 5, ...: 2i +
    1."""
    negative = not window_bits >> (WINDOW_BITS - 1)
    return negative, (window_bits ^ -negative) & ENTRIES - 1


def joint_digit(first: int, second: int) -> tuple[bool, int]:
    """Returns sign and row of two windows in the table of a + b * LAMBDA, a > 0 (see
    `joint_entry`)."""
    negative, row = digit(first)
    return negative, row << WINDOW_BITS | (second ^ -negative) & (1 << WINDOW_BITS) - 1


JOINT_ENTRIES: Final = ENTRIES << WINDOW_BITS


def joint_entry(row: int) -> Vector:
    """Returns the digits a = 1, 3, ... and b = -31, -29, ... of a row of the joint table."""
    return 2 * (row >> WINDOW_BITS) + 1, 2 * (row & (1 << WINDOW_BITS) - 1) + 1 - 2 * ENTRIES
