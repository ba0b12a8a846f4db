# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Disassembly: one short line per instruction, as in the comments of the ROM packages.

`P1=acc+P0*M7` reduces into P1; `prod` is the turn's product; `M` and `A` are constants, relative to
the bases inside a loop. `T9` is a word of the table, `T16[k0:3]` the word that window 3 of scalar 0
selects, `F1[3]` a word of the fixed table; `+-prod` has the sign of the digit, `high` is not
reduced.
"""

from arith.microcode import isa
from arith.microcode.isa import Instruction


def _register(operand: int) -> str:
    bank, index = isa.bank_and_index(operand)
    return f"{'PS'[bank]}{index}"


def _second(fields: Instruction) -> str:
    kind, word = fields.get("lookup", isa.LOOKUP_NONE), fields.get("table_word", 0)
    if kind == isa.LOOKUP_WORD:
        return f"T{word}"
    if kind == isa.LOOKUP_DIGIT:
        return f"T{word}[k{fields['digit_scalar']}:{fields['digit']}]"
    if kind == isa.LOOKUP_FIXED:
        return f"F{word}[{fields['digit']}]"
    return f"M{fields['mul_const']}" if fields["mul_b_is_const"] else _register(fields["mul_b"])


def _multiply(fields: Instruction) -> str:
    text = f"{_register(fields['mul_a'])}*{_second(fields)}"
    if fields.get("mul_high"):
        text = f"high({text})"
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
            sign = "+-" if product and fields.get("sign_op0") else "-" if coefficient < 0 else ""
            text += (sign or ("+" if text else "")) + size + name
    if fields["add_const_en"]:
        text += f"{'+' if text else ''}A{fields['add_const']}"
    target = f"S{fields['add_dst']}=" if fields["add_write"] else ""
    output = f"out{fields['out_index']}=" if fields["out_en"] else ""
    kept = f"T{fields['table_dst']}=" if fields.get("table_write") else ""
    kept += f"k{fields['scalar_dst']}=" if fields.get("scalar_write") else ""
    kept += "flag=" if fields.get("flag_write") else ""
    return output + kept + target + (text or "0")


def _control(fields: Instruction) -> str:
    code, imm = fields["control"], fields["imm"]
    if fields.get("jump"):
        return f"call {imm}" if fields["jump"] == isa.CALL else "return"
    return {
        isa.NEXT: "",
        isa.HALT: "halt unless zero" if fields.get("halt_unless_zero") else "halt",
        isa.LOOP_BEGIN: f"loop {imm} times",
        isa.LOOP_END: f"again {imm} M+{fields['mul_stride']} A+{fields['add_stride']}" + (
            f" digit+{fields['digit_stride']}" if fields.get("digit_stride") else ""),
    }[code]


def line(fields: Instruction) -> str:
    """The instruction as text."""
    parts = [
        _multiply(fields) if fields["mul_en"] else "",
        _add(fields) if fields["add_en"] else "",
        _control(fields),
    ]
    return "; ".join(part for part in parts if part) or "nothing"
