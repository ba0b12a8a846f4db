# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A convolutional and a recurrent network on encrypted digits: trains, exports to ONNX, and runs
them.

Both are trained with only NumPy (Adam, cross-entropy, fixed seeds) on 1,200 of scikit-learn's
digits (8 x 8 pixels), in seconds. The other digits are encrypted.

- `cnn`: two convolutions of 3 x 3, each with a mean of 2 x 2 and a ReLU, and a linear layer.
- `lstm`: an LSTM that reads the eight rows of an image in sequence, and a linear layer.

    python python/examples/digit_networks.py cnn                        # n15: 128 bits of security
    python python/examples/digit_networks.py lstm --images 1            # 4.3 GB of keys, eight bootstraps
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from halimede import nn
from halimede.ckks import Parameters
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

Array = NDArray[np.float64]
Weights = dict[str, Array]
Gradient = Callable[[Weights, Array, NDArray[np.int64]], Weights]
"""The gradient of the loss over a batch of images and their labels."""

TRAINED = 1200
"""The number of training images; all others are test images."""
BATCH = 32
DECAY = 0.2
"""The weight decay: small arguments of activations allow precise polynomials."""
STEPS = ROWS = COLUMNS = 8
CHANNELS = (8, 16)
HIDDEN = 32


def digits() -> tuple[Array, NDArray[np.int64]]:
    """Returns images of 8 x 8 values from 0 to 1 in a fixed order, and their digits."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    return images.reshape(-1, ROWS, COLUMNS)[order] / 16, labels[order]


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)), without overflow."""
    half: Array = 0.5 * (1 + np.tanh(0.5 * x))
    return half


def loss_gradient(values: Array, labels: NDArray[np.int64]) -> Array:
    """Returns the gradient of the mean cross-entropy with respect to a network's values."""
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    shares[np.arange(len(labels)), labels] -= 1
    return shares / len(labels)


