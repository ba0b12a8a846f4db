# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The part of card.toml and the manifests that every user of the card needs, as Rust: a file each
of limits, capabilities, commands, replies, registers, windows, statuses, and payload offsets. What
belongs to one engine alone is in that engine's crate (emit_wire)."""

from card.spec.rust_text import (
    HEAD, close_with_name, doc, enumeration, file, hex32, match_method, offsets, status,
)
from card.spec.specification import CONTROL_ENGINE, WINDOW_BYTES, Specification
from card.spec.text import camel, sentence


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
        if value.engine is not None:
            continue
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
    opening = [r for r in spec.registers if r.at_opening]
    widest = max((len(camel(r.name)) for r in opening), default=0) + 1
    lines += [
        "",
        "    /// Those that the host reads when it opens a card. A card without one refuses it.",
        f"    pub const AT_OPENING: [Self; {len(opening)}] = [",
        # The trailing comments keep rustfmt from joining the lines.
        *(f"        Self::{camel(r.name) + ',':{widest}} // {hex32(r.address)}" for r in opening),
        "    ];",
    ]
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


def simulator(spec: Specification, engine: str) -> str:
    """The simulator that has an engine: that of the engines with a memory, or its own, or the default."""
    module = next(module for module in spec.modules if module.engine == engine)
    if module.memories:
        return 'Some("memory")'
    return "None" if module.simulated else f'Some("{engine}")'


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
    lines += match_method(
        "simulator",
        "The simulator that has the engine, by what its file name ends in; `None` is the default one.",
        "Option<&'static str>",
        [(camel(v.name), simulator(spec, v.name)) for v in spec.capabilities],
    )
    return lines + close_with_name(
        "Capability", [(camel(v.name), v.name) for v in spec.capabilities]
    )


def statuses(spec: Specification) -> list[str]:
    """Outcomes of the control commands, and those that several engines answer with."""
    shared = [entry for entry in spec.statuses if entry.engine is None]
    return [line for entry in shared for line in status(entry)]


# File: what it holds, names that it takes from other files, its lines.
SECTIONS = {
    "limits": ("Version of the protocol and limits.", [], limits),
    "capability": ("Engines that a card may have.", [], capabilities),
    "command": ("Commands.", ["capability::Capability"], commands),
    "reply": ("Replies.", [], replies),
    "register": ("Registers.", [], registers),
    "window": (
        "Windows of the engines, and their interrupts.", ["capability::Capability"], windows,
    ),
    "status": ("Outcomes that no engine has for itself.", [], statuses),
}


def _module(spec: Specification) -> str:
    lines = [
        *HEAD,
        "//! The numbers of the card's protocol: commands, registers, capabilities, limits.",
        "//! Those of one engine alone are in its crate, `engines/NAME/wire`.",
        "",
        "// One arm a variant, even where two are equal: each line is one line of the data file.",
        "#![allow(clippy::match_same_arms)]",
        "",
    ]
    lines += [f"mod {name};" if name != "offset" else f"pub mod {name};"
              for name in sorted([*SECTIONS, "offset"])]
    lines += ["", *(f"pub use {name}::*;" for name in sorted(SECTIONS))]
    return "\n".join(lines) + "\n"


def emit(spec: Specification) -> dict[str, str]:
    """Path below card/src/spec -> text."""
    files = {"mod.rs": _module(spec)}
    for name, (about, used, section) in SECTIONS.items():
        uses = [f"use super::{path};" for path in used]
        files[f"{name}.rs"] = file(about, [*uses, *([""] if uses else []), *section(spec)])
    files["offset.rs"] = file(
        "Byte offsets of payload fields, counted from the end of the header.",
        offsets(spec, CONTROL_ENGINE),
    )
    return files
