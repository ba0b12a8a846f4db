# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The server: computes with evaluation keys, without the secret key."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halimede import _native
from halimede._native import (
    CkksCiphertext, CkksMatrix, CkksParameters, CkksPolynomial, CkksPrograms, CkksServer, CkksTrace, Device,
)
from halimede.ckks._bounded import Bound, Plain, parts
from halimede.ckks._ciphertext import Ciphertext, sealed_of
from halimede.ckks._explicit import Explicit
from halimede.ckks._expression import Expression
from halimede.ckks._operators import Operand, OperandT
from halimede.ckks._plan import Plan
from halimede.ckks._polynomial import Function

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["EvaluationKeys", "Matrix", "Server"]

_KEPT_MATRICES = 4
"""Matrices that a server keeps encoded, the last ones that were used as plain arrays."""


class EvaluationKeys:
    """The keys that a server needs for a stated list of operations. They tell nothing of the
    secret.

    `Client.evaluation_keys` makes them. They can be pickled.
    """

    __slots__ = ("_native",)

    def __init__(self, native: CkksServer) -> None:
        self._native = native

    @staticmethod
    def load(
        source: str | os.PathLike[str] | Buffer, parameters: CkksParameters | None = None, *,
        insecure: bool = False,
    ) -> EvaluationKeys:
        """Keys from a file (its path) or its content (bytes).

        parameters: which they must be for; those that the file names, by default.
        insecure: whether those that the file names may be for tests alone.
        """
        return EvaluationKeys(CkksServer.load(source, parameters, insecure))

    def to_bytes(self) -> bytes:
        """The content of a file of them: half of what they take in memory."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, key by key, which appears when it is whole, in place of one that is
        there."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """The parameters."""
        return self._native.parameters

    @property
    def operations(self) -> list[str]:
        """The operations among "multiply", "conjugate" and "bootstrap" that have keys."""
        return self._native.operations[0]

    @property
    def rotations(self) -> list[int]:
        """The steps that have a rotation key; other steps are composed of them."""
        return self._native.operations[1]

    @property
    def key_id(self) -> str | None:
        """The identifier of the secret key that they belong to; None without keys."""
        return self._native.key_id

    def __repr__(self) -> str:
        names = ", ".join([*self.operations, f"{len(self.rotations)} rotations"])
        return f"<halimede.ckks.EvaluationKeys for {self.parameters.name}: {names}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return EvaluationKeys.load, (self.to_bytes(), self.parameters)

    def __copy__(self) -> EvaluationKeys:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> EvaluationKeys:
        return self


class Matrix:
    """A matrix that encrypted vectors are multiplied by; it is encoded once for each level.

    parameters: those of the vectors.
    entries: array_like of two axes, of real or complex numbers by its type. A vector of as many values as there are
        columns becomes one of as many as there are rows.
    bound: what no entry's absolute value exceeds, 1 by default; or the ends of an interval of real entries. It is
        public, and products are estimated by it.
    row_sum: what the sum of no row's absolute values exceeds, which is public, too, and makes estimates of products
        more precise.
    public: where everybody may know the entries, they need no bound.
    level: of vectors that it is encoded for now; for others it is when it is first used.

    Which diagonals are zero, and the rotations with them, shows in what is computed, whether
    entries are public or not.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> entries = np.array([[1, 2, 0], [0, -1, 3]])
    >>> matrix = halimede.ckks.Matrix(client.parameters, entries, bound=4)
    >>> server = client.server(rotations=matrix.rotations)
    >>> x = server.bind(client.encrypt([0.1, 0.2, 0.3]))
    >>> client.decrypt(matrix @ x).round(4).tolist()
    [0.5, 0.7]
    """

    __slots__ = ("_matrix",)

    def __init__(
        self, parameters: CkksParameters, entries: Plain, *, bound: Bound | None = None,
        row_sum: float | None = None, public: bool = False, level: int | None = None,
    ) -> None:
        values, declared = parts(entries)
        if bound is not None and declared is not None:
            raise TypeError("bound: it is declared with the entries already")
        bound = declared if bound is None else bound
        if public and (bound is not None or row_sum is not None):
            raise TypeError("bound, row_sum, public: public entries need no bound")
        self._matrix = CkksMatrix(parameters, values, bound, row_sum, public)
        if level is not None:
            self._matrix.encode(level)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self._matrix.shape

    @property
    def diagonals(self) -> int:
        """Diagonals that are not zero, which a product's time depends on."""
        return self._matrix.diagonals

    @property
    def rotations(self) -> list[int]:
        """The steps that a server needs keys for."""
        return self._matrix.rotations

    def __matmul__(self, vector: OperandT) -> OperandT:
        """The product with an encrypted vector, a level lower; or with an expression."""
        if not isinstance(vector, Operand):
            return NotImplemented
        return vector._transformed_by(self._matrix)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<halimede.ckks.Matrix of {rows} rows and {columns} columns>"


