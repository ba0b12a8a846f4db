# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Assembles programs into an image: schedules, allocates registers, lays out constants, encodes.

The begin of a loop, a call and a return are added to the previous turn if it has no control
operation yet, like the end of a loop; otherwise they have a separate turn. Subroutines are put into
the image before the first program that calls them.
"""

from dataclasses import replace
from itertools import permutations
from typing import Iterator, Sequence

from arith.microcode import isa
from arith.microcode.allocate import (
    Choice, Locations, RegistersFull, allocate, enter_loop, entry_locations,
)
from arith.microcode.calls import (
    Avoided, Copies, Linker, called, check_call, parameter_registers,
)
from arith.microcode.constants import Constants, Rows
from arith.microcode.image import Entry, Image, PlacedSubroutine
from arith.microcode.isa import Instruction
from arith.microcode.lives import Begin, End, Lives, Step, steps_of
from arith.microcode.pace import LEAST, LONGEST
from arith.microcode.pacer import LAST_LEVEL, Pacer, Plan
from arith.microcode.program import (
    Call, Constant, Item, Keep, Lookup, Loop, Program, ProgramError, Section, Subroutine, Value,
)
from arith.microcode.schedule import Turn, schedule
from arith.microcode.spaced import schedule_spaced
from arith.microcode.timing import FIELD_CORE, FIELD_CORE_LOOKUPS, Latencies


def _encode_product(turn: Turn, places: Locations, addresses: Iterator[int]) -> Instruction:
    assert turn.product is not None
    a, b = turn.product.factors[turn.factor]
    fields = {"mul_en": 1, "mul_a": places[a], "mul_acc": int(turn.factor > 0)}
    if isinstance(b, Value):
        fields["mul_b"] = places[b]
    elif isinstance(b, Lookup):
        fields |= {"lookup": b.kind, "table_word": b.word, "digit_scalar": b.scalar,
                   "digit": b.number}
    else:
        fields |= {"mul_b_is_const": 1, "mul_const": next(addresses)}
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
    """The slots for a sum's registers, chosen so that few slots read either bank."""
    def added(order: tuple[int, ...]) -> int:
        reads = {(slot, isa.bank_and_index(operand)[0]) for slot, operand in zip(order, operands)}
        return len(reads - used)

    best = min(permutations(slots, len(operands)), key=added)
    used |= {(slot, isa.bank_and_index(operand)[0]) for slot, operand in zip(best, operands)}
    return best


