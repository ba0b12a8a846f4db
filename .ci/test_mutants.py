# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The faults of simulation/mutants.toml still fit the host's code. (`make mutants` checks that the
simulation catches them.)"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _module() -> ModuleType:
    """Loads simulation/mutants.py, which is not in a package."""
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "simulation" / "mutants.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


mutants = _module()
ALL = mutants.load()


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_a_mutant_changes_one_place(mutant: object) -> None:
    text = (ROOT / mutant.file).read_text()
    assert mutant.mutated(text) != text


def test_each_attacked_point_has_a_mutant() -> None:
    assert {mutant.point[0] for mutant in ALL} >= set("123456")


def test_a_text_that_is_not_there_is_an_error() -> None:
    with pytest.raises(mutants.MutantError):
        ALL[0].mutated("")
