# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The live ranges of values, through nested loops and calls.

The code of a body (a program's or a subroutine's) is a list of steps: sections, calls, and the
begins and ends of loops that contain loops or calls. A value lives from the step that makes it to
the last one that reads it. A value made before a loop and read in it lives to the loop's end, since
the next iteration reads it again. Values that share a register (a loop's variable, its initial
value and its result) are allocated together: the register must suit the lives of all of them.
"""

from dataclasses import dataclass
from typing import Iterator, Sequence

from arith.microcode.values import Call, Carried, Item, Loop, Section, Value


@dataclass(eq=False)
class Begin:
    """The begin of a loop that has loops or calls inside."""

    loop: Loop


@dataclass(eq=False)
class End:
    """Its end."""

    loop: Loop


Step = Section | Call | Begin | End


def steps_of(items: Sequence[Item]) -> Iterator[Step]:
    """The items in the order of their code."""
    for item in items:
        if isinstance(item, Loop):
            yield Begin(item)
            yield from steps_of(item.items)
            yield End(item)
        else:
            yield item


class Lives:
    """The lives of the values of one body; steps are named by their numbers."""

    def __init__(self, steps: Sequence[Step], entered: Sequence[Value], results: Sequence[Value]
                 ) -> None:
        """`entered` exists at the start, `results` are read after the last step."""
        self.steps = steps
        self.made = {value: -1 for value in entered}
        self._reads: dict[Value, list[int]] = {}
        self._loops: list[tuple[int, int]] = []
        self._ends: dict[Value, int] = {}
        """For each variable, the step at the end of its loop."""
        self._shares: dict[Value, Value] = {}
        """For a value, the value whose register it takes over."""
        begins: dict[Loop, int] = {}
        for number, step in enumerate(steps):
            self._follow(number, step, begins)
        for result in results:
            self._read(result, len(steps))

    def live_after(self, number: int) -> set[Value]:
        """The values that are made up to this step and read after it."""
        return {value for value in self._reads if self.is_live(value, number)}

    def is_live(self, value: Value, number: int) -> bool:
        if number < self.made.get(value, -1):
            return False
        end = self._ends.get(value)
        if end is not None and number < end:
            # In the loop a variable lives to its last read; then its register is the result's.
            reads = [read for read in self._reads[value] if read <= end]
            return number < self._last(reads, self.made[value])
        return number < self.last_read(value)

    def spans(self) -> dict[Value, tuple[int, int]]:
        """The first and the last step of each value's register."""
        found: dict[Value, tuple[int, int]] = {}
        for value in {*self.made, *self._reads}:
            root = value
            while root in self._shares:
                root = self._shares[root]
            first, last = found.get(root, (len(self.steps), -1))
            found[root] = (min(first, self.made.get(value, -1)),
                           max(last, self.last_read(value), self._ends.get(value, -1)))
        return found

    def last_read(self, value: Value) -> int:
        """The last step that reads a value, through the iterations of loops; -1 if no step does."""
        made = max(self.made.get(value, -1), self._ends.get(value, -1))
        return self._last(self._reads.get(value, ()), made)

    def _last(self, reads: Sequence[int], made: int) -> int:
        last = max(reads, default=-1)
        for begin, end in self._loops:
            if made < begin and any(begin < read <= end for read in reads):
                last = max(last, end)
        return last

    def _read(self, value: Value, number: int) -> None:
        self._reads.setdefault(value, []).append(number)

    def _follow(self, number: int, step: Step, begins: dict[Loop, int]) -> None:
        if isinstance(step, Section):
            for value in step.uses():
                self._read(value, number)
            for operation in step.operations:
                self.made[operation] = number
            self._carry(step.carried, number)
            for variable, result in step.replaced():
                self._shares[result] = variable
                self._read(variable, number)
        elif isinstance(step, Call):
            self.made.update(dict.fromkeys(step.results, number))
            for value in step.arguments:  # They are copied in the section before.
                self._read(value, number - 1)
        elif isinstance(step, Begin):
            begins[step.loop] = number
            for variable in step.loop.carried:
                self._read(variable.initial, number)
            self._carry(step.loop.carried, number)
        else:
            self._loops.append((begins[step.loop], number))
            for variable, result in zip(step.loop.carried, step.loop.results):
                self._read(result, number)
                self._ends[variable] = number

    def _carry(self, variables: Sequence[Carried], number: int) -> None:
        for variable in variables:
            self.made[variable] = number
            self._shares[variable] = variable.initial
            self._reads.setdefault(variable, [])
