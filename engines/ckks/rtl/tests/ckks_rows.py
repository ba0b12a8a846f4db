# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Helpers for the benches of the CKKS units: rows of residues, primes, values at the ends, and
offers."""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from cocotb.triggers import ReadOnly, RisingEdge, with_timeout

from engines.ckks.model import residues

PRIME_BITS = residues.RESIDUE_BITS - residues.STEP_BITS


@lru_cache(maxsize=1)
def all_primes() -> list[int]:
    return residues.primes()


def some_prime(rng: random.Random) -> int:
    """Returns a prime, often the largest or the smallest, for the ends of every range."""
    return rng.choice((all_primes()[0], all_primes()[-1], rng.choice(all_primes())))


def residue(rng: random.Random, prime: int) -> int:
    """Returns a residue, often at an end, next to a multiple of 2^17, or one that a step maps to 0
    or -1."""
    inverse = pow(1 << residues.STEPS_BITS, -1, prime)
    edges = (0, 1, prime - 1, prime - 2, prime >> 1, 1 << 17, prime - (1 << 17), inverse,
             prime - inverse)
    return rng.choice(edges) % prime if rng.random() < 0.4 else rng.randrange(prime)


def packed(words: Sequence[int], bits: int = residues.RESIDUE_BITS) -> int:
    """Returns the port of packed words: the first one lowest."""
    return sum(word << bits * place for place, word in enumerate(words))


def unpacked(value: int, count: int, bits: int = residues.RESIDUE_BITS) -> list[int]:
    return [value >> bits * place & (1 << bits) - 1 for place in range(count)]


class Slots:
    """The memory of slots around a unit. Rows are stored without banks."""

    def __init__(self, lanes: int, log_degree: int, address_bits: int) -> None:
        self.lanes, self.degree = lanes, 1 << log_degree
        self.rows = self.degree // lanes
        self.memory = [0] * (1 << address_bits)

    def put(self, slot: int, limb: list[int]) -> None:
        for row in range(self.rows):
            self.memory[slot * self.rows + row] = packed(limb[row * self.lanes:][:self.lanes])

    def get(self, slot: int) -> list[int]:
        rows = self.memory[slot * self.rows:(slot + 1) * self.rows]
        return [word for row in rows for word in unpacked(row, self.lanes)]


async def offer(dut: Any, name: str, clocks: int = 100_000, **ports: int) -> None:
    """Offers the values of the ports `<name>_<port>_i` until `<name>_ready_o`; returns after that
    edge."""
    async def taken() -> None:
        getattr(dut, f"{name}_valid_i").value = 1
        is_taken = False
        while not is_taken:
            await ReadOnly()
            is_taken = bool(int(getattr(dut, f"{name}_ready_o").value))
            await RisingEdge(dut.clk_i)
        getattr(dut, f"{name}_valid_i").value = 0

    for port, value in ports.items():
        getattr(dut, f"{name}_{port}_i").value = value
    await with_timeout(taken(), 2 * clocks, "ns")
