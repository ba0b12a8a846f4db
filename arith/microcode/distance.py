# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How long one job takes alone, if its core issued its next turn before the last one has ended.

field_core issues a context's next turn when it may use any result of the one before. A core that
issued one every `distance` clocks would leave it to the program that no turn reads too early. What
that could give follows from what each turn of a program's path reads and from the clocks in which
the core reads and writes it (timing.py):

- `dataflow`: every turn as early as its operands allow, whatever the multiplier does; no order of
  the turns beats it;
- `scheduled`: a turn every `distance` clocks at most, of those that are ready the one with the
  longest path behind it, across the ends of loops, with registers without number and one open sum
  of products for each that is needed;
- `in_order`: the turns in the program's order, each at the earliest multiple of `distance`.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Iterator

from arith.microcode import isa
from arith.microcode.image import Entry, Image
from arith.microcode.isa import Instruction
from arith.microcode.lookup import JOINT_SCALARS, ROWS
from arith.microcode.simulator import path
from arith.microcode.timing import FIELD_CORE, FIELD_CORE_LOOKUPS, Clock, Timing

Place = int | str
ACCUMULATOR_CLOCKS = 4
"""From a turn's product to the next one of the same sum: a segment's read, addition and write."""


@dataclass(frozen=True)
class Latencies:
    """Clocks of the multiplier, the accumulator, the reduction and the sum of a core."""

    multiply: int
    accumulate: int
    reduce: int
    sum: int

    def of(self, clock: Clock) -> int:
        return clock.at(self.multiply, self.accumulate, self.reduce, self.sum)


def _reads(fields: Instruction) -> Iterator[tuple[Place, str]]:
    """Places that a turn reads, and the kind of access (`Timing`); of a lookup all that it may."""
    if fields["mul_en"]:
        yield fields["mul_a"], "multiply_read"
        first = fields["table_word"]
        if fields["lookup"] == isa.LOOKUP_WORD:
            yield f"word {first}", "table_read"
        elif fields["lookup"] == isa.LOOKUP_DIGIT:
            yield f"scalar {fields['digit_scalar']}", "scalar_read"
            yield from ((f"word {first + row}", "table_read") for row in range(ROWS))
        elif fields["lookup"] == isa.LOOKUP_FIXED:
            yield from ((f"scalar {scalar}", "scalar_read") for scalar in JOINT_SCALARS)
        elif not fields["mul_b_is_const"]:
            yield fields["mul_b"], "multiply_read"
    if fields["add_en"]:
        for slot in range(3):
            if fields[f"coef{slot}"] and not (slot == 0 and fields["op0_is_product"]):
                yield fields[f"op{slot}"], "add_read"
    if fields["halt_unless_zero"]:
        yield "flag", "flag_read"


def _writes(fields: Instruction) -> Iterator[tuple[Place, str]]:
    for enable, place, kind in (
        ("mul_write", isa.register(isa.BANK_P, fields["mul_dst"]), "product_write"),
        ("add_write", isa.register(isa.BANK_S, fields["add_dst"]), "sum_write"),
        ("table_write", f"word {fields['table_dst']}", "sum_write"),
        ("scalar_write", f"scalar {fields['scalar_dst']}", "sum_write"),
        ("flag_write", "flag", "sum_write"),
    ):
        if fields[enable]:
            yield place, kind


class Path:
    """The turns of one job, and how many clocks after which others each may be issued."""

    def __init__(self, image: Image, entry: Entry, latencies: Latencies) -> None:
        self._latencies = latencies
        self._timing: Timing = FIELD_CORE_LOOKUPS if image.lookups else FIELD_CORE
        self.turn_clocks = latencies.of(self._timing.turn)
        self.end = latencies.of(self._timing.sum_write)
        """From a turn's issue to its last write."""
        self.after: list[dict[int, int]] = []
        """Of each turn: turns before it, and the clocks from their issue to its own at least."""
        written: dict[Place, tuple[int, int]] = {}
        product = -1
        for number, fields in enumerate(path(image, entry)):
            clocks: dict[int, int] = {}
            for place, kind in _reads(fields):
                if place in written:
                    turn, write = written[place]
                    clocks[turn] = max(clocks.get(turn, 0), write + 1 - self._clock(kind))
            if fields["mul_en"]:
                if fields["mul_acc"]:
                    clocks[product] = max(clocks.get(product, 0), ACCUMULATOR_CLOCKS)
                product = number
            self.after.append(clocks)
            for place, kind in _writes(fields):
                written[place] = (number, self._clock(kind))

    def _clock(self, kind: str) -> int:
        return self._latencies.of(getattr(self._timing, kind))

    def dataflow(self) -> int:
        """Clocks from the first issue to the last write, were there a multiplier for each turn."""
        issues: list[int] = []
        for clocks in self.after:
            issues.append(max([0, *(issues[turn] + gap for turn, gap in clocks.items())]))
        return max(issues) + self.end

    def in_order(self, distance: int) -> int:
        """Clocks from the first issue to the last write, in the program's order."""
        issues: list[int] = []
        for clocks in self.after:
            earliest = max([0, *(issues[turn] + gap for turn, gap in clocks.items())])
            slot = -(-earliest // distance) * distance
            issues.append(max(slot, issues[-1] + distance) if issues else slot)
        return issues[-1] + self.end

    def scheduled(self, distance: int) -> int:
        """Clocks from the first issue to the last write, in the order of the longest path."""
        followers: list[list[tuple[int, int]]] = [[] for _ in self.after]
        for turn, clocks in enumerate(self.after):
            for before, gap in clocks.items():
                followers[before].append((turn, gap))
        behind = [0] * len(self.after)
        for turn in reversed(range(len(self.after))):
            behind[turn] = max([0, *(behind[later] + gap for later, gap in followers[turn])])
        missing = [len(clocks) for clocks in self.after]
        earliest = [0] * len(self.after)
        waiting = [(0, turn) for turn, count in enumerate(missing) if not count]
        ready: list[tuple[int, int]] = []
        clock, last = 0, 0
        while waiting or ready:
            while waiting and waiting[0][0] <= clock:
                _, turn = heapq.heappop(waiting)
                heapq.heappush(ready, (-behind[turn], turn))
            if ready:
                _, turn = heapq.heappop(ready)
                last = clock
                for later, gap in followers[turn]:
                    earliest[later] = max(earliest[later], clock + gap)
                    missing[later] -= 1
                    if not missing[later]:
                        heapq.heappush(waiting, (earliest[later], later))
            clock += distance
        return last + self.end