class Server:
    """Computes on ciphertexts. It holds evaluation keys, and no secret key. Threads may share one.

    device: where `run` computes expressions and plans, a `halimede.Device` that runs CKKS programs; a card
        keeps the keys that it has had. The results are the same, bit for bit. By default, and for the
        operators always, this processor.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> keys = client.evaluation_keys(multiply=True).to_bytes()            # sent to the server
    >>> server = halimede.ckks.Server(halimede.ckks.EvaluationKeys.load(keys, insecure=True))
    >>> x = server.load(client.encrypt([1.5, 2.5], bound=3).to_bytes())
    >>> answer = (x * x).to_bytes()                                        # sent back
    >>> client.decrypt(halimede.ckks.Ciphertext.load(answer, client.parameters)).round(4).tolist()
    [2.25, 6.25]
    """

    __slots__ = ("__weakref__", "_device", "_keys", "_lock", "_matrices", "_native", "_programs")

    def __init__(self, keys: EvaluationKeys, *, device: Device | None = None) -> None:
        if not isinstance(keys, EvaluationKeys):
            kind = type(keys).__name__
            raise TypeError(f"keys: got {kind}, wanted EvaluationKeys, as a client makes them")
        self._keys = keys
        self._native = keys._native
        self._device = device
        self._programs = None if device is None else CkksPrograms(keys._native, device)
        self._matrices: OrderedDict[bytes, Matrix] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def keys(self) -> EvaluationKeys:
        """The keys."""
        return self._keys

    @property
    def parameters(self) -> CkksParameters:
        """The parameters of the keys."""
        return self._native.parameters

    @property
    def device(self) -> Device | None:
        """Where `run` computes; `None` for this processor."""
        return self._device

    def bind(self, ciphertext: Ciphertext) -> Ciphertext:
        """The ciphertext as one that this server computes with. ValueError where it is of other
        parameters, or under another secret key than the server's keys belong to."""
        sealed = sealed_of(ciphertext)
        self._native.check(sealed)
        return Ciphertext(sealed, self)

    def load(self, source: str | os.PathLike[str] | Buffer) -> Ciphertext:
        """A ciphertext from a file (its path) or its content (bytes), to be computed with."""
        return self.bind(Ciphertext.load(source, self.parameters))

    def matrix(
        self, entries: Plain, *, level: int | None = None, bound: Bound | None = None,
        row_sum: float | None = None, public: bool = False,
    ) -> Matrix:
        """A matrix to multiply vectors by often, see `Matrix`; `entries @ x` keeps the last few
        that were used."""
        return Matrix(
            self.parameters, entries, bound=bound, row_sum=row_sum, public=public, level=level
        )

    def evaluate(
        self, x: Ciphertext, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Ciphertext:
        """A function of each value, by a polynomial: see `Ciphertext.apply`."""
        return self.bind(x).apply(function, interval, degree=degree, error=error)

    def run(self, computation: Expression | Plan, /, **inputs: Ciphertext) -> Ciphertext:
        """Computes an expression of inputs by name.

        computation: an expression, which is planned for these ciphertexts; or a plan, which other ones must
            fit: of the same length, at its level or a higher one, and with values within its bound.

        Bootstraps where levels do not suffice. A value is dropped after its last use. Raises
        ValueError for names that are not those of the expression, where there is no plan, and for
        keys that are missing, before anything is computed, and DeviceError where the server's device
        fails. Ctrl-C ends it between two steps.
        """
        sealed = [(name, sealed_of(given)) for name, given in inputs.items()]
        plan = computation
        if not isinstance(plan, Plan):
            plan = Plan(plan, self.parameters, inputs)
        return Ciphertext(_native.ckks_run(self._native, plan._native, sealed, self._programs), self)

    def explicit(self) -> Explicit:
        """The interface in which the caller does each relinearization, each rescaling and each
        change of a level."""
        return Explicit(self)

    def record(
        self, work: Callable[..., Ciphertext | Sequence[Ciphertext]], /, *inputs: Ciphertext
    ) -> tuple[list[Ciphertext], CkksTrace]:
        """The results of `work` on the inputs, and the trace of its ring operations.

        work: computes one ciphertext or several with the operators; it is called with the inputs, as this
            server's.

        Whatever other threads compute meanwhile with the same parameters is recorded as well, and
        of two records at a time one is lost. Prepare bootstraps before, or their encoding is
        recorded too.

        >>> client = halimede.ckks.Client("n13-insecure")
        >>> server = client.server(multiply=True)
        >>> [y], trace = server.record(lambda x: x * x, client.encrypt([0.5, 1.0]))
        >>> trace.counts["key_products"] > 0, trace.notes
        (True, [])
        """
        bound = [self.bind(given) for given in inputs]

        def sealed() -> list[CkksCiphertext]:
            results = work(*bound)
            results = [results] if isinstance(results, Ciphertext) else results
            return [sealed_of(result) for result in results]

        results, trace = _native.ckks_record(self._native, [x._sealed for x in bound], sealed)
        return [Ciphertext(result, self) for result in results], trace

    @property
    def can_bootstrap(self) -> bool:
        """Whether the parameters have levels for it, and all keys that it needs are there."""
        return self._native.can_bootstrap

    def prepare_bootstrap(self, slots: int | None = None) -> int:
        """Encodes the matrices of bootstraps in advance, and returns their size in bytes.

        slots: of the vectors to bootstrap; the full number by default."""
        slots = self.parameters.slots if slots is None else slots
        return self._native.prepare_bootstrap(slots)

    def __repr__(self) -> str:
        return f"<halimede.ckks.Server with {self._keys!r}>"

    def _evaluate(self, sealed: CkksCiphertext, p: CkksPolynomial) -> CkksCiphertext:
        return _native.ckks_evaluate(self._native, sealed, p)

    def _evaluate_blocks(
        self, sealed: CkksCiphertext, p: list[CkksPolynomial], block: int
    ) -> CkksCiphertext:
        return _native.ckks_evaluate_blocks(self._native, sealed, p, block)

    def _matrix_of(self, entries: NDArray[Any], bound: Bound | None) -> Matrix:
        """The matrix of an array, by its content: an array may be changed after it was used."""
        entries = np.ascontiguousarray(entries)
        about = f"{entries.shape} {entries.dtype.str} {bound}".encode()
        content = hashlib.blake2b(about + b"\0" + entries.tobytes(), digest_size=32).digest()
        with self._lock:
            matrix = self._matrices.pop(content, None)
        if matrix is None:
            matrix = Matrix(self.parameters, entries, bound=bound)
        with self._lock:
            self._matrices[content] = matrix
            while len(self._matrices) > _KEPT_MATRICES:
                self._matrices.popitem(last=False)
        return matrix
