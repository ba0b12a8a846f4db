# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples in the README and in the docstrings run as they are written."""

import doctest
import importlib
import inspect
import shutil
import tomllib
from pathlib import Path
from types import ModuleType

import halimede
import halimede_ray
import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    halimede, halimede.blake3, halimede.ckks, halimede.ecdsa, halimede.poseidon, halimede.starknet, halimede.zcash,
]
# Generated from the table of operations, whose examples other tests run.
GENERATED = [
    halimede.bls12_381, halimede.equihash, halimede.groth16, halimede.kzg, halimede.secp256k1,
]
# The private modules of `halimede.ckks`, which have its examples.
PARTS = [
    importlib.import_module(f"halimede.ckks._{part}")
    for part in [
        "bounded", "ciphertext", "client", "explicit", "expression", "functions", "plan", "polynomial",
        "rotations", "server",
    ]
]
# Other private modules with examples.
PARTS += [importlib.import_module(f"halimede._{part}") for part in ["equihash", "groth16"]]
PARTS += [importlib.import_module(f"halimede_ray._{part}") for part in ["cluster", "journal", "ranges"]]


@pytest.mark.parametrize("path, fewest", [("README.md", 2), ("python/README.md", 30)])
def test_the_readmes_run(path: str, fewest: int) -> None:
    failures, examples = doctest.testfile(str(ROOT / path), module_relative=False)
    assert failures == 0 and examples >= fewest


@pytest.mark.parametrize("module", MODULES + PARTS)
def test_docstrings_run(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (ROOT / "engines/bls12_381/vectors/circom").glob("small.*"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {"halimede": halimede, "np": numpy}
    failures, examples = doctest.testmod(module, extraglobs=names)
    assert failures == 0 and examples > 0


@pytest.mark.parametrize("module", [*MODULES, *GENERATED, halimede_ray])
def test_everything_public_is_documented(module: ModuleType) -> None:
    names = [name for name in module.__all__ if callable(getattr(module, name))]
    assert names
    for name in names:
        item = getattr(module, name)
        is_ours = getattr(item, "__module__", "").startswith("halimede")
        assert not is_ours or inspect.getdoc(item), name


@pytest.mark.parametrize("name", halimede.ckks.__all__)
def test_every_method_of_ckks_is_documented(name: str) -> None:
    item = getattr(halimede.ckks, name)
    for part in dir(item) if inspect.isclass(item) else []:
        assert part.startswith("_") or inspect.getdoc(getattr(item, part)), part


def test_the_version_is_the_projects() -> None:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert halimede.__version__ == manifest["workspace"]["package"]["version"]
