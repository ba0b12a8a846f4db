# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_narrow: wide beats to narrow ones: order, full rate, random back-pressure, clear and reset
in mid-frame."""

import cocotb
import pytest
from arith.rtl.tests.width_cases import check_order, check_rate, check_restart
from arith.simulation.bench import Lint, in_sweep, run_bench


@cocotb.test()
async def order_is_kept(dut):
    await check_order(dut, "wide", "narrow")


@cocotb.test()
async def one_narrow_beat_a_clock(dut):
    await check_rate(dut, "wide", "narrow")


@cocotb.test()
async def clear_and_reset_begin_anew(dut):
    await check_restart(dut, "wide", "narrow")


WIDTHS = [8, 16, 64]
LINTS = [Lint("stream_narrow", {"WideBytes": width, "NarrowBytes": 8}) for width in WIDTHS]


@pytest.mark.parametrize("wide_bytes", [8, 64, *in_sweep([16])])
def test_stream_narrow(wide_bytes):
    run_bench(__file__, "stream_narrow", {"WideBytes": wide_bytes, "NarrowBytes": 8},
              settings={"wide_bytes": wide_bytes})
