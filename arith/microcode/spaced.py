# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List scheduling with several turns in flight: the next turn does not wait for the last one.

Turns follow each other at the distance of a `Pace`, which is less than the latency of a result. So
an operand can be read only from some turn on, which depends on the writing and the reading slots
(`timing`), and a turn in which nothing is ready stays empty. Among the ready operations, the one
with the longest path after it goes first, in turns, through the values that later iterations of a
loop need. Seeded noise on the paths gives other orders, of which the shortest is kept.

The values that a section begins with were written some turns before its first one. In the first
iteration of a loop, its variables are available no later than in the others: empty turns are
inserted before a loop.

At a pace of two clocks a section is a number of pairs of turns, with its control in the first turn
of the last pair.
"""

import random
from dataclasses import dataclass, field
from typing import Final, Iterator

from arith.microcode import isa
from arith.microcode.pace import LONG_AGO
from arith.microcode.program import (
    Keep, Lookup, Operation, Place, Product, Program, ProgramError, Section, Sum, Value,
    places_of,
)
from arith.microcode.schedule import Turn
from arith.microcode.timing import Pace, Timing

Key = Value | Place
ATTEMPTS: Final = 24
PATH_NOISE: Final = 12
"""Turns of noise on a path's length."""
ROUNDS: Final = 6
"""The number of times that a loop's schedule and its variables' ready times are recomputed."""


@dataclass(frozen=True)
class Edge:
    """An operation waits for an operand: `gap` turns after its write, minus `factor`."""

    source: Key
    gap: int
    factor: int = 0
    chains: bool = False
    """A sum may use it in the turn in which it is emitted."""


def duration(operation: Operation) -> int:
    """Turns from an operation's first one to the one that writes."""
    return len(operation.factors) - 1 if isinstance(operation, Product) else 0


class Edges:
    """The operands for which each operation of a section waits."""

    def __init__(self, section: Section, pace: Pace, timing: Timing) -> None:
        self._pace, self._timing = pace, timing
        self.of: dict[Operation, list[Edge]] = {}
        written: dict[Place, Sum] = {}
        for operation in section.operations:
            if isinstance(operation, Product):
                edges = list(self._of_product(operation, written))
            else:
                edges = list(self._of_sum(operation))
                written |= {place: operation for place in operation.keep.places()}
            self.of[operation] = edges
        for variable, result in section.replaced():
            self._overwrite(section, variable, result)

    def gap(self, value: Value, read: str) -> int:
        write = "sum_write" if value.bank == isa.BANK_S else "product_write"
        return self._pace.gap(self._timing, write, read)

    def _of_product(self, product: Product, written: dict[Place, Sum]) -> Iterator[Edge]:
        for number, (a, b) in enumerate(product.factors):
            yield Edge(a, self.gap(a, "multiply_read"), number)
            if isinstance(b, Value):
                yield Edge(b, self.gap(b, "multiply_read"), number)
            elif isinstance(b, Lookup):
                for place in places_of(b):
                    read = "table_read" if place[0] == "table" else "scalar_read"
                    gap = self._pace.gap(self._timing, "sum_write", read)
                    yield Edge(written.get(place, place), gap, number)
        if product.signed:
            for value in product.signed.operands():
                if value is not product:
                    yield Edge(value, self.gap(value, "add_read"))

    def _of_sum(self, sum_: Sum) -> Iterator[Edge]:
        operands = list(sum_.operands())
        for value in operands:
            chains = isinstance(value, Product) and operands.count(value) == 1
            yield Edge(value, self.gap(value, "add_read"), chains=chains)
        yield from (Edge(operation, 0) for operation in sum_.follows)
        if sum_.after is not None:
            yield Edge(sum_.after, 1)

    def _overwrite(self, section: Section, variable: Value, result: Value) -> None:
        """A result takes its variable's register after the last read of the variable."""
        assert isinstance(result, (Product, Sum))
        for operation in section.operations:
            if variable in operation.operands() and operation is not result:
                # The result is written `duration` turns after its first turn.
                self.of[result].append(Edge(operation, 0, duration(result)))


def paths(section: Section, edges: Edges, tails: dict[Value, int]) -> dict[Key, int]:
    """Turns from an operation's first one to the end of its dependents; for a value that the
    section begins with, from the turn of its write."""
    lengths: dict[Key, int] = {value: turns for value, turns in tails.items()}
    for operation in reversed(section.operations):
        own = lengths.get(operation, 0) + duration(operation)
        lengths[operation] = own
        for edge in edges.of[operation]:
            gap = 0 if edge.chains else edge.gap - edge.factor
            lengths[edge.source] = max(lengths.get(edge.source, 0), own + gap)
    return lengths


@dataclass
class _State:
    """The operations scheduled so far."""

    entry: dict[Key, int]
    emitted: dict[Key, int] = field(default_factory=dict)

    def time(self, key: Key) -> int | None:
        """The turn of a write: negative before the section, None if it is not scheduled yet."""
        if key in self.emitted:
            return self.emitted[key]
        return None if isinstance(key, (Product, Sum)) and key not in self.entry else (
            self.entry.get(key, LONG_AGO))


