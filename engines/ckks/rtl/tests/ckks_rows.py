# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rows of residues for the benches of the CKKS units: packing, primes, and values at the ends."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from engines.ckks.model import residues

PRIME_BITS = residues.RESIDUE_BITS - residues.STEP_BITS


@lru_cache(maxsize=1)
def all_primes() -> list[int]:
    return residues.primes()


def some_prime(rng: random.Random) -> int:
    """Often the largest or the smallest: the ends of every range."""
    return rng.choice((all_primes()[0], all_primes()[-1], rng.choice(all_primes())))


def residue(rng: random.Random, prime: int) -> int:
    """Often at an end, beside a multiple of 2^17, or what a step makes 0 or -1."""
    inverse = pow(1 << residues.STEPS_BITS, -1, prime)
    edges = (0, 1, prime - 1, prime - 2, prime >> 1, 1 << 17, prime - (1 << 17), inverse,
             prime - inverse)
    return rng.choice(edges) % prime if rng.random() < 0.4 else rng.randrange(prime)


def packed(words: Sequence[int], bits: int = residues.RESIDUE_BITS) -> int:
    """The port of packed words: the first one lowest."""
    return sum(word << bits * place for place, word in enumerate(words))


def unpacked(value: int, count: int, bits: int = residues.RESIDUE_BITS) -> list[int]:
    return [value >> bits * place & (1 << bits) - 1 for place in range(count)]
