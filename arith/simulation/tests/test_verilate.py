# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the objects that are compiled once for many designs."""

from pathlib import Path

import pytest

from arith.simulation import compiler

CLASSES = """\
# Tracing output mode?  0/1
VM_TRACE = {trace}
VM_CLASSES_FAST += \\
  Vtop \\
  {design} \\

VM_CLASSES_SLOW += \\
  Vtop__Slow \\

VM_SUPPORT_FAST += \\

VM_SUPPORT_SLOW += \\
  Vtop__Syms__Slow \\

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
        for target in arguments:
            if "=" not in target:
                (folder / target).write_text(f"{target} made in call {len(folders)}")

    monkeypatch.setattr(compiler, "CACHE", tmp_path)
    monkeypatch.setattr(compiler, "make", make)
    monkeypatch.setattr(compiler, "verilator_identity", lambda: "a Verilator")
    return folders


def design(folder: Path, flags: str = "", optimize: str = "-O1", **classes: str) -> compiler.Design:
    """A design with these makefiles."""
    words = {"trace": "0", "design": "Vtop_root", "global_": "verilated_vpi"} | classes
    folder.mkdir()
    (folder / "Vtop_classes.mk").write_text(CLASSES.format(**words))
    (folder / "Vtop.mk").write_text(TOP.format(flags=flags))
    return compiler.Design(folder, optimize)


def linked(folder: Path, flags: str = "", **classes: str) -> dict[str, str]:
    """The objects of the runtime library in a design's folder."""
    design(folder, flags, **classes)._link_runtime()
    return {file.name: file.read_text() for file in folder.glob("*.o")}


def test_designs_with_the_same_switches_share_the_runtime_library(
    tmp_path: Path, made: list[Path]
) -> None:
    first = linked(tmp_path / "first")
    assert sorted(first) == ["verilated.o", "verilated_vpi.o"]
    assert linked(tmp_path / "second", design="Vtop_other", flags="-Wall -DA=1 -I/b") == first
    assert len(made) == 2


def test_an_object_is_shared_by_designs_that_need_others_beside_it(
    tmp_path: Path, made: list[Path]
) -> None:
    first = linked(tmp_path / "first")
    second = linked(tmp_path / "second", global_="verilated_dpi")
    assert second["verilated.o"] == first["verilated.o"]
    assert len(made) == 3


def test_designs_that_write_traces_share_it_but_no_header(tmp_path: Path, made: list[Path]) -> None:
    first = linked(tmp_path / "first")
    assert linked(tmp_path / "second", trace="1") == first
    assert len(made) == 2
    assert design(tmp_path / "third")._header() != design(tmp_path / "fourth", trace="1")._header()


def test_designs_with_other_switches_do_not(tmp_path: Path, made: list[Path]) -> None:
    first = linked(tmp_path / "first")
    assert linked(tmp_path / "second", flags="-O3") != first
    assert len(made) == 4 and len(set(made)) == 4


def test_without_optimization_both_speeds_have_one_header(tmp_path: Path, made: list[Path]) -> None:
    header = design(tmp_path / "first", optimize="-O0")._header()
    fast, slow = (header.with_name(name) for name in compiler.HEADERS)
    assert fast.samefile(slow) and len(made) == 1


def test_a_level_of_optimization_has_a_precompiled_header(
    tmp_path: Path, made: list[Path]
) -> None:
    first = design(tmp_path / "first")._header()
    assert first.read_text() == compiler.HEADER
    assert design(tmp_path / "second", design="Vtop_other")._header() == first
    assert design(tmp_path / "third", optimize="-O3")._header() != first
    assert len(made) == 2


def test_what_was_broken_off_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    with pytest.raises(KeyError), compiler.made_once(folder) as empty:
        (folder / "half").touch()
        raise KeyError
    with compiler.made_once(folder) as empty:
        assert empty and not (folder / "half").exists()
    with compiler.made_once(folder) as empty:
        assert not empty


def test_pieces_hold_every_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are joined up to the size of a piece, the largest first; a larger one is a separate
    piece."""
    monkeypatch.setattr(compiler, "PIECE_BYTES", 100)
    small = design(tmp_path / "design")
    names = ["first", "second", "third", "large", "last"]
    small.classes |= {"VM_CLASSES_FAST": names[:4], "VM_SUPPORT_FAST": names[4:]}
    for name, size in zip(names, (50, 50, 30, 300, 40)):
        (small.folder / f"{name}.cpp").write_text("x" * size)
    pieces = small._pieces("FAST")
    texts = [(small.folder / f"{piece}.cpp").read_text() for piece in pieces]
    parts = (["large"], ["first", "second"], ["last", "third"])
    assert texts == ["".join(f'#include "{name}.cpp"\n' for name in part) for part in parts]
