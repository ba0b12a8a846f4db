# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`halimede.nn` compiles PyTorch modules with PyTorch's values. Skipped without PyTorch
(`make test-torch` installs it)."""

import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from halimede import ckks, nn
from numpy.typing import NDArray

if os.environ.get("HALIMEDE_REQUIRE_TORCH"):
    import torch
else:
    torch = pytest.importorskip("torch")

Array = NDArray[np.float64]
RING = ckks.Parameters.build_insecure(1024, depth=9, bootstrap=True)
"""512 slots, and nine levels after a bootstrap."""


class Block(torch.nn.Module):
    """A residual block whose second convolution has a stride, with trained normalizations."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = torch.nn.BatchNorm2d(channels)
        self.second = torch.nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        self.short = torch.nn.Conv2d(channels, channels, 1, stride=2)
        torch.nn.init.uniform_(self.norm.running_mean, -1, 1)
        torch.nn.init.uniform_(self.norm.running_var, 0.5, 2)

    def forward(self, x: Any) -> Any:
        inner = torch.relu(self.norm(self.first(x)))
        return torch.nn.functional.relu(self.second(inner) + self.short(x)).mean((2, 3))


class Branches(torch.nn.Module):
    """Groups, dilation, a concatenation, and pools."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = torch.nn.Conv2d(4, 4, 3, padding=2, dilation=2)
        self.groups = torch.nn.Conv2d(4, 8, 3, padding=1, groups=2)
        self.last = torch.nn.Linear(12 * 4, 3)

    def forward(self, x: Any) -> Any:
        both = torch.cat((torch.sigmoid(self.wide(x)), torch.tanh(self.groups(x))), dim=1)
        return self.last(torch.nn.functional.avg_pool2d(both, 2).flatten(1))


class Last(torch.nn.Module):
    """A recurrent layer, and a linear one on its last state."""

    def __init__(self, cell: Callable[..., Any]) -> None:
        super().__init__()
        self.cell = cell(3, 5, batch_first=True)
        self.last = torch.nn.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        return self.last(self.cell(x)[0][:, -1])


def perceptron(activation: Any) -> Any:
    return torch.nn.Sequential(
        torch.nn.Linear(7, 16), activation, torch.nn.Linear(16, 4))


MODULES: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "residual": (lambda: Block(3), (3, 6, 6)),
    "branches": (Branches, (4, 4, 4)),
    "max_pool": (lambda: torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(8, 3)), (1, 6, 6)),
    "global_pool": (lambda: torch.nn.Sequential(
        torch.nn.Conv2d(2, 6, 3, padding=1), torch.nn.SiLU(), torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(), torch.nn.Linear(6, 2)), (2, 8, 8)),
    "gelu": (lambda: perceptron(torch.nn.GELU()), (7,)),
    "double": (lambda: perceptron(torch.nn.Tanh()).double(), (7,)),
    "dropout": (lambda: torch.nn.Sequential(torch.nn.Dropout(0.5), perceptron(torch.nn.ReLU())), (7,)),
    "rows": (lambda: torch.nn.Sequential(
        torch.nn.Linear(3, 5), torch.nn.SiLU(), torch.nn.Linear(5, 2), torch.nn.Flatten()), (4, 3)),
    "lstm": (lambda: Last(torch.nn.LSTM), (4, 3)),
    "gru": (lambda: Last(torch.nn.GRU), (4, 3)),
    "rnn": (lambda: Last(torch.nn.RNN), (4, 3)),
}


def exported(module: Any, sample: Array) -> bytes:
    """The file of the newer exporter, which uses other operators."""
    file = io.BytesIO()
    example = torch.as_tensor(sample[None]).to(next(module.parameters()).dtype)
    torch.onnx.export(module, (example,), dynamo=True, verbose=False).save(file)
    return file.getvalue()


def plain(module: Any, sample: Array) -> Array:
    """The module's values of one sample."""
    kind = next(module.parameters()).dtype
    with torch.no_grad():
        return np.asarray(module(torch.as_tensor(sample[None]).to(kind))[0].double().numpy())


@pytest.mark.parametrize("newer", [False, True])
@pytest.mark.parametrize("name", MODULES)
def test_values_are_those_of_torch(name: str, newer: bool) -> None:
    torch.manual_seed(len(name))
    build, shape = MODULES[name]
    module = build().eval()
    samples = np.random.default_rng(3).uniform(-1, 1, (30, *shape))
    model = nn.compile(exported(module, samples[0]) if newer else module, samples, RING, degree=7)
    assert model.input_shape == shape
    for sample in samples:
        assert np.abs(model(sample).ravel() - plain(module, sample)).max() < 1e-5


def test_a_module_runs_encrypted() -> None:
    torch.manual_seed(5)
    module = perceptron(torch.nn.SiLU())
    samples = np.random.default_rng(4).uniform(-1, 1, (40, 7))
    model = nn.compile(module, samples, RING, degree=7)
    client = model.client()
    server = model.server(client.evaluation_keys())
    output = client.decrypt(server.run(client.encrypt(samples[0])))
    assert np.abs(output.values - plain(module.eval(), samples[0])).max() < 0.05


def test_a_module_in_training_is_taken_as_for_use_and_stays_so() -> None:
    module = MODULES["dropout"][0]().train()
    samples = np.random.default_rng(6).uniform(-1, 1, (30, 7))
    model = nn.compile(module, samples, RING, degree=7)
    assert module.training
    assert np.abs(model(samples[0]) - plain(module.eval(), samples[0])).max() < 1e-5


def test_what_is_not_supported_is_named() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(7, 4), torch.nn.Softmax(dim=1), torch.nn.Linear(4, 2))
    with pytest.raises(ValueError, match="Softmax"):
        nn.compile(module, np.zeros((3, 7)), RING)
