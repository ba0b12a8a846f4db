# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Groth16 proofs (eprint 2016/260) for the circuits of circom and bellman over BLS12-381."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Union

from halimede import _native

if TYPE_CHECKING:
    from typing_extensions import Buffer

    Source = Union[str, os.PathLike[str], Buffer]

__all__ = ["ProvingKey"]


class ProvingKey:
    """A proving key with its circuit. Threads may share one.

    source: the path of a file, or its content: a `.zkey` of snarkjs, or a key as bellman writes it.
    circuit: the `.r1cs` file of the circuit, which a key of bellman needs. With a `.zkey`, it names
        the constraint that a wrong witness does not satisfy.

    Raises ValueError for content of another kind and for invalid points, OSError if a file cannot
    be read.

    >>> key = halimede.groth16.ProvingKey("small.zkey")
    >>> proof, inputs = key.prove("small.wtns")
    >>> verifying_key = halimede.Object("groth16-key", key.verifying_key)
    >>> bool(halimede.groth16.verify(verifying_key, [proof], [inputs]).all())
    True
    """

    def __init__(self, source: Source, circuit: Source | None = None) -> None:
        self._key = _native.Groth16ProvingKey(source, circuit)

    @property
    def verifying_key(self) -> bytes:
        """The verifying key, as bellman encodes it: an `Object` of the kind "groth16-key"."""
        return self._key.verifying_key

    @property
    def inputs(self) -> int:
        """The number of public inputs."""
        return self._key.inputs

    def prove(self, witness: Source) -> tuple[bytes, list[int]]:
        """Makes a proof on all cores, with random numbers of the operating system, and verifies it.

        witness: the path of a `.wtns` file of the circuit, or its content. It is secret: what is
            computed from it is overwritten after use, and the time depends on it.

        Returns the proof, 192 bytes as bellman encodes it, and the public inputs. Raises ValueError
        if the witness does not satisfy the circuit.
        """
        proof, inputs = self._key.prove(witness)
        return proof, [int.from_bytes(number, "little") for number in inputs]

    def __repr__(self) -> str:
        return f"ProvingKey({self.inputs} inputs)"
