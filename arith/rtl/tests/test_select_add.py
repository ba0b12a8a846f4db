# SPDX-License-Identifier: Apache-2.0 OR MIT
"""select_add compared with Python's integers: carries through every segment, widths that end in
one."""

from typing import Any

import cocotb
import pytest
from arith.simulation.bench import Lint, random_source, run_bench
from cocotb.triggers import Timer

# Width and segment: whole segments, a last one of one bit, a single segment, the default.
SHAPES = ((128, 32), (97, 32), (20, 52), (258, 52))


@cocotb.test()
async def sums(dut: Any) -> None:
    rng = random_source("sums")
    width = len(dut.a_i)
    ones = (1 << width) - 1
    cases = [(0, 0), (ones, 0), (0, ones), (ones, ones), (ones, 1)]
    for low in range(0, width, 7):  # a carry from this bit up to the end, and an incoming one
        cases += [(ones >> low << low, 1 << low), (ones ^ 1 << low, 1), (1 << low, ones)]
    cases += [(rng.getrandbits(width), rng.getrandbits(width)) for _ in range(300)]
    # Long runs of ones, through which carries propagate.
    cases += [(a, ones ^ a ^ 1 << rng.randrange(width)) for a, _ in cases]
    for a, b in cases:
        for carry in range(2):
            dut.a_i.value, dut.b_i.value, dut.carry_i.value = a, b, carry
            await Timer(1, "ns")
            assert int(dut.sum_o.value) == a + b + carry & ones, (hex(a), hex(b), carry)


LINTS = [Lint("select_add", {"Width": width, "Segment": segment}) for width, segment in SHAPES]


@pytest.mark.parametrize(("width", "segment"), SHAPES)
def test_select_add(width: int, segment: int) -> None:
    run_bench(__file__, "select_add", {"Width": width, "Segment": segment})
