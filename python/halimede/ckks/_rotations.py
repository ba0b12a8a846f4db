# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lists of the rotations for which a server needs keys."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from halimede import _native

__all__ = ["roll_rotations", "slice_rotations", "sum_rotations"]

_MOST_SLOTS = 1 << 16


def sum_rotations(count: int, batch: int = 1) -> list[int]:
    """Returns the steps for which sums need keys: `x.sum(count, batch)`; and `x.sum()`, `x.mean()`
    and `x @ y` of a vector of `count` values. A negative batch is for `x.replicate(count, -batch)`.

    The keys for the sum of a vector of 2**k values are enough to compose any rotation of it and of
    shorter vectors.

    >>> halimede.ckks.sum_rotations(8), halimede.ckks.sum_rotations(5, batch=100)
    ([1, 2, 4], [100, 200])
    """
    count, batch = operator.index(count), operator.index(batch)
    if count < 1 or batch == 0:
        raise ValueError(f"count, batch: got {count} batches of {batch} slots, wanted one or more")
    if count * abs(batch) > _MOST_SLOTS:
        raise ValueError(f"count, batch: got {count} batches of {batch} slots, more than any vector has")
    return _native.ckks_sum_rotations(count, batch)


def roll_rotations(length: int, steps: int | Iterable[int]) -> list[int]:
    """Returns the steps for which `x << steps`, `x >> -steps` and `numpy.roll(x, -steps)` of a
    vector of `length` values need keys. With these keys each rotation needs the fewest key
    switches: one if the length is a power of two, otherwise two.

    >>> halimede.ckks.roll_rotations(8, [1, -1]), halimede.ckks.roll_rotations(5, 2)
    ([1, 7], [-3, 2])
    """
    length = _length(length)
    each = steps if isinstance(steps, Iterable) else [steps]
    found = (_native.ckks_roll_rotations(length, operator.index(by) % length) for by in each)
    return sorted({step for rotations in found for step in rotations})


def slice_rotations(length: int, start: int, stop: int | None = None) -> list[int]:
    """Returns the steps for which `x[start:stop]` of a vector of `length` values needs keys;
    without `stop`, those of `x[start]`. Negative places count from the end.

    >>> halimede.ckks.slice_rotations(8, 2, 4), halimede.ckks.slice_rotations(5, -1)
    ([2, 4], [1, 2, 4])
    """
    length, start = _length(length), operator.index(start)
    if stop is None:
        if not -length <= start < length:
            raise IndexError(f"place {start}, and the vector has {length} values")
        low, high = start % length, start % length + 1
    else:
        low, high, _ = slice(start, stop).indices(length)
    if low >= high:
        raise ValueError(f"places {start} to {stop} are empty, and a vector has one or more values")
    return sorted(set(_native.ckks_slice_rotations(length, low, high)))


def _length(length: int) -> int:
    length = operator.index(length)
    if not 1 <= length <= _MOST_SLOTS:
        raise ValueError(f"length: got {length}, wanted 1 to {_MOST_SLOTS}")
    return length
