# SPDX-License-Identifier: Apache-2.0 OR MIT
"""skew_sum, skew_shift and bls12_scale: segment k of a number comes k clocks after segment 0."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cocotb
from arith.rtl.tests.fields import runs_of_bits
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import start
from cocotb.triggers import RisingEdge

SEGMENT = 132
WIDTH = 300
SCALE = 0xD201
LOW = 150


@dataclass(frozen=True)
class Unit:
    """An output: its width, the clocks to its segment 0, and the number it represents."""

    name: str
    width: int
    latency: int
    model: Callable[[int, int, int], int]


def above(value: int) -> int:
    return value >> LOW << LOW


UNITS = (
    Unit("sum3_o", WIDTH, 1, lambda x, y, z: x + y + z + 2),
    Unit("sum2_o", WIDTH, 1, lambda x, y, z: x + y + 1),
    Unit("sum_low_o", WIDTH, 1, lambda x, y, z: x + above(y) + above(z) + (1 << LOW)),
    Unit("up_o", 320, 1, lambda x, y, z: ~(x << 9)),
    Unit("far_up_o", 260, 0, lambda x, y, z: x % (1 << 100) << 192),
    Unit("down_o", 200, 1, lambda x, y, z: x >> 60),
    Unit("far_down_o", 100, 3, lambda x, y, z: ~(x >> 252)),
    Unit("scale_o", 316, 2, lambda x, y, z: x * SCALE),
    Unit("scale_low_o", 90, 2, lambda x, y, z: x % (1 << 100) * SCALE),
)


def segment(value: int, index: int) -> int:
    return value >> SEGMENT * index & (1 << SEGMENT) - 1


def skewed(history: Sequence[int], clock: int, width: int) -> int:
    """The wires in a clock; history[c] is the number whose segment 0 came in c."""
    segments = range(-(-width // SEGMENT))
    return sum(segment(history[clock - k], k) << SEGMENT * k for k in segments if clock >= k)


def number(rng: random.Random) -> int:
    ones = (1 << WIDTH) - 1
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice((0, 1, ones, ones - 1, (1 << SEGMENT) - 1, ones ^ ((1 << LOW) - 1)))
    return runs_of_bits(rng, WIDTH) & ones if kind == 1 else rng.getrandbits(WIDTH)


@cocotb.test()
async def numbers_are_right(dut: Any) -> None:
    rng = random_source("skew")
    await start(dut, x_i=0, y_i=0, z_i=0)
    inputs: dict[str, list[int]] = {name: [] for name in ("x_i", "y_i", "z_i")}
    results: dict[str, list[int]] = {unit.name: [] for unit in UNITS}
    for clock in range(1500):
        for name, history in inputs.items():
            history.append(number(rng))
            getattr(dut, name).value = skewed(history, clock, WIDTH)
        for unit in UNITS:
            value = unit.model(*(history[-1] for history in inputs.values()))
            results[unit.name].append(value % (1 << unit.width))
        await RisingEdge(dut.clk_i)
        for unit in UNITS:
            due = clock - unit.latency
            if due >= 3:  # before it, segments of numbers from before the start are visible
                expected = skewed(results[unit.name], due, unit.width)
                assert int(getattr(dut, unit.name).value) == expected, f"{unit.name} {clock}"


def test_skew() -> None:
    run_bench(__file__, "skew_top")


LINTS = [*map(Lint, ["skew_sum", "skew_shift", "bls12_scale", "bls12_reduce"]),
         Lint("skew_top")]
