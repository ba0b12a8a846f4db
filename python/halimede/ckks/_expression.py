# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Expressions: computations that are written first and run later."""

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
    """A computation on named inputs: an immutable value, built with the operators and functions of
    ciphertexts. Building an expression does not fail; a `Plan` raises for an expression that cannot
    be computed, and `Server.run` computes it.

    A common subexpression is computed once, and rotations of one value are hoisted. Products with
    integers up to 1024, real or imaginary, consume no level.

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
        """Returns the input of this name. Equal names mean the same input."""
        return Expression(CkksExpression.input(name))

    @staticmethod
    def plain(values: Plain) -> Expression:
        """Returns a plain vector, of the length of the encrypted vectors and with the bound 1 or
        that of `bounded`; a number is repeated in all places."""
        return Expression(CkksExpression.plain(*parts(values)))

    def labeled(self, label: str) -> Expression:
        """Returns the same expression with a label for plans and errors."""
        return Expression(self._native.labeled(label))

    def conjugate(self) -> Expression:
        """Returns the complex conjugates."""
        return Expression(self._native.conjugate())

    def sum(self, count: int | None = None, batch: int = 1) -> Expression:
        """Returns the sum of all values, in every place; or of batches: see `Ciphertext.sum`."""
        if count is not None:
            return Expression(self._native.inner_sum(count, batch, False))
        if batch != 1:
            raise TypeError("count: an expression has no length before it is planned; give the number of batches")
        return Expression(self._native.sum())

    def mean(self) -> Expression:
        """Returns the mean of all values, in every place."""
        return Expression(self._native.mean())

    def replicate(self, count: int, batch: int = 1) -> Expression:
        """Copies the first `batch` values to `count` batches; all other values must be zero."""
        return Expression(self._native.inner_sum(count, batch, True))

    def apply(
        self, function: Function, interval: tuple[float, float] | None = None, *,
        degree: int | None = None, error: float | None = None,
    ) -> Expression:
        """Applies a function to each value, by a polynomial: see `Ciphertext.apply`. Calls the
        function at once."""
        p = polynomial(function, interval, degree, error)
        return Expression(self._native.evaluate(p))

    def apply_blocks(
        self, functions: Iterable[Function], block: int,
        interval: tuple[float, float] | None = None, *, degree: int | None = None,
        error: float | None = None,
    ) -> Expression:
        """Applies one function per block of places: see `Ciphertext.apply_blocks`. Calls the
        functions at once."""
        p = polynomials(functions, interval, degree, error)
        return Expression(self._native.evaluate_blocks(p, block))

    def map(
        self, function: Callable[[float], Any], *, degree: int | None = None,
        error: float | None = None,
    ) -> Expression:
        """Applies a function to each real value, by a polynomial on the interval of the values'
        bound; `between` and `bounded` narrow it.

        function: from a real number to a real or complex number. Planning the expression calls it
            at some hundred points, and raises its exceptions.
        degree, error: one of them, see `approximate`.
        """
        return Expression(self._native.map(function, degree, error))

    def bootstrap(self) -> Expression:
        """Bootstraps the values at this place. A plan inserts bootstraps by itself if levels run
        out."""
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
