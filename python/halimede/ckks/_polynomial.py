# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Polynomials, and polynomial approximations of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Union

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial import Polynomial as PowerSeries
from numpy.polynomial._polybase import ABCPolyBase

from halimede._native import CkksPolynomial

__all__ = ["Function", "approximate", "polynomial", "polynomials"]

Function = Union[CkksPolynomial, ABCPolyBase, Callable[[float], Any]]
"""A polynomial (ours or one of numpy.polynomial's) or a function of a number."""


def approximate(
    function: Callable[[float], Any], interval: tuple[float, float], *,
    degree: int | None = None, error: float | None = None,
) -> CkksPolynomial:
    """Returns the Chebyshev interpolation of a function on an interval.

    function: from a real number to a real or complex number; called at some hundred points.
    interval: an interval that contains all values; outside, the polynomial grows without bound.
    degree, error: one of them. With `error`, the smallest degree whose difference from the function
        is at most this error.

    Raises ValueError for an invalid interval, a function that is not finite there, and an error
    that needs too high a degree.

    >>> p = halimede.ckks.approximate(np.tanh, (-3, 3), error=1e-3)
    >>> p.degree, p.levels, p.error <= 1e-3
    (15, 5, True)
    """
    if (degree is None) == (error is None):
        raise TypeError("degree, error: give one of them")
    low, high = _interval(interval)
    return CkksPolynomial.approximation(function, low, high, degree, error)


def polynomial(
    function: Function, interval: tuple[float, float] | None, degree: int | None,
    error: float | None,
) -> CkksPolynomial:
    """Returns the polynomial that a server evaluates for a function. `interval`, `degree` and
    `error` are only for functions that are not polynomials."""
    if isinstance(function, (CkksPolynomial, ABCPolyBase)):
        if interval is not None or degree is not None or error is not None:
            raise TypeError("interval, degree, error: not for a polynomial, which is evaluated unchanged")
        return function if isinstance(function, CkksPolynomial) else _of_numpy(function)
    if not callable(function):
        kind = type(function).__name__
        raise TypeError(f"function: got {kind}, wanted a function or a polynomial")
    if interval is None:
        raise TypeError("interval: a function needs an interval that contains all values, e.g. (-1, 1)")
    return approximate(function, interval, degree=degree, error=error)


def polynomials(
    functions: Iterable[Function], interval: tuple[float, float] | None, degree: int | None,
    error: float | None,
) -> list[CkksPolynomial]:
    """Returns the polynomials for one function per block."""
    return [polynomial(function, interval, degree, error) for function in functions]


def _of_numpy(series: ABCPolyBase) -> CkksPolynomial:
    """Converts a series of any family: a power series in x to the power basis, others to the
    Chebyshev basis on their domain."""
    is_plain = np.array_equal(series.domain, series.window)
    if isinstance(series, PowerSeries) and is_plain:
        return CkksPolynomial.monomial(series.coef)
    in_chebyshev = series.convert(domain=series.domain, kind=Chebyshev, window=[-1, 1])
    low, high = _interval((series.domain[0], series.domain[1]))
    return CkksPolynomial.chebyshev(in_chebyshev.coef, low, high)


def _interval(interval: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = interval
        return float(low), float(high)
    except (TypeError, ValueError):
        raise TypeError(f"interval: got {interval!r}, wanted two numbers") from None
