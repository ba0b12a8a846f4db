# SPDX-License-Identifier: Apache-2.0 OR MIT
"""linear_sum: all coefficients, extreme sums, both fields."""

from __future__ import annotations

import cocotb
from arith.rtl.tests.sum_cases import check_units
from arith.rtl.tests.fields import MODULI
from arith.simulation.bench import lint_bench, random_source, run_bench

TESTS = ["arith/rtl/tests"]


@cocotb.test()
async def results_are_right(dut):
    await check_units(dut, random_source("linear_sum"), ["fr_linear_o", "felt_linear_o"])


def test_lint():
    for modulus in MODULI:
        lint_bench("linear_sum", {"Modulus": modulus})


def test_linear_sum():
    run_bench(__file__, "sum_top", folders=TESTS, optimise="-O0")
