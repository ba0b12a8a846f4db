# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The contents of a field_core: instruction words, constants and the entries of its programs.

A core of width W reduces modulo its prime in one of two ways. Montgomery: a product is a*b * 2^-W,
and values are stored as value * 2^W. Folding, if 2^W is a short number modulo the prime: a product
is a*b, and values are stored unchanged.
"""

from dataclasses import dataclass, field
from typing import Iterator

from arith.microcode import isa
from arith.microcode.isa import Instruction
from arith.microcode.paced import Orders
from arith.microcode.timing import Latencies, Pace
from arith.microcode.values import Subroutine

MONTGOMERY_BITS = 256
"""The default width of a core: residues are stored as value * 2^256 mod Modulus."""


def to_montgomery(value: int, modulus: int, width: int = MONTGOMERY_BITS) -> int:
    """The register contents that represent a field value, with Montgomery reduction."""
    return (value << width) % modulus


@dataclass(frozen=True)
class Entry:
    """A program of an image: its start, and the numbers of words of a job and of its result."""

    name: str
    pc: int
    inputs: int
    outputs: int
    instance: int = 0
    """The code that names this program in requests on the wire."""
    quick_of: str = ""
    """The program that this one replaces; its turns have the image's pace."""
    goes_on: int | None = None
    """Where a job continues if its first conditional halt is not taken."""

    @property
    def quick(self) -> bool:
        return bool(self.quick_of)


@dataclass(frozen=True)
class PlacedSubroutine:
    """A subroutine in an image: its first instruction, the operands {bank, index} of its arguments
    and results, and all registers that a call writes."""

    pc: int
    parameters: tuple[int, ...]
    results: tuple[int, ...]
    written: frozenset[int]


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
    """(operand of the add slot, bank) for each read of a sum: each pair costs a copy of the
    bank."""
    folds: bool = False
    """Values are stored unchanged, without Montgomery's factor."""
    lookups: bool = False
    """The core has the lookup slot."""
    fixed_table: list[int] = field(default_factory=list)
    """Two words for each row of the joint digits."""
    frames: int = 0
    """The maximum number of nested loops and calls of a context, besides an outermost loop. If it
    is not 0, the core has the sequence slot."""
    width: int = MONTGOMERY_BITS
    """Bits of a register; with Montgomery's reduction a multiple of its digits, 64 bits."""
    pace: Pace | None = None
    """The pace of the quick programs, if there are any."""
    quick_entries: list[Entry] = field(default_factory=list)
    """The programs that jobs of `entries` run in a context whose turns overlap."""
    paced: Latencies | None = None
    """The core has the pace slot, and latencies that are at most these."""
    orders: Orders = field(default_factory=Orders)
    """The order of operations in the sections of paced programs."""
    subroutines: dict[Subroutine, PlacedSubroutine] = field(default_factory=dict)
    """The subroutines that programs have called, each once."""

    def quick_entry(self, entry: Entry) -> Entry | None:
        """The quick program that replaces this one."""
        return next((quick for quick in self.quick_entries if quick.quick_of == entry.name), None)

    def register_bits_of(self, entry: Entry) -> int:
        """Log2 of the registers of a bank that a job of this program has."""
        return self.pace.register_bits if entry.quick and self.pace else self.register_bits

    def register_value(self, value: int) -> int:
        """The register contents that represent a field value."""
        if self.folds:
            return value % self.modulus
        return to_montgomery(value, self.modulus, self.width)

    def decoded(self) -> Iterator[Instruction]:
        """The instructions, with the fields of all slots, which are 0 if the core does not have
        them. An address is the whole `imm`."""
        every = dict.fromkeys(isa.fields_of(True, True, True), 0)
        del every["upper"]
        for word in self.words:
            fields = isa.decode(word, self.lookups, self.sequence, self.paced is not None)
            fields["imm"] += fields.pop("upper", 0) << isa.FIELDS["imm"].width
            yield every | fields

    @property
    def sequence(self) -> bool:
        """The core has the sequence slot."""
        return self.frames > 0

    @property
    def word_bits(self) -> int:
        return isa.word_bits(self.lookups, self.sequence, self.paced is not None)

    def encode(self, instruction: Instruction) -> int:
        """The word of an instruction, with the slots of the core."""
        low = isa.FIELDS["imm"].width
        if self.paced is not None and instruction.get("imm", 0) >> low:
            instruction = instruction | {"imm": instruction["imm"] & (1 << low) - 1,
                                         "upper": instruction["imm"] >> low}
        return isa.encode(instruction, self.lookups, self.sequence, self.paced is not None)

    @property
    def address_bits(self) -> int:
        """The number of bits of an instruction's address."""
        return isa.FIELDS["imm"].width + (isa.PACE_FIELDS["upper"].width if self.paced else 0)

    def entry(self, name: str) -> Entry:
        return next(entry for entry in (*self.entries, *self.quick_entries)
                    if entry.name == name)


@dataclass
class Counts:
    """The resources of a job: the turns of its context, and the number of turns in which each slot
    worked."""

    turns: int = 0
    products: int = 0
    reductions: int = 0
    sums: int = 0
    clocks: int = 0
    """For a quick or paced program: the clocks from the issue of its first turn to the last
    write."""

    @property
    def utilization(self) -> float:
        """The share of turns that carry a product."""
        return self.products / self.turns
