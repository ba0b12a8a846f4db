# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `equihash`, each of many items at once.

- `verify`: Verifies Equihash solutions of block headers, and the difficulty of the headers.

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
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
    """Verifies Equihash solutions of block headers, and the difficulty of the headers, many at
    once.

    headers: The block header with its nonce, without the solution: 140 bytes. If `difficulty` is
        false, this processor accepts any input of a puzzle.
    solutions: The solution in its minimal form: 1344 bytes for (200, 9), 36 for (48, 5).
    n: The size of a hash in bits.
    k: The number of levels of a solution's tree, which has 2^k indices.
    difficulty: Also checks that the header's hash meets its target.
    device: where the work runs; this processor by default.
    """
    return check(
        "equihash.verify",
        [("n", n), ("k", k), ("difficulty", difficulty)],
        [],
        [headers, solutions],
        device,
    )
