# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The model of the card's residues against plain division, at the ends of every prime's range."""

import itertools
import random

from engines.ckks.model import residues


def test_primes() -> None:
    primes = residues.primes()
    assert len(primes) == 822 and primes == sorted(primes, reverse=True)
    assert all(prime % (1 << 17) == 1 and prime < 1 << 30 for prime in primes)
    sieve = [prime for prime in primes if prime < 1 << 22]
    assert sieve == [number for number in range((1 << 22) - (1 << 17) + 1, 1, -(1 << 17))
                     if all(number % divisor for divisor in range(2, int(number ** 0.5) + 1))]


def test_steps_and_corrections() -> None:
    rng = random.Random(20)
    for prime in residues.primes():
        inverse = pow(1 << 34, -1, prime)
        ends = [0, 1, prime - 1, prime >> 17, 1 << 17, prime - inverse, rng.randrange(prime)]
        for a, b in itertools.product(ends, repeat=2):
            assert residues.multiply(a % prime, b % prime, prime) == a * b * inverse % prime
        largest = [(prime - 1, prime - 1)] * residues.MAX_SOURCES + [(31, prime - 1)]
        for pairs in (largest, [(prime - 1, prime - inverse)] * 24,
                      [(rng.randrange(prime), rng.randrange(prime)) for _ in range(24)]):
            total = sum(a * b for a, b in pairs)
            reduced = residues.step(residues.step(total, prime), prime)
            assert -prime < reduced <= total >> 34 and reduced < 2 * prime
            assert residues.sum_of_products(pairs, prime) == total * inverse % prime


def test_whole_parts_are_rounded_to_the_nearest() -> None:
    half = 1 << 58
    assert residues.whole_part([(1, half - 1)]) == 0 and residues.whole_part([(1, half)]) == 1
    assert residues.whole_part([(24, 1 << 59)]) == 24
