# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schedules a body for a paced core, section by section, and computes the waits between sections.

A loop's body follows its own last turn, so its variables are as old as the body leaves them. The
turn before a loop waits until the values for its first iteration are available. Around calls, and
around loops that contain loops or calls, all results must be available. A loop is followed by an
empty turn, because the gap of its last turn is the one to its first turn; compact orders omit it
where straight code can begin after that gap.

Among the orders that are tried for a section, the cheapest one is kept whose number of values fits
into the registers.
"""

import random
from dataclasses import dataclass, field
from typing import Final, Iterable, Iterator, Sequence

from arith.microcode import isa
from arith.microcode.allocate import last_reads, writes
from arith.microcode.lives import Begin, End, Lives, Step
from arith.microcode.pace import LEAST, LONG_AGO
from arith.microcode.paced import WINDOWS, Order, Orders, Schedule, Scheduler
from arith.microcode.program import Operation, ProgramError, Section, Value
from arith.microcode.schedule import Turn
from arith.microcode.spaced import Edge, Edges, Key, paths
from arith.microcode.timing import Latencies, Pace, Timing
from arith.microcode.values import Call

ROUNDS: Final = 3
"""The number of times that a body's schedule and its variables' ready times are recomputed."""
TAILS: Final = 2
"""The number of iterations that a path goes through."""
SLACK: Final = 3
"""The number of additional registers left free each time that a section's values do not fit."""
LAST_LEVEL: Final = 12


@dataclass
class Plan:
    """The schedules of a body's sections, and the clocks that the turn before a step waits for
    it."""

    schedules: dict[Section, Schedule] = field(default_factory=dict)
    leads: dict[Step, int] = field(default_factory=dict)
    joined: set[Section] = field(default_factory=set)
    """The loops that straight code follows without an empty turn."""
    end: int = LEAST
    """Clocks until all results of the body are available, after its last turn."""


def pressure(section: Section, turns: list[Turn], before: set[Value], after: set[Value]) -> int:
    """The maximum number of live values of either bank, among the values from before and for
    after."""
    end, reads, written = len(turns), last_reads(turns), writes(turns)
    replaced = dict(section.replaced())
    changes = [[0] * (end + 2), [0] * (end + 2)]

    def live(value: Value, first: int, last: int) -> None:
        if last > first:
            changes[value.bank][first + 1] += 1
            changes[value.bank][last + 1] -= 1

    initial = {variable.initial for variable in section.carried}
    for value in {*(before - initial), *section.carried}:
        stays = (value in after or section.count and value in reads) and value not in replaced
        live(value, -1, end if stays else reads.get(value, -1))
    for value, first in written.items():
        kept = value in after or value in replaced.values()
        live(value, first, end if kept else reads.get(value, -1))
    most = 0
    for bank in changes:
        count = 0
        for change in bank:
            count += change
            most = max(most, count)
    return most


def _write_of(value: Value) -> str:
    return "sum_write" if value.bank == isa.BANK_S else "product_write"


