# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `equihash`, each of many items at once.

- `verify`: Checks of Equihash solutions of block headers, and of the headers' difficulty.

A column has a row for each item: a list of buffers, or an array of two axes, whose rows they are.
All that is given is taken to be public: times depend on it. A bad item has a verdict with the
reason, and does the others no harm. Ctrl-C ends long work between pieces. A ValueError is raised
where columns are not as many of each, and where a setting is refused.
"""

from __future__ import annotations

from halimede._equihash import Header, indices, minimal, solve
from halimede._native import Device
from halimede._operations import Column, check
from halimede._verdicts import Verdicts

__all__ = [
    "Header", "indices", "minimal", "solve", "verify",
]


def verify(
    headers: Column,
    solutions: Column,
    *,
    n: int = 200,
    k: int = 9,
    difficulty: bool = True,
    device: Device | None = None,
) -> Verdicts:
    """Checks of Equihash solutions of block headers, and of the headers' difficulty, many at once.

    headers: The block header with its nonce, without the solution: 140 bytes. Where `difficulty` is
        false, this processor takes any input of a puzzle.
    solutions: The solution in its minimal form: 1344 bytes for (200, 9), 36 for (48, 5).
    n: Bits of a hash.
    k: Levels of a solution's tree: it has 2^k indices.
    difficulty: Whether the header's hash must meet its target.
    device: the place of the work; this processor by default.
    """
    return check(
        "equihash.verify",
        [("n", n), ("k", k), ("difficulty", difficulty)],
        [],
        [headers, solutions],
        device,
    )
