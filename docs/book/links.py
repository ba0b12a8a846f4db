# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Converts Markdown for the book: links to the book's pages, pictures as parts of the page, visible
notes on blocks, and drawings and tables, whose lines do not wrap.

The links of a page are for readers of the repository. In the book pages have other places, and
files that are not pages do not exist.
"""

import base64
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

CODE_SPAN = r"`+[^`\n]+`+"
IMAGE = r"!\[(?P<alt>[^\]]*)\]\((?P<picture>[^)\s]+\.(?:svg|png))\)"
# A label may contain code, whose brackets do not end the label. It has no other brackets: that of a
# range such as [0, p) opens no label.
LINK = r"\[(?P<label>(?:`[^`]*`|[^\[\]`])*)\]\((?P<target>[^)\s]+)\)"
PART = re.compile(f"{IMAGE}|{LINK}|(?P<code>{CODE_SPAN})")
FENCE = re.compile(r"^ *(```+|~~~+)")
TEST = re.compile(r"`[\w/]+\.(?:rs|py)::\w+`")
ALIGNED = re.compile(r"[│┐┘┌└├▶◀]|\S {2,}\S.* {2,}\S.* {2,}\S")
NOTE = re.compile(r"^<!-- (?P<kind>not run|nightly|installed): (?P<reason>.*) -->$")
NOTES = {
    "not run": "Not run by the tests of this page: {}.",
    "nightly": "Run only by the long tests of this page: {}.",
    "installed": "The tests of this page use an existing build instead: {}.",
}


class BrokenLink(Exception):
    """A link that leads to nothing in the repository."""


def opening(line: str, block: list[str]) -> str:
    """Returns the first line of a fenced block. A drawing or a table has the class `aligned`: its
    lines do not wrap."""
    indent, fence, language = re.split("(```+|~~~+)", line.rstrip("\n"), maxsplit=1)
    if language not in ("", "text", "console") or sum(map(bool, map(ALIGNED.search, block))) < 2:
        return line
    return f"{indent}{fence} {{ .{language or 'text'} .aligned }}\n"


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Changes each paragraph of a text. Of fenced blocks it changes only the first line."""
    result: list[str] = []
    prose: list[str] = []
    fence, first = "", 0
    for line in text.splitlines(keepends=True):
        match = FENCE.match(line)
        if fence:
            result.append(line)
            if match and match[1].startswith(fence):
                fence = ""
                result[first] = opening(result[first], result[first + 1:-1])
        elif match:
            result += [change("".join(prose)), line]
            prose, fence, first = [], match[1], len(result) - 1
        else:
            prose.append(line)
    return "".join([*result, change("".join(prose))])


def inline_picture(picture: Path, alt: str) -> str:
    """Returns a picture as part of a page. The page's colors replace those of a drawing."""
    label = " ".join(alt.split()).replace("&", "&amp;").replace('"', "&quot;")
    if picture.suffix == ".png":
        data = base64.b64encode(picture.read_bytes()).decode()
        return f'<figure class="picture"><img alt="{label}" src="data:image/png;base64,{data}"></figure>'
    svg = picture.read_text(encoding="utf-8")
    body = re.sub(r"<style>.*?</style>|<\?xml[^>]*\?>|<!--.*?-->", "", svg, flags=re.DOTALL)
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    return f'<figure class="picture" role="img" aria-label="{label}">' + "".join(lines) + "</figure>"


def breakable(test: str) -> str:
    """Returns the name of a test, which a narrow column breaks only between words."""
    return "<code>" + re.sub(r"::|(?<=[a-z0-9])_", r"\g<0><wbr>", test.strip("`")) + "</code>"


def visible_notes(text: str) -> str:
    """Converts the notes before blocks to visible lines."""
    lines = []
    for line in text.splitlines(keepends=True):
        note = NOTE.match(line.rstrip("\n"))
        lines.append(f"*{NOTES[note['kind']].format(note['reason'])}*\n{{ .note }}\n\n" if note else line)
    return "".join(lines)


def for_the_book(text: str, source: PurePosixPath, places: Mapping[str, str], root: Path) -> str:
    """Returns the text of a page in the book.

    `source` is the page in the repository below `root`, and `places` has the place of each page.
    A link to a file that is not a page becomes the name of the file.
    """
    here = PurePosixPath(places[str(source)])

    def goal(target: str) -> str:
        """Returns the path of a target from the repository's root."""
        return os.path.normpath(str(source.parent / target)) if target else str(source)

    def link(label: str, target: str) -> str:
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            return f"[{label}]({target})"
        name = goal(path)
        found = next((page for page in (name, f"{name}/README.md") if page in places), None)
        if found is not None:
            to = os.path.relpath(places[found], here.parent) if found != str(source) else ""
            return f"[{label}]({to}{'#' if anchor else ''}{anchor})"
        if not (root / name).exists():
            raise BrokenLink(f"{source}: {target} leads nowhere")
        plain = label.strip("`")
        return label if plain.rstrip("/") in name else f"{label} (`{name}`)"

    def part(match: re.Match[str]) -> str:
        if match["code"]:
            return breakable(match[0]) if TEST.fullmatch(match[0]) else match[0]
        if match["picture"]:
            picture = root / goal(match["picture"])
            if not picture.is_file():
                raise BrokenLink(f"{source}: {match['picture']} does not exist")
            return inline_picture(picture, match["alt"])
        return link(match["label"], match["target"])

    return outside_code(text, lambda prose: visible_notes(PART.sub(part, prose)))
