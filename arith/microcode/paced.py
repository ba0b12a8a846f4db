# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List scheduling in clocks, for paced cores: a context has several turns in flight.

A turn is placed in the first clock in which its operands are available, by the latencies of the
core, and which the pace slot allows: the clock after the last turn, in the same issue, or a clock
in which another issue may begin. Among the ready operations, the one with the longest path after it
goes first, through the values that a loop's next iteration needs. The products of a sum follow each
other in one issue, clock by clock, or so far apart that the accumulator has been written.

This minimizes the time, but many turns use only one slot. So products without a parallel sum can be
spread over some clocks, and sums wait for products, until the path after an operation is as long as
the time left to a target.

Clocks of a section are counted from the turn before it, the origin.
"""

import random
from bisect import insort
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

from arith.microcode.isa import Instruction
from arith.microcode.pace import ACCUMULATOR_CLOCKS, LEAST, LONG_AGO, LONGEST, MOST_TURNS
from arith.microcode.program import Operation, Product, ProgramError, Section, Sum
from arith.microcode.schedule import Turn
from arith.microcode.spaced import Edges, Key

TURN_COST: Final = 7
"""The value of one turn less for a full core, in clocks of a single job."""
PATH_NOISE: Final = 40
"""Clocks of noise on a path's length."""
WINDOWS: Final = (1 << 20, 160, 128, 96, 80, 64, 48, 32, 24, 16, 8)
"""The numbers of operations that may be in progress at once, from all to few, that are tried."""


@dataclass
class Schedule:
    """The turns of a section, with the clocks of their issues after the origin."""

    turns: list[Turn] = field(default_factory=list)
    clocks: list[int] = field(default_factory=list)
    begins: list[bool] = field(default_factory=list)
    """True for the first turn of an issue."""
    late: int = 0
    """For a loop's body: clocks by which all turns must come later than given."""

    @property
    def length(self) -> int:
        """The clocks of an iteration."""
        return self.clocks[-1] + self.late

    @property
    def first(self) -> int:
        """The clocks from the origin to the first turn."""
        return self.clocks[0] + self.late

    def fields(self) -> list[Instruction]:
        """The values of the turns' pace slots, except the last one's gap."""
        starts = [number for number, begins in enumerate(self.begins) if begins]
        found: list[Instruction] = [{} for _ in self.turns]
        for start, following, end in zip(starts, starts[1:], [*starts[2:], len(self.turns)]):
            found[start] = {"gap": self.clocks[following] - self.clocks[start] - LEAST,
                            "following": end - following - 1}
        return found

    def emitted(self) -> dict[Key, int]:
        """The clock of the turn that writes each value."""
        clocks: dict[Key, int] = {}
        for turn, clock in zip(self.turns, self.clocks):
            if turn.emits and turn.product is not None:
                clocks[turn.product] = clock
            if turn.sum is not None:
                clocks[turn.sum] = clock
        return clocks

    def begun(self) -> dict[Key, int]:
        """The clock of the first turn of each operation."""
        clocks: dict[Key, int] = {}
        for turn, clock in zip(self.turns, self.clocks):
            if turn.product is not None:
                clocks.setdefault(turn.product, clock)
            if turn.sum is not None:
                clocks[turn.sum] = clock
        return clocks


class Order(NamedTuple):
    """The order of the operations of a section."""

    seed: int = 0
    """Seed of the noise on path lengths, which decide the order; 0: no noise; 1: the author's
    order."""
    target: int = LONG_AGO
    """An operation is urgent if its path would end later than in this clock."""
    span: int = 0
    """Minimum clocks over which products without a parallel sum are spread, except urgent ones."""
    window: int = WINDOWS[0]
    """The number of operations, from the first unstarted one on, that may be started."""
    stretch: int = 100
    """Percentage of the time that the paths before leave: later, an operation is urgent too."""
    alone: int = WINDOWS[0]
    """The number of sums with a separate turn while products are left; others wait for the
    turn of a product."""

    def weights(self, lengths: dict[Operation, int]) -> dict[Operation, float]:
        """The order of operations: the highest weight first."""
        if self.seed == 1:
            return {operation: -number for number, operation in enumerate(lengths)}
        noise, spread = random.Random(self.seed), PATH_NOISE if self.seed else 0
        return {operation: length + spread * noise.random()
                for operation, length in lengths.items()}


