# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Calls: the registers of subroutines, and the copies that calls need.

A subroutine's arguments are in registers of bank S that are reserved for them, from the highest
down; its results stay in the registers where it computed them. So an argument is a sum of the
section before the call that is written to the reserved register; if the author's own sum cannot be,
since it is read again later, a copy is. A result that is read only in the section after the call is
read in place; otherwise it is copied there, since the next call may overwrite it. Values that live
across a call cannot use the registers that the call writes: those of the subroutine and of the
subroutines that it calls.
"""

from dataclasses import dataclass, field, replace
from typing import Callable, Iterable

from arith.microcode import isa
from arith.microcode.image import PlacedSubroutine
from arith.microcode.lives import Lives, Step
from arith.microcode.values import (
    Call, Item, Loop, ProgramError, Returned, Section, Subroutine, Sum, Value,
)

Find = Callable[[Subroutine], PlacedSubroutine]


@dataclass
class Copies:
    """The decisions of linking about the sections of a body."""

    pinned: dict[Section, dict[Value, int]] = field(default_factory=dict)
    """Sums with their required registers: arguments."""
    moved: dict[Section, dict[Value, Value]] = field(default_factory=dict)
    """Copies of results, with the results that they replace at the section's end."""


class Linker:
    """Copies a body's items, with sums for the arguments and results of its calls."""

    def __init__(self, lives: Lives, find: Find) -> None:
        self.copies = Copies()
        self._lives, self._find = lives, find
        self._numbers = {step: number for number, step in enumerate(lives.steps)}

    def link(self, items: list[Item]) -> list[Item]:
        linked: list[Item] = []
        for item in items:
            if isinstance(item, Section):
                linked.append(replace(item, operations=list(item.operations)))
            elif isinstance(item, Loop):
                linked.append(replace(item, items=self.link(item.items)))
            else:
                linked.append(item)
        for index, item in enumerate(items):
            if isinstance(item, Call):
                before, after = linked[index - 1], linked[index + 1]
                assert isinstance(before, Section) and isinstance(after, Section)
                earlier = items[index - 2] if index >= 2 else None
                self._pass(item, before, earlier if isinstance(earlier, Call) else None)
                self._fetch(item, after)
        return linked

    def _pass(self, call: Call, before: Section, earlier: Call | None) -> None:
        """Puts the arguments into their registers. `earlier` is the call before the section, whose
        results are still in place."""
        number, parameters = self._numbers[call], self._find(call.subroutine).parameters
        left: dict[int, Value] = {}
        if earlier is not None:
            left = dict(zip(self._find(earlier.subroutine).results, earlier.results))
        pinned = self.copies.pinned.setdefault(before, {})
        # Values in the way of another argument move first.
        away = {value: _copy(before, value) for operand, value in left.items()
                if operand in parameters and value in call.arguments}
        for argument, operand in zip(call.arguments, parameters):
            source = away.get(argument, argument)
            occupant = left.get(operand)
            readers = () if occupant is None else tuple(
                operation for operation in before.operations if occupant in operation.operands())
            own = isinstance(source, Sum) and source in before.operations
            if not own or readers or source in pinned or source in before.replaces or (
                    self._lives.last_read(source) >= number):
                source = _copy(before, source)
                source.follows = readers
            pinned[source] = operand

    def _fetch(self, call: Call, after: Section) -> None:
        number = self._numbers[call]
        last = len(self._lives.steps)
        for result in dict.fromkeys(call.results):
            read = self._lives.last_read(result)
            if read > number + 1 and not (read == last == number + 2):
                self.copies.moved.setdefault(after, {})[_copy(after, result)] = result


def _copy(section: Section, value: Value) -> Sum:
    copy = Sum(isa.BANK_S, [(1, value)], None, None)
    section.operations.append(copy)
    return copy


class Avoided:
    """For each value, the registers that calls write while it lives."""

    def __init__(self, lives: Lives, copies: Copies, find: Find) -> None:
        self._calls = [(number, find(step.subroutine)) for number, step in enumerate(lives.steps)
                       if isinstance(step, Call)]
        self._of = {value: self._between(*span) for value, span in lives.spans().items()
                    } if self._calls else {}
        for number, step in enumerate(lives.steps):
            if isinstance(step, Section):
                for copy, result in copies.moved.get(step, {}).items():
                    self._of[copy] = self._between(number, lives.last_read(result))

    def of(self, value: Value) -> frozenset[int]:
        return self._of.get(value, frozenset())

    def _between(self, first: int, last: int) -> frozenset[int]:
        """The registers written during the life of a value that is made and last read in these
        steps."""
        registers: set[int] = set()
        for number, placed in self._calls:
            if first < number < last:
                registers |= placed.written
            elif first < number - 1 <= last:
                registers |= set(placed.parameters)
        return frozenset(registers)


def parameter_registers(subroutine: Subroutine, register_bits: int, written: Iterable[int]
                        ) -> list[int]:
    """The highest registers of bank S that are not among these, one for each argument."""
    taken = set(written)
    free = [operand for index in reversed(range(1 << register_bits))
            if (operand := isa.register(isa.BANK_S, index)) not in taken]
    if len(free) < len(subroutine.parameters):
        raise ProgramError(f"the subroutine {subroutine.name} has more arguments than bank S has "
                           "registers beside those of the subroutines that it calls")
    return free[:len(subroutine.parameters)]


def called(steps: Iterable[Step]) -> list[Subroutine]:
    """The subroutines that are called here, each once."""
    return list(dict.fromkeys(step.subroutine for step in steps if isinstance(step, Call)))


def check_call(call: Call, places: dict[Value, int], live: set[Value], placed: PlacedSubroutine
               ) -> None:
    """Checks that no value that is read later is in a register that the call writes."""
    for value in live:
        if not isinstance(value, Returned) and places.get(value) in placed.written:
            bank, index = isa.bank_and_index(places[value])
            raise ProgramError(
                f"a word of the job that is read again is in {'PS'[bank]}[{index}], which the "
                f"subroutine {call.subroutine.name} writes: copy it before the call")
