# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Logistic regression on encrypted patients: detects breast cancer from 30 measurements of cell
nuclei.

A model is trained on public patients (scikit-learn's breast cancer data, standardized and clipped
at two standard deviations). The measurements of other patients are encrypted. A server with the
model and evaluation keys, but without the secret key, computes the probability of each; the owner
decrypts. The result is compared with scikit-learn's.

Packing: a ciphertext holds slots / 32 patients. Feature j of all patients is in one block of slots.
The blocks are consecutive, and two of the 32 are empty:

    x[j * patients + i] = feature j of patient i

A product with the weights, each repeated for all patients, and a sum over blocks (five rotations)
give all logits w·xᵢ + b at once, in the first block. No logit exceeds |b| + 2·Σ|w|, for any
measurements. The weights are first divided by this bound, so that the sigmoid is a polynomial on
[-1, 1], which saves the level of another interval. The bound of the logits is declared, since it
follows from the model and not only from the bounds of the vectors. Levels: one for the weights,
⌈log2(degree + 1)⌉ for the sigmoid; `n14` has five.

    python python/examples/logistic_regression.py
    python python/examples/logistic_regression.py --preset n13-insecure --seed 7
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from halimede import ckks
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

Vector = NDArray[np.float64]

BLOCKS = 32
"""The number of features of a patient in a ciphertext, including empty ones: a power of two."""
MOST = 2.0
"""The number of standard deviations at which measurements are clipped."""


@dataclass(frozen=True)
class Model:
    """The server's model: weights[30], the bias, and a bound of the logits' absolute values."""

    weights: Vector
    bias: float
    bound: float


@dataclass(frozen=True)
class Result:
    """The results for the test patients."""

    probabilities: Vector
    """The decrypted probabilities, [patients]."""
    plain: Vector
    """scikit-learn's probabilities."""
    labels: NDArray[np.int64]
    """The true labels: 1 for benign."""
    stated_error: float
    """The bound of their difference: the error of the polynomial plus that of the encryption."""
    ciphertexts: int
    seconds: dict[str, float]

    @property
    def error(self) -> float:
        """The largest difference of a decrypted probability from scikit-learn's."""
        return float(np.abs(self.probabilities - self.plain).max())

    def accuracy(self, probabilities: Vector) -> float:
        """Returns the fraction of patients that are classified correctly."""
        return float(np.mean((probabilities > 0.5) == (self.labels == 1)))


def prepare(seed: int) -> tuple[Model, Vector, NDArray[np.int64], Vector]:
    """Trains a model; also returns the test patients' features [n, 30], labels and plain
    probabilities."""
    data: Any = load_breast_cancer()
    parts = train_test_split(
        data.data, data.target, test_size=0.25, random_state=seed, stratify=data.target
    )
    train, test, train_labels, test_labels = parts
    scaler = StandardScaler().fit(train)
    # A strong regularization keeps logits small.
    train, test = (np.clip(scaler.transform(part), -MOST, MOST) for part in (train, test))
    classifier = LogisticRegression(C=0.02).fit(train, train_labels)
    weights, bias = classifier.coef_[0], float(classifier.intercept_[0])
    bound = abs(bias) + MOST * float(np.abs(weights).sum())
    return Model(weights, bias, bound), test, test_labels, classifier.predict_proba(test)[:, 1]


def sigmoid_of(model: Model, degree: int) -> ckks.Polynomial:
    """Returns the sigmoid of `bound` times its argument, on [-1, 1]."""
    bound = model.bound
    return ckks.approximate(
        lambda y: 0.5 + 0.5 * math.tanh(bound * y / 2), (-1.0, 1.0), degree=degree
    )


def distance(model: Model, sigmoid: ckks.Polynomial) -> float:
    """Returns the largest error of the polynomial, at points far denser than its oscillations."""
    points = np.linspace(-1.0, 1.0, 20_001)
    exact = 0.5 + 0.5 * np.tanh(model.bound * points / 2)
    return float(np.abs(sigmoid.values(points).real - exact).max())


