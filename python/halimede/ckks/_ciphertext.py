# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Encrypted vectors with NumPy's operators."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halimede import _native
from halimede._native import CkksCiphertext, CkksMatrix, CkksParameters, CkksSign
from halimede.ckks._bounded import Bound
from halimede.ckks._operators import FUNCTIONS, Operand
from halimede.ckks._polynomial import Function, polynomial, polynomials

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from halimede.ckks._server import Server

__all__ = ["Ciphertext", "common_server", "sealed_of"]


class Ciphertext(Operand):
    """An encrypted vector: an immutable value with a length.

    `Client.encrypt` and `Ciphertext.load` return one. Once a ciphertext is bound to a server
    (`Server.bind`, `Server.load`), the operators compute with it, and their results are bound to
    the same server: `+ - *` with ciphertexts, vectors and numbers, `/` by plain values, `**` with a
    positive integer, `<<` and `>>` for rotations, `@` for dot products and matrices, `x[i]` and
    `x[a:b]` for slices.

    Two properties are public: `bound`, which is derived from declared bounds, and `is_real`, which
    is true for vectors of real numbers and for results of real operations on them. The values
    cannot be known without the secret key, so comparisons and truth raise TypeError; the hash is
    that of the object.

    A pickle has the bytes and the parameters, but no server: bind the unpickled ciphertext with
    `Server.bind`. A copy is the same object.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> server = client.server(multiply=True, rotations=[1])
    >>> x = server.bind(client.encrypt(np.arange(8) / 8))
    >>> client.decrypt((1 - x) * x << 1)[:3].round(4).tolist()
    [0.1094, 0.1875, 0.2344]
    >>> len(x[2:7]), x[2:7].bound
    (5, (-1.0, 1.0))
    """

    __slots__ = ("_sealed", "_server")
    _ONE = "a ciphertext"
    _MANY = "ciphertexts"
    _functions: ClassVar[dict[Any, Callable[..., Any]]] = {
        **FUNCTIONS,
        np.shape: lambda a: a.shape,
        np.ndim: lambda a: a.ndim,
        np.size: lambda a: a.size,
    }
    _sealed: CkksCiphertext
    _server: Server | None

    def __init__(self, sealed: CkksCiphertext, server: Server | None = None) -> None:
        self._sealed = sealed
        self._server = server

    @staticmethod
    def load(
        source: str | os.PathLike[str] | Buffer, parameters: CkksParameters
    ) -> Ciphertext:
        """Loads a ciphertext from a file (path) or from the content of a file (bytes). Raises
        ValueError if it is damaged or has other parameters. Its precision is a claim of the file's
        writer."""
        return Ciphertext(CkksCiphertext.load(source, parameters))

    def to_bytes(self) -> bytes:
        """Returns the content of a file. A fresh ciphertext has half the size."""
        return self._sealed.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file atomically; replaces an existing one."""
        self._sealed.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """The parameters."""
        return self._sealed.parameters

    @property
    def server(self) -> Server | None:
        """The server that the ciphertext is bound to, or None."""
        return self._server

    @property
    def level(self) -> int:
        """The level: the multiplicative depth that is left before a bootstrap."""
        return self._sealed.level

    @property
    def scale(self) -> float:
        """The scale: the factor from values to the encrypted integers."""
        return self._sealed.scale

    @property
    def slots(self) -> int:
        """The number of slots: the length rounded up to a power of two."""
        return self._sealed.slots

    @property
    def key_id(self) -> str:
        """The identifier of the secret key that decrypts it. It is public; errors name it."""
        return self._sealed.key_id

    @property
    def precision(self) -> float:
        """The expected number of correct bits after the binary point."""
        return self._sealed.precision

    @property
    def error(self) -> float:
        """The expected standard deviation of a slot's error: 2**-precision."""
        return self._sealed.error

    @property
    def error_anywhere(self) -> float:
        """Like `error`, for all values within their declared bounds. `error` does not
        hold for values below the threshold of a sign; there, this is the difference from
        `Sign.value`."""
        return self._sealed.error_anywhere

    @property
    def has_claimed_error(self) -> bool:
        """True if the error, or a part of it, is a claim of the writer of a file, because somebody
        else computed the ciphertext."""
        return self._sealed.has_claimed_error

    @property
    def magnitude(self) -> float:
        """The bound of the absolute values, derived from declared bounds. Estimates of the errors
        of products use it."""
        return self._sealed.magnitude

    @property
    def bound(self) -> Bound:
        """The bound of the values, derived from declared bounds: the ends (low, high) of an
        interval of real numbers, or the largest absolute value of complex numbers."""
        return self._sealed.bound

    @property
    def is_real(self) -> bool:
        """True if all values are known to be real. They are then decrypted to float64."""
        return self._sealed.is_real

    @property
    def shape(self) -> tuple[int]:
        """(length,)"""
        return (len(self),)

    @property
    def ndim(self) -> int:
        """1"""
        return 1

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self)

    def __len__(self) -> int:
        return self._sealed.length

    def __repr__(self) -> str:
        numbers = f"{len(self)} values, level {self.level}, {self.precision:.0f} bits"
        return f"<halimede.ckks.Ciphertext of {numbers}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Ciphertext.load, (self.to_bytes(), self.parameters)

    def __copy__(self) -> Ciphertext:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Ciphertext:
        return self

    def rotate_many(self, steps: list[int]) -> list[Ciphertext]:
        """Rotates the values by each number of steps. The digit decomposition is computed once
        (hoisting)."""
        server = common_server(self)
        turned = [operator.index(by) % len(self) for by in steps]
        images = server._native.rotate_many(self._sealed, turned)
        return [Ciphertext(image, server) for image in images]

    def conjugate(self) -> Ciphertext:
        """Returns the complex conjugates."""
        server = common_server(self)
        return Ciphertext(server._native.conjugate(self._sealed), server)

    def sum(self, count: int | None = None, batch: int = 1) -> Ciphertext:
        """Returns the sum of all values, in every place; one level lower, unless the number of
        values is a power of two. Its rotations are `sum_rotations(len(x))`.

        count, batch: sum `count` consecutive batches of `batch` values instead: place i gets the
            sum of the places i, i + batch, … Without `count`, all batches are summed. The number of
            values must be a power of two. The rotations are `sum_rotations(count, batch)`.
        """
        server = common_server(self)
        if count is None:
            if operator.index(batch) == 1:
                return Ciphertext(server._native.sum(self._sealed), server)
            count = len(self) // max(1, operator.index(batch))
        return Ciphertext(server._native.inner_sum(self._sealed, count, batch, False), server)

    def replicate(self, count: int, batch: int = 1) -> Ciphertext:
        """Copies the first `batch` values to `count` batches; all other values must be zero. The
        length must be a power of two. The rotations are `sum_rotations(count, -batch)`."""
        server = common_server(self)
        return Ciphertext(server._native.inner_sum(self._sealed, count, batch, True), server)

    def mean(self) -> Ciphertext:
        """Returns the mean of all values, in every place, one level lower. Its rotations are
        `sum_rotations(len(x))`."""
        server = common_server(self)
        return Ciphertext(server._native.mean(self._sealed), server)

    def apply(
        self, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Ciphertext:
        """Applies a function to each value, by a polynomial.

        function: a function of a number; or a polynomial, ours or one of numpy.polynomial's, which
            is evaluated unchanged.
        interval: an interval that contains all values. `bound` must lie in it; `between` tightens
            the bound.
        degree, error: one of them, see `approximate`.

        Consumes ⌈log2(degree + 1)⌉ levels, and one more for an interval other than (-1, 1).
        """
        server = common_server(self)
        p = polynomial(function, interval, degree, error)
        return Ciphertext(server._evaluate(self._sealed, p), server)

    def apply_blocks(
        self, functions: Iterable[Function], block: int,
        interval: tuple[float, float] | None = None, *, degree: int | None = None,
        error: float | None = None,
    ) -> Ciphertext:
        """Applies one function per block of places, in the time and levels of a single function:
        place s uses `functions[s // block % len(functions)]`.

        functions: functions or polynomials, see `apply`; their number is a power of two.
            Polynomials are all in the power basis, or all on one interval.
        block: the number of places of a block, a power of two. The length of the vector is also a
            power of two.
        """
        server = common_server(self)
        p = polynomials(functions, interval, degree, error)
        return Ciphertext(server._evaluate_blocks(self._sealed, p, block), server)

    def at_level(self, level: int) -> Ciphertext:
        """Returns the same values at a lower level, where all operations are faster."""
        server = common_server(self)
        return Ciphertext(server._native.at_level(self._sealed, level), server)

    def bootstrap(self) -> Ciphertext:
        """Returns the same values at the level of fresh ciphertexts. A smaller `bound`, from 1
        down, gives a higher precision. The first bootstrap encodes matrices, which takes as long as
        several bootstraps; `Server.prepare_bootstrap` does so in advance."""
        server = common_server(self)
        return Ciphertext(server._native.bootstrap(self._sealed), server)

    def _negative(self) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.neg(self._sealed), server)

    def _plus(self, other: Ciphertext) -> Ciphertext:
        server = common_server(self, other)
        return Ciphertext(server._native.add(self._sealed, other._sealed), server)

    def _minus(self, other: Ciphertext) -> Ciphertext:
        server = common_server(self, other)
        return Ciphertext(server._native.sub(self._sealed, other._sealed), server)

    def _times(self, other: Ciphertext) -> Ciphertext:
        server = common_server(self, other)
        return Ciphertext(server._native.mul(self._sealed, other._sealed), server)

    def _plus_plain(self, values: NDArray[Any], bound: Bound | None) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.add_plain(self._sealed, values, bound), server)

    def _times_plain(self, values: NDArray[Any], bound: Bound | None) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.mul_plain(self._sealed, values, bound), server)

    def _times_integers(self, re: int, im: int) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.mul_gaussian(self._sealed, re, im), server)

    def _power(self, exponent: int) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.power(self._sealed, exponent), server)

    def _turned(self, steps: int) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.rotate(self._sealed, steps % len(self)), server)

    def _transformed(self, entries: NDArray[Any], bound: Bound | None) -> Ciphertext:
        return self._transformed_by(common_server(self)._matrix_of(entries, bound)._matrix)

    def _transformed_by(self, matrix: CkksMatrix) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(_native.ckks_transform(server._native, self._sealed, matrix), server)

    def _dot(self, other: Ciphertext) -> Ciphertext:
        server = common_server(self, other)
        return Ciphertext(server._native.dot(self._sealed, other._sealed), server)

    def _dot_plain(self, values: NDArray[Any], bound: Bound | None) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.dot_plain(self._sealed, values, bound), server)

    def _known_real(self) -> Ciphertext:
        return Ciphertext(self._sealed.known_real(), self._server)

    def _known_within(self, bound: Bound) -> Ciphertext:
        return Ciphertext(self._sealed.bounded(bound), self._server)

    def _ends(self, part: slice) -> tuple[int, int]:
        start, stop, _ = part.indices(len(self))
        if start >= stop:
            raise ValueError(
                f"x[{start}:{stop}] of {len(self)} values is empty, and a vector has one or more"
            )
        return start, stop

    def _place(self, place: int) -> int:
        if not -len(self) <= place < len(self):
            raise IndexError(f"x[{place}]: the vector has {len(self)} values")
        return place % len(self)

    def _part(self, start: int, stop: int) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.slice(self._sealed, start, stop), server)

    def _signed(self, what: str, sign: CkksSign) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(_native.ckks_sign(server._native, what, self._sealed, sign), server)

    def _compared(self, what: str, other: Ciphertext, sign: CkksSign) -> Ciphertext:
        server = common_server(self, other)
        pair = (self._sealed, other._sealed)
        return Ciphertext(_native.ckks_compare(server._native, what, *pair, sign), server)

    def _refined(self, what: str, interval: tuple[float, float], error: float) -> Ciphertext:
        server = common_server(self)
        low, high = interval
        refined = _native.ckks_refined(server._native, what, self._sealed, low, high, error)
        return Ciphertext(refined, server)


def sealed_of(value: Ciphertext) -> CkksCiphertext:
    """Returns the native ciphertext; raises TypeError for another type."""
    if not isinstance(value, Ciphertext):
        raise TypeError(f"got {type(value).__name__}, wanted a halimede.ckks.Ciphertext")
    return value._sealed


def common_server(*operands: Ciphertext) -> Server:
    """Returns the server that the operands are bound to. Unbound operands are allowed.

    Raises ValueError if no operand is bound or two are bound to different servers, TypeError for an
    operand that is not a ciphertext.
    """
    for operand in operands:
        sealed_of(operand)
    servers = [operand._server for operand in operands if operand._server is not None]
    if not servers:
        raise ValueError("the ciphertext is not bound to a server: use server.bind(x)")
    if any(server is not servers[0] for server in servers):
        raise ValueError("the ciphertexts are bound to two servers: bind both to one, server.bind(x)")
    return servers[0]
