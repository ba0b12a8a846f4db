# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the notebooks of examples/notebooks without changing them, and prints the time of each.

    python -m docs.book.run_notebooks                  all notebooks
    python -m docs.book.run_notebooks NAME…            the notebooks with these names
    python -m docs.book.run_notebooks --out DIR        keep copies with their outputs in DIR

Exit code: 0, or 1 if a cell failed, which is printed.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "examples" / "notebooks"
CELL_LIMIT_S = 300


def run(path: Path, out: Path | None) -> float:
    """Runs a notebook in its folder, and returns the time in seconds.

    Raises `CellExecutionError` and `CellTimeoutError`.
    """
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        notebook, timeout=CELL_LIMIT_S, kernel_name="python3", resources=resources,
        extra_arguments=["--log-level=ERROR"],
    )
    start = time.monotonic()
    client.execute()
    seconds = time.monotonic() - start
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, out / path.name)
    return seconds


def main() -> int:
    """Runs the command and returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m docs.book.run_notebooks", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="without the ending .ipynb")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for copies with their outputs")
    options = parser.parse_args()
    if options.out is not None and options.out.resolve() == NOTEBOOKS:
        parser.error("--out: the notebooks are stored without outputs")
    paths = [NOTEBOOKS / f"{name}.ipynb" for name in options.names] or sorted(NOTEBOOKS.glob("*.ipynb"))
    # Drawings go into the notebook, not to a screen.
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    failed = False
    for path in paths:
        try:
            print(f"{run(path, options.out):7.1f} s  {path.name}", flush=True)
        except (CellExecutionError, CellTimeoutError, OSError, RuntimeError) as error:
            print(f"error: {path.name}: {error}", file=sys.stderr, flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
