# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the commands that are chosen for a change."""

import importlib.util
import shlex
from pathlib import Path
from types import ModuleType

import pytest


def load() -> ModuleType:
    """Loads `affected.py`, which is not in a package."""
    path = Path(__file__).with_name("affected.py")
    spec = importlib.util.spec_from_file_location("affected", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


affected = load()
WORKSPACE = affected.Workspace(
    {
        "halimede-arith": "arith", "halimede-blake3": "engines/blake3", "halimede-ckks":
        "engines/ckks", "halimede-blake3-wire": "engines/blake3/wire", "halimede-card": "card",
        "halimede-device": "device", "halimede-cli": "cli", "halimede-cuda": "places/cuda",
        "halimede-capi": "capi", "halimede-python": "python", "halimede-files": "files",
    },
    {
        "halimede-arith": [], "halimede-files": [], "halimede-blake3": ["halimede-arith"],
        "halimede-ckks": ["halimede-arith", "halimede-files"], "halimede-card": ["halimede-arith"],
        "halimede-blake3-wire": ["halimede-blake3", "halimede-card"],
        "halimede-device": ["halimede-blake3-wire", "halimede-cuda"], "halimede-cuda": [],
        "halimede-cli": ["halimede-device", "halimede-ckks"],
        "halimede-capi": ["halimede-device"], "halimede-python": ["halimede-device"],
    },
)


def chosen(*paths: str) -> list[str]:
    """The commands for these files."""
    return [shlex.join(command) for command in affected.commands(paths, WORKSPACE)]


def crates(*names: str) -> str:
    """The command that tests these crates."""
    return " ".join(["cargo test --locked", *(f"--package=halimede-{name}" for name in names)])


def test_a_crate_is_tested_with_those_that_depend_on_it() -> None:
    assert chosen("cli/src/main.rs") == [crates("cli")]
    assert chosen("engines/ckks/tests/arithmetic/ring.rs") == [crates("ckks", "cli")]
    device = [crates("capi", "cli", "device"), "make test-package"]
    assert chosen("device/src/lib.rs") == device
    wire = [crates("blake3-wire", "capi", "cli", "device"), "make test-package"]
    assert chosen("engines/blake3/wire/src/codec.rs") == wire
    assert chosen("device/Cargo.toml", "cli/src/main.rs") == device


def test_hardware_is_tested_in_its_folder_and_above() -> None:
    host = [crates("capi", "cli", "device"), "make test-package"]
    first = "make check-generated card-sim"
    run = "build/venv/bin/python -m pytest"
    on_card = " ".join(["card", *affected.ON_CARD])
    assert "engines/blake3/rtl/tests/test_blake3_table.py" in affected.ON_CARD
    assert chosen("card/rtl/card_top.sv") == [first, host[0], f"{run} {on_card}", host[1]]
    core = [first, host[0], f"{run} card engines/blake3", host[1]]
    assert chosen("engines/blake3/rtl/blake3_port.sv") == core
    whole = [first, host[0], f"{run} arith card engines", host[1]]
    assert chosen("arith/rtl/mod_mul.sv") == whole


def test_kernels_are_tested_with_the_devices_that_run_them() -> None:
    commands = ["make cuda-standin", crates("capi", "cli", "cuda", "device"),
                "build/venv/bin/python -m pytest places", "make test-package"]
    compiler = ["make gpu-venv"]
    for name in ("kernels/blake3.cu", "kernels/field/primes.cuh", "standin/memory.cpp",
                 "tools/gate.py", "kernels/budget.json"):
        assert chosen(f"places/cuda/{name}") == compiler + commands
    assert chosen("places/cuda/src/workspace.rs") == [commands[0], commands[1], commands[3]]


def test_documents_are_tested_by_those_who_run_their_examples() -> None:
    readers = crates("capi", "ckks", "ckks-card", "cli")
    links = "build/venv/bin/python -m pytest docs"
    assert chosen("docs/glossary.md") == [readers, links]
    assert chosen("README.md") == [readers, links, "make test-package"]
    assert chosen("docs/start/node-operator.md") == [readers, links, "make test-pages"]
    assert chosen("examples/python/make_proofs.py") == [links, "make test-pages"]
    assert crates("capi", "cli", "device") in chosen("examples/rust/filecoin_proof.rs")


@pytest.mark.parametrize("path", ["Makefile", "Cargo.lock", ".ci/run", "requirements.txt", "new"])
def test_what_has_no_place_affects_everything(path: str) -> None:
    assert chosen("cli/src/main.rs", path) == ["make test"]


def test_nothing_affects_nothing() -> None:
    assert chosen() == []


def test_the_crates_of_this_checkout_are_known() -> None:
    workspace = affected.Workspace.here()
    assert workspace.crate_of("engines/ckks/src/ring/mod.rs") == "halimede-ckks"
    everybody = workspace.dependents(["halimede-arith"])
    assert {"halimede-device", "halimede-capi", "halimede-python"} <= everybody
    assert "halimede-arith" not in workspace.dependents(["halimede-cli"])
