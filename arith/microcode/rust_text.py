# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pieces of Rust for generators of instruction sets, formatted like rustfmt."""

from arith.microcode.generate import camel


def wrapped(comment: str, text: str) -> list[str]:
    """A comment of at most 100 columns."""
    lines, line = [], comment
    for word in text.split():
        if len(line) + 1 + len(word) > 100:
            lines.append(line)
            line = comment
        line += f" {word}"
    return [*lines, line]


def hexadecimal(value: int) -> str:
    """In groups of four digits, if there are more than four."""
    digits = f"{value:x}"
    digits = digits.zfill(-(-len(digits) // 4) * 4) if len(digits) > 4 else digits
    return "0x" + "_".join(digits[place:place + 4] for place in range(0, len(digits), 4))


def array(head: str, items: list[str], end: str) -> list[str]:
    """An array in rustfmt's format: on one line if it fits, otherwise one item per line. That of a
    constant or of a match arm may have its own line."""
    indent = " " * (len(head) - len(head.lstrip()))
    alone = f"{indent}    [{', '.join(items)}]{end}"
    line = f"{head}{alone.lstrip()}"
    if len(line) <= 100:
        return [line]
    if head.endswith(" = ") and len(alone) <= 100:
        return [head.rstrip(), alone]
    if head.endswith(" => &") and len(alone) <= 100:
        alone = f"{indent}    &[{', '.join(items)}]"
        return [f"{head[:-1]}{{", alone, f"{indent}}}"]
    return [f"{head}[", *(f"{indent}    {item}," for item in items), f"{indent}]{end}"]


def sentence(text: str) -> str:
    """The text with a capital letter, if it begins with a word, and a period."""
    first = text.split()[0]
    text = text[0].upper() + text[1:] if first.isalpha() and len(first) > 1 else text
    return text if text.endswith(".") else text + "."


def rust_enum(name: str, doc: str, entries: list[tuple[str, int, str]]) -> list[str]:
    lines = [f"/// {doc}", "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]",
             "#[repr(u8)]", f"pub enum {name} {{"]
    for entry, code, meaning in entries:
        lines += [*wrapped("    ///", sentence(meaning)), f"    {camel(entry)} = {code},"]
    return [*lines, "}", ""]


def rust_function(head: str, doc: str, arms: list[tuple[str, str]], default: str = "") -> list[str]:
    subject = "code" if default else "self"
    lines = [f"    /// {doc}", f"    pub fn {head} {{", f"        match {subject} {{"]
    lines += [f"            {left} => {right}," for left, right in arms]
    lines += [f"            _ => {default},"] if default else []
    return [*lines, "        }", "    }", ""]
