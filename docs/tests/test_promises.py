# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every test that `SECURITY.md` names for a promise exists under that name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
# A link from the name of a test to its file.
NAMED = re.findall(r"\[`([a-z0-9_]+)`\]\(([^)#]+)\)", PAGE)


def promises() -> list[str]:
    """Returns the rows of the tables of promises."""
    tables = PAGE[PAGE.index("## Promises"):]
    rows = re.findall(r"^\| (?!Promise)(.*) \|$", tables, flags=re.MULTILINE)
    return [row for row in rows if not set(row) <= set("-| ")]


@pytest.mark.parametrize("name, path", NAMED)
def test_the_test_is_there(name: str, path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^\s*(async |static void |pub )?(fn |def )?{name}\(", text, flags=re.MULTILINE), f"{path} has no {name}"


def test_each_promise_names_its_test() -> None:
    rows = promises()
    assert len(rows) > 25
    assert not [row for row in rows if "](" not in row.rsplit("|", 1)[1]]
