# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The blocks of a page, and how each is treated.

| block | treatment |
|---|---|
| any with `title="NAME"` | written into the file NAME |
| `sh` | run as a script of bash, whose first failure ends it |
| `console` | the lines after `$ ` are run; the other lines are the expected output |
| `python` with `>>>` | run as a session, whose answers are compared |
| `text` | not run: an output or a layout |

A comment on its own line before a block changes how the block is run:

    <!-- not run: REASON -->     never
    <!-- nightly: REASON -->     in the long tests
    <!-- installed: REASON -->   never; the existing build replaces it

In a `console` block `…` matches any part of a line, and a line `…` any number of lines.
"""

import re
from dataclasses import dataclass

from docs.book.links import FENCE, NOTE

LANGUAGES = {"sh", "console", "python", "text"}
OPENING = re.compile(r"^```(?P<language>\w*)(?: title=\"(?P<title>[\w.\-]+)\")?$")


class BadBlock(Exception):
    """A block of an unknown kind."""


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    line: int
    """The line of its fence, from 1."""
    language: str
    title: str
    text: str
    note: str
    """`not run`, `nightly`, `installed`, or empty."""
    reason: str


def blocks(page: str) -> list[Block]:
    """Returns the blocks of a page.

    Raises `BadBlock` for an unknown form of a fence, a note without a block, and a block that is
    neither run, nor written into a file, nor marked as not run.
    """
    found: list[Block] = []
    lines = page.splitlines()
    number = 0
    note: re.Match[str] | None = None
    while number < len(lines):
        line = lines[number]
        number += 1
        if matched := NOTE.match(line):
            note = matched
            if number == len(lines) or not FENCE.match(lines[number]):
                raise BadBlock(f"line {number}: a note without a block below it")
            continue
        if not FENCE.match(line):
            continue
        opening = OPENING.match(line)
        if opening is None:
            raise BadBlock(f"line {number}: {line!r} is not a known fence")
        start = number
        while number < len(lines) and lines[number] != "```":
            number += 1
        if number == len(lines):
            raise BadBlock(f"line {start}: the block has no end")
        text = "".join(f"{line}\n" for line in lines[start:number])
        number += 1
        kind, reason = (note["kind"], note["reason"]) if note else ("", "")
        block = Block(start, opening["language"], opening["title"] or "", text, kind, reason)
        note = None
        if block.language not in LANGUAGES and not block.title and block.note != "not run":
            raise BadBlock(f"line {start}: a block of {block.language!r} is not run, and no note says so")
        if block.language == "python" and not block.title and ">>> " not in text and not block.note:
            raise BadBlock(f"line {start}: a Python block must be a session or have a title")
        found.append(block)
    return found


def transcript(text: str) -> list[tuple[str, list[str]]]:
    """Returns the commands of a `console` block, each with the lines that it prints.

    Raises `BadBlock` if the first line is not a command.
    """
    commands: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif not commands:
            raise BadBlock("a console block must begin with a command")
        elif line.startswith("> ") and not commands[-1][1]:
            commands[-1] = (f"{commands[-1][0]}\n{line[2:]}", [])
        else:
            commands[-1][1].append(line)
    return commands


def is_printed(expected: list[str], printed: list[str]) -> bool:
    """Compares printed lines with the expected ones, in which `…` matches anything."""
    parts = [
        r"(?:[^\n]*\n)*?" if line == "…" else re.escape(line.rstrip()).replace("…", r"[^\n]*?") + "\n"
        for line in expected
    ]
    text = "".join(f"{line.rstrip()}\n" for line in printed)
    return re.fullmatch("".join(parts), text) is not None
