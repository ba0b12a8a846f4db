# SPDX-License-Identifier: Apache-2.0 OR MIT
"""secp256k1_divide against the model: numbers of all sizes, both quotients, clocks, resets."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import lint_bench, random_source, run_bench
from arith.simulation.streams import reset, start
from engines.secp256k1.model.curve import N
from engines.secp256k1.model.division import MAX_STEPS, divide

MODULE = "secp256k1_divide"


def number(rng: random.Random) -> int:
    """In [0, N): of any size, next to powers of two, or at the ends."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice((0, 1, 2, 3, N - 1, N - 2, N // 2, N // 2 + 1))
    if kind == 1:
        return min((1 << rng.randrange(256)) + rng.randint(-1, 1), N - 1)
    if kind == 2:
        return rng.getrandbits(rng.randint(1, 255))
    return rng.randrange(N)


async def one(dut: Any, rng: random.Random, s: int, numerators: list[int], stop: bool = False
              ) -> None:
    """A division from offer to taken answer; with `stop` it is left in the middle."""
    expected, steps = divide(numerators, s)
    dut.divisor_i.value, dut.in_valid_i.value = s, 1
    dut.numerators_i.value = numerators[1] << 256 | numerators[0]
    await ReadOnly()
    assert int(dut.in_ready_o.value) == 1 and int(dut.out_valid_o.value) == 0
    await RisingEdge(dut.clk_i)
    dut.in_valid_i.value = rng.randrange(2)
    dut.divisor_i.value, dut.numerators_i.value = rng.getrandbits(256), rng.getrandbits(512)
    for clock in range(1 + 3 * MAX_STEPS + 2):
        if stop and clock == rng.randrange(1, 40):
            return
        await ReadOnly()
        if int(dut.out_valid_o.value):
            break
        assert int(dut.in_ready_o.value) == 0
        await RisingEdge(dut.clk_i)
    assert clock == 3 * steps + 1 <= 6 * 256 - 2
    for waiting in range(rng.randrange(3)):
        await RisingEdge(dut.clk_i)
        await ReadOnly()
    got = int(dut.quotients_o.value)
    assert [got & (1 << 256) - 1, got >> 256] == expected, (s, numerators)
    await RisingEdge(dut.clk_i)
    dut.out_ready_i.value, dut.in_valid_i.value = 1, 0
    await RisingEdge(dut.clk_i)
    dut.out_ready_i.value = 0


async def _start(dut: Any) -> random.Random:
    rng = random_source("divide")
    await start(dut, in_valid_i=0, out_ready_i=0, divisor_i=0, numerators_i=0)
    return rng


@cocotb.test()
async def quotients_are_right(dut: Any) -> None:
    rng = await _start(dut)
    for _ in range(60):
        await one(dut, rng, number(rng) or 1, [number(rng), number(rng)])


@cocotb.test()
async def a_reset_drops_a_division(dut: Any) -> None:
    rng = await _start(dut)
    for _ in range(5):
        await one(dut, rng, rng.randrange(1, N), [number(rng), number(rng)], stop=True)
        dut.in_valid_i.value = 0
        await reset(dut, clocks=1)
        await one(dut, rng, rng.randrange(1, N), [number(rng), number(rng)])


def test_lint() -> None:
    lint_bench(MODULE)


def test_secp256k1_divide() -> None:
    run_bench(__file__, MODULE)
