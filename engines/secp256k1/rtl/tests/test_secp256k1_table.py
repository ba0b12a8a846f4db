# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests the ECDSA table: the reports that it rejects, and that the README's table has these
cases."""

from pathlib import Path
from typing import Any

import pytest

from card.sim.tests.simulator import Simulator
from card.sim.tests.table_rows import rows, rows_of
from engines.secp256k1.rtl import table
from engines.secp256k1.rtl.table import (
    CONTEXTS, LEAST_UTILIZATION, MOST_CLOCKS, MOST_CLOCKS_ALONE, Case, TableFailed, cases, measure,
)


def made_up_report() -> dict[str, Any]:
    found = {case.title: {"signatures": case.signatures, "products_per_signature": 1950.0 + place,
                          "utilization": 0.999 - place / 1000, "clocks_alone": 9_500 + place,
                          "simulated_clocks_per_cpu_s": 70_000}
             for place, case in enumerate(cases())}
    return {"cases": found, "date": "2026-01-01"}


def test_a_report_becomes_a_section() -> None:
    report = made_up_report()
    table.check(report)
    found = rows(table.section(report))
    assert found.keys() == {f"{CONTEXTS}", "64"} == {case.title for case in cases()}
    signatures, products, busy, clocks, alone, rate = found["64"]
    assert (signatures, products, busy, alone, rate) == (128, 1951, 99.8, 9_501, 70_000)
    assert clocks == pytest.approx(1951 / 0.998, abs=0.05)
    assert found[f"{CONTEXTS}"][0] == 112


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
@pytest.mark.parametrize("figure, value, message", [
    ("utilization", LEAST_UTILIZATION - 0.001, "busy"),
    ("utilization", float("nan"), "busy"),
    ("products_per_signature", MOST_CLOCKS + 1.0, "clocks a signature"),
    ("products_per_signature", 0.0, "clocks a signature"),
    ("clocks_alone", MOST_CLOCKS_ALONE + 1, "clocks alone"),
])
def test_what_is_slow_is_refused(case: Case, figure: str, value: float, message: str) -> None:
    report = made_up_report()
    report["cases"][case.title][figure] = value
    with pytest.raises(TableFailed, match=message):
        table.check(report)


def test_a_wrong_answer_is_refused(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.secp256k1.rtl.table.mask_of", lambda _: 8)
    with Simulator(program, tmp_path) as simulator:
        with pytest.raises(TableFailed, match="golden model"):
            measure(simulator, simulator.connect(), Case(CONTEXTS, 1))


def test_a_card_of_another_shape_is_refused(program: Path, tmp_path: Path) -> None:
    with Simulator(program, tmp_path) as simulator:
        with pytest.raises(TableFailed, match=f"secp256k1_shape is {CONTEXTS << 16 | 1:#x}"):
            measure(simulator, simulator.connect(), Case(CONTEXTS + 1, 1))


def test_the_clocks_of_a_few_signatures(program: Path, tmp_path: Path) -> None:
    """The clocks are within the promise, on the default card."""
    with Simulator(program, tmp_path) as simulator:
        figures = measure(simulator, simulator.connect(), Case(CONTEXTS, 48), 7)
        assert figures.products_per_signature == 1958
        assert figures.utilization >= LEAST_UTILIZATION
        assert 1958 <= figures.clocks_per_signature <= MOST_CLOCKS
        assert 9_000 < figures.clocks_alone <= MOST_CLOCKS_ALONE


def test_the_readme_holds_the_table_of_these_cases() -> None:
    found = rows_of(table.README)
    assert found.keys() == {case.title for case in cases()}
    for case in cases():
        signatures, products, busy, clocks, alone, _ = found[case.title]
        assert signatures == case.signatures, "measure again"
        assert clocks == pytest.approx(products / (busy / 100), rel=0.001)
        assert busy >= 100 * LEAST_UTILIZATION and clocks <= MOST_CLOCKS
        assert alone <= MOST_CLOCKS_ALONE
