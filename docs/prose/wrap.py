# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Finds comments and Markdown paragraphs that are too wide, and fills them anew."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The longest line, in characters.
WIDTH = 100

# The beginning of a comment line, by the end of the file's name.
PREFIXES = {
    ".rs": re.compile(r"^(\s*(?:///|//!|//)) ?"), ".sv": re.compile(r"^(\s*//) ?"),
    ".c": re.compile(r"^(\s*//) ?"), ".py": re.compile(r"^(\s*#) ?"), ".md": re.compile(r"^()"),
}
FENCE = re.compile(r"^\s*(```|~~~)")
# Lines that are never joined with others.
ALONE = re.compile(r"^\s*(#|\||<|SPDX|\[[^\]]+\]: |={3}|-{3}|!\[|>>>|\.\.\. )|^\s*$|^    ")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])\s+")


@dataclass(frozen=True)
class Group:
    """Consecutive lines of one paragraph: the first line's number, from 0, and how many follow."""

    start: int
    end: int
    prefix: str


def groups(lines: list[str], suffix: str) -> Iterator[Group]:
    """The paragraphs of comments, or of a page. Code blocks and tables are left out."""
    pattern = PREFIXES[suffix]
    start, prefix, fenced = 0, "", False
    opened = False
    for number, line in enumerate(lines + [""]):
        match = pattern.match(line) if number < len(lines) else None
        text = line[match.end():] if match else ""
        if match and FENCE.match(text):
            fenced = not fenced
            alone = True
        else:
            alone = match is None or fenced or (suffix != ".md" and not match[0].strip()) \
                or ALONE.match(text) is not None
            if match is None:
                fenced = False
        if opened and (alone or match is None or match[1] != prefix or ITEM.match(text)):
            yield Group(start, number, prefix)
            opened = False
        if match is not None and not alone and not opened:
            start, prefix, opened = number, match[1], True


def too_wide(path: Path, source: str) -> list[Group]:
    """The paragraphs with a line longer than `WIDTH` that has a space to break at."""
    if path.suffix not in PREFIXES:
        return []
    lines = source.splitlines()
    return [group for group in groups(lines, path.suffix)
            if any(len(line) > WIDTH for line in lines[group.start:group.end])
            and filled(lines, group) != lines[group.start:group.end]]


def filled(lines: list[str], group: Group) -> list[str]:
    """The lines of a paragraph, filled up to `WIDTH`."""
    texts = [line[len(group.prefix):].strip() for line in lines[group.start:group.end]]
    first = lines[group.start][len(group.prefix):]
    margin = " " if group.prefix else ""
    item = ITEM.match(first[len(margin):] if group.prefix else first)
    indent = item[1] if item else (first[:len(first) - len(first.lstrip())] if not group.prefix else "")
    rest = " " * len(item[0]) if item else indent
    text = " ".join(texts)
    if item:
        text = ITEM.sub("", text)
    begin = item[0] if item else indent
    # A link's words may be broken, names in code may not.
    text = re.sub(r"`[^`]*`", lambda found: found[0].replace(" ", "\0"), text)
    wrapped = textwrap.wrap(
        text, WIDTH, initial_indent=group.prefix + margin + begin,
        subsequent_indent=group.prefix + margin + rest,
        break_long_words=False, break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in wrapped]


def wrap(path: Path, source: str) -> str:
    """The source with all paragraphs that are too wide filled anew."""
    lines = source.splitlines()
    for group in reversed(too_wide(path, source)):
        lines[group.start:group.end] = filled(lines, group)
    return "\n".join(lines) + ("\n" if source.endswith("\n") else "")
