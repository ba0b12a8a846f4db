# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Logistic regression, trained on encrypted samples."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halimede._native import CkksParameters, NnLogistic
from halimede.ckks import Ciphertext, EvaluationKeys
from halimede.ckks import Client as Secret
from halimede.ckks import Server as Evaluator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Progress = Callable[[int, int], object]
"""Called with the iterations that are done, and all of them."""


class Weights(NamedTuple):
    """What a training found."""

    coefficients: NDArray[np.float64]
    """The weight of each feature."""
    intercept: float
    """The constant."""

    def decision(self, samples: ArrayLike) -> NDArray[np.float64]:
        """The sum of a sample's features times weights, and the constant, for each sample."""
        values = np.asarray(samples, dtype=np.float64) @ self.coefficients + self.intercept
        return np.asarray(values, dtype=np.float64)

    def predict(self, samples: ArrayLike) -> NDArray[np.bool_]:
        """The class of each sample."""
        return self.decision(samples) > 0

    def divided(self, scales: ArrayLike) -> Weights:
        """The weights of features that were divided by scales, for those that were not."""
        return Weights(self.coefficients / np.asarray(scales, dtype=np.float64), self.intercept)


class LogisticTraining:
    """What client and server of a training agree on.

    samples, features: how many there are.
    parameters: or the name of a preset: with bootstraps, and at least five levels.
    iterations: one bootstrap between each two.
    rate: the factor of the gradient's mean over a batch.
    interval: where products of a sample with the weights lie, on both sides of 0; outside, the polynomial
        that stands for the sigmoid leaves it.
    weights: the largest absolute value of a weight.
    batches: how many parts the samples are dealt out to; each iteration takes the next. More samples than
        slots take several.

        from halimede import nn

        training = nn.LogisticTraining(len(x), x.shape[1], iterations=16)
        client = training.client()                                  # has the secret
        server = training.server(client.evaluation_keys())          # has nothing but ciphertexts
        sealed = client.encrypt(x, y)
        weights = client.decrypt(server.train(sealed, progress=True))

    Raises ValueError for parameters that do not suffice.
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        samples: int,
        features: int,
        parameters: CkksParameters | str = "n16-boot",
        *,
        iterations: int = 32,
        rate: float = 1.0,
        interval: float = 16.0,
        weights: float = 4.0,
        batches: int = 1,
    ) -> None:
        if isinstance(parameters, str):
            parameters = CkksParameters.preset(parameters)
        self._native = NnLogistic(
            parameters, samples, features, batches, iterations, rate, interval, weights
        )

    @property
    def parameters(self) -> CkksParameters:
        """What samples are encrypted with."""
        return self._native.parameters

    @property
    def ciphertexts(self) -> int:
        """The ciphertexts that all samples take."""
        return self._native.ciphertexts

    def in_plaintext(self, samples: ArrayLike, classes: ArrayLike, *, exact: bool = False) -> Weights:
        """What the same iterations find without encryption: with the polynomial, or with the sigmoid."""
        return _weights(self._native.in_plaintext(*_table(samples, classes), exact))

    def client(self, secret: Secret | None = None) -> LogisticClient:
        """A client with a new secret, or with an existing one."""
        return LogisticClient(self, Secret(self.parameters) if secret is None else secret)

    def server(self, keys: EvaluationKeys) -> LogisticServer:
        """A server with a client's keys."""
        return LogisticServer(self, keys)


