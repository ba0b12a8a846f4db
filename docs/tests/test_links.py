# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every relative link in the Markdown files leads to a file or a folder, and to a heading in it."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The folders of build outputs.
BUILT = {"build", "target", "node_modules"}


def documents(root: Path = ROOT) -> list[Path]:
    """Returns the Markdown files of the project, without built and hidden files.

    The folders of build outputs are not entered: a build that runs at the same time removes files there.
    """
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in BUILT and not name.startswith(".")]
        found += [Path(folder, name) for name in files if name.endswith(".md") and not name.startswith(".")]
    return sorted(found)


def prose(text: str) -> str:
    """Returns the text without code, whose brackets are not links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: "`" if "](" in code[0] else code[0], text)


def links(text: str) -> list[str]:
    """Returns the targets of the links within the project."""
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(text))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(text: str) -> set[str]:
    """Returns the anchors of a file's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(text), flags=re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.strip().lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


def fault(document: Path, target: str) -> str | None:
    """Returns the reason why a link is broken, or None."""
    path, _, anchor = target.partition("#")
    goal = (document.parent / path).resolve() if path else document
    if not goal.exists():
        return f"{target}: {goal} is not there"
    if anchor and anchor not in anchors(goal.read_text(encoding="utf-8")):
        return f"{target}: {goal} has no heading #{anchor}"
    return None


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_resolves(document: Path) -> None:
    found = [fault(document, target) for target in links(document.read_text(encoding="utf-8"))]
    assert not any(found), [reason for reason in found if reason]


def test_most_documents_are_found() -> None:
    names = {str(path.relative_to(ROOT)) for path in documents()}
    assert {"README.md", "docs/card.md", "engines/ckks/README.md"} <= names
    assert sum(len(links(path.read_text(encoding="utf-8"))) for path in documents()) > 50


def test_folders_of_build_outputs_are_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("docs", "target", "engines/x/build", ".git"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "page.md").write_text("# Page\n", encoding="utf-8")
    entered = []
    scandir = os.scandir

    def record(path: str) -> object:
        entered.append(Path(path).relative_to(tmp_path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", record)
    assert documents(tmp_path) == [tmp_path / "docs/page.md"]
    assert {str(folder) for folder in entered} == {".", "docs", "engines", "engines/x"}


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    document, other = tmp_path / "one.md", tmp_path / "two.md"
    text = "[a](two.md#its-2nd-heading) [b](three.md) [c](#x) [d](https://x.org/y)\n```\n[e](z)\n```\n"
    document.write_text(text, encoding="utf-8")
    other.write_text("# Title\n\n## Its 2nd heading!\n", encoding="utf-8")
    assert links(text) == ["two.md#its-2nd-heading", "three.md", "#x"]
    reasons = [fault(document, target) for target in links(text)]
    assert reasons[0] is None and "not there" in str(reasons[1]) and "#x" in str(reasons[2])
