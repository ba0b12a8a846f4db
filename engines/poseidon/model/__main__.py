# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The golden model on the command line: roots of trees, independent of the Rust library.

    python -m engines.poseidon.model tree --arity 8 FILE
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engines.poseidon.model.parameters import FILECOIN_PARTIAL_ROUNDS
from engines.poseidon.model.permutation import InputError
from engines.poseidon.model.tree import file_root


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m engines.poseidon.model",
                                     description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    tree = commands.add_parser("tree", help="Merkle root of a file of 32-byte leaves")
    tree.add_argument("--arity", type=int, default=8,
                      choices=[width - 1 for width in FILECOIN_PARTIAL_ROUNDS])
    tree.add_argument("--processes", type=int, help="workers (default: one a core)")
    tree.add_argument("file", type=Path)
    arguments = parser.parse_args()
    try:
        root = file_root(arguments.arity, arguments.file, arguments.processes)
    except (InputError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"0x{root:064x}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
