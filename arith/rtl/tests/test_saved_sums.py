# SPDX-License-Identifier: Apache-2.0 OR MIT
"""linear_sum with saved carries and quotient_finish, in BLS12-381's base field: extreme
coefficients, and pairs whose sum is next to a multiple of p."""

import random
from typing import Any

import cocotb
import pytest

from arith.rtl.tests.bls12_base import BASE_P
from arith.rtl.tests.fields import residue
from arith.rtl.tests.pipeline_cases import pipeline_of
from arith.rtl.tests.test_linear_sum import COEFFICIENTS, sized
from arith.simulation.bench import Lint, random_source, run_bench, setting

MULTIPLES = 15
PAIR_BITS = (MULTIPLES * BASE_P).bit_length()
OPERANDS = ("op0_i", "op1_i", "op2_i", "const_i")
EDGES = (0, 1, 2, BASE_P - 1, BASE_P - 2, BASE_P >> 1, 1 << 379, (1 << 380) - 1)


def signed(coefficient: int) -> int:
    return coefficient - 16 if coefficient >= 8 else coefficient


def linear(v: Any) -> int:
    return (sum(signed(v[f"coef{i}_i"]) * v[f"op{i}_i"] for i in range(3)) + v["const_i"]) % BASE_P


def finished(v: Any) -> int:
    return (v["first_i"] + v["second_i"] + v["carry_i"]) % (1 << PAIR_BITS) % BASE_P


def inputs(rng: random.Random, coefficients: int) -> dict[str, int]:
    extreme = rng.random() < 0.1

    def coefficient(operand: int) -> int:
        found = [c for c in range(-4, 5) if not c or coefficients >> 9 * operand + 4 + c & 1]
        return rng.choice([found[0], found[-1]] if extreme else found) & 0xF

    def operand() -> int:
        if extreme:
            return rng.choice((0, BASE_P - 1))
        return rng.choice(EDGES) if rng.random() < 0.3 else residue(rng, BASE_P)

    # Up to the end of the range, often next to a multiple of p or of the quotient's unit.
    unit = rng.choice((BASE_P, 1 << 379))
    most = MULTIPLES * BASE_P - 1
    whole = min(most, max(0, rng.randrange(most // unit + 1) * unit + rng.choice((-2, -1, 0, 1, 2))))
    if rng.random() < 0.4:
        whole = rng.randrange(most + 1)
    carry = rng.getrandbits(1) if whole else 0
    if whole >= 1 << 379 and rng.random() < 0.3:
        # A pair that wraps, as that of a difference.
        first = rng.randrange(whole, 1 << PAIR_BITS)
        second = (whole - carry - first) % (1 << PAIR_BITS)
    else:
        first = rng.choice((0, whole - carry, rng.randrange(whole - carry + 1)))
        second = whole - carry - first
    return {
        **{name: operand() for name in OPERANDS},
        **{f"coef{i}_i": coefficient(i) for i in range(3)},
        "first_i": first, "second_i": second, "carry_i": carry,
    }


@cocotb.test()
async def results_are_right(dut: Any) -> None:
    rng, coefficients = random_source("saved sums"), int(setting("coefficients"))
    shapes = [("linear_o", linear, 1, None), ("finish_o", finished, 1, None)]
    pipeline = await pipeline_of(dut, shapes, list(inputs(rng, coefficients)))
    for _ in range(1500):
        await pipeline.step(rng, inputs(rng, coefficients))
    await pipeline.drain(rng)


LINTS = [Lint("saved_sum_top", {"Coefficients": sized(coefficients)})
         for coefficients in COEFFICIENTS.values()]


@pytest.mark.parametrize("coefficients", ["all", "few"])
def test_saved_sums(coefficients: str) -> None:
    chosen = COEFFICIENTS[coefficients]
    run_bench(__file__, "saved_sum_top", {"Coefficients": sized(chosen)},
              settings={"coefficients": chosen}, optimize="-O0")
