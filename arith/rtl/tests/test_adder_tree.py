# SPDX-License-Identifier: Apache-2.0 OR MIT
"""adder_tree, compress, carry_save and wide_add: exact sums of one to eleven vectors."""

import cocotb
from arith.rtl.tests.sum_cases import check_units
from arith.simulation.bench import Lint, random_source, run_bench

TESTS = ["arith/rtl/tests"]


@cocotb.test()
async def results_are_right(dut):
    await check_units(dut, random_source("adder_tree"), ["tree1_o", "tree3_o", "tree9_o", "add_o", "pair_o"])


LINTS = [Lint("sum_top", folders=TESTS)]


def test_adder_tree():
    run_bench(__file__, "sum_top", folders=TESTS, optimise="-O0")
