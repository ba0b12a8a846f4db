# SPDX-License-Identifier: Apache-2.0 OR MIT
"""adder_tree, compress, carry_save and wide_add: exact sums of one to eleven vectors. mod_add: sums
and differences in both fields. small_reduce: values next to each multiple of the modulus, and
random ones. (linear_sum, in the same top, has a separate bench.)"""

import cocotb
from arith.rtl.tests.fields import MODULI
from arith.rtl.tests.sum_cases import check_units
from arith.simulation.bench import Lint, random_source, run_bench


@cocotb.test()
@cocotb.parametrize(outputs=[
    ["tree1_o", "tree3_o", "tree9_o", "add_o", "pair_o"], ["fr_add_o", "felt_add_o"],
    ["fr_reduce_o", "felt_reduce_o"],
])
async def results_are_right(dut, outputs):
    await check_units(dut, random_source(outputs), outputs)


LINTS = [Lint("sum_top"), *(Lint(module, {"Modulus": modulus})
                            for module in ("mod_add", "small_reduce") for modulus in MODULI)]


def test_sums():
    run_bench(__file__, "sum_top", optimize="-O0")
