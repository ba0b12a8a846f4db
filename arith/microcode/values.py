# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The parts of a program for field_core: values, the operations that compute them, and sections.

Values live in registers. A section is straight code, or the body of a loop without inner loops and
calls. Loops that contain loops or calls, subroutines and calls are between sections.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Sequence, Union

from arith.microcode import isa

class ProgramError(ValueError):
    """A program that field_core cannot run as written."""


Constant = Union[int, Sequence["Constant"]]
"""A field value, or in a loop one value per iteration. In nested loops it may be a sequence for
each iteration of the outer loop, and so on, the outermost first."""


@dataclass(eq=False)
class Value:
    """A value that lives in a register, in one of the two banks `bank`."""

    bank: int


@dataclass(eq=False)
class Input(Value):
    """Word `index` of the job, loaded into S[index]."""

    index: int


@dataclass(eq=False)
class Carried(Value):
    """A variable of a loop: its value at the start of an iteration, or after the loop the last
    value."""

    initial: Value


@dataclass(eq=False)
class Parameter(Value):
    """An argument of a subroutine, in a register of bank S that is reserved for the subroutine."""


@dataclass(eq=False)
class Returned(Value):
    """A result of a call, in the register where the subroutine left it."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """A second factor from the lookup slot: `kind` as isa.toml codes it; `number` of the window."""

    kind: int
    word: int
    scalar: int = 0
    number: int = 0
    after: tuple[Sum, ...] = ()
    """The section's earlier writes to the places that the lookup reads; the program fills this
    in."""


Factor = tuple[Value, "Value | Constant | Lookup"]


@dataclass(eq=False)
class Product(Value):
    """The reduced sum of the products of `factors`."""

    factors: list[Factor]
    high: bool = False
    """Not reduced: the part above 2^W, where W is the core's width."""
    signed: Sum | None = None
    """The sum that uses the product with the sign of its lookup's digit, in the same turn."""

    def operands(self) -> Iterator[Value]:
        for a, b in self.factors:
            yield a
            if isinstance(b, Value):
                yield b

    def lookups(self) -> Iterator[Lookup]:
        return (b for _, b in self.factors if isinstance(b, Lookup))


@dataclass(frozen=True)
class Keep:
    """The place of a sum in the lookup slot: a word of the table, a scalar, the flag (sum is 0)."""

    table: int | None = None
    scalar: int | None = None
    flag: bool = False

    def places(self) -> Iterator[tuple[str, int]]:
        if self.table is not None:
            yield "table", self.table
        if self.scalar is not None:
            yield "scalar", self.scalar


@dataclass(eq=False)
class Sum(Value):
    """coefficient * value over `terms` (at most three), plus a constant; optionally also an
    output."""

    terms: list[tuple[int, Value]]
    constant: Constant | None
    output: int | None
    after: Value | None = None
    """Waits for this value, though it is not read: early results occupy registers."""
    keep: Keep = Keep()
    follows: tuple[Operation, ...] = ()
    """Reads and writes of the places of `keep`; at the earliest in the turn of the last of them."""

    def operands(self) -> Iterator[Value]:
        return (value for _, value in self.terms)


Operation = Product | Sum
Place = tuple[str, int]
"""A word of the table or a scalar, by its number."""


def places_of(lookup: Lookup) -> list[Place]:
    """The places that a lookup may read."""
    if lookup.kind == isa.LOOKUP_WORD:
        return [("table", lookup.word)]
    if lookup.kind == isa.LOOKUP_DIGIT:
        rows = 1 << isa.LOOKUP_LIMITS["table_row_bits"]
        return [("scalar", lookup.scalar),
                *(("table", lookup.word + row) for row in range(rows))]
    return [("scalar", 2), ("scalar", 3)] if lookup.kind == isa.LOOKUP_FIXED else []


@dataclass(eq=False)
class Section:
    """Straight code (count 0) or a loop's body, with the variables it carries and their results."""

    count: int = 0
    operations: list[Operation] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)
    digit_stride: int = 0
    halts_unless_zero: bool = False
    """The job is done after this section, unless the flag is set."""
    replaces: dict[Value, Value] = field(default_factory=dict)
    """Results of an enclosing loop, with the variables whose registers they take: these are read
    before."""
    writers: dict[Place, Sum] = field(default_factory=dict)
    readers: dict[Place, list[Product]] = field(default_factory=dict)

    def uses(self) -> Iterator[Value]:
        """Every value that the section reads, with repetitions."""
        for operation in self.operations:
            yield from operation.operands()
        for variable in self.carried:
            yield variable.initial
        yield from self.results

    def replaced(self) -> Iterator[tuple[Value, Value]]:
        """The variable whose register a result of the section takes, and that result."""
        for variable, result in zip(self.carried, self.results):
            if result is not variable:
                yield variable, result
        for result, holder in self.replaces.items():
            yield holder, result

    def waits_for(self, result: Value, variable: Value) -> bool:
        """True if a read of the variable waits for the result, which then cannot replace it."""
        waiting: list[Value] = [
            operation for operation in self.operations
            if operation is not result and variable in operation.operands()]
        seen: set[Value] = set()
        while waiting:
            value = waiting.pop()
            if value is result:
                return True
            if value in seen or not isinstance(value, (Product, Sum)):
                continue
            seen.add(value)
            waiting += value.operands()
            if isinstance(value, Sum):
                waiting += value.follows
            else:
                waiting += (sum_ for lookup in value.lookups() for sum_ in lookup.after)
            if value in self.replaces:
                waiting += (operation for operation in self.operations
                            if self.replaces[value] in operation.operands())
        return False


@dataclass(eq=False)
class Loop:
    """A loop that contains loops or calls; any other loop is a section."""

    count: int
    carried: list[Carried]
    results: list[Value]
    items: list[Item]
    digit_stride: int = 0


@dataclass(eq=False)
class Subroutine:
    """Code that programs call. It has its own registers while it runs."""

    name: str
    modulus: int
    parameters: list[Parameter]
    results: list[Value]
    items: list[Item]


@dataclass(eq=False)
class Call:
    """A call of the subroutine with `arguments`, between two sections of straight code."""

    subroutine: Subroutine
    arguments: list[Value]
    results: list[Returned]


Item = Union[Section, Loop, Call]


def used_in(item: Item) -> Iterator[Value]:
    """Every value that an item reads, with repetitions."""
    if isinstance(item, Section):
        yield from item.uses()
    elif isinstance(item, Call):
        yield from item.arguments
    else:
        for variable in item.carried:
            yield variable.initial
        for inner in item.items:
            yield from used_in(inner)
        yield from item.results


def made_in(item: Item) -> Iterator[Value]:
    """Every value that an item makes."""
    if isinstance(item, Section):
        yield from item.operations
        yield from item.carried
    elif isinstance(item, Call):
        yield from item.results
    else:
        yield from item.carried
        for inner in item.items:
            yield from made_in(inner)
