# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Converts the C header to a page: each declaration with its comment, by the name of the function
or type.

The header comes from cbindgen: a comment `/** … */`, then one declaration up to its `;`, or a macro
on one line. Preprocessor lines inside a declaration, which choose between C and C++, are omitted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

KINDS = {"function": "Functions", "type": "Types and constants"}
COMMENT = re.compile(r"/\*\*\n(?P<text>.*?)\n \*/\n", re.DOTALL)


@dataclass(frozen=True)
class Item:
    """A declaration."""

    kind: str
    name: str
    text: str
    declaration: str


def without_preprocessor(code: str) -> str:
    """Returns a declaration without the lines for C++ and for later versions of C."""
    if code.lstrip().startswith("#define"):
        return code
    lines, skipped = [], 0
    for line in code.splitlines():
        if re.match(r"\s*#\s*if", line):
            skipped += 1
        elif re.match(r"\s*#\s*endif", line):
            skipped -= 1
        elif skipped == 0 and not re.match(r"\s*#", line):
            lines.append(line)
    return "\n".join(lines)


def end(code: str) -> int:
    """Returns the end of a declaration: after the first `;` outside braces and comments, or after a
    macro's line."""
    if code.lstrip().startswith("#define"):
        return len(code) - len(code.lstrip()) + code.lstrip().index("\n")
    depth, position = 0, 0
    while position < len(code):
        if code.startswith("/*", position):
            position = code.index("*/", position) + 2
            continue
        if code.startswith("//", position):
            position = code.index("\n", position)
            continue
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        position += 1
        if depth == 0 and code[position - 1] == ";":
            return position
    raise ValueError("a declaration has no end")


def name_of(declaration: str) -> tuple[str, str]:
    """Returns the kind and the name of a declaration."""
    head = declaration.split("{")[0]
    for kind, pattern in (
        ("type", r"#define (\w+)"),
        ("type", r"typedef .*\(\*(\w+)\)"),
        ("function", r"^(?!typedef).*?\b(\w+)\("),
        ("type", r"(?:enum|struct|union) (\w+)"),
        ("type", r"typedef .*\b(\w+);"),
    ):
        if match := re.search(pattern, head, re.DOTALL):
            return kind, match[1]
    raise ValueError(f"not a declaration: {declaration!r}")


def items(header: str) -> Iterator[Item]:
    """Yields the declarations with a comment, in the header's order."""
    position = 0
    while match := COMMENT.search(header, position):
        lines = (re.sub(r"^ \* ?", "", line) for line in match["text"].splitlines())
        code = header[match.end():]
        length = end(code)
        declaration = without_preprocessor(code[:length]).strip()
        kind, name = name_of(declaration)
        yield Item(kind, name, "\n".join(lines).strip(), declaration)
        position = match.end() + length


def prose(text: str) -> str:
    """Converts a comment to Markdown."""
    return re.sub(r"\bhalimede_\w+(\(\))?|\bHALIMEDE_\w+|\buint\w+_t(\[\d*\])?", lambda name: f"`{name[0]}`", text)


def page(header: str) -> str:
    """Returns the page."""
    found = list(items(header))
    parts = [
        "# C\n\nThe declarations of `halimede.h`; the [guide](../capi/README.md) explains how to compile and link.\n",
        prose("\n".join(
            re.sub(r"^// ?", "", line) for line in header.split("#ifndef")[0].splitlines()[3:]
        )).strip() + "\n",
    ]
    for kind, title in KINDS.items():
        parts.append(f"## {title}\n")
        parts += [
            f"### {item.name}\n\n{prose(item.text)}\n\n```c\n{item.declaration}\n```\n"
            for item in found if item.kind == kind
        ]
    return "\n".join(parts)
