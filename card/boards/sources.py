# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the source files of a board's design for Vivado, as a Tcl script.

    python3 -m card.boards.sources alveo_u280 sources.tcl

The script sets `sources`, a list of absolute paths with each file after those that it needs, and
`build_id`. Needs only Python, so that Vivado's own build script can call it.
"""

import argparse
import sys
from pathlib import Path

from arith.simulation.sources import sources_of
from card.sim.build import build_id

TOP = "alveo_top"
BOARDS = ("alveo_u280", "varium_c1100", "varium_c1100_hash", "vcu128")
FOLDER = "card/boards/common/rtl"
# Replaces Vivado's block design where it is missing.
SHELL_FOLDER = "card/boards/common/shell"


def folders_of(board: str) -> list[str]:
    """The folders with the files of alveo_top and of the board's card."""
    return [FOLDER, f"card/boards/{board}/rtl"]


def script(board: str) -> str:
    """The Tcl script for a board: the files of alveo_top, without those of the block design."""
    files = sources_of(TOP, folders=folders_of(board))
    listed = "\n".join(f"    {{{file}}}" for file in files)
    return f"set sources [list {{*}}{{\n{listed}\n}}]\nset build_id {build_id(files)}\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m card.boards.sources",
                                     description=__doc__.split("\n")[0])
    parser.add_argument("board", choices=BOARDS)
    parser.add_argument("script", type=Path, help="the Tcl script to write")
    arguments = parser.parse_args()
    try:
        arguments.script.write_text(script(arguments.board))
    except OSError as error:
        print(f"card.boards.sources: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
