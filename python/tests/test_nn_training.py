# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`halimede.nn`: logistic regression on encrypted samples."""

import functools
import os
from typing import Any

import numpy as np
import pytest
from halimede import ckks, nn
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits

Array = NDArray[np.float64]
Data = tuple[Array, NDArray[np.bool_], Array, NDArray[np.bool_]]
SWEEP = os.environ.get("HALIMEDE_SWEEP") == "1"


@functools.cache
def ring() -> ckks.Parameters:
    """512 slots, and six levels after a bootstrap."""
    return ckks.Parameters.build_insecure(1024, depth=6, bootstrap=True)


@functools.cache
def data(name: str) -> Data:
    """Training samples and others, within 1: breast cancer, or the digits three and eight."""
    if name == "digits":
        samples, labels = load_digits(return_X_y=True)
        kept = np.isin(labels, (3, 8))
        samples, classes = samples[kept], labels[kept] == 8
    else:
        samples, labels = load_breast_cancer(return_X_y=True)
        classes = labels == 1
    order = np.random.default_rng(4).permutation(len(samples))
    samples, classes = samples[order], classes[order]
    count = len(samples) * 3 // 4
    middle, width = samples[:count].mean(axis=0), samples[:count].std(axis=0) + 1e-9
    samples = np.clip((samples - middle) / width / 3, -1, 1)
    return samples[:count], classes[:count], samples[count:], classes[count:]


def test_encrypted_training_finds_the_weights_of_plaintext() -> None:
    x, y, _, _ = data("cancer")
    x, y = x[:60, :7], y[:60]
    told: list[tuple[int, int]] = []
    for batches in (1, 2):
        training = nn.LogisticTraining(60, 7, ring(), iterations=3, rate=4.0, batches=batches)
        client = training.client()
        keys = ckks.EvaluationKeys.load(client.evaluation_keys().to_bytes(), insecure=True)
        server = training.server(keys)
        sealed = client.encrypt(x, y)
        assert len(sealed) == training.ciphertexts
        # As on a remote server.
        sealed = [ckks.Ciphertext.load(of.to_bytes(), training.parameters) for of in sealed]
        result = server.train(sealed, progress=lambda *step: told.append(step))
        found = client.decrypt(result)
        expected = training.in_plaintext(x, y)
        assert np.abs(found.coefficients - expected.coefficients).max() < 1e-3
        assert abs(found.intercept - expected.intercept) < 1e-3
        assert np.mean(found.predict(x) == y) > 0.8
        exact = training.in_plaintext(x, y, exact=True)
        assert np.abs(exact.coefficients - expected.coefficients).max() > 1e-6
    assert told == [(1, 3), (2, 3), (3, 3)] * 2


def test_weights_for_others_have_noise() -> None:
    x, y, _, _ = data("cancer")
    x, y = x[:60, :7], y[:60]
    training = nn.LogisticTraining(60, 7, "n13-insecure", iterations=1, rate=4.0)
    client = training.client()
    server = training.server(client.evaluation_keys())
    weights = server.train(client.encrypt(x, y))
    raw, exact = client.decrypt(weights), training.in_plaintext(x, y)
    statement: Any = {"security_bits": 2, "queries": 2}
    with pytest.raises(TypeError, match="error_at_least"):
        client.decrypt_for_sharing(weights, **statement)
    with pytest.raises(ValueError, match="the weights differ by"):
        client.decrypt_for_sharing(weights, **statement, error_at_least=1e-12, samples=x, classes=y)
    with pytest.raises(ValueError, match="give both or neither"):
        client.decrypt_for_sharing(weights, **statement, error_at_least=1e-6, samples=x)
    shared = client.decrypt_for_sharing(weights, **statement, error_at_least=1e-6, samples=x, classes=y)
    noise = 1e-6 * 2 * np.sqrt(12 * 2 * 2**13)
    off = np.sqrt(np.mean((shared.coefficients - exact.coefficients) ** 2))
    assert noise / 10 < off < 10 * noise and np.abs(raw.coefficients - exact.coefficients).max() < 1e-6
    client.decrypt_for_sharing(weights, **statement, error_at_least=1e-6)
    with pytest.raises(ValueError, match="2 decryptions were shared"):
        client.decrypt_for_sharing(weights, **statement, error_at_least=1e-6)


