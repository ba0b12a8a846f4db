# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs for field_core, built from values: sums of products, small linear sums, loops, calls.

A program is a list of sections, each straight code or the body of a counted loop. Within a section
the order of the operations is only the scheduler's priority. Constants are field values (the
assembler converts them to Montgomery form); in a loop a constant may be a sequence with one value
per iteration.

    program = Program("square", modulus)
    (x,) = program.inputs(1)
    program.linear([(1, program.product(x, x))], output=0)

In an image with frames a loop's body may have loops and calls. A subroutine is made once, and can
be called by any program of the image; the assembler copies its arguments and results where they
would be overwritten.

    square = program.subroutine("square", 1, lambda values: [program.product(values[0], values[0])])
    (y,) = program.loop(3, [x], lambda values: program.call(square, values))
"""

from contextlib import contextmanager
from dataclasses import replace
from typing import Callable, Iterator, Sequence

from arith.microcode import isa
from arith.microcode.values import (
    Call, Carried, Constant, Factor, Input, Item, Keep, Lookup, Loop, Operation, Parameter, Place,
    Product, ProgramError, Returned, Section, Subroutine, Sum, Value, made_in, places_of, used_in,
)

__all__ = [
    "Call", "Carried", "Constant", "Input", "Item", "Keep", "Lookup", "Loop", "Operation",
    "Parameter", "Place", "Product", "Program", "ProgramError", "Returned", "Section", "Subroutine",
    "Sum", "Value", "places_of",
]


class Program:
    """Builds the sections of one job's program."""

    def __init__(self, name: str, modulus: int) -> None:
        self.name = name
        self.modulus = modulus
        self.input_values: list[Input] = []
        self.items: list[Item] = [Section()]
        self._open = [self.items]
        """The lists of items to which code is appended, the innermost last."""
        self._in_subroutine = False
        self.output_count = 0

    @property
    def _section(self) -> Section:
        """The section to which operations are appended."""
        section = self._open[-1][-1]
        assert isinstance(section, Section)
        return section

    @property
    def flat(self) -> bool:
        """The program has one level of loops, and no calls."""
        return all(isinstance(item, Section) for item in self.items)

    @property
    def sections(self) -> list[Section]:
        """The sections of a flat program."""
        if not self.flat:
            raise ProgramError("only programs with one level of loops and no calls can do this")
        return [item for item in self.items if isinstance(item, Section)]

    def inputs(self, count: int) -> list[Value]:
        """The words of the job. Their field values are word * 2^-W, since no conversion is done."""
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
        """The part of the product above 2^W, which must be below the modulus."""
        result = Product(isa.BANK_P, [(a, b)], high=True)
        self._append(result)
        return result

    def signed(self, product: Value, terms: Sequence[tuple[int, Value]] = ()) -> Value:
        """A product with the sign of the digit that looked up its factor, plus `terms`."""
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

        `output` is the number of the output word; the sum waits for `after`, a value of the same
        section; `keep` tells the lookup slot where to store the sum.
        """
        limit = isa.LIMITS["max_coefficient"]
        kept = [(coefficient, value) for coefficient, value in terms if coefficient]
        if len(kept) > 3 or any(abs(coefficient) > limit for coefficient, _ in kept):
            raise ProgramError(f"no add slot holds the coefficients {[c for c, _ in kept]}")
        if output is not None and self._in_subroutine:
            raise ProgramError("a subroutine has results, no outputs")
        if output is not None:
            self.output_count = max(self.output_count, output + 1)
        result = Sum(isa.BANK_S, kept, constant, output, after, keep)
        section = self._section
        for place in keep.places():
            result.follows += tuple(section.readers.pop(place, ()))
            if place in section.writers:
                result.follows += (section.writers[place],)
            section.writers[place] = result
        self._append(result)
        return result

    def halt_unless_zero(self) -> None:
        """The job ends here, unless the last sum stored as the flag was zero."""
        if len(self._open) > 1 or self._section.count or not self._section.operations:
            raise ProgramError("a halt needs straight code before it")
        self._section.halts_unless_zero = True
        self.items.append(Section())

    def put_out(self, value: Value, index: int) -> None:
        """The value is word `index` of the result. A sum of this section needs no copy for it."""
        if isinstance(value, Sum) and value.output is None and value in self._section.operations:
            value.output = index
            self.output_count = max(self.output_count, index + 1)
        else:
            self.linear([(1, value)], output=index)

    def cut(self) -> None:
        """The following code is scheduled separately: none of its operations is moved up, where it
        would occupy registers."""
        self._open[-1].append(Section())

    def small_combination(self, terms: Sequence[tuple[int, Value]],
                          constant: Constant | None = None, output: int | None = None) -> Value:
        """A linear combination of any length with any small integers, spread over add slots."""
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
             body: Callable[[list[Value]], Sequence[Value]], digit_stride: int = 0,
             early: bool = False) -> list[Value]:
        """Runs `body` count times on the carried values; returns their final values.

        The windows of lookups move by `digit_stride` each time. With `early`, for a body without
        loops and calls, sums of only the carried values are carried as well: each iteration
        computes them for the next one, in parallel with products in flight, and the first ones are
        computed before the loop. So they occupy registers throughout.

        A result takes the register of the variable it replaces, so it must be of the same bank, and
        the initial values must be distinct and not used again after the loop. If the body has loops
        or calls, results that cannot be computed in that register are copied at its end.
        """
        if not 1 <= count <= isa.FIELDS["imm"].maximum:
            raise ProgramError(f"a loop of {count} iterations")
        initial = [self.linear([(1, value)]) if isinstance(value, (Returned, Parameter)) else value
                   for value in initial]
        if len(set(map(id, initial))) != len(initial):
            raise ProgramError("one value carried twice: copy it first")
        section = Section(count, carried=[Carried(value.bank, value) for value in initial],
                          digit_stride=digit_stride % (isa.LOOKUP_FIELDS["digit"].maximum + 1))
        variables = list(section.carried)
        with self._inside([section]) as items:
            results = list(body(list(variables)))
            if len(results) != len(variables):
                raise ProgramError(f"{len(results)} results of a loop, {len(variables)} variables")
            for variable, result in zip(variables, results):
                copied = len(items) > 1 and variable.bank == isa.BANK_S
                if result.bank != variable.bank and not copied:
                    raise ProgramError("a result and its variable are of different banks")
            stride = section.digit_stride
            if len(items) > 1:
                section.count, section.carried, section.digit_stride = 0, [], 0
                # Variables that change places are read before any is replaced.
                results = [self.linear([(1, result)]) if variable.bank == isa.BANK_S and (
                               result.bank == isa.BANK_P or isinstance(result, Carried)
                               and result is not _holder(items, variable)[0]) else result
                           for variable, result in zip(variables, results)]
                results = [self._settled(items, variable, result)
                           for variable, result in zip(variables, results)]
        if len(items) > 1:
            self._open[-1].append(Loop(count, variables, results, items, stride))
        else:
            if any(isinstance(result, Carried) and result is not variable
                   for variable, result in zip(variables, results)):
                raise ProgramError("a variable moved to another place: unroll the loop or copy")
            section.results = results
            if early:
                for sum_ in carry_early_sums(section):
                    self._append(sum_)
            self._open[-1].append(section)
        self._open[-1].append(Section())
        return list(variables)

    def _settled(self, items: list[Item], variable: Carried, result: Value) -> Value:
        """A result that is in the register of the variable at the end of these items."""
        holder, since = _holder(items, variable)
        if result is holder:
            return result
        section = next((item for item in items if isinstance(item, Section) and not item.count
                        and result in item.operations), None)
        if section is None or section.replaces.get(result) or items.index(section) <= since or any(
                holder in used_in(item) for item in items[items.index(section) + 1:]
        ) or section.waits_for(result, holder):
            if result.bank != isa.BANK_S:
                raise ProgramError("a result is not where its variable is: copy it by a product")
            result, section = self.linear([(1, result)]), self._section
        section.replaces[result] = holder
        return result

    def subroutine(self, name: str, inputs: int,
                   body: Callable[[list[Value]], Sequence[Value]]) -> Subroutine:
        """A subroutine: the result of `body` for this number of arguments, as code that programs
        can call.

        It may call other subroutines. It reads only its arguments and constants.
        """
        parameters = [Parameter(isa.BANK_S) for _ in range(inputs)]
        outside, self._in_subroutine = self._in_subroutine, True
        with self._inside([Section()]) as items:
            results = list(body(list(parameters)))
        self._in_subroutine = outside
        own = {*parameters, *(value for item in items for value in made_in(item))}
        if not own.issuperset([*results, *(value for item in items for value in used_in(item))]):
            raise ProgramError(f"the subroutine {name} reads a value that is not its own")
        return Subroutine(name, self.modulus, parameters, results, items)

    def call(self, subroutine: Subroutine, arguments: Sequence[Value]) -> list[Value]:
        """The results of a subroutine for these arguments."""
        if subroutine.modulus != self.modulus:
            raise ProgramError("the program and the subroutine have different moduli")
        if len(arguments) != len(subroutine.parameters):
            raise ProgramError(f"{len(arguments)} arguments of the subroutine {subroutine.name}, "
                               f"which has {len(subroutine.parameters)}")
        returned: dict[Value, Returned] = {}
        results = [returned.setdefault(result, Returned(result.bank))
                   for result in subroutine.results]
        self._open[-1] += [Call(subroutine, list(arguments), results), Section()]
        return list(results)

    @contextmanager
    def _inside(self, items: list[Item]) -> Iterator[list[Item]]:
        """Appends code to these items."""
        self._open.append(items)
        try:
            yield items
        finally:
            self._open.pop()

    def _ordered(self, product: Product, lookup: Lookup) -> Lookup:
        """The lookup, ordered after the section's writes to the places that it may read."""
        section, places = self._section, places_of(lookup)
        for place in places:
            section.readers.setdefault(place, []).append(product)
        after = (section.writers[place] for place in places if place in section.writers)
        return replace(lookup, after=tuple(after))

    def _append(self, operation: Operation) -> None:
        self._section.operations.append(operation)


