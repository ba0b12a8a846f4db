# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The lookup slot of the simulator: a context's table and scalars, and the digits of the scalars.

The bits of a scalar are signs of powers of two, so a window of them is an odd digit: never zero,
and negated by complementing its bits. isa.toml has the encoding.
"""

from dataclasses import dataclass, field
from typing import Final, Sequence

from arith.microcode import isa
from arith.microcode.isa import Instruction

WINDOW_BITS: Final = isa.LOOKUP_LIMITS["window_bits"]
WINDOWS: Final = isa.LOOKUP_LIMITS["windows"]
SCALAR_BITS: Final = WINDOW_BITS * WINDOWS
ROWS: Final = 1 << isa.LOOKUP_LIMITS["table_row_bits"]
"""The rows of a context's table among which a digit selects."""
JOINT_ROWS: Final = ROWS << WINDOW_BITS
JOINT_SCALARS: Final = (2, 3)
DIGIT_MODULUS: Final = 1 << isa.LOOKUP_FIELDS["digit"].width


class MissingWord(RuntimeError):
    """A lookup of a word that was never written, or does not exist."""


@dataclass(frozen=True)
class Digit:
    """The sign of a digit and the row of its absolute value."""

    negative: bool
    row: int


def scalar_of(total: int) -> int:
    """The bits of a sum that a scalar stores."""
    return total >> 1 & (1 << SCALAR_BITS) - 1


def window(scalar: int, number: int) -> int:
    return scalar >> WINDOW_BITS * number & (1 << WINDOW_BITS) - 1


def digit(bits: int) -> Digit:
    """The digit of a window."""
    negative = not bits >> (WINDOW_BITS - 1)
    return Digit(negative, (bits ^ -negative) & ROWS - 1)


def joint_digit(first: int, second: int) -> Digit:
    """The digit of two windows, whose sign is the first's."""
    high = digit(first)
    low = (second ^ -high.negative) & (1 << WINDOW_BITS) - 1
    return Digit(high.negative, high.row << WINDOW_BITS | low)


@dataclass
class Lookups:
    """A context's part of the lookup slot."""

    fixed: Sequence[int]
    table: dict[int, int] = field(default_factory=dict)
    scalars: dict[int, int] = field(default_factory=dict)
    flag: bool = False

    def digit(self, fields: Instruction) -> Digit | None:
        """The digit of a turn, if it has one; its number is absolute."""
        if fields["lookup"] not in (isa.LOOKUP_DIGIT, isa.LOOKUP_FIXED):
            return None
        number = fields["digit"]
        if number >= WINDOWS:
            raise MissingWord(f"no window {number}")
        if fields["lookup"] == isa.LOOKUP_DIGIT:
            return digit(window(self._scalar(fields["digit_scalar"]), number))
        first, second = (window(self._scalar(index), number) for index in JOINT_SCALARS)
        return joint_digit(first, second)

    def operand(self, fields: Instruction, chosen: Digit | None) -> int:
        """The second factor of a turn with a lookup and this digit."""
        word = fields["table_word"]
        if fields["lookup"] == isa.LOOKUP_FIXED:
            assert chosen is not None
            if word > 1 or 2 * chosen.row >= len(self.fixed):
                raise MissingWord(f"no word {word} in row {chosen.row} of the fixed table")
            return self.fixed[2 * chosen.row + word]
        word += chosen.row if chosen else 0
        if word not in self.table:
            raise MissingWord(f"word {word} of the table read before it is written")
        return self.table[word]

    def write(self, fields: Instruction, total: int) -> None:
        """Stores the turn's sum."""
        if fields["table_write"]:
            self.table[fields["table_dst"]] = total
        if fields["scalar_write"]:
            self.scalars[fields["scalar_dst"]] = scalar_of(total)
        if fields["flag_write"]:
            self.flag = total == 0

    def _scalar(self, index: int) -> int:
        if index not in self.scalars:
            raise MissingWord(f"scalar {index} read before it is written")
        return self.scalars[index]
