# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a field_core is built with: instruction words, constants and the entries of its programs.

A core reduces modulo its prime in one of two ways. Montgomery's: a product is a*b * 2^-256, and
values are kept as value * 2^256. Folding, where 2^256 is a short number modulo the prime: a product
is a*b, and values are kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator

from arith.microcode import isa
from arith.microcode.isa import Instruction

MONTGOMERY_BITS = 256
"""Residues are kept as value * 2^256 mod Modulus, unless the image folds."""


def to_montgomery(value: int, modulus: int) -> int:
    """The register contents that stand for a field value, where reduction is Montgomery's."""
    return (value << MONTGOMERY_BITS) % modulus


@dataclass(frozen=True)
class Entry:
    """A program of an image: where it starts, how many words a job has and its result has."""

    name: str
    pc: int
    inputs: int
    outputs: int
    instance: int = 0
    """The code by which requests on the wire name this program."""


@dataclass
class Image:
    """The ROMs of one field_core; constants are in Montgomery form."""

    modulus: int
    register_bits: int = 3
    words: list[int] = field(default_factory=list)
    mul_constants: list[int] = field(default_factory=list)
    add_constants: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    sum_reads: set[tuple[int, int]] = field(default_factory=set)
    """(operand of the add slot, bank) wherever a sum reads: each pair costs a copy of the bank."""
    folds: bool = False
    """Values are kept as they are, without Montgomery's factor."""
    lookups: bool = False
    """The core has the lookup slot."""
    fixed_table: list[int] = field(default_factory=list)
    """Two words for each row of the joint digits."""

    def register_value(self, value: int) -> int:
        """The register contents that stand for a field value."""
        return value % self.modulus if self.folds else to_montgomery(value, self.modulus)

    def decoded(self) -> Iterator[Instruction]:
        """The instructions, with the fields of the lookup slot, which are 0 without a lookup."""
        absent = {} if self.lookups else dict.fromkeys(isa.LOOKUP_FIELDS, 0)
        return (isa.decode(word, self.lookups) | absent for word in self.words)

    def entry(self, name: str) -> Entry:
        return next(entry for entry in self.entries if entry.name == name)


@dataclass
class Counts:
    """What a job used: turns of its context, and in how many of them each slot worked."""

    turns: int = 0
    products: int = 0
    reductions: int = 0
    sums: int = 0

    @property
    def utilisation(self) -> float:
        """The share of turns that carry a product."""
        return self.products / self.turns
