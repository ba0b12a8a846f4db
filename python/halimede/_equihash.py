# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Equihash with Zcash's personalisation: solutions found, and in their two forms; block headers.

A puzzle is n, k and an input: all that is hashed before an index's number, in Zcash the first 140
bytes of a block header, its nonce at their end. A solution is 2**k indices in their minimal form,
as headers have it: 1344 bytes with (200, 9), Zcash's; 36 with (48, 5), its regression test's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device
from halimede._operations import check
from halimede._verdicts import Verdict

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Header", "indices", "minimal", "solve"]

def solve(
    input: Buffer, n: int = 48, k: int = 5, *, memory_limit: int | None = None
) -> list[bytes]:
    """All solutions of a puzzle in their minimal form, on this processor's cores; or none.

    (48, 5) and (96, 5) take milliseconds, (200, 9) seconds and 0.23 GB of memory, (144, 5) half a
    minute and 1.9 GB. A puzzle has two solutions on average, with (48, 5) 0.74.

    memory_limit: bytes; a puzzle that takes more is refused by a ValueError.

    Ctrl-C ends it.

    >>> [len(solution) for solution in halimede.equihash.solve(b"an input")]
    [36, 36]
    """
    return _native.equihash_solve(input, n, k, memory_limit)


def indices(solution: Buffer, n: int = 200, k: int = 9) -> NDArray[np.uint32]:
    """The indices, uint32[2**k], of a solution in its minimal form.

    >>> solution = halimede.equihash.solve(b"an input", n=48, k=5)[0]
    >>> halimede.equihash.indices(solution, n=48, k=5).shape
    (32,)
    """
    return _native.equihash_indices(solution, n, k)


def minimal(
    indices: Sequence[int] | NDArray[np.integer[Any]], n: int = 200, k: int = 9
) -> bytes:
    """The minimal form of a solution's indices: each big-endian in n / (k + 1) + 1 bits.

    >>> halimede.equihash.minimal(range(32), n=48, k=5).hex()[:9]
    '000040403'
    """
    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"indices: got {array.dtype}{list(array.shape)}, wanted integers")
    if array.size and not 0 <= array.min() <= array.max() < 1 << 32:
        wrong = array.min() if array.min() < 0 else array.max()
        raise ValueError(f"indices: got {wrong}, wanted integers from 0 to 2**32 - 1")
    return _native.equihash_minimal(array.astype(np.uint32), n, k)


@dataclass(frozen=True, init=False)
class Header:
    """A block header with its solution, in the network's format.

    n, k: the parameters of its solution.
    hash: the block's hash, its double SHA-256; this and the other hashes in hexadecimal, the last
        byte first, as nodes print them.
    version, previous, merkle_root, commitment, time (seconds since 1970), bits (the compact
        target), nonce (32 bytes): as they stand in it.
    target: the number that the hash must not exceed; None where `bits` is no target for consensus.
    meets_target: whether the hash does not exceed it. A network's own limit is not looked at.
    input: its first 140 bytes, the puzzle's input.
    solution: in its minimal form.
    """

    n: int
    k: int
    hash: str
    version: int
    previous: str
    merkle_root: str
    commitment: str
    time: int
    bits: int
    target: int | None
    meets_target: bool
    nonce: bytes
    input: bytes
    solution: bytes

    def __init__(self, data: Buffer, n: int | None = None, k: int | None = None) -> None:
        """Parses a header: 140 bytes, the solution's length, the solution.

        n, k: where absent, the solution's length tells: (200, 9), (144, 5), (96, 5) or (48, 5).

        Raises ValueError for bytes that are no header; it says at which byte.
        """
        parts: dict[str, Any] = {**_native.equihash_header(data, n, k)}
        if parts["target"] is not None:
            parts["target"] = int.from_bytes(parts["target"], "little")
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    def verify(self, *, device: Device | None = None) -> Verdict:
        """Whether solution and difficulty hold."""
        numbers: list[tuple[str, str | bool | float]] = [("n", self.n), ("k", self.k)]
        columns = [[self.input], [self.solution]]
        return check("equihash.verify", numbers, [], columns, device)[0]
