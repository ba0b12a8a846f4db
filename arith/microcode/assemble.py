# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Assembles programs into an image: schedules, places, lays out constants, encodes.

A loop's constants lie in rows, one row an iteration, and the loop's stride is the length of a row;
if none of them changes, there is one row and the stride is 0. A `loop_begin` rides on the last turn
before the loop.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Iterator, Sequence

from arith.microcode import isa
from arith.microcode.allocate import Locations, allocate, entry_locations
from arith.microcode.image import Entry, Image
from arith.microcode.isa import Instruction
from arith.microcode.program import (
    Constant, Keep, Lookup, Program, ProgramError, Section, Value,
)
from arith.microcode.schedule import Turn, schedule
from arith.microcode.spaced import schedule_spaced
from arith.microcode.timing import FIELD_CORE, FIELD_CORE_LOOKUPS


class _Constants:
    """The constants of one section in one table: given out in the order in which they were named.

    What the table holds already is used again: single words, or a loop's rows as a whole. A loop
    whose constants never change needs no rows, and its stride is 0.
    """

    def __init__(self, table: list[int], image: Image, count: int, named: Sequence[Constant]
                 ) -> None:
        self.stride = 0
        self._table = table
        self._register_value = image.register_value
        alike = [constant for constant in named if isinstance(constant, int)]
        if len(alike) < len(named):
            self._addresses = self._lay_out_rows(count, named)
        else:
            self._addresses = self._lay_out_words([self._register_value(c) for c in alike])

    def next_address(self) -> int:
        """Where the next constant stands, in a loop's first iteration."""
        return next(self._addresses)

    def _lay_out_words(self, words: Sequence[int]) -> Iterator[int]:
        known = {word: address for address, word in reversed(list(enumerate(self._table)))}
        for word in words:
            if word not in known:
                known[word] = len(self._table)
                self._table.append(word)
        return iter([known[word] for word in words])

    def _lay_out_rows(self, count: int, named: Sequence[Constant]) -> Iterator[int]:
        columns: dict[tuple[int, ...], int] = {}
        offsets = []
        for constant in named:
            column = (constant,) * count if isinstance(constant, int) else tuple(constant)
            if not count:
                raise ProgramError("a constant with one value an iteration, outside a loop")
            if len(column) != count:
                raise ProgramError(f"{len(column)} values of a constant, {count} iterations")
            offsets.append(columns.setdefault(column, len(columns)))
        rows = [self._register_value(value) for row in zip(*columns) for value in row]
        self.stride = len(columns)
        first = next((start for start, word in enumerate(self._table) if word == rows[0]
                      and self._table[start:start + len(rows)] == rows), len(self._table))
        if first == len(self._table):
            self._table.extend(rows)
        return iter([first + offset for offset in offsets])


def _encode_product(turn: Turn, places: Locations, constants: _Constants) -> Instruction:
    assert turn.product is not None
    a, b = turn.product.factors[turn.factor]
    fields = {"mul_en": 1, "mul_a": places[a], "mul_acc": int(turn.factor > 0)}
    if isinstance(b, Value):
        fields["mul_b"] = places[b]
    elif isinstance(b, Lookup):
        fields |= {"lookup": b.kind, "table_word": b.word, "digit_scalar": b.scalar,
                   "digit": b.number}
    else:
        fields |= {"mul_b_is_const": 1, "mul_const": constants.next_address()}
    if turn.emits:
        fields["mul_emit"] = 1
        if turn.product.high:
            fields["mul_high"] = 1
        if turn.product.signed:
            fields["sign_op0"] = 1
        if turn.product in places:
            _, index = isa.bank_and_index(places[turn.product])
            fields |= {"mul_write": 1, "mul_dst": index}
    return fields


def _sum_operands(operands: Sequence[int], slots: Sequence[int], used: set[tuple[int, int]]
                  ) -> tuple[int, ...]:
    """The slots for a sum's registers, so that as few slots as possible read either bank."""
    def added(order: tuple[int, ...]) -> int:
        reads = {(slot, isa.bank_and_index(operand)[0]) for slot, operand in zip(order, operands)}
        return len(reads - used)

    best = min(permutations(slots, len(operands)), key=added)
    used |= {(slot, isa.bank_and_index(operand)[0]) for slot, operand in zip(best, operands)}
    return best


def _encode_sum(turn: Turn, places: Locations, constants: _Constants,
                used: set[tuple[int, int]]) -> Instruction:
    assert turn.sum is not None
    fields: Instruction = {"add_en": 1}
    terms = list(turn.sum.terms)
    if turn.chained:
        terms.sort(key=lambda term: term[1] is not turn.product)
        fields |= {"op0_is_product": 1, "coef0": terms.pop(0)[0]}
    slots = (1, 2) if turn.chained else (1, 2, 0)
    operands = [places[value] for _, value in terms]
    for slot, operand, (coefficient, _) in zip(_sum_operands(operands, slots, used), operands,
                                               terms):
        fields |= {f"op{slot}": operand, f"coef{slot}": coefficient}
    if turn.sum.constant is not None:
        fields |= {"add_const_en": 1, "add_const": constants.next_address()}
    if turn.sum in places:
        _, index = isa.bank_and_index(places[turn.sum])
        fields |= {"add_write": 1, "add_dst": index}
    if turn.sum.output is not None:
        fields |= {"out_en": 1, "out_index": turn.sum.output}
    return fields | _encode_keep(turn.sum.keep)


