# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Equihash table: its checks, and that the README's table matches these cases."""

from pathlib import Path
from typing import Any

import pytest

from card.sim.tests.simulator import Simulator
from card.sim.tests.table_rows import rows, rows_of
from engines.equihash.rtl import table
from engines.equihash.rtl.table import Case, TableFailed, cases, measure
from engines.equihash.model.puzzle import REGTEST, ZCASH


def made_up_report() -> dict[str, Any]:
    found = {case.title: {"solutions": case.solutions, "simulated_clocks_per_cpu_s": 90_000,
                          "clocks_alone": 1_000,
                          "clocks": round(case.solutions * case.most_clocks) - 100 * place - 1}
             for place, case in enumerate(cases())}
    return {"shape": {"sets": 15, "lanes": 4, "stages": 96}, "cases": found, "date": "2026-01-01"}


def test_a_report_becomes_a_section() -> None:
    report = made_up_report()
    table.check(report)
    found = rows(table.section(report))
    assert found.keys() == {case.title for case in cases()}
    solutions, clocks, each, alone, rate = found["(200, 9)"]
    assert (solutions, clocks, alone, rate) == (64, 64 * 520 - 1, 1_000, 90_000)
    assert each == pytest.approx(clocks / 64, abs=0.05)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_what_is_slow_is_refused(case: Case) -> None:
    report = made_up_report()
    report["cases"][case.title]["clocks"] = round(case.solutions * case.most_clocks) + 1
    with pytest.raises(TableFailed, match="clocks per solution"):
        table.check(report)


def test_a_wrong_answer_is_refused(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.equihash.rtl.tests.equihash_frames.check", lambda *_: 2)
    with Simulator(program, tmp_path) as simulator:
        with pytest.raises(TableFailed, match="golden model"):
            measure(simulator, simulator.connect(), Case(REGTEST, 3, 95), 1)


def test_the_clocks_of_a_few_solutions(program: Path, tmp_path: Path) -> None:
    """Within the limit for Zcash, on the card that users have."""
    with Simulator(program, tmp_path) as simulator:
        figures = measure(simulator, simulator.connect(), Case(ZCASH, 16, 520), 7)
        assert figures.solutions == 16 and 512 <= figures.clocks_per_solution <= 520


def test_the_readme_holds_the_table_of_these_cases() -> None:
    found = rows_of(table.README)
    assert found.keys() == {case.title for case in cases()}
    for case in cases():
        solutions, clocks, each, alone, _ = found[case.title]
        assert solutions == case.solutions, "measure again"
        assert each == pytest.approx(clocks / solutions, abs=0.05) and each <= case.most_clocks
        assert alone > each