class Pacer:
    """Schedules the sections of a body in sequence.

    `levels` counts how often the values of a section did not fit. `moved` has the copies that later
    sections read instead of the originals."""

    def __init__(self, name: str, timing: Timing, latencies: Latencies, registers: int,
                 orders: Orders, levels: dict[Section, int],
                 moved: dict[Section, dict[Value, Value]]) -> None:
        self._name, self._registers, self._orders = name, registers, orders
        self._timing, self._levels, self._moved = timing, levels, moved
        self._pace = Pace(1, latencies, 0)
        self._written: dict[Key, int] = {}
        """The turn of each write, relative to the last turn."""
        self._before: set[Value] = set()
        self._after: set[Value] = set()
        """The values that live before and after a section."""
        self._loop_before: Section | None = None
        """The loop in the preceding step."""
        self.plan = Plan()

    def run(self, lives: Lives) -> Plan:
        self._before = lives.live_after(-1)
        for number, step in enumerate(lives.steps):
            self._after = lives.live_after(number)
            if isinstance(step, Section):
                copies = self._moved.get(step, {})
                self._after = self._after - set(copies.values()) | set(copies)
                name = f"{self._name}/{number}"
                if step.count:
                    self._loop(step, name)
                elif step.operations:
                    self._straight(step, name)
                if step.count or step.operations:
                    self._loop_before = step if step.count else None
            else:
                assert isinstance(step, (Call, Begin, End))
                self.plan.leads[step] = self._drain()
                self._written = {}
                self._loop_before = None
            self._before = lives.live_after(number)
        self.plan.end = self._drain()
        return self.plan

    def _drain(self) -> int:
        """Clocks until any turn may read all written values."""
        def there(value: Key) -> int:
            assert isinstance(value, Value)
            return self._pace.gap(self._timing, _write_of(value), "multiply_read")
        return max([LEAST, *(clock + there(value) for value, clock in self._written.items())])

    def _write(self, value: Value) -> int:
        """The clock of the write into the value's bank, after the issue of the turn."""
        return self._pace.most.of(getattr(self._timing, _write_of(value)))

    def _best(self, section: Section, name: str, edges: Edges, lengths: dict[Operation, int]
              ) -> Schedule:
        """The schedule of the known order, or the best one of those that are tried."""
        level = self._levels.get(section, 0)
        if name in self._orders.known and not level:
            return self._of_order(section, edges, self._orders.known[name], lengths)
        limit = self._registers - SLACK * level
        found: list[tuple[int, int, Order, Schedule]] = []

        def add(orders: Iterable[Order]) -> None:
            for order in orders:
                try:
                    schedule = self._of_order(section, edges, order, lengths)
                except ProgramError:  # a variable is read beyond the window
                    continue
                need = pressure(section, schedule.turns, self._before, self._after)
                cost = schedule.length + self._orders.turn_cost * len(schedule.turns)
                found.append((max(0, need - limit), cost, order, schedule))

        alone = (WINDOWS[0], 0, 1) if self._orders.compact else (WINDOWS[0],)
        add(Order(seed, window=window, alone=count)
            for count in alone for window in WINDOWS for seed in (0, 1))
        if not found:
            raise ProgramError("operations wait for each other; a loop needs a copy")
        fast = min(found, key=lambda item: item[:3])[3]
        end = max(clock + lengths[operation] for operation, clock in fast.begun().items()
                  if operation in lengths)
        add(self._others(end, fast.length))
        _, _, order, schedule = min(found, key=lambda item: item[:3])
        self._orders.known[name] = order
        return schedule

    def _others(self, end: int, length: int) -> Iterator[Order]:
        """Orders that may need fewer turns."""
        rng = random.Random(0)
        for number in range(self._orders.tries):
            extra = round(rng.choice((0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5)) * length)
            span = round(rng.choice((0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)) * (length + extra))
            seed = rng.choice((0, 1, number + 2))
            stretch = rng.choice((100, 110, 120, 130, 140, 160, 180, 200)) if number % 2 else 100
            order = Order(seed, end + (extra if stretch == 100 else 0), span, rng.choice(WINDOWS),
                          stretch)
            yield order._replace(alone=number % 3) if self._orders.compact else order

    def _of_order(self, section: Section, edges: Edges, order: Order,
                  lengths: dict[Operation, int]) -> Schedule:
        if not section.count:
            return self._scheduled(section, edges, self._written, order, lengths)
        return min(self._rounds(section, edges, order, lengths),
                   key=lambda schedule: schedule.length)

    def _scheduled(self, section: Section, edges: Edges, entry: dict[Key, int], order: Order,
                   lengths: dict[Operation, int]) -> Schedule:
        return Scheduler(section, edges, entry, order, lengths, self._orders.compact).run()

    def _rounds(self, section: Section, edges: Edges, order: Order, lengths: dict[Operation, int]
                ) -> Iterator[Schedule]:
        """Schedules of a loop's body for variables that are as old as the previous iteration leaves
        them."""
        entry: dict[Key, int] = {}
        for _ in range(ROUNDS):
            schedule = self._scheduled(section, edges, entry, order, lengths)
            emitted = schedule.emitted()
            entry = {variable: emitted.get(result, LONG_AGO) - schedule.clocks[-1]
                     for variable, result in zip(section.carried, section.results)}
            schedule.late = max(0, self._lateness(edges, schedule, entry))
            yield schedule

    def _lengths(self, section: Section, edges: Edges) -> dict[Operation, int]:
        """Clocks from an operation's first turn to the end of its dependents."""
        tails: dict[Value, int] = {}
        for _ in range(min(section.count, TAILS)):
            lengths = paths(section, edges, tails)
            for variable, result in zip(section.carried, section.results):
                tails[result] = max(tails.get(result, 0), lengths.get(variable, 0))
        lengths = paths(section, edges, tails)
        return {operation: lengths[operation] for operation in section.operations}

    def _straight(self, section: Section, name: str) -> None:
        edges = Edges(section, self._pace, self._timing)
        lengths = self._lengths(section, edges)
        best, lead = self._joined(section, name, edges, lengths) or (None, 0)
        if best is None:
            best = self._best(section, name, edges, lengths)
            lead = best.first
        self.plan.schedules[section] = best
        self.plan.leads[section] = lead
        later = lead - best.first
        emitted = {key: clock + later for key, clock in best.emitted().items()}
        self._written |= emitted
        for copy, value in self._moved.get(section, {}).items():
            # Readers count from the write of the value's own bank.
            self._written[value] = emitted[copy] + self._write(copy) - self._write(value)
        self._move(best.clocks[-1] + later)

    def _joined(self, section: Section, name: str, edges: Edges, lengths: dict[Operation, int]
                ) -> tuple[Schedule, int] | None:
        """The schedule of code that takes the place of the empty turn after a loop, and the clocks
        of the loop's gap, if the code can begin after them."""
        loop = self._loop_before
        if loop is None or not self._orders.compact:
            return None
        gap = self.plan.schedules[loop].first
        self._move(-gap)
        best = self._best(section, name, edges, lengths)
        if best.first <= gap:
            self.plan.joined.add(loop)
            return best, gap
        self._move(gap)
        return None

    def _move(self, clocks: int) -> None:
        self._written = {key: clock - clocks for key, clock in self._written.items()}

    def _loop(self, section: Section, name: str) -> None:
        edges = Edges(section, self._pace, self._timing)
        best = self._best(section, name, edges, self._lengths(section, edges))
        before = dict(self._written)
        for variable in section.carried:
            before[variable] = before.get(variable.initial, LONG_AGO)
        # The first turn comes at least as long after the turn before the loop as after the body's
        # last one.
        lead = max(LEAST, best.first + self._lateness(edges, best, before) - best.late)
        self.plan.schedules[section] = best
        self.plan.leads[section] = lead
        emitted = best.emitted()
        self._move(lead + best.length)
        for variable, result in zip(section.carried, section.results):
            self._written[variable] = (
                before[variable] - lead - best.length if result is variable
                else emitted[result] - best.clocks[-1] - best.first)

    def _lateness(self, edges: Edges, schedule: Schedule, entry: dict[Key, int]) -> int:
        """The clocks by which the turns come too early for the values that a section begins with;
        if it is negative, they could come earlier."""
        begun = schedule.begun()

        def late(operation: Operation, edge: Edge) -> int:
            return entry[edge.source] + edge.gap - edge.factor - begun[operation]

        return max((late(operation, edge) for operation, waits in edges.of.items()
                    for edge in waits if edge.source in entry), default=LONG_AGO)
