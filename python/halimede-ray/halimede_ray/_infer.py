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
    """What `halimede.nn.compile` makes a model of, the same one on each worker.

    source: an ONNX file's bytes.
    calibrate: sample inputs, float64[count, ...]: the model's owner's, and not secret from workers.
    parameters: or the name of a preset.
    options: more arguments of `compile`, by name.
    """

    source: bytes
    calibrate: NDArray[np.float64]
    parameters: CkksParameters | str = "n16-boot"
    options: Mapping[str, Any] = field(default_factory=dict)

    def compile(self) -> nn.Model:
        """The model."""
        return nn.compile(self.source, self.calibrate, self.parameters, **self.options)

    @property
    def identifier(self) -> str:
        """BLAKE3 of all that the model depends on."""
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
    """Workers that run a network for a client, whose evaluation keys each loads once.

    keys: they tell nothing of the secret, which does not leave its owner: a client is a TypeError.
    pool: what makes the workers, of `setup` and `arguments`: `Pool` with its options bound by
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
        """The network's results for encrypted inputs, in their order.

        journal: a folder for results, which are encrypted as well; inputs that have one are not
            computed again.

        Raises ValueError for a ciphertext of another key, TypeError for what is not one, before
        anything is computed.
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
    """On a worker: compiles the network and takes the keys."""
    model = network.compile()
    return Served(model.server(keys), model.parameters)
