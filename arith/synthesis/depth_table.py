# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of docs/timing.md: one row per block.

A run of arith/synthesis/depth.py writes the rows of the blocks that it measured, and keeps the
others: the whole table takes hours on a small machine.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

BEGIN, END = "<!-- begin depth -->", "<!-- end depth -->"
HEADING = ("| block | levels | reads |", "|---|---|---|")
_ROW = re.compile(r"\| `(\w+)` \|")


class NoTable(ValueError):
    """A file without the two comments around the table."""


def row(block: str, levels: float, reads: int) -> str:
    """A block's row."""
    return f"| `{block}` | {levels:.1f} | {reads} |"


def rows_of(text: str) -> dict[str, str]:
    """The rows of a document's table by block. Raises NoTable."""
    if BEGIN not in text or END not in text:
        raise NoTable(f"no `{BEGIN}` and `{END}`")
    lines = text[text.index(BEGIN):text.index(END)].splitlines()
    return {found[1]: line for line in lines if (found := _ROW.match(line))}


def updated(text: str, measured: Mapping[str, str], order: Sequence[str]) -> str:
    """The document with these rows, and its other rows, in this order. Rows of blocks that are no
    longer in the order are removed."""
    rows = {**rows_of(text), **measured}
    table = "\n".join([BEGIN, *HEADING, *(rows[block] for block in order if block in rows), END])
    return text[:text.index(BEGIN)] + table + text[text.index(END) + len(END):]


def write_row(file: Path, block: str, line: str, order: Sequence[str]) -> None:
    """Puts a block's row into a document. Raises NoTable."""
    text = file.read_text(encoding="utf-8")
    file.write_text(updated(text, {block: line}, order), encoding="utf-8")
