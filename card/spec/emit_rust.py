# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card.toml as Rust: enums of commands, registers, capabilities, statuses, and payload offsets.

The text is laid out as rustfmt would lay it out (a test checks that), so that the output does not
depend on whether rustfmt is installed.
"""

from __future__ import annotations

from card.spec.specification import WINDOW_BYTES, Payload, Specification
from card.spec.text import camel, sentence, ticked

LINE_LIMIT = 100


def hex32(value: int) -> str:
    return f"0x{value >> 16:04x}_{value & 0xFFFF:04x}"


def doc(text: str, indent: str = "") -> list[str]:
    """A `///` comment, wrapped."""
    lines, line = [], indent + "///"
    for word in ticked(text).split():
        if len(line) + 1 + len(word) > LINE_LIMIT:
            lines.append(line)
            line = indent + "///"
        line += " " + word
    return lines + [line]


def enumeration(
    name: str,
    about: str,
    representation: str,
    members: list[tuple[str, str, str]],
    derive: str = "Clone, Copy, Debug, PartialEq, Eq, Hash",
) -> list[str]:
    """`members`: (variant, literal, meaning). Comes with ALL and from_<representation>."""
    lines = doc(about) + [
        f"#[derive({derive})]",
        "#[non_exhaustive]",
        f"#[repr({representation})]",
        f"pub enum {name} {{",
    ]
    for variant, literal, meaning in members:
        lines += doc(sentence(meaning), "    ") + [f"    {variant} = {literal},"]
    lines += [
        "}",
        "",
        f"impl {name} {{",
        "    /// Every variant, in the order of the data file.",
        f"    pub const ALL: [Self; {len(members)}] = [",
    ]
    # The trailing comments keep rustfmt from joining the lines.
    widest = max(len(variant) for variant, _, _ in members) + 1
    lines += [
        f"        Self::{variant + ',':{widest}} // {literal}" for variant, literal, _ in members
    ]
    lines += ["    ];", ""]
    lines += [
        "    /// The variant with this number, if there is one.",
        "    #[must_use]",
        f"    pub const fn from_{representation}(value: {representation}) -> Option<Self> {{",
        "        match value {",
    ]
    lines += [f"            {literal} => Some(Self::{variant})," for variant, literal, _ in members]
    lines += ["            _ => None,", "        }", "    }"]
    return lines


def close_with_name(name: str, members: list[tuple[str, str]]) -> list[str]:
    """The `name()` method (variant, text) and the end of the impl block."""
    return (
        [
            "",
            "    /// The name used in the documentation and on the command line.",
            "    #[must_use]",
            "    pub const fn name(self) -> &'static str {",
            "        match self {",
        ]
        + [f'            Self::{variant} => "{text}",' for variant, text in members]
        + ["        }", "    }", "}", ""]
    )


def match_method(name: str, about: str, result: str, arms: list[tuple[str, str]]) -> list[str]:
    """A const method that maps every variant; one arm a line, so that rustfmt changes nothing."""
    return (
        [""]
        + doc(about, "    ")
        + [
            "    #[must_use]",
            f"    pub const fn {name}(self) -> {result} {{",
            "        match self {",
        ]
        + [f"            Self::{variant} => {value}," for variant, value in arms]
        + ["        }", "    }"]
    )


def limits(spec: Specification) -> list[str]:
    lines = [
        "/// Major version of the protocol.",
        f"pub const VERSION_MAJOR: u16 = {spec.major};",
        "/// Minor version of the protocol.",
        f"pub const VERSION_MINOR: u16 = {spec.minor};",
        "/// `major << 16 | minor`, as the card reports it.",
        f"pub const VERSION: u32 = {hex32(spec.version)};",
    ]
    for value in spec.limits:
        lines += doc(sentence(value.meaning)) + [
            f"pub const {value.name.upper()}: usize = {value.value:_};"
        ]
    return lines + [""]


def length_literal(size: int | None) -> str:
    return "None" if size is None else f"Some({size})"


def commands(spec: Specification) -> list[str]:
    members = [(camel(c.name), hex32(c.code), c.meaning) for c in spec.commands]
    lines = enumeration("Command", "Command word of a frame sent to the card.", "u32", members)
    lines += [
        "",
        "    /// The command word on the wire.",
        "    #[must_use]",
        "    pub const fn code(self) -> u32 {",
        "        self as u32",
        "    }",
    ]
    lines += match_method(
        "reply_code",
        "The command word of this command's reply.",
        "u32",
        [(camel(c.name), hex32(c.reply_code)) for c in spec.commands],
    )
    engines = {None: "None"} | {
        c.name: f"Some(Capability::{camel(c.name)})" for c in spec.capabilities
    }
    lines += match_method(
        "capability",
        "What a card needs to take the command; `None`: every card" " takes it.",
        "Option<Capability>",
        [(camel(c.name), engines.get(c.engine, "None")) for c in spec.commands],
    )
    lines += match_method(
        "request_payload_bytes",
        "Least and most payload bytes of a request; the "
        "most is `None` where the payload is open-ended.",
        "(usize, Option<usize>)",
        [
            (
                camel(c.name),
                f"({c.request.fixed_bytes}, " f"{length_literal(c.request.most_bytes)})",
            )
            for c in spec.commands
        ],
    )
    lines += match_method(
        "reply_payload_bytes",
        "Least and most payload bytes of the reply; the "
        "most is `None` where the payload is open-ended.",
        "(usize, Option<usize>)",
        [
            (camel(c.name), f"({c.reply.fixed_bytes}, " f"{length_literal(c.reply.most_bytes)})")
            for c in spec.commands
        ],
    )
    lines += match_method(
        "is_reserved",
        "True while no card can have the engine: the payload is not " "final.",
        "bool",
        [(camel(c.name), str(c.reserved).lower()) for c in spec.commands],
    )
    lines += match_method(
        "is_checked",
        "True if the reply ends in a checksum, and the request too where it has a payload.",
        "bool",
        [
            (camel(c.name), str(any(f.name == "checksum" for f in c.reply.fields)).lower())
            for c in spec.commands
        ],
    )
    return lines + close_with_name("Command", [(camel(c.name), c.name) for c in spec.commands])


def replies(spec: Specification) -> list[str]:
    members = [
        (camel(c.name), hex32(c.reply_code), f"answers `{c.name}`: {c.meaning}")
        for c in spec.commands
    ]
    members += [(camel(n.name), hex32(n.code), n.meaning) for n in spec.notices]
    lines = enumeration("Reply", "Command word of a frame sent by the card.", "u32", members)
    lines += [
        "",
        "    /// The command word on the wire.",
        "    #[must_use]",
        "    pub const fn code(self) -> u32 {",
        "        self as u32",
        "    }",
    ]
    names = [(camel(c.name), c.name) for c in spec.commands]
    return lines + close_with_name("Reply", names + [(camel(n.name), n.name) for n in spec.notices])


def registers(spec: Specification) -> list[str]:
    members = [(camel(r.name), hex32(r.address), r.meaning) for r in spec.registers]
    lines = enumeration("Register", "A 32-bit register, by its byte address.", "u32", members)
    lines += [
        "",
        "    /// The byte address.",
        "    #[must_use]",
        "    pub const fn address(self) -> u32 {",
        "        self as u32",
        "    }",
    ]
    resets = [
        (camel(r.name), "None" if r.reset is None else f"Some({hex32(r.reset)})")
        for r in spec.registers
    ]
    lines += match_method(
        "reset_value",
        "Value after the hardware reset; `None` where the build of " "the card decides.",
        "Option<u32>",
        resets,
    )
    lines += match_method(
        "is_writable",
        "True if a write to it is accepted.",
        "bool",
        [(camel(r.name), str(r.access != "ro").lower()) for r in spec.registers],
    )
    return lines + close_with_name("Register", [(camel(r.name), r.name) for r in spec.registers])


def windows(spec: Specification) -> list[str]:
    """Registers of every window, interrupts, and what is particular to each engine's."""
    members = [(camel(r.name), f"0x{r.offset:03x}", r.meaning) for r in spec.window_registers]
    lines = enumeration(
        "WindowRegister",
        "A register of every engine's window, by its byte offset; the first, where it has several "
        "words.",
        "u32",
        members,
    )
    lines += close_with_name(
        "WindowRegister", [(camel(r.name), r.name) for r in spec.window_registers]
    )
    lines += enumeration(
        "Interrupt",
        "An interrupt of every engine, by its bit.",
        "u32",
        [(camel(v.name), str(v.value), v.meaning) for v in spec.interrupts],
    )
    lines += close_with_name("Interrupt", [(camel(v.name), v.name) for v in spec.interrupts])
    lines += [
        "/// The window of an engine, and the names of what is its own there.",
        "#[derive(Debug)]",
        "pub struct EngineWindow {",
        "    /// The engine.",
        "    pub capability: Capability,",
        "    /// Its first byte address.",
        "    pub address: u32,",
        "    /// Words of its shape.",
        "    pub shape: &'static [&'static str],",
        "    /// Counters of its own.",
        "    pub counters: &'static [&'static str],",
        "}",
        "",
        "/// The windows of all engines that there are modules for.",
        "#[rustfmt::skip]",
        f"pub const WINDOWS: [EngineWindow; {len(spec.modules)}] = [",
    ]
    for module in spec.modules:
        shape = ", ".join(f'"{word.name}"' for word in module.shape)
        counters = ", ".join(f'"{counter.name}"' for counter in module.counters)
        lines += [
            "    EngineWindow {",
            f"        capability: Capability::{camel(module.engine)},",
            f"        address: 0x{module.window * WINDOW_BYTES:04x},",
            f"        shape: &[{shape}],",
            f"        counters: &[{counters}],",
            "    },",
        ]
    return [*lines, "];", ""]