def _encode_keep(keep: Keep) -> Instruction:
    fields: Instruction = {"flag_write": 1} if keep.flag else {}
    if keep.table is not None:
        fields |= {"table_write": 1, "table_dst": keep.table}
    if keep.scalar is not None:
        fields |= {"scalar_write": 1, "scalar_dst": keep.scalar}
    return fields


def _encode_section(section: Section, turns: list[Turn], places: Locations, image: Image
                    ) -> list[Instruction]:
    factors = [turn.product.factors[turn.factor][1] for turn in turns if turn.product is not None]
    addends = [turn.sum.constant for turn in turns if turn.sum is not None]
    mul = _Constants(image.mul_constants, image, section.count,
                     [factor for factor in factors if not isinstance(factor, (Value, Lookup))])
    add = _Constants(image.add_constants, image, section.count,
                     [addend for addend in addends if addend is not None])
    instructions: list[Instruction] = []
    for turn in turns:
        fields: Instruction = {}
        if turn.product is not None:
            fields |= _encode_product(turn, places, mul)
        if turn.sum is not None:
            fields |= _encode_sum(turn, places, add, image.sum_reads)
        instructions.append(fields)
    if section.count:
        if not instructions:
            raise ProgramError("a loop without operations")
        instructions[-1] |= {"mul_stride": mul.stride, "add_stride": add.stride}
        if section.digit_stride:
            instructions[-1]["digit_stride"] = section.digit_stride
    return instructions


def _live_after(program: Program) -> list[set[Value]]:
    """For each section, the values that later sections read."""
    live: list[set[Value]] = []
    later: set[Value] = set()
    for section in reversed(program.sections):
        live.append(set(later))
        later |= set(section.uses())
    return live[::-1]


def assemble(program: Program, image: Image, instance: int = 0, quick_of: Entry | None = None
             ) -> Entry:
    """Appends a program to an image.

    With `quick_of` it is a quick one, at the image's pace, in the place of that program. Its last
    turn is a conditional halt: where that does not take place, the job goes on where the other
    program would, at the usual distance.
    """
    if program.modulus != image.modulus:
        raise ProgramError("the program and the image have different moduli")
    start = len(image.words)
    goes_on = quick_of.goes_on if quick_of else None
    instructions: list[Instruction] = []
    places = entry_locations(program.input_values)
    entry = Entry(program.name, start, len(program.input_values), program.output_count, instance,
                  quick_of.name if quick_of else "", goes_on)
    for section, turns, live in zip(program.sections, _turns(program, image, entry.quick),
                                    _live_after(program)):
        places = allocate(section, turns, places, live, image.register_bits_of(entry))
        body = _encode_section(section, turns, places, image)
        if section.count:
            if not instructions or instructions[-1].get("control", isa.NEXT) != isa.NEXT:
                instructions.append({})
            instructions[-1] |= {"control": isa.LOOP_BEGIN, "imm": section.count}
            body[-1] |= {"control": isa.LOOP_END, "imm": start + len(instructions)}
        if section.halts_unless_zero:
            if any(turn.sum is not None and turn.sum.keep.flag for turn in turns[-1:]):
                body.append({})
            following = start + len(instructions) + len(body) if goes_on is None else goes_on
            entry = replace(entry, goes_on=entry.goes_on or following)
            body[-1] |= {"control": isa.HALT, "halt_unless_zero": 1, "imm": following}
        instructions += body
    if quick_of is None:
        if not instructions or instructions[-1].get("control", isa.NEXT) != isa.NEXT:
            instructions.append({})
        instructions[-1]["control"] = isa.HALT
        image.entries.append(entry)
    else:
        _check_quick(entry, quick_of, instructions)
        image.quick_entries.append(entry)
    image.words += [isa.encode(fields, image.lookups) for fields in instructions]
    return entry


def _check_quick(entry: Entry, usual: Entry, instructions: list[Instruction]) -> None:
    if usual.goes_on is None or not instructions[-1].get("halt_unless_zero"):
        raise ProgramError("a quick program and that in whose place it is have a conditional halt")
    if (entry.inputs, entry.outputs) != (usual.inputs, usual.outputs):
        raise ProgramError("a quick program has the words of that in whose place it is")


def _turns(program: Program, image: Image, quick: bool) -> list[list[Turn]]:
    if not quick:
        return [schedule(section) for section in program.sections]
    if image.pace is None:
        raise ProgramError("a quick program, but the image has no pace")
    timing = FIELD_CORE_LOOKUPS if image.lookups else FIELD_CORE
    return schedule_spaced(program, image.pace, timing)
