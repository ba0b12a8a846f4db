# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card.toml as the SystemVerilog package card_pkg."""

from __future__ import annotations

from card.spec.specification import CONTROL_ENGINE, Specification
from card.spec.text import camel


def hex32(value: int) -> str:
    return f"32'h{value >> 16:04x}_{value & 0xFFFF:04x}"


def section(title: str) -> list[str]:
    return ["", f"  // {title}"]


def constant(name: str, value: str, kind: str = "logic [31:0]") -> str:
    return f"  localparam {kind} {name} = {value};"


def frame_bytes(spec: Specification) -> list[str]:
    """Least and most frame length of each command that a card takes, header included."""
    header = spec.limit("header_bytes")
    lines = section(
        "Frame lengths in bytes, header included; the open-ended ones are for the engine "
        "to check."
    )
    for command in spec.commands:
        if command.reserved:
            continue
        name = camel(command.name)
        lines.append(constant(f"{name}BytesMin", hex32(header + command.request.fixed_bytes)))
        if command.request.most_bytes is not None:
            lines.append(constant(f"{name}BytesMax", hex32(header + command.request.most_bytes)))
        if command.reply.most_bytes is not None:
            lines.append(constant(f"{name}ReplyBytes", hex32(header + command.reply.most_bytes)))
        else:
            lines.append(
                constant(f"{name}ReplyBytesMin", hex32(header + command.reply.fixed_bytes))
            )
    for notice in spec.notices:
        if not notice.reserved and notice.payload.most_bytes is not None:
            lines.append(
                constant(f"{camel(notice.name)}Bytes", hex32(header + notice.payload.most_bytes))
            )
    return lines


def command_table(spec: Specification) -> list[str]:
    """The table CommandRules: what the frame decoder must know of each command word."""
    header = spec.limit("header_bytes")
    lines = section(
        "What the frame decoder needs to know of each command; reserved ones are unknown to it."
    )
    lines += [
        "  // `port` is the capability bit of the command's engine.",
        "  // Frame lengths in bytes, header included: open-ended frames have any length from",
        "  // bytes_min on, others bytes_min or bytes_max.",
        "  typedef struct packed {",
        "    logic [31:0] command;",
        "    logic        control;",
        "    logic [4:0]  port;",
        "    logic        open_ended;",
        "    logic [31:0] bytes_min;",
        "    logic [31:0] bytes_max;",
        "  } command_rule_t;",
        "",
    ]
    rules: list[str] = []
    ports = {v.name: v.value for v in spec.capabilities}
    for command in spec.commands:
        if command.reserved:
            continue
        control = command.engine == CONTROL_ENGINE
        most = command.request.most_bytes
        least = header + command.request.fixed_bytes
        most_frame = spec.limit("max_frame_bytes") if most is None else header + most
        rules.append(
            f"    '{{command: Command{camel(command.name)}, control: 1'b{int(control)}, "
            f"port: 5'd{ports.get(command.engine, 0)},\n"
            f"      open_ended: 1'b{int(most is None)}, bytes_min: {hex32(least)}, "
            f"bytes_max: {hex32(most_frame)}}}"
        )
    return lines + [
        f"  localparam int unsigned Commands = {len(rules)};",
        "  localparam command_rule_t CommandRules[Commands] = '{",
        ",\n".join(rules),
        "  };",
    ]


def emit(spec: Specification) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0 OR MIT",
        "// Generated from card/spec/card.toml by `python -m card.spec.generate`: do not edit.",
        "//",
        "// card_pkg: the numbers of the card's protocol.",
        "package card_pkg;",
        "  // A package offers more than any one design uses.",
        "  /* verilator lint_off UNUSEDPARAM */",
    ]
    lines += section("Version and limits")
    lines.append(constant("Version", hex32(spec.version)))
    lines += [constant(camel(v.name), hex32(v.value)) for v in spec.limits]
    lines += section("Capability bits")
    lines += [
        constant(f"Capability{camel(v.name)}", str(v.value), "int unsigned")
        for v in spec.capabilities
    ]
    lines.append(
        constant("EnginePorts", str(1 + max(v.value for v in spec.capabilities)), "int unsigned")
    )
    lines += section("Command words")
    lines += [constant(f"Command{camel(c.name)}", hex32(c.code)) for c in spec.commands]
    lines += section("Command words of replies")
    lines += [constant(f"Reply{camel(c.name)}", hex32(c.reply_code)) for c in spec.commands]
    lines += [constant(f"Reply{camel(n.name)}", hex32(n.code)) for n in spec.notices]
    lines += frame_bytes(spec)
    lines += command_table(spec)
    for status in spec.statuses:
        lines += section(status.meaning)
        lines += [
            constant(f"{camel(status.name)}{camel(v.name)}", hex32(v.value)) for v in status.values
        ]
    lines += section("Poseidon instances: number of codes, and the code of each mask bit")
    lines.append(constant("PoseidonInstanceCount", str(len(spec.instances)), "int unsigned"))
    codes = ", ".join(f"8'h{v.value:02x}" for v in reversed(spec.instances))
    lines += [
        "  localparam logic [PoseidonInstanceCount-1:0][7:0] PoseidonInstanceCodes = {",
        f"    {codes}",
        "  };",
    ]
    lines += section("Register addresses, and reset values where the build does not decide")
    for register in spec.registers:
        lines.append(constant(f"Register{camel(register.name)}", hex32(register.address)))
        if register.reset is not None:
            lines.append(constant(f"Register{camel(register.name)}Reset", hex32(register.reset)))
    lines += ["", "  /* verilator lint_on UNUSEDPARAM */", "endpackage"]
    return "\n".join(lines) + "\n"
