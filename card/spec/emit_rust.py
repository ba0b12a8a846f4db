# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The part of card.toml and the manifests that every user of the card needs, as Rust: one file each
for limits, capabilities, commands, replies, registers, windows, statuses, and payload offsets. The
part of a single engine is in that engine's crate (emit_wire)."""

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
        "The engine that the command needs; `None` if every card accepts it.",
        "Option<Capability>",
        [(camel(c.name), engines.get(c.engine, "None")) for c in spec.commands],
    )
    lines += match_method(
        "request_payload_bytes",
            "Minimum and maximum payload bytes of a request; the "
            "maximum is `None` if the payload is open-ended.",
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
            "Minimum and maximum payload bytes of the reply; the "
            "maximum is `None` if the payload is open-ended.",
        "(usize, Option<usize>)",
        [
            (camel(c.name), f"({c.reply.fixed_bytes}, " f"{length_literal(c.reply.most_bytes)})")
            for c in spec.commands
        ],
    )
    lines += match_method(
        "is_reserved",
        "`true` if no card can have the engine yet: the payload is not " "final.",
        "bool",
        [(camel(c.name), str(c.reserved).lower()) for c in spec.commands],
    )
    lines += match_method(
        "is_checked",
        "`true` if the reply ends with a checksum. A request with a payload then has one too.",
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
        "Value after the hardware reset; `None` if the build of " "the card sets it.",
        "Option<u32>",
        resets,
    )
    lines += match_method(
        "is_writable",
        "`true` if the register can be written.",
        "bool",
        [(camel(r.name), str(r.access != "ro").lower()) for r in spec.registers],
    )
    opening = [r for r in spec.registers if r.at_opening]
    widest = max((len(camel(r.name)) for r in opening), default=0) + 1
    lines += [
        "",
        "    /// The registers that the host reads when it opens a card. A card may lack some.",
        f"    pub const AT_OPENING: [Self; {len(opening)}] = [",
        # The trailing comments keep rustfmt from joining the lines.
        *(f"        Self::{camel(r.name) + ',':{widest}} // {hex32(r.address)}" for r in opening),
        "    ];",
    ]
    return lines + close_with_name("Register", [(camel(r.name), r.name) for r in spec.registers])


def windows(spec: Specification) -> list[str]:
    """Registers of every window, interrupts, and the names that are specific to an engine."""
    members = [(camel(r.name), f"0x{r.offset:03x}", r.meaning) for r in spec.window_registers]
    lines = enumeration(
        "WindowRegister",
        "A register of every engine's window, by its byte offset; the first register, if it has "
        "several words.",
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
        "/// The window of an engine, and the names of its shape words and counters.",
        "#[derive(Debug)]",
        "pub struct EngineWindow {",
        "    /// The engine.",
        "    pub capability: Capability,",
        "    /// The first byte address of the window.",
        "    pub address: u32,",
        "    /// The names of the shape words.",
        "    pub shape: &'static [&'static str],",
        "    /// The names of the engine's own counters.",
        "    pub counters: &'static [&'static str],",
        "}",
        "",
        "/// The windows of all engines with a module.",
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
    """The simulator that has an engine: the one of the engines with a memory, a separate one, or
    the default."""
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
        "    /// Returns a mask with only this capability's bit.",
        "    #[must_use]",
        "    pub const fn mask(self) -> u32 {",
        "        1 << self as u32",
        "    }",
    ]
    lines += match_method(
        "simulator",
        "The suffix of the file name of the simulator with the engine; `None` for the default one.",
        "Option<&'static str>",
        [(camel(v.name), simulator(spec, v.name)) for v in spec.capabilities],
    )
    return lines + close_with_name(
        "Capability", [(camel(v.name), v.name) for v in spec.capabilities]
    )


def statuses(spec: Specification) -> list[str]:
    """Outcomes of the control commands, and outcomes that several engines use."""
    shared = [entry for entry in spec.statuses if entry.engine is None]
    return [line for entry in shared for line in status(entry)]


# File: its contents, the names that it imports from other files, the function of its lines.
SECTIONS = {
    "limits": ("Version of the protocol and limits.", [], limits),
    "capability": ("Engines that a card may have.", [], capabilities),
    "command": ("Commands.", ["capability::Capability"], commands),
    "reply": ("Replies.", [], replies),
    "register": ("Registers.", [], registers),
    "window": (
        "Windows of the engines, and their interrupts.", ["capability::Capability"], windows,
    ),
    "status": ("Outcomes that are shared by engines.", [], statuses),
}


def _module(spec: Specification) -> str:
    lines = [
        *HEAD,
        "//! The numbers of the card's protocol: commands, registers, capabilities, limits.",
        "//! The numbers of a single engine are in its crate, `engines/NAME/wire`.",
        "",
        "// One arm per variant, even if two are equal: each line is one line of the data file.",
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