class _Scheduler:
    """One order of a section's operations, by weights."""

    def __init__(self, section: Section, edges: Edges, entry: dict[Key, int],
                 weights: dict[Operation, float]) -> None:
        self.edges, self.weights = edges, weights
        self.state = _State({key: turn for key, turn in entry.items()})
        for operation in section.operations:
            self.state.entry.pop(operation, None)
        self.signed = {op.signed for op in section.operations
                       if isinstance(op, Product) and op.signed}
        self.left = len(section.operations)
        self.missing: dict[Operation, int] = {}
        self.followers: dict[Key, list[Operation]] = {}
        self.ready: dict[Operation, int] = {}
        """Operations that wait only for a turn, with the first possible one."""
        self.chains: dict[Operation, int] = {}
        """The turn in which a sum may be chained to another one. It is the only possible turn before
        that of `ready`."""
        for operation in section.operations:
            sources = {edge.source for edge in edges.of[operation]
                       if self.state.time(edge.source) is None}
            self.missing[operation] = len(sources)
            for source in sources:
                self.followers.setdefault(source, []).append(operation)
            if not sources:
                self.ready[operation] = self._earliest(operation)

    def run(self) -> list[Turn]:
        turns: list[Turn] = []
        open_product: tuple[Product, int] | None = None
        limit = 64 * (self.left + 64)
        while self.left or open_product:
            turn, number = Turn(), len(turns)
            if open_product is None:
                chosen = self._best(number, Product)
                if chosen is not None:
                    assert isinstance(chosen, Product)
                    del self.ready[chosen]
                    open_product = chosen, 0
            if open_product is not None:
                turn.product, turn.factor = open_product
                open_product = None if turn.emits else (turn.product, turn.factor + 1)
            self._add_sum(turn, number)
            turns.append(turn)
            if number > limit:
                raise ProgramError("operations wait for each other; a loop needs a copy")
        return turns

    def _add_sum(self, turn: Turn, number: int) -> None:
        if turn.emits:
            assert turn.product is not None
            self._emit(turn.product, number)
        if turn.emits and turn.product is not None and turn.product.signed:
            turn.sum = turn.product.signed
            self.ready.pop(turn.sum, None)
        else:
            chosen = self._best(number, Sum)
            if chosen is None:
                return
            assert isinstance(chosen, Sum)
            del self.ready[chosen]
            turn.sum = chosen
        turn.chained = turn.emits and any(value is turn.product for value in turn.sum.operands())
        assert not turn.chained or self.chains.get(turn.sum, number) == number
        self._emit(turn.sum, number)

    def _best(self, number: int, kind: type) -> Operation | None:
        candidates = [op for op, turn in self.ready.items()
                      if isinstance(op, kind) and op not in self.signed
                      and (turn <= number or self.chains.get(op) == number)]
        return max(candidates, key=self.weights.__getitem__, default=None)

    def _emit(self, operation: Operation, number: int) -> None:
        self.state.emitted[operation] = number
        self.left -= 1
        for follower in self.followers.get(operation, ()):
            self.missing[follower] -= 1
            if not self.missing[follower]:
                self.ready[follower] = self._earliest(follower)

    def _earliest(self, operation: Operation) -> int:
        """The first turn in which an operation may begin, given that all its operands are known;
        notes the turn in which a sum may use the emitted product."""
        known = [(edge, self.state.time(edge.source)) for edge in self.edges.of[operation]]
        times = [(edge, turn) for edge, turn in known if turn is not None]
        first = max([0, *(turn + edge.gap - edge.factor for edge, turn in times)])
        emitted = max([-1, *(turn for edge, turn in times if edge.chains)])
        others = max([0, *(turn + edge.gap for edge, turn in times
                           if not (edge.chains and turn == emitted))])
        if others <= emitted < first:
            self.chains[operation] = emitted
        return first


