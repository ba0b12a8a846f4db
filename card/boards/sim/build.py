# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the simulated ULX3S, unless it is built already.

python -m card.boards.sim.build            build/card-sim/halimede-ulx3s-sim

Prints the program's path. Exit codes: 1: the build failed; 4: Verilator or a compiler is missing.
"""

import re
import sys
from pathlib import Path

from arith.simulation import verilate
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import PROJECT_ROOT, ToolMissing
from arith.synthesis.yosys import DEFINES
from card.boards.bitstream import BOARDS
from card.sim.build import build_id, install

TOP = "ulx3s_top"
FOLDER = PROJECT_ROOT / "card" / "boards" / "sim"
RTL_FOLDERS = ("card/boards/ulx3s_85f/rtl", "card/boards/sim/rtl")
NAME = "halimede-ulx3s-sim"
# The macros of the board's bitstream.
MACROS = (*DEFINES["ecp5"], *BOARDS["ulx3s_85f"].defines)


def default_of(module: Path, parameter: str) -> int:
    """The default of a module's integer parameter."""
    found = re.search(rf"parameter int unsigned {parameter}\s*= (\d+)", module.read_text())
    if found is None:
        raise ValueError(f"{module} has no parameter {parameter} with a plain default")
    return int(found[1])


def line_parameters(sources: list[Path]) -> dict[str, int]:
    """The parameters of the board's serial line: sixteenths of a clock per bit, and bits of an idle
    line."""
    files = {source.stem: source for source in sources}
    return {
        "BIT_SIXTEENTHS": default_of(files[TOP], "BitSixteenths"),
        "IDLE_BITS": default_of(files["uart_link"], "IdleBits"),
    }


def build() -> Path:
    """The program's path, below build/card-sim. It is rebuilt only if a source has changed."""
    sources = sources_of(TOP, folders=RTL_FOLDERS)
    defines = " ".join(f"-D{name}={value}" for name, value in line_parameters(sources).items())
    program = verilate.build(
        TOP,
        sorted(FOLDER.glob("*.cpp")),
        sources=sources,
        parameters={"BuildId": build_id(sources)},
        cpp_headers=sorted(FOLDER.glob("*.h")),
        options=["--threads", "1", "--no-assert", *(f"-D{name}" for name in MACROS),
                 "-CFLAGS", f"-Wall -Wextra -I{FOLDER} {defines}"],
        optimize="-O3",
    )
    return install(program, NAME)


def main() -> int:
    try:
        print(build())
    except ToolMissing as missing:
        print(f"card.boards.sim.build: {missing}", file=sys.stderr)
        return 4
    except verilate.BuildFailed as failed:
        print(f"card.boards.sim.build: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
