# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Division of work: ranges of items of a file, and subtrees of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

RANGE_BYTES = 64 << 20
"""The smallest size of a range, except the last of a file. 64 MiB keep a worker busy for so long
that the cost of sending a range is negligible."""


@dataclass(frozen=True)
class Ranges:
    """Consecutive ranges of `step` items that cover `count` items; the last range may be
    shorter."""

    count: int
    step: int

    def __post_init__(self) -> None:
        if self.count < 0 or self.step < 1:
            raise ValueError(f"got {self.count} items in ranges of {self.step}, wanted 0 or more in ranges of 1 or more")

    def __len__(self) -> int:
        return -(-self.count // self.step)

    def __iter__(self) -> Iterator[range]:
        return (range(start, min(start + self.step, self.count)) for start in range(0, self.count, self.step))


def record_ranges(file_bytes: int, record_bytes: int, range_bytes: int = RANGE_BYTES) -> Ranges:
    """Returns ranges of records of a fixed length.

    Raises ValueError if the file does not consist of whole records.

    >>> [(part.start, part.stop) for part in record_ranges(5 * 128, 128, 250)]
    [(0, 2), (2, 4), (4, 5)]
    """
    if range_bytes < 1:
        raise ValueError(f"a range has 1 byte or more, got {range_bytes}")
    if file_bytes % record_bytes:
        left = file_bytes % record_bytes
        raise ValueError(f"{file_bytes} bytes are not records of {record_bytes} bytes: {left} are left over")
    return Ranges(file_bytes // record_bytes, -(-range_bytes // record_bytes))


@dataclass(frozen=True)
class Subtrees:
    """A full tree of `arity` over `leaves`, divided into subtrees of `arity**height` leaves. A
    range holds whole subtrees.

    Use `cut` to make one.
    """

    arity: int
    leaves: int
    height: int
    ranges: Ranges

    @classmethod
    def cut(cls, arity: int, leaves: int, leaf_bytes: int, range_bytes: int = RANGE_BYTES) -> Subtrees:
        """Chooses the tallest subtrees of at most `range_bytes`. A range has the fewest subtrees
        that reach `range_bytes`.

        leaf_bytes: the bytes of a leaf in files: 32, or 32 for each label of a column.

        Raises ValueError for a number of leaves that is not a power of the arity, or is 1.

        >>> tree = Subtrees.cut(arity=8, leaves=8**10, leaf_bytes=32)      # 32 GiB
        >>> tree.height, tree.ranges.step, len(tree.ranges)
        (7, 2097152, 512)
        """
        if range_bytes < 1:
            raise ValueError(f"a range has 1 byte or more, got {range_bytes}")
        if arity < 2:
            raise ValueError(f"a tree's arity is 2 or more, got {arity}")
        depth, full = 0, 1
        while full < leaves:
            depth, full = depth + 1, full * arity
        if full != leaves or depth == 0:
            raise ValueError(f"{leaves} leaves do not fill a tree of arity {arity}: a power of {arity} does")
        height, held = 0, 1
        while height < depth and held * arity * leaf_bytes <= range_bytes:
            height, held = height + 1, held * arity
        together = -(-range_bytes // (held * leaf_bytes))
        return cls(arity, leaves, height, Ranges(leaves, min(held * together, leaves)))

    @property
    def subtree_leaves(self) -> int:
        """The number of leaves of a subtree."""
        return int(self.arity**self.height)
