# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Estimates the savings of a wider core: counts of a program's slots, not schedules.

Such a core accepts factors r + s, r - s, 2r and -r of two registers, unreduced, and has a second
accumulator, to which the same product may be added with either sign. Then
- a sum of that form that only products read costs nothing;
- Karatsuba's three sums of products become two, as both parts are accumulated while the products
  come: m_0 - m_1 and m_2 - m_0 - m_1 cost no sum if only they read the m's. """

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as choices

from arith.microcode.program import Product, Program, Sum, Value

Readers = dict[Value, list["Sum | Product"]]


@dataclass(frozen=True)
class Slots:
    """The slots of each kind that a program needs."""

    products: int
    reductions: int
    sums: int

    def turns(self, add_slots: int = 1) -> int:
        """A lower bound of the turns with `add_slots` add slots per turn."""
        return max(self.products, -(-self.sums // add_slots))


def least_turns(alternatives: Sequence[Sequence[Slots]], add_slots: int = 1) -> int:
    """A lower bound of the turns of operations that are scheduled together, with one of its
    alternatives for each operation."""
    return min(
        Slots(sum(slots.products for slots in chosen), 0, sum(slots.sums for slots in chosen)
              ).turns(add_slots)
        for chosen in choices(*alternatives))


def slots_of(program: Program) -> Slots:
    """The slots of straight-line code on the current core."""
    (section,) = program.sections
    products = [op for op in section.operations if isinstance(op, Product)]
    return Slots(sum(len(op.factors) for op in products), len(products),
                 sum(isinstance(op, Sum) for op in section.operations))


def slots_of_wider(program: Program) -> Slots:
    """The slots of straight-line code on the wider core."""
    (section,) = program.sections
    readers: Readers = defaultdict(list)
    for operation in section.operations:
        for value in operation.operands():
            readers[value].append(operation)
    sums = [op for op in section.operations if isinstance(op, Sum)]
    factors = {op for op in sums if _is_factor(op, readers)}
    pairs = [pair for op in sums if (pair := _karatsuba(op, readers)) is not None]
    saved = factors.union(*pairs) if pairs else factors
    today = slots_of(program)
    return Slots(today.products, today.reductions - len(pairs), today.sums - len(saved))


def _is_factor(total: Sum, readers: Readers) -> bool:
    """Returns True for a sum r ± s, 2r or -r that only products read."""
    sizes = sorted(abs(coefficient) for coefficient, _ in total.terms)
    return (sizes in ([1], [2], [1, 1]) and total.constant is None and total.output is None
            and bool(readers[total]) and all(isinstance(op, Product) for op in readers[total]))


def _karatsuba(total: Sum, readers: Readers) -> set[Sum] | None:
    """Returns the two sums of a pair m_0 - m_1 and m_2 - m_0 - m_1, given the first."""
    if [coefficient for coefficient, _ in total.terms] != [1, -1] or total.constant is not None:
        return None
    (_, first), (_, second) = total.terms
    both = set(readers[first]) & set(readers[second]) - {total}
    if not isinstance(first, Product) or not isinstance(second, Product) or len(both) != 1:
        return None
    (other,) = both
    if not isinstance(other, Sum) or len(other.terms) != 3:
        return None
    coefficients = {value: coefficient for coefficient, value in other.terms}
    (third,) = set(coefficients) - {first, second}
    alone = (set(readers[first]) == set(readers[second]) == {total, other}
             and readers[third] == [other] and isinstance(third, Product))
    signs = (coefficients[first], coefficients[second], coefficients[third])
    return {total, other} if alone and signs == (-1, -1, 1) else None
