# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An assertion that fails in a simulated board's RTL ends its simulator with a message and exit
code 4."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from arith.simulation.bench import is_sweep, skip_or_raise
from arith.simulation.mutate import Mutant, fault
from arith.simulation.toolchain import ToolMissing
from card.boards.sim.build import build, build_f2
from card.sim.build import engine_mask

# The rule of a stream's sender, which card_shell asserts at each engine's port.
NEVER_HOLDS = fault("the rule expects a beat in each clock", "if (rst_ni && waits_q && !clear_i) begin",
                    "if (rst_ni) begin", module="stream_rules")
EXIT_ASSERTION = 4
LIMIT_S = 300.0


# Each design takes minutes to compile.
@pytest.mark.skipif(not is_sweep(), reason="only in sweeps")
@pytest.mark.parametrize(
    "name, make", [("ulx3s", build), ("f2", partial(build_f2, engines=engine_mask("loopback")))])
def test_a_failed_assertion_ends_the_simulator(
    name: str, make: Callable[[str, Mutant], Path], tmp_path: Path
) -> None:
    try:
        program = make(f"broken-{name}", NEVER_HOLDS)
    except ToolMissing as missing:
        skip_or_raise(missing)
    arguments = [tmp_path] if name == "f2" else []
    done = subprocess.run([program, *arguments], stderr=subprocess.PIPE, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=LIMIT_S)
    assert done.returncode == EXIT_ASSERTION, done.stderr
    assert "stream_rules.sv" in done.stderr and "Assertion failed" in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"halimede-{name}-sim: an assertion of the card failed in clock ")
