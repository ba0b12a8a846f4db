# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The client: encrypts, decrypts and makes keys."""

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
    """A public key. Anybody can encrypt with it, and the client decrypts. It can be pickled."""

    __slots__ = ("_native",)

    def __init__(self, native: CkksPublicKey) -> None:
        self._native = native

    @staticmethod
    def load(
        source: str | os.PathLike[str] | Buffer, parameters: CkksParameters | None = None, *,
        insecure: bool = False,
    ) -> PublicKey:
        """Loads a key from a file (path) or its content (bytes); see `EvaluationKeys.load`."""
        return PublicKey(CkksPublicKey.load(source, parameters, insecure))

    def to_bytes(self) -> bytes:
        """Returns the content of a file."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file atomically; replaces an existing one."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """The parameters of the key."""
        return self._native.parameters

    @property
    def key_id(self) -> str:
        """The identifier of the secret key that this key belongs to."""
        return self._native.key_id

    def encrypt(
        self, values: Any, *, bound: Bound | None = None, level: int | None = None
    ) -> Ciphertext:
        """Encrypts a vector, with a few bits less precision than a client; see `Client.encrypt`."""
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
    """The holder of a secret key: encrypts, decrypts, and makes evaluation keys for servers.

    parameters: the parameters or the name of a preset.

    The secret key is wiped from memory when the client is deleted, and is never pickled or copied.
    A forked child cannot use its parent's client, since both would draw the same random numbers.

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
        """Loads a client from a file of a secret key (path) or its content (bytes).

        parameters, insecure: see `EvaluationKeys.load`.

        Raises PermissionError for a file that not only its owner can read.
        """
        client = cls.__new__(cls)
        client._native = CkksClient.load(source, parameters, insecure)
        return client

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the secret key atomically to a new file that only its owner can read (mode 0600).
        Raises FileExistsError if the file exists: secret keys are never overwritten."""
        self._native.save(os.fspath(path))

    def secret_bytes(self) -> bytes:
        """Returns the content of a file of the secret key. Anybody who reads it can decrypt
        everything, and Python does not wipe it from memory."""
        return self._native.secret_bytes()

    @property
    def parameters(self) -> CkksParameters:
        """The parameters of all keys and ciphertexts."""
        return self._native.parameters

    @property
    def key_id(self) -> str:
        """The identifier of the secret key. It is public, and is part of all keys and ciphertexts
        that belong to the secret key."""
        return self._native.key_id

    def encrypt(
        self, values: Any, *, bound: Bound | None = None, level: int | None = None
    ) -> Ciphertext:
        """Encrypts a vector.

        values: array_like of one axis, with at most `parameters.slots` finite numbers. The type
            decides whether the vector is real or complex: arrays of integers or floating-point
            numbers are real, arrays of a complex type are complex. A number is a vector of length
            1.
        bound: the largest absolute value, or the ends (low, high) of an interval of real numbers;
            `parameters.default_bound`, 1, by default. The bound is public in the ciphertext, and
            estimates of errors use it: choose it for all values that can occur, not for the actual
            ones.
        level: the multiplicative depth of the ciphertext; the largest possible by default.

        Raises ValueError for values outside the bound.

        >>> client = halimede.ckks.Client("n13-insecure")
        >>> x = client.encrypt([36.6, 39.1], bound=(30, 45))
        >>> x.bound, x.is_real, client.decrypt(x).round(3).tolist()
        ((30.0, 45.0), True, [36.6, 39.1])
        """
        return Ciphertext(self._native.encrypt(values, bound, level))

    def decrypt(self, ciphertext: Ciphertext) -> NDArray[Any]:
        """Decrypts to float64[length] if the ciphertext `is_real`, otherwise to complex128[length].
        Only the owner of the secret key may see the values: together with the ciphertext they
        reveal information about the key."""
        return self._native.decrypt(sealed_of(ciphertext))

    def decrypt_for_sharing(
        self, ciphertext: Ciphertext, *, security_bits: int, queries: int,
        error_at_least: float | None = None, expected: CkksExpected | None = None,
    ) -> NDArray[Any]:
        """Decrypts with noise that protects the secret key from readers of the values:
        float64[length] for a real vector, complex128[length] for a complex one.

        security_bits, queries: the bits of security, and the number of decryptions under this
            secret key that others will ever see. They reduce the precision by security_bits / 2 +
            log2(12 * queries * N) / 2 bits; `precision_for_sharing` returns the precision that is
            left. This client counts its decryptions and refuses more than the smallest stated
            number; the caller must count those of other processes.
        error_at_least: a bound of the standard deviation of a value's error, for a vector of the
            ciphertext's length.
        expected: the result of the requested computation, from `Plan.expected`.

        The noise is proportional to the error for all values (`Ciphertext.error_anywhere`). The
        error is known for a fresh ciphertext and for a result that this process computed from fresh
        ones. For a result that somebody else computed, the error is only a claim
        (`Ciphertext.has_claimed_error`), and `expected` or `error_at_least` is required.

        Raises ValueError if the error is a claim and neither is given, if the result is not the
        expected one, and if the noise would leave no precision; this message names values that
        would fit. A visible retry after an error reveals that the error occurred.
        """
        statement = self._statement(security_bits, queries, error_at_least, expected)
        return self._native.decrypt_for_sharing(sealed_of(ciphertext), *statement)[0]

    def precision_for_sharing(
        self, ciphertext: Ciphertext, *, security_bits: int, queries: int,
        error_at_least: float | None = None, expected: CkksExpected | None = None,
    ) -> float:
        """Returns the number of bits after the binary point that `decrypt_for_sharing` would leave:
        -log2 of the standard deviation of a value's noise. Decrypts and counts nothing."""
        statement = self._statement(security_bits, queries, error_at_least, expected)
        return self._native.precision_for_sharing(sealed_of(ciphertext), *statement)

    def public_key(self) -> PublicKey:
        """Makes a new public key, with which anybody can encrypt."""
        return PublicKey(self._native.public_key())

    def evaluation_keys(
        self, *, multiply: bool = False, conjugate: bool = False,
        rotations: Iterable[int | Matrix] = (), bootstrap: bool = False,
        bootstrap_slots: Iterable[int] = (), few_keys: bool = False, level: int | None = None,
    ) -> EvaluationKeys:
        """Makes the evaluation keys for a server.

        multiply: for products of ciphertexts, powers and functions.
        conjugate: for complex conjugates.
        rotations: steps to the left, negative steps to the right; a matrix adds its own rotations.
        bootstrap: for bootstraps of any vector.
        bootstrap_slots: for separate bootstraps of vectors with these numbers of slots. Up to half
            of `parameters.slots`, they need less time and fewer keys.
        few_keys: bootstraps use a fraction of the keys and of the memory, but take 1.5 times as
            long.
        level: the highest level of the ciphertexts; lower levels make smaller keys. By default, the
            level of fresh ciphertexts.

        Each key has `parameters.key_bytes`. Ctrl-C ends the work between two keys.
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
        """Makes a server in this process, with the keys of `evaluation_keys`."""
        return Server(self.evaluation_keys(
            multiply=multiply, conjugate=conjugate, rotations=rotations, bootstrap=bootstrap,
            bootstrap_slots=bootstrap_slots, few_keys=few_keys, level=level,
        ))

    def __repr__(self) -> str:
        return f"<halimede.ckks.Client for {self.parameters.name}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a client cannot be pickled or copied: it holds a secret key; see Client.save")

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
