# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A small convolutional network on encrypted digits: trains, exports to ONNX, compiles, and runs
it.

The network is a convolution with eight fixed kernels and a ReLU, followed by a classifier of two
layers that scikit-learn trains on its digits (8 x 8 pixels). Any ONNX file with such layers can
replace `network`.

    python python/examples/encrypted_digits.py                      # n15: 128 bits of security
    python python/examples/encrypted_digits.py --images 100 --degree 7
    python python/examples/encrypted_digits.py --write digits       # files for `halimede ckks compile`
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from halimede import nn
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

Array = NDArray[np.float64]

KERNELS = 8
TRAINED = 1200
"""The number of training images; all others are test images."""
SAMPLES = 300
"""The number of samples that `write` writes."""


def convolved(images: Array, kernels: Array) -> Array:
    """Returns the ReLU of 3 x 3 kernels over 8 x 8 images with stride 2, without padding."""
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), axis=(1, 2))[:, ::2, ::2]
    return np.maximum(np.einsum("nyxij,cij->ncyx", windows, kernels), 0).reshape(len(images), -1)


def network(seed: int) -> bytes:
    """Returns a trained network as an ONNX file."""
    images, labels = digits()
    random = np.random.default_rng(seed)
    kernels = random.normal(0, 1 / 3, (KERNELS, 3, 3))
    classifier = MLPClassifier((32,), max_iter=300, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(convolved(images[:TRAINED], kernels), labels[:TRAINED])
    (hidden, last), (hidden_bias, last_bias) = classifier.coefs_, classifier.intercepts_
    nodes = [
        helper.make_node("Conv", ["x", "kernels"], ["image"], strides=[2, 2]),
        helper.make_node("Relu", ["image"], ["edges"]),
        helper.make_node("Flatten", ["edges"], ["features"]),
        helper.make_node("Gemm", ["features", "a", "b"], ["sums"]),
        helper.make_node("Relu", ["sums"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "c", "d"], ["y"]),
    ]
    tensors = {"kernels": kernels[:, None], "a": hidden, "b": hidden_bias, "c": last, "d": last_bias}
    initializers = [numpy_helper.from_array(of.astype(np.float32), name) for name, of in tensors.items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 8, 8])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])
    model = helper.make_model(helper.make_graph(nodes, "digits", [x], [y], initializers))
    content: bytes = model.SerializeToString()
    return content


def digits() -> tuple[Array, NDArray[np.int64]]:
    """Returns images of 8 x 8 values from 0 to 1, and their digits."""
    images, labels = load_digits(return_X_y=True)
    return images.reshape(-1, 8, 8) / 16, labels


def write(folder: Path, seed: int) -> None:
    """Writes the network as an ONNX file, and samples for its calibration."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "digits.onnx").write_bytes(network(seed))
    images, _ = digits()
    for number, image in enumerate(images[:SAMPLES]):
        np.savetxt(folder / f"samples-{number:03}.csv", image.reshape(-1), fmt="%.4f")


@dataclass
class Result:
    """The result of a run."""

    labels: list[int | None]
    """The labels of encrypted images."""
    plain: list[int]
    """The labels of the network in plaintext."""
    digits: list[int]
    """The true digits."""
    difference: float
    """The largest difference of a value from plaintext."""
    seconds: float
    """The time of an image."""


def run(preset: str, degree: int, count: int, seed: int, progress: bool = False) -> Result:
    """Trains and compiles the network, and runs it on encrypted images."""
    images, labels = digits()
    model = nn.compile(network(seed), images[:TRAINED, None], preset, degree=degree, guard=False)
    print(model.report(), file=sys.stderr)
    client = model.client()
    server = model.server(client.evaluation_keys())
    result = Result([], [], [], 0.0, 0.0)
    start = time.perf_counter()
    for image, label in zip(images[TRAINED:][:count], labels[TRAINED:]):
        output = client.decrypt(server.run(client.encrypt(image), progress=progress))
        plain = model(image)
        result.labels.append(output.label)
        result.plain.append(int(np.argmax(plain)))
        result.digits.append(int(label))
        result.difference = max(result.difference, float(np.abs(output.values - plain).max()))
    result.seconds = (time.perf_counter() - start) / count
    return result


def main() -> None:
    """Prints the number of labels that agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--preset", default="n15", help="the parameters")
    parser.add_argument("--degree", type=int, default=15, help="degree of the polynomials for ReLU")
    parser.add_argument("--images", type=int, default=20, help="number of encrypted images")
    parser.add_argument("--write", metavar="DIR", type=Path, help="write the network and samples, and run nothing")
    parser.add_argument("--seed", type=int, default=1, help="seed of the training")
    options = parser.parse_args()
    if options.write is not None:
        write(options.write, options.seed)
        return
    result = run(options.preset, options.degree, options.images, options.seed, progress=True)
    equal = sum(a == b for a, b in zip(result.labels, result.plain))
    right = sum(a == b for a, b in zip(result.labels, result.digits))
    print(
        f"{len(result.labels)} encrypted images: {equal} labels as in plaintext, {right} right; values off by "
        f"{result.difference:.2f} at most; {result.seconds:.2f} s each"
    )


if __name__ == "__main__":
    main()
