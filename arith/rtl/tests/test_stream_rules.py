# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_rules accepts what a sender may do, and stops the simulation if an offered beat is withdrawn
or changes."""

from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from arith.simulation.bench import random_source, run_bench


async def begin(dut: Any) -> None:
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    dut.rst_ni.value = 0
    await beat(dut, 0, 0, 0)
    dut.rst_ni.value = 1


async def beat(dut: Any, valid: int, ready: int, data: int, clear: int = 0) -> None:
    """The signals of one clock."""
    dut.valid_i.value, dut.ready_i.value, dut.data_i.value = valid, ready, data
    dut.clear_i.value = clear
    await FallingEdge(dut.clk_i)


@cocotb.test()
async def allowed(dut: Any) -> None:
    rng = random_source("rules")
    await begin(dut)
    for _ in range(300):
        data = rng.getrandbits(64)
        for _ in range(rng.randrange(3)):
            await beat(dut, 1, 0, data)
        ending = rng.randrange(3)
        if ending == 0:  # withdrawn in a clear
            await beat(dut, 1, 0, data, clear=1)
            await beat(dut, 0, rng.randrange(2), rng.getrandbits(64))
        elif ending == 1:
            await beat(dut, 0, 0, rng.getrandbits(64), clear=1)
        else:
            await beat(dut, 1, 1, data)
            await beat(dut, 0, rng.randrange(2), rng.getrandbits(64))


@cocotb.test()
async def withdrawn(dut: Any) -> None:
    await begin(dut)
    await beat(dut, 1, 0, 5)
    await beat(dut, 0, 0, 5)
    await beat(dut, 0, 0, 5)


@cocotb.test()
async def changed(dut: Any) -> None:
    await begin(dut)
    await beat(dut, 1, 0, 5)
    await beat(dut, 1, 1, 5 ^ 1 << random_source("bit").randrange(64))
    await beat(dut, 0, 0, 5)


def test_what_a_sender_may_do() -> None:
    run_bench(__file__, "stream_rules", tests="allowed")


@pytest.mark.parametrize("wrong", ["withdrawn", "changed"])
def test_a_wrong_sender_stops_the_simulation(wrong: str) -> None:
    with pytest.raises(AssertionError, match="Assertion failed"):
        run_bench(__file__, "stream_rules", tests=wrong, settings={"case": wrong})
