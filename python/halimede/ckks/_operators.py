# SPDX-License-Identifier: Apache-2.0 OR MIT
"""NumPy's operators for ciphertexts and expressions."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from halimede._native import CkksMatrix, CkksSign
from halimede.ckks._bounded import Bound, Plain, is_plain, negated, parts, reciprocals
from halimede.ckks._polynomial import Function

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FUNCTIONS", "Operand", "OperandT", "Plain", "check_kind"]

_MOST_INTEGER = 1024
"""Products with integers up to this consume no level: they scale values and errors alike."""


class Operand(ABC):
    """The base class of ciphertexts and expressions: the operators, on top of abstract operations.

    Comparisons raise TypeError, also `==` and `!=`. The hash is that of the object, so dictionaries
    and sets distinguish objects, not values.
    """

    __slots__ = ()
    __iter__ = None
    __reversed__ = None
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
    def _plus_plain(self, values: NDArray[Any], bound: Bound | None) -> Self: ...
    @abstractmethod
    def _times_plain(self, values: NDArray[Any], bound: Bound | None) -> Self: ...
    @abstractmethod
    def _times_integers(self, re: int, im: int) -> Self:
        """The product with re + im * 1j, which consumes no level."""
    @abstractmethod
    def _power(self, exponent: int) -> Self: ...
    @abstractmethod
    def _turned(self, steps: int) -> Self: ...
    @abstractmethod
    def _transformed(self, entries: NDArray[Any], bound: Bound | None) -> Self:
        """The product with an array of two axes."""
    @abstractmethod
    def _transformed_by(self, matrix: CkksMatrix) -> Self:
        """The product with a `Matrix`, which keeps its encodings."""
    @abstractmethod
    def _dot(self, other: Self) -> Self:
        """The sum of all products."""
    @abstractmethod
    def _dot_plain(self, values: NDArray[Any], bound: Bound | None) -> Self: ...
    @abstractmethod
    def _known_real(self) -> Self:
        """The same values, marked as real."""
    @abstractmethod
    def _known_within(self, bound: Bound) -> Self:
        """The same values, with a tighter bound."""
    @abstractmethod
    def _ends(self, part: slice) -> tuple[int, int]:
        """The first place of a slice, and the place after its last."""
    @abstractmethod
    def _place(self, place: int) -> int:
        """A place, counted from the start."""
    @abstractmethod
    def _part(self, start: int, stop: int) -> Self: ...
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
        """Rotates the values to the left, cyclically: place i gets the value of place i + steps.
        Negative steps rotate to the right. Without a key for the step, it is composed of the fewest
        steps with keys. Consumes a level unless the length is a power of two; see
        `roll_rotations`."""
        return self._turned(operator.index(steps))

    def bounded(self, magnitude: float) -> Self:
        """Promises that no absolute value exceeds `magnitude`. Derived bounds cover the worst case;
        a tighter bound makes functions, bootstraps and long products more precise, or possible at
        all. If the promise is wrong, results can be arbitrary."""
        return self._known_within(float(magnitude))

    def between(self, low: float, high: float) -> Self:
        """Promises that all values are real and lie between two numbers; see `bounded`."""
        return self._known_within((float(low), float(high)))

    def conj(self) -> Self:
        """Returns the complex conjugates."""
        return self.conjugate()

    @property
    def real(self) -> Self:
        """The real parts, one level lower. This also removes the imaginary parts of errors."""
        return (0.5 * (self + self.conjugate()))._known_real()

    @property
    def imag(self) -> Self:
        """The imaginary parts, as real values, one level lower."""
        return (-0.5j * (self - self.conjugate()))._known_real()

    def dot(self, other: Self | Plain) -> Self:
        """Returns the dot product, in every place, or the product with a matrix; the same as
        `@`."""
        return self @ other

    def __pos__(self) -> Self:
        return self

    def __neg__(self) -> Self:
        return self._negative()

    def __add__(self, other: Self | Plain) -> Self:
        if isinstance(other, Operand):
            return self._plus(other) if isinstance(other, type(self)) else NotImplemented
        return self._plus_plain(*parts(other)) if is_plain(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Self | Plain) -> Self:
        if isinstance(other, Operand):
            return self._minus(other) if isinstance(other, type(self)) else NotImplemented
        if not is_plain(other):
            return NotImplemented
        values, bound = parts(other)
        return self._plus_plain(np.negative(values), negated(bound))

    def __rsub__(self, other: Plain) -> Self:
        return -self + other if is_plain(other) else NotImplemented

    def __mul__(self, other: Self | Plain) -> Self:
        if isinstance(other, Operand):
            return self._times(other) if isinstance(other, type(self)) else NotImplemented
        return self._scaled(*parts(other)) if is_plain(other) else NotImplemented

    __rmul__ = __mul__

    def _scaled(self, values: NDArray[Any], bound: Bound | None) -> Self:
        """The product with plain values."""
        integers = _small_integers(values) if bound is None else None
        return self._times_plain(values, bound) if integers is None else self._times_integers(*integers)

    def __truediv__(self, other: Plain) -> Self:
        if isinstance(other, Operand):
            raise TypeError(
                f"a quotient of {self._MANY}: x * halimede.ckks.inverse(y, (low, high), error=…)"
            )
        if not is_plain(other):
            return NotImplemented
        if not np.all(parts(other)[0]):
            raise ZeroDivisionError(f"division of {self._ONE} by zero")
        return self._scaled(*reciprocals(other))

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
        if exponent == 0:
            raise ValueError("exponent: got 0, wanted an integer from 1: x**0 is 1, without any computation")
        if exponent < 0:
            raise ValueError(
                f"exponent: got {exponent}, wanted an integer from 1: halimede.ckks.inverse(x, (low, high), "
                "error=…) gives 1/x"
            )
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
        """The dot product with a vector, or the product with a transformed matrix."""
        if isinstance(other, Operand):
            if not isinstance(other, type(self)):
                return NotImplemented
            return self._dot(other)
        if not is_plain(other):
            return NotImplemented
        values, bound = parts(other)
        if values.ndim == 0:
            return NotImplemented
        if values.ndim == 1:
            return self._dot_plain(values, bound)
        return self._transformed(turned(values), bound)

    def __getitem__(self, item: int | slice) -> Self:
        """Returns a value as a vector of length 1, or a slice as a vector; one level lower, unless
        the result has the same number of slots. `slice_rotations` returns the rotations that need
        keys."""
        if isinstance(item, slice):
            if item.step not in (None, 1):
                raise ValueError(f"x[start:stop:{item.step}]: got a step of {item.step}, wanted 1")
            return self._part(*self._ends(item))
        try:
            place = self._place(operator.index(item))
        except TypeError as error:
            if hasattr(item, "__index__"):
                raise
            kind = type(item).__name__
            raise TypeError(f"index: got {kind}, wanted an integer or start:stop") from error
        return self._part(place, place + 1)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError(_no_comparison(self))

    def __ne__(self, other: object) -> NoReturn:
        raise TypeError(_no_comparison(self))

    def __lt__(self, other: object) -> NoReturn:
        raise TypeError(_no_comparison(self))

    def __le__(self, other: object) -> NoReturn:
        raise TypeError(_no_comparison(self))

    def __gt__(self, other: object) -> NoReturn:
        raise TypeError(_no_comparison(self))

    def __ge__(self, other: object) -> NoReturn:
        raise TypeError(_no_comparison(self))

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self._ONE} is neither true nor false, since nobody but the client knows its values; `x is None` "
            "checks for a missing one"
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        raise TypeError(f"{self._ONE} is not an array: the client decrypts it, client.decrypt(x)")

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Any:
        if ufunc in _COMPARISONS:
            raise TypeError(_no_comparison(self))
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
        # Only the right operand is of this class.
        return getattr(others[0], there)(left) if there else NotImplemented

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: Any, options: Any
    ) -> Any:
        of = self._functions.get(function)
        if of is None:
            raise TypeError(f"numpy.{function.__name__} is not computed on {self._MANY}")
        return of(*arguments, **options)


OperandT = TypeVar("OperandT", bound=Operand)
"""A ciphertext or an expression."""

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
"""The method of a ufunc for a left operand, and that for a right operand."""

_COMPARISONS = frozenset(
    [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
)


def _dot(a: Any, b: Any) -> Any:
    return a @ b if isinstance(a, Operand) else b.__rmatmul__(a)


def _no_comparison(operand: Operand) -> str:
    return (
        f"{operand._MANY} are not compared, since nobody but the client knows their values: "
        "halimede.ckks.greater(x, y, bound=…, threshold=…, error=…) computes 1 or 0 in each place, and `is` "
        "compares objects"
    )


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: lambda a: a.sum(),
    np.mean: lambda a: a.mean(),
    np.roll: lambda a, shift: a >> shift,
    np.dot: _dot,
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
}
"""NumPy's functions that ciphertexts and expressions both support."""


def check_kind(x: OperandT, *others: OperandT) -> OperandT:
    """Checks that all operands are ciphertexts or all are expressions; raises TypeError if not."""
    for other in (x, *others):
        if not isinstance(other, Operand):
            kind = type(other).__name__
            raise TypeError(f"got {kind}, wanted a halimede.ckks.Ciphertext or Expression")
        if not isinstance(other, type(x)):
            raise TypeError(f"got {x._ONE} and {other._ONE}, wanted two of one kind")
    return x


def _small_integers(numbers: NDArray[Any]) -> tuple[int, int] | None:
    """Returns the real and imaginary part of a number if both are small integers."""
    if numbers.ndim != 0:
        return None
    number = complex(numbers.item())
    parts = (number.real, number.imag)
    if all(part.is_integer() and abs(part) <= _MOST_INTEGER for part in parts):
        return int(parts[0]), int(parts[1])
    return None
