# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Coverage: points of all instances and benches are joined, holes accept only what they name, limits
and stale holes are noticed, and the page is current."""

import json
import re
from pathlib import Path

import pytest

from arith.simulation import coverage
from arith.simulation.coverage import Hole, Point
from arith.simulation.toolchain import PROJECT_ROOT

FILE = "engines/made_up/rtl/made_up.sv"


def row(page: str, line: int, what: str, count: int, file: str = FILE, instance: str = "top.a"
        ) -> bytes:
    keys = {"f": str(PROJECT_ROOT / file), "l": str(line), "n": "3", "t": page.split("/")[0],
            "page": page, "o": what, "h": instance}
    text = "".join(f"\x01{key}\x02{value}" for key, value in keys.items())
    return f"C '{text}' {count}\n".encode()


TEXTS = [
    b"# SystemC::Coverage-3\n"
    + row("v_toggle/made_up", 7, "data[1]:0->1", 0)
    + row("v_toggle/made_up", 7, "data[1]:1->0", 0)
    + row("v_branch/made_up", 9, "if", 0) + row("v_line/made_up", 9, "block", 4)
    + row("v_user/made_up", 10, "cover", 0)
    + row("v_line/other", 2, "block", 0, "arith/rtl/other.sv"),
    # Another bench, and another instance.
    row("v_toggle/made_up", 7, "data[1]:0->1", 2, instance="top.b")
    + row("v_branch/made_up", 9, "if", 0),
]


def test_points_of_all_instances_are_joined() -> None:
    points = coverage.joined(TEXTS, {FILE})
    assert points == {
        Point(FILE, "toggle", 7, "data[1]:0->1"): 2, Point(FILE, "toggle", 7, "data[1]:1->0"): 0,
        Point(FILE, "line", 9, "3 if"): 0, Point(FILE, "line", 9, "3 block"): 4}


def test_holes_accept_only_what_they_name() -> None:
    points = coverage.joined(TEXTS, {FILE})
    figures, missed, stale = coverage.judge(points, [])
    assert figures["toggle"].part == figures["line"].part == 0.5 and len(missed) == 2
    hole = Hole("made_up.sv", "toggle", r"data\[1\]:.*", "reason")
    figures, missed, stale = coverage.judge(points, [hole])
    assert figures["toggle"].part == 1 and [point.kind for point in missed] == ["line"]
    assert not stale
    assert not coverage.judge(points, [Hole("made_*.sv", "toggle", r"data\[1\]:.*", "reason")])[2]
    # A covered point, a part of a name, another file and another kind.
    for wrong in (Hole("made_up.sv", "toggle", r"data\[1\]:0->1", ""),
                  Hole("made_up.sv", "toggle", "data", ""),
                  Hole("other.sv", "toggle", ".*", ""), Hole("made_up.sv", "line", "7", "")):
        figures, missed, stale = coverage.judge(points, [wrong])
        assert stale == [wrong] and len(missed) == 2


@pytest.mark.parametrize(("count", "problems"), [(19, []), (18, ["below 95%"])])
def test_a_missed_limit_is_an_error(
    count: int, problems: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:
    points = {Point(FILE, "line", line, "3 block"): int(line < count) for line in range(20)}
    monkeypatch.setattr(coverage, "STORED", tmp_path / "coverage.json")
    monkeypatch.setattr(coverage, "run", lambda _: points)
    wrong = coverage.measure(["loopback"])
    # The hole of the real component matches none of these points.
    assert "no uncovered point for the hole" in wrong.pop(0)
    assert len(wrong) == len(problems) and all(w in t for w, t in zip(problems, wrong, strict=True))
    stored = json.loads((tmp_path / "coverage.json").read_text())["loopback"]
    assert stored["line"] == {"points": 20, "covered": count, "accepted": 0}


def test_random_starts_are_stored_beside_the_coverage_once_all_seeds_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:
    stored, seen = tmp_path / "coverage.json", []
    stored.write_text('{"loopback": {"line": {}}}')
    monkeypatch.setattr(coverage, "STORED", stored)
    monkeypatch.setattr(coverage, "run_benches", lambda name, settings: seen.append(settings))
    coverage.start_randomly(["loopback"])
    assert seen == [{"HALIMEDE_RANDOM_START": str(seed)} for seed in (1, 2, 3)]
    kept = stored.read_text()
    assert json.loads(kept)["loopback"].keys() == {"line", "starts"}

    def fails_at_last(_: str, settings: dict[str, str]) -> None:
        if settings["HALIMEDE_RANDOM_START"] == "3":
            raise coverage.CoverageFailed("a bench")

    monkeypatch.setattr(coverage, "run_benches", fails_at_last)
    with pytest.raises(coverage.CoverageFailed):
        coverage.start_randomly(["card"])
    assert stored.read_text() == kept


def test_a_plan_without_a_place_for_the_figures_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text(coverage.PLAN.read_text().replace(coverage.END, ""))
    monkeypatch.setattr(coverage, "PLAN", plan)
    assert coverage.main(["--check"]) == 1
    assert "has no figures between" in capsys.readouterr().err


def test_the_page_is_current() -> None:
    assert coverage.main(["--check"]) == 0


def test_every_hole_has_a_reason_and_a_file() -> None:
    for name in coverage.components():
        for hole in coverage.holes_of(name):
            assert hole.reason and hole.kind in coverage.LIMITS
            assert any(coverage.rtl_of(name).glob(hole.file)), hole
            re.compile(hole.points)


def test_an_unknown_engine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        coverage.main(["no_such_engine"])
    assert "expected one of" in capsys.readouterr().err
