# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Spelling helpers that the emitters share."""

import re

_IDENTIFIER = re.compile(r"(?<![`\w])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![`\w])")


def camel(name: str) -> str:
    """register_read -> RegisterRead."""
    return "".join(part.capitalize() for part in name.split("_"))


def ticked(text: str) -> str:
    """Puts backticks around identifiers and formulas, as in Markdown."""
    text = text.replace("major << 16 | minor", "`major << 16 | minor`")
    return _IDENTIFIER.sub(lambda match: f"`{match[0]}`", text)


def sentence(text: str) -> str:
    """Capitalizes the first letter and adds a period."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."
