# SPDX-License-Identifier: Apache-2.0 OR MIT
"""small_reduce: values next to each multiple of the modulus, and random ones."""

import cocotb
from arith.rtl.tests.sum_cases import check_units
from arith.rtl.tests.fields import MODULI
from arith.simulation.bench import Lint, random_source, run_bench

TESTS = ["arith/rtl/tests"]


@cocotb.test()
async def results_are_right(dut):
    await check_units(dut, random_source("small_reduce"), ["fr_reduce_o", "felt_reduce_o"])


LINTS = [Lint("small_reduce", {"Modulus": modulus}) for modulus in MODULI]


def test_small_reduce():
    run_bench(__file__, "sum_top", folders=TESTS, optimise="-O0")
