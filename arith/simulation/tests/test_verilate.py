# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of what is compiled once for many designs."""

from pathlib import Path

import pytest

from arith.simulation import verilate

CLASSES = """\
# Tracing output mode?  0/1
VM_TRACE = {trace}
VM_CLASSES_FAST += \\
  Vtop \\
  {design} \\

VM_GLOBAL_FAST += \\
  verilated \\
  {global_} \\

VM_GLOBAL_SLOW += \\

"""
TOP = "default: top\n\nVM_USER_CFLAGS = \\\n  {flags} \\\n\ntop: top.o\n\t$(LINK) $^ -o=$@\n"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A cache in a temporary folder, and the folders in which `make` is called."""
    folders: list[Path] = []

    def make(folder: Path, _what: str, arguments: list[str]) -> None:
        folders.append(folder)
        for name in arguments:
            (folder / name).write_text(f"{name} made in call {len(folders)}")

    monkeypatch.setattr(verilate, "CACHE", tmp_path)
    monkeypatch.setattr(verilate, "_make", make)
    monkeypatch.setattr(verilate, "verilator_identity", lambda: "a Verilator")
    return folders


def linked(folder: Path, flags: str = "", **classes: str) -> dict[str, str]:
    """The objects that a design with these makefiles gets."""
    words = {"trace": "0", "design": "Vtop_root", "global_": "verilated_vpi"} | classes
    folder.mkdir()
    (folder / "Vtop_classes.mk").write_text(CLASSES.format(**words))
    (folder / "Vtop.mk").write_text(TOP.format(flags=flags))
    verilate._link_runtime(folder)
    return {file.name: file.read_text() for file in folder.glob("*.o")}


def test_designs_with_the_same_switches_share_the_runtime_library(
    tmp_path: Path, made: list[Path]
) -> None:
    first = linked(tmp_path / "first")
    assert sorted(first) == ["verilated.o", "verilated_vpi.o"]
    assert linked(tmp_path / "second", design="Vtop_other") == first
    assert len(made) == 1


@pytest.mark.parametrize("other", [{"trace": "1"}, {"flags": "-O3"}, {"global_": "verilated_dpi"}])
def test_designs_with_other_switches_do_not(
    tmp_path: Path, made: list[Path], other: dict[str, str]
) -> None:
    first = linked(tmp_path / "first")
    assert linked(tmp_path / "second", **other) != first
    assert len(made) == 2 and made[0] != made[1]
