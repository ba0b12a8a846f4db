# SPDX-License-Identifier: Apache-2.0 OR MIT
"""reset_sync: asserted at once, even without a clock; released by the second clock edge."""

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from arith.simulation.bench import Lint, random_source, run_bench

PERIOD_PS = 2000


@cocotb.test()
async def asserted_without_a_clock(dut: Any) -> None:
    dut.clk_i.value, dut.rst_ni.value = 0, 1
    await Timer(10, "ps")
    dut.rst_ni.value = 0
    await Timer(10, "ps")
    assert int(dut.rst_no.value) == 0
    dut.rst_ni.value = 1
    await Timer(100 * PERIOD_PS, "ps")
    assert int(dut.rst_no.value) == 0, "no clock has released it"


@cocotb.test()
async def released_by_the_second_edge(dut: Any) -> None:
    """At any phase: low at once, high after the second edge after the release, not earlier."""
    rng = random_source("reset")
    cocotb.start_soon(Clock(dut.clk_i, PERIOD_PS, unit="ps").start())
    for _ in range(200):
        await Timer(rng.randrange(1, 9 * PERIOD_PS), "ps")
        dut.rst_ni.value = 0
        await Timer(1, "ps")
        assert int(dut.rst_no.value) == 0
        await Timer(rng.randrange(1, 3 * PERIOD_PS), "ps")
        assert int(dut.rst_no.value) == 0
        # Not at the edge itself: there the simulator's order would decide instead of the circuit.
        await RisingEdge(dut.clk_i)
        await Timer(rng.randrange(1, PERIOD_PS), "ps")
        dut.rst_ni.value = 1
        for released in (0, 1, 1):
            await RisingEdge(dut.clk_i)
            await ReadOnly()
            assert int(dut.rst_no.value) == released
            await Timer(1, "ps")


def test_reset_sync() -> None:
    run_bench(__file__, "reset_sync")


LINTS = [Lint("reset_sync", {"Stages": 3})]