def capabilities(spec: Specification) -> list[str]:
    members = [(camel(v.name), str(v.value), v.meaning) for v in spec.capabilities]
    lines = enumeration(
        "Capability",
        "An engine that a card may have: its bit in the capability mask.",
        "u8",
        members,
    )
    lines += [
        "",
        "    /// The mask with this capability's bit alone.",
        "    #[must_use]",
        "    pub const fn mask(self) -> u32 {",
        "        1 << self as u32",
        "    }",
    ]
    return lines + close_with_name(
        "Capability", [(camel(v.name), v.name) for v in spec.capabilities]
    )


def instances(spec: Specification) -> list[str]:
    members = [
        (
            camel(v.name),
            f"0x{v.value:02x}",
            f"{'BLS12-381 Fr' if v.value < 0x20 else 'Stark field'}, "
            f"{v.value & 15} elements wide",
        )
        for v in spec.instances
    ]
    lines = enumeration(
        "PoseidonInstance",
        "Poseidon instance codes: `family << 4 | width`; family 0 "
        "Filecoin, 1 Filecoin strengthened, 2 Stark.",
        "u8",
        members,
    )
    lines += [
        "",
        "    /// The instance code on the wire.",
        "    #[must_use]",
        "    pub const fn code(self) -> u8 {",
        "        self as u8",
        "    }",
        "",
        "    /// Elements in the state.",
        "    #[must_use]",
        "    pub const fn width(self) -> usize {",
        "        (self as u8 & 15) as usize",
        "    }",
    ]
    lines += match_method(
        "bit",
        "This instance's bit number in `poseidon_instances`.",
        "u32",
        [(camel(v.name), str(i)) for i, v in enumerate(spec.instances)],
    )
    return lines + close_with_name(
        "PoseidonInstance", [(camel(v.name), v.name) for v in spec.instances]
    )


