# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Disassembly: one short line for an instruction, as in the comments of the ROM packages.

`P1=acc+P0*M7` reduces into P1; `prod` is the turn's product; `M`, `A` are constants, relative to
the bases inside a loop.
"""

from __future__ import annotations

from arith.microcode import isa
from arith.microcode.isa import Instruction


def _register(operand: int) -> str:
    bank, index = isa.bank_and_index(operand)
    return f"{'PS'[bank]}{index}"


def _multiply(fields: Instruction) -> str:
    b = f"M{fields['mul_const']}" if fields["mul_b_is_const"] else _register(fields["mul_b"])
    text = f"{_register(fields['mul_a'])}*{b}"
    if not fields["mul_emit"]:
        return f"acc{'+' if fields['mul_acc'] else ''}={text}"
    target = f"P{fields['mul_dst']}" if fields["mul_write"] else "prod"
    return f"{target}={'acc+' if fields['mul_acc'] else ''}{text}"


def _add(fields: Instruction) -> str:
    text = ""
    for slot in range(3):
        coefficient = fields[f"coef{slot}"]
        if coefficient:
            product = slot == 0 and fields["op0_is_product"]
            name = "prod" if product else _register(fields[f"op{slot}"])
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)}*"
            text += ("-" if coefficient < 0 else "+" if text else "") + size + name
    if fields["add_const_en"]:
        text += f"{'+' if text else ''}A{fields['add_const']}"
    target = f"S{fields['add_dst']}=" if fields["add_write"] else ""
    output = f"out{fields['out_index']}=" if fields["out_en"] else ""
    return output + target + (text or "0")


def _control(fields: Instruction) -> str:
    code, imm = fields["control"], fields["imm"]
    return {
        isa.NEXT: "",
        isa.HALT: "halt",
        isa.LOOP_BEGIN: f"loop {imm} times",
        isa.LOOP_END: f"again {imm} M+{fields['mul_stride']} A+{fields['add_stride']}",
    }[code]


def line(fields: Instruction) -> str:
    """The instruction as text."""
    parts = [
        _multiply(fields) if fields["mul_en"] else "",
        _add(fields) if fields["add_en"] else "",
        _control(fields),
    ]
    return "; ".join(part for part in parts if part) or "nothing"
