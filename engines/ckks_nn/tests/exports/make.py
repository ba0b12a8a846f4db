# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes the models of this folder with the exporters that users call, and records the outputs of
onnxruntime for some inputs next to them.

    python3 make.py FOLDER sklearn|hummingbird|keras|torch|digits

Each group needs its own packages, since TensorFlow, PyTorch and Hummingbird do not agree on
versions; `make exports` installs them:

    sklearn      scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.23.2
    hummingbird  scikit-learn==1.9.1 hummingbird-ml==0.4.12 onnx==1.16.1 torch==2.15.0
    keras        scikit-learn==1.9.1 tensorflow-cpu==2.21.0 keras==3.15.1 tf2onnx==1.17.0 onnx==1.23.2
    torch        scikit-learn==1.9.1 torch==2.15.0 onnxscript==0.7.2 onnx==1.23.2

and all of them numpy==2.4.6 and onnxruntime==1.32.0. The data sets are those in scikit-learn, and
all seeds are fixed. Weights may differ in their last bits between machines.
"""

from __future__ import annotations

import functools
import importlib.metadata
import io
import json
import pathlib
import sys
from typing import Any

import numpy as np

INPUTS = 16
"""The number of recorded inputs of a model."""


def without_notes(content: bytes) -> bytes:
    """Returns the model without its exporter's notes, such as stack traces with paths of a machine."""
    import onnx

    model = onnx.load_from_string(content)
    graph = model.graph
    parts = [model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer]
    for part in parts:
        part.ClearField("doc_string")
        part.ClearField("metadata_props")
    return model.SerializeToString()


def record(folder: pathlib.Path, name: str, exporter: str, model: bytes, inputs: Any) -> None:
    """Writes a model, and onnxruntime's outputs for some inputs."""
    import onnxruntime

    model = without_notes(model)
    (folder / f"{name}.onnx").write_bytes(model)
    session = onnxruntime.InferenceSession(model)
    source = session.get_inputs()[0].name
    cases = []
    for row in np.asarray(inputs, dtype=np.float32)[:INPUTS]:
        case: dict[str, Any] = {"input": [float(value) for value in row.ravel()], "labels": [], "values": []}
        for output in session.run(None, {source: row[None]}):
            if isinstance(output, list):  # ZipMap: a dictionary for each row
                case["values"] = [float(value) for value in output[0].values()]
                case["classes"] = list(output[0])
            elif output.dtype.kind == "f":
                case["values"] = [float(value) for value in output.ravel()]
            else:
                case["labels"] = output.ravel().tolist()
        cases.append(case)
    versions = {name: importlib.metadata.version(name) for name in ("onnxruntime", *exporter.split())}
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = f'{{"versions": {json.dumps(versions)}, "cases": [\n{lines}\n]}}\n'
    (folder / f"{name}.json").write_text(text)


def data(name: str) -> tuple[Any, Any]:
    """Returns the inputs and classes or values of a data set, shuffled."""
    from sklearn import datasets

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(x))
    return x[order].astype(np.float32), y[order]


def sklearn(folder: pathlib.Path) -> None:
    """Pipelines of scikit-learn, by skl2onnx."""
    from skl2onnx import to_onnx
    from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.svm import LinearSVC

    cancer, iris, diabetes, digits = map(data, ("breast_cancer", "iris", "diabetes", "digits"))
    named = cancer[0], np.array(["malignant", "benign"])[cancer[1]]
    perceptron = functools.partial(MLPClassifier, random_state=1, max_iter=400)
    regressor = MLPRegressor(hidden_layer_sizes=[8], activation="tanh", random_state=1, max_iter=2000)
    models: list[tuple[str, Any, Any, dict[Any, Any] | None]] = [
        ("logistic_binary", LogisticRegression(), named, None),
        ("logistic_classes", LogisticRegression(), iris, {"zipmap": False}),
        ("linear_svc", LinearSVC(random_state=1), iris, {LinearSVC: {"raw_scores": True}}),
        ("ridge_classifier", RidgeClassifier(), cancer, None),
        ("perceptron_binary", perceptron([6]), cancer, None),
        ("perceptron_digits", perceptron([16]), digits, None),
        ("linear_regression", LinearRegression(), diabetes, None),
        ("perceptron_regressor", regressor, diabetes, None),
    ]
    for name, estimator, (x, y), options in models:
        pipeline = make_pipeline(StandardScaler(), estimator).fit(x, y)
        model = to_onnx(pipeline, x[:1], options=options, target_opset={"": 18, "ai.onnx.ml": 3})
        record(folder, f"sklearn_{name}", "scikit-learn skl2onnx", model.SerializeToString(), x)
    x, y = diabetes
    pipeline = make_pipeline(MinMaxScaler(), Ridge()).fit(x, y)
    record(folder, "sklearn_ridge", "scikit-learn skl2onnx", to_onnx(pipeline, x[:1]).SerializeToString(), x)