def train(weights: Weights, gradient: Gradient, epochs: int, seed: int) -> Weights:
    """Trains by Adam with its usual constants (Kingma, Ba, ICLR 2015), weight decay and a falling
    rate."""
    images, labels = digits()
    images, labels = images[:TRAINED], labels[:TRAINED]
    random = np.random.default_rng(seed)
    first = {name: np.zeros_like(of) for name, of in weights.items()}
    second = {name: np.zeros_like(of) for name, of in weights.items()}
    step, steps = 0, epochs * (TRAINED // BATCH)
    for _ in range(epochs):
        for batch in np.array_split(random.permutation(TRAINED), TRAINED // BATCH):
            step += 1
            rate = 8e-3 * (1 - step / (steps + 1))
            for name, slope in gradient(weights, images[batch], labels[batch]).items():
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope**2
                mean, square = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
                weights[name] = (1 - DECAY * rate) * weights[name] - rate * mean / (np.sqrt(square) + 1e-8)
    return weights


def windows(images: Array) -> Array:
    """Returns the 3 x 3 window of each place, with zero padding: [images, rows, columns, channels *
    9]."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    count, channels, rows, columns = images.shape
    return views.transpose(0, 2, 3, 1, 4, 5).reshape(count, rows, columns, channels * 9)


def spread(slopes: Array, channels: int) -> Array:
    """Returns the gradient with respect to images, from that with respect to their `windows`."""
    count, rows, columns, _ = slopes.shape
    parts = slopes.reshape(count, rows, columns, channels, 3, 3)
    result = np.zeros((count, channels, rows + 2, columns + 2))
    for row in range(3):
        for column in range(3):
            part = parts[..., row, column].transpose(0, 3, 1, 2)
            result[:, :, row : row + rows, column : column + columns] += part
    return result[:, :, 1:-1, 1:-1]


def halved(images: Array) -> Array:
    """Returns means of 2 x 2 places."""
    count, channels, rows, columns = images.shape
    means: Array = images.reshape(count, channels, rows // 2, 2, columns // 2, 2).mean(axis=(3, 5))
    return means


def cnn_gradient(of: Weights, images: Array, labels: NDArray[np.int64]) -> Weights:
    """Returns the gradient by the chain rule, layer by layer."""
    seen = windows(images[:, None])
    sums = (seen @ of["k1"] + of["b1"]).transpose(0, 3, 1, 2)
    pooled = halved(np.maximum(sums, 0))
    seen2 = windows(pooled)
    sums2 = (seen2 @ of["k2"] + of["b2"]).transpose(0, 3, 1, 2)
    pooled2 = halved(np.maximum(sums2, 0))
    flat = pooled2.reshape(len(images), -1)
    slope = loss_gradient(flat @ of["d"] + of["e"], labels)
    result = {"d": flat.T @ slope, "e": slope.sum(axis=0)}

    def back(slopes: Array, sums: Array) -> Array:
        """Propagates back through a mean and a ReLU; channels are last."""
        whole = slopes.repeat(2, axis=2).repeat(2, axis=3) / 4
        inner: Array = np.where(sums > 0, whole, 0).transpose(0, 2, 3, 1)
        return inner

    inner = back((slope @ of["d"].T).reshape(pooled2.shape), sums2)
    result["k2"] = np.tensordot(seen2, inner, axes=([0, 1, 2], [0, 1, 2]))
    result["b2"] = inner.sum(axis=(0, 1, 2))
    outer = back(spread(inner @ of["k2"].T, CHANNELS[0]), sums)
    result["k1"] = np.tensordot(seen, outer, axes=([0, 1, 2], [0, 1, 2]))
    result["b1"] = outer.sum(axis=(0, 1, 2))
    return result


def lstm_gradient(of: Weights, images: Array, labels: NDArray[np.int64]) -> Weights:
    """Returns the gradient by backpropagation through time. Gates are in ONNX's order: i, o, f,
    c."""
    count = len(images)
    hidden, cell = np.zeros((count, HIDDEN)), np.zeros((count, HIDDEN))
    steps = []
    for step in range(STEPS):
        row = images[:, step]
        sums = row @ of["W"].T + hidden @ of["R"].T + of["B"]
        i, o, f = (sigmoid(sums[:, k * HIDDEN : (k + 1) * HIDDEN]) for k in range(3))
        g = np.tanh(sums[:, 3 * HIDDEN :])
        new = f * cell + i * g
        seen = np.tanh(new)
        steps.append((row, hidden, cell, i, o, f, g, seen))
        hidden, cell = o * seen, new
    slope = loss_gradient(hidden @ of["d"] + of["e"], labels)
    result = {"d": hidden.T @ slope, "e": slope.sum(axis=0)}
    result.update({name: np.zeros_like(of[name]) for name in ("W", "R", "B")})
    by_hidden, by_cell = slope @ of["d"].T, np.zeros((count, HIDDEN))
    for row, before, cell, i, o, f, g, seen in reversed(steps):
        by_cell = by_cell + by_hidden * o * (1 - seen**2)
        by_sums = np.concatenate(
            [
                by_cell * g * i * (1 - i),
                by_hidden * seen * o * (1 - o),
                by_cell * cell * f * (1 - f),
                by_cell * i * (1 - g**2),
            ],
            axis=1,
        )
        result["W"] += by_sums.T @ row
        result["R"] += by_sums.T @ before
        result["B"] += by_sums.sum(axis=0)
        by_hidden, by_cell = by_sums @ of["R"], by_cell * f
    return result


def cnn(epochs: int, seed: int) -> bytes:
    """Returns the trained convolutional network as an ONNX file."""
    random = np.random.default_rng(seed)
    first, second = CHANNELS
    flat = second * (ROWS // 4) * (COLUMNS // 4)
    weights = {
        "k1": random.normal(0, np.sqrt(2 / 9), (9, first)),
        "b1": np.zeros(first),
        "k2": random.normal(0, np.sqrt(2 / (9 * first)), (9 * first, second)),
        "b2": np.zeros(second),
        "d": random.normal(0, np.sqrt(1 / flat), (flat, 10)),
        "e": np.zeros(10),
    }
    weights = train(weights, cnn_gradient, epochs, seed)
    nodes = []
    last = "x"
    for layer, channels in (("1", 1), ("2", first)):
        kernels = weights["k" + layer].T.reshape(-1, channels, 3, 3)
        weights["k" + layer] = kernels
        nodes += [
            helper.make_node("Conv", [last, "k" + layer, "b" + layer], ["sums" + layer], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["sums" + layer], ["relu" + layer]),
            helper.make_node(
                "AveragePool", ["relu" + layer], ["mean" + layer], kernel_shape=[2, 2], strides=[2, 2]
            ),
        ]
        last = "mean" + layer
    nodes.append(helper.make_node("Flatten", [last], ["flat"]))
    nodes.append(helper.make_node("Gemm", ["flat", "d", "e"], ["y"]))
    return model_of(nodes, weights, [1, 1, ROWS, COLUMNS])


def lstm(epochs: int, seed: int) -> bytes:
    """Returns the trained recurrent network as an ONNX file, in PyTorch's form."""
    random = np.random.default_rng(seed)
    width = 1 / np.sqrt(HIDDEN)
    weights = {
        "W": random.uniform(-width, width, (4 * HIDDEN, COLUMNS)),
        "R": random.uniform(-width, width, (4 * HIDDEN, HIDDEN)),
        "B": np.zeros(4 * HIDDEN),
        "d": random.uniform(-width, width, (HIDDEN, 10)),
        "e": np.zeros(10),
    }
    # Initially open forget gates.
    weights["B"][2 * HIDDEN : 3 * HIDDEN] = 1
    weights = train(weights, lstm_gradient, epochs, seed)
    weights["B"] = np.concatenate([weights["B"], np.zeros(4 * HIDDEN)])
    for name in ("W", "R", "B"):
        weights[name] = weights[name][None]
    nodes = [
        helper.make_node("Transpose", ["x"], ["steps"], perm=[1, 0, 2]),
        helper.make_node("LSTM", ["steps", "W", "R", "B"], ["", "state"], hidden_size=HIDDEN, name="lstm"),
        helper.make_node("Squeeze", ["state", "first"], ["last"]),
        helper.make_node("Gemm", ["last", "d", "e"], ["y"]),
    ]
    return model_of(nodes, weights, [1, STEPS, COLUMNS], {"first": np.array([0])})


def model_of(
    nodes: Sequence[NodeProto],
    weights: Weights,
    shape: list[int],
    integers: dict[str, NDArray[np.int64]] | None = None,
) -> bytes:
    """Returns an ONNX file with x: float[shape] and y: float[1, 10]."""
    tensors = [numpy_helper.from_array(of.astype(np.float32), name) for name, of in weights.items()]
    tensors += [numpy_helper.from_array(of, name) for name, of in (integers or {}).items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])
    content: bytes = helper.make_model(
        helper.make_graph(nodes, "digits", [x], [y], tensors)
    ).SerializeToString()
    return content


Maker = Callable[[int, int], bytes]
NETWORKS: dict[str, tuple[Maker, int, str | int, int]] = {
    "cnn": (cnn, 30, "n15", 31),
    "lstm": (lstm, 40, 11, 15),
}
"""The function, the epochs, the parameters and the degree of the polynomials of each network. The
parameters are a preset, or the number of levels after a bootstrap: an LSTM step with polynomials of
degree 15 consumes eleven."""


def parameters_of(given: Parameters | str | int) -> Parameters:
    """Returns parameters with 128 bits of security for a preset's name or a number of levels;
    returns parameters unchanged."""
    if isinstance(given, int):
        return Parameters.build(depth=given, bootstrap=True)
    return Parameters.preset(given) if isinstance(given, str) else given


@dataclass
class Result:
    """The result of a run."""

    right: float
    """The fraction of the test images that the network classifies correctly in plaintext."""
    approximate: float
    """The fraction of the test images whose label polynomials keep, in plaintext."""
    equal: int
    """The number of encrypted images with the label of plaintext."""
    images: int
    """The number of encrypted images."""
    difference: float
    """The largest difference of an encrypted value from plaintext."""
    seconds: float
    """The time of an encrypted image."""
    bootstraps: int
    """The number of bootstraps of an image."""


def run(
    name: str,
    count: int,
    *,
    parameters: Parameters | str | None = None,
    degree: int | None = None,
    epochs: int | None = None,
    seed: int = 1,
    progress: bool = False,
) -> Result:
    """Trains and compiles the network, and runs it on encrypted images."""
    make, usual, preset, usual_degree = NETWORKS[name]
    content = make(usual if epochs is None else epochs, seed)
    images, labels = digits()
    images, labels = images.reshape(len(images), -1), labels[TRAINED:]
    model = nn.compile(
        content,
        images[:TRAINED],
        parameters_of(preset if parameters is None else parameters),
        degree=usual_degree if degree is None else degree,
    )
    print(model.report(), file=sys.stderr)
    new = images[TRAINED:]
    exact = np.array([model(image).argmax() for image in new])
    near = np.array([model.approximate(image).argmax() for image in new])
    result = Result(float(np.mean(exact == labels)), float(np.mean(exact == near)), 0, count, 0.0, 0.0, 0)
    result.bootstraps = model.bootstraps
    if count == 0:
        return result
    client = model.client()
    server = model.server(client.evaluation_keys())
    start = time.perf_counter()
    for image in new[:count]:
        output = client.decrypt(server.run(client.encrypt(image), progress=progress))
        plain = model(image)
        result.equal += output.label == int(plain.argmax())
        result.difference = max(result.difference, float(np.abs(output.values - plain).max()))
    result.seconds = (time.perf_counter() - start) / count
    return result


def main() -> None:
    """Prints the number of labels that agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("network", choices=sorted(NETWORKS))
    parser.add_argument("--preset", help="a preset (default: parameters with 128 bits of security)")
    parser.add_argument("--degree", type=int, help="degree of the polynomials (default: 31 for cnn, 15 for lstm)")
    parser.add_argument("--images", type=int, default=4, help="number of encrypted images; 0 compares only in plaintext")
    parser.add_argument("--seed", type=int, default=1, help="seed of the training")
    options = parser.parse_args()
    if not 0 <= options.images <= len(digits()[0]) - TRAINED:
        parser.error(f"--images: 0 to {len(digits()[0]) - TRAINED}")
    result = run(
        options.network,
        options.images,
        parameters=options.preset,
        degree=options.degree,
        seed=options.seed,
        progress=True,
    )
    print(
        f"{options.network}: {result.right:.1%} of new images right in plaintext, {result.approximate:.1%} of "
        f"labels as before with polynomials; {result.equal} of {result.images} encrypted labels as in "
        f"plaintext, values off by {result.difference:.2f} at most, {result.bootstraps} bootstraps and "
        f"{result.seconds:.1f} s an image"
    )


if __name__ == "__main__":
    main()
