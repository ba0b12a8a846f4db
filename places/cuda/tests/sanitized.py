# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs tests in a process with AddressSanitizer and UBSan, whose library must be loaded first.

`run_tests` starts the process, in which this module is a plugin of pytest that writes the results
to the file that HALIMEDE_TEST_RESULTS names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

RESULTS = "HALIMEDE_TEST_RESULTS"
SECONDS = 3600
MOST_TEXT = 20_000


@dataclass(frozen=True)
class Result:
    """The result of a test: `passed`, `failed` or `skipped`, and the reason."""

    outcome: str
    text: str


@lru_cache(maxsize=None)
def sanitizer() -> str:
    """The path of the compiler's library of AddressSanitizer."""
    done = subprocess.run(["g++", "-print-file-name=libasan.so"], check=True, timeout=60,
                          capture_output=True, text=True)
    path = done.stdout.strip()
    # The compiler returns a name without a folder for a library that it does not have.
    if not os.path.isabs(path):
        raise FileNotFoundError("g++ has no libasan.so; HALIMEDE_PLAIN_KERNELS=1 runs the tests "
                                "without sanitizers")
    return path


def environment() -> dict[str, str]:
    """The variables of a process with the sanitizers."""
    return {
        **os.environ, "LD_PRELOAD": sanitizer(), "HALIMEDE_CHECKED_KERNELS": "1",
        # Python itself leaks, and fibers have stacks in the heap. Each switch between fibers clears
        # the shadow of a stack, which takes twice the time if it is mapped anew.
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:"
                        "clear_shadow_mmap_threshold=8388608",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def run_tests(names: Sequence[str], folder: Path) -> dict[str, Result]:
    """Runs tests; those that the process did not come to have failed."""
    with tempfile.TemporaryDirectory(prefix="halimede-tests-") as temporary:
        results = Path(temporary) / "results"
        results.touch()
        # Without capture, the sanitizers' messages come here even if the process ends.
        command = [sys.executable, "-m", "pytest", "--capture=no", "-p", "no:cacheprovider",
                   "-p", "no:xdist", "-p", __name__, *names]
        done = subprocess.run(command, check=False, timeout=SECONDS, cwd=folder, text=True,
                              capture_output=True, env={**environment(), RESULTS: str(results)})
        found = {}
        for line in results.read_text().splitlines():
            name, outcome, text = json.loads(line)
            found[name] = Result(outcome, text)
    output = (done.stdout + done.stderr)[-MOST_TEXT:]
    ended = Result("failed", f"the process ended with code {done.returncode}:\n{output}")
    return {name: found.get(name, ended) for name in names}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Writes the result of a test, in a process of `run_tests`: of its last part, or of the part
    that did not pass."""
    path = os.environ.get(RESULTS)
    if path is None or (report.passed and report.when != "teardown"):
        return
    if report.passed:
        lines = [json.loads(line)[0] for line in Path(path).read_text().splitlines()]
        if report.nodeid in lines:
            return
    text = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else report.longreprtext
    with Path(path).open("a") as file:
        file.write(json.dumps([report.nodeid, report.outcome, text]) + "\n")
