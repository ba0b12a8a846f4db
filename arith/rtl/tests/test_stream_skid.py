# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_skid: order, full rate, random back-pressure, clear and reset in mid-stream."""

import cocotb
from arith.rtl.tests.stream_cases import check_full_rate, check_restart, check_stream
from arith.simulation.bench import Lint, run_bench


@cocotb.test()
async def order_is_kept(dut):
    await check_stream(dut, "skid")


@cocotb.test()
async def one_beat_a_clock(dut):
    await check_full_rate(dut, "skid")


@cocotb.test()
async def clear_and_reset_empty_it(dut):
    await check_restart(dut, "skid")


LINTS = [Lint("stream_skid", {"DataWidth": 65})]


def test_stream_skid():
    run_bench(__file__, "stream_top", {"Depth": 5}, folders=["arith/rtl/tests"])
