# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the simulated boards, unless they are built already.

python -m card.boards.sim.build            build/card-sim/halimede-ulx3s-sim
python -m card.boards.sim.build aws_f2     build/card-sim/halimede-f2-sim

Prints the program's path. Exit codes: 1: the build failed; 4: Verilator or a compiler is missing.
"""

import argparse
import re
import sys
from pathlib import Path

from arith.simulation import verilate
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing
from arith.synthesis.yosys import DEFINES
from card.boards.bitstream import BOARDS
from card.sim.build import PARAMETERS, build_id, install

TOP = "ulx3s_top"
FOLDER = PROJECT_ROOT / "card" / "boards" / "sim"
RTL_FOLDERS = ("card/boards/ulx3s_85f/rtl", "card/boards/sim/rtl")
NAME = "halimede-ulx3s-sim"
# The macros of the board's bitstream.
MACROS = (*DEFINES["ecp5"], *BOARDS["ulx3s_85f"].defines)

F2_TOP = "f2_bench_top"
F2_FOLDER = FOLDER / "f2"
F2_RTL_FOLDERS = ("card/boards/aws_f2/rtl", "card/boards/aws_f2/shell", "card/boards/tests/rtl")
F2_NAME = "halimede-f2-sim"


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


def _with_fault(sources: list[Path], changed: Mutant | None, name: str) -> list[Path]:
    return changed.sources(sources, BUILD_ROOT / "mutants" / name) if changed else sources


def build(name: str = NAME, changed: Mutant | None = None) -> Path:
    """The path of the simulated ULX3S. It is rebuilt only if a source has changed. A board with a
    `changed` module needs a `name`, and is compiled with the shortest build time."""
    sources = _with_fault(sources_of(TOP, folders=RTL_FOLDERS), changed, name)
    defines = " ".join(f"-D{name}={value}" for name, value in line_parameters(sources).items())
    program = verilate.build(
        TOP,
        sorted(FOLDER.glob("*.cpp")),
        sources=sources,
        parameters={"BuildId": build_id(sources)},
        cpp_headers=sorted(FOLDER.glob("*.h")),
        options=["--threads", "1", *(f"-D{name}" for name in MACROS),
                 "-CFLAGS", f"-Wall -Wextra -I{FOLDER} {defines}"],
        optimize="-O0" if changed else "-O3",
    )
    return install(program, name)


def simulated_card(board_card: Path) -> Path:
    """A board's card with the engines and parameters of the simulated card: the multipliers of all
    cores of the board would take long to compile."""
    parameters = ", ".join(f".{name}({value})" for name, value in PARAMETERS.items()
                           if name != "Engines")
    text, count = re.subn(r"crossed_card #\(.*?\n  \) u_card \(",
                          f"crossed_card #(\n    .BuildId(BuildId), .Engines(Engines), {parameters}\n"
                          "  ) u_card (", board_card.read_text(), flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"{board_card} has no crossed_card named u_card")
    changed = BUILD_ROOT / "card-sim" / "aws_f2" / board_card.name
    changed.parent.mkdir(parents=True, exist_ok=True)
    changed.write_text(text)
    return changed


def build_f2(
    name: str = F2_NAME, changed: Mutant | None = None, engines: int = PARAMETERS["Engines"],
) -> Path:
    """The path of the simulated F2 design with a set of engines (`engine_mask`). It is rebuilt only
    if a source has changed. A design with a `changed` module needs a `name`, and is compiled with
    the shortest build time."""
    sources = [simulated_card(source) if source.stem == "board_card" else source
               for source in sources_of(F2_TOP, folders=F2_RTL_FOLDERS)]
    sources = _with_fault(sources, changed, name)
    program = verilate.build(
        F2_TOP,
        sorted(F2_FOLDER.glob("*.cpp")),
        sources=sources,
        parameters={"BuildId": build_id(sources), "Engines": engines},
        cpp_headers=[*sorted(F2_FOLDER.glob("*.h")), FOLDER / "assertions.h"],
        options=["--threads", "1", "-CFLAGS", f"-Wall -Wextra -I{FOLDER} -I{F2_FOLDER}"],
        optimize="-O0" if changed else "-O1",
    )
    return install(program, name)


BUILDS = {"ulx3s_85f": build, "aws_f2": build_f2}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m card.boards.sim.build",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("board", choices=BUILDS, nargs="?", default="ulx3s_85f")
    try:
        print(BUILDS[parser.parse_args().board]())
    except ToolMissing as missing:
        print(f"card.boards.sim.build: {missing}", file=sys.stderr)
        return 4
    except verilate.BuildFailed as failed:
        print(f"card.boards.sim.build: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