def _encode_sum(turn: Turn, places: Locations, addresses: Iterator[int],
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
        fields |= {"add_const_en": 1, "add_const": next(addresses)}
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


def _constants_of(turns: list[Turn]) -> tuple[list[Constant], list[Constant]]:
    """The constants of the multiply slot and of the add slot, in the order in which they are
    named."""
    factors = [turn.product.factors[turn.factor][1] for turn in turns if turn.product is not None]
    addends = [turn.sum.constant for turn in turns if turn.sum is not None]
    return ([factor for factor in factors if not isinstance(factor, (Value, Lookup))],
            [addend for addend in addends if addend is not None])


Turns = dict[Section, list[Turn]]


class _Layout:
    """The addresses of the constants of a body's sections, and the strides of its loops."""

    def __init__(self, image: Image, turns: Turns) -> None:
        self._image, self._turns = image, turns
        self._tables = (image.mul_constants, image.add_constants)
        self._addresses: dict[Section, list[Iterator[int]]] = {}
        self._strides: dict[Section | Loop, list[int]] = {}

    def enter(self, loop: Loop) -> None:
        """Lays out a loop's constants, and those of the loops inside it, unless that is done."""
        if loop in self._strides:
            return
        for number, table in enumerate(self._tables):
            rows, named = self._rows(loop, number)
            rows.lay_out(table, self._image)
            for item, of, piece in named:
                self._strides.setdefault(item, [0, 0])[number] = of.stride
                if isinstance(item, Section):
                    self._addresses.setdefault(item, []).append(iter(of.addresses[piece]))

    def _rows(self, loop: Loop, number: int) -> tuple[Rows, list[tuple[Section | Loop, Rows, int]]]:
        """The constants in one of the tables, and the rows and piece of each loop and section."""
        rows = Rows(loop.count)
        named: list[tuple[Section | Loop, Rows, int]] = [(loop, rows, 0)]
        for item in loop.items:
            if isinstance(item, Loop):
                inner, inside = self._rows(item, number)
                rows.inner.append(inner)
                named += inside
            elif isinstance(item, Section):
                of = Rows(item.count) if item.count else rows
                if item.count:
                    rows.inner.append(of)
                named.append((item, of, len(of.pieces)))
                of.pieces.append(_constants_of(self._turns[item])[number])
        return rows, named

    def strides(self, loop: Section | Loop) -> Instruction:
        mul, add = self._strides[loop]
        return {"mul_stride": mul, "add_stride": add}

    def addresses(self, section: Section) -> list[Iterator[int]]:
        """The constant addresses of both slots, in sequence."""
        if section not in self._addresses:
            layouts = [Constants(table, self._image, section.count, named)
                       for table, named in zip(self._tables, _constants_of(self._turns[section]))]
            self._addresses[section] = [layout.addresses for layout in layouts]
            self._strides[section] = [layout.stride for layout in layouts]
        return self._addresses[section]


def _encode_section(section: Section, turns: list[Turn], places: Locations, layout: _Layout,
                    image: Image, pair: int) -> list[Instruction]:
    mul, add = layout.addresses(section)
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
        last = instructions[-pair]
        last |= layout.strides(section)
        if section.digit_stride:
            last["digit_stride"] = section.digit_stride
    return instructions


class _Body:
    """The code of a program or a subroutine under construction."""

    def __init__(self, image: Image, start: int, places: Locations, turns: Turns, lives: Lives,
                 copies: Copies, choice: Choice, plan: Plan | None, pair: int = 1) -> None:
        self.image, self.start, self.places = image, start, places
        self.instructions: list[Instruction] = []
        self.goes_on: int | None = None
        """The address after the first halt that depends on the flag, or where a job continues
        there."""
        self._turns, self._lives, self._copies, self._choice = turns, lives, copies, choice
        self._plan = plan
        self._pair = pair
        """Turns of a pair: a control is in the first one."""
        self._layout = _Layout(image, turns)
        self._begun: list[tuple[int, list[int]]] = []
        """For each enclosing loop: the body's first instruction, and the registers of the
        variables."""

    @property
    def next_pc(self) -> int:
        return self.start + len(self.instructions)

    def last_turn(self) -> Instruction:
        """The instruction that may have a control operation at the end; new empty ones if there is
        one already."""
        last = self.instructions[-self._pair] if self.instructions else None
        if last is None or last.get("control", isa.NEXT) != isa.NEXT or last.get("jump"):
            self.instructions += [{} for _ in range(self._pair)]
        return self.instructions[-self._pair]

    def rest(self, clocks: int) -> None:
        """Delays the next turn by this number of clocks, in a paced image."""
        if self._plan is None or not self.instructions:
            return
        while clocks > LONGEST:
            self.instructions[-1]["gap"] = LONGEST - LEAST
            self.instructions.append({})
            clocks -= LONGEST
        last = self.instructions[-1]
        last["gap"] = max(last.get("gap", 0), clocks - LEAST)

    def drain(self) -> None:
        """Delays the next turn until all results are available, in a paced image."""
        if self._plan is not None:
            self.rest(self._plan.end)

    def add(self, number: int, step: Step, goes_on: int | None) -> None:
        if self._plan is not None and step in self._plan.leads:
            if not isinstance(step, Section) or step.count:
                self.last_turn()
            self.rest(self._plan.leads[step])
        live = self._lives.live_after(number)
        if isinstance(step, Section):
            self._add_section(step, live, goes_on)
        elif isinstance(step, Call):
            placed = self.image.subroutines[step.subroutine]
            check_call(step, self.places, live, placed)
            self.last_turn().update({"jump": isa.CALL, "imm": placed.pc})
            self.places |= dict(zip(step.results, placed.results))
        elif isinstance(step, Begin):
            self.places = enter_loop(step.loop.carried, self.places, live)
            self._layout.enter(step.loop)
            self.last_turn().update({"control": isa.LOOP_BEGIN, "imm": step.loop.count})
            self._begun.append((self.next_pc,
                                [self.places[variable] for variable in step.loop.carried]))
        else:
            self._end(step)

    def _add_section(self, section: Section, live: set[Value], goes_on: int | None) -> None:
        moved = self._copies.moved.get(section, {})
        live = live - set(moved.values()) | set(moved)
        turns = self._turns[section]
        try:
            places = allocate(section, turns, self.places, live, self._choice,
                              self._copies.pinned.get(section, {}))
        except RegistersFull as full:
            raise _SectionFull(section, str(full)) from full
        body = _encode_section(section, turns, places, self._layout, self.image, self._pair)
        self.places = places | {result: places[copy] for copy, result in moved.items()}
        planned = self._plan and self._plan.schedules.get(section)
        if planned:
            for instruction, pace in zip(body, planned.fields()):
                instruction |= pace
        if section.count:
            self.last_turn().update({"control": isa.LOOP_BEGIN, "imm": section.count})
            body[-self._pair] |= {"control": isa.LOOP_END, "imm": self.next_pc}
            if planned:
                body[-1]["gap"] = planned.first - LEAST
                if self._plan is None or section not in self._plan.joined:
                    body.append({})
        if section.halts_unless_zero:
            if any(turn.sum is not None and turn.sum.keep.flag for turn in turns[-1:]):
                body.append({})
            following = self.next_pc + len(body) if goes_on is None else goes_on
            self.goes_on = self.goes_on or following
            body[-self._pair] |= {"control": isa.HALT, "halt_unless_zero": 1, "imm": following}
        self.instructions += body

    def _end(self, step: End) -> None:
        first, registers = self._begun.pop()
        loop = step.loop
        for variable, result, operand in zip(loop.carried, loop.results, registers):
            if self.places.get(result) != operand:
                raise ProgramError("a loop's result is not in its variable's register: copy it")
            self.places[variable] = operand
        last = self.last_turn()
        last.update({"control": isa.LOOP_END, "imm": first, **self._layout.strides(loop)})
        if loop.digit_stride:
            last["digit_stride"] = loop.digit_stride


def _assembled(name: str, image: Image, items: list[Item], places: Locations, results: Sequence[Value],
               choice: Choice, goes_on: int | None = None, turns: Turns | None = None, pair: int = 1
               ) -> _Body:
    """The code of these items, after the existing code. The subroutines that they call are in the
    image."""
    lives, copies = Lives(list(steps_of(items)), list(places), results), Copies()
    subroutines = called(lives.steps)
    if subroutines:
        linker = Linker(lives, image.subroutines.__getitem__)
        items, copies = linker.link(items), linker.copies
        lives = Lives(list(steps_of(items)), list(places), results)
        avoided = Avoided(lives, copies, image.subroutines.__getitem__)
        choice = replace(choice, avoided=avoided.of)
    if image.paced is not None:
        return _paced(name, image, image.paced, lives, copies, places, choice)
    if turns is None:
        turns = {step: schedule(step) for step in lives.steps if isinstance(step, Section)}
    body = _Body(image, len(image.words), places, turns, lives, copies, choice, None, pair)
    for number, step in enumerate(lives.steps):
        body.add(number, step, goes_on)
    return body


class _SectionFull(RegistersFull):
    """The section whose values do not fit into the registers."""

    def __init__(self, section: Section, text: str) -> None:
        super().__init__(text)
        self.section = section


def _paced(name: str, image: Image, latencies: Latencies, lives: Lives, copies: Copies, places: Locations,
           choice: Choice) -> _Body:
    """The code of a paced image. A section whose values do not fit into the registers is scheduled
    again with fewer early operations."""
    timing = FIELD_CORE_LOOKUPS if image.lookups else FIELD_CORE
    tables = (image.mul_constants, image.add_constants)
    sizes, reads = [len(table) for table in tables], set(image.sum_reads)
    levels: dict[Section, int] = {}
    while True:
        plan = Pacer(name, timing, latencies, 1 << choice.register_bits, image.orders, levels,
                     copies.moved).run(lives)
        turns = {section: planned.turns for section, planned in plan.schedules.items()}
        turns |= {step: [] for step in lives.steps
                  if isinstance(step, Section) and step not in turns}
        body = _Body(image, len(image.words), dict(places), turns, lives, copies, choice, plan)
        try:
            for number, step in enumerate(lives.steps):
                body.add(number, step, None)
            return body
        except _SectionFull as full:
            levels[full.section] = levels.get(full.section, 0) + 1
            if levels[full.section] > LAST_LEVEL:
                raise
            for table, size in zip(tables, sizes):
                del table[size:]
            image.sum_reads.clear()
            image.sum_reads |= reads


def _place_subroutines(image: Image, items: list[Item]) -> None:
    """Puts the subroutines that are called here into the image, unless they are there."""
    steps = list(steps_of(items))
    if not image.frames and not all(isinstance(step, Section) for step in steps):
        raise ProgramError("loops inside each other and calls, but the image has no frames")
    for subroutine in called(steps):
        if subroutine not in image.subroutines:
            _place_subroutine(image, subroutine)


def _place_subroutine(image: Image, subroutine: Subroutine) -> None:
    _place_subroutines(image, subroutine.items)
    inner = called(steps_of(subroutine.items))
    written = frozenset[int]().union(*(image.subroutines[other].written for other in inner))
    registers = parameter_registers(subroutine, image.register_bits, written)
    body = _assembled(subroutine.name, image, subroutine.items, dict(zip(subroutine.parameters, registers)),
                      subroutine.results, Choice(image.register_bits, descending=True))
    body.last_turn()
    body.drain()
    body.last_turn()["jump"] = isa.RETURN
    own = {isa.register(bank, fields[index]) for fields in body.instructions
           for write, index, bank in (("mul_write", "mul_dst", isa.BANK_P),
                                      ("add_write", "add_dst", isa.BANK_S)) if fields.get(write)}
    image.subroutines[subroutine] = PlacedSubroutine(
        body.start, tuple(registers), tuple(body.places[value] for value in subroutine.results),
        written.union(own, registers))
    image.words += [image.encode(fields) for fields in body.instructions]


def assemble(program: Program, image: Image, instance: int = 0, quick_of: Entry | None = None
             ) -> Entry:
    """Appends a program to an image, with the subroutines that it calls first.

    With `quick_of` it is a quick program, at the image's pace, that replaces that program. Its last
    turn is a conditional halt: if the halt is not taken, the job continues where the other program
    would, at the usual distance. Such a program has one level of loops and no calls.
    """
    if program.modulus != image.modulus:
        raise ProgramError("the program and the image have different moduli")
    if image.paced is not None and (image.lookups or quick_of):
        raise ProgramError("a paced image has no lookups and no quick programs")
    if quick_of and not program.flat:
        raise ProgramError("a quick program has one level of loops and no calls")
    _place_subroutines(image, program.items)
    goes_on = quick_of.goes_on if quick_of else None
    entry = Entry(program.name, len(image.words), len(program.input_values), program.output_count,
                  instance, quick_of.name if quick_of else "")
    body = _assembled(program.name, image, program.items, entry_locations(program.input_values), (),
                      Choice(image.register_bits_of(entry)), goes_on,
                      _quick_turns(program, image) if quick_of else None,
                      image.pace.turns if quick_of and image.pace else 1)
    entry = replace(entry, goes_on=body.goes_on if goes_on is None else goes_on)
    if quick_of is None:
        body.last_turn()["control"] = isa.HALT
        image.entries.append(entry)
    else:
        _check_quick(entry, quick_of, body.instructions)
        image.quick_entries.append(entry)
    image.words += [image.encode(fields) for fields in body.instructions]
    return entry


def _check_quick(entry: Entry, usual: Entry, instructions: list[Instruction]) -> None:
    if usual.goes_on is None or not any(
            fields.get("halt_unless_zero") for fields in instructions[-2:]):
        raise ProgramError("a quick program and that in whose place it is have a conditional halt")
    if (entry.inputs, entry.outputs) != (usual.inputs, usual.outputs):
        raise ProgramError("a quick program has the words of that in whose place it is")


def _quick_turns(program: Program, image: Image) -> Turns:
    if image.pace is None:
        raise ProgramError("a quick program, but the image has no pace")
    timing = FIELD_CORE_LOOKUPS if image.lookups else FIELD_CORE
    return dict(zip(program.sections, schedule_spaced(program, image.pace, timing)))
