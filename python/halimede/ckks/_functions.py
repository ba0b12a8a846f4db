# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Functions of encrypted vectors and of expressions, after NumPy's."""

from __future__ import annotations

import functools
import math
from typing import Any

from halimede._native import CkksSign
from halimede.ckks._bounded import Plain
from halimede.ckks._operators import Operand, OperandT, check_kind
from halimede.ckks._polynomial import Function

__all__ = [
    "apply", "conjugate", "dot", "greater", "inverse", "inverse_sqrt", "maximum", "mean", "minimum",
    "relu", "rotate", "sigmoid", "sign", "sqrt", "sum",
]


def sum(x: OperandT, count: int | None = None, batch: int = 1) -> OperandT:
    """Returns the sum of all values in every place, or of batches: see `Ciphertext.sum`."""
    return x.sum(count, batch)


def mean(x: OperandT) -> OperandT:
    """Returns the mean of all values in every place, one level lower."""
    return x.mean()


def dot(x: OperandT, y: OperandT | Plain) -> OperandT:
    """Returns the dot product in every place."""
    return x @ y


def rotate(x: OperandT, steps: int) -> OperandT:
    """Rotates the values to the left by `steps` places, like numpy.roll(x, -steps)."""
    return x.rotate(steps)


def conjugate(x: OperandT) -> OperandT:
    """Returns the complex conjugates."""
    return x.conjugate()


def apply(
    function: Function, x: OperandT, interval: tuple[float, float] | None = None, *,
    degree: int | None = None, error: float | None = None,
) -> OperandT:
    """Applies a function to each value, by a polynomial: see `Ciphertext.apply`."""
    return x.apply(function, interval, degree=degree, error=error)


def sigmoid(
    x: OperandT, interval: tuple[float, float], *, degree: int | None = None,
    error: float | None = None,
) -> OperandT:
    """1/(1 + exp(-x)) of real values in an interval, by a polynomial of a given degree or error.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> x = client.server(multiply=True).bind(client.encrypt([-4.0, 0.0, 2.0], bound=5))
    >>> y = halimede.ckks.sigmoid(x, (-5, 5), error=1e-3)
    >>> np.allclose(client.decrypt(y), [0.01799, 0.5, 0.88080], atol=1.1e-3)
    True
    """
    return x.apply(_logistic, interval, degree=degree, error=error)


def sign(x: OperandT, sign: CkksSign | None = None, **rule: float) -> OperandT:
    """-1 or 1, the sign of each real value.

    sign: a `Sign`, or the numbers `bound`, `threshold` and `error` of one: values lie in
        [-bound, -threshold] or [threshold, bound], and the result is off by at most the error.

    Consumes `Sign.levels` levels: the smaller threshold / bound, the more levels.
    """
    return check_kind(x)._signed("sign", _rule(sign, rule))


def relu(x: OperandT, sign: CkksSign | None = None, **rule: float) -> OperandT:
    """max(0, x), one level lower than `sign` with the same arguments. The error is below the
    threshold for |x| below the threshold, and half the sign's error times x elsewhere."""
    return check_kind(x)._signed("relu", _rule(sign, rule))


def greater(
    x: OperandT, y: OperandT | Plain, sign: CkksSign | None = None, **rule: float
) -> OperandT:
    """1 where x > y and 0 where x < y, for differences in the range of `sign`."""
    if isinstance(y, Operand):
        return check_kind(x, y)._compared("greater", y, _rule(sign, rule))
    return (check_kind(x) - y)._signed("positive", _rule(sign, rule))


def maximum(
    x: OperandT, y: OperandT, sign: CkksSign | None = None, **rule: float
) -> OperandT:
    """The larger of two values in each place; as precise as `relu` of their difference."""
    return check_kind(x, y)._compared("max", y, _rule(sign, rule))


def minimum(
    x: OperandT, y: OperandT, sign: CkksSign | None = None, **rule: float
) -> OperandT:
    """The smaller of two values in each place; as precise as `relu` of their difference."""
    return check_kind(x, y)._compared("min", y, _rule(sign, rule))


def inverse(x: OperandT, interval: tuple[float, float], *, error: float) -> OperandT:
    """1/x of real values in an interval without 0, with at most this error."""
    return _refined("inverse", x, interval, error)


def sqrt(x: OperandT, interval: tuple[float, float], *, error: float) -> OperandT:
    """The square root of real values in an interval from 0 or above, with at most this error."""
    return _refined("sqrt", x, interval, error)


def inverse_sqrt(x: OperandT, interval: tuple[float, float], *, error: float) -> OperandT:
    """1/sqrt(x) of real values in an interval above 0, with at most this error."""
    return _refined("inverse_sqrt", x, interval, error)


def _logistic(x: float) -> float:
    """1/(1 + exp(-x)), without overflow for any x."""
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


def _refined(
    what: str, x: OperandT, interval: tuple[float, float], error: float
) -> OperandT:
    low, high = interval
    return check_kind(x)._refined(what, (low, high), error)
