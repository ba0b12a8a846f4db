# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`halimede.nn`: recurrent layers and max pools from ONNX files, against NumPy and ONNX's
reference."""

import os
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest
from halimede import ckks, nn
from numpy.typing import NDArray
from onnx import helper

from test_ckks_example import ROOT, example
from test_nn import onnx_of

Array = NDArray[np.float64]
RING = ckks.Parameters.build_insecure(1024, depth=9, bootstrap=True)
"""512 slots, and nine levels after a bootstrap."""


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def lstm_of_numpy(tensors: dict[str, Array], sequence: Array) -> Array:
    """The last hidden state; gates are i, o, f, c."""
    w, r, bias = tensors["W"][0], tensors["R"][0], tensors["B"][0].reshape(2, -1).sum(axis=0)
    hidden = cell = np.zeros(r.shape[1])
    for row in sequence:
        i, o, f, c = np.split(w @ row + r @ hidden + bias, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(c)
        hidden = sigmoid(o) * np.tanh(cell)
    return hidden


def lstm(random: np.random.Generator, steps: int, inputs: int, hidden: int) -> tuple[bytes, dict[str, Array]]:
    """A layer in PyTorch's form, and a linear one on its last state."""
    shapes = {"W": (1, 4 * hidden, inputs), "R": (1, 4 * hidden, hidden), "B": (1, 8 * hidden), "d": (hidden, 2)}
    tensors = {name: random.uniform(-1, 1, shape) for name, shape in shapes.items()}
    nodes = [
        helper.make_node("Transpose", ["x"], ["s"], perm=[1, 0, 2]),
        helper.make_node("LSTM", ["s", "W", "R", "B"], ["all"], hidden_size=hidden, name="cell"),
        helper.make_node("Reshape", ["all", "shape"], ["rows"]),
        helper.make_node("Slice", ["rows", "from", "to", "axis"], ["last"]),
        helper.make_node("Flatten", ["last"], ["flat"]),
        helper.make_node("Gemm", ["flat", "d"], ["y"]),
    ]
    integers = {"shape": [1, steps, hidden], "from": [-1], "to": [steps], "axis": [1]}
    model = onnx.load_from_string(onnx_of(nodes, tensors, [steps, inputs], 2))
    for name, values in integers.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(values), name))
    content: bytes = model.SerializeToString()
    return content, tensors


def test_lstms_have_the_values_of_numpy() -> None:
    random = np.random.default_rng(1)
    for case in range(6):
        steps, inputs, hidden = (int(random.integers(1, 6)) for _ in range(3))
        content, tensors = lstm(random, steps, inputs, hidden)
        samples = random.uniform(-1, 1, (20, steps, inputs))
        model = nn.compile(content, samples, RING, degree=7, guard=case % 2 == 0)
        for sample in samples:
            expected = lstm_of_numpy(tensors, sample) @ tensors["d"]
            assert np.abs(model(sample) - expected).max() < 1e-5
            assert np.abs(model.approximate(sample) - expected).max() < 0.2
        if case > 1:
            continue
        client = model.client()
        server = model.server(client.evaluation_keys())
        output = client.decrypt(server.run(client.encrypt(samples[0])))
        assert np.abs(output.values - model.approximate(samples[0])).max() < 12 * output.error + 1e-9


def test_models_are_those_of_the_reference() -> None:
    """GRU and RNN, against ONNX's reference implementation."""
    random = np.random.default_rng(2)

    def check(nodes: list[Any], tensors: dict[str, Array], shape: list[int]) -> None:
        content = onnx_of(nodes, tensors, shape, 1)
        reference = onnx.reference.ReferenceEvaluator(onnx.load_from_string(content))
        samples = random.uniform(-1, 1, (3, *shape))
        model = nn.compile(content, samples, RING, degree=3, guard=False)
        for sample in samples:
            (expected,) = reference.run(None, {"x": sample[None].astype(np.float32)})
            assert np.allclose(model(sample).ravel(), expected.ravel(), atol=1e-5)

    for kind, gates, attributes in [
        ("GRU", 3, {"linear_before_reset": 0}), ("GRU", 3, {"linear_before_reset": 1}), ("RNN", 1, {}),
    ]:
        steps, inputs, hidden = (int(random.integers(1, 5)) for _ in range(3))
        shapes = {"W": (1, gates * hidden, inputs), "R": (1, gates * hidden, hidden), "B": (1, 2 * gates * hidden)}
        tensors = {name: random.uniform(-1, 1, shape) for name, shape in shapes.items()}
        nodes = [
            helper.make_node("Transpose", ["x"], ["s"], perm=[1, 0, 2]),
            helper.make_node(kind, ["s", *shapes], ["", "h"], hidden_size=hidden, **attributes),
            helper.make_node("Flatten", ["h"], ["y"]),
        ]
        check(nodes, tensors, [steps, inputs])


def test_max_pools_are_those_of_numpy() -> None:
    random = np.random.default_rng(4)
    for _ in range(12):
        kernel, strides = random.integers(1, 4, 2), random.integers(1, 3, 2)
        pads = random.integers(0, np.tile(kernel, 2))
        numbers = {"kernel_shape": kernel, "strides": strides, "pads": pads}
        attributes = {name: [int(of) for of in values] for name, values in numbers.items()}
        pool = helper.make_node("MaxPool", ["x"], ["y"], **attributes)
        samples = random.uniform(-1, 1, (2, 2, 6, 5))
        model = nn.compile(onnx_of([pool], {}, [2, 6, 5], 1), samples, RING, degree=3, guard=False)
        for sample in samples:
            edges = ((0, 0), (pads[0], pads[2]), (pads[1], pads[3]))
            padded = np.pad(sample, edges, constant_values=-np.inf)
            windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(1, 2))
            expected = windows[:, :: strides[0], :: strides[1]].max(axis=(3, 4))
            assert model.output_shape == expected.shape
            assert np.allclose(model(sample), expected, atol=1e-12)


def test_what_is_not_supported_names_the_node() -> None:
    content, _ = lstm(np.random.default_rng(3), 3, 2, 2)
    model = onnx.load_from_string(content)
    model.graph.node[1].attribute.append(helper.make_attribute("clip", 1.0))
    with pytest.raises(ValueError, match="node cell: LSTM: clip"):
        nn.compile(model.SerializeToString(), np.zeros((1, 3, 2)), RING)
    pool = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], dilations=[2, 2], name="pool")
    with pytest.raises(ValueError, match="node pool: dilations"):
        nn.compile(onnx_of([pool], {}, [1, 5, 5], 9), np.zeros((1, 1, 5, 5)), RING)


def test_the_example_of_two_networks() -> None:
    """A short training on a small ring: few labels are right, but encryption changes none."""
    networks = example(ROOT / "python" / "examples" / "digit_networks.py")
    ring = ckks.Parameters.build_insecure(1024, depth=11, bootstrap=True)
    for name in ("cnn", "lstm"):
        result = networks.run(name, 1, parameters=ring, degree=15, epochs=3)
        assert result.right > 0.5 and result.approximate > 0.9, result
        assert result.equal == 1 and result.difference < 2, result


@pytest.mark.skipif(os.environ.get("HALIMEDE_SWEEP") != "1", reason="HALIMEDE_SWEEP=1 runs it: minutes")
def test_the_example_of_two_networks_with_128_bits_of_security() -> None:
    networks = example(ROOT / "python" / "examples" / "digit_networks.py")
    for name, count in (("cnn", 10), ("lstm", 2)):
        result = networks.run(name, count)
        assert result.right > 0.94 and result.approximate >= 0.99, result
        assert result.equal == count, result