@dataclass
class Orders:
    """The known orders, by the names of the bodies and the numbers of their sections, and the
    number of orders to try for other sections."""

    known: dict[str, Order] = field(default_factory=dict)
    tries: int = 0
    turn_cost: int = TURN_COST
    """The value of one turn less, in clocks of a single job, when orders are tried."""
    compact: bool = False
    """Saves turns: a chained sum may take the register of an operand of its product, and straight
    code follows a loop without an empty turn."""


class Scheduler:
    """One order of a section's operations."""

    def __init__(self, section: Section, edges: Edges, entry: dict[Key, int], order: Order,
                 lengths: dict[Operation, int], compact: bool = False) -> None:
        self._operations, self._oldest = section.operations, 0
        self._edges, self._entry, self._order = edges.of, entry, order
        self._lengths, self._weights = lengths, order.weights(lengths)
        self._compact = compact
        own = set(section.operations)
        self._emitted: dict[Key, int] = {}
        self._missing: dict[Operation, int] = {}
        self._followers: dict[Key, list[Operation]] = {}
        self._waiting: list[tuple[int, int, Operation]] = []
        """Operations that wait only for a clock."""
        self._ready: dict[type, list[tuple[float, int, Any]]] = {Product: [], Sum: []}
        """The ready operations of each kind, the highest weight first."""
        self._done: set[Operation] = set()
        self._numbers = {operation: number for number, operation in enumerate(section.operations)}
        self._left = len(own)
        for operation in section.operations:
            sources = {edge.source for edge in edges.of[operation] if edge.source in own}
            self._missing[operation] = len(sources)
            for source in sources:
                self._followers.setdefault(source, []).append(operation)
            if not sources:
                self._wait(operation)
        self._factors = sum(len(op.factors) for op in own if isinstance(op, Product))
        self._alone = 0
        """Sums that have had a separate turn."""
        self._begun, self._first = 0, 0
        """Factors that have been started, with the clock of the first one."""
        self._schedule = Schedule()
        self._issue, self._in_issue, self._last, self._product = 0, 0, 0, LONG_AGO
        """The clock and the turns of the last issue; the clocks of the last turn and product."""
        self._open: tuple[Product, int] | None = None

    def run(self) -> Schedule:
        clock, limit = LEAST, 512 * (self._left + 64) + max(0, self._order.target)
        while self._left or self._open:
            if clock > limit:
                raise ProgramError("operations wait for each other; a loop needs a copy")
            self._turn(clock)
            clock += 1
            if not (self._open or self._ready[Product] or self._ready[Sum] or not self._waiting):
                # Nothing can be selected until then.
                clock = max(clock, min(self._waiting[0][0], self._issue + LONGEST))
        self._set_apart_the_last()
        return self._schedule

    def _turn(self, clock: int) -> None:
        """Places the turn of this clock, if there can be one."""
        while self._oldest < len(self._operations) and self._operations[self._oldest] in self._done:
            self._oldest += 1
        while self._waiting and self._waiting[0][0] <= clock:
            _, number, operation = heappop(self._waiting)
            if operation not in self._done:
                insort(self._ready[type(operation)], (-self._weights[operation], number, operation))
        schedule = self._schedule
        room = MOST_TURNS - self._in_issue if len(schedule.turns) > 1 else 0
        goes_on = clock == self._last + 1 and bool(schedule.turns) and room > 0
        if not goes_on and schedule.turns and clock < self._issue + LEAST:
            return
        if not goes_on:
            room = MOST_TURNS if schedule.turns else 1
        turn = self._chosen(clock, goes_on, room)
        if turn.product is None and turn.sum is None and not (
                schedule.turns and clock == self._issue + LONGEST):
            return
        if turn.product is not None:
            if not self._begun:
                self._first = clock
            self._begun += 1
            self._product = clock
            if not turn.factor:
                self._take(turn.product)
            self._open = None if turn.emits else (turn.product, turn.factor + 1)
            if turn.emits:
                self._emit(turn.product, clock)
        if turn.sum is not None:
            self._alone += turn.product is None
            self._take(turn.sum)
            self._emit(turn.sum, clock)
        if goes_on:
            self._in_issue += 1
        else:
            self._issue, self._in_issue = clock, 1
        self._last = clock
        schedule.turns.append(turn)
        schedule.clocks.append(clock)
        schedule.begins.append(not goes_on)

    def _take(self, operation: Operation) -> None:
        self._done.add(operation)
        ready = self._ready[type(operation)]
        ready[:] = [item for item in ready if item[2] is not operation]

    def _chosen(self, clock: int, goes_on: bool, room: int) -> Turn:
        """The turn of this clock: of both slots, or of one that is urgent or has no reason to
        wait."""
        turn = Turn()
        if self._open is None:
            turn.product = self._best_product(room, bool(self._schedule.turns))
        elif goes_on and clock == self._product + 1 or clock >= self._product + ACCUMULATOR_CLOCKS:
            turn.product, turn.factor = self._open
        chained = self._chained(turn.product, clock) if turn.emits and turn.product else []
        turn.sum = self._best_sum(chained)
        turn.chained = turn.sum in chained
        if turn.product is not None and turn.sum is not None:
            return turn
        if turn.product is not None and not turn.factor and not self._is_urgent(
                turn.product, clock) and (clock - self._first) * self._factors < (
                    self._order.span * self._begun):
            return Turn()
        if turn.sum is not None and self._begun < self._factors and (
                not self._is_urgent(turn.sum, clock)
                or self._alone >= self._order.alone and self._product_comes()):
            return Turn()
        return turn

    def _product_comes(self) -> bool:
        """Returns true if a product waits only for a clock."""
        return bool(self._open or self._ready[Product]) or any(
            isinstance(operation, Product) for _, _, operation in self._waiting)

    def _is_urgent(self, operation: Operation, clock: int) -> bool:
        latest = self._order.target - self._lengths[operation]
        return 100 * clock >= self._order.stretch * latest

    def _best_product(self, room: int, may_pass: bool) -> Product | None:
        """The ready product of the highest weight whose factors have room in the issue, if any."""
        first: Product | None = None
        for _, number, product in self._ready[Product]:
            assert isinstance(product, Product)
            if number < self._oldest + self._order.window:
                first = first or product
                if min(len(product.factors), MOST_TURNS) <= room:
                    return product
        return None if may_pass else first

    def _best_sum(self, chained: list[Sum]) -> Sum | None:
        """The ready sum, or one of these, of the highest weight."""
        limit = self._oldest + self._order.window
        items = [(-self._weights[sum_], self._numbers[sum_], sum_) for sum_ in chained]
        items += [item for item in self._ready[Sum] if item[1] < limit][:1]
        return min(items)[2] if items else None

    def _chained(self, product: Product, clock: int) -> list[Sum]:
        """The sums that can use the product in the turn that emits it."""
        return [follower for follower in self._followers.get(product, ())
                if isinstance(follower, Sum) and self._missing[follower] == 1
                and product in follower.operands()
                and self._numbers[follower] < self._oldest + self._order.window
                and all(edge.chains or self._compact and edge.gap <= edge.factor
                        if edge.source is product
                        else self._time(edge.source) + edge.gap <= clock
                        for edge in self._edges[follower])]

    def _emit(self, operation: Operation, clock: int) -> None:
        self._emitted[operation] = clock
        self._left -= 1
        for follower in self._followers.get(operation, ()):
            self._missing[follower] -= 1
            if not self._missing[follower]:
                self._wait(follower)

    def _time(self, key: Key) -> int:
        return self._emitted.get(key, self._entry.get(key, LONG_AGO))

    def _wait(self, operation: Operation) -> None:
        """Adds an operation to those that wait for a clock."""
        first = max((self._time(edge.source) + edge.gap - edge.factor
                     for edge in self._edges[operation]), default=0)
        heappush(self._waiting, (first, self._numbers[operation], operation))

    def _set_apart_the_last(self) -> None:
        """The last turn is a separate issue, as it may have a control operation."""
        schedule = self._schedule
        if len(schedule.turns) < 2 or schedule.begins[-1]:
            return
        begin = max(number for number, begins in enumerate(schedule.begins) if begins)
        schedule.clocks[-1] = max(schedule.clocks[begin] + LEAST,
                                  schedule.clocks[-2] + ACCUMULATOR_CLOCKS)
        schedule.begins[-1] = True
