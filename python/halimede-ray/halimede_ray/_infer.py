# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Encrypted inference: a network and evaluation keys on each worker, ciphertexts in and out."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halimede import blake3, nn
from halimede.ckks import Ciphertext, EvaluationKeys
from halimede_ray._journal import Journal
from halimede_ray._parts import Part, spread
from halimede_ray._pool import Pool
from halimede_ray._tasks import LocalPool, Progress

if TYPE_CHECKING:
    from halimede._native import CkksParameters, Device


@dataclass(frozen=True)
class Network:
    """The arguments of `halimede.nn.compile`; each worker compiles the same model.

    source: an ONNX file's bytes.
    calibrate: sample inputs, float64[count, ...], from the model's owner. Workers can read them.
    parameters: the parameters or the name of a preset.
    options: further arguments of `compile`, by name.
    """

    source: bytes
    calibrate: NDArray[np.float64]
    parameters: CkksParameters | str = "n16-boot"
    options: Mapping[str, Any] = field(default_factory=dict)

    def compile(self) -> nn.Model:
        """Compiles the model."""
        return nn.compile(self.source, self.calibrate, self.parameters, **self.options)

    @property
    def identifier(self) -> str:
        """The BLAKE3 hash of everything that the model depends on."""
        name = self.parameters if isinstance(self.parameters, str) else self.parameters.name
        options = repr(sorted(self.options.items()))
        hasher = blake3.Hasher()
        for piece in (self.source, np.ascontiguousarray(self.calibrate).tobytes(),
                      f"{self.calibrate.shape} {name} {options}".encode()):
            hasher.update(len(piece).to_bytes(8, "little"))
            hasher.update(piece)
        return hasher.digest().hex()


@dataclass(frozen=True)
class Inference:
    """A network's result, as base64 of its bytes."""

    network: str
    keys: str | None

    def __call__(self, served: Served, sealed: bytes) -> str:
        result = served.server.run(nn.Sealed.load(sealed, served.parameters))
        return base64.b64encode(result.to_bytes()).decode()


class InferencePool:
    """Workers that run a network for a client. Each worker loads the client's evaluation keys once.

    keys: evaluation keys, which reveal nothing about the secret key. A client raises TypeError,
        since a secret key does not leave its owner.
    pool: makes the workers from `setup` and `arguments`: `Pool` with its options bound by
        `functools.partial`, or `LocalPool`.

    Use it in a `with` statement, or `close` it.
    """

    def __init__(
        self, network: Network, keys: EvaluationKeys, pool: Callable[..., Pool | LocalPool] = Pool
    ) -> None:
        if not isinstance(keys, EvaluationKeys):
            kind = type(keys).__name__
            raise TypeError(f"keys: got {kind}, wanted EvaluationKeys; a secret key does not leave its owner")
        self._work = Inference(network.identifier, keys.key_id)
        self._key_id = keys.key_id
        self._parameters = keys.parameters
        self._pool = pool(setup=served, arguments=(network, keys))

    def run(
        self, sealed: Sequence[nn.Sealed | Ciphertext], *, journal: str | os.PathLike[str] | None = None,
        progress: Progress = False,
    ) -> Iterator[nn.Sealed]:
        """Computes the network's results for encrypted inputs, in the order of the inputs.

        journal: a folder for results, which are also encrypted. Inputs with a stored result are not
            computed again.

        Before any computation, raises ValueError for a ciphertext of another key and TypeError for
        an input that is not a ciphertext.
        """
        for number, one in enumerate(sealed):
            if not isinstance(one, (nn.Sealed, Ciphertext)):
                raise TypeError(f"sealed[{number}]: got {type(one).__name__}, wanted a Sealed")
            if one.key_id != self._key_id:
                raise ValueError(f"sealed[{number}]: its key is {one.key_id}, the workers' keys are of {self._key_id}")
        parts = (
            Part(self._work, f"ciphertext {number}", content=one.to_bytes())
            for number, one in enumerate(sealed)
        )
        known = None if journal is None else Journal(journal)
        values = spread(self._pool, parts, len(sealed), journal=known, progress=progress)
        return (nn.Sealed.load(base64.b64decode(value), self._parameters) for value in values)

    def close(self) -> None:
        """Ends the workers."""
        self._pool.__exit__()

    def __enter__(self) -> InferencePool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Served(NamedTuple):
    """A worker's state: the server with its keys, and the parameters of ciphertexts."""

    server: nn.Server
    parameters: CkksParameters


def served(device: Device | None, network: Network, keys: EvaluationKeys) -> Served:
    """Compiles the network and loads the keys, on a worker."""
    model = network.compile()
    return Served(model.server(keys), model.parameters)
