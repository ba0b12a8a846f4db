# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Verdicts on one item and on many items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Union, overload

import numpy as np
from numpy.typing import NDArray

from halimede import _native

OUTCOMES: tuple[str, ...] = tuple(_native.OUTCOMES)
"""The names of outcomes by number. 0 is "not-checked", which no function here returns."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on an item; true if the item is valid.

    outcome: one of `OUTCOMES`.
    reason: why the item is not valid; None if it is valid.
    """

    outcome: str
    reason: str | None = None

    def __bool__(self) -> bool:
        return self.outcome == "valid"


_VALID = Verdict("valid")
_VALID_NUMBER = OUTCOMES.index("valid")


class Verdicts(Sequence[Verdict]):
    """The verdicts on many items, a sequence.

    outcomes: uint8[n], indices into `OUTCOMES`; 1 is "valid".
    """

    __slots__ = ("_reasons", "outcomes")

    outcomes: NDArray[np.uint8]

    def __init__(self, outcomes: NDArray[np.uint8], reasons: dict[int, str]) -> None:
        self.outcomes = outcomes
        self._reasons = reasons

    @property
    def valid(self) -> NDArray[np.bool_]:
        """True for each valid item, bool[n]."""
        valid: NDArray[np.bool_] = self.outcomes == _VALID_NUMBER
        return valid

    def all(self) -> bool:
        """Returns True if all items are valid."""
        return bool(self.valid.all())

    def invalid(self) -> Iterator[tuple[int, Verdict]]:
        """Iterates over the items that are not valid, by index and verdict."""
        return ((row, self[row]) for row in self._reasons)

    def __len__(self) -> int:
        return len(self.outcomes)

    def __bool__(self) -> bool:
        raise ValueError("the truth of many verdicts is ambiguous; use .all() or .valid")

    @overload
    def __getitem__(self, row: int) -> Verdict: ...
    @overload
    def __getitem__(self, row: slice) -> list[Verdict]: ...
    def __getitem__(self, row: Union[int, slice]) -> Verdict | list[Verdict]:
        places = range(len(self.outcomes))[row]
        if isinstance(places, range):
            return [self[place] for place in places]
        return verdict(int(self.outcomes[places]), self._reasons.get(places))

    def __repr__(self) -> str:
        return f"<{len(self)} verdicts, {len(self._reasons)} not valid>"


class Values(Sequence[bytes]):
    """The values of many items, a sequence of bytes. Indexing an item without a value raises
    ValueError with the reason.

    array: uint8[n, bytes]; zeros for an item without a value.
    verdicts: the verdict on each item; not valid for an item without a value.
    """

    __slots__ = ("array", "verdicts")

    array: NDArray[np.uint8]
    verdicts: Verdicts

    def __init__(self, array: NDArray[np.uint8], verdicts: Verdicts) -> None:
        self.array = array
        self.verdicts = verdicts

    def __len__(self) -> int:
        return len(self.verdicts)

    @overload
    def __getitem__(self, row: int) -> bytes: ...
    @overload
    def __getitem__(self, row: slice) -> list[bytes]: ...
    def __getitem__(self, row: Union[int, slice]) -> bytes | list[bytes]:
        if isinstance(row, slice):
            return [self[place] for place in range(len(self))[row]]
        found = self.verdicts[row]
        if not found:
            raise ValueError(f"item {range(len(self))[row]}: {found.reason}")
        value: bytes = self.array[row].tobytes()
        return value

    def __bool__(self) -> bool:
        raise ValueError("the truth of many values is ambiguous; use .verdicts.all()")

    def __repr__(self) -> str:
        return f"<{len(self)} values of {self.array.shape[1]} bytes, {self.verdicts!r}>"


def verdict(outcome: int, reason: str | None) -> Verdict:
    """Returns the verdict of an outcome's number."""
    return _VALID if outcome == _VALID_NUMBER else Verdict(OUTCOMES[outcome], reason)
