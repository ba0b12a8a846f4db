# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests that the README's table matches the data file of the instructions' clocks."""

from engines.bls12_381.rtl.clocks import README, kept_rows, with_table
from engines.bls12_381.rtl.tests.coprocessor_cases import ISA


def test_the_readme_has_the_kept_clocks() -> None:
    readme = README.read_text()
    assert readme == with_table(readme, kept_rows()), "run `python -m engines.bls12_381.rtl.clocks --table`"


def test_rows_are_those_of_the_instruction_set() -> None:
    rows = {(instruction.name, " ".join(row)) for instruction in ISA.instructions.values()
            for row in instruction.rows}
    for name, kinds, alone, each in kept_rows():
        assert (name, kinds) in rows, f"{name} {kinds}"
        assert 0 < each and 18 <= alone, name
