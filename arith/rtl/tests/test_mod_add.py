# SPDX-License-Identifier: Apache-2.0 OR MIT
"""mod_add: sums and differences in both fields."""

import cocotb
from arith.rtl.tests.sum_cases import check_units
from arith.rtl.tests.fields import MODULI
from arith.simulation.bench import Lint, random_source, run_bench

TESTS = ["arith/rtl/tests"]


@cocotb.test()
async def results_are_right(dut):
    await check_units(dut, random_source("mod_add"), ["fr_add_o", "felt_add_o"])


LINTS = [Lint("mod_add", {"Modulus": modulus}) for modulus in MODULI]


def test_mod_add():
    run_bench(__file__, "sum_top", folders=TESTS, optimise="-O0")
