# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples in the README and in the docstrings run as they are written."""

from __future__ import annotations

import doctest
import inspect
import tomllib
from pathlib import Path
from types import ModuleType

import halimede
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    halimede, halimede.blake3, halimede.ecdsa, halimede.equihash, halimede.poseidon,
    halimede.starknet, halimede.zcash,
]


@pytest.mark.parametrize("path, fewest", [("README.md", 4), ("python/README.md", 30)])
def test_the_readmes_run(path: str, fewest: int) -> None:
    failures, examples = doctest.testfile(str(ROOT / path), module_relative=False)
    assert failures == 0 and examples >= fewest


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_run(module: ModuleType) -> None:
    failures, examples = doctest.testmod(module, extraglobs={"halimede": halimede})
    assert failures == 0 and examples > 0


@pytest.mark.parametrize("module", MODULES)
def test_everything_public_is_documented(module: ModuleType) -> None:
    names = [name for name in module.__all__ if callable(getattr(module, name))]
    assert names
    for name in names:
        item = getattr(module, name)
        is_ours = getattr(item, "__module__", "").startswith("halimede")
        assert not is_ours or inspect.getdoc(item), name


def test_the_version_is_the_projects() -> None:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert halimede.__version__ == manifest["workspace"]["package"]["version"]
