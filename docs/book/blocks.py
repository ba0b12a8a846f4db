# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The blocks of a page, and what becomes of each.

| block | what is done with it |
|---|---|
| any with `title="NAME"` | written into the file NAME |
| `sh` | run as a script of bash, whose first failure ends it |
| `console` | the lines behind `$ ` are run; the others are what they print |
| `python` with `>>>` | run as a session, whose answers are compared |
| `text` | not run: what something prints or looks like |

A comment alone on the line before a block says that it is not run as it stands:

    <!-- not run: REASON -->     never
    <!-- nightly: REASON -->     in the long tests
    <!-- installed: REASON -->   never; what is built already stands for it

In a `console` block `…` stands for any part of a line, and a line `…` for any number of lines.
"""

import re
from dataclasses import dataclass

from docs.book.links import FENCE, NOTE

LANGUAGES = {"sh", "console", "python", "text"}
OPENING = re.compile(r"^```(?P<language>\w*)(?: title=\"(?P<title>[\w.\-]+)\")?$")


class BadBlock(Exception):
    """A block that this machinery does not know what to do with."""


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
    """The blocks of a page.

    Raises `BadBlock` for a fence of another form, a note that stands before no block, and a language
    that is neither run, written into a file, nor said not to be run.
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
            raise BadBlock(f"line {number}: {line!r} is no fence that is known here")
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
            raise BadBlock(f"line {start}: Python is a session, or has a title")
        found.append(block)
    return found


def transcript(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a `console` block, each with the lines that it prints.

    Raises `BadBlock` where the first line is no command.
    """
    commands: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif not commands:
            raise BadBlock("a console block begins with a command")
        elif line.startswith("> ") and not commands[-1][1]:
            commands[-1] = (f"{commands[-1][0]}\n{line[2:]}", [])
        else:
            commands[-1][1].append(line)
    return commands


def is_printed(expected: list[str], printed: list[str]) -> bool:
    """Whether these lines were printed, `…` standing for any."""
    parts = [
        r"(?:[^\n]*\n)*?" if line == "…" else re.escape(line.rstrip()).replace("…", r"[^\n]*?") + "\n"
        for line in expected
    ]
    text = "".join(f"{line.rstrip()}\n" for line in printed)
    return re.fullmatch("".join(parts), text) is not None
