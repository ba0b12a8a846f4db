# SPDX-License-Identifier: Apache-2.0 OR MIT
"""montgomery_reduce: any value below 16 * Modulus^2, both fields, folded, reset in flight."""

import cocotb
from arith.rtl.tests.fields import FELT, FR, MONTGOMERY_INVERSE, residue, runs_of_bits
from arith.rtl.tests.pipeline_cases import Pipeline, Unit, latencies
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import reset
from cocotb.triggers import Timer

TESTS = ["arith/rtl/tests"]
PRODUCTS = 16
# Output, input, modulus, Interval, bit of valid_i; in the order of latency_o.
UNITS = [
    ("fr_o", "fr_value_i", FR, 1, None),
    ("felt_o", "felt_value_i", FELT, 1, None),
    ("fr2_o", "fr_value_i", FR, 2, 0),
    ("felt4_o", "felt_value_i", FELT, 4, 1),
    ("bls12_o", "fr_value_i", FR, 1, None),
]


def value_below(rng, modulus: int) -> int:
    """A sum of products, or a value next to a digit's end, to a multiple or to the bound."""
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


async def pipeline_of(dut) -> Pipeline:
    await Timer(1, unit="ns")
    units = [
        Unit(
            output, latency,
            lambda v, source=source, p=modulus: v[source] * MONTGOMERY_INVERSE[p] % p,
            interval, bit,
        )
        for (output, source, modulus, interval, bit), latency in zip(
            UNITS, latencies(dut), strict=True
        )
    ]
    pipeline = Pipeline(dut, units, ["fr_value_i", "felt_value_i"])
    await pipeline.begin()
    return pipeline


@cocotb.test()
async def results_are_right(dut):
    rng = random_source("montgomery")
    pipeline = await pipeline_of(dut)
    for gap in (0.0, 0.4):
        for _ in range(1000):
            await pipeline.step(rng, values(rng), gap)
    await pipeline.drain(rng)


@cocotb.test()
async def folding_starts_afresh_after_reset(dut):
    rng = random_source("montgomery reset")
    for _ in range(4):
        pipeline = await pipeline_of(dut)
        for _ in range(rng.randint(1, 90)):
            await pipeline.step(rng, values(rng), gap=0.3)
        await reset(dut, clocks=1)
    pipeline = await pipeline_of(dut)
    for _ in range(60):
        await pipeline.step(rng, values(rng), gap=0.3)
    await pipeline.drain(rng)


LINTS = [Lint("reduce_top", folders=TESTS)]


def test_montgomery_reduce():
    run_bench(__file__, "reduce_top", folders=TESTS, optimise="-O0")
