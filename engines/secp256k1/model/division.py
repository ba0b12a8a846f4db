# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Models the scalar unit before the core: ranges, and division modulo N by shifts and subtractions.

Each step removes at least one bit from a or b, which have at most 512 together; b ends as 1 and a
as 0, so that MAX_STEPS are enough. Invariant: x * s = a * numerator and y * s = b * numerator
modulo N.
"""

from typing import Final, Sequence

from engines.secp256k1.model.curve import N, P

MAX_STEPS: Final = 511


def halve(x: int) -> int:
    """Returns x / 2 modulo N, for x in [0, N)."""
    return (x + N if x & 1 else x) >> 1


def divide(numerators: Sequence[int], s: int) -> tuple[list[int], int]:
    """Returns each numerator / s modulo N, and the number of steps. Numerators in [0, N), s in [1,
    N)."""
    if not 0 < s < N or not all(0 <= numerator < N for numerator in numerators):
        raise ValueError("operands must be reduced, and the divisor not 0")
    a, b = s, N
    x, y = list(numerators), [0] * len(numerators)
    steps = 0
    while a:
        steps += 1
        if a & 1:
            if a < b:
                a, b, x, y = b, a, y, x
            a -= b
            x = [(one - other) % N for one, other in zip(x, y)]
        a >>= 1
        x = [halve(one) for one in x]
    return y, steps


def job_words(r: int, s: int, digest: int, x: int, y: int) -> list[int]:
    """Returns the words of a job: u1, u2, r, r2, x, y, each below P; r2 is r + N if that is below
    P.

    The inputs must be in range; the digest is any number of 256 bits, and so below 2 * N.
    """
    (u1, u2), _ = divide([digest - N if digest >= N else digest, r], s)
    return [u1, u2, r, r + N if r + N < P else r, x, y]
