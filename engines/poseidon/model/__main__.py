# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The golden model on the command line: roots of trees, independent of the Rust library.

    python -m engines.poseidon.model tree --arity 8 FILE
    python -m engines.poseidon.model tree --arity 8 --top-arity 8,2 --columns LAYER...
"""

import argparse
import sys
from pathlib import Path

from engines.poseidon.model.parameters import FILECOIN_PARTIAL_ROUNDS
from engines.poseidon.model.permutation import InputError
from engines.poseidon.model.tree import columns_root, file_root


ARITIES = [width - 1 for width in FILECOIN_PARTIAL_ROUNDS]


def arity_list(text: str) -> list[int]:
    """Arities that have parameters, separated by commas."""
    arities = [int(word) for word in text.split(",")]
    if not set(arities) <= set(ARITIES):
        raise argparse.ArgumentTypeError(f"{text}: supported arities are {ARITIES}")
    return arities


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m engines.poseidon.model",
                                     description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    tree = commands.add_parser("tree", help="Merkle root of a file of 32-byte leaves")
    tree.add_argument("--arity", type=int, default=8, choices=ARITIES)
    tree.add_argument("--top-arity", type=arity_list, default=[], metavar="ARITY,...",
                      help="arities above the base trees, lowest level first")
    tree.add_argument("--processes", type=int, help="workers (default: one per core)")
    inputs = tree.add_mutually_exclusive_group(required=True)
    inputs.add_argument("--columns", type=Path, nargs="+", metavar="LAYER",
                        help="2, 4, 8 or 11 layers of labels, whose columns' hashes are the leaves")
    inputs.add_argument("file", type=Path, nargs="?")
    arguments = parser.parse_args()
    arity, top = arguments.arity, arguments.top_arity
    try:
        if arguments.columns:
            root = columns_root(arity, arguments.columns, top)
        else:
            root = file_root(arity, arguments.file, arguments.processes, top)
    except (InputError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"0x{root:064x}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
