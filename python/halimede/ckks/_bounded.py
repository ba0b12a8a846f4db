# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plain values with declared bounds."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from halimede._native import CkksInput

__all__ = ["Bound", "Bounded", "Plain", "bounded", "is_plain", "parts"]

Bound = Union[float, tuple[float, float]]
"""A bound: the largest absolute value, or the ends of an interval of real numbers."""

DEFAULT_BOUND = 1.0
"""The bound of vectors and matrices for which none is declared."""

_SLACK = 1e-9
"""The relative excess over a bound that is tolerated, since decimal bounds are rounded."""


class Bounded:
    """A number or an array of one or two axes, with a declared bound of its values. `bounded`
    returns one. It can replace an array in any operation with an encrypted operand.

    The bound is public: the bounds of results are derived from it. The values are not public.
    """

    __slots__ = ("_bound", "_values")

    def __init__(self, values: Any, bound: Bound) -> None:
        self._values = numbers(values)
        if bound is None:
            raise TypeError("bound: got None, wanted a number, or a pair of them (low, high)")
        # Raises for an invalid bound.
        CkksInput(bound, real=self._values.dtype.kind != "c")
        self._bound = bound

    @property
    def values(self) -> NDArray[Any]:
        """The array."""
        return self._values

    @property
    def bound(self) -> Bound:
        """The declared bound of the values."""
        return self._bound

    def __repr__(self) -> str:
        return f"<halimede.ckks.Bounded of shape {self._values.shape}, bound {self._bound}>"


Plain = Union[complex, NDArray[Any], list[Any], tuple[Any, ...], Bounded]
"""A number, a vector or a matrix that is not encrypted."""


def bounded(values: Any, bound: Bound) -> Bounded:
    """Returns a plain array with a declared bound: the largest absolute value, or the ends (low,
    high) of an interval of real numbers.

    Arrays without a declared bound have the bound 1. A bound is public, so choose it for all values
    that can occur, and not for the actual ones. Numbers, as in `3.5 * x`, are part of the
    computation and need no bound.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> x = client.server().bind(client.encrypt([0.5, -1.0]))
    >>> y = x * halimede.ckks.bounded([3.0, 2.5], 4.0)
    >>> y.bound, client.decrypt(y).round(4).tolist()
    ((-4.0, 4.0), [1.5, -2.5])
    """
    return Bounded(values, bound)


def is_plain(value: Any) -> bool:
    """Returns True if a value can be the plain operand of an operation with an encrypted
    operand."""
    plain = (int, float, complex, np.number, np.bool_, np.ndarray, list, tuple, Bounded)
    return isinstance(value, plain)


def parts(value: Plain) -> tuple[NDArray[Any], Bound | None]:
    """Returns the array and its declared bound."""
    if isinstance(value, Bounded):
        return value.values, value.bound
    return numbers(value), None


def numbers(value: Any) -> NDArray[Any]:
    """Converts a value to an array of numbers."""
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"operand: got an array of {array.dtype}, wanted numbers")
    return array if array.dtype.kind not in "bu" else array.astype(np.float64)


def negated(bound: Bound | None) -> Bound | None:
    """Returns the bound of the negated values."""
    return (-bound[1], -bound[0]) if isinstance(bound, tuple) else bound


def reciprocals(value: Plain) -> tuple[NDArray[Any], Bound | None]:
    """Returns the reciprocal of each value. The declared bound applies to the reciprocals; raises
    ValueError if they exceed it."""
    array, bound = parts(value)
    factors: NDArray[Any] = np.reciprocal(array.astype(np.result_type(array, np.float64)))
    is_data = factors.ndim > 0 or bound is not None
    if not is_data or not np.all(np.isfinite(factors)):
        return factors, bound
    low, high = bound if isinstance(bound, tuple) else (0.0, DEFAULT_BOUND if bound is None else bound)
    of = factors if isinstance(bound, tuple) else np.abs(factors)
    slack = _SLACK * max(abs(low), abs(high))
    if np.iscomplexobj(of) or np.all((low - slack <= of) & (of <= high + slack)):
        return factors, bound
    declared = f"{DEFAULT_BOUND:g} is" if bound is None else f"{bound} is declared as"
    raise ValueError(
        f"a quotient is a product with reciprocals, and {declared} their bound, which is public; "
        f"the largest here is {np.abs(factors).max():g}: x / halimede.ckks.bounded(values, b), where b is "
        "the largest possible |1/value|"
    )
