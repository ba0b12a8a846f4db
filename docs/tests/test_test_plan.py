# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The card's test plan names only existing tests and proofs, and covers every command, interrupt
and proof."""

import re
from pathlib import Path

import pytest

from arith.formal.collect import all_proofs
from card.model.frames import SPEC

ROOT = Path(__file__).resolve().parents[2]
PLAN = (ROOT / "docs" / "test-plan.md").read_text(encoding="utf-8")
TESTS = re.findall(r"`([\w/.]+)::(\w+)`", PLAN)
PROOFS = re.findall(r"`proof: (\w+)`", PLAN)


def is_test(file: str, name: str) -> bool:
    """Returns True if a file has a test with this name: a Rust, pytest or cocotb test."""
    path = ROOT / file
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        return re.search(rf"#\[test\]\n(#\[.*\]\n)*fn {name}\(", text) is not None
    marked = re.search(rf"@cocotb\.test\(.*\)\n(@.*\n)*async def {name}\(", text)
    return marked is not None or (
        name.startswith("test_") and re.search(rf"^def {name}\(", text, re.MULTILINE) is not None)


@pytest.mark.parametrize("file, name", TESTS, ids=[name for _, name in TESTS])
def test_what_the_plan_names_is_there(file: str, name: str) -> None:
    assert is_test(file, name), f"{file} has no test {name}"


def test_a_dead_name_is_noticed() -> None:
    file, name = TESTS[0]
    assert not is_test(file, name + "_no_more")
    assert not is_test(file + "x", name)
    assert not is_test("docs/tests/test_test_plan.py", "is_test")


def test_the_plan_has_each_proof_and_no_other() -> None:
    assert set(PROOFS) == {proof.name for proof in all_proofs()}


def test_the_plan_leaves_out_no_command_and_no_interrupt() -> None:
    named = set(re.findall(r"`(\w+)`", PLAN))
    wanted = {command.name for command in SPEC.commands if not command.reserved}
    wanted |= {interrupt.name for interrupt in SPEC.interrupts}
    assert wanted <= named, wanted - named
