# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Computations that are written down before they are done."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from numpy.typing import NDArray

from halimede._native import CkksExpression, CkksMatrix, CkksSign
from halimede.ckks._bounded import Bound, Plain, parts
from halimede.ckks._operators import FUNCTIONS, Operand
from halimede.ckks._polynomial import Function, polynomial, polynomials

__all__ = ["Expression"]

_MOST_STEPS = 1 << 62


class Expression(Operand):
    """What is to be computed of inputs by name: an immutable value, written with the operators and
    functions that ciphertexts have. Nothing fails while it is written; a `Plan` tells what cannot
    be computed, and `Server.run` computes it.

    What stands in several places is computed once, rotations of one value together, and products
    with whole numbers up to 1024, real or imaginary, take no level.

    >>> x, y = halimede.ckks.Expression.input("x"), halimede.ckks.Expression.input("y")
    >>> z = (3 * x * y + (x << 1) - 0.5).bounded(4).map(np.tanh, error=1e-4)
    >>> client = halimede.ckks.Client("n13-insecure")
    >>> sealed = {"x": client.encrypt([0.25, -0.5]), "y": client.encrypt([1, 0.75])}
    >>> plan = halimede.ckks.Plan(z, client.parameters, sealed)
    >>> server = client.server(**plan.operations)
    >>> client.decrypt(server.run(plan, **sealed)).round(3).tolist()
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
    def plain(values: Plain) -> Expression:
        """A vector that is not encrypted, as long as the encrypted ones, within 1 or as `bounded`
        says; a number stands for all places."""
        return Expression(CkksExpression.plain(*parts(values)))

    def labeled(self, label: str) -> Expression:
        """The same, called so in plans and errors."""
        return Expression(self._native.labeled(label))

    def conjugate(self) -> Expression:
        """The complex conjugates."""
        return Expression(self._native.conjugate())

    def sum(self, count: int | None = None, batch: int = 1) -> Expression:
        """The sum of all values, in every place; or of batches: see `Ciphertext.sum`."""
        if count is not None:
            return Expression(self._native.inner_sum(count, batch, False))
        if batch != 1:
            raise TypeError("count: an expression has no length before it is planned; say how many batches")
        return Expression(self._native.sum())

    def mean(self) -> Expression:
        """The mean of all values, in every place."""
        return Expression(self._native.mean())

    def replicate(self, count: int, batch: int = 1) -> Expression:
        """The first `batch` values, the others being zero, in each of `count` batches."""
        return Expression(self._native.inner_sum(count, batch, True))

    def apply(
        self, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Expression:
        """A function of each value, by a polynomial: see `Ciphertext.apply`. The function is called
        now."""
        p = polynomial(function, interval, degree, error)
        return Expression(self._native.evaluate(p))

    def apply_blocks(
        self, functions: Iterable[Function], block: int,
        interval: tuple[float, float] | None = None, *, degree: int | None = None,
        error: float | None = None,
    ) -> Expression:
        """A function for each block of places: see `Ciphertext.apply_blocks`. Functions are called
        now."""
        p = polynomials(functions, interval, degree, error)
        return Expression(self._native.evaluate_blocks(p, block))

    def map(
        self, function: Callable[[float], Any], *, degree: int | None = None,
        error: float | None = None,
    ) -> Expression:
        """A function of each real value on the interval in which they lie, as far as bounds tell:
        `between` and `bounded` tell more.

        function: of a real number, to a real or complex one. It is called each time that the expression is
            planned, for some hundred points, and what it raises comes out of that.
        degree, error: one of them, see `approximate`.
        """
        return Expression(self._native.map(function, degree, error))

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

    def _plus_plain(self, values: NDArray[Any], bound: Bound | None) -> Expression:
        return Expression(self._native.add_plain(values, bound))

    def _times_plain(self, values: NDArray[Any], bound: Bound | None) -> Expression:
        return Expression(self._native.mul_plain(values, bound))

    def _times_integers(self, re: int, im: int) -> Expression:
        return Expression(self._native.mul_gaussian(re, im))

    def _power(self, exponent: int) -> Expression:
        return Expression(self._native.power(exponent))

    def _turned(self, steps: int) -> Expression:
        if abs(steps) > _MOST_STEPS:
            raise ValueError(f"steps: got {steps}, wanted no more than any vector has values")
        return Expression(self._native.rotate(steps))

    def _transformed(self, entries: NDArray[Any], bound: Bound | None) -> Expression:
        return Expression(self._native.transform(entries, bound))

    def _transformed_by(self, matrix: CkksMatrix) -> Expression:
        return Expression(self._native.transform(matrix, None))

    def _dot(self, other: Expression) -> Expression:
        return self._times(other).sum()

    def _dot_plain(self, values: NDArray[Any], bound: Bound | None) -> Expression:
        return self._times_plain(values, bound).sum()

    def _known_real(self) -> Expression:
        return Expression(self._native.known_real())

    def _known_within(self, bound: Bound) -> Expression:
        return Expression(self._native.bounded(bound))

    def _ends(self, part: slice) -> tuple[int, int]:
        start = 0 if part.start is None else operator.index(part.start)
        if part.stop is None:
            raise TypeError("x[start:]: an expression has no length before it is planned; give the end as well")
        stop = self._place(operator.index(part.stop))
        return self._place(start), stop

    def _place(self, place: int) -> int:
        if place < 0:
            raise TypeError(
                f"place {place}: an expression has no length before it is planned; count from the start"
            )
        return place

    def _part(self, start: int, stop: int) -> Expression:
        return Expression(self._native.slice(start, stop))

    def _signed(self, what: str, sign: CkksSign) -> Expression:
        return Expression(self._native.signed(what, sign))

    def _compared(self, what: str, other: Expression, sign: CkksSign) -> Expression:
        return Expression(self._native.compared(what, other._native, sign))

    def _refined(self, what: str, interval: tuple[float, float], error: float) -> Expression:
        low, high = interval
        return Expression(self._native.refined(what, low, high, error))
