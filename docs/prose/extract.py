# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Extracts the prose of a file: comments, documentation, texts in quotes, and Markdown."""

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Kind(Enum):
    """Where a paragraph comes from. Rules differ in the kinds that they apply to."""

    DOCUMENTATION = "documentation"
    COMMENT = "comment"
    TEXT = "text"
    PAGE = "page"
    HEADING = "heading"
    CELL = "cell"


@dataclass(frozen=True)
class Paragraph:
    """One paragraph, list item, heading, table cell or quoted text, joined to one line."""

    line: int
    kind: Kind
    text: str


# Line comments, block comments, raw strings, strings and characters of Rust, C, JavaScript and
# SystemVerilog, in the order in which they are tried.
TOKENS = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*.*?\*/)
      | b?r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)
      | "(?P<string>(?:[^"\\]|\\.)*)"
      | '(?:[^'\\\n]|\\[^\n])[^'\n]{0,8}?'""",
    re.DOTALL | re.VERBOSE,
)
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
TITLE = re.compile(r"^\s*#{1,6}\s+")
TABLE = re.compile(r"^\s*\|")
SEPARATOR = re.compile(r"^[\s|:-]+$")
LINE_END_IN_TEXT = re.compile(r"\\?\n\s*|\\n")


def paragraphs_of(path: Path, source: str) -> list[Paragraph]:
    """The prose of a file, by the end of its name. Files without a rule have none."""
    reader = READERS.get(path.suffix)
    return [] if reader is None else [found for found in reader(source) if found.text]


def of_markdown(source: str) -> Iterator[Paragraph]:
    """Paragraphs, items, headings and cells of a page; code blocks are left out."""
    yield from split(source.splitlines(), 1, Kind.PAGE)


def of_code(source: str) -> Iterator[Paragraph]:
    """Comments and texts in quotes. Comments on consecutive lines are joined."""
    pending: list[str] = []
    start = last = 0
    pending_kind = Kind.COMMENT

    def flush() -> Iterator[Paragraph]:
        if pending:
            yield from split(pending, start, pending_kind)
            pending.clear()

    line = 1
    position = 0
    for match in TOKENS.finditer(source):
        line += source.count("\n", position, match.start())
        position = match.start()
        comment = match["line"]
        if comment is not None:
            documentation = re.match(r"//[/!](?!/)", comment) is not None
            kind = Kind.DOCUMENTATION if documentation else Kind.COMMENT
            whole_line = not source[source.rfind("\n", 0, position) + 1:position].strip()
            if not (pending and whole_line and line == last + 1 and kind == pending_kind):
                yield from flush()
                start, pending_kind = line, kind
            pending.append(comment[3:] if documentation else comment[2:])
            last = line
            continue
        yield from flush()
        if match["block"] is not None:
            lines = [re.sub(r"^\s*\*+ ?|\*/$", "", text) for text in match["block"][2:].splitlines()]
            yield from split(lines, line, Kind.DOCUMENTATION)
            continue
        text = match["raw"] if match["raw"] is not None else match["string"]
        if text is not None and " " in text:
            for part in re.split(r"\\n\\n|\n\n", text):
                yield Paragraph(line, Kind.TEXT, clean(LINE_END_IN_TEXT.sub(" ", part)))
    yield from flush()


def of_python(source: str) -> Iterator[Paragraph]:
    """Docstrings, comments and other texts in quotes."""
    pending: list[str] = []
    start = last = 0
    at_statement = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if pending and token.start[0] != last + 1:
                yield from split(pending, start, Kind.COMMENT)
                pending.clear()
            if not pending:
                start = token.start[0]
            pending.append(token.string.lstrip("#"))
            last = token.start[0]
        elif token.type == tokenize.STRING:
            prefix, quoted = re.match(r"(?i)([a-z]*)(.*)", token.string, re.DOTALL).groups()  # type: ignore[union-attr]
            size = 3 if quoted[:3] in ('"""', "'''") else 1
            text = quoted[size:-size]
            if at_statement and size == 3:
                yield from split(text.splitlines(), token.start[0], Kind.DOCUMENTATION)
            elif " " in text and "b" not in prefix.lower():
                yield Paragraph(token.start[0], Kind.TEXT, clean(LINE_END_IN_TEXT.sub(" ", text)))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            at_statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    if pending:
        yield from split(pending, start, Kind.COMMENT)


def split(lines: list[str], first: int, kind: Kind) -> Iterator[Paragraph]:
    """Splits lines into paragraphs, items, headings and cells, without their code blocks."""
    pending: list[str] = []
    start = first
    fenced = False

    def flush() -> Iterator[Paragraph]:
        if pending:
            yield Paragraph(start, kind, clean(" ".join(pending)))
            pending.clear()

    for number, text in enumerate(lines, first):
        if FENCE.match(text):
            yield from flush()
            fenced = not fenced
        elif fenced or text.lstrip().startswith((">>> ", "... ", "SPDX-", " SPDX-")):
            continue
        elif not text.strip():
            yield from flush()
        elif TITLE.match(text):
            yield from flush()
            yield Paragraph(number, Kind.HEADING, clean(TITLE.sub("", text)))
        elif TABLE.match(text):
            yield from flush()
            if not SEPARATOR.match(text):
                for cell in re.split(r"(?<!\\)\|", text.strip().strip("|")):
                    yield Paragraph(number, Kind.CELL, clean(cell))
        else:
            if ITEM.match(text):
                yield from flush()
                text = ITEM.sub("", text)
            if not pending:
                start = number
            pending.append(text.strip())
    yield from flush()


def clean(text: str) -> str:
    """The text as it is read: names in code become one letter, links their words."""
    text = re.sub(r"`+[^`]*`+", "X", text)
    text = re.sub(r"\{[^{}]*\}", "X", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\[[^\]]*\]", r"\1", text)
    text = text.replace("[", "").replace("]", "").replace("**", "")
    return re.sub(r"\s+", " ", text).strip()


# The reader of each kind of file, by the end of its name.
READERS = {
    ".md": of_markdown, ".py": of_python, ".pyi": of_python,
    ".rs": of_code, ".sv": of_code, ".h": of_code, ".c": of_code, ".js": of_code,
}