@dataclass
class _Spaced:
    """A program's sections, scheduled in sequence."""

    program: Program
    pace: Pace
    timing: Timing
    written: dict[Key, int] = field(default_factory=dict)
    """The turn of each write, relative to the section's first turn."""

    def run(self) -> list[list[Turn]]:
        sections = self.program.sections
        edges = [Edges(section, self.pace, self.timing) for section in sections]
        tails = self._tails(edges)
        turns: list[list[Turn]] = []
        for number, section in enumerate(sections):
            if section.count:
                body, entry = self._loop(section, edges[number], tails[number])
                self._fill(turns, section, entry)
                for variable in section.carried:
                    self.written[variable] = entry[variable]
                turns.append(body)
            else:
                turns.append(self._straight(section, edges[number], tails[number]))
            self._follow(section, turns[-1])
        return turns

    def _tails(self, edges: list[Edges]) -> list[dict[Value, int]]:
        """For each section's values, the turns that later sections and iterations need."""
        found: list[dict[Value, int]] = []
        later: dict[Value, int] = {}
        for section, waits in zip(reversed(self.program.sections), reversed(edges)):
            tails = dict(later)
            for _ in range(min(section.count, 4)):
                lengths = paths(section, waits, tails)
                for variable, result in zip(section.carried, section.results):
                    tails[result] = max(tails.get(result, 0), lengths.get(variable, 0))
            found.append(tails)
            lengths = paths(section, waits, tails)
            later = {key: length for key, length in lengths.items()
                     if isinstance(key, Value) and key not in section.operations}
            for variable in section.carried:
                later[variable.initial] = max(later.get(variable.initial, 0),
                                              lengths.get(variable, 0))
        return found[::-1]

    def _orders(self, section: Section, edges: Edges, tails: dict[Value, int]
                ) -> Iterator[dict[Operation, float]]:
        lengths, noise = paths(section, edges, tails), random.Random(0)
        for attempt in range(ATTEMPTS):
            spread = PATH_NOISE if attempt else 0
            yield {op: lengths[op] + spread * noise.random() for op in section.operations}

    def _straight(self, section: Section, edges: Edges, tails: dict[Value, int]) -> list[Turn]:
        best: list[Turn] = []
        best_end = 1 << 30
        for weights in self._orders(section, edges, tails):
            scheduler = _Scheduler(section, edges, self.written, weights)
            turns = scheduler.run()
            end = max([len(turns), *(turn + tails.get(key, 0)
                                     for key, turn in scheduler.state.emitted.items()
                                     if isinstance(key, Value))])
            if end < best_end:
                best, best_end = turns, end
        if section.halts_unless_zero:
            flagged = max(number for number, turn in enumerate(best)
                          if turn.sum is not None and turn.sum.keep.flag)
            last = flagged + self.pace.gap(self.timing, "sum_write", "flag_read")
            last += -last % self.pace.turns
            best += [Turn() for _ in range(last + 1 - len(best))]
            # No operation is in the same pair after the halt.
            best += [Turn() for _ in range(self.pace.turns - 1)]
        self._fill_pair(best)
        return best

    def _fill_pair(self, turns: list[Turn]) -> None:
        turns += [Turn() for _ in range(-len(turns) % self.pace.turns)]

    def _loop(self, section: Section, edges: Edges, tails: dict[Value, int]
              ) -> tuple[list[Turn], dict[Key, int]]:
        """The shortest body found, and the latest turns in which its variables must be written."""
        best: list[Turn] = []
        best_entry: dict[Key, int] = {}
        for weights in self._orders(section, edges, tails):
            entry: dict[Key, int] = dict(self.written)
            for variable in section.carried:
                entry[variable] = LONG_AGO
            for _ in range(ROUNDS):
                scheduler = _Scheduler(section, edges, entry, weights)
                turns = scheduler.run()
                self._fill_pair(turns)
                emitted = scheduler.state.emitted
                results = [(variable, emitted[result]) for variable, result
                           in zip(section.carried, section.results) if result is not variable]
                length = max([len(turns), *(turn - max(entry[variable], -len(turns))
                                            for variable, turn in results)])
                length += -length % self.pace.turns
                if entry[section.carried[0]] > LONG_AGO and (
                        not best or length < len(best)):
                    best = turns + [Turn() for _ in range(length - len(turns))]
                    best_entry = dict(entry)
                for variable, turn in results:
                    entry[variable] = turn - len(turns)
        return best, best_entry

    def _fill(self, turns: list[list[Turn]], section: Section, entry: dict[Key, int]) -> None:
        """Empty turns before a loop, so that its first iteration does not wait."""
        late = max([0, *(self.written.get(variable.initial, LONG_AGO) - entry[variable]
                         for variable in section.carried)])
        late += -late % self.pace.turns
        turns[-1] += [Turn() for _ in range(late)]
        self.written = {key: turn - late for key, turn in self.written.items()}

    def _follow(self, section: Section, turns: list[Turn]) -> None:
        for number, turn in enumerate(turns):
            if turn.emits and turn.product is not None:
                self.written[turn.product] = number
            if turn.sum is not None:
                self.written[turn.sum] = number
                self.written |= {place: number for place in turn.sum.keep.places()}
        for variable, result in zip(section.carried, section.results):
            if result is not variable:
                self.written[variable] = self.written[result]
        self.written = {key: turn - len(turns) for key, turn in self.written.items()}


def drop_unused(program: Program) -> None:
    """Removes the operations whose values are never read."""
    while True:
        used = {value for section in program.sections for value in section.uses()}
        unused = {operation for section in program.sections for operation in section.operations
                  if operation not in used and not (
                      isinstance(operation, Sum)
                      and (operation.output is not None or operation.keep != Keep()))}
        if not unused:
            return
        for section in program.sections:
            section.operations = [op for op in section.operations if op not in unused]


def schedule_spaced(program: Program, pace: Pace, timing: Timing) -> list[list[Turn]]:
    """The turns of each section of a program, in order, without unused operations."""
    drop_unused(program)
    return _Spaced(program, pace, timing).run()
