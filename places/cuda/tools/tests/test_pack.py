# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The archive with the test of GPUs."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from places.cuda.tools import pack


def program(path: Path, code: int) -> Path:
    """A program that writes its arguments to the file that --json names."""
    path.write_text(f'#!/bin/sh\n[ "$1" = --json ] && echo "$@" > "$2"\nexit {code}\n')
    path.chmod(0o755)
    return path


def test_the_archive_runs_where_it_is_unpacked(tmp_path: Path) -> None:
    pack.pack(program(tmp_path / "built", 0), tmp_path / "out")
    with tarfile.open(tmp_path / "out" / "test-gpu.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    results = tmp_path / "results.json"
    command = [str(tmp_path / "test-gpu" / "run.sh"), str(results), "--device", "cuda:1"]
    environment = {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert results.read_text() == f"--json {results} --device cuda:1\n"
    assert "compute-sanitizer: not on this machine" in done.stdout
    pack.pack(program(tmp_path / "built", 1), tmp_path / "out")
    failed = subprocess.run([str(tmp_path / "out" / "test-gpu" / "run.sh"), str(results)],
                            check=False, env=environment)
    assert failed.returncode == 1


def test_the_archive_has_two_programs_and_nothing_else(tmp_path: Path) -> None:
    folder = pack.pack(program(tmp_path / "built", 0), tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["run.sh", "test_gpu"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["test-gpu",
                                                                          "test-gpu.tar.gz"]
    with tarfile.open(tmp_path / "out" / "test-gpu.tar.gz") as archive:
        members = {member.name: member for member in archive}
    assert sorted(members) == ["test-gpu", "test-gpu/run.sh", "test-gpu/test_gpu"]
    assert all(member.mode & 0o111 for member in members.values())


def test_an_archive_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pack.MOST_BYTES == 60_000_000
    built = program(tmp_path / "built", 0)
    pack.pack(built, tmp_path / "out")
    size = (tmp_path / "out" / "test-gpu.tar.gz").stat().st_size
    # The time of packing is in the archive and may change its size by some bytes.
    monkeypatch.setattr(pack, "MOST_BYTES", size + 16)
    pack.pack(built, tmp_path / "out")
    monkeypatch.setattr(pack, "MOST_BYTES", 100)
    with pytest.raises(ValueError, match="the limit is 100"):
        pack.pack(built, tmp_path / "other")
    assert not list((tmp_path / "other").glob("*.gz"))
    assert not list((tmp_path / "other").glob("*.partial"))
    monkeypatch.setattr(sys, "argv", ["pack", str(built)])
    monkeypatch.setattr(pack.pack, "__defaults__", (tmp_path / "other",))
    assert pack.main() == 1
