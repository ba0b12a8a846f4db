# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Functions of encrypted vectors, as NumPy has them of arrays."""

from __future__ import annotations

import functools
import math
from typing import Any

from halimede import _native
from halimede._native import CkksSign
from halimede.ckks._ciphertext import Ciphertext, Plain, common_server
from halimede.ckks._polynomial import Function

__all__ = [
    "apply", "conjugate", "dot", "greater", "inverse", "inverse_sqrt", "maximum", "mean", "minimum",
    "relu", "rotate", "sigmoid", "sign", "sqrt", "sum",
]


def sum(x: Ciphertext, count: int | None = None, batch: int = 1) -> Ciphertext:
    """The sum of all slots in each of them, or of some: see `Ciphertext.sum`."""
    return x.sum(count, batch)


def mean(x: Ciphertext) -> Ciphertext:
    """The mean of all slots in each of them, a level lower."""
    return x.mean()


def dot(x: Ciphertext, y: Ciphertext | Plain) -> Ciphertext:
    """The sum of products in every slot."""
    return x @ y


def rotate(x: Ciphertext, steps: int) -> Ciphertext:
    """The values turned to the left by `steps` slots, as numpy.roll(x, -steps)."""
    return x.rotate(steps)


def conjugate(x: Ciphertext) -> Ciphertext:
    """The complex conjugates."""
    return x.conjugate()


def apply(
    function: Function, x: Ciphertext, interval: tuple[float, float] | None = None, *,
    degree: int | None = None, error: float | None = None,
) -> Ciphertext:
    """A function of each value, by a polynomial: see `Ciphertext.apply`."""
    return x.apply(function, interval, degree=degree, error=error)


def sigmoid(
    x: Ciphertext, interval: tuple[float, float], *, degree: int | None = None,
    error: float | None = None,
) -> Ciphertext:
    """1/(1 + exp(-x)) of real values in an interval, by a polynomial of a degree or up to an error.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> x = client.server(multiply=True).bind(client.encrypt([-4.0, 0.0, 2.0]))
    >>> y = halimede.ckks.sigmoid(x, (-5, 5), error=1e-3)
    >>> np.allclose(client.decrypt(y)[:3], [0.01799, 0.5, 0.88080], atol=1.1e-3)
    True
    """
    return x.apply(_logistic, interval, degree=degree, error=error)


def sign(x: Ciphertext, sign: CkksSign | None = None, **rule: float) -> Ciphertext:
    """-1 or 1, the sign of each real value.

    sign: a `Sign`, or the numbers `bound`, `threshold` and `error` of one: values lie in
        [-bound, -threshold] or [threshold, bound], and the result is off by at most the error.

    Takes `Sign.levels` levels: the smaller the threshold is against the bound, the more.
    """
    return _by_sign("sign", x, sign, rule)


def relu(x: Ciphertext, sign: CkksSign | None = None, **rule: float) -> Ciphertext:
    """max(0, x), a level lower than the `sign`, whose arguments it has. Below the threshold it is off by
    less than that, elsewhere by half the sign's error times x."""
    return _by_sign("relu", x, sign, rule)


def greater(
    x: Ciphertext, y: Ciphertext | Plain, sign: CkksSign | None = None, **rule: float
) -> Ciphertext:
    """1 where x > y, and 0 where x < y, for differences that the `sign` is for."""
    if isinstance(y, Ciphertext):
        return _compared("greater", x, y, sign, rule)
    return _by_sign("positive", x - y, sign, rule)


def maximum(
    x: Ciphertext, y: Ciphertext, sign: CkksSign | None = None, **rule: float
) -> Ciphertext:
    """The larger of two values in each slot; as precise as `relu` of their difference."""
    return _compared("max", x, y, sign, rule)


def minimum(
    x: Ciphertext, y: Ciphertext, sign: CkksSign | None = None, **rule: float
) -> Ciphertext:
    """The smaller of two values in each slot; as precise as `relu` of their difference."""
    return _compared("min", x, y, sign, rule)


def inverse(x: Ciphertext, interval: tuple[float, float], *, error: float) -> Ciphertext:
    """1/x of real values in an interval without 0, off by at most the error."""
    return _refined("inverse", x, interval, error)


def sqrt(x: Ciphertext, interval: tuple[float, float], *, error: float) -> Ciphertext:
    """The square root of real values in an interval from 0 or above, off by at most the error."""
    return _refined("sqrt", x, interval, error)


def inverse_sqrt(x: Ciphertext, interval: tuple[float, float], *, error: float) -> Ciphertext:
    """1/sqrt(x) of real values in an interval above 0, off by at most the error."""
    return _refined("inverse_sqrt", x, interval, error)


def _logistic(x: float) -> float:
    """Without overflow for any x."""
    return 0.5 + 0.5 * math.tanh(x / 2)


@functools.lru_cache(maxsize=16)
def _sign_of(bound: float, threshold: float, error: float) -> CkksSign:
    return CkksSign(bound, threshold, error)


def _rule(sign: CkksSign | None, rule: dict[str, Any]) -> CkksSign:
    if isinstance(sign, CkksSign) and not rule:
        return sign
    if sign is not None or set(rule) != {"bound", "threshold", "error"}:
        raise TypeError("sign: give a halimede.ckks.Sign, or bound=, threshold= and error=")
    return _sign_of(float(rule["bound"]), float(rule["threshold"]), float(rule["error"]))


def _by_sign(
    what: str, x: Ciphertext, sign: CkksSign | None, rule: dict[str, float]
) -> Ciphertext:
    server = common_server(x)
    return Ciphertext(
        _native.ckks_sign(server._native, what, x._sealed, _rule(sign, rule)), server
    )


def _compared(
    what: str, x: Ciphertext, y: Ciphertext, sign: CkksSign | None, rule: dict[str, float]
) -> Ciphertext:
    server = common_server(x, y)
    compared = _native.ckks_compare(
        server._native, what, x._sealed, y._sealed, _rule(sign, rule)
    )
    return Ciphertext(compared, server)


def _refined(
    what: str, x: Ciphertext, interval: tuple[float, float], error: float
) -> Ciphertext:
    server = common_server(x)
    low, high = interval
    return Ciphertext(
        _native.ckks_refined(server._native, what, x._sealed, low, high, error), server
    )
