# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The card's transforms, bank by bank: the passes, swaps and factors that the hardware has.

Forward: coefficients in order to values in bit-reversed order, where place i is the value at
psi^(2*rev(i) + 1); the stage with m groups multiplies group g by psi^rev(m + g) (Longa, Naehrig,
"Speeding up the number theoretic transform", CANS 2016). Inverse: the opposite, without the
division by N, which the compiler folds into an existing factor.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.ckks.model.layout import Layout, Pass, spread

Banks = list[list[int]]
"""The rows of each bank."""


def reversed_bits(value: int, count: int) -> int:
    return int(f"{value:0{count}b}"[::-1], 2) if count else 0


def root_of(prime: int, log_order: int) -> int:
    """Returns a root of unity of the order 2^log_order: the power of the smallest base that has
    one."""
    exponent = prime - 1 >> log_order
    return next(root for base in range(2, prime)
                if pow(root := pow(base, exponent, prime), 1 << log_order - 1, prime) == prime - 1)


def factors(prime: int, root: int, log_degree: int) -> list[int]:
    """Factor m + g of group g of the stage with m groups; number 0 is not used."""
    return [pow(root, reversed_bits(place, log_degree), prime) for place in range(1 << log_degree)]


def store(layout: Layout, values: Sequence[int]) -> Banks:
    banks = [[0] * layout.rows for _ in range(layout.lanes)]
    for index, value in enumerate(values):
        bank, row = layout.bank(index)
        banks[bank][row] = value
    return banks


def load(layout: Layout, banks: Banks) -> list[int]:
    return [banks[bank][row] for bank, row in map(layout.bank, range(1 << layout.log_degree))]


def factor_place(part: Pass, unit: int, port: int, access_row: int, swap: int, bit: int) -> int:
    """The number of the factor at a butterfly's port, for the stage on this bit of the pass."""
    layout = part.layout
    bank = spread(unit, part.unit_bits) | spread(port, part.bank_bits)
    index = layout.index(bank, access_row)
    place = part.low + bit
    assert index >> part.low & (1 << part.width) - 1 == port ^ swap
    return (1 << layout.log_degree - 1 - place) + (index >> place + 1)


def run_pass(part: Pass, banks: Banks, stages: Sequence[int],
             butterfly: Callable[[int, int, int], tuple[int, int]]) -> None:
    """Runs a pass, clock by clock: reads a word of each bank, does the stages, writes the words
    back.

    `butterfly` takes the inputs whose bit is 0 and 1, and the number of the factor.
    """
    layout = part.layout
    for counter in range(layout.rows):
        access = part.access(counter)
        words = [banks[bank][access.row[bank]] for bank in range(layout.lanes)]
        for unit in range(1 << len(part.unit_bits)):
            here = [spread(unit, part.unit_bits) | spread(port, part.bank_bits)
                    for port in range(1 << part.width)]
            for bit in stages:
                for port in range(1 << part.width):
                    if port >> bit & 1:
                        continue
                    # The port whose place in the butterfly has the bit 0 comes first.
                    first, second = port, port | 1 << bit
                    if access.swap >> bit & 1:
                        first, second = second, first
                    number = factor_place(part, unit, first, access.row[here[first]], access.swap,
                                          bit)
                    words[here[first]], words[here[second]] = butterfly(
                        words[here[first]], words[here[second]], number)
        for bank in range(layout.lanes):
            banks[bank][access.row[bank]] = words[bank]


def forward(layout: Layout, log_radix: int, banks: Banks, prime: int, table: Sequence[int]) -> None:
    def butterfly(a: int, b: int, number: int) -> tuple[int, int]:
        product = b * table[number] % prime
        return (a + product) % prime, (a - product) % prime

    for part in layout.passes(log_radix):
        run_pass(part, banks, range(part.width - 1, -1, -1), butterfly)


def inverse(layout: Layout, log_radix: int, banks: Banks, prime: int, table: Sequence[int]) -> None:
    """`table` belongs to the inverse of the root. The result is N times too large."""
    def butterfly(a: int, b: int, number: int) -> tuple[int, int]:
        return (a + b) % prime, (a - b) * table[number] % prime

    for part in reversed(layout.passes(log_radix)):
        run_pass(part, banks, range(part.width), butterfly)


def shared_factors(part: Pass) -> bool:
    """Returns whether all butterflies of a clock have the same factors: no lane lies above the
    pass."""
    return part.low + part.width >= part.layout.log_lanes


@dataclass(frozen=True)
class Entry:
    """A line of the factor memory, for all butterflies (unit None) or for one, with its place."""

    unit: int | None
    place: int
    words: tuple[int, ...]


def entries(layout: Layout, log_radix: int, prime: int, table: Sequence[int], row_bits: int
            ) -> list[Entry]:
    """Returns the content of the factor memory for a prime and direction (ckks_factors.sv).

    Word 2^(k-1-t) + j of an entry is the factor of bit t at the ports whose bits above are j, times
    2^34. `row_bits` is the hardware's number of bits of a row.
    """
    k, degree_bits, lane_bits = log_radix, layout.log_degree, layout.log_lanes

    def words(part: Pass, index: int) -> tuple[int, ...]:
        """Returns the entry of the butterfly whose residues have the bits of `index` outside the
        pass."""
        found = [0] * (1 << k)
        for bit in range(k):
            for above in range(1 << k - 1 - bit):
                factor = 1
                if bit < part.width:
                    # A pass with fewer bits ignores the other bits of the ports.
                    port = above << bit + 1 & (1 << part.width) - 1
                    place = part.low + bit
                    number = (index | port << part.low) >> place + 1
                    factor = table[(1 << degree_bits - 1 - place) + number]
                found[(1 << k - 1 - bit) + above] = (factor << 34) % prime
        return tuple(found)

    found = []
    for number, part in enumerate(reversed(layout.passes(k))):
        above = part.low + part.width
        if (number + 1) * k >= lane_bits:
            for block in range(1 << degree_bits - above):
                found.append(Entry(None, (1 << degree_bits - above) + block,
                                   words(part, block << above)))
            continue
        for row in range(layout.rows):
            for unit in range(1 << len(part.unit_bits)):
                index = layout.index(spread(unit, part.unit_bits), row)
                index &= ~((1 << part.width) - 1 << part.low)
                found.append(Entry(unit, number << row_bits | row, words(part, index)))
    return found
