# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card.toml as a C header of constants (also valid C++)."""

from __future__ import annotations

from card.spec.specification import Specification

PREFIX = "HALIMEDE_CARD_"


def emit(spec: Specification) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0 OR MIT",
        "// Generated from card/spec/card.toml by `python -m card.spec.generate`: do not edit.",
        "//",
        "// The numbers of the card's protocol. A frame is a little-endian u32 length (header "
        "included),",
        "// a u32 command, the payload, and zero bytes up to a multiple of "
        f"{PREFIX}ALIGNMENT_BYTES.",
        "#ifndef HALIMEDE_CARD_H",
        "#define HALIMEDE_CARD_H",
    ]

    def block(title: str, entries: list[tuple[str, str, str]]) -> None:
        lines.extend(["", f"/* {title} */"])
        for name, value, meaning in entries:
            comment = f" /* {meaning} */" if meaning else ""
            lines.append(f"#define {PREFIX}{name.upper()} {value}{comment}")

    def word(value: int) -> str:
        return f"0x{value:08X}u"

    block(
        "Version and limits",
        [("version", word(spec.version), "major << 16 | minor")]
        + [(v.name, f"{v.value}u", v.meaning) for v in spec.limits],
    )
    block(
        "Capability bits",
        [(f"capability_{v.name}", f"(1u << {v.value})", v.meaning) for v in spec.capabilities],
    )
    block("Command words", [(f"command_{c.name}", word(c.code), c.meaning) for c in spec.commands])
    block(
        "Command words of replies",
        [(f"reply_{c.name}", word(c.reply_code), "") for c in spec.commands]
        + [(f"reply_{n.name}", word(n.code), n.meaning) for n in spec.notices],
    )
    for status in spec.statuses:
        block(
            status.meaning,
            [(f"{status.name}_{v.name}", f"{v.value}u", v.meaning) for v in status.values],
        )
    block(
        "Poseidon instance codes",
        [
            (f"poseidon_instance_{v.name}", f"0x{v.value:02X}u", f"bit {i} of poseidon_instances")
            for i, v in enumerate(spec.instances)
        ],
    )
    block(
        "Registers: byte addresses",
        [
            (f"register_{r.name}", f"0x{r.address:04X}u", f"{r.access}: {r.meaning}")
            for r in spec.registers
        ],
    )
    block(
        "Reserved address ranges",
        [
            (f"region_{g.name}_{end}", f"0x{address:04X}u", g.meaning)
            for g in spec.regions
            for end, address in (("first", g.first), ("last", g.last))
        ],
    )
    fields = [
        (kind, f)
        for command in spec.commands
        if not command.reserved
        for kind, payload in (
            (f"{command.name}_request", command.request),
            (f"{command.name}_reply", command.reply),
        )
        for f in payload.fields
        if not f.is_zero
    ]
    block(
        "Byte offsets of payload fields, counted from the end of the header",
        [
            (f"offset_{kind}_{f.name}", f"{f.offset_bytes}u", f"{f.type}: {f.meaning}")
            for kind, f in fields
            if f.from_end_bytes is None
        ],
    )
    block(
        "Payload fields behind an open-ended one: bytes from the field to the payload's end",
        [
            (f"from_end_{kind}_{f.name}", f"{f.from_end_bytes}u", f"{f.type}: {f.meaning}")
            for kind, f in fields
            if f.from_end_bytes is not None
        ],
    )
    return "\n".join(lines + ["", "#endif"]) + "\n"
