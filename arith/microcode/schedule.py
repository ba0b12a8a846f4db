# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List scheduling: packs the products and sums of one section into turns.

The rules are those of the instruction set. A result can be read from the next turn on, except that
a sum may use the product of the same turn (chaining). The products of one sum follow each other
without another product in between, since a context has one accumulator. A loop's result overwrites
its variable, so it waits until every read of the variable has had its turn.

The priority is the order in which the program names the operations: since the delay is one turn, a
chain of dependent products never leaves the multiplier idle, and the author can predict the result.
If that leaves many turns idle, orders by the longest path to the section's end are tried as well,
exact and with seeded noise, and the shortest schedule is kept.
"""

import random
from dataclasses import dataclass
from typing import Final, Iterator, Sequence

from arith.microcode.program import Operation, Product, ProgramError, Section, Sum, Value

IDLE_SHARE: Final = 50
"""Other orders are tried if more than one turn in this number is idle."""
ATTEMPTS: Final = 64
PATH_NOISE: Final = 3
"""Turns of noise on a path's length."""


@dataclass
class Turn:
    """The work of one instruction: factor number `factor` of `product`, and a sum."""

    product: Product | None = None
    factor: int = 0
    sum: Sum | None = None
    chained: bool = False
    """The sum reads this turn's product from the multiplier, not from a register."""

    @property
    def emits(self) -> bool:
        return self.product is not None and self.factor == len(self.product.factors) - 1


Read = tuple[Operation, int]
"""An operation, and for a product the number of the factor."""


def _reads_of(operation: Operation, value: Value) -> Iterator[Read]:
    if isinstance(operation, Sum):
        if value in operation.operands():
            yield operation, 0
        return
    for number, factor in enumerate(operation.factors):
        if value in factor:
            yield operation, number


class _Scheduler:
    def __init__(self, section: Section, priority: Sequence[Operation]) -> None:
        self.products = [op for op in priority if isinstance(op, Product)]
        self.sums = [op for op in priority if isinstance(op, Sum)]
        self.signed = {op.signed for op in self.products if op.signed}
        self.unwritten: set[Value] = set(section.operations)
        self.open_sum: tuple[Product, int] | None = None
        # For each loop result, the reads of its variable that are not done yet.
        self.reads_left: dict[Value, set[Read]] = {}
        for variable, result in section.replaced():
            reads = {read for op in section.operations for read in _reads_of(op, variable)}
            self.reads_left[result] = reads

    def run(self) -> list[Turn]:
        turns: list[Turn] = []
        while self.products or self.sums or self.open_sum:
            turn = Turn()
            self._pick_product(turn)
            self._pick_sum(turn)
            if turn.product is None and turn.sum is None:
                raise ProgramError("operations wait for each other; a loop needs a copy")
            if turn.emits:
                self.unwritten.discard(turn.product)
            if turn.sum is not None:
                self.unwritten.discard(turn.sum)
            turns.append(turn)
        return turns

    def _may_overwrite(self, operation: Operation) -> bool:
        """True if every read of the replaced variable is done, or is done by the operation
        itself."""
        return all(reader is operation for reader, _ in self.reads_left.get(operation, ()))

    def _has_read(self, operation: Operation, factor: int = 0) -> None:
        for reads in self.reads_left.values():
            reads.discard((operation, factor))

    def _pick_product(self, turn: Turn) -> None:
        if self.open_sum is None:
            for product in self.products:
                if self._is_ready(product) and self._may_overwrite(product):
                    self.open_sum = product, 0
                    self.products.remove(product)
                    break
        if self.open_sum is None:
            return
        turn.product, turn.factor = self.open_sum
        self.open_sum = None if turn.emits else (turn.product, turn.factor + 1)
        self._has_read(turn.product, turn.factor)

    def _is_ready(self, product: Product) -> bool:
        """True if the operands are available, and those of the sum that must use it in its own
        turn."""
        if any(value in self.unwritten for value in product.operands()):
            return False
        if any(sum_ in self.unwritten for lookup in product.lookups() for sum_ in lookup.after):
            return False
        taker = product.signed
        return taker is None or self._may_overwrite(taker) and not any(
            value in self.unwritten and value is not product for value in taker.operands())

    def _pick_sum(self, turn: Turn) -> None:
        if turn.emits and turn.product is not None and turn.product.signed:
            turn.sum, turn.chained = turn.product.signed, True
            self.sums.remove(turn.sum)
            self._has_read(turn.sum)
            return
        for candidate in self.sums:
            if candidate.after in self.unwritten:
                continue
            if any(operation in self.unwritten and not (turn.emits and operation is turn.product)
                   for operation in candidate.follows):
                continue
            if candidate in self.signed:
                continue
            missing = [value for value in candidate.operands() if value in self.unwritten]
            chained = turn.emits and missing == [turn.product]
            if (chained or not missing) and self._may_overwrite(candidate):
                turn.sum, turn.chained = candidate, chained
                self.sums.remove(candidate)
                self._has_read(candidate)
                return


def least_turns(section: Section) -> int:
    """The number of turns if only the slots limited them."""
    factors = sum(len(op.factors) for op in section.operations if isinstance(op, Product))
    return max(factors, sum(isinstance(op, Sum) for op in section.operations))


def _writers(operation: Operation) -> Iterator[Sum]:
    """The sums that write the words that the operation looks up."""
    if isinstance(operation, Product):
        for lookup in operation.lookups():
            yield from lookup.after


def path_lengths(section: Section) -> dict[Operation, int]:
    """Turns from the start of each operation to the end of its dependents."""
    lengths: dict[Value, int] = {}
    for operation in reversed(section.operations):
        own = len(operation.factors) if isinstance(operation, Product) else 1
        lengths[operation] = lengths.get(operation, 0) + own
        for value in (*operation.operands(), *_writers(operation)):
            lengths[value] = max(lengths.get(value, 0), lengths[operation])
    return {operation: lengths[operation] for operation in section.operations}


def schedule(section: Section) -> list[Turn]:
    """The turns of a section, in order."""
    best = _Scheduler(section, section.operations).run()
    target = least_turns(section)
    if (len(best) - target) * IDLE_SHARE <= target:
        return best
    lengths, noise = path_lengths(section), random.Random(0)
    for attempt in range(ATTEMPTS):
        spread = PATH_NOISE if attempt else 0
        weights = {op: length + spread * noise.random() for op, length in lengths.items()}
        turns = _Scheduler(section, sorted(weights, key=lambda op: -weights[op])).run()
        if len(turns) < len(best):
            best = turns
        if len(best) == target:
            break
    return best
