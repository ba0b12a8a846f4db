# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The part of an engine's manifest that only its host-side frames need, as Rust: its limits,
statuses, instances, its fields of the card's status, and payload offsets."""

from card.spec.rust_text import (
    close_with_name, doc, enumeration, file, match_method, offsets, status,
)
from card.spec.specification import Specification
from card.spec.text import camel, sentence


def limits(spec: Specification, engine: str) -> list[str]:
    lines: list[str] = []
    for value in spec.limits:
        if value.engine == engine:
            name = value.name.removeprefix(f"{engine}_").upper()
            lines += [*doc(sentence(value.meaning)), f"pub const {name}: usize = {value.value:_};"]
    return [*lines, ""] if lines else []


def instances(spec: Specification, engine: str) -> list[str]:
    lines: list[str] = []
    for entry in spec.instances:
        if entry.engine != engine:
            continue
        name = f"{camel(engine)}Instance"
        names = [(camel(v.name), v.name) for v in entry.values]
        members = [(camel(v.name), f"0x{v.value:02x}", v.meaning) for v in entry.values]
        lines += enumeration(name, entry.meaning, "u8", members)
        lines += [
            "",
            "    /// The code on the wire.",
            "    #[must_use]",
            "    pub const fn code(self) -> u8 {",
            "        self as u8",
            "    }",
        ]
        bits = [(variant, str(bit)) for bit, (variant, _) in enumerate(names)]
        lines += match_method("bit", "The bit in a mask of instances.", "u32", bits)
        lines += close_with_name(name, names)
    return lines


def status_fields(spec: Specification, engine: str) -> list[str]:
    lines: list[str] = []
    for field in spec.status_fields:
        if field.engine == engine:
            name = field.name.removeprefix(f"{engine}_").upper()
            kind = "u64" if field.size_bytes == 8 else "u32"
            lines += doc(sentence(field.meaning), "    ")
            lines.append(
                f"    pub const {name}: StatusField = StatusField::{kind}({field.offset_bytes});"
            )
    if not lines:
        return []
    return [
        "/// The engine's fields of a card's status.",
        "pub mod status {",
        "    use halimede_card::command::StatusField;",
        "",
        *lines,
        "}",
        "",
    ]


def emit(spec: Specification, engine: str) -> str:
    """The file of an engine that a card can have."""
    lines = limits(spec, engine) + instances(spec, engine)
    for entry in spec.statuses:
        if entry.engine == engine:
            lines += status(entry)
    lines += status_fields(spec, engine)
    lines += [
        "/// Byte offsets of payload fields, counted from the end of the header.",
        "pub mod offset {",
        *offsets(spec, engine, "    "),
        "}",
    ]
    return file("The numbers of the engine's part of the card's protocol.", lines)
