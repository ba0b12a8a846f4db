# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The other tests of this folder with AddressSanitizer and UndefinedBehaviorSanitizer, in a process
that loads AddressSanitizer first."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from places.cuda.tests.ckks.emulation import SANITIZE, is_sanitized

FOLDER = Path(__file__).parent


@pytest.mark.skipif(is_sanitized(), reason="this is the sanitized run")
@pytest.mark.skipif(os.environ.get("HALIMEDE_SWEEP") != "1",
                    reason="compiles and runs all kernels with checks; HALIMEDE_SWEEP=1 runs it")
def test_kernels_access_only_their_limbs() -> None:
    runtime = subprocess.run(["g++", "-print-file-name=libasan.so"], check=True, text=True,
                             capture_output=True).stdout.strip()
    # Python's own allocations are not the kernels'.
    environment = {**os.environ, SANITIZE: "1", "LD_PRELOAD": runtime,
                   "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", str(FOLDER)],
        env=environment, cwd=FOLDER.parents[3], capture_output=True, text=True, timeout=550)
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout
