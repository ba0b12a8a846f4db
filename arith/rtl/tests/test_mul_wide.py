# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The multipliers of multiplier_top: mul_tile, mul_grid, mul_leaf, mul_wide and const_mul, in odd
and unequal widths, with tiles of both families, folded and not. (mod_mul's bench covers mul_wide of
256 bits with DSP48E2 tiles for Interval 1, 2 and 4.)"""

from collections.abc import Callable, Mapping

import cocotb
from arith.rtl.tests.fields import runs_of_bits
from arith.rtl.tests.pipeline_cases import check_resets, check_results
from arith.simulation.bench import Lint, random_source, run_bench

SPARSE = 0xFFFFFFFF00000001
DENSE = 0x53BDA402FFFE5BFD


def low(value: int, bits: int) -> int:
    return value & (1 << bits) - 1


def product(bits_a: int, bits_b: int) -> Callable[[Mapping[str, int]], int]:
    return lambda values: low(values["a_i"], bits_a) * low(values["b_i"], bits_b)


def by_constant(constant: int, out: int, addend: int) -> Callable[[Mapping[str, int]], int]:
    return lambda values: low(low(values["a_i"], 64) * constant + low(values["b_i"], addend), out)


SHAPES = [
    ("tile_o", product(26, 17), 1, None),
    ("grid_o", product(191, 64), 1, None),
    ("leaf1_o", product(66, 66), 1, None),
    ("leaf2_o", product(66, 66), 2, 0),
    ("leaf4_o", product(191, 64), 4, 1),
    ("wide_ecp5_o", product(256, 256), 1, None),
    ("wide_odd_o", product(129, 129), 1, None),
    ("wide_unequal_o", product(255, 145), 1, None),
    ("wide2_o", product(256, 256), 2, 2),
    ("wide4_o", product(135, 136), 4, 3),
    ("shift_add_o", by_constant(SPARSE, 130, 66), 1, None),
    ("dense_o", by_constant(DENSE, 128, 128), 2, 4),
    ("skewed_o", product(256, 256), 1, None),
]


def operands(rng) -> dict[str, int]:
    edges = [0, 1, (1 << 256) - 1, (1 << 256) - 2, 1 << 255, (1 << 128) - 1, (1 << 64) - 1]
    edges += [sum(1 << k for k in range(0, 256, 2)), ((1 << 256) - 1) ^ (1 << 64)]

    def one() -> int:
        kind = rng.random()
        if kind < 0.2:
            return rng.choice(edges)
        return runs_of_bits(rng, 256) if kind < 0.5 else rng.getrandbits(256)

    return {"a_i": one(), "b_i": one()}


@cocotb.test()
async def products_are_right(dut):
    await check_results(dut, SHAPES, random_source("multipliers"), operands, 700)


@cocotb.test()
async def folding_starts_afresh_after_reset(dut):
    await check_resets(dut, SHAPES, random_source("multipliers reset"), operands, 60)


LINTS = [Lint("multiplier_top")]


def test_mul_wide():
    run_bench(__file__, "multiplier_top", optimize="-O0")
