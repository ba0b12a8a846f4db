# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Verdicts on what is checked, of one item and of many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Union, overload

import numpy as np
from numpy.typing import NDArray

from halimede import _native

OUTCOMES: tuple[str, ...] = tuple(_native.OUTCOMES)
"""The words for outcomes by their numbers; 0 is "not-checked", which nothing here answers."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on an item; true where it is valid.

    outcome: one of `OUTCOMES`.
    reason: why it is not valid, in words; None where it is.
    """

    outcome: str
    reason: str | None = None

    def __bool__(self) -> bool:
        return self.outcome == "valid"


_VALID = Verdict("valid")
_VALID_NUMBER = OUTCOMES.index("valid")


class Verdicts(Sequence[Verdict]):
    """The verdicts on many items, a sequence.

    outcomes: uint8[n], by number as `OUTCOMES` has them; 1 is "valid".
    """

    __slots__ = ("_reasons", "outcomes")

    outcomes: NDArray[np.uint8]

    def __init__(self, outcomes: NDArray[np.uint8], reasons: dict[int, str]) -> None:
        self.outcomes = outcomes
        self._reasons = reasons

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether each item is valid, bool[n]."""
        valid: NDArray[np.bool_] = self.outcomes == _VALID_NUMBER
        return valid

    def all(self) -> bool:
        """Whether all of them are valid."""
        return bool(self.valid.all())

    def invalid(self) -> Iterator[tuple[int, Verdict]]:
        """The numbers of those that are not valid, and their verdicts."""
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
    """The values of many items, a sequence of bytes. To ask for one that an item does not have is a
    ValueError with the reason.

    array: uint8[n, bytes]; zeros where an item has no value.
    verdicts: the verdict on each item, which is not valid where there is no value.
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
    """The verdict of this number."""
    return _VALID if outcome == _VALID_NUMBER else Verdict(OUTCOMES[outcome], reason)
