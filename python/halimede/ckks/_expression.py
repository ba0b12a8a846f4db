# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Computations that are written down before they are done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from numpy.typing import NDArray

from halimede._native import CkksExpression, CkksMatrix, CkksSign
from halimede.ckks._operators import FUNCTIONS, Operand, Plain
from halimede.ckks._polynomial import Function, polynomial

__all__ = ["Expression"]

_MOST_SLOTS = 1 << 16


class Expression(Operand):
    """What is to be computed of inputs by name: an immutable value, written with the operators and functions
    that ciphertexts have. Nothing fails while it is written; a `Plan` tells what cannot be computed, and
    `Server.run` computes it.

    What stands in several places is computed once, rotations of one value together, and products with whole
    numbers up to 1024, real or imaginary, take no level.

    >>> x, y = halimede.ckks.Expression.input("x"), halimede.ckks.Expression.input("y")
    >>> z = (3 * x * y + (x << 1) - 0.5).bounded(4).map(np.tanh, error=1e-4)
    >>> client = halimede.ckks.Client("n13-insecure")
    >>> sealed = {"x": client.encrypt([0.25, -0.5]), "y": client.encrypt([1, 0.75])}
    >>> plan = halimede.ckks.Plan(z, client.parameters, sealed)
    >>> server = client.server(**plan.operations)
    >>> client.decrypt(server.run(plan, **sealed)).real.round(3).tolist()
    [-0.245, -0.88]
    """

    __slots__ = ("_native",)
    _ONE = "an expression"
    _MANY = "expressions"
    _functions: ClassVar[dict[Any, Callable[..., Any]]] = FUNCTIONS
    _native: CkksExpression

    def __init__(self, native: CkksExpression) -> None:
        self._native = native

    @staticmethod
    def input(name: str) -> Expression:
        """The input of a name: the same one wherever that stands."""
        return Expression(CkksExpression.input(name))

    @staticmethod
    def plain(values: Any) -> Expression:
        """A vector that is not encrypted, as long as the encrypted ones; a number stands for all slots."""
        return Expression(CkksExpression.plain(values))

    def labelled(self, label: str) -> Expression:
        """The same, called so in plans and errors."""
        return Expression(self._native.labelled(label))

    def conjugate(self) -> Expression:
        """The complex conjugates."""
        return Expression(self._native.conjugate())

    def sum(self, count: int | None = None, batch: int = 1) -> Expression:
        """The sum of `count` batches of `batch` slots that stand one after the other: slot i takes the
        sum of the slots i, i + batch, …"""
        if count is None:
            raise TypeError("count: an expression has no length; say how many slots are summed")
        return Expression(self._native.inner_sum(count, batch, False))

    def mean(self) -> Expression:
        """TypeError: an expression has no length. `x.sum(count) / count` of so many slots."""
        raise TypeError("an expression has no length: x.sum(count) / count")

    def replicate(self, count: int, batch: int = 1) -> Expression:
        """The first `batch` slots, the others being zero, in each of `count` batches."""
        return Expression(self._native.inner_sum(count, batch, True))

    def apply(
        self, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Expression:
        """A function of each value, by a polynomial: see `Ciphertext.apply`. The function is called now."""
        p = polynomial(function, interval, degree, error)
        return Expression(self._native.evaluate(p))

    def map(
        self, function: Callable[[float], Any], *, degree: int | None = None,
        error: float | None = None,
    ) -> Expression:
        """A function of each real value on the interval around 0 in which they lie, as far as estimates
        tell: `bounded` tells more.

        function: of a real number, to a real or complex one. It is called each time that the expression is
            planned, for some hundred points, and what it raises comes out of that.
        degree, error: one of them, see `approximate`.
        """
        return Expression(self._native.map(function, degree, error))

    def bounded(self, magnitude: float) -> Expression:
        """The same, of which it is known that no absolute value exceeds `magnitude`. Estimates are bounds of
        what could be; bootstraps and the intervals of functions are more precise with smaller ones."""
        return Expression(self._native.bounded(magnitude))

    def bootstrap(self) -> Expression:
        """The same, bootstrapped here. Where levels do not suffice, a plan does so by itself."""
        return Expression(self._native.bootstrap())

    def __repr__(self) -> str:
        return repr(self._native)

    def _negative(self) -> Expression:
        return Expression(self._native.neg())

    def _plus(self, other: Expression) -> Expression:
        return Expression(self._native.add(other._native))

    def _minus(self, other: Expression) -> Expression:
        return Expression(self._native.sub(other._native))

    def _times(self, other: Expression) -> Expression:
        return Expression(self._native.mul(other._native))

    def _plus_plain(self, values: Plain) -> Expression:
        return Expression(self._native.add_plain(values))

    def _times_plain(self, values: Plain) -> Expression:
        return Expression(self._native.mul_plain(values))

    def _times_integers(self, re: int, im: int) -> Expression:
        return Expression(self._native.mul_gaussian(re, im))

    def _power(self, exponent: int) -> Expression:
        return Expression(self._native.power(exponent))

    def _turned(self, steps: int) -> Expression:
        # Every vector's length divides this.
        is_short = abs(steps) < _MOST_SLOTS
        return Expression(self._native.rotate(steps if is_short else steps % _MOST_SLOTS))

    def _transformed(self, entries: NDArray[Any]) -> Expression:
        return Expression(self._native.transform(entries))

    def _transformed_by(self, matrix: CkksMatrix) -> Expression:
        return Expression(self._native.transform(matrix))

    def _summed(self, factor: NDArray[Any] | None) -> Expression:
        if factor is None or factor.size < 2:
            raise TypeError("a dot product of expressions, which have no length: (x * y).sum(count)")
        return self.sum(1 << (factor.size - 1).bit_length())

    def _signed(self, what: str, sign: CkksSign) -> Expression:
        return Expression(self._native.signed(what, sign))

    def _compared(self, what: str, other: Expression, sign: CkksSign) -> Expression:
        return Expression(self._native.compared(what, other._native, sign))

    def _refined(self, what: str, interval: tuple[float, float], error: float) -> Expression:
        low, high = interval
        return Expression(self._native.refined(what, low, high, error))
