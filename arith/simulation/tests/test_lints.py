# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each module of the project's RTL is linted by one of the benches, or is part of a linted
design."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from arith.simulation import verilate
from arith.simulation.bench import Lint, is_sweep, lints_of
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import PROJECT_ROOT

FOLDERS = ("arith", "engines", "card")
# Linted in sweeps only (test_boards).
SWEPT = set() if is_sweep() else {
    PROJECT_ROOT / "card/boards" / board / "rtl/board_card.sv"
    for board in ("varium_c1100", "varium_c1100_hash", "vcu128")
}


def benches() -> list[Path]:
    """The test files that have lints, or are named after a module."""
    files = [file for folder in FOLDERS for file in sorted((PROJECT_ROOT / folder).rglob("test_*.py"))]
    return [file for file in files if file.parent.parent.name == "rtl" or "\nLINTS = " in file.read_text()]


def all_lints() -> list[Lint]:
    lints = []
    for file in benches():
        name = ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts)
        lints += lints_of(importlib.import_module(name), file)
    return lints


def rtl() -> set[Path]:
    """Every SystemVerilog file below a folder `rtl`, except those only for benches."""
    files = {file.relative_to(PROJECT_ROOT): file for folder in FOLDERS
             for file in (PROJECT_ROOT / folder).rglob("*.sv")}
    return {file for path, file in files.items() if "rtl" in path.parts and "tests" not in path.parts}


def test_every_module_is_linted() -> None:
    linted = {file for lint in all_lints() if isinstance(lint.top, str)
              for file in sources_of(lint.top, folders=lint.folders)}
    assert sorted(str(file.relative_to(PROJECT_ROOT)) for file in rtl() - linted - SWEPT) == []


def test_a_bench_without_lints_lints_its_module(tmp_path: Path) -> None:
    (tmp_path / "part.sv").touch()
    bench = ModuleType("test_part")
    assert lints_of(bench, tmp_path / "tests/test_part.py") == [Lint("part")]
    assert lints_of(bench, tmp_path / "tests/test_other.py") == []
    bench.LINTS = [Lint("other", {"Width": 3})]
    assert lints_of(bench, tmp_path / "tests/test_part.py") == bench.LINTS


def test_a_lint_fails_where_verilator_complains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(top: str, **_: object) -> None:
        raise verilate.BuildFailed(top)

    monkeypatch.setattr(verilate, "lint", refuse)
    with pytest.raises(verilate.BuildFailed, match="written_here"):
        Lint(lambda: "written_here").check()
