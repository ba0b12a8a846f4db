# SPDX-License-Identifier: Apache-2.0 OR MIT
"""linear_sum: coefficients of several programs, extreme sums, both fields, and a field that folds."""

import cocotb
import pytest
from arith.rtl.tests.fields import MODULI, SECP256K1
from arith.rtl.tests.sum_cases import ALL_COEFFICIENTS, check_units
from arith.simulation.bench import Lint, random_source, run_bench, setting


def sized(coefficients: int) -> str:
    return f"27'h{coefficients:x}"


def mask(*operands: list[int]) -> int:
    return sum(1 << 9 * operand + 4 + coefficient
               for operand, coefficients in enumerate(operands) for coefficient in coefficients)


COEFFICIENTS = {
    "all": ALL_COEFFICIENTS,
    "plain sums": mask([1], [0, 1], [1]),
    "a difference": mask([1], [-1], []),
    "few": mask([-2, 1, 2, 4], [-2, 1, 2, 3, 4], [-2, -1, 1, 2]),
    "no small ones": mask([-4], [4], [-3, 2]),
    "none": 0,
}


@cocotb.test()
async def results_are_right(dut):
    await check_units(dut, random_source("linear_sum"), ["fr_linear_o", "felt_linear_o", "fold_linear_o"],
                      coefficients=int(setting("coefficients")))


LINTS = [Lint("linear_sum", {"Modulus": modulus, "Coefficients": sized(coefficients)})
         for coefficients in COEFFICIENTS.values() for modulus in MODULI]
LINTS += [Lint("linear_sum", {"Modulus": SECP256K1, "Coefficients": sized(coefficients), "Folds": "1'b1"})
          for coefficients in COEFFICIENTS.values()]


# (With long chains, the sum is a tree of two-operand additions: adder_tree.)
CASES = [("all", ()), ("plain sums", ()), ("few", ("-DHALIMEDE_LONG_CARRIES",)),
         ("no small ones", ())]


@pytest.mark.parametrize("coefficients, options", CASES)
def test_linear_sum(coefficients, options):
    chosen = COEFFICIENTS[coefficients]
    run_bench(__file__, "sum_top", {"Coefficients": sized(chosen)}, options=options,
              settings={"coefficients": chosen}, optimize="-O0")
