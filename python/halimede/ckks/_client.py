# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Who encrypts and decrypts."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from halimede._native import CkksClient, CkksExpected, CkksParameters, CkksPublicKey
from halimede.ckks._bounded import Bound
from halimede.ckks._ciphertext import Ciphertext, sealed_of
from halimede.ckks._server import EvaluationKeys, Matrix, Server

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Client", "PublicKey"]


class PublicKey:
    """The key that anybody may encrypt with, whom the client decrypts for. It can be pickled."""

    __slots__ = ("_native",)

    def __init__(self, native: CkksPublicKey) -> None:
        self._native = native

    @staticmethod
    def load(
        source: str | os.PathLike[str] | Buffer, parameters: CkksParameters | None = None, *,
        insecure: bool = False,
    ) -> PublicKey:
        """A key from a file (its path) or its content (bytes); see `EvaluationKeys.load`."""
        return PublicKey(CkksPublicKey.load(source, parameters, insecure))

    def to_bytes(self) -> bytes:
        """The content of a file of it."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which appears when it is whole, in place of one that is there."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """What it is for."""
        return self._native.parameters

    @property
    def key_id(self) -> str:
        """What tells the secret key that it belongs to from others."""
        return self._native.key_id

    def encrypt(
        self, values: Any, *, bound: Bound | None = None, level: int | None = None
    ) -> Ciphertext:
        """Encrypts a vector, less precisely than a client by some bits; see `Client.encrypt`."""
        return Ciphertext(self._native.encrypt(values, bound, level))

    def __repr__(self) -> str:
        return f"<halimede.ckks.PublicKey for {self.parameters.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return PublicKey.load, (self.to_bytes(), self.parameters)

    def __copy__(self) -> PublicKey:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> PublicKey:
        return self


class Client:
    """The holder of a secret key: encrypts, decrypts, and makes the keys that others compute with.

    parameters: or the name of a preset.

    The secret is wiped from memory when the client is let go, and is never pickled or copied. A
    forked child cannot use its parent's client: both would draw the same random numbers.

    >>> client = halimede.ckks.Client("n13-insecure")
    >>> x = client.encrypt(np.exp(1j * np.arange(1000)))
    >>> len(x), x.level, x.bound
    (1000, 8, 1.0)
    >>> np.allclose(client.decrypt(x), np.exp(1j * np.arange(1000)), atol=1e-6)
    True
    """

    __slots__ = ("_native",)

    def __init__(self, parameters: CkksParameters | str) -> None:
        if isinstance(parameters, str):
            parameters = CkksParameters.preset(parameters)
        self._native = CkksClient(parameters)

    @classmethod
    def load(
        cls, source: str | os.PathLike[str] | Buffer, parameters: CkksParameters | None = None, *,
        insecure: bool = False,
    ) -> Client:
        """The client of a secret key, from a file (its path) or its content (bytes).

        parameters, insecure: see `EvaluationKeys.load`.

        Raises PermissionError for a file that others than its owner can read.
        """
        client = cls.__new__(cls)
        client._native = CkksClient.load(source, parameters, insecure)
        return client

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the secret key to a new file that its owner alone can read (mode 0600) and that
        appears when it is whole. FileExistsError where there is one: keys are never written
        over."""
        self._native.save(os.fspath(path))

    def secret_bytes(self) -> bytes:
        """The content of a file of the secret key. Whoever reads it can decrypt everything, and
        Python does not wipe it from memory."""
        return self._native.secret_bytes()

    @property
    def parameters(self) -> CkksParameters:
        """What everything is made with."""
        return self._native.parameters

    @property
    def key_id(self) -> str:
        """What tells the secret key from others: it stands in all that belongs to it, and is
        public."""
        return self._native.key_id

    def encrypt(
        self, values: Any, *, bound: Bound | None = None, level: int | None = None
    ) -> Ciphertext:
        """Encrypts a vector.

        values: array_like of one axis, of at most `parameters.slots` finite numbers. An array of integers or
            floating-point numbers is one of real numbers, and one of a complex type of complex
            numbers, whatever its values are. A number is a vector of one.
        bound: what no absolute value exceeds, or the ends (low, high) of an interval in which real values lie;
            `parameters.default_bound`, 1, where none is given. Everybody can read it in the
            ciphertext, and by it errors are estimated: choose it by what values may ever be, not by
            what they are.
        level: products that can follow one another; as many as there can be, by default.

        Raises ValueError for values outside the bound.

        >>> client = halimede.ckks.Client("n13-insecure")
        >>> x = client.encrypt([36.6, 39.1], bound=(30, 45))
        >>> x.bound, x.is_real, client.decrypt(x).round(3).tolist()
        ((30.0, 45.0), True, [36.6, 39.1])
        """
        return Ciphertext(self._native.encrypt(values, bound, level))

    def decrypt(self, ciphertext: Ciphertext) -> NDArray[Any]:
        """The values, for the owner of the secret alone: together with the ciphertext they tell
        something of it. float64[length] where the ciphertext `is_real`, complex128[length] where
        not."""
        return self._native.decrypt(sealed_of(ciphertext))

    def decrypt_for_sharing(
        self, ciphertext: Ciphertext, *, security_bits: int, queries: int,
        error_at_least: float | None = None, expected: CkksExpected | None = None,
    ) -> NDArray[Any]:
        """The values with noise that hides the secret from those who see them, float64[length] of a
        real vector and complex128[length] of a complex one.

        security_bits, queries: the bits of security, for as many decryptions that others ever see
        under this
            secret. They take security_bits / 2 + log2(12 * queries * N) / 2 bits off the precision;
            `precision_for_sharing` tells what is left. This client counts its own, and makes no
            more than the least number that was stated; those of other processes are the caller's to
            count.
        error_at_least: a bound of the standard deviation of a value's error, for as many values as the
            ciphertext has.
        expected: the result of the computation that was asked for, from `Plan.expected`.

        Noise is measured by the error for all values (`Ciphertext.error_anywhere`). That of a fresh
        ciphertext, and of what this process computed from such, is known. That of what somebody else
        computed is what they claim (`Ciphertext.has_claimed_error`), and takes `expected` or
        `error_at_least`.

        Raises ValueError where neither is given and the error is a claim, for another result than is
        expected, and where nothing would be left, which says what would fit. Whoever is seen to ask
        again after an error tells that there was one.
        """
        statement = self._statement(security_bits, queries, error_at_least, expected)
        return self._native.decrypt_for_sharing(sealed_of(ciphertext), *statement)[0]

    def precision_for_sharing(
        self, ciphertext: Ciphertext, *, security_bits: int, queries: int,
        error_at_least: float | None = None, expected: CkksExpected | None = None,
    ) -> float:
        """The bits behind the point that `decrypt_for_sharing` would leave: -log2 of the standard
        deviation of a value's noise. Nothing is decrypted or counted."""
        statement = self._statement(security_bits, queries, error_at_least, expected)
        return self._native.precision_for_sharing(sealed_of(ciphertext), *statement)

    def public_key(self) -> PublicKey:
        """A new key that anybody may encrypt with."""
        return PublicKey(self._native.public_key())

    def evaluation_keys(
        self, *, multiply: bool = False, conjugate: bool = False,
        rotations: Iterable[int | Matrix] = (), bootstrap: bool = False,
        bootstrap_slots: Iterable[int] = (), few_keys: bool = False, level: int | None = None,
    ) -> EvaluationKeys:
        """The keys that a server needs.

        multiply: products of ciphertexts, powers, functions.
        conjugate: complex conjugates.
        rotations: steps to the left, negative ones to the right; matrices stand for theirs.
        bootstrap: bootstraps of any vector.
        bootstrap_slots: bootstraps of vectors of these numbers of slots, by forms of their own: up to half of
            `parameters.slots` they take less time and keys.
        few_keys: bootstraps, if there are any, take a fraction of the keys and of the memory, but half as much
            time again.
        level: the highest that ciphertexts have; lower levels make smaller keys. That of fresh ones, by
            default.

        Each key takes `parameters.key_bytes`. Ctrl-C ends it between two keys.
        """
        steps = [step for item in rotations for step in self._steps(item)]
        forms = [self._slots(slots) for slots in bootstrap_slots]
        forms += [self.parameters.slots] if bootstrap else []
        keys = self._native.evaluation_keys(multiply, conjugate, steps, forms, few_keys, level)
        return EvaluationKeys(keys)

    def server(
        self, *, multiply: bool = False, conjugate: bool = False,
        rotations: Iterable[int | Matrix] = (), bootstrap: bool = False,
        bootstrap_slots: Iterable[int] = (), few_keys: bool = False, level: int | None = None,
    ) -> Server:
        """A server with these keys in this process; see `evaluation_keys`."""
        return Server(self.evaluation_keys(
            multiply=multiply, conjugate=conjugate, rotations=rotations, bootstrap=bootstrap,
            bootstrap_slots=bootstrap_slots, few_keys=few_keys, level=level,
        ))

    def __repr__(self) -> str:
        return f"<halimede.ckks.Client for {self.parameters.name}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a client is not pickled or copied: it holds a secret key; see Client.save")

    def _statement(
        self, security_bits: int, queries: int, error_at_least: float | None,
        expected: CkksExpected | None,
    ) -> tuple[int, int, float | None, CkksExpected | None]:
        for name, number in (("security_bits", security_bits), ("queries", queries)):
            if not 1 <= operator.index(number) < 2**32:
                raise ValueError(f"{name}: got {number}, wanted 1 or more, below 2**32")
        error = None if error_at_least is None else float(error_at_least)
        return operator.index(security_bits), operator.index(queries), error, expected

    def _steps(self, item: int | Matrix) -> list[int]:
        if isinstance(item, Matrix):
            return item.rotations
        return [operator.index(item) % self.parameters.slots]

    def _slots(self, slots: int) -> int:
        most = self.parameters.slots
        if not 1 <= operator.index(slots) <= most:
            raise ValueError(f"bootstrap_slots: got {slots}, wanted 1 to {most}")
        return slots
