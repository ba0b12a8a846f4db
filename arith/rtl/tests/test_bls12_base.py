# SPDX-License-Identifier: Apache-2.0 OR MIT
"""bls12_base_reduce and mod_mul over the base field of BLS12-381, against plain integers."""

import random
from typing import Any

import cocotb
import pytest
from arith.rtl.tests.bls12_base import (
    BASE_P, DIGIT, MOST_PRODUCTS, SAVED_MULTIPLES, SAVED_SEGMENT, WIDTH, base_reduce, saved_reduce,
)
from arith.rtl.tests.fields import runs_of_bits
from arith.rtl.tests.pipeline_cases import pipeline_of
from arith.simulation.bench import Lint, random_source, run_bench

PRODUCTS = 16
BOUND = PRODUCTS * BASE_P**2
UNMONTGOMERY = pow(1 << WIDTH, -1, BASE_P)
# Values at the ends of the range, of the digits and of the multiples of p.
EDGES = tuple(
    value for value in (
        0, 1, 2, BASE_P - 1, BASE_P, BASE_P + 1, 3 * BASE_P, BASE_P**2, BOUND - 1, BOUND - BASE_P,
        *((1 << k) + d for k in (64, 128, 188, 191, 192, 193, 256, 383, 384, 576, 765)
          for d in (-1, 0, 1)),
        (1 << 384) - 3 * BASE_P, (BASE_P - 1) ** 2, BASE_P << WIDTH, (BASE_P << WIDTH) - 1,
    ) if value < BOUND
)
FACTORS = (0, 1, 2, BASE_P - 1, BASE_P - 2, (1 << 192) - 1, 1 << 192, (1 << 380) - 1,
           (1 << 384) % BASE_P)


def value_below(rng: random.Random) -> int:
    """A sum of products, an edge, a value next to a multiple of p, or one of runs or of digits."""
    kind = rng.randrange(5)
    if kind == 0:
        return sum(factor(rng) * factor(rng) for _ in range(rng.randint(1, PRODUCTS))) % BOUND
    if kind == 1:
        return rng.choice(EDGES)
    if kind == 2:
        multiple = rng.randrange(PRODUCTS * BASE_P) * BASE_P + rng.choice([-1, 0, 1])
        return min(max(multiple, 0), BOUND - 1)
    if kind == 3:
        return runs_of_bits(rng, 766) % BOUND
    ones = (1 << DIGIT) - 1
    digits = [rng.choice([0, 1, ones, rng.getrandbits(DIGIT)]) for _ in range(4)]
    return sum(digit << DIGIT * i for i, digit in enumerate(digits)) % BOUND


def factor(rng: random.Random) -> int:
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(FACTORS)
    return runs_of_bits(rng, 381) % BASE_P if kind == 1 else rng.randrange(BASE_P)


def test_model() -> None:
    """The model asserts the bounds and roundings that the RTL's headers claim."""
    rng = random_source("bls12_base model")
    for value in (*EDGES, *(value_below(rng) for _ in range(2000))):
        assert base_reduce(value) % BASE_P == value * UNMONTGOMERY % BASE_P


@pytest.mark.parametrize("extra_bits", range(7))
def test_bounds(extra_bits: int) -> None:
    """Widths and multiples of p, as in bls12_base_reduce and arith_pkg."""
    largest = (BASE_P**2 << extra_bits) - 1
    assert largest + (3 * BASE_P << WIDTH) < 1 << max(767, 763 + extra_bits)
    multiples = 3 + max(1, (1 << extra_bits) >> WIDTH - BASE_P.bit_length())
    assert base_reduce(largest) < multiples * BASE_P


def test_saved_model() -> None:
    """The bounds of montgomery_saved, for the largest sum of products with their offsets, too."""
    rng = random_source("montgomery_saved model")
    offset = BASE_P << WIDTH
    largest = MOST_PRODUCTS * ((BASE_P - 1)**2 + offset)
    values = [largest, offset, offset + 1]
    values += [value_below(rng) % (largest - offset) + offset for _ in range(40)]
    for value in values:
        # Carries out of the segments stay pending; the highest segment is not 0.
        totals = [rng.choice((0, 1, 24, 25, rng.randrange(26))) for _ in range(5)]
        parts = value - sum(total << SAVED_SEGMENT * (k + 1) for k, total in enumerate(totals))
        totals = totals if parts >= 0 else [0] * 5
        found = saved_reduce(parts if parts >= 0 else value, totals)
        assert found < SAVED_MULTIPLES * BASE_P
        assert found % BASE_P == value * UNMONTGOMERY % BASE_P


@cocotb.test()
async def results_are_right(dut: Any) -> None:
    rng = random_source("bls12_base")
    shapes = [
        ("reduced_o", lambda v: v["value_i"] * UNMONTGOMERY % BASE_P, 1, None),
        ("product_o", lambda v: v["a_i"] * v["b_i"] * UNMONTGOMERY % BASE_P, 1, None),
    ]
    pipeline = await pipeline_of(dut, shapes, ["value_i", "a_i", "b_i"])
    for value in (*EDGES, *(value_below(rng) for _ in range(400))):
        await pipeline.step(rng, {"value_i": value, "a_i": factor(rng), "b_i": factor(rng)})
    await pipeline.drain(rng)


def test_bls12_base() -> None:
    run_bench(__file__, "base_reduce_top", optimize="-O0")


# Including the inner modules; the product and the last subtraction are linted with field_core.
LINTS = [Lint("bls12_base_reduce")]
