# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Logistic regression on encrypted patients: breast cancer, told from 30 measurements of cell
nuclei.

A model is trained on patients who are not secret (scikit-learn's breast cancer data, standardized
and cut off at two standard deviations). The others' measurements are encrypted; a server that has
the model and evaluation keys, but no secret, computes the probability of each; their owner
decrypts. It is compared with scikit-learn's.

Packing: a ciphertext holds as many patients as slots / 32. Feature j of all of them stands in one
block of slots, the blocks one after the other, two of the 32 empty:

    x[j * patients + i] = feature j of patient i

A product with the weights, each repeated for all patients, and a sum over blocks (five rotations)
give all their logits w·xᵢ + b at once, in the first block. No logit exceeds |b| + 2·Σ|w|, whatever
is measured. The weights are divided by that before, so that the sigmoid is a polynomial on [-1, 1],
without a level for another interval; that all values lie there is declared, since it follows from
what is known of the model and not from the bounds of vectors alone. Levels: one for the weights,
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
"""Features of a patient in a ciphertext, those that are empty with them: a power of two."""
MOST = 2.0
"""Standard deviations at which measurements are cut off."""


@dataclass(frozen=True)
class Model:
    """What the server has: weights[30], the bias, and a bound of the logits' absolute values."""

    weights: Vector
    bias: float
    bound: float


@dataclass(frozen=True)
class Result:
    """What came of it, for the patients of the test."""

    probabilities: Vector
    """Decrypted ones, [patients]."""
    plain: Vector
    """scikit-learn's."""
    labels: NDArray[np.int64]
    """The truth: 1 for benign."""
    stated_error: float
    """Bound of their distance: the polynomial's from the sigmoid, and what encryption adds."""
    ciphertexts: int
    seconds: dict[str, float]

    @property
    def error(self) -> float:
        """The largest distance of a decrypted probability from scikit-learn's."""
        return float(np.abs(self.probabilities - self.plain).max())

    def accuracy(self, probabilities: Vector) -> float:
        """How many patients are told rightly."""
        return float(np.mean((probabilities > 0.5) == (self.labels == 1)))


def prepare(seed: int) -> tuple[Model, Vector, NDArray[np.int64], Vector]:
    """A model, and the patients of the test: their features [n, 30], labels, and plain
    probabilities."""
    data: Any = load_breast_cancer()
    parts = train_test_split(
        data.data, data.target, test_size=0.25, random_state=seed, stratify=data.target
    )
    train, test, train_labels, test_labels = parts
    scaler = StandardScaler().fit(train)
    # A strong regularisation keeps logits small.
    train, test = (np.clip(scaler.transform(part), -MOST, MOST) for part in (train, test))
    classifier = LogisticRegression(C=0.02).fit(train, train_labels)
    weights, bias = classifier.coef_[0], float(classifier.intercept_[0])
    bound = abs(bias) + MOST * float(np.abs(weights).sum())
    return Model(weights, bias, bound), test, test_labels, classifier.predict_proba(test)[:, 1]


def sigmoid_of(model: Model, degree: int) -> ckks.Polynomial:
    """The sigmoid of `bound` times its argument, on [-1, 1]."""
    bound = model.bound
    return ckks.approximate(
        lambda y: 0.5 + 0.5 * math.tanh(bound * y / 2), (-1.0, 1.0), degree=degree
    )


def distance(model: Model, sigmoid: ckks.Polynomial) -> float:
    """By how much the polynomial misses the sigmoid at most, at points far denser than its
    waves."""
    points = np.linspace(-1.0, 1.0, 20_001)
    exact = 0.5 + 0.5 * np.tanh(model.bound * points / 2)
    return float(np.abs(sigmoid.values(points).real - exact).max())


def pack(patients: Vector, count: int) -> Vector:
    """The slots of up to `count` patients."""
    blocks = np.zeros((BLOCKS, count))
    blocks[: patients.shape[1], : len(patients)] = patients.T
    return blocks.ravel()


def infer(x: ckks.Ciphertext, model: Model, sigmoid: ckks.Polynomial) -> ckks.Ciphertext:
    """The server's part: probabilities in the first slots, from the packed features."""
    count = len(x) // BLOCKS
    weights = np.repeat(np.pad(model.weights, (0, BLOCKS - len(model.weights))), count)
    logits = (x * (weights / model.bound)).sum(BLOCKS, batch=count)
    return (logits + model.bias / model.bound).between(-1.0, 1.0).apply(sigmoid)


def run(preset: str, seed: int, say: Any = lambda text: None) -> Result:
    """All of it: training, encryption, inference, decryption. `say` is told what is done."""
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

    # One level is the weights'; a polynomial of degree 2^k - 1 takes k.
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
    # An answer's estimate has the polynomial's distance in it; what encryption adds is the rest of it, a
    # standard deviation, of which eight are more than thousands of errors reach.
    added = max(0.0, estimate - sigmoid.error)
    stated = distance(model, sigmoid) + 8 * added
    return Result(
        np.concatenate(probabilities), plain, labels, stated, len(batches), seconds
    )


def main() -> int:
    """The command: prints a table; 0 where encrypted and plain answers agree."""
    parser = argparse.ArgumentParser(
        description="Logistic regression on encrypted patients, compared with plain.",
    )
    parser.add_argument(
        "--preset", default="n14", choices=ckks.Parameters.presets(), help="parameters (n14)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the split of the data (0)")
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
