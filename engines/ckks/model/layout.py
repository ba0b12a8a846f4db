# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The places of residues in a vector of banks, such that every pass of a transform uses each bank
once.

A limb of N = 2^n residues fills R = N/L rows of L = 2^l banks. Residue i is in row i >> l, in bank
(i mod L) xor fold(row): fold adds up (xor) the row's groups of l bits. A pass of a transform of
radix 2^k covers k bits of the index, in which the residues of a butterfly differ, at most l bits in
total. Let T be the bank's bits that these bits move: a lane's bit moves itself, a row's bit j the
bank's j mod l. No two neighboring bits move the same bit, so that the L residues of a clock can be
chosen to lie in all banks: the bank's bits in T give the place in the butterfly, the others the
butterfly.

Two consequences make the hardware small. The place in the butterfly is the bank's bits in T xor a
number x that is the same for all banks in a clock: each butterfly only selects the order of its
inputs, without a network. And an address differs from the clock's counter only in the row's bits of
the pass: it is the counter xor the bank's bits in T.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


def bits_of(value: int, places: tuple[int, ...]) -> int:
    """Returns the bits at these places, the first one lowest."""
    return sum((value >> place & 1) << number for number, place in enumerate(places))


def spread(value: int, places: tuple[int, ...]) -> int:
    """The inverse: bit `number` of the value moves to its place."""
    return sum((value >> number & 1) << place for number, place in enumerate(places))


@dataclass(frozen=True)
class Access:
    """The addresses of a pass in one clock: bank b holds the residue of port `port(b)` of a
    butterfly."""

    row: tuple[int, ...]
    """The address of each bank."""
    swap: int
    """x: a bank's bits in T xor x are its place in the butterfly."""


@dataclass(frozen=True)
class Layout:
    """log2 of N and of the banks."""

    log_degree: int
    log_lanes: int

    @property
    def lanes(self) -> int:
        return 1 << self.log_lanes

    @property
    def rows(self) -> int:
        return 1 << self.log_degree - self.log_lanes

    def fold(self, row: int) -> int:
        """Returns the number that is added to the lanes of a row."""
        folded = 0
        while row:
            folded ^= row & self.lanes - 1
            row >>= self.log_lanes
        return folded

    def bank(self, index: int) -> tuple[int, int]:
        """Returns bank and row of a residue."""
        row = index >> self.log_lanes
        return index & self.lanes - 1 ^ self.fold(row), row

    def index(self, bank: int, row: int) -> int:
        return row << self.log_lanes | bank ^ self.fold(row)

    def passes(self, log_radix: int) -> list[Pass]:
        """The passes of a forward transform, the index's highest bits first. They are aligned from
        the lowest bit, so that the first one may have fewer bits."""
        if not 1 <= log_radix <= self.log_lanes:
            raise ValueError(f"a radix of 2^{log_radix} with 2^{self.log_lanes} lanes")
        lows = range(0, self.log_degree, log_radix)
        return [Pass(self, low, min(log_radix, self.log_degree - low)) for low in reversed(lows)]


@dataclass(frozen=True)
class Pass:
    """The bits `low` to `low + width - 1` of the index."""

    layout: Layout
    low: int
    width: int

    @cached_property
    def row_bits(self) -> tuple[int, ...]:
        """The pass's bits of the row, counted from its lowest bit."""
        lanes = self.layout.log_lanes
        return tuple(bit - lanes for bit in range(self.low, self.low + self.width) if bit >= lanes)

    @cached_property
    def bank_bits(self) -> tuple[int, ...]:
        """T: for each bit of the pass, the bank's bit that it moves."""
        lanes = self.layout.log_lanes
        return tuple(bit if bit < lanes else (bit - lanes) % lanes
                     for bit in range(self.low, self.low + self.width))

    @cached_property
    def unit_bits(self) -> tuple[int, ...]:
        """The bank's other bits, which give the butterfly."""
        return tuple(bit for bit in range(self.layout.log_lanes) if bit not in self.bank_bits)

    def access(self, counter: int) -> Access:
        """Returns the addresses in the clock of this number, from 0 to R - 1."""
        layout, lanes_of_pass = self.layout, self.width - len(self.row_bits)
        mask = spread((1 << len(self.row_bits)) - 1, self.row_bits)
        folded = bits_of(layout.fold(counter & ~mask), self.bank_bits)
        # The counter's bits in the row's places choose the lanes where the rows vary.
        swap = folded ^ bits_of(counter, self.row_bits) << lanes_of_pass
        rows = []
        for bank in range(layout.lanes):
            place = bits_of(bank, self.bank_bits) ^ swap
            rows.append(counter & ~mask | spread(place >> lanes_of_pass, self.row_bits))
        return Access(tuple(rows), swap)
