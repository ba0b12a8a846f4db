# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Assembles programs into an image: schedules, places, lays out constants, encodes.

A loop's constants that change from one iteration to the next lie in rows, one row an iteration;
the loop's stride is the length of a row. A `loop_begin` rides on the last turn before the loop.
"""

from __future__ import annotations

from typing import Sequence

from arith.microcode import isa
from arith.microcode.allocate import Locations, allocate, entry_locations
from arith.microcode.image import Entry, Image, to_montgomery
from arith.microcode.isa import Instruction
from arith.microcode.program import Constant, Program, ProgramError, Section, Value
from arith.microcode.schedule import Turn, schedule


class _ConstantSection:
    """The constants of one section and one table, addressed while the section is encoded."""

    def __init__(self, table: list[int], modulus: int, count: int) -> None:
        self.table, self.modulus, self.count = table, modulus, count
        self.columns: list[Sequence[int]] = []
        self.first = len(table)

    def address(self, constant: Constant) -> int:
        """Where the constant stands, in a loop's first iteration."""
        if not self.count:
            if not isinstance(constant, int):
                raise ProgramError("a constant with one value an iteration, outside a loop")
            word = to_montgomery(constant, self.modulus)
            if word not in self.table:
                self.table.append(word)
            return self.table.index(word)
        column = [constant] * self.count if isinstance(constant, int) else constant
        if len(column) != self.count:
            raise ProgramError(f"{len(column)} values of a constant, {self.count} iterations")
        self.columns.append(column)
        return self.first + len(self.columns) - 1

    def finish(self) -> int:
        """Lays out the rows of a loop; returns its stride."""
        for row in zip(*self.columns):
            self.table.extend(to_montgomery(value, self.modulus) for value in row)
        return len(self.columns)


def _encode_product(turn: Turn, places: Locations, constants: _ConstantSection) -> Instruction:
    a, b = turn.product.factors[turn.factor]
    fields = {"mul_en": 1, "mul_a": places[a], "mul_acc": int(turn.factor > 0)}
    if isinstance(b, Value):
        fields["mul_b"] = places[b]
    else:
        fields |= {"mul_b_is_const": 1, "mul_const": constants.address(b)}
    if turn.emits:
        fields["mul_emit"] = 1
        if turn.product in places:
            _, index = isa.bank_and_index(places[turn.product])
            fields |= {"mul_write": 1, "mul_dst": index}
    return fields


def _encode_sum(turn: Turn, places: Locations, constants: _ConstantSection) -> Instruction:
    fields: Instruction = {"add_en": 1}
    terms = list(turn.sum.terms)
    if turn.chained:
        terms.sort(key=lambda term: term[1] is not turn.product)
        fields["op0_is_product"] = 1
    for slot, (coefficient, value) in enumerate(terms):
        fields[f"coef{slot}"] = coefficient
        if not (turn.chained and slot == 0):
            fields[f"op{slot}"] = places[value]
    if turn.sum.constant is not None:
        fields |= {"add_const_en": 1, "add_const": constants.address(turn.sum.constant)}
    if turn.sum in places:
        _, index = isa.bank_and_index(places[turn.sum])
        fields |= {"add_write": 1, "add_dst": index}
    if turn.sum.output is not None:
        fields |= {"out_en": 1, "out_index": turn.sum.output}
    return fields


def _encode_section(section: Section, turns: list[Turn], places: Locations, image: Image
                    ) -> list[Instruction]:
    mul = _ConstantSection(image.mul_constants, image.modulus, section.count)
    add = _ConstantSection(image.add_constants, image.modulus, section.count)
    instructions: list[Instruction] = []
    for turn in turns:
        fields: Instruction = {}
        if turn.product is not None:
            fields |= _encode_product(turn, places, mul)
        if turn.sum is not None:
            fields |= _encode_sum(turn, places, add)
        instructions.append(fields)
    if section.count:
        if not instructions:
            raise ProgramError("a loop without operations")
        instructions[-1] |= {"mul_stride": mul.finish(), "add_stride": add.finish()}
    return instructions


def _live_after(program: Program) -> list[set[Value]]:
    """For each section, the values that later sections read."""
    live: list[set[Value]] = []
    later: set[Value] = set()
    for section in reversed(program.sections):
        live.append(set(later))
        later |= set(section.uses())
    return live[::-1]


def assemble(program: Program, image: Image, instance: int = 0) -> Entry:
    """Appends a program to an image."""
    if program.modulus != image.modulus:
        raise ProgramError("the program and the image have different moduli")
    start = len(image.words)
    instructions: list[Instruction] = []
    places = entry_locations(program.input_values)
    for section, live in zip(program.sections, _live_after(program)):
        turns = schedule(section)
        places = allocate(section, turns, places, live, image.register_bits)
        body = _encode_section(section, turns, places, image)
        if section.count:
            if not instructions or instructions[-1].get("control", isa.NEXT) != isa.NEXT:
                instructions.append({})
            instructions[-1] |= {"control": isa.LOOP_BEGIN, "imm": section.count}
            body[-1] |= {"control": isa.LOOP_END, "imm": start + len(instructions)}
        instructions += body
    if not instructions or instructions[-1].get("control", isa.NEXT) != isa.NEXT:
        instructions.append({})
    instructions[-1]["control"] = isa.HALT
    entry = Entry(program.name, start, len(program.input_values), program.output_count, instance)
    image.words += [isa.encode(fields) for fields in instructions]
    image.entries.append(entry)
    return entry
