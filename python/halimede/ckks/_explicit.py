# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Arithmetic in which the caller does each rescaling and each relinearization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halimede._native import CkksCiphertext, CkksDegree2, CkksExplicit
from halimede.ckks._ciphertext import Ciphertext, sealed_of
from halimede.ckks._bounded import Plain, parts

if TYPE_CHECKING:
    from halimede.ckks._server import Server

__all__ = ["Explicit"]


class Explicit:
    """A server that never rescales, relinearizes or aligns by itself.

    A product keeps the level, and its scale is the product of the scales. Operands of different
    levels or scales raise ValueError. `Server.explicit` returns one. It works on the ciphertexts of
    that server; their negation, rotation and conjugation change neither level nor scale.

    Use it to sum several products before one relinearization and one rescaling, or to choose a
    scale other than that of the level.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> server = client.server(multiply=True)
    >>> x, y = (client.encrypt(v, bound=4.0) for v in ([0.5, 2.0], [3.0, -1.0]))
    >>> explicit = server.explicit()
    >>> sum = explicit.mul_add_degree2(explicit.mul_degree2(x, y), y, y)     # x·y + y·y, in three parts
    >>> z = explicit.rescale(explicit.relinearize(sum))
    >>> z.level, client.decrypt(z).round(4).tolist()
    (7, [10.5, -1.0])
    """

    __slots__ = ("_native", "_server")

    def __init__(self, server: Server) -> None:
        self._server = server
        self._native = CkksExplicit(server._native)

    def add(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        """a + b, for operands of equal level and scale."""
        return self._bound(self._native.add(sealed_of(a), sealed_of(b)))

    def sub(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        """a - b, for operands of equal level and scale."""
        return self._bound(self._native.sub(sealed_of(a), sealed_of(b)))

    def mul(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        """a * b, relinearized, at the operands' level; its scale is the product of their scales."""
        return self._bound(self._native.mul(sealed_of(a), sealed_of(b)))

    def mul_degree2(self, a: Ciphertext, b: Ciphertext) -> CkksDegree2:
        """a * b as a ciphertext of degree 2 (three parts), to be relinearized later."""
        return self._native.mul_degree2(sealed_of(a), sealed_of(b), None)

    def mul_add_degree2(self, product: CkksDegree2, a: Ciphertext, b: Ciphertext) -> CkksDegree2:
        """product + a * b; both products have equal level and scale."""
        return self._native.mul_degree2(sealed_of(a), sealed_of(b), product)

    def relinearize(self, product: CkksDegree2) -> Ciphertext:
        """Reduces a ciphertext of degree 2 to degree 1 by one key switch. Level and scale stay the
        same."""
        return self._bound(self._native.relinearize(product))

    def add_plain(self, a: Ciphertext, values: Plain) -> Ciphertext:
        """a + values, for a plain vector or number, which is encoded at the scale of a."""
        return self._bound(self._native.add_plain(sealed_of(a), *parts(values)))

    def mul_plain(self, a: Ciphertext, values: Plain, scale: float | None = None) -> Ciphertext:
        """a * values, for a plain vector or number, at the level of a. The scale of the result is
        the scale of a times `scale`, which is by default the factor that `rescale` divides by."""
        return self._bound(self._native.mul_plain(sealed_of(a), *parts(values), scale))

    def rescale(self, a: Ciphertext) -> Ciphertext:
        """Drops one level and divides the scale by the level's modulus."""
        return self._bound(self._native.rescale(sealed_of(a)))

    def drop_to_level(self, a: Ciphertext, level: int) -> Ciphertext:
        """Drops to a lower level and keeps the scale."""
        return self._bound(self._native.drop_to_level(sealed_of(a), level))

    def __repr__(self) -> str:
        return f"<halimede.ckks.Explicit of {self._server!r}>"

    def _bound(self, sealed: CkksCiphertext) -> Ciphertext:
        return Ciphertext(sealed, self._server)
