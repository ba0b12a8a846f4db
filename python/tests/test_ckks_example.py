# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The example of logistic regression: encrypted answers are as good as plain ones."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "python" / "examples" / "logistic_regression.py"
LIMIT = 120
"""The time limit of a test in seconds."""


def example(path: Path = PATH) -> Any:
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("preset, seed, ciphertexts, most", [
    ("n13-insecure", 0, 2, 1e-4), ("n13-insecure", 5, 2, 1e-4), ("n10-insecure", 1, 9, 0.1),
    ("n14", 0, 1, 0.01),
])
def test_probabilities_agree(preset: str, seed: int, ciphertexts: int, most: float) -> None:
    result = example().run(preset, seed)
    assert len(result.labels) == len(result.probabilities) == 143
    assert result.ciphertexts == ciphertexts
    assert result.accuracy(result.probabilities) == result.accuracy(result.plain) > 0.9
    assert result.error <= result.stated_error <= most
    # The probabilities of different patients differ.
    assert np.ptp(result.probabilities) > 0.7


def test_other_weights_are_noticed() -> None:
    module = example()
    model, features, labels, plain = module.prepare(0)
    assert np.abs(module.pack(features[:100], 128).reshape(32, 128)[7, 99] - features[99, 7]) == 0
    turned = module.Model(model.weights[::-1].copy(), model.bias, model.bound)
    client = module.ckks.Client("n13-insecure")
    count = client.parameters.slots // module.BLOCKS
    rotations = module.ckks.sum_rotations(module.BLOCKS, count)
    server = client.server(multiply=True, rotations=rotations)
    sigmoid = module.sigmoid_of(model, 31)
    x = server.bind(client.encrypt(module.pack(features[:count], count), bound=module.MOST))
    for of, agrees in [(model, True), (turned, False)]:
        found = client.decrypt(module.infer(x, of, sigmoid))[:count]
        assert bool(np.abs(found - plain[:count]).max() < 1e-3) == agrees


def test_the_command() -> None:
    command = [sys.executable, str(PATH), "--preset", "n13-insecure", "--seed", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    table = dict(line.split("  ", 1) for line in done.stdout.splitlines())
    table = {name.strip(): value.strip() for name, value in table.items()}
    assert table["patients"] == "143 in 2 ciphertexts" and table["same answers"] == "all"
    assert table["accuracy, encrypted"] == table["accuracy, plain"]
    assert "ciphertext 2 of 2" in done.stderr
    wrong = subprocess.run([*command[:3], "n99"], capture_output=True, text=True, timeout=LIMIT)
    assert wrong.returncode == 2 and "invalid choice: 'n99'" in wrong.stderr


def test_the_patients_of_the_tour_are_these() -> None:
    generator = example(ROOT / "cli" / "data" / "breast_cancer.py")
    made, there = generator.make(), json.loads(generator.PATH.read_text(encoding="utf-8"))
    assert list(made) == list(there) and generator.text(there) == generator.PATH.read_text("utf-8")
    for name in ("patients", "benign", "cut", "origin"):
        assert made[name] == there[name]
    # Another processor may round sums differently.
    for name in ("mean", "deviation", "weights", "bias"):
        assert np.allclose(made[name], there[name], rtol=1e-4, atol=1e-6)
    model, features, labels, _ = example().prepare(0)
    assert np.allclose(model.weights, there["weights"], rtol=1e-4, atol=1e-6)
    assert labels[: len(there["benign"])].astype(bool).tolist() == there["benign"]