def hummingbird(folder: pathlib.Path) -> None:
    """A logistic regression as Concrete ML reads it: Hummingbird's matrix, without quantization."""
    import torch

    # Hummingbird calls the exporter that was PyTorch's default before version 2.9.
    torch.onnx.export = functools.partial(torch.onnx.export, dynamo=False)
    import hummingbird.ml
    from sklearn.linear_model import LogisticRegression

    x, y = data("breast_cancer")
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    container = hummingbird.ml.convert(LogisticRegression().fit(x, y), "onnx", x[:1])
    record(folder, "hummingbird_logistic", "hummingbird-ml torch", container.model.SerializeToString(), x)


def keras(folder: pathlib.Path) -> None:
    """Keras, by its own export, which calls tf2onnx."""
    import keras
    from keras import layers

    keras.utils.set_random_seed(1)
    x, y = data("digits")
    images = x.reshape(-1, 8, 8, 1) / 16
    dense = [layers.Flatten(), layers.Dense(12, activation="tanh"), layers.Dense(10, activation="softmax")]
    conv = [
        layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"), layers.BatchNormalization(),
        layers.Conv2D(6, 3, padding="same", activation="relu"), layers.AveragePooling2D(2),
        layers.Flatten(), layers.Dense(10, activation="softmax"),
    ]
    binary = [layers.Flatten(), layers.Dense(6, activation="silu"), layers.Dense(1, activation="sigmoid")]
    for name, stack, target in [("dense", dense, y), ("conv", conv, y), ("binary", binary, y % 2)]:
        model = keras.Sequential([keras.Input((8, 8, 1)), *stack])
        loss = "binary_crossentropy" if name == "binary" else "sparse_categorical_crossentropy"
        model.compile("adam", loss)
        model.fit(images, target, epochs=20, verbose=0)
        path = folder / f"keras_{name}.onnx"
        model.export(str(path), format="onnx", verbose=False)
        record(folder, f"keras_{name}", "keras tensorflow-cpu tf2onnx", path.read_bytes(), images)


