# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs for field_core, built out of values: sums of products, small linear sums, loops.

A program is a list of sections, each straight code or the body of a counted loop. Within a section
the order of the operations matters only as the scheduler's priority. Constants are field values
(the assembler puts them into Montgomery form); inside a loop a constant may be a sequence with one
value for each iteration.

    program = Program("square", modulus)
    (x,) = program.inputs(1)
    program.linear([(1, program.product(x, x))], output=0)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Callable, Iterator, Sequence

from arith.microcode import isa

Constant = int | Sequence[int]
"""A field value, or inside a loop one value for each iteration."""


class ProgramError(ValueError):
    """A program that field_core cannot run as it is written."""


@dataclass(eq=False)
class Value:
    """Something that lives in a register; `bank` says in which of the two."""

    bank: int


@dataclass(eq=False)
class Input(Value):
    """Word `index` of the job, loaded into S[index]."""

    index: int


@dataclass(eq=False)
class Carried(Value):
    """A variable of a loop: inside, its value at the start of an iteration; after it, the last."""

    initial: Value


@dataclass(frozen=True, eq=False)
class Lookup:
    """A second factor from the lookup slot: `kind` as isa.toml codes it; `number` of the window."""

    kind: int
    word: int
    scalar: int = 0
    number: int = 0
    after: tuple[Sum, ...] = ()
    """What the section has written to where it reads; the program fills this in."""


Factor = tuple[Value, "Value | Constant | Lookup"]


@dataclass(eq=False)
class Product(Value):
    """The reduced sum of the products of `factors`."""

    factors: list[Factor]
    high: bool = False
    """Not reduced: what is above 2^W, W being the core's width."""
    signed: Sum | None = None
    """The sum that takes the product with the sign of its lookup's digit, in the same turn."""

    def operands(self) -> Iterator[Value]:
        for a, b in self.factors:
            yield a
            if isinstance(b, Value):
                yield b

    def lookups(self) -> Iterator[Lookup]:
        return (b for _, b in self.factors if isinstance(b, Lookup))


@dataclass(frozen=True)
class Keep:
    """Where the lookup slot keeps a sum: a word of the table, a scalar, the flag (sum is 0)."""

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
    """coefficient * value over `terms` (at most three), plus a constant; perhaps also an output."""

    terms: list[tuple[int, Value]]
    constant: Constant | None
    output: int | None
    after: Value | None = None
    """Not before this value is there, though it is not read: what is early takes a register."""
    keep: Keep = Keep()
    follows: tuple[Operation, ...] = ()
    """Reads and writes of the places of `keep`; at the earliest in the turn of the last of them."""

    def operands(self) -> Iterator[Value]:
        return (value for _, value in self.terms)


Operation = Product | Sum
Place = tuple[str, int]
"""A word of the table or a scalar, by its number."""


def places_of(lookup: Lookup) -> list[Place]:
    """Where a lookup may read."""
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
    writers: dict[Place, Sum] = field(default_factory=dict)
    readers: dict[Place, list[Product]] = field(default_factory=dict)

    def uses(self) -> Iterator[Value]:
        """Every value that the section reads, with repetitions."""
        for operation in self.operations:
            yield from operation.operands()
        for variable in self.carried:
            yield variable.initial
        yield from self.results


