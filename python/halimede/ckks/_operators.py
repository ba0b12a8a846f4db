# SPDX-License-Identifier: Apache-2.0 OR MIT
"""NumPy's operators, for what is computed with and is no array."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from halimede._native import CkksMatrix, CkksSign
from halimede.ckks._polynomial import Function

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FUNCTIONS", "Operand", "OperandT", "Plain", "check_kind"]

Plain = Union[complex, NDArray[Any], "list[Any]", "tuple[Any, ...]"]
"""A number or a vector that is not encrypted."""

_MOST_INTEGER = 1024
"""Products with integers up to this take no level: they make values and errors larger alike."""


class Operand(ABC):
    """What the operators are made of: each kind does a few things in its own way."""

    __slots__ = ()
    __iter__ = None
    _ONE: ClassVar[str]
    _MANY: ClassVar[str]
    _functions: ClassVar[dict[Any, Callable[..., Any]]]

    @abstractmethod
    def _negative(self) -> Self: ...
    @abstractmethod
    def _plus(self, other: Self) -> Self: ...
    @abstractmethod
    def _minus(self, other: Self) -> Self: ...
    @abstractmethod
    def _times(self, other: Self) -> Self: ...
    @abstractmethod
    def _plus_plain(self, values: Plain) -> Self: ...
    @abstractmethod
    def _times_plain(self, values: Plain) -> Self: ...
    @abstractmethod
    def _times_integers(self, re: int, im: int) -> Self:
        """The product with re + im * 1j, which takes no level."""
    @abstractmethod
    def _power(self, exponent: int) -> Self: ...
    @abstractmethod
    def _turned(self, steps: int) -> Self: ...
    @abstractmethod
    def _transformed(self, entries: NDArray[Any]) -> Self:
        """The product with an array of two axes."""
    @abstractmethod
    def _transformed_by(self, matrix: CkksMatrix) -> Self:
        """The product with a matrix that is kept."""
    @abstractmethod
    def _summed(self, factor: NDArray[Any] | None) -> Self:
        """The sum of all slots of a product, of which a factor may not be encrypted."""
    @abstractmethod
    def _signed(self, what: str, sign: CkksSign) -> Self: ...
    @abstractmethod
    def _compared(self, what: str, other: Self, sign: CkksSign) -> Self: ...
    @abstractmethod
    def _refined(self, what: str, interval: tuple[float, float], error: float) -> Self: ...

    @abstractmethod
    def conjugate(self) -> Self:
        """The complex conjugates."""

    @abstractmethod
    def sum(self, count: int | None = None, batch: int = 1) -> Self:
        """The sum of batches."""

    @abstractmethod
    def mean(self) -> Self:
        """The mean."""

    @abstractmethod
    def apply(
        self, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Self:
        """A function of each value."""

    def rotate(self, steps: int) -> Self:
        """The values turned to the left: slot i takes the value of slot i + steps; negative ones turn to
        the right. Without a key for the step it is composed of the fewest for which there are keys."""
        return self._turned(operator.index(steps))

    def conj(self) -> Self:
        """The complex conjugates."""
        return self.conjugate()

    @property
    def real(self) -> Self:
        """The real parts, a level lower: what errors left of an imaginary part is taken away."""
        return 0.5 * (self + self.conjugate())

    @property
    def imag(self) -> Self:
        """The imaginary parts, a level lower."""
        return -0.5j * (self - self.conjugate())

    def dot(self, other: Self | Plain) -> Self:
        """The sum of products, in every slot; or the product with a matrix. As `@`."""
        return self @ other

    def __pos__(self) -> Self:
        return self

    def __neg__(self) -> Self:
        return self._negative()

    def __add__(self, other: Self | Plain) -> Self:
        if isinstance(other, Operand):
            return self._plus(other) if isinstance(other, type(self)) else NotImplemented
        return self._plus_plain(other) if _is_plain(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Self | Plain) -> Self:
        if isinstance(other, Operand):
            return self._minus(other) if isinstance(other, type(self)) else NotImplemented
        if not _is_plain(other):
            return NotImplemented
        return self._plus_plain(np.negative(_numbers(other)))

    def __rsub__(self, other: Plain) -> Self:
        return -self + other if _is_plain(other) else NotImplemented

    def __mul__(self, other: Self | Plain) -> Self:
        if isinstance(other, Operand):
            return self._times(other) if isinstance(other, type(self)) else NotImplemented
        if not _is_plain(other):
            return NotImplemented
        integers = _small_integers(other)
        return self._times_plain(other) if integers is None else self._times_integers(*integers)

    __rmul__ = __mul__

    def __truediv__(self, other: Plain) -> Self:
        if isinstance(other, Operand):
            raise TypeError(
                f"a quotient of {self._MANY}: x * halimede.ckks.inverse(y, (low, high), error=…)"
            )
        if not _is_plain(other):
            return NotImplemented
        numbers = _numbers(other)
        if not np.all(numbers):
            raise ZeroDivisionError(f"division of {self._ONE} by zero")
        factors: NDArray[Any] = np.reciprocal(numbers.astype(np.result_type(numbers, np.float64)))
        return self * factors

    def __rtruediv__(self, other: Plain) -> Self:
        raise TypeError(
            f"a quotient by {self._ONE}: a * halimede.ckks.inverse(x, (low, high), error=…)"
        )

    def __pow__(self, exponent: int) -> Self:
        try:
            exponent = operator.index(exponent)
        except TypeError:
            raise TypeError(
                f"exponent: got {exponent!r}, wanted an integer; x.apply(lambda v: v ** {exponent!r}, "
                "interval, error=…) approximates other powers"
            ) from None
        return self._power(exponent)

    def _squared(self) -> Self:
        return self * self

    def __lshift__(self, steps: int) -> Self:
        return self.rotate(steps)

    def __rshift__(self, steps: int) -> Self:
        return self.rotate(-operator.index(steps))

    def __matmul__(self, other: Self | Plain) -> Self:
        product: Self = self._product(other, np.transpose)
        return product

    def __rmatmul__(self, other: Plain) -> Self:
        product: Self = self._product(other, np.asarray)
        return product

    def _product(
        self, other: Self | Plain, turned: Callable[[NDArray[Any]], NDArray[Any]]
    ) -> Any:
        """The dot product with a vector, or the product with a matrix that is turned before."""
        if isinstance(other, Operand):
            if not isinstance(other, type(self)):
                return NotImplemented
            return self._times(other)._summed(None)
        if not _is_plain(other) or np.ndim(_numbers(other)) == 0:
            return NotImplemented
        numbers = _numbers(other)
        if numbers.ndim == 1:
            return self._times_plain(numbers)._summed(numbers)
        return self._transformed(turned(numbers))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        raise TypeError(f"{self._ONE} is no array: the client decrypts it, client.decrypt(x)")

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        of = _UFUNCS.get(ufunc) if method == "__call__" and not options else None
        if of is None:
            raise TypeError(
                f"numpy.{ufunc.__name__} is not computed on {self._MANY}; a function of each value is "
                "approximated where values lie: x.apply(numpy.exp, (-1, 1), error=1e-6)"
            )
        here, there = of
        left, others = inputs[0], inputs[1:]
        if isinstance(left, Operand):
            return getattr(left, here)(*others)
        # The one of this kind stands on the right.
        return getattr(others[0], there)(left) if there else NotImplemented

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: Any, options: Any
    ) -> Any:
        of = self._functions.get(function)
        if of is None:
            raise TypeError(f"numpy.{function.__name__} is not computed on {self._MANY}")
        return of(*arguments, **options)


OperandT = TypeVar("OperandT", bound=Operand)
"""Of one kind: a ciphertext or an expression."""

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
"""The operator of a ufunc, and that for an operand on the right."""


def _dot(a: Any, b: Any) -> Any:
    return a @ b if isinstance(a, Operand) else b.__rmatmul__(a)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.roll: lambda a, shift: a >> shift,
    np.dot: _dot,
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
}
"""Functions of NumPy that every kind has."""


def check_kind(x: OperandT, *others: OperandT) -> OperandT:
    """That it is computed with, and others in the same way; TypeError where not."""
    for other in (x, *others):
        if not isinstance(other, Operand):
            kind = type(other).__name__
            raise TypeError(f"got {kind}, wanted a halimede.ckks.Ciphertext or Expression")
        if not isinstance(other, type(x)):
            raise TypeError(f"got {x._ONE} and {other._ONE}, wanted two of one kind")
    return x


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