def torch(folder: pathlib.Path) -> None:
    """PyTorch, by both of its exporters."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    x, y = data("digits")
    images = torch.as_tensor(x.reshape(-1, 1, 8, 8) / 16)
    target = torch.as_tensor(y)
    cnn = nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 6, 3, padding=1),
        nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 10), nn.LogSoftmax(dim=1))
    perceptron = nn.Sequential(nn.Flatten(), nn.Linear(64, 12), nn.SiLU(), nn.Linear(12, 10), nn.LogSoftmax(dim=1))
    for name, model, newer in [("cnn", cnn, True), ("perceptron", perceptron, False)]:
        optimizer = torch.optim.Adam(model.parameters(), 0.01)
        for _ in range(200):
            optimizer.zero_grad()
            nn.functional.nll_loss(model(images), target).backward()
            optimizer.step()
        model.eval()
        if name == "perceptron":
            model = nn.Sequential(*list(model)[:-1], nn.Softmax(dim=1))
        file = io.BytesIO()
        if newer:
            torch.onnx.export(model, (images[:1],), dynamo=True, verbose=False).save(file)
        else:
            torch.onnx.export(model, (images[:1],), file, dynamo=False)
        record(folder, f"torch_{name}", "torch", file.getvalue(), images.numpy())
    transformers(folder, images, target)


def transformers(folder: pathlib.Path, images: Any, target: Any) -> None:
    """Transformers on digits whose rows of eight pixels are the tokens: PyTorch's own encoder by the
    newer exporter, and an encoder of single operators, as BERT's, by the older one."""
    import torch
    from torch import nn

    class Digits(nn.Module):
        """Encoder layers on eight tokens, and a linear layer on the mean of their results."""

        def __init__(self, width: int, heads: int, hidden: int, layers: int) -> None:
            super().__init__()
            self.embed = nn.Linear(8, width)
            self.place = nn.Parameter(torch.randn(8, width) * 0.1)
            layer = nn.TransformerEncoderLayer(width, heads, hidden, 0.0, "gelu", batch_first=True)
            self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
            self.head = nn.Linear(width, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.layers(self.embed(x) + self.place).mean(dim=1))

    class Masked(nn.Module):
        """One layer of single operators, in which a token sees those before it."""

        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.heads, self.width = heads, width
            self.embed, self.merge = nn.Linear(8, width), nn.Linear(width, width)
            self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
            self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
            self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
            self.head = nn.Linear(width, 10)
            self.register_buffer("mask", torch.triu(torch.full((8, 8), -1e4), diagonal=1))

        def forward(self, x: Any) -> Any:
            x = self.embed(x)
            y = self.before(x)
            q, k, v = (
                of(y).view(-1, 8, self.heads, self.width // self.heads).transpose(1, 2) for of in (self.query, self.key, self.value))
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + self.mask
            mixed = (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(-1, 8, self.width)
            x = x + self.merge(mixed)
            x = x + self.down(nn.functional.gelu(self.up(self.after(x))))
            return self.head(x[:, -1])

    def wide_scores(attention: Any, x: Any) -> Any:
        """Returns a penalty of scores that are far from the mean of their row: the exponential of
        encrypted scores is a polynomial on an interval, which must be short."""
        both = nn.functional.linear(x, attention.in_proj_weight, attention.in_proj_bias)
        heads = attention.num_heads
        q, k, _ = (of.unflatten(-1, (heads, -1)).transpose(1, 2) for of in both.chunk(3, dim=-1))
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        far = (scores - scores.mean(dim=-1, keepdim=True)).abs() - 1
        return far.clamp(min=0).square().mean()

    rows = images.reshape(-1, 8, 8)
    train, others = slice(0, 1400), slice(1400, None)
    models: list[tuple[str, Any, bool]] = [
        ("transformer", Digits(64, 4, 128, 2), True), ("masked", Masked(16, 2), False)]
    for name, model, newer in models:
        optimizer = torch.optim.AdamW(model.parameters(), 0.002, weight_decay=0.02)
        penalties: list[Any] = []
        attentions = [of for of in model.modules() if isinstance(of, nn.MultiheadAttention)]
        hooks = [
            of.register_forward_pre_hook(lambda of, x: penalties.append(wide_scores(of, x[0])))
            for of in attentions]
        order = torch.Generator().manual_seed(1)
        for _ in range(60):
            for batch in torch.randperm(1400, generator=order).split(100):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(rows[train][batch]), target[train][batch])
                (loss + 3 * sum(penalties)).backward()
                penalties.clear()
                optimizer.step()
        [hook.remove() for hook in hooks]
        model.eval()
        with torch.no_grad():
            scores = model(rows[others])
        print(f"{name}: {float((scores.argmax(1) == target[others]).float().mean()):.4f} of the others")
        file = io.BytesIO()
        if newer:
            torch.onnx.export(model, (rows[:1],), dynamo=True, verbose=False).save(file)
        else:
            torch.onnx.export(model, (rows[:1],), file, dynamo=False, opset_version=14)
        record(folder, f"torch_{name}", "torch", file.getvalue(), rows[others].numpy())


def digits(folder: pathlib.Path) -> None:
    """Writes the digits that the transformers were not trained with, a line for each, for the example
    `transformer`."""
    images = data("digits")[0][1400:] / 16
    (folder / "digits.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in images.tolist()))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("sklearn", "hummingbird", "keras", "torch", "digits"):
        sys.exit(__doc__)
    globals()[sys.argv[2]](pathlib.Path(sys.argv[1]))
