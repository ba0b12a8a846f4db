# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the instruction set as the tables of the manual."""

from engines.bls12_381.coprocessor.isa import Instruction, Isa


def _kinds(one: Instruction) -> str:
    """The rows of kinds of an instruction, as one cell, without the dashes at their ends."""
    rows = [" ".join(row).rstrip(" -") for row in one.rows if set(row) != {"-"}]
    return "<br>".join(f"`{row}`" for row in rows)


def _operands(one: Instruction) -> str:
    return ", ".join(operand for operand in one.operands if operand != "none")


def _ours(extension: bool) -> str:
    """The mark of an extension."""
    return "†" if extension else ""


def table_text(isa: Isa) -> str:
    """Markdown tables of instructions, kinds of slots, registers, replies, errors, names and limits."""
    lines = ["| instruction | code | operands a, b, c | their kinds | effect |",
             "|---|---|---|---|---|"]
    for one in isa.instructions.values():
        lines.append(f"| `{one.name}` | 0x{one.code:02x}{_ours(one.extension)} "
                     f"| {_operands(one)} | {_kinds(one)} | {one.meaning} |")
    lines += ["", "| kind | code | slots | contents |", "|---|---|---|---|"]
    lines += [f"| `{one.name}` | {one.code}{_ours(one.extension)} | {one.slots} "
              f"| {one.meaning} |" for one in isa.kinds.values()]
    lines += ["", "| offset | register | access | meaning |", "|---|---|---|---|"]
    lines += [f"| 0x{one.offset:02x}{_ours(one.extension)} | `{one.name}` | {one.access} "
              f"| {one.meaning} |" for one in isa.registers]
    lines += ["", "| window | value |", "|---|---|"]
    lines += [f"| `{name}` | 0x{value:x} |" for name, value in isa.window.items()]
    lines += ["", "| bytes of the reply | part | meaning |", "|---|---|---|"]
    lines += [f"| {part.offset}–{part.offset + part.bytes - 1} | `{part.name}` | {part.meaning} |"
              for part in isa.reply]
    lines += ["", "| bits of the error word | part | meaning |", "|---|---|---|"]
    lines += [f"| {bits.low + bits.width - 1}:{bits.low} | `{bits.name}` | {bits.meaning} |"
              for bits in isa.error_word]
    lines += ["", "| error | code | meaning |", "|---|---|---|"]
    lines += [f"| `{one.name}` | {one.code} | {one.meaning} |" for one in isa.errors]
    lines += ["", "| other name | instruction | code | code in the published text |",
              "|---|---|---|---|"]
    for alias in isa.aliases:
        text = "" if alias.text_code is None else f"0x{alias.text_code:02x}"
        code = isa.instructions[alias.instruction].code
        lines.append(f"| `{alias.name}` | `{alias.instruction}` | 0x{code:02x} | {text} |")
    lines += ["", "| limit | value |", "|---|---|"]
    lines += [f"| `{name}` | {value} |" for name, value in isa.limits.items()]
    return "\n".join(lines)
