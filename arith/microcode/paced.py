# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List scheduling in clocks, for paced cores: a context has several turns in flight.

A turn goes in the first clock in which its operands are there, by the latencies of the core, and in
which the pace slot allows it: in the clock after the last turn, in the same issue, or where the
issue is old enough that another one may begin. Of what is ready, that with the longest path behind it
goes first, through what a loop's next iteration waits for. The products of a sum follow each other
in one issue, clock by clock, or so far apart that the accumulator has been written.

Clocks of a section are counted from the turn before it, the origin. A loop's body begins behind its
own last turn, so its variables are as old as the body leaves them; the turn before a loop waits until
its first iteration finds what it needs. Around calls, and around loops that have loops or calls
inside, all results have to be there. A loop has an empty turn behind it, as its last turn's gap is
that to its first one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import product
from heapq import heappop, heappush
from typing import Any, Final, Iterator, Sequence

from arith.microcode import isa
from arith.microcode.isa import Instruction
from arith.microcode.lives import Begin, End, Step
from arith.microcode.pace import ACCUMULATOR_CLOCKS, LEAST, LONG_AGO, LONGEST, MOST_TURNS
from arith.microcode.program import Operation, Product, ProgramError, Section, Sum, Value
from arith.microcode.schedule import Turn
from arith.microcode.spaced import Edge, Edges, Key, paths
from arith.microcode.timing import Latencies, Pace, Timing
from arith.microcode.values import Call

ATTEMPTS: Final = 4
PATH_NOISE: Final = 40
"""Clocks of noise on a path's length."""
SPANS: Final = (0.0, 0.25, 0.4, 0.55, 0.7)
EXTRAS: Final = (0, 10, 20, 40, 80, 160)
"""Clocks more than the least, in which a section may take fewer turns."""
TURN_COST: Final = 6
"""Clocks of a job alone that a turn less is worth."""
ROUNDS: Final = 3
"""A body's schedule and what its variables are ready for follow each other so often."""
WINDOWS: Final = (1 << 20, 160, 128, 112, 96, 80, 64, 56, 48, 40, 32, 24, 16, 8)
"""How many operations, from the first one that is not done yet on, may be begun: the ways of scheduling
a section, each with less that is early and takes registers."""
LAST_LEVEL: Final = len(WINDOWS) - 1


@dataclass
class Schedule:
    """The turns of a section, with the clocks of their issues after the origin."""

    turns: list[Turn] = field(default_factory=list)
    clocks: list[int] = field(default_factory=list)
    begins: list[bool] = field(default_factory=list)
    """Whether the turn is an issue's first one."""
    late: int = 0
    """Of a loop's body: clocks by which all turns have to come later than they say."""

    @property
    def length(self) -> int:
        """Clocks of an iteration."""
        return self.clocks[-1] + self.late

    @property
    def first(self) -> int:
        """Clocks from the origin to the first turn."""
        return self.clocks[0] + self.late

    def fields(self) -> list[Instruction]:
        """What the turns' pace slots hold, but for the last one's gap."""
        starts = [number for number, begins in enumerate(self.begins) if begins]
        found: list[Instruction] = [{} for _ in self.turns]
        for start, following, end in zip(starts, starts[1:], [*starts[2:], len(self.turns)]):
            found[start] = {"gap": self.clocks[following] - self.clocks[start] - LEAST,
                            "following": end - following - 1}
        return found

    def emitted(self) -> dict[Key, int]:
        """The turn that writes each value, by its clock."""
        clocks: dict[Key, int] = {}
        for turn, clock in zip(self.turns, self.clocks):
            if turn.emits and turn.product is not None:
                clocks[turn.product] = clock
            if turn.sum is not None:
                clocks[turn.sum] = clock
        return clocks

    def begun(self) -> dict[Key, int]:
        """The first turn of each operation, by its clock."""
        clocks: dict[Key, int] = {}
        for turn, clock in zip(self.turns, self.clocks):
            if turn.product is not None:
                clocks.setdefault(turn.product, clock)
            if turn.sum is not None:
                clocks[turn.sum] = clock
        return clocks


