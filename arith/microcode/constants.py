# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lays out the constants of sections and nested loops in the tables of an image.

A loop's constants are in rows, one row per iteration, and the loop's stride is the length of a row.
A row of a loop contains the rows of its inner loops after its own constants: the bases of an inner
loop start with the values of the outer loop, so the inner loop sees the outer loop's current row. A
loop whose constants never change has one row, and its stride is 0; if that is true from the
outermost loop down, the constants are single words, shared with all other code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence

from arith.microcode import isa
from arith.microcode.image import Image
from arith.microcode.values import Constant, ProgramError


class Constants:
    """The constants of one section in one table, used in the order in which they were named.

    Existing words of the table are reused: single words, or a loop's rows as a whole. A loop whose
    constants never change needs no rows, and its stride is 0.
    """

    def __init__(self, table: list[int], image: Image, count: int, named: Sequence[Constant]
                 ) -> None:
        self.stride = 0
        self.addresses: Iterator[int]
        """The addresses of the constants, in a loop's first iteration."""
        self._table = table
        self._register_value = image.register_value
        alike = [constant for constant in named if isinstance(constant, int)]
        if len(alike) < len(named):
            self.addresses = self._lay_out_rows(count, named)
        else:
            self.addresses = _lay_out_words(table, [self._register_value(c) for c in alike])

    def _lay_out_rows(self, count: int, named: Sequence[Constant]) -> Iterator[int]:
        columns: dict[tuple[Any, ...], int] = {}
        offsets = []
        for constant in named:
            column = (constant,) * count if isinstance(constant, int) else tuple(constant)
            if not count:
                raise ProgramError("a constant with one value an iteration, outside a loop")
            if len(column) != count:
                raise ProgramError(f"{len(column)} values of a constant, {count} iterations")
            if not all(isinstance(value, int) for value in column):
                raise ProgramError("a constant with values for more loops than are around it")
            offsets.append(columns.setdefault(column, len(columns)))
        rows = [self._register_value(value) for row in zip(*columns) for value in row]
        self.stride = len(columns)
        first = _find(self._table, rows)
        return iter([first + offset for offset in offsets])


@dataclass(eq=False)
class Rows:
    """A loop's constants in one table: those of this loop, piece by piece, and of the loops
    inside."""

    count: int
    pieces: list[list[Constant]] = field(default_factory=list)
    inner: list[Rows] = field(default_factory=list)
    stride: int = 0
    addresses: list[list[int]] = field(default_factory=list)
    """The constant addresses of each piece, in the first iterations of all loops."""

    def lay_out(self, table: list[int], image: Image) -> None:
        """Appends the words to a table that does not have them yet."""
        _check_lengths(self, ())
        self._lay_out(table, image, 0)

    def _lay_out(self, table: list[int], image: Image, level: int) -> None:
        if self._moves(level):
            words = [image.register_value(value) for value in self._words(level, ())]
            first = _find(table, words)
            self._place(first, level)
            return
        self.addresses = []
        for piece in self.pieces:
            values = [image.register_value(_at(constant, ())) for constant in piece]
            self.addresses.append(list(_lay_out_words(table, values)))
        for rows in self.inner:
            rows._lay_out(table, image, level + 1)

    def _moves(self, level: int) -> bool:
        """True if any constant changes with the iterations of this loop, which is inside `level`
        loops."""
        return self._changes(level, level) or any(
            rows._changes_with(level, level + 1) for rows in self.inner)

    def _changes_with(self, loop: int, level: int) -> bool:
        return self._changes(loop, level) or any(
            rows._changes_with(loop, level + 1) for rows in self.inner)

    def _changes(self, loop: int, level: int) -> bool:
        """True if a constant of this loop's own code changes with the iterations of loop number
        `loop`."""
        return any(_depends(constant, loop - (level + 1 - _depth(constant)))
                   for piece in self.pieces for constant in piece)

    def _columns(self) -> list[Constant]:
        columns: list[Constant] = []
        for piece in self.pieces:
            columns += [constant for constant in piece if constant not in columns]
        return columns

    def _words(self, level: int, outside: tuple[int, ...]) -> Iterator[int]:
        for iteration in range(self.count if self._moves(level) else 1):
            now = (*outside, iteration)
            for constant in self._columns():
                yield _at(constant, now)
            for rows in self.inner:
                yield from rows._words(level + 1, now)

    def _place(self, first: int, level: int) -> int:
        """Assigns the addresses from `first` on; returns the number of words."""
        columns, start = self._columns(), first
        self.addresses = [[first + columns.index(constant) for constant in piece]
                          for piece in self.pieces]
        first += len(columns)
        for rows in self.inner:
            first += rows._place(first, level + 1)
        width = first - start
        moves = self._moves(level)
        self.stride = width if moves else 0
        if self.stride > isa.FIELDS["mul_stride"].maximum:
            raise ProgramError(f"a loop's row of {width} constants, the limit is "
                               f"{isa.FIELDS['mul_stride'].maximum}")
        return width * self.count if moves else width


def frozen(constant: Constant) -> Constant:
    """The same with tuples for sequences."""
    return constant if isinstance(constant, int) else tuple(map(frozen, constant))


def _depth(constant: Constant) -> int:
    return 0 if isinstance(constant, int) else 1 + _depth(constant[0])


def _depends(constant: Constant, level: int) -> bool:
    """True if a constant changes with its sequence number `level`; 0 is the outermost."""
    if level < 0 or isinstance(constant, int):
        return False
    if level == 0:
        return any(other != constant[0] for other in constant)
    return any(_depends(other, level - 1) for other in constant)


def _at(constant: Constant, iterations: tuple[int, ...]) -> int:
    """The value in these iterations, the outermost loop's first. Only the innermost ones are
    used."""
    if isinstance(constant, int):
        return constant
    depth = _depth(constant)
    now = iterations[len(iterations) - depth] if depth <= len(iterations) else 0
    return _at(constant[now], iterations)


def _check_lengths(rows: Rows, counts: tuple[int, ...]) -> None:
    counts = (*counts, rows.count)

    def check(constant: Constant, around: tuple[int, ...]) -> None:
        if isinstance(constant, int):
            return
        if not around or len({_depth(part) for part in constant}) != 1:
            raise ProgramError("a constant with values for more loops than are around it")
        if len(constant) != around[0]:
            raise ProgramError(f"{len(constant)} values of a constant, {around[0]} iterations")
        for part in constant:
            check(part, around[1:])

    for piece in rows.pieces:
        for constant in piece:
            check(constant, counts[max(0, len(counts) - _depth(constant)):])
    for inner in rows.inner:
        _check_lengths(inner, counts)


def _find(table: list[int], rows: list[int]) -> int:
    """The address of these consecutive words. They are appended if the table does not have them."""
    first = next((start for start, word in enumerate(table) if word == rows[0]
                  and table[start:start + len(rows)] == rows), len(table))
    if first == len(table):
        table.extend(rows)
    return first


def _lay_out_words(table: list[int], words: Sequence[int]) -> Iterator[int]:
    """The address of each of the words. Missing words are appended."""
    known = {word: address for address, word in reversed(list(enumerate(table)))}
    for word in words:
        if word not in known:
            known[word] = len(table)
            table.append(word)
    return iter([known[word] for word in words])
