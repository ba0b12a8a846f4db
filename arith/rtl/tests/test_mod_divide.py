# SPDX-License-Identifier: Apache-2.0 OR MIT
"""mod_divide compared with integers: numbers of all sizes, clocks, resets, division by 0."""

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import reset, start

MODULE = "mod_divide"
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
BASE = int("1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624"
           "1eabfffeb153ffffb9feffffffffaaab", 16)
SHAPES = {
    "order": {"Width": 256, "Modulus": ORDER, "Columns": 2, "SumClocks": 1},
    "base": {"Width": 381, "Modulus": BASE, "Columns": 1, "SumClocks": 2},
}
"""The moduli of secp256k1's scalars and of the base field of BLS12-381."""


def clocks_of(modulus: int, divisor: int, late: bool) -> int:
    """The clocks of a division."""
    a, b, clocks = divisor, modulus, 1
    while a:
        clocks += 3 if a % 2 == 0 or not late else 5
        if a % 2:
            a, b = (a - b, b) if a >= b else (b - a, a)
        a //= 2
    return clocks + 3 * late  # with late sums, a 0 is halved once more


class Divider:
    """Runs divisions sequentially."""

    def __init__(self, dut: Any, rng: random.Random) -> None:
        shape = SHAPES[setting("shape")]
        self.dut, self.rng = dut, rng
        self.width, self.columns, self.modulus = shape["Width"], shape["Columns"], shape["Modulus"]
        self.late = shape["SumClocks"] == 2

    def number(self) -> int:
        """In [0, modulus): of any size, next to powers of two, or at the ends."""
        rng, modulus = self.rng, self.modulus
        kind = rng.randrange(4)
        if kind == 0:
            return rng.choice((0, 1, 2, 3, modulus - 1, modulus - 2, modulus // 2, modulus // 2 + 1))
        if kind == 1:
            return min((1 << rng.randrange(self.width)) + rng.randint(-1, 1), modulus - 1)
        if kind == 2:
            return rng.getrandbits(rng.randint(1, self.width - 1)) % modulus
        return rng.randrange(modulus)

    async def one(self, divisor: int, stop: bool = False) -> None:
        """A division from its offer to its accepted answer; with `stop` it is abandoned midway."""
        dut, rng, width = self.dut, self.rng, self.width
        numerators = [self.number() for _ in range(self.columns)]
        dut.divisor_i.value, dut.in_valid_i.value = divisor, 1
        dut.numerators_i.value = sum(n << width * k for k, n in enumerate(numerators))
        await ReadOnly()
        assert int(dut.in_ready_o.value) == 1 and int(dut.out_valid_o.value) == 0
        await RisingEdge(dut.clk_i)
        dut.in_valid_i.value = rng.randrange(2)
        dut.divisor_i.value = rng.getrandbits(width)
        dut.numerators_i.value = rng.getrandbits(width * self.columns)
        expected = clocks_of(self.modulus, divisor, self.late)
        clock = 0
        for clock in range(expected + 2):
            if stop and clock == rng.randrange(1, 40):
                return
            await ReadOnly()
            if int(dut.out_valid_o.value):
                break
            assert int(dut.in_ready_o.value) == 0
            await RisingEdge(dut.clk_i)
        assert clock == expected, divisor
        for _ in range(rng.randrange(3)):
            await RisingEdge(dut.clk_i)
            await ReadOnly()
        got = int(dut.quotients_o.value)
        over = pow(divisor, -1, self.modulus) if divisor else 0
        for k, numerator in enumerate(numerators):
            quotient = got >> width * k & (1 << width) - 1
            assert quotient == numerator * over % self.modulus, (divisor, numerator)
        await RisingEdge(dut.clk_i)
        dut.out_ready_i.value, dut.in_valid_i.value = 1, 0
        await RisingEdge(dut.clk_i)
        dut.out_ready_i.value = 0


async def _start(dut: Any) -> Divider:
    rng = random_source("divide")
    await start(dut, in_valid_i=0, out_ready_i=0, divisor_i=0, numerators_i=0)
    return Divider(dut, rng)


@cocotb.test()
async def quotients_are_right(dut: Any) -> None:
    divider = await _start(dut)
    for divisor in (1, 0, 2, divider.modulus - 1, *(divider.number() for _ in range(50))):
        await divider.one(divisor)


@cocotb.test()
async def a_reset_drops_a_division(dut: Any) -> None:
    divider = await _start(dut)
    for _ in range(5):
        await divider.one(divider.rng.randrange(1, divider.modulus), stop=True)
        dut.in_valid_i.value = 0
        await reset(dut, clocks=1)
        await divider.one(divider.rng.randrange(1, divider.modulus))


LINTS = [Lint(MODULE, shape) for shape in SHAPES.values()]


@pytest.mark.parametrize("shape", SHAPES)
def test_mod_divide(shape: str) -> None:
    run_bench(__file__, MODULE, SHAPES[shape], settings={"shape": shape})
