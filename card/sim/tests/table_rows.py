# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads the generated table of a README."""

from pathlib import Path

from arith.microcode.generate import BEGIN, END


def rows(text: str) -> dict[str, list[float]]:
    """The rows of numbers of a table, by their first cell. 99 % reads as 99."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return {row[0]: [float(cell.replace(",", "").rstrip("%")) for cell in row[1:]]
            for row in cells[1:]}


def rows_of(readme: Path) -> dict[str, list[float]]:
    """The rows of a README's generated section."""
    text = readme.read_text(encoding="utf-8")
    return rows(text.partition(BEGIN)[2].partition(END)[0])
