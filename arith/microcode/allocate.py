# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Register allocation in the two banks, section by section, over scheduled turns.

A value written in turn w and last read in turn r holds its register after the turns w, ..., r-1:
within a turn, reads come before writes, so a register can be read and replaced in the same turn.
Values that enter a section count as written in turn -1. A loop's result must end in the register of
the variable that it replaces.
"""

from collections import defaultdict
from dataclasses import dataclass
from types import MappingProxyType
from typing import Callable, Container, Final, Mapping

from arith.microcode import isa
from arith.microcode.program import Carried, Input, ProgramError, Section, Value
from arith.microcode.schedule import Turn

class RegistersFull(ProgramError):
    """More values are live at once than a bank has registers."""


NEVER: Final = 1 << 20
"""A turn beyond the end of any section."""

USED_AGAIN: Final = "an initial value of a loop is used again: copy it before the loop"

Locations = dict[Value, int]
"""Value to register operand {bank, index}."""


def last_reads(turns: list[Turn]) -> dict[Value, int]:
    """The last turn in which each value is read from a register."""
    reads: dict[Value, int] = {}
    for number, turn in enumerate(turns):
        if turn.product is not None:
            for value in turn.product.factors[turn.factor]:
                if isinstance(value, Value):
                    reads[value] = number
        if turn.sum is not None:
            for value in turn.sum.operands():
                if not (turn.chained and value is turn.product):
                    reads[value] = number
    return reads


def writes(turns: list[Turn]) -> dict[Value, int]:
    """The turn in which each value of the section is written."""
    written: dict[Value, int] = {}
    for number, turn in enumerate(turns):
        if turn.emits and turn.product is not None:
            written[turn.product] = number
        if turn.sum is not None:
            written[turn.sum] = number
    return written


class _Banks:
    """The turns after which each register is occupied."""

    def __init__(self, register_bits: int, descending: bool) -> None:
        self.registers = 1 << register_bits
        self.descending = descending
        self.taken: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def reserve(self, operand: int, start: int, end: int) -> None:
        if start >= end:
            return
        if not self._free(operand, start, end):
            raise ProgramError("a register is needed twice: copy the value before the loop or call")
        self.taken[operand].append((start, end))

    def choose(self, bank: int, start: int, end: int, avoided: Container[int] = ()) -> int:
        """The free register with the shortest idle time around these turns: long gaps are for long
        lives."""
        indices = range(self.registers)
        operands = [isa.register(bank, index)
                    for index in (reversed(indices) if self.descending else indices)]
        free = [operand for operand in operands
                if operand not in avoided and self._free(operand, start, end)]
        if not free:
            raise RegistersFull(f"more than {self.registers} registers needed in bank {'PS'[bank]}")
        chosen = min(free, key=lambda operand: self._idle(operand, start, end))
        self.reserve(chosen, start, end)
        return chosen

    def _idle(self, operand: int, start: int, end: int) -> tuple[int, int]:
        """The number of turns for which the register would stay unused after these turns, and
        before them."""
        later = [first for first, _ in self.taken[operand] if first >= end]
        earlier = [last for _, last in self.taken[operand] if last <= start]
        return min(later, default=NEVER) - end, start - max(earlier, default=-1)

    def _free(self, operand: int, start: int, end: int) -> bool:
        return all(end <= first or last <= start for first, last in self.taken[operand])


@dataclass(frozen=True)
class Choice:
    """The preferences for the choice of a body's registers."""

    register_bits: int
    descending: bool = False
    """From the highest register down, as in subroutines."""
    avoided: Callable[[Value], Container[int]] = lambda value: ()
    """Registers that a value must not have."""


def allocate(section: Section, turns: list[Turn], entry: Locations, live_after: set[Value],
             choice: Choice, pinned: Mapping[Value, int] = MappingProxyType({})) -> Locations:
    """Places every value that the section reads or leaves behind.

    `entry` holds the places of earlier values, `live_after` the values that later sections read,
    `pinned` the places where values must be at the section's end. A product without a place is only
    chained, a sum without a place is only an output.
    """
    end = len(turns)
    reads, written = last_reads(turns), writes(turns)
    banks = _Banks(choice.register_bits, choice.descending)
    places = _enter(section, entry, live_after)
    replaced = dict(section.replaced())
    for value, operand in places.items():
        stays = value in live_after or (section.count and value in reads)
        until = end if stays and value not in replaced else reads.get(value, -1)
        banks.reserve(operand, -1, until)
    for variable, result in replaced.items():
        if result not in written:
            raise ProgramError("a loop's result is not computed in the loop")
        banks.reserve(places[variable], written[result], end)
        places[result] = places[variable]
    for value, operand in pinned.items():
        banks.reserve(operand, written[value], end)
        places[value] = operand
    for value, start in sorted(written.items(), key=lambda item: item[1]):
        until = end if value in live_after else reads.get(value, -1)
        if value not in places and until > start:
            places[value] = banks.choose(value.bank, start, until, choice.avoided(value))
    return places


def _enter(section: Section, entry: Locations, live_after: set[Value]) -> Locations:
    """The places at the section's start: a loop's variables have those of their initial values."""
    if any(variable.initial in op.operands() for variable in section.carried
           for op in section.operations):
        raise ProgramError(USED_AGAIN)
    return enter_loop(section.carried, entry, live_after)


def enter_loop(carried: list[Carried], entry: Locations, live_after: set[Value]) -> Locations:
    """The places at the start of a loop. `live_after` is read after the loop or in its next
    iteration."""
    places = dict(entry)
    for variable in carried:
        if variable.initial in live_after:
            raise ProgramError(USED_AGAIN)
        places[variable] = places.pop(variable.initial)
    return places


def entry_locations(inputs: list[Input]) -> Locations:
    """The places of a job's words after loading."""
    return {value: isa.register(isa.BANK_S, value.index) for value in inputs}