def carry_early_sums(section: Section) -> list[Sum]:
    """Turns sums of only a loop's variables into variables too; returns the first ones, which must
    be computed before the loop."""
    variables: set[Value] = set(section.carried)
    moved: dict[Value, Carried] = {}
    before: dict[Value, Value] = {variable: variable.initial for variable in section.carried}
    behind: dict[Value, Value] = dict(zip(section.carried, section.results))
    made = set(section.operations)
    first: list[Sum] = []
    again: list[Sum] = []
    for operation in section.operations:
        if not isinstance(operation, Sum) or operation in section.results or (
                operation.output is not None or operation.keep != Keep() or operation.follows
                or operation.after is not None or not isinstance(operation.constant, int | None)):
            continue
        operands = list(operation.operands())
        if not variables.intersection(operands) or any(
                value in made and value not in moved for value in operands):
            continue
        for sums, places in ((first, before), (again, behind)):
            terms = [(coefficient, places.get(value, value))
                     for coefficient, value in operation.terms]
            sums.append(Sum(isa.BANK_S, terms, operation.constant, None))
            places[operation] = sums[-1]
        moved[operation] = Carried(isa.BANK_S, first[-1])
        variables.add(operation)
    section.operations = [operation for operation in section.operations if operation not in moved]
    for operation in section.operations:
        if isinstance(operation, Sum):
            operation.terms = [(coefficient, moved.get(value, value))
                               for coefficient, value in operation.terms]
        else:
            operation.factors = [(moved.get(a, a), moved.get(b, b) if isinstance(b, Value) else b)
                                 for a, b in operation.factors]
    section.operations += again
    section.carried += moved.values()
    section.results += again
    return first


def _holder(items: list[Item], variable: Carried) -> tuple[Value, int]:
    """The variable of a loop among these items that has taken over a variable's register, or that
    variable; and the number of that item."""
    holder, since = variable, -1
    for number, item in enumerate(items):
        for inner in item.carried if isinstance(item, (Section, Loop)) else ():
            if inner.initial is holder:
                holder, since = inner, number
    return holder, since
