# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of docs/timing.md: rows are replaced, kept and ordered, and every block has one."""

from pathlib import Path

import pytest

from arith.simulation.toolchain import PROJECT_ROOT
from arith.synthesis import depth_table
from arith.synthesis.depth import LIMIT_LEVELS, Measured, designs, table_row
from arith.synthesis.paths import Path as Found

DOCUMENT = f"before\n{depth_table.BEGIN}\n{depth_table.END}\nbehind\n"


def test_rows_are_replaced_kept_and_ordered(tmp_path: Path) -> None:
    file, order = tmp_path / "timing.md", ["shell", "uart_link", "engine_shell"]
    file.write_text(DOCUMENT, encoding="utf-8")
    for block, levels in (("uart_link", 3.0), ("gone", 1.0), ("shell", 9.0), ("shell", 6.0)):
        line = depth_table.row(block, levels, 0)
        depth_table.write_row(file, block, line, order)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("behind\n")
    assert depth_table.rows_of(text) == {
        "shell": "| `shell` | 6.0 | 0 |",
        "uart_link": "| `uart_link` | 3.0 | 0 |",
    }
    assert text.index("`shell`") < text.index("`uart_link`")


def test_a_document_without_a_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.md"
    file.write_text(f"{depth_table.BEGIN}\n", encoding="utf-8")
    with pytest.raises(depth_table.NoTable):
        depth_table.write_row(file, "shell", "", ["shell"])


def test_a_row_of_a_block_with_and_without_a_path() -> None:
    deep = Measured("shell", [Found(6.96, "a", "b"), Found(1.0, "c", "d")], 2, None)
    assert table_row(deep) == "| `shell` | 7.0 | 2 |"
    assert table_row(Measured("uart_link", [], 0, None)) == "| `uart_link` | 0.0 | 0 |"


def test_every_block_of_the_page_is_measured_and_within_the_limit_or_explained() -> None:
    text = (PROJECT_ROOT / "docs/timing.md").read_text(encoding="utf-8")
    rows = depth_table.rows_of(text)
    assert set(rows) <= set(designs())
    levels = {block: float(line.split("|")[2]) for block, line in rows.items()}
    explained = text[text.index("## Exceptions"):].split("\n## ")[0]
    for block, value in levels.items():
        named = f"`{block}` ({value:.1f})" in explained
        assert named == (value > LIMIT_LEVELS), block
