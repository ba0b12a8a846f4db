# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every relative link in the Markdown files leads to a file or a folder, and to a heading in it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The folders of build outputs.
BUILT = {"build", "target", "node_modules"}


def documents() -> list[Path]:
    """Returns the Markdown files of the project, without built and hidden files."""
    def is_ours(path: Path) -> bool:
        parts = path.relative_to(ROOT).parts
        return not any(part in BUILT or part.startswith(".") for part in parts)
    return sorted(path for path in ROOT.rglob("*.md") if is_ours(path))


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


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    document, other = tmp_path / "one.md", tmp_path / "two.md"
    text = "[a](two.md#its-2nd-heading) [b](three.md) [c](#x) [d](https://x.org/y)\n```\n[e](z)\n```\n"
    document.write_text(text, encoding="utf-8")
    other.write_text("# Title\n\n## Its 2nd heading!\n", encoding="utf-8")
    assert links(text) == ["two.md#its-2nd-heading", "three.md", "#x"]
    reasons = [fault(document, target) for target in links(text)]
    assert reasons[0] is None and "not there" in str(reasons[1]) and "#x" in str(reasons[2])
