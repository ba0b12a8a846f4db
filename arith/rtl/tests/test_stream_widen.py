# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_widen: narrow beats to wide ones: order, zeros, full rate, back-pressure, clear and reset
in mid-frame."""

import cocotb
import pytest
from arith.rtl.tests.width_cases import check_order, check_rate, check_restart
from arith.simulation.bench import Lint, in_sweep, run_bench


@cocotb.test()
async def order_is_kept(dut):
    await check_order(dut, "narrow", "wide_zeros")


@cocotb.test()
async def one_narrow_beat_a_clock(dut):
    await check_rate(dut, "narrow", "wide_zeros")


@cocotb.test()
async def clear_and_reset_begin_anew(dut):
    await check_restart(dut, "narrow", "wide_zeros")


WIDTHS = [8, 16, 64]
LINTS = [Lint("stream_widen", {"WideBytes": width, "NarrowBytes": 8}) for width in WIDTHS]


@pytest.mark.parametrize("wide_bytes", [8, 64, *in_sweep([16])])
def test_stream_widen(wide_bytes):
    run_bench(__file__, "stream_widen", {"WideBytes": wide_bytes, "NarrowBytes": 8},
              settings={"wide_bytes": wide_bytes})
