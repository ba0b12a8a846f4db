# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_multiply and ckks_add against plain integers: another prime in each row, and values at the
ends of their ranges. ckks_barrett, to which the area tables compare them, for one modulus at a
time."""

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import start
from engines.ckks.model import residues
from engines.ckks.rtl.tests.ckks_rows import packed, residue, some_prime, unpacked

LANES = 5
ROWS = 3000
LATENCY = {"ckks_multiply": 11, "ckks_add": 2, "ckks_barrett": 19}


@cocotb.test()
async def rows_are_right(dut: Any) -> None:
    unit = setting("UNIT")
    rng = random_source(unit)
    is_add = unit == "ckks_add"
    output = dut.sum_o if is_add else dut.product_o
    await start(dut, prime_i=0, a_i=0, b_i=0, **({"subtract_i": 0} if is_add else {}))
    due: deque[list[int]] = deque()
    for row in range(ROWS + LATENCY[unit]):
        prime, subtract = some_prime(rng), rng.random() < 0.5
        a, b = ([residue(rng, prime) for _ in range(LANES)] for _ in range(2))
        dut.prime_i.value, dut.a_i.value, dut.b_i.value = prime >> 17, packed(a), packed(b)
        if is_add:
            dut.subtract_i.value = int(subtract)
            due.append([(x - y if subtract else x + y) % prime for x, y in zip(a, b)])
        else:
            due.append([x * y * pow(1 << 34, -1, prime) % prime for x, y in zip(a, b)])
            assert due[-1] == [residues.multiply(x, y, prime) for x, y in zip(a, b)]
        await ReadOnly()
        if row >= LATENCY[unit]:
            assert unpacked(int(output.value), LANES) == due.popleft(), f"row {row}"
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def barrett_is_right(dut: Any) -> None:
    rng = random_source("barrett")
    await start(dut, modulus_i=3, reciprocal_i=0, a_i=0, b_i=0)
    for modulus in ((1 << 29) + 1, (1 << 30) - 1, *(some_large(rng) for _ in range(6))):
        dut.modulus_i.value, dut.reciprocal_i.value = modulus, (1 << 60) // modulus
        due: deque[list[int]] = deque()
        for row in range(400 + LATENCY["ckks_barrett"]):
            a, b = ([residue(rng, modulus) for _ in range(LANES)] for _ in range(2))
            dut.a_i.value, dut.b_i.value = packed(a), packed(b)
            due.append([x * y % modulus for x, y in zip(a, b)])
            await ReadOnly()
            if row >= LATENCY["ckks_barrett"]:
                assert unpacked(int(dut.product_o.value), LANES) == due.popleft(), f"row {row}"
            await RisingEdge(dut.clk_i)


def some_large(rng: random.Random) -> int:
    """An odd number of 30 bits."""
    return rng.randrange(1 << 29, 1 << 30) | 1


LINTS = [*map(Lint, LATENCY)]


def test_ckks_multiply() -> None:
    run_bench(__file__, "ckks_multiply", {"Lanes": LANES}, tests="rows",
              settings={"UNIT": "ckks_multiply"})


def test_ckks_add() -> None:
    run_bench(__file__, "ckks_add", {"Lanes": LANES}, tests="rows",
              settings={"UNIT": "ckks_add"})


def test_ckks_barrett() -> None:
    run_bench(__file__, "ckks_barrett", {"Lanes": LANES}, tests="barrett")
