# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Logistic regression, trained on encrypted samples."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halimede._native import CkksParameters, Device, NnLogistic
from halimede.ckks import Ciphertext, EvaluationKeys
from halimede.ckks import Client as Secret
from halimede.ckks import Server as Evaluator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Progress = Callable[[int, int], object]
"""Called with the number of finished iterations and the number of all iterations."""


class Weights(NamedTuple):
    """The result of a training."""

    coefficients: NDArray[np.float64]
    """The weight of each feature."""
    intercept: float
    """The constant term."""

    def decision(self, samples: ArrayLike) -> NDArray[np.float64]:
        """Returns, for each sample, the dot product of features and weights plus the intercept."""
        values = np.asarray(samples, dtype=np.float64) @ self.coefficients + self.intercept
        return np.asarray(values, dtype=np.float64)

    def predict(self, samples: ArrayLike) -> NDArray[np.bool_]:
        """Returns the class of each sample."""
        return self.decision(samples) > 0

    def divided(self, scales: ArrayLike) -> Weights:
        """Converts weights for features that were divided by `scales` to weights for the original
        ones."""
        return Weights(self.coefficients / np.asarray(scales, dtype=np.float64), self.intercept)


class LogisticTraining:
    """The settings on which the client and the server of a training agree.

    samples, features: the numbers of samples and of features.
    parameters: the parameters or the name of a preset, with bootstraps and at least five levels.
    iterations: the number of iterations. There is one bootstrap between two iterations.
    rate: the learning rate, the factor of the mean gradient over a batch.
    interval: the bound of the absolute dot product of a sample and the weights. Beyond it the
        polynomial does not approximate the sigmoid.
    weights: the largest absolute value of a weight.
    batches: the number of batches that the samples are divided into; each iteration uses the next
        batch. More samples than slots need several.

        from halimede import nn

        training = nn.LogisticTraining(len(x), x.shape[1], iterations=16)
        client = training.client()                                  # has the secret
        server = training.server(client.evaluation_keys())          # sees only ciphertexts
        sealed = client.encrypt(x, y)
        weights = client.decrypt(server.train(sealed, progress=True))

    Raises ValueError if the parameters are not sufficient.
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
        """The parameters of the encryption."""
        return self._native.parameters

    @property
    def ciphertexts(self) -> int:
        """The number of ciphertexts of all samples."""
        return self._native.ciphertexts

    def in_plaintext(self, samples: ArrayLike, classes: ArrayLike, *, exact: bool = False) -> Weights:
        """Trains without encryption, by the same iterations, with the polynomial.

        exact: use the sigmoid instead of the polynomial.
        """
        return _weights(self._native.in_plaintext(*_table(samples, classes), exact))

    def client(self, secret: Secret | None = None) -> LogisticClient:
        """Returns a client with a new secret key, or with an existing one."""
        return LogisticClient(self, Secret(self.parameters) if secret is None else secret)

    def server(self, keys: EvaluationKeys, *, device: Device | None = None) -> LogisticServer:
        """Returns a server with a client's evaluation keys.

        device: the device that computes, such as `halimede.Device("cuda:0")`; by default, this
            processor. Weights have the same bits.
        """
        return LogisticServer(self, keys, device=device)


class LogisticClient:
    """Encrypts samples and decrypts weights.

    secret: the holder of the secret key.
    """

    __slots__ = ("_training", "secret")

    def __init__(self, training: LogisticTraining, secret: Secret) -> None:
        self._training = training
        self.secret = secret

    def evaluation_keys(self) -> EvaluationKeys:
        """Returns the keys that a server needs. They reveal nothing about the secret key."""
        return EvaluationKeys(self._training._native.evaluation_keys(self.secret._native))

    def encrypt(self, samples: ArrayLike, classes: ArrayLike) -> list[Ciphertext]:
        """Encrypts samples.

        samples: float64[count, features], of absolute value at most 1.
        classes: bool[count].

        Raises ValueError for wrong shapes and for features beyond 1.
        """
        native = self._training._native
        sealed = native.encrypt(self.secret._native, *_table(samples, classes))
        return [Ciphertext(of) for of in sealed]

    def decrypt(self, weights: Ciphertext) -> Weights:
        """Decrypts the weights that a server found. Only the owner of the secret key may see them:
        together with the encrypted weights they reveal information about the key.
        `decrypt_for_sharing` returns weights that may be published."""
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
        """Decrypts weights for publication, with noise that protects the secret key from their
        readers.

        security_bits, queries: the bits of security, and the number of decryptions under this
            secret key that others will ever see.
        error_at_least: a bound of the root-mean-square error of the encrypted weights that you know
            or have stated before. Estimates are not bounds here.
        samples, classes: all training data. With them, the error is measured against the same steps
            in plaintext, and weights beyond the bound are refused. Without them, the bound is not
            checked.

        An owner of the samples can publish `LogisticTraining.in_plaintext` instead, which reveals
        nothing about the secret key. Rounding does not protect it.

        Raises ValueError if the error exceeds the bound, or if the noise would drown the weights.
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
    """Trains on encrypted samples.

    device: the device that computes; by default, this processor.
    """

    __slots__ = ("_evaluator", "_training")

    def __init__(
        self, training: LogisticTraining, keys: EvaluationKeys, *, device: Device | None = None
    ) -> None:
        self._training = training
        self._evaluator = Evaluator(keys, device=device)

    def train(
        self, sealed: Sequence[Ciphertext], *, progress: bool | Progress = False
    ) -> Ciphertext:
        """Trains and returns the encrypted weights.

        progress: True for a line on stderr that counts iterations; or a function, called with the
            numbers of finished and of all iterations. An exception in it ends the training.

        Raises ValueError for a wrong number of ciphertexts and for missing keys, and DeviceError if
        the device fails.
        """
        told = _line if progress is True else progress or None
        try:
            samples = [of._sealed for of in sealed]
            native, of = self._training._native, self._evaluator
            result = native.train(of._native, samples, told, of._programs)
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
    device: Device | None = None,
) -> Weights:
    """Trains on encrypted samples, with the client and the server in this process.

    Each feature is first divided by its largest absolute value; the returned weights are for the
    original features. They are a raw decryption: if others have seen ciphertexts under the secret
    key, publish only the weights of `LogisticClient.decrypt_for_sharing`. `LogisticTraining`
    describes the options, and is for a client and a server in different places.

    samples: float64[count, features].
    classes: bool[count].
    device: the device of the server; by default, this processor.

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
    server = training.server(client.evaluation_keys(), device=device)
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
    """Checks the numbers of a statement for values that others see.

    Raises ValueError for a number below 1 or of 2**32 or more.
    """
    for name, number in (("security_bits", security_bits), ("queries", queries)):
        if not 1 <= operator.index(number) < 2**32:
            raise ValueError(f"{name}: got {number}, wanted 1 or more, below 2**32")
    return operator.index(security_bits), operator.index(queries)


def _weights(values: NDArray[np.float64]) -> Weights:
    return Weights(values[:-1], float(values[-1]))


def _line(done: int, iterations: int) -> None:
    print(f"\r{done} of {iterations} iterations\x1b[K", end="", file=sys.stderr, flush=True)