def test_features_of_any_size(capsys: pytest.CaptureFixture[str]) -> None:
    x, y, _, _ = data("cancer")
    large = x[:40, :3] * [1000, 0.01, 0] + 0.0
    weights = nn.train_logistic(large, y[:40].astype(int), ring(), iterations=2, rate=4.0, progress=True)
    assert "2 of 2 iterations" in capsys.readouterr().err
    assert weights.coefficients.shape == (3,) and abs(weights.coefficients[0]) < abs(weights.coefficients[1])
    assert np.mean(weights.predict(large) == y[:40]) > 0.7


def test_what_is_raised_ends_a_training() -> None:
    x, y, _, _ = data("cancer")
    training = nn.LogisticTraining(8, 2, "n13-insecure", iterations=1)
    client = training.client()
    server = training.server(client.evaluation_keys())
    sealed = client.encrypt(x[:8, :2], y[:8])

    def fail(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        server.train(sealed, progress=fail)
    assert client.decrypt(server.train(sealed)).coefficients.shape == (2,)
    with pytest.raises(ValueError, match="got 1 ciphertexts, wanted 2"):
        server.train(sealed[1:])
    few = client.secret.evaluation_keys(multiply=True)
    with pytest.raises(ValueError, match="key"):
        training.server(few).train(sealed)


def test_bad_input_says_what_is_wrong() -> None:
    training = nn.LogisticTraining(4, 2, "n13-insecure", iterations=1)
    client = training.client()
    good, classes = np.full((4, 2), 0.5), [True, False, 1, 0]

    def refused(match: str, samples: Any, of: Any = classes) -> None:
        with pytest.raises(ValueError, match=match):
            client.encrypt(samples, of)

    refused("wanted samples and features", good[0])
    refused("got 3, and the training was set up for 4", good[:3], classes[:3])
    refused("4 samples, but 3 classes", good, classes[:3])
    refused("wanted a bool, or 0 or 1", good, [0, 1, 2, 0])
    refused("feature 1 of sample 2 is 1.5", np.array([[0, 0], [0, 0], [0, 1.5], [0, 0]]))
    refused("not finite", np.array([[0, np.nan]] * 4))
    refused("of 1 features", good[:, :1])
    with pytest.raises(ValueError, match="no levels for bootstraps"):
        nn.LogisticTraining(4, 2, "n13-insecure")
    with pytest.raises(ValueError, match="batches: got 5, wanted 1 to 4"):
        nn.LogisticTraining(4, 2, "n13-insecure", iterations=1, batches=5)
    with pytest.raises(ValueError, match="rate"):
        nn.LogisticTraining(4, 2, "n13-insecure", iterations=1, rate=-1)
    other = nn.LogisticTraining(4, 2, "n14", iterations=1).client()
    with pytest.raises(ValueError, match="its parameters are n14"):
        training.client(other.secret).encrypt(good, classes)


RATES = {"cancer": 0.25, "digits": 8.0}
"""Learning rates with which products with the weights stay in the interval for eight iterations."""


def right(weights: nn.Weights, name: str) -> float:
    """The fraction of all samples that are classified correctly."""
    x, y, others, classes = data(name)
    told = weights.predict(np.concatenate([x, others]))
    return float(np.mean(told == np.concatenate([y, classes])))


@pytest.mark.parametrize("name, least", [("cancer", 0.92), ("digits", 0.98)])
def test_a_polynomial_tells_as_many_as_the_sigmoid(name: str, least: float) -> None:
    x, y, *_ = data(name)
    training = nn.LogisticTraining(len(x), x.shape[1], iterations=8, rate=RATES[name])
    near, exact = (training.in_plaintext(x, y, exact=exact) for exact in (False, True))
    assert np.abs(near.decision(x)).max() < 16
    assert right(near, name) > least and abs(right(near, name) - right(exact, name)) <= 0.005


@pytest.mark.skipif(not SWEEP, reason="HALIMEDE_SWEEP=1 runs it: minutes and 6 GB")
@pytest.mark.parametrize("name", ["cancer", "digits"])
def test_training_with_128_bits_of_security(name: str) -> None:
    x, y, *_ = data(name)
    training = nn.LogisticTraining(len(x), x.shape[1], iterations=8, rate=RATES[name])
    client = training.client()
    server = training.server(client.evaluation_keys())
    found = client.decrypt(server.train(client.encrypt(x, y), progress=True))
    exact = training.in_plaintext(x, y, exact=True)
    assert abs(right(found, name) - right(exact, name)) <= 0.005
