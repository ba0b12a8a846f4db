# SPDX-License-Identifier: Apache-2.0 OR MIT
"""montgomery_reduce: any value below 16 * Modulus^2, both fields, folded, reset in flight."""

from collections.abc import Callable, Mapping

import cocotb
from arith.rtl.tests.fields import FELT, FR, MONTGOMERY_INVERSE, residue, runs_of_bits
from arith.rtl.tests.pipeline_cases import check_resets, check_results
from arith.simulation.bench import Lint, random_source, run_bench

PRODUCTS = 16


def reduced(source: str, modulus: int) -> Callable[[Mapping[str, int]], int]:
    return lambda values: values[source] * MONTGOMERY_INVERSE[modulus] % modulus


UNITS = [
    ("fr_o", reduced("fr_value_i", FR), 1, None),
    ("felt_o", reduced("felt_value_i", FELT), 1, None),
    ("fr2_o", reduced("fr_value_i", FR), 2, 0),
    ("felt4_o", reduced("felt_value_i", FELT), 4, 1),
    ("bls12_o", reduced("fr_value_i", FR), 1, None),
    ("skewed_o", reduced("fr_value_i", FR), 1, None),
]


def value_below(rng, modulus: int) -> int:
    """A sum of products, or a value next to a digit's end, a multiple or the bound."""
    bound = PRODUCTS * modulus**2
    kind = rng.randrange(5)
    if kind == 0:
        count = rng.randint(1, PRODUCTS)
        return sum(residue(rng, modulus) * residue(rng, modulus) for _ in range(count)) % bound
    if kind == 1:
        return bound - 1 - rng.randrange(3)
    if kind == 2:
        multiple = rng.randrange(PRODUCTS * modulus) * modulus + rng.choice([-1, 0, 1])
        return min(max(multiple, 0), bound - 1)
    if kind == 3:
        return runs_of_bits(rng, 516) % bound
    digits = [rng.choice([0, 1, (1 << 64) - 1, rng.getrandbits(64)]) for _ in range(8)]
    return sum(digit << 64 * i for i, digit in enumerate(digits)) % bound


def values(rng) -> dict[str, int]:
    return {"fr_value_i": value_below(rng, FR), "felt_value_i": value_below(rng, FELT)}


@cocotb.test()
async def results_are_right(dut):
    await check_results(dut, UNITS, random_source("montgomery"), values, 1000)


@cocotb.test()
async def folding_starts_afresh_after_reset(dut):
    await check_resets(dut, UNITS, random_source("montgomery reset"), values, 90)


LINTS = [Lint("reduce_top")]


def test_montgomery_reduce():
    run_bench(__file__, "reduce_top", optimize="-O0")
