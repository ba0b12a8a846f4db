# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The build of the stand-in driver, and the sanitizers' findings in kernels with faults."""

import subprocess
from pathlib import Path

import pytest

from places.cuda.tools import standin
from places.cuda.tools.sources import KERNELS, digest_of, files_of

FOLDER = Path(__file__).parent
PLANTED = FOLDER / "planted.cu"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that runs kernels with faults, with the sanitizers."""
    program = tmp_path_factory.mktemp("planted") / "planted"
    standin.run(["g++", *standin.FLAGS, *standin.SANITIZERS, "-x", "c++", str(PLANTED),
                 str(KERNELS / "platform" / "host.cpp"), str(FOLDER / "planted_main.cpp"),
                 "-o", str(program)])
    return program


def run(program: Path, kernel: str, number: int) -> tuple[int, str]:
    """Runs a kernel; returns the exit code and the sanitizers' messages."""
    done = subprocess.run([str(program), kernel, str(number)], capture_output=True, text=True,
                          check=False, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("kernel", "good", "bad", "message"), [
    ("planted_overrun", 31, 32, "heap-buffer-overflow"),
    ("planted_shift", 31, 32, "shift exponent 32 is too large"),
])
def test_the_sanitizers_find_faults(planted: Path, kernel: str, good: int, bad: int,
                                    message: str) -> None:
    code, text = run(planted, kernel, good)
    assert code == 0 and message not in text
    code, text = run(planted, kernel, bad)
    assert code != 0
    assert message in text


def test_kernels_are_named_by_the_compiled_file(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    compiled = standin.compile_one(PLANTED, tmp_path, standin.FLAGS)
    names = ["planted_overrun", "planted_shift", "planted_spill", "planted_stack"]
    assert standin.kernel_names(compiled) == names
    standin.write_entries(tmp_path, {"planted": compiled})
    text = (tmp_path / "kernels" / "planted.compute_80.ptx").read_text()
    assert text.startswith(".version 8.7\n.target sm_80\n")
    assert [line.split()[2] for line in text.splitlines() if ".entry" in line] == [
        f"{name}()" for name in names]
    made = compiled.stat().st_mtime_ns
    assert standin.compile_one(PLANTED, tmp_path, standin.FLAGS).stat().st_mtime_ns == made


def test_a_digest_changes_with_every_header(tmp_path: Path) -> None:
    source, header = tmp_path / "a.cu", tmp_path / "b.cuh"
    source.write_text('#include "b.cuh"\n#include "platform/platform.cuh"\n')
    header.write_text("// One.\n")
    names = [path.name for path in files_of(source)]
    assert {"a.cu", "b.cuh", "platform.cuh", "device.cuh", "host.h"} == set(names)
    before = digest_of(source, "x")
    assert digest_of(source, "x") == before != digest_of(source, "y")
    header.write_text("// Two.\n")
    assert digest_of(source, "x") != before
