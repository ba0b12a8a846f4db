# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The same tests of kernels with AddressSanitizer and UBSan."""

import os
import subprocess
import sys

import pytest

from places.cuda.tests.emulation import ROOT, TESTS

IS_CHECKED = os.environ.get("HALIMEDE_CHECKED_KERNELS") == "1"
SECONDS = 3600


def sanitizer() -> str:
    """The path of the compiler's library of AddressSanitizer."""
    found = subprocess.run(["g++", "-print-file-name=libasan.so"], check=True, timeout=60,
                           capture_output=True, text=True)
    return found.stdout.strip()


@pytest.mark.skipif(IS_CHECKED, reason="these are the checked tests")
@pytest.mark.skipif(os.environ.get("HALIMEDE_SWEEP") != "1",
                    reason="takes minutes; HALIMEDE_SWEEP=1 runs it")
def test_kernels_with_sanitizers() -> None:
    environment = {
        **os.environ, "LD_PRELOAD": sanitizer(), "HALIMEDE_CHECKED_KERNELS": "1",
        # Python itself leaks, and fibers have stacks in the heap.
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    command = [sys.executable, "-m", "pytest", "-x", str(TESTS)]
    subprocess.run(command, check=True, timeout=SECONDS, cwd=ROOT, env=environment)
