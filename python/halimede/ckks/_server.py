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
"""The number of plain arrays, the last used as matrices, whose encodings a server caches."""


class EvaluationKeys:
    """The keys that a server needs for a stated list of operations. They reveal nothing about the
    secret key.

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
        """Loads keys from a file (path) or its content (bytes).

        parameters: the required parameters; by default, those that the file names.
        insecure: accept a file that names insecure parameters, which are only for tests.
        """
        return EvaluationKeys(CkksServer.load(source, parameters, insecure))

    def to_bytes(self) -> bytes:
        """Returns the content of a file: half of the size in memory."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file atomically, key by key; replaces an existing one."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """The parameters."""
        return self._native.parameters

    @property
    def operations(self) -> list[str]:
        """The operations with keys: "multiply", "conjugate", "bootstrap"."""
        return self._native.operations[0]

    @property
    def rotations(self) -> list[int]:
        """The steps with a rotation key; other steps are composed of these."""
        return self._native.operations[1]

    @property
    def key_id(self) -> str | None:
        """The identifier of the secret key that the keys belong to; None without keys."""
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
    """A matrix for products with encrypted vectors; it is encoded once for each level.

    parameters: the parameters of the vectors.
    entries: array_like of two axes, real or complex by its type. The product with a vector of one
        value per column is a vector of one value per row.
    bound: the largest absolute value of an entry, 1 by default; or the ends of an interval of real
        entries. It is public, and bounds of products are derived from it.
    row_sum: the largest sum of the absolute values of a row. It is public too, and tightens the
        bounds of products.
    public: the entries are public and need no bound.
    level: a level to encode for at once; for other levels, the first use encodes.

    The computation reveals which diagonals are zero, and so the rotations, even if the entries are
    not public.

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
            raise TypeError("bound: already declared with the entries")
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
        """The number of nonzero diagonals, on which the time of a product depends."""
        return self._matrix.diagonals

    @property
    def rotations(self) -> list[int]:
        """The steps for which a server needs rotation keys."""
        return self._matrix.rotations

    def __matmul__(self, vector: OperandT) -> OperandT:
        """Returns the product with an encrypted vector, one level lower; or with an expression."""
        if not isinstance(vector, Operand):
            return NotImplemented
        return vector._transformed_by(self._matrix)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<halimede.ckks.Matrix of {rows} rows and {columns} columns>"


class Server:
    """Computes on ciphertexts. It holds evaluation keys, and no secret key. Threads may share a
    server.

    device: a `halimede.Device` with CKKS programs, on which `run` computes expressions and plans;
        this processor by default. A card keeps the keys that it has received. The results are
        identical, bit for bit. The operators always use this processor.

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
        """Returns the ciphertext, bound to this server. Raises ValueError if it has other
        parameters or another secret key than the server's keys."""
        sealed = sealed_of(ciphertext)
        self._native.check(sealed)
        return Ciphertext(sealed, self)

    def load(self, source: str | os.PathLike[str] | Buffer) -> Ciphertext:
        """Loads a ciphertext from a file (path) or its content (bytes), and binds it."""
        return self.bind(Ciphertext.load(source, self.parameters))

    def matrix(
        self, entries: Plain, *, level: int | None = None, bound: Bound | None = None,
        row_sum: float | None = None, public: bool = False,
    ) -> Matrix:
        """Returns a `Matrix` for repeated products; `entries @ x` caches only the last few
        matrices."""
        return Matrix(
            self.parameters, entries, bound=bound, row_sum=row_sum, public=public, level=level
        )

    def evaluate(
        self, x: Ciphertext, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Ciphertext:
        """Applies a function to each value, by a polynomial: see `Ciphertext.apply`."""
        return self.bind(x).apply(function, interval, degree=degree, error=error)

    def run(self, computation: Expression | Plan, /, **inputs: Ciphertext) -> Ciphertext:
        """Computes an expression of named inputs.

        computation: an expression, which is planned for these ciphertexts; or a plan. The
            ciphertexts must fit the plan: the same length, at least its level, and values within
            its bound.

        Bootstraps where levels run out. Drops a value after its last use. Before any computation,
        raises ValueError for names that differ from the expression's, for an expression without a
        plan, and for missing keys. Raises DeviceError if the server's device fails. Ctrl-C ends the
        computation between two steps.
        """
        sealed = [(name, sealed_of(given)) for name, given in inputs.items()]
        plan = computation
        if not isinstance(plan, Plan):
            plan = Plan(plan, self.parameters, inputs)
        return Ciphertext(_native.ckks_run(self._native, plan._native, sealed, self._programs), self)

    def explicit(self) -> Explicit:
        """Returns the interface in which the caller does each relinearization, each rescaling and
        each change of a level."""
        return Explicit(self)

    def record(
        self, work: Callable[..., Ciphertext | Sequence[Ciphertext]], /, *inputs: Ciphertext
    ) -> tuple[list[Ciphertext], CkksTrace]:
        """Returns the results of `work` on the inputs, and the trace of its ring operations.

        work: computes one or more ciphertexts with the operators; it is called with the inputs,
            bound to this server.

        The trace also records what other threads compute at the same time with the same parameters;
        of two concurrent records, one is lost. Prepare bootstraps before, or the trace includes
        their encoding.

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
        """True if the parameters have the levels and the server the keys for bootstraps."""
        return self._native.can_bootstrap

    def prepare_bootstrap(self, slots: int | None = None) -> int:
        """Encodes the matrices of bootstraps in advance, and returns their size in bytes.

        slots: the number of slots of the vectors to bootstrap; the full number by default."""
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
        """Returns the cached matrix of an array, found by its content, since arrays are mutable."""
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
