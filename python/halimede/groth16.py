# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Groth16 proofs over BLS12-381, in the encoding of `bellman`: verified one by one and in bulk.

A proof is 192 bytes: A, B and C, compressed. Public inputs are integers, or 32 bytes each,
big-endian, below the order of the groups. All of it is public.

A verdict is "valid", "mismatch" where the proof does not match, "proof" where its bytes are not
one, or "inputs" where the inputs are not as many as the key takes or not below the order. The rest of a
batch is answered in any case.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Union

from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device
from halimede._scalars import Scalars, joined
from halimede._verdicts import OUTCOMES, Verdict, Verdicts

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["OUTCOMES", "Verdict", "Verdicts", "VerifyingKey"]


class VerifyingKey:
    """The verifying key of a circuit. Threads may share one.

    source: a file's path, or its content: what `bellman` writes, 64 MiB at most.

    Raises ValueError for what is not a key, OSError for a file that cannot be read.

    >>> halimede.groth16.VerifyingKey(bytes(100))
    Traceback (most recent call last):
      ...
    ValueError: source: not a verifying key: the key has 100 bytes, not 868
    """

    __slots__ = ("_key",)

    def __init__(self, source: str | os.PathLike[str] | Buffer) -> None:
        self._key = _native.Groth16Key(source)

    @property
    def inputs(self) -> int:
        """How many public inputs a proof has."""
        return self._key.inputs

    def verify(
        self, proof: Buffer, inputs: Union[Scalars, Buffer], *, device: Device | None = None
    ) -> Verdict:
        """Whether a proof proves these public inputs.

        inputs: integers or 32 bytes each; or one buffer, one behind the other.
        device: where it runs; this processor by default. A card has no BLS12-381.
        """
        return self.verify_many([proof], [inputs], device=device)[0]

    def verify_many(
        self,
        proofs: Iterable[Buffer] | NDArray[Any],
        inputs: Iterable[Union[Scalars, Buffer]] | NDArray[Any],
        *,
        device: Device | None = None,
    ) -> Verdicts:
        """Verdicts on many proofs, in their order.

        proofs: a list of buffers, or uint8[n, 192].
        inputs: for each proof what `verify` takes; or uint8[n, inputs, 32].

        Ctrl-C ends long work between pieces. Raises ValueError where these are not as many of each,
        or for an integer that is negative or has more than 256 bits.
        """
        rows = [joined(f"inputs[{row}]", values) for row, values in enumerate(inputs)]
        return Verdicts(*self._key.verify(proofs, rows, device))