def pack(patients: Vector, count: int) -> Vector:
    """Packs up to `count` patients into slots."""
    blocks = np.zeros((BLOCKS, count))
    blocks[: patients.shape[1], : len(patients)] = patients.T
    return blocks.ravel()


def infer(x: ckks.Ciphertext, model: Model, sigmoid: ckks.Polynomial) -> ckks.Ciphertext:
    """Computes probabilities, in the first slots, from the packed features, on the server."""
    count = len(x) // BLOCKS
    weights = np.repeat(np.pad(model.weights, (0, BLOCKS - len(model.weights))), count)
    logits = (x * (weights / model.bound)).sum(BLOCKS, batch=count)
    return (logits + model.bias / model.bound).between(-1.0, 1.0).apply(sigmoid)


def run(preset: str, seed: int, say: Any = lambda text: None) -> Result:
    """Runs everything: training, encryption, inference, decryption. Calls `say` with each step."""
    seconds: dict[str, float] = {}

    def timed(name: str, start: float) -> None:
        seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start

    say("training on patients who are not secret")
    start = time.perf_counter()
    model, features, labels, plain = prepare(seed)
    timed("training", start)

    say(f"making keys for {preset}")
    start = time.perf_counter()
    client = ckks.Client(preset)
    count = client.parameters.slots // BLOCKS
    keys = client.evaluation_keys(multiply=True, rotations=ckks.sum_rotations(BLOCKS, count))
    server = ckks.Server(keys)
    timed("keys", start)

    # One level is for the weights; a polynomial of degree 2^k - 1 consumes k.
    sigmoid = sigmoid_of(model, min(31, 2 ** (client.parameters.levels - 1) - 1))
    probabilities, estimate = [], 0.0
    batches = range(0, len(features), count)
    for number, first in enumerate(batches, start=1):
        say(f"ciphertext {number} of {len(batches)}")
        batch = features[first:first + count]
        start = time.perf_counter()
        sent = client.encrypt(pack(batch, count), bound=MOST).to_bytes()
        timed("encryption", start)
        start = time.perf_counter()
        answer = infer(server.load(sent), model, sigmoid).to_bytes()
        timed("inference", start)
        start = time.perf_counter()
        sealed = ckks.Ciphertext.load(answer, client.parameters)
        probabilities.append(client.decrypt(sealed)[: len(batch)])
        timed("decryption", start)
        estimate = max(estimate, sealed.error)
    # The estimate includes the polynomial's error. The rest is the standard deviation of the
    # encryption's error; thousands of errors stay below eight of it.
    added = max(0.0, estimate - sigmoid.error)
    stated = distance(model, sigmoid) + 8 * added
    return Result(
        np.concatenate(probabilities), plain, labels, stated, len(batches), seconds
    )


def main() -> int:
    """Prints a table; returns 0 if encrypted and plain answers agree."""
    parser = argparse.ArgumentParser(
        description="Logistic regression on encrypted patients, compared with plain.",
    )
    parser.add_argument(
        "--preset", default="n14", choices=ckks.Parameters.presets(), help="parameters (n14)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the split of the data (default 0)")
    options = parser.parse_args()

    def say(text: str) -> None:
        print(f"  {text} …", file=sys.stderr, flush=True)

    result = run(options.preset, options.seed, say)
    encrypted, plain = (
        result.accuracy(probabilities) for probabilities in (result.probabilities, result.plain)
    )
    same = bool(((result.probabilities > 0.5) == (result.plain > 0.5)).all())
    rows = [
        ("patients", f"{len(result.labels)} in {result.ciphertexts} ciphertexts"),
        ("accuracy, plain", f"{plain:.4f}"),
        ("accuracy, encrypted", f"{encrypted:.4f}"),
        ("same answers", "all" if same else "not all"),
        ("largest difference", f"{result.error:.2e} of a probability"),
        ("stated bound", f"{result.stated_error:.2e}"),
        *((f"seconds, {name}", f"{spent:.3f}") for name, spent in result.seconds.items()),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:{width}}  {value}")
    return 0 if encrypted == plain and result.error <= result.stated_error else 1


if __name__ == "__main__":
    sys.exit(main())
