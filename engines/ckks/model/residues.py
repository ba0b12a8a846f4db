# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Residues as the card's units compute with them: primes, Montgomery steps, sums of products.

A prime is q = k * 2^17 + 1 with k below 2^13. A product is computed times 2^-34 (docs/design.md,
"Moduli"): to get a * b, pass b * 2^34.
"""

from collections.abc import Iterable, Sequence
from typing import Final

RESIDUE_BITS: Final = 30
STEP_BITS: Final = 17
STEPS_BITS: Final = 2 * STEP_BITS
FRACTION_BITS: Final = 59
MAX_SOURCES: Final = 24
"""The largest number of residues in a sum; a conversion adds one product with a number below 2^5.
"""

_WITNESSES: Final = (2, 7, 61)


def is_prime(number: int) -> bool:
    """The Miller-Rabin test, which is exact below 2^32 with these bases."""
    if number < 2 or any(number % small == 0 for small in (2, 3, 5, 7, 61)):
        return number in (2, 3, 5, 7, 61)
    twos = (number - 1 & 1 - number).bit_length() - 1
    for base in _WITNESSES:
        power = pow(base, number - 1 >> twos, number)
        if power not in (1, number - 1) and not any(
                (power := power * power % number) == number - 1 for _ in range(twos - 1)):
            return False
    return True


def primes() -> list[int]:
    """Every prime that is 1 modulo 2^17 and below 2^30, the largest first: 822."""
    candidates = ((k << STEP_BITS) + 1 for k in range((1 << RESIDUE_BITS - STEP_BITS) - 1, 0, -1))
    return [candidate for candidate in candidates if is_prime(candidate)]


def step(value: int, prime: int) -> int:
    """A Montgomery step: value * 2^-17 modulo the prime, for a value of any sign."""
    return (value >> STEP_BITS) - (value % (1 << STEP_BITS)) * (prime >> STEP_BITS)


def reduce(total: int, prime: int) -> int:
    """A sum of up to 31 products times 2^-34, in [0, prime), by two steps and a correction."""
    reduced = step(step(total, prime), prime)
    if reduced < 0:
        return reduced + prime
    return reduced - prime if reduced >= prime else reduced


def multiply(a: int, b: int, prime: int) -> int:
    return reduce(a * b, prime)


def sum_of_products(pairs: Iterable[tuple[int, int]], prime: int) -> int:
    return reduce(sum(a * b for a, b in pairs), prime)


def whole_part(pairs: Sequence[tuple[int, int]]) -> int:
    """The nearest integer to a sum of products with 59 bits after the point."""
    return sum(a * b for a, b in pairs) + (1 << FRACTION_BITS - 1) >> FRACTION_BITS
