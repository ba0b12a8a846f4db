# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Equihash with Zcash's personalization: a solver, the two forms of solutions, block headers.

A puzzle is n, k and an input. The input is hashed before the number of an index; in Zcash it is the
first 140 bytes of a block header, which end with the nonce. A solution is 2**k indices in minimal
form, as in headers: 1344 bytes with (200, 9), the parameters of Zcash, and 36 bytes with (48, 5),
those of its regression test.
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
    """Returns all solutions of a puzzle in minimal form, possibly none. Uses all cores of the
    processor.

    (48, 5) and (96, 5) take milliseconds, (200, 9) seconds and 0.23 GB of memory, (144, 5) half a
    minute and 1.9 GB. A puzzle has two solutions on average, 0.74 with (48, 5).

    memory_limit: bytes; a puzzle that needs more memory raises ValueError.

    Ctrl-C ends the search.

    >>> [len(solution) for solution in halimede.equihash.solve(b"an input")]
    [36, 36]
    """
    return _native.equihash_solve(input, n, k, memory_limit)


def indices(solution: Buffer, n: int = 200, k: int = 9) -> NDArray[np.uint32]:
    """Returns the indices, uint32[2**k], of a solution in minimal form.

    >>> solution = halimede.equihash.solve(b"an input", n=48, k=5)[0]
    >>> halimede.equihash.indices(solution, n=48, k=5).shape
    (32,)
    """
    return _native.equihash_indices(solution, n, k)


def minimal(
    indices: Sequence[int] | NDArray[np.integer[Any]], n: int = 200, k: int = 9
) -> bytes:
    """Returns the minimal form of a solution's indices: each big-endian in n / (k + 1) + 1 bits.

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

    n, k: the parameters of the solution.
    hash: the block's hash, the double SHA-256 of the header. All hashes are in hexadecimal with the
        last byte first, as nodes print them.
    version, previous, merkle_root, commitment, time (seconds since 1970), bits (the compact
        target), nonce (32 bytes): the fields of the header.
    target: the number that the hash must not exceed; None if `bits` is not a valid target by the
        consensus rules.
    meets_target: true if the hash does not exceed the target. The network's limit is not checked.
    input: the first 140 bytes of the header, the input of the puzzle.
    solution: the solution in minimal form.
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

        n, k: by default, the parameters that match the solution's length: (200, 9), (144, 5), (96,
            5) or (48, 5).

        Raises ValueError with the byte's offset if the bytes are not a header.
        """
        parts: dict[str, Any] = {**_native.equihash_header(data, n, k)}
        if parts["target"] is not None:
            parts["target"] = int.from_bytes(parts["target"], "little")
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    def verify(self, *, device: Device | None = None) -> Verdict:
        """Verifies the solution and the difficulty."""
        numbers: list[tuple[str, str | bool | float]] = [("n", self.n), ("k", self.k)]
        columns = [[self.input], [self.solution]]
        return check("equihash.verify", numbers, [], columns, device)[0]
