# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Encrypted vectors with NumPy's operators."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from halimede._native import CkksCiphertext, CkksParameters
from halimede.ckks._polynomial import Function, polynomial

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from halimede.ckks._server import Server

__all__ = ["Ciphertext", "Plain", "common_server", "sealed_of"]

Plain = Union[complex, NDArray[Any], "list[Any]", "tuple[Any, ...]"]
"""A number or a vector that is not encrypted."""

_MOST_INTEGER = 1024
"""Products with integers up to this take no level: they make values and errors larger alike."""


class Ciphertext:
    """An encrypted vector: an immutable value.

    `Client.encrypt` makes one, `Ciphertext.load` reads one. Once it belongs to a server (`Server.bind`,
    `Server.load`), the operators compute with it, and what they give belongs to the server as well:
    `+ - *` with ciphertexts, vectors and numbers, `/` by what is not encrypted, `**` with a positive
    integer, `<<` and `>>` for rotations, `@` for dot products and matrices.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> server = client.server(multiply=True, rotations=[1])
    >>> x = server.bind(client.encrypt(np.arange(8) / 8))
    >>> client.decrypt((1 - x) * x << 1)[:3].real.round(4).tolist()
    [0.1094, 0.1875, 0.2344]
    """

    __slots__ = ("_sealed", "_server")
    __iter__ = None
    _sealed: CkksCiphertext
    _server: Server | None

    def __init__(self, sealed: CkksCiphertext, server: Server | None = None) -> None:
        self._sealed = sealed
        self._server = server

    @staticmethod
    def load(
        source: str | os.PathLike[str] | Buffer, parameters: CkksParameters
    ) -> Ciphertext:
        """A ciphertext from a file (its path) or its content (bytes). ValueError where it is damaged or
        of other parameters. Its precision is what whoever wrote it says."""
        return Ciphertext(CkksCiphertext.load(source, parameters))

    def to_bytes(self) -> bytes:
        """The content of a file of it; a fresh one has half the size."""
        return self._sealed.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file."""
        self._sealed.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """What it was made with."""
        return self._sealed.parameters

    @property
    def server(self) -> Server | None:
        """Who computes with it; None for one that belongs to no server."""
        return self._server

    @property
    def level(self) -> int:
        """Products that can follow one another before it must be bootstrapped."""
        return self._sealed.level

    @property
    def scale(self) -> float:
        """By how much the encrypted integers are larger than the values."""
        return self._sealed.scale

    @property
    def slots(self) -> int:
        """How many values there are, a power of two."""
        return self._sealed.slots

    @property
    def precision(self) -> float:
        """The bits behind the point that are expected to be right."""
        return self._sealed.precision

    @property
    def error(self) -> float:
        """The expected standard deviation of a slot's error: 2**-precision."""
        return self._sealed.error

    @property
    def magnitude(self) -> float:
        """A bound of the values' absolute value, from which errors of products are estimated."""
        return self._sealed.magnitude

    @property
    def shape(self) -> tuple[int]:
        """(slots,)"""
        return (self.slots,)

    @property
    def ndim(self) -> int:
        """1"""
        return 1

    @property
    def size(self) -> int:
        """The slots."""
        return self.slots

    def __len__(self) -> int:
        return self.slots

    def __repr__(self) -> str:
        numbers = f"{self.slots} slots, level {self.level}, {self.precision:.0f} bits"
        return f"<halimede.ckks.Ciphertext of {numbers}>"

    def rotate(self, steps: int) -> Ciphertext:
        """The values turned to the left: slot i takes the value of slot i + steps; negative ones turn to
        the right. Without a key for the step it is composed of the fewest for which there are keys."""
        server = common_server(self)
        turned = operator.index(steps) % self.slots
        return Ciphertext(server._native.rotate(self._sealed, turned), server)

    def rotate_many(self, steps: list[int]) -> list[Ciphertext]:
        """The values turned by each number of steps: what all have in common is done once."""
        server = common_server(self)
        turned = [operator.index(by) % self.slots for by in steps]
        images = server._native.rotate_many(self._sealed, turned)
        return [Ciphertext(image, server) for image in images]

    def conjugate(self) -> Ciphertext:
        """The complex conjugates."""
        server = common_server(self)
        return Ciphertext(server._native.conjugate(self._sealed), server)

    conj = conjugate

    @property
    def real(self) -> Ciphertext:
        """The real parts, a level lower: what errors left of an imaginary part is taken away."""
        return 0.5 * (self + self.conjugate())

    @property
    def imag(self) -> Ciphertext:
        """The imaginary parts, a level lower."""
        return -0.5j * (self - self.conjugate())

    def sum(self, count: int | None = None, batch: int = 1) -> Ciphertext:
        """The sum of `count` batches of `batch` slots that stand one after the other: slot i takes the
        sum of the slots i, i + batch, …; by default of all of them, which every slot takes then. The
        rotations that it takes are `sum_rotations(count, batch)`."""
        server = common_server(self)
        if count is None:
            count = self.slots // max(1, operator.index(batch))
        return Ciphertext(server._native.inner_sum(self._sealed, count, batch, False), server)

    def replicate(self, count: int, batch: int = 1) -> Ciphertext:
        """The first `batch` slots, the others being zero, in each of `count` batches. The rotations are
        `sum_rotations(count, -batch)`."""
        server = common_server(self)
        return Ciphertext(server._native.inner_sum(self._sealed, count, batch, True), server)

    def mean(self) -> Ciphertext:
        """The mean of all slots in each of them, a level lower."""
        return self.sum() * (1 / self.slots)

    def dot(self, other: Ciphertext | Plain) -> Ciphertext:
        """The sum of products, in every slot; or the product with a matrix. As `@`."""
        return self @ other

    def apply(
        self, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Ciphertext:
        """A function of each value, by a polynomial.

        function: of a number; or a polynomial, ours or one of numpy.polynomial's, which is evaluated as it
            is.
        interval: in which all values lie.
        degree, error: one of them, see `approximate`.

        Takes ⌈log2(degree + 1)⌉ levels, and one more for an interval other than (-1, 1).
        """
        server = common_server(self)
        p = polynomial(function, interval, degree, error)
        return Ciphertext(server._evaluate(self._sealed, p), server)

    def at_level(self, level: int) -> Ciphertext:
        """The same values at a lower level, where all that follows is faster."""
        server = common_server(self)
        return Ciphertext(server._native.at_level(self._sealed, level), server)

    def bootstrap(self) -> Ciphertext:
        """The same values, of absolute value up to 1, at the level of fresh ciphertexts. The first one
        encodes matrices, which takes as long as several; `Server.prepare_bootstrap` does so beforehand."""
        server = common_server(self)
        return Ciphertext(server._native.bootstrap(self._sealed), server)

    def __pos__(self) -> Ciphertext:
        return self

    def __neg__(self) -> Ciphertext:
        server = common_server(self)
        return Ciphertext(server._native.neg(self._sealed), server)

    def __add__(self, other: Ciphertext | Plain) -> Ciphertext:
        if isinstance(other, Ciphertext):
            server = common_server(self, other)
            return Ciphertext(server._native.add(self._sealed, other._sealed), server)
        if not _is_plain(other):
            return NotImplemented
        server = common_server(self)
        return Ciphertext(server._native.add_plain(self._sealed, other), server)

    __radd__ = __add__

    def __sub__(self, other: Ciphertext | Plain) -> Ciphertext:
        if isinstance(other, Ciphertext):
            server = common_server(self, other)
            return Ciphertext(server._native.sub(self._sealed, other._sealed), server)
        return self + np.negative(_numbers(other)) if _is_plain(other) else NotImplemented

    def __rsub__(self, other: Plain) -> Ciphertext:
        return -self + other if _is_plain(other) else NotImplemented

    def __mul__(self, other: Ciphertext | Plain) -> Ciphertext:
        if isinstance(other, Ciphertext):
            server = common_server(self, other)
            return Ciphertext(server._native.mul(self._sealed, other._sealed), server)
        if not _is_plain(other):
            return NotImplemented
        server = common_server(self)
        integers = _small_integers(other)
        if integers is None:
            return Ciphertext(server._native.mul_plain(self._sealed, other), server)
        return Ciphertext(server._native.mul_gaussian(self._sealed, *integers), server)

    __rmul__ = __mul__

    def __truediv__(self, other: Plain) -> Ciphertext:
        if isinstance(other, Ciphertext):
            raise TypeError("a quotient of ciphertexts: x * halimede.ckks.inverse(y, (low, high))")
        if not _is_plain(other):
            return NotImplemented
        numbers = _numbers(other)
        if not np.all(numbers):
            raise ZeroDivisionError("division of a ciphertext by zero")
        factors: NDArray[Any] = np.reciprocal(numbers.astype(np.result_type(numbers, np.float64)))
        product: Ciphertext = self * factors
        return product

    def __rtruediv__(self, other: Plain) -> Ciphertext:
        raise TypeError("a quotient by a ciphertext: a * halimede.ckks.inverse(x, (low, high))")

    def __pow__(self, exponent: int) -> Ciphertext:
        server = common_server(self)
        try:
            exponent = operator.index(exponent)
        except TypeError:
            raise TypeError(
                f"exponent: got {exponent!r}, wanted an integer; x.apply(lambda v: v ** {exponent!r}, "
                "interval, error=…) approximates other powers"
            ) from None
        return Ciphertext(server._native.power(self._sealed, exponent), server)

    def _squared(self) -> Ciphertext:
        return self * self

    def __lshift__(self, steps: int) -> Ciphertext:
        return self.rotate(steps)

    def __rshift__(self, steps: int) -> Ciphertext:
        return self.rotate(-operator.index(steps))

    def __matmul__(self, other: Ciphertext | Plain) -> Ciphertext:
        product: Ciphertext = self._times(other, np.transpose)
        return product

    def __rmatmul__(self, other: Plain) -> Ciphertext:
        product: Ciphertext = self._times(other, np.asarray)
        return product

    def _times(
        self, other: Ciphertext | Plain, turned: Callable[[NDArray[Any]], NDArray[Any]]
    ) -> Any:
        """The dot product with a vector, or the product with a matrix that is turned before."""
        if isinstance(other, Ciphertext):
            return (self * other).sum()
        if not _is_plain(other) or np.ndim(_numbers(other)) == 0:
            return NotImplemented
        numbers = _numbers(other)
        if numbers.ndim == 1:
            return (self * numbers).sum()
        return common_server(self)._matrix_of(turned(numbers)) @ self

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        raise TypeError("a ciphertext is no array: the client decrypts it, client.decrypt(x)")

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        of = _UFUNCS.get(ufunc) if method == "__call__" and not options else None
        if of is None:
            raise TypeError(
                f"numpy.{ufunc.__name__} is not computed on ciphertexts; a function of each value is "
                "approximated where values lie: x.apply(numpy.exp, (-1, 1), error=1e-6)"
            )
        here, there = of
        left, others = inputs[0], inputs[1:]
        if isinstance(left, Ciphertext):
            return getattr(left, here)(*others)
        # The ciphertext stands on the right.
        return getattr(others[0], there)(left) if there else NotImplemented

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: Any, options: Any
    ) -> Any:
        of = _FUNCTIONS.get(function)
        if of is None:
            raise TypeError(f"numpy.{function.__name__} is not computed on ciphertexts")
        return of(*arguments, **options)


