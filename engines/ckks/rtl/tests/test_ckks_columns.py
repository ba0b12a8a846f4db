# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_columns against plain integers: sums of every length and number of columns, as close as
possible and with gaps, sums at their bounds, fractions, and a reset in between."""

import random
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.ckks.model import residues
from engines.ckks.rtl.tests.ckks_rows import (
    PRIME_BITS, all_primes, packed, residue, some_prime, unpacked,
)

LANES = 3
TERMS = 25
LATENCY = 14
"""The clocks from a sum's last row to its residue in the first column."""


@dataclass
class Sum:
    """Rows of a sum: the first factor of each lane, and the second of each column and lane."""

    primes: list[int]
    wanted: int
    rows: list[tuple[list[int], list[list[int]], int]]
    is_fraction: bool = False

    def results(self) -> list[list[int]]:
        """Returns the residues of the requested columns."""
        found = []
        for column in range(self.wanted):
            pairs = [[(a[lane] << shift, b[column][lane]) for a, b, shift in self.rows]
                     for lane in range(LANES)]
            prime = self.primes[column]
            found.append([residues.whole_part(lane) if self.is_fraction
                          else residues.sum_of_products(lane, prime) for lane in pairs])
        return found


def fractions(rng: random.Random, columns: int) -> Sum:
    """Returns the sum that a conversion rounds: residues of up to 24 primes, and their reciprocals.
    """
    rows = []
    extreme = rng.choice((None, None, 0, -1))
    for prime in rng.sample(all_primes(), rng.randint(1, 24)):
        shift = residues.RESIDUE_BITS - prime.bit_length()
        if shift > 7:
            prime, shift = all_primes()[0], 0
        reciprocal = (1 << 59 - shift) // prime
        a = [residue(rng, prime) if extreme is None else extreme % prime for _ in range(LANES)]
        rows.append((a, [[reciprocal] * LANES] * columns, shift))
    return Sum([all_primes()[0]] * columns, 1, rows, is_fraction=True)


def products(rng: random.Random, columns: int, least: int) -> Sum:
    """Returns a sum whose columns have different primes; sometimes as large as possible."""
    primes = [some_prime(rng) for _ in range(columns)]
    wanted = rng.randint(1, columns)
    count = rng.choice((least, TERMS, rng.randint(least, TERMS)))
    count = max(count, 1)
    is_largest = rng.random() < 0.2
    common = max(primes)
    rows = []
    for number in range(count):
        if is_largest:
            a = [common - 1] * LANES if number < 24 else [31] * LANES
            b = [[prime - 1] * LANES for prime in primes]
        else:
            bound = common if number < 24 else 32
            a = [residue(rng, common) % bound for _ in range(LANES)]
            b = [[residue(rng, prime) for _ in range(LANES)] for prime in primes]
        rows.append((a, b, 0))
    return Sum(primes, wanted, rows)


@cocotb.test()
@cocotb.parametrize(gap=[0.0, 0.4])
async def sums_are_right(dut: Any, gap: float) -> None:
    columns = int(setting("COLUMNS"))
    rng = random_source((columns, gap))
    await start(dut, valid_i=0, first_i=0, last_i=0, columns_i=0, fraction_i=0, shift_i=0,
                prime_i=0, a_i=0, b_i=0)
    clock, free, due = 0, 0, {}

    async def one_clock() -> None:
        nonlocal clock
        await ReadOnly()
        expected = due.pop(clock, None)
        assert int(dut.valid_o.value) == int(expected is not None), f"clock {clock}"
        if expected is not None:
            assert unpacked(int(dut.residue_o.value), LANES) == expected, f"clock {clock}"
        await RisingEdge(dut.clk_i)
        clock += 1

    for number in range(150):
        if number == 60:
            dut.valid_i.value = 0
            await reset(dut, clocks=1)
            clock, free, due = 0, 0, {}
        # The last sum's columns must have left before this one ends.
        least = max(free - clock + 1, 1)
        chosen = (fractions(rng, columns) if rng.random() < 0.3
                  else products(rng, columns, min(least, TERMS)))
        for _ in range(max(0, least - len(chosen.rows))):
            dut.valid_i.value = 0
            await one_clock()
        for place, (a, b, shift) in enumerate(chosen.rows):
            while rng.random() < gap:
                dut.valid_i.value = 0
                dut.last_i.value, dut.first_i.value = rng.getrandbits(1), rng.getrandbits(1)
                await one_clock()
            is_last = place == len(chosen.rows) - 1
            dut.valid_i.value, dut.first_i.value = 1, int(place == 0)
            dut.last_i.value, dut.fraction_i.value = int(is_last), int(chosen.is_fraction)
            dut.columns_i.value, dut.shift_i.value = chosen.wanted, shift
            dut.prime_i.value = packed([prime >> 17 for prime in chosen.primes], PRIME_BITS)
            dut.a_i.value = packed(a)
            dut.b_i.value = packed([packed(column) for column in b], 30 * LANES)
            if is_last:
                for column, expected in enumerate(chosen.results()):
                    due[clock + LATENCY + column] = expected
                free = clock + chosen.wanted
            await one_clock()
    dut.valid_i.value = 0
    while due:
        await one_clock()


LINTS = [Lint("ckks_columns", {"Columns": columns}) for columns in (1, 3, 4)]


@pytest.mark.parametrize("columns", [1, 3])
def test_ckks_columns(columns: int) -> None:
    run_bench(__file__, "ckks_columns", {"Lanes": LANES, "Columns": columns},
              settings={"COLUMNS": columns})
