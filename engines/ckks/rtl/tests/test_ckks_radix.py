# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_radix against plain integers, in both directions, with stages skipped and another prime in each
row."""

import random
from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import start
from engines.ckks.rtl.tests.ckks_rows import packed, residue, some_prime, unpacked
from engines.ckks.model.transform import reversed_bits

MULTIPLY, ADD = 11, 2
STAGE = MULTIPLY + ADD
ROWS = 200
POWER = 1 << 34
"""The factor of all multiplications."""


class Row:
    """A row in flight: residues, their prime, and the factors of each bit of the port."""

    def __init__(self, rng: random.Random, k: int, inverse: bool) -> None:
        self.k, self.inverse, self.prime = k, inverse, some_prime(rng)
        self.words = [residue(rng, self.prime) for _ in range(1 << k)]
        self.skipped = rng.choice((0, 0, rng.randrange(k)))
        """The number of bits at the upper end without a stage."""
        # Factor j of a bit is that of the ports whose bits above are j.
        self.factors = [[residue(rng, self.prime) for _ in range(1 << k - 1 - bit)]
                        for bit in range(k)]

    def result(self) -> list[int]:
        words, q = list(self.words), self.prime
        bits = range(self.k - self.skipped)
        for bit in bits if self.inverse else reversed(bits):
            for port in range(1 << self.k):
                if port >> bit & 1:
                    continue
                factor = self.factors[bit][port >> bit + 1]
                a, b = words[port], words[port | 1 << bit]
                if self.inverse:
                    words[port], words[port | 1 << bit] = (a + b) % q, (a - b) * factor % q
                else:
                    words[port] = (a + b * factor) % q
                    words[port | 1 << bit] = (a - b * factor) % q
        return words

    def physical(self, words: list[int]) -> list[int]:
        """Ports have their bits reversed in an inverse transform."""
        if not self.inverse:
            return words
        return [words[reversed_bits(port, self.k)] for port in range(1 << self.k)]

    def skip_mask(self) -> int:
        """Bit s of sums s, which pair ports of bit k-1-s, or of bit s when inverse."""
        return sum(1 << s for s in range(self.k)
                   if (s if self.inverse else self.k - 1 - s) >= self.k - self.skipped)

    def factors_of(self, products: int) -> list[int]:
        """Returns the factors in the order of the multipliers: the ports that have the bit, the
        lowest first."""
        k, found = self.k, []
        forward = k - 1 - products
        for port in range(1 << k):
            if not port >> forward & 1:
                continue
            if self.inverse:
                # The port that this multiplier serves has both bits swapped.
                before = (forward + 1) % k
                differ = (port >> forward ^ port >> before) & 1
                served = port if forward == before else port ^ differ << forward ^ differ << before
                bit, logical = k - 1 - before, reversed_bits(served, k)
            else:
                bit, logical = forward, port
            factor = 1 if bit >= k - self.skipped else self.factors[bit][logical >> bit + 1]
            found.append(factor * POWER % self.prime)
        return found

    def clock_of(self, products: int) -> int:
        """Returns the clock in which the row reaches the products of this number."""
        if not self.inverse:
            return products * STAGE
        return ADD + ((products - 1) % self.k) * STAGE


@cocotb.test()
async def rows_are_right(dut: Any) -> None:
    k = int(setting("LOG_RADIX"))
    rng = random_source(k)
    await start(dut, inverse_i=0, prime_i=0, skip_i=0, factor_i=0, word_i=0)
    for inverse in (False, True, False):
        dut.inverse_i.value = int(inverse)
        inside: deque[Row] = deque()
        for clock in range(ROWS + k * STAGE):
            row = Row(rng, k, inverse)
            inside.append(row)
            dut.prime_i.value, dut.skip_i.value = row.prime >> 17, row.skip_mask()
            dut.word_i.value = packed(row.physical(row.words))
            now = []
            for products in range(k):
                ago = row.clock_of(products)
                now.append(packed(inside[-1 - ago].factors_of(products)) if ago < len(inside)
                           else 0)
            dut.factor_i.value = packed(now, 30 << k - 1)
            await ReadOnly()
            if clock >= k * STAGE:
                oldest = inside.popleft()
                got = unpacked(int(dut.word_o.value), 1 << k)
                assert got == oldest.physical(oldest.result()), f"row {clock - k * STAGE}"
            await RisingEdge(dut.clk_i)


LINTS = [Lint("ckks_radix", {"LogRadix": k}) for k in (1, 2, 4)]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_ckks_radix(k: int) -> None:
    run_bench(__file__, "ckks_radix", {"LogRadix": k}, settings={"LOG_RADIX": k})
