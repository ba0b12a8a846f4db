# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The mutants of benches match the current sources, including those that only sweeps build."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from arith.simulation.mutate import Mutant, MutantDoesNotApply
from arith.simulation.toolchain import PROJECT_ROOT

FOLDERS = ("arith/rtl", "card/rtl", "engines/*/rtl")
BENCHES = sorted(file for folder in FOLDERS for file in PROJECT_ROOT.glob(f"{folder}/tests/*.py")
                 if " Mutant(" in file.read_text(encoding="utf-8"))


def _name(file: Path) -> str:
    return ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts)


def _mutants_of(bench: Path) -> Iterator[Mutant]:
    for value in vars(importlib.import_module(_name(bench))).values():
        if isinstance(value, Mutant):
            yield value
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, Mutant))


@pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.stem)
def test_mutants_of_a_bench_apply(bench: Path) -> None:
    mutants = list(_mutants_of(bench))
    assert mutants
    for mutant in mutants:
        (source,) = [file for folder in FOLDERS
                     for file in PROJECT_ROOT.glob(f"{folder}/{mutant.module}.sv")]
        assert mutant.apply(source.read_text(encoding="utf-8")) != source.read_text(encoding="utf-8")


@pytest.mark.parametrize("change", [("no such text", "x"), ("a", "b"), ("once", "once")])
def test_a_change_that_is_none_is_an_error(change: tuple[str, str]) -> None:
    with pytest.raises(MutantDoesNotApply):
        Mutant("module", "none", (change,)).apply("a, once, a")
