# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels' tests run with sanitizers, which find planted faults."""

import subprocess
import sys
from pathlib import Path

import pytest

from places.cuda.tests import sanitized
from places.cuda.tests.emulation import IS_CHECKED, IS_PLAIN, ROOT

PLANTED = ROOT / "places/cuda/tools/tests/planted.cu"
PROGRAM = """
import sys, numpy
from pathlib import Path
from places.cuda.tests.emulation import kernels
kernels(Path(sys.argv[1])).run(sys.argv[2], 1, numpy.zeros(32, "u4"), int(sys.argv[3]), block=1)
"""


@pytest.mark.skipif(IS_PLAIN, reason="HALIMEDE_PLAIN_KERNELS=1: without sanitizers")
def test_this_process_has_the_sanitizers() -> None:
    assert IS_CHECKED
    assert "libasan" in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize(("kernel", "good", "bad", "message"), [
    ("planted_overrun", 31, 32, "heap-buffer-overflow"),
    ("planted_shift", 31, 32, "shift exponent 32 is too large"),
])
def test_planted_faults_are_found(kernel: str, good: int, bad: int, message: str) -> None:
    def run(number: int) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", PROGRAM, str(PLANTED), kernel, str(number)]
        return subprocess.run(command, cwd=ROOT, env=sanitized.environment(), check=False,
                              capture_output=True, text=True, timeout=300)

    assert run(good).returncode == 0
    done = run(bad)
    assert done.returncode != 0 and message in done.stderr, done.stderr


def test_results_come_from_the_other_process(tmp_path: Path) -> None:
    path = tmp_path / "test_outcomes.py"
    path.write_text("""
import os, pytest
def test_good(): assert os.environ["HALIMEDE_CHECKED_KERNELS"] == "1"
def test_bad(): assert 1 + 1 == 3
def test_skipped(): pytest.skip("no reason")
@pytest.fixture
def broken(): raise ValueError("broken fixture")
def test_error(broken): pass
def test_end(): os._exit(7)
def test_never(): pass
""")
    names = [f"{path.name}::test_{name}"
             for name in ("good", "bad", "skipped", "error", "end", "never")]
    (tmp_path / "places").symlink_to(ROOT / "places")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    results = list(sanitized.run_tests(names, tmp_path).values())
    assert [result.outcome for result in results] == [
        "passed", "failed", "skipped", "failed", "failed", "failed"]
    assert "assert (1 + 1) == 3" in results[1].text and "no reason" in results[2].text
    assert "broken fixture" in results[3].text
    assert all("ended with code 7" in result.text for result in results[4:])