def statuses(spec: Specification) -> list[str]:
    lines: list[str] = []
    for status in spec.statuses:
        name = camel(status.name) + ("" if status.name.endswith("outputs") else "Status")
        wide = "u32" if status.name == "register" else "u8"
        members = [(camel(v.name), str(v.value), v.meaning) for v in status.values]
        lines += enumeration(name, status.meaning, wide, members)
        lines += close_with_name(name, [(camel(v.name), v.name) for v in status.values])
    return lines


def payload_module(name: str, about: str, payload: Payload) -> list[str]:
    """Offsets of the fields, counted from the end of the header."""
    fields = [f for f in payload.fields if not f.is_zero]
    if not fields:
        return []
    lines = doc(about, "    ") + [f"    pub mod {name} {{"]
    for field in fields:
        size = "open-ended" if field.size_bytes is None else f"{field.size_bytes} bytes"
        lines += doc(sentence(f"`{field.type}`, {size}: {field.meaning}"), "        ")
        name, offset = field.name.upper(), field.offset_bytes
        if field.from_end_bytes is not None:
            lines += doc("This many bytes before the payload's end.", "        ")
            name, offset = f"{name}_FROM_END", field.from_end_bytes
        lines.append(f"        pub const {name}: usize = {offset};")
    return lines + ["    }"]


def offsets(spec: Specification) -> list[str]:
    lines = [
        "/// Byte offsets of payload fields, counted from the end of the header.",
        "pub mod offset {",
    ]
    for command in spec.commands:
        if command.reserved:
            continue
        lines += payload_module(
            f"{command.name}_request", f"Request of `{command.name}`.", command.request
        )
        lines += payload_module(
            f"{command.name}_reply", f"Reply to `{command.name}`.", command.reply
        )
    for notice in spec.notices:
        if not notice.reserved:
            lines += payload_module(notice.name, f"Payload of `{notice.name}`.", notice.payload)
    return lines + ["}"]


def emit(spec: Specification) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0 OR MIT",
        "// Generated by `python -m card.spec.generate`: do not edit.",
        "",
        "//! The numbers of the card's protocol: commands, registers, capabilities, limits.",
        "",
        "// One arm a variant, even where two are equal: each line is one line of the data file.",
        "#![allow(clippy::match_same_arms)]",
        "",
    ]
    for section in (
        limits,
        capabilities,
        commands,
        replies,
        registers,
        windows,
        instances,
        statuses,
        offsets,
    ):
        lines += section(spec)
    return "\n".join(lines) + "\n"