class LogisticClient:
    """Encrypts samples and decrypts weights.

    secret: the holder of the secret key.
    """

    __slots__ = ("_training", "secret")

    def __init__(self, training: LogisticTraining, secret: Secret) -> None:
        self._training = training
        self.secret = secret

    def evaluation_keys(self) -> EvaluationKeys:
        """The keys that a server needs. They tell nothing of the secret."""
        return EvaluationKeys(self._training._native.evaluation_keys(self.secret._native))

    def encrypt(self, samples: ArrayLike, classes: ArrayLike) -> list[Ciphertext]:
        """Encrypted samples.

        samples: float64[count, features], none beyond 1 in absolute value.
        classes: bool[count].

        Raises ValueError for other shapes and for larger features.
        """
        native = self._training._native
        sealed = native.encrypt(self.secret._native, *_table(samples, classes))
        return [Ciphertext(of) for of in sealed]

    def decrypt(self, weights: Ciphertext) -> Weights:
        """The weights that a server found, for the owner of the secret alone: together with the encrypted weights
        they tell something of it. `decrypt_for_sharing` gives those that may be published."""
        return _weights(self._training._native.decrypt(self.secret._native, weights._sealed))

    def decrypt_for_sharing(
        self,
        weights: Ciphertext,
        *,
        security_bits: int,
        queries: int,
        error_at_least: float,
        samples: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> Weights:
        """The weights for others, as for publication: with noise that hides the secret from those who see them.

        security_bits, queries: the bits of security, for as many decryptions that others ever see under this
            secret.
        error_at_least: a bound of the error of encrypted weights, the root of the mean square, that you know or
            have stated before. Estimates bound nothing here.
        samples, classes: all that was trained with. With them the error is measured, against the same steps in
            plaintext, and weights beyond the bound are refused. Without them the bound is your word.

        Whoever has the samples may publish `LogisticTraining.in_plaintext` as well, which says nothing of the
        secret. Rounding is no defense.

        Raises ValueError where the error exceeds the bound, and where noise would leave nothing of the weights.
        """
        if (samples is None) != (classes is None):
            raise ValueError("samples, classes: give both or neither")
        table = None if samples is None or classes is None else _table(samples, classes)
        native, numbers = self._training._native, counts(security_bits, queries)
        bound = float(error_at_least)
        return _weights(
            native.decrypt_for_sharing(self.secret._native, weights._sealed, *numbers, bound, table)
        )


class LogisticServer:
    """Trains on encrypted samples."""

    __slots__ = ("_evaluator", "_training")

    def __init__(self, training: LogisticTraining, keys: EvaluationKeys) -> None:
        self._training = training
        self._evaluator = Evaluator(keys)

    def train(
        self, sealed: Sequence[Ciphertext], *, progress: bool | Progress = False
    ) -> Ciphertext:
        """The encrypted weights.

        progress: True for a line on stderr that counts iterations, or what is called with the iterations
            that are done and all of them. What it raises ends the training.

        Raises ValueError for another number of ciphertexts, and for keys that are missing.
        """
        told = _line if progress is True else progress or None
        try:
            samples = [of._sealed for of in sealed]
            result = self._training._native.train(self._evaluator._native, samples, told)
        finally:
            if progress is True:
                print(file=sys.stderr)
        return Ciphertext(result)


def train_logistic(
    samples: ArrayLike,
    classes: ArrayLike,
    parameters: CkksParameters | str = "n16-boot",
    *,
    iterations: int = 32,
    rate: float = 1.0,
    interval: float = 16.0,
    weights: float = 4.0,
    batches: int = 1,
    progress: bool | Progress = False,
) -> Weights:
    """Trains on samples that are encrypted, client and server in this process.

    Each feature is divided by its largest absolute value before, and the weights are those of the features
    as they were. The weights are a raw decryption: publish those of `LogisticClient.decrypt_for_sharing`, where
    others have seen ciphertexts under the secret. `LogisticTraining` tells what the options are, and is for parties that are apart.

    samples: float64[count, features].
    classes: bool[count].

    Raises ValueError as `LogisticTraining` and `LogisticClient.encrypt` do.
    """
    rows, are_true = _table(samples, classes)
    scales = np.abs(rows).max(axis=0, initial=0.0)
    scales[scales == 0] = 1.0
    training = LogisticTraining(
        len(rows),
        rows.shape[1],
        parameters,
        iterations=iterations,
        rate=rate,
        interval=interval,
        weights=weights,
        batches=batches,
    )
    client = training.client()
    server = training.server(client.evaluation_keys())
    sealed = client.encrypt(rows / scales, are_true)
    return client.decrypt(server.train(sealed, progress=progress)).divided(scales)


def _table(samples: ArrayLike, classes: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rows, are_true = np.asarray(samples, dtype=np.float64), np.asarray(classes)
    if rows.ndim != 2:
        raise ValueError(f"samples: got shape {rows.shape}, wanted samples and features")
    if are_true.ndim != 1 or not np.isin(are_true, (0, 1)).all():
        raise ValueError("classes: wanted a bool, or 0 or 1, for each sample")
    return np.ascontiguousarray(rows), np.ascontiguousarray(are_true, dtype=np.bool_)


def counts(security_bits: int, queries: int) -> tuple[int, int]:
    """The numbers of a statement for values that others see.

    Raises ValueError for what is below 1.
    """
    for name, number in (("security_bits", security_bits), ("queries", queries)):
        if not 1 <= operator.index(number) < 2**32:
            raise ValueError(f"{name}: got {number}, wanted 1 or more, below 2**32")
    return operator.index(security_bits), operator.index(queries)


def _weights(values: NDArray[np.float64]) -> Weights:
    return Weights(values[:-1], float(values[-1]))


def _line(done: int, iterations: int) -> None:
    print(f"\r{done} of {iterations} iterations\x1b[K", end="", file=sys.stderr, flush=True)