class Program:
    """Builds the sections of one job's program."""

    def __init__(self, name: str, modulus: int) -> None:
        self.name = name
        self.modulus = modulus
        self.input_values: list[Input] = []
        self.sections = [Section()]
        self.output_count = 0

    def inputs(self, count: int) -> list[Value]:
        """The words of the job; their field values are word * 2^-W, as no conversion is done."""
        self.input_values = [Input(isa.BANK_S, index) for index in range(count)]
        return list(self.input_values)

    def products(self, factors: Sequence[Factor]) -> Value:
        """The sum of up to `max_products_per_sum` products, reduced once."""
        if not 1 <= len(factors) <= isa.LIMITS["max_products_per_sum"]:
            raise ProgramError(f"a sum of {len(factors)} products")
        result = Product(isa.BANK_P, [])
        result.factors = [(a, self._ordered(result, b) if isinstance(b, Lookup) else b)
                          for a, b in factors]
        self._append(result)
        return result

    def product(self, a: Value, b: Value | Constant | Lookup) -> Value:
        return self.products([(a, b)])

    def high(self, a: Value, b: Value | Constant) -> Value:
        """The product's part above 2^W, which has to be below the modulus."""
        result = Product(isa.BANK_P, [(a, b)], high=True)
        self._append(result)
        return result

    def signed(self, product: Value, terms: Sequence[tuple[int, Value]] = ()) -> Value:
        """A product with the sign of the digit by which its factor was looked up, and `terms`."""
        if not isinstance(product, Product) or len(product.factors) > 1 or not all(
                lookup.kind in (isa.LOOKUP_DIGIT, isa.LOOKUP_FIXED)
                for lookup in product.lookups()) or not any(product.lookups()):
            raise ProgramError("only a product with a digit's word has a sign")
        if product.signed:
            raise ProgramError("the sign of a product is there for one sum")
        result = self.linear([(1, product), *terms])
        assert isinstance(result, Sum)
        product.signed = result
        return result

    def linear(self, terms: Sequence[tuple[int, Value]], constant: Constant | None = None,
               output: int | None = None, after: Value | None = None, keep: Keep = Keep()) -> Value:
        """A sum of up to three small multiples and a constant.

        `output` names the job's word; the sum waits for `after`, a value of the same section;
        `keep` says where the lookup slot keeps it.
        """
        limit = isa.LIMITS["max_coefficient"]
        kept = [(coefficient, value) for coefficient, value in terms if coefficient]
        if len(kept) > 3 or any(abs(coefficient) > limit for coefficient, _ in kept):
            raise ProgramError(f"no add slot holds the coefficients {[c for c, _ in kept]}")
        if output is not None:
            self.output_count = max(self.output_count, output + 1)
        result = Sum(isa.BANK_S, kept, constant, output, after, keep)
        section = self.sections[-1]
        for place in keep.places():
            result.follows += tuple(section.readers.pop(place, ()))
            if place in section.writers:
                result.follows += (section.writers[place],)
            section.writers[place] = result
        self._append(result)
        return result

    def halt_unless_zero(self) -> None:
        """The job ends here, unless the sum last kept as the flag was zero."""
        if self.sections[-1].count or not self.sections[-1].operations:
            raise ProgramError("a halt needs straight code before it")
        self.sections[-1].halts_unless_zero = True
        self.sections.append(Section())

    def small_combination(self, terms: Sequence[tuple[int, Value]],
                          constant: Constant | None = None, output: int | None = None) -> Value:
        """A linear combination of any length and any small integers, spread over add slots."""
        limit = isa.LIMITS["max_coefficient"]
        pieces: list[tuple[int, Value]] = []
        for coefficient, value in terms:
            sign = -1 if coefficient < 0 else 1
            rest = abs(coefficient)
            while rest:
                pieces.append((sign * min(rest, limit), value))
                rest -= min(rest, limit)
        while len(pieces) > 3:
            pieces = [(1, self.linear(pieces[:3])), *pieces[3:]]
        return self.linear(pieces, constant, output)

    def loop(self, count: int, initial: Sequence[Value],
             body: Callable[[list[Value]], Sequence[Value]], digit_stride: int = 0) -> list[Value]:
        """Runs `body` count times on the carried values; returns them as the last time left them.

        The windows of lookups move by `digit_stride` each time.

        A result takes the register of the variable it replaces, so it must be of the same bank,
        and the initial values must be distinct and not used again after the loop.
        """
        if self.sections[-1].count:
            raise ProgramError("loops do not nest")
        if not 1 <= count <= isa.FIELDS["imm"].maximum:
            raise ProgramError(f"a loop of {count} iterations")
        if len(set(map(id, initial))) != len(initial):
            raise ProgramError("one value carried twice: copy it first")
        section = Section(count, carried=[Carried(value.bank, value) for value in initial],
                          digit_stride=digit_stride % (isa.LOOKUP_FIELDS["digit"].maximum + 1))
        self.sections.append(section)
        section.results = list(body(list(section.carried)))
        for variable, result in zip(section.carried, section.results, strict=True):
            if isinstance(result, Carried) and result is not variable:
                raise ProgramError("a variable moved to another place: unroll the loop or copy")
            if result.bank != variable.bank:
                raise ProgramError("a result and its variable are of different banks")
        self.sections.append(Section())
        return list(section.carried)

    def _ordered(self, product: Product, lookup: Lookup) -> Lookup:
        """The lookup, to come after what the section has written to where it may read."""
        section, places = self.sections[-1], places_of(lookup)
        for place in places:
            section.readers.setdefault(place, []).append(product)
        after = (section.writers[place] for place in places if place in section.writers)
        return replace(lookup, after=tuple(after))

    def _append(self, operation: Operation) -> None:
        self.sections[-1].operations.append(operation)