_UFUNCS: dict[Any, tuple[str, str]] = {
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.divide: ("__truediv__", "__rtruediv__"),
    np.matmul: ("__matmul__", "__rmatmul__"),
    np.power: ("__pow__", ""),
    np.negative: ("__neg__", ""),
    np.positive: ("__pos__", ""),
    np.conjugate: ("conjugate", ""),
    np.square: ("_squared", ""),
}
"""The operator of a ufunc, and that for a ciphertext on the right."""


def _roll(a: Ciphertext, shift: int) -> Ciphertext:
    return a >> shift


def _dot(a: Any, b: Any) -> Any:
    return a @ b if isinstance(a, Ciphertext) else b.__rmatmul__(a)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: lambda a: a.sum(),
    np.mean: lambda a: a.mean(),
    np.roll: _roll,
    np.dot: _dot,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
}


def sealed_of(value: Ciphertext) -> CkksCiphertext:
    """What a ciphertext is about; TypeError for what is none."""
    if not isinstance(value, Ciphertext):
        raise TypeError(f"got {type(value).__name__}, wanted a halimede.ckks.Ciphertext")
    return value._sealed


def common_server(*operands: Ciphertext) -> Server:
    """The server of all that belong to one.

    Raises ValueError where none does, or two to different ones, TypeError for what is no ciphertext.
    """
    for operand in operands:
        sealed_of(operand)
    servers = [operand._server for operand in operands if operand._server is not None]
    if not servers:
        raise ValueError("the ciphertext belongs to no server that computes: server.bind(x) gives one")
    if any(server is not servers[0] for server in servers):
        raise ValueError("the ciphertexts belong to two servers: bind both to one, server.bind(x)")
    return servers[0]


def _is_plain(value: Any) -> bool:
    return isinstance(value, (int, float, complex, np.number, np.bool_, np.ndarray, list, tuple))


def _numbers(value: Plain) -> NDArray[Any]:
    """As an array of numbers."""
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "biufc":
        raise TypeError(f"operand: got an array of {numbers.dtype}, wanted numbers")
    return numbers if numbers.dtype.kind not in "bu" else numbers.astype(np.float64)


def _small_integers(value: Plain) -> tuple[int, int] | None:
    """Both parts of a number, where they are small integers."""
    numbers = _numbers(value)
    if numbers.ndim != 0:
        return None
    number = complex(numbers.item())
    parts = (number.real, number.imag)
    if all(part.is_integer() and abs(part) <= _MOST_INTEGER for part in parts):
        return int(parts[0]), int(parts[1])
    return None
