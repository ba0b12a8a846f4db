# SPDX-License-Identifier: Apache-2.0 OR MIT
"""KZG openings of EIP-4844 over BLS12-381: verified one by one and in bulk.

Commitments and proofs are compressed points of G1 (48 bytes), numbers 32 bytes, big-endian, blobs
131,072 bytes. All are anything with a buffer of contiguous bytes, and public.

A verdict is "valid", "mismatch" where the proof does not match, or names what cannot be decoded:
"commitment", "proof", "scalar" (z or y) or "blob", where the functions of the consensus
specifications raise. The rest of a batch is answered in any case.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device
from halimede._verdicts import OUTCOMES, Verdict, Verdicts

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["OUTCOMES", "Setup", "Verdict", "Verdicts"]


class Setup:
    """A trusted setup. Threads may share one.

    source: a file's path, or its content: the text of the ceremony's setup, 2 MiB at most.

    Verification needs one point of it, τ in G2, which is checked against τ in G1; the other points
    are checked to be digits. Raises ValueError for what is not a setup, OSError for a file that
    cannot be read.

    >>> halimede.kzg.Setup(b"4096")
    Traceback (most recent call last):
      ...
    ValueError: source: not a trusted setup: line 2: the number of points is "", not 65
    """

    __slots__ = ("_setup",)

    def __init__(self, source: str | os.PathLike[str] | Buffer) -> None:
        self._setup = _native.KzgSetup(source)

    def verify(
        self, commitment: Buffer, z: Buffer, y: Buffer, proof: Buffer, *,
        device: Device | None = None,
    ) -> Verdict:
        """Whether the committed polynomial is y at z (`verify_kzg_proof`).

        device: where it runs; this processor by default. A card has no BLS12-381.
        """
        return self.verify_many([commitment], [z], [y], [proof], device=device)[0]

    def verify_many(
        self,
        commitments: Iterable[Buffer] | NDArray[Any],
        zs: Iterable[Buffer] | NDArray[Any],
        ys: Iterable[Buffer] | NDArray[Any],
        proofs: Iterable[Buffer] | NDArray[Any],
        *,
        device: Device | None = None,
    ) -> Verdicts:
        """Verdicts on many values, in their order.

        commitments, zs, ys, proofs: as many of each; lists of buffers, or arrays of two axes, whose
            rows they are.

        Ctrl-C ends long work between pieces. Raises ValueError where these are not as many of each.
        """
        return Verdicts(*self._setup.verify(commitments, zs, ys, proofs, device))

    def verify_blob(
        self, blob: Buffer, commitment: Buffer, proof: Buffer, *, device: Device | None = None
    ) -> Verdict:
        """Whether a commitment is that of a blob (`verify_blob_kzg_proof`)."""
        return self.verify_blobs([blob], [commitment], [proof], device=device)[0]

    def verify_blobs(
        self,
        blobs: Iterable[Buffer] | NDArray[Any],
        commitments: Iterable[Buffer] | NDArray[Any],
        proofs: Iterable[Buffer] | NDArray[Any],
        *,
        device: Device | None = None,
    ) -> Verdicts:
        """Verdicts on many blobs, in their order; `.all()` is `verify_blob_kzg_proof_batch`.

        blobs, commitments, proofs: as `verify_many` takes them.
        """
        return Verdicts(*self._setup.verify_blobs(blobs, commitments, proofs, device))
