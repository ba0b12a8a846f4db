# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes the folder of custom logic that Amazon's F2 developer kit builds from.

    python3 -m card.boards.cl_folder build/boards/aws_f2/cl_halimede

design/ holds the sources, build/scripts and build/constraints the files that the kit calls and
reads. With HDK_SHELL_DIR set (by the kit's hdk_setup.sh), the kit's own scripts are linked next to
them. Needs only Python. Exit codes: 1: the folder cannot be written; 2: wrong folder name.
"""

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

from arith.simulation.sources import sources_of
from arith.simulation.toolchain import PROJECT_ROOT
from card.sim.build import build_id

CL = "cl_halimede"
BOARD = PROJECT_ROOT / "card" / "boards" / "aws_f2"
COMMON = PROJECT_ROOT / "card" / "boards" / "common"
FOLDERS = ["card/boards/aws_f2/rtl", "card/boards/aws_f2/clock"]
# Cells that Vivado provides.
PRIMITIVES = {"MMCME4_BASE", "BUFG"}
# The kit's scripts that build/scripts must have, by these names.
KIT_SCRIPTS = ("aws_build_dcp_from_cl.py", "build_all.tcl", "build_level_1_cl.tcl", "encrypt.tcl")


def board_sources() -> list[Path]:
    """The design's files, in reading order."""
    return [file for file in sources_of(CL, folders=FOLDERS) if file.stem not in PRIMITIVES]


def pcie_ids() -> str:
    """The kit's header with the identifiers that the design defines."""
    text = (BOARD / "rtl" / f"{CL}.sv").read_text()
    ids = [re.search(rf"Id{number} = (32'h\w+);", text) for number in (0, 1)]
    return "".join(f"`define CL_SH_ID{number} {found[1]}\n"
                   for number, found in enumerate(ids) if found is not None)


def source_list(files: list[Path]) -> str:
    """The Tcl script that lists the sources for the synthesis."""
    listed = "\n".join(f"    {file.name}" for file in files)
    return (f"set source_names {{\n{listed}\n}}\n"
            f"set generics {{BuildId=32'h{build_id(files):08x}}}\n")


def write(folder: Path, kit: Path | None) -> None:
    """Writes a new folder."""
    if folder.exists():
        shutil.rmtree(folder)
    design, scripts, constraints = (folder / name for name in (
        "design", "build/scripts", "build/constraints"))
    for made in (design, scripts, constraints):
        made.mkdir(parents=True)
    files = board_sources()
    for file in files:
        shutil.copy(file, design)
    (design / "cl_id_defines.vh").write_text(pcie_ids())
    (scripts / "sources.tcl").write_text(source_list(files))
    for file in (COMMON / "checks.tcl", *(BOARD / "build").glob("*.tcl")):
        shutil.copy(file, scripts)
    for file in (COMMON / "crossing.xdc", BOARD / "floorplan.xdc",
                 *(BOARD / "build").glob("*.xdc")):
        shutil.copy(file, constraints)
    if kit is not None:
        for name in KIT_SCRIPTS:
            (scripts / name).symlink_to(kit / "build" / "scripts" / name)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m card.boards.cl_folder",
                                     description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help=f"a folder named {CL}; it is replaced")
    arguments = parser.parse_args()
    if arguments.folder.name != CL:
        print(f"card.boards.cl_folder: the kit requires the folder name {CL}",
              file=sys.stderr)
        return 2
    kit = os.environ.get("HDK_SHELL_DIR")
    try:
        write(arguments.folder, Path(kit) if kit else None)
    except OSError as error:
        print(f"card.boards.cl_folder: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