@dataclass
class Plan:
    """The schedules of a body's sections, and the clocks that the turn before a step waits for it."""

    schedules: dict[Section, Schedule] = field(default_factory=dict)
    leads: dict[Step, int] = field(default_factory=dict)
    end: int = LEAST
    """Clocks until all results of the body are there, after its last turn."""


@dataclass(frozen=True)
class Order:
    """What operations go by."""

    weights: dict[Operation, float]
    """The most goes first."""
    lengths: dict[Operation, int]
    """Clocks from an operation's first turn to the end of what waits for it."""
    target: int
    """Where that would come later, an operation is urgent."""
    span: int
    """Clocks in which products without a sum beside them are spread at least, but urgent ones."""
    window: int
    """Operations, from the first one that is not begun on, that may be begun."""


def _cost(schedule: Schedule) -> int:
    """A job alone takes its clocks, a full core the turns."""
    return schedule.length + TURN_COST * len(schedule.turns)


class _Scheduler:
    """One order of a section's operations."""

    def __init__(self, section: Section, edges: Edges, entry: dict[Key, int], order: Order) -> None:
        self._operations, self._oldest = section.operations, 0
        self._edges, self._entry, self._order = edges.of, entry, order
        own = set(section.operations)
        self._emitted: dict[Key, int] = {}
        self._missing: dict[Operation, int] = {}
        self._followers: dict[Key, list[Operation]] = {}
        self._waiting: list[tuple[int, int, Operation]] = []
        """Operations that wait for nothing but a clock."""
        self._ready: dict[type, list[tuple[float, int, Operation]]] = {Product: [], Sum: []}
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
        self._begun, self._first = 0, 0
        """Factors that have been begun; the clock of the first one."""
        self._schedule = Schedule()
        self._issue, self._in_issue, self._last, self._product = 0, 0, 0, LONG_AGO
        """Of the last issue the clock and the turns; the clocks of the last turn and product."""
        self._open: tuple[Product, int] | None = None

    def run(self) -> Schedule:
        clock, limit = LEAST, 512 * (self._left + 64) + max(0, self._order.target)
        while self._left or self._open:
            if clock > limit:
                raise ProgramError("operations wait for each other; a loop needs a copy")
            self._turn(clock)
            clock += 1
        self._set_apart_the_last()
        return self._schedule

    def _turn(self, clock: int) -> None:
        """What goes in this clock, if anything can."""
        while self._oldest < len(self._operations) and self._operations[self._oldest] in self._done:
            self._oldest += 1
        while self._waiting and self._waiting[0][0] <= clock:
            _, number, operation = heappop(self._waiting)
            if operation not in self._done:
                item = (-self._order.weights[operation], number, operation)
                heappush(self._ready[type(operation)], item)
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
        self._open = None
        if turn.product is not None:
            if not self._begun:
                self._first = clock
            self._begun += 1
            self._product = clock
            self._done.add(turn.product)
            if turn.emits:
                self._emit(turn.product, clock)
            else:
                self._open = turn.product, turn.factor + 1
        if turn.sum is not None:
            self._done.add(turn.sum)
            self._emit(turn.sum, clock)
        if goes_on:
            self._in_issue += 1
        else:
            self._issue, self._in_issue = clock, 1
        self._last = clock
        schedule.turns.append(turn)
        schedule.clocks.append(clock)
        schedule.begins.append(not goes_on)

    def _chosen(self, clock: int, goes_on: bool, room: int) -> Turn:
        """The turn of this clock: both slots, or one that is urgent or has to be alone somewhere."""
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
        if turn.sum is not None and not self._is_urgent(turn.sum, clock) and (
                self._begun < self._factors):
            return Turn()
        return turn

    def _is_urgent(self, operation: Operation, clock: int) -> bool:
        return clock + self._order.lengths[operation] >= self._order.target

    def _best_product(self, room: int, may_pass: bool) -> Product | None:
        """The ready one of the most weight whose factors have room in the issue, if any has."""
        items = self._allowed(Product)
        for _, _, product in items:
            assert isinstance(product, Product)
            if min(len(product.factors), MOST_TURNS) <= room:
                return product
        return None if may_pass or not items else items[0][2]

    def _best_sum(self, chained: list[Sum]) -> Sum | None:
        items = [*((-self._order.weights[sum_], self._numbers[sum_], sum_) for sum_ in chained),
                 *self._allowed(Sum)[:1]]
        return min(items)[2] if items else None

    def _allowed(self, kind: type) -> list[tuple[float, int, Any]]:
        """The ready operations of a kind within the window, that of the most weight first."""
        limit = self._oldest + self._order.window
        heap = self._ready[kind] = [item for item in self._ready[kind] if item[2] not in self._done]
        return sorted(item for item in heap if item[1] < limit)

    def _chained(self, product: Product, clock: int) -> list[Sum]:
        """The sums that may take the product in the turn that emits it."""
        return [follower for follower in self._followers.get(product, ())
                if isinstance(follower, Sum) and self._missing[follower] == 1
                and self._numbers[follower] < self._oldest + self._order.window
                and all(edge.chains if edge.source is product
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
        """Puts an operation among those that wait for a clock."""
        first = max((self._time(edge.source) + edge.gap - edge.factor
                     for edge in self._edges[operation]), default=0)
        heappush(self._waiting, (first, self._numbers[operation], operation))

    def _set_apart_the_last(self) -> None:
        """The last turn is an issue by itself, as it may carry a control."""
        schedule = self._schedule
        if len(schedule.turns) < 2 or schedule.begins[-1]:
            return
        begin = max(number for number, begins in enumerate(schedule.begins) if begins)
        schedule.clocks[-1] = max(schedule.clocks[begin] + LEAST, schedule.clocks[-2] + ACCUMULATOR_CLOCKS)
        schedule.begins[-1] = True


class Pacer:
    """Schedules the sections of a body, one after the other.

    `levels` says how carefully: from 0, as early as can be, to LAST_LEVEL. `moved` has the copies that
    are read in later sections in the place of others."""

    def __init__(self, timing: Timing, latencies: Latencies, levels: dict[Section, int],
                 moved: dict[Section, dict[Value, Value]]) -> None:
        self._timing, self._latencies, self._levels = timing, latencies, levels
        self._moved = moved
        self._pace = Pace(1, latencies, 0)
        self._written: dict[Key, int] = {}
        """The turn of each write, seen from the last turn."""
        self.plan = Plan()

    def run(self, steps: Sequence[Step]) -> Plan:
        for step in steps:
            if isinstance(step, Section):
                if step.count:
                    self._loop(step)
                elif step.operations:
                    self._straight(step)
            else:
                assert isinstance(step, (Call, Begin, End))
                self.plan.leads[step] = self._drain()
                self._written = {}
        self.plan.end = self._drain()
        return self.plan

    def _drain(self) -> int:
        """Clocks until any turn may read what has been written."""
        def there(value: Key) -> int:
            assert isinstance(value, Value)
            write = "sum_write" if value.bank == isa.BANK_S else "product_write"
            return self._pace.gap(self._timing, write, "multiply_read")
        return max([LEAST, *(clock + there(value) for value, clock in self._written.items())])

    def _orders(self, section: Section, lengths: dict[Key, int], first: Schedule | None = None
                ) -> Iterator[Order]:
        """Ways of ordering a section's operations: in the least time, or, with a schedule of that
        kind, in fewer turns."""
        own = {operation: lengths[operation] for operation in section.operations}
        window = WINDOWS[self._levels.get(section, 0)]
        end = 0
        if first is not None:
            end = max(clock + own[operation] for operation, clock in first.begun().items()
                      if isinstance(operation, (Product, Sum)))
        for extra, part in ((LONG_AGO, 0.0),) if first is None else product(EXTRAS, SPANS):
            for attempt in range(ATTEMPTS):
                noise, spread = random.Random(attempt), PATH_NOISE if attempt else 0
                weights = {operation: length + spread * noise.random()
                           for operation, length in own.items()}
                if attempt == 1:
                    weights = {operation: -number
                               for number, operation in enumerate(section.operations)}
                span = 0 if first is None else round(part * (first.length + extra))
                yield Order(weights, own, end + extra, span, window)

    def _straight(self, section: Section) -> None:
        edges = Edges(section, self._pace, self._timing)
        lengths = paths(section, edges, {})

        def best(orders: Iterator[Order]) -> Schedule:
            return min((_Scheduler(section, edges, self._written, order).run() for order in orders),
                       key=_cost)

        fast = best(self._orders(section, lengths))
        chosen = best(self._orders(section, lengths, fast))
        self.plan.schedules[section] = chosen
        self.plan.leads[section] = chosen.first
        emitted = chosen.emitted()
        self._written |= emitted
        for copy, value in self._moved.get(section, {}).items():
            self._written[value] = emitted[copy]
        self._move(chosen.clocks[-1])

    def _move(self, clocks: int) -> None:
        self._written = {key: clock - clocks for key, clock in self._written.items()}

    def _loop(self, section: Section) -> None:
        edges = Edges(section, self._pace, self._timing)
        tails: dict[Value, int] = {}
        for _ in range(min(section.count, 3)):
            lengths = paths(section, edges, tails)
            for variable, result in zip(section.carried, section.results):
                tails[result] = max(tails.get(result, 0), lengths.get(variable, 0))
        lengths = paths(section, edges, tails)

        def best_of(orders: Iterator[Order]) -> Schedule:
            return min((schedule for order in orders
                        for schedule in self._rounds(section, edges, order)), key=_cost)

        fast = best_of(self._orders(section, lengths))
        best = best_of(self._orders(section, lengths, fast))
        before = dict(self._written)
        for variable in section.carried:
            before[variable] = before.get(variable.initial, LONG_AGO)
        # The first turn comes as long after the turn before the loop as after the body's last one,
        # or later.
        lead = max(LEAST, best.first + self._lateness(edges, best, before) - best.late)
        self.plan.schedules[section] = best
        self.plan.leads[section] = lead
        emitted = best.emitted()
        self._move(lead + best.length)
        for variable, result in zip(section.carried, section.results):
            self._written[variable] = (
                before[variable] - lead - best.length if result is variable
                else emitted[result] - best.clocks[-1] - best.first)

    def _rounds(self, section: Section, edges: Edges, order: Order) -> Iterator[Schedule]:
        """Schedules of a loop's body for variables that are as old as the one before leaves them."""
        entry: dict[Key, int] = {}
        for _ in range(ROUNDS):
            schedule = _Scheduler(section, edges, entry, order).run()
            emitted = schedule.emitted()
            entry = {variable: emitted.get(result, LONG_AGO) - schedule.clocks[-1]
                     for variable, result in zip(section.carried, section.results)}
            schedule.late = max(0, self._lateness(edges, schedule, entry))
            yield schedule

    def _lateness(self, edges: Edges, schedule: Schedule, entry: dict[Key, int]) -> int:
        """Clocks by which the turns come too early for what a section begins with, or, less than 0,
        could come earlier."""
        begun = schedule.begun()

        def late(operation: Operation, edge: Edge) -> int:
            return entry[edge.source] + edge.gap - edge.factor - begun[operation]

        return max((late(operation, edge) for operation, waits in edges.of.items()
                    for edge in waits if edge.source in entry), default=LONG_AGO)
