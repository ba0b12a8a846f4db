# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The second phase of sealing by several workers gives the files of filecoin-proofs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import halimede
import pytest
import halimede_ray as spread
from halimede import filecoin
from halimede_ray import __main__ as command
from halimede_ray._tasks import LocalPool, Standing

from spread_samples import Backwards
from test_filecoin import VECTORS, write_sector

PART_BYTES = 256
"""A sector of 2 KiB has 8 parts of 8 leaves."""


def assert_sealed(vector: dict[str, Any], folder: Path) -> None:
    """Asserts that all files are those of the vector; the working folder is `folder`."""
    assert (folder / "sealed").read_bytes().hex() == vector["sealed"]
    for name, content in vector["files"].items():
        assert (folder / "cache" / name).read_bytes().hex() == content, name
    inputs = {"sc-02-data-tree-d.dat"}
    assert {file.name for file in (folder / "cache").iterdir()} == {*vector["files"], *inputs}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["number"]))
def test_a_sector_has_the_files_of_filecoin_proofs(
    vector: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    pc1out = write_sector(vector, tmp_path)
    monkeypatch.chdir(tmp_path)
    sealed = spread.precommit2(
        "sealed", "cache", pc1out, pool=Backwards(vector["number"]), part_bytes=PART_BYTES)
    assert sealed.comm_r.hex() == vector["comm_r"]
    assert_sealed(vector, tmp_path)
    with pytest.raises(ValueError, match="sealed already"):
        spread.precommit2("sealed", "cache", pc1out, pool=LocalPool())


@pytest.mark.parametrize("ends", [0, 3, 8, 11])
def test_a_run_that_ends_early_is_continued_by_several_or_by_one(
    ends: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stopped(Exception):
        pass

    computed = 0

    def stop(standing: Standing) -> None:
        nonlocal computed
        computed = standing.done
        if standing.done == ends:
            raise Stopped

    for continued_by in ("several", "one"):
        folder = tmp_path / continued_by
        folder.mkdir()
        pc1out = write_sector(VECTORS[1], folder)
        monkeypatch.chdir(folder)
        with pytest.raises(Stopped):
            spread.precommit2(
                "sealed", "cache", pc1out, pool=LocalPool(), part_bytes=PART_BYTES, progress=stop)
        assert computed == ends
        if continued_by == "one":
            filecoin.precommit2("sealed", "cache", pc1out)
        else:
            steps: list[Standing] = []
            spread.precommit2("sealed", "cache", pc1out, pool=LocalPool(), progress=steps.append)
            # The parts of tree C are there; the replica is written again.
            assert steps[0].done == min(ends, 8) and steps[-1].done == 16
            assert {step.tasks for step in steps} == {16}
        assert_sealed(VECTORS[1], folder)


def test_bad_files_and_wrong_parts_are_refused(tmp_path: Path) -> None:
    pc1out = write_sector(VECTORS[1], tmp_path)
    files = (tmp_path / "sealed", tmp_path / "cache", pc1out)
    with pytest.raises(ValueError, match="no run has begun"):
        filecoin.precommit2_part(*files, "tree-c", 0)
    with pytest.raises(ValueError, match='expected tree-c or replica, got "tree-r"'):
        filecoin.precommit2_part(*files, "tree-r", 0)
    parts = filecoin.Parts(*files, part_bytes=PART_BYTES)
    assert (parts.stage, parts.part_count, parts.part_bytes) == ("tree-c", 8, PART_BYTES)
    with pytest.raises(ValueError, match="locked by another process"):
        filecoin.Parts(*files)
    with pytest.raises(halimede.DeviceError):
        filecoin.precommit2_part(*files, "tree-c", 0, device=halimede.Device("uart:/none"))
    root = filecoin.precommit2_part(*files, "tree-c", 0)
    for part, wrong, reason in [(1, root, "same files"), (8, root, "subtree 8 of 8"), (0, b"", "32 bytes")]:
        with pytest.raises(ValueError, match=reason):
            parts.keep(part, wrong)
    parts.keep(0, root)
    assert parts.pending() == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(ValueError, match="7 subtrees are not computed"):
        parts.advance()
    del parts
    layer = tmp_path / "cache" / "sc-02-data-layer-2.dat"
    labels = bytearray(layer.read_bytes())
    labels[32 * 20 + 31] = 0xff
    layer.write_bytes(labels)
    with pytest.raises(spread.InputError, match="tree-c, part 2 of 8.*layer-2.*byte offset"):
        spread.precommit2(*files, pool=LocalPool(), part_bytes=PART_BYTES)
    assert (tmp_path / "sealed").read_bytes().hex() == VECTORS[1]["data"]


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    vector = VECTORS[2]
    pc1out = write_sector(vector, tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments = ["precommit2", "--local", "--quiet", "--sealed", "sealed", "--cache", "cache", "--pc1out"]
    assert command.main([*arguments, "%"]) == 2
    assert "pc1out: not base64" in capsys.readouterr().err
    assert command.main([*arguments, pc1out]) == 0
    assert capsys.readouterr().out.startswith("d:baga6ea4seaq")
    assert_sealed(vector, tmp_path)
