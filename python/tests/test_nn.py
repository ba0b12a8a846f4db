# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`halimede.nn`: networks from ONNX files on encrypted inputs."""

import functools
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest
from halimede import ckks, nn
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from test_ckks_example import ROOT, example

PRESET = "n13-insecure"


def onnx_of(nodes: list[Any], tensors: dict[str, NDArray[Any]], inputs: list[int], outputs: int) -> bytes:
    """A model from x: float[1, *inputs] to y: float[1, outputs]."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, *inputs])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, outputs])
    initializers = [
        numpy_helper.from_array(tensor.astype(np.float32), name) for name, tensor in tensors.items()
    ]
    graph = helper.make_graph(nodes, "network", [x], [y], initializers)
    content: bytes = helper.make_model(graph).SerializeToString()
    return content


@functools.cache
def digits() -> tuple[bytes, NDArray[np.float64], NDArray[Any]]:
    """A convolution with fixed kernels, followed by a trained classifier; images; their digits."""
    images, labels = load_digits(return_X_y=True)
    images = images.reshape(-1, 1, 8, 8) / 16
    kernels = np.array([[[[1, 0], [0, -1]]], [[[0, 1], [-1, 0]]], [[[0.5, 0.5], [0.5, 0.5]]]]) / 2
    windows = np.lib.stride_tricks.sliding_window_view(images[:, 0], (2, 2), axis=(1, 2))[:, ::2, ::2]
    features = np.maximum(np.einsum("nyxij,cij->ncyx", windows, kernels[:, 0]), 0).reshape(len(images), -1)
    classifier = MLPClassifier((24,), activation="relu", max_iter=300, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(features[:1200], labels[:1200])
    (hidden, last), (hidden_bias, last_bias) = classifier.coefs_, classifier.intercepts_
    nodes = [
        helper.make_node("Conv", ["x", "kernels"], ["image"], strides=[2, 2]),
        helper.make_node("Relu", ["image"], ["edges"]),
        helper.make_node("Flatten", ["edges"], ["features"]),
        helper.make_node("Gemm", ["features", "a", "b"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["positive"]),
        helper.make_node("Gemm", ["positive", "c", "d"], ["y"]),
    ]
    tensors = {"kernels": kernels, "a": hidden, "b": hidden_bias, "c": last, "d": last_bias}
    return onnx_of(nodes, tensors, [1, 8, 8], 10), images, labels


@functools.cache
def compiled() -> nn.Model:
    content, images, _ = digits()
    return nn.compile(content, images[:200], PRESET, degree=3, guard=False)


@functools.cache
def parties() -> tuple[nn.Client, nn.Server]:
    client = compiled().client()
    keys = client.evaluation_keys().to_bytes()
    return client, compiled().server(ckks.EvaluationKeys.load(keys, insecure=True))


def test_encrypted_digits_have_the_values_of_plaintext() -> None:
    model, (client, server) = compiled(), parties()
    _, images, labels = digits()
    assert (model.input_shape, model.output_shape) == ((1, 8, 8), (10,))
    right = [int(np.argmax(model(image))) == label for image, label in zip(images[1200:], labels[1200:])]
    assert np.mean(right) > 0.85
    for image in images[1200:1203]:
        output = client.decrypt(server.run(client.encrypt(image)))
        expected = model.approximate(image)
        assert output.values.shape == (10,) and output.guard is None
        assert np.abs(output.values - expected).max() < 12 * output.error < 0.01
        assert output.label == int(np.argmax(expected))


def test_an_image_of_several_ciphertexts() -> None:
    """A ring of 512 slots, and 3 channels of 16 x 16."""
    random = np.random.default_rng(6)
    nodes = [
        helper.make_node("Conv", ["x", "kernels"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("GlobalAveragePool", ["r"], ["m"]),
        helper.make_node("Flatten", ["m"], ["y"]),
    ]
    images = random.uniform(-1, 1, (20, 3, 16, 16))
    content = onnx_of(nodes, {"kernels": random.uniform(-0.3, 0.3, (10, 3, 3, 3))}, [3, 16, 16], 10)
    parameters = ckks.Parameters.build_insecure(1024, depth=6)
    model = nn.compile(content, images, parameters, degree=7)
    assert [layer.ciphertexts for layer in model.layers] == [2, 1] and "2" in model.report()
    client = model.client()
    server = model.server(client.evaluation_keys())
    sealed = client.encrypt(images[0])
    assert len(sealed.ciphertexts) == 2 and "2 ciphertexts" in repr(sealed)
    content = sealed.to_bytes()
    loaded = nn.Sealed.load(content, parameters)
    assert loaded.to_bytes() == content and pickle.loads(pickle.dumps(loaded)).to_bytes() == content
    output = client.decrypt(server.run(loaded))
    assert np.abs(output.values - model.approximate(images[0])).max() < 12 * output.error < 0.01
    with pytest.raises(ValueError, match="ciphertexts"):
        server.run(sealed.ciphertexts[0])
    for cut in (0, 100, len(content) // 2, len(content) - 1):
        with pytest.raises(ValueError):
            nn.Sealed.load(content[:cut], parameters)
    with pytest.raises(TypeError, match="wanted a Sealed"):
        server.run(content)  # type: ignore[arg-type]


EXPORTS = ROOT / "engines/ckks_nn/tests/exports"


def test_a_classifier_of_sklearn_states_labels() -> None:
    name = "sklearn_logistic_binary"
    cases = json.loads((EXPORTS / f"{name}.json").read_text())["cases"]
    inputs = np.array([case["input"] for case in cases])
    model = nn.compile(EXPORTS / f"{name}.onnx", inputs, PRESET)
    interface = nn.Interface.load(model.interface.to_bytes(), insecure=True)
    assert interface.classes == ["benign", "malignant"] and interface.output_shape == (2,)
    client = nn.Client(interface, ckks.Client(model.parameters))
    server = model.server(client.evaluation_keys())
    for case in cases[:2]:
        output = client.decrypt(server.run(client.encrypt(case["input"])))
        assert output.labels == case["labels"] and output.label == case["labels"][0]
        assert np.abs(output.values - case["values"]).max() < 1e-4
        assert np.abs(1 / (1 + np.exp(-output.scores)) - output.values).max() < 1e-12
        assert np.abs(model(case["input"]) - output.values).max() < 1e-5
        found = model.compare(case["input"], output)
        assert found and (found.label, found.plaintext_label) == (output.label, output.label)
        wrong = model.compare(case["input"], output._replace(labels=["other"]))
        assert wrong.disagreement == f"label other, but {output.label} in plaintext"
    scaled = nn.compile(EXPORTS / f"{name}.onnx", inputs, PRESET, output="variable")
    assert scaled.output_shape == (30,) and scaled.interface.classes == []
    assert np.abs(scaled(inputs[0])).max() < 20
    with pytest.raises(ValueError, match="no node has the output logits"):
        nn.compile(EXPORTS / f"{name}.onnx", inputs, PRESET, output="logits")


def test_a_client_needs_the_interface_alone(tmp_path: Path) -> None:
    model = compiled()
    _, images, _ = digits()
    path = tmp_path / "digits.interface"
    model.interface.save(path)
    content = path.read_bytes()
    assert content == model.interface.to_bytes() and len(content) < 4000
    interface = nn.Interface.load(path, insecure=True)
    assert interface.to_bytes() == content and pickle.loads(pickle.dumps(interface)).to_bytes() == content
    assert (interface.input_shape, interface.output_shape) == ((1, 8, 8), (10,))
    assert interface.input_range == model.input_range and interface.parameters == model.parameters
    assert interface.keys == model.keys and interface.ciphertexts == (1, 1) and not interface.has_guard
    assert "(1, 8, 8) to (10,)" in repr(interface)
    client = interface.client()
    server = model.server(client.evaluation_keys())
    output = client.decrypt(server.run(client.encrypt(images[1200])))
    assert np.abs(output.values - model.approximate(images[1200])).max() < 12 * output.error < 0.01
    with pytest.raises(ValueError, match="input of shape"):
        client.encrypt(images[1200][0, :4])
    with pytest.raises(ValueError, match="do not claim 128 bits"):
        nn.Interface.load(content)
    random = np.random.default_rng(9)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[random.integers(len(content))] ^= 1 << int(random.integers(8))
        with pytest.raises(ValueError):
            nn.Interface.load(damaged, insecure=True)
        with pytest.raises(ValueError):
            nn.Interface.load(content[: random.integers(len(content))], insecure=True)
    with pytest.raises(ValueError, match="expected the interface of a network, but the file holds"):
        nn.Interface.load(model.parameters.to_bytes(), insecure=True)


def test_steps_in_ciphertexts_of_their_own() -> None:
    """One input, and a ciphertext for each row of its last axis."""
    random = np.random.default_rng(10)
    weights = random.uniform(-0.5, 0.5, (1, 32, 8)), random.uniform(-0.5, 0.5, (1, 32, 8))
    nodes = [
        helper.make_node("Transpose", ["x"], ["s"], perm=[1, 0, 2]),
        helper.make_node("LSTM", ["s", "w", "r"], ["", "h"], hidden_size=8),
        helper.make_node("Reshape", ["h", "shape"], ["y"]),
    ]
    tensors = {"w": weights[0], "r": weights[1]}
    shape = numpy_helper.from_array(np.array([1, 8], dtype=np.int64), "shape")
    content = onnx.load_from_string(onnx_of(nodes, tensors, [5, 8], 8))
    content.graph.initializer.append(shape)
    samples = random.uniform(-1, 1, (20, 5, 8))
    parameters = ckks.Parameters.build_insecure(1024, depth=9, bootstrap=True)
    model = nn.compile(
        content.SerializeToString(), samples, parameters, degree=7, guard=False, input_ciphertexts=5
    )
    # Four gates of eight values are side by side.
    assert model.slots == 32 and model.interface.ciphertexts == (5, 1)
    client = model.client()
    server = model.server(client.evaluation_keys())
    output = client.decrypt(server.run(client.encrypt(samples[0])))
    # The claimed error grows from step to step.
    assert np.abs(output.values - model.approximate(samples[0])).max() < min(12 * output.error, 1e-4)


def test_inputs_of_a_batch() -> None:
    """Each input has its values and its guard; unused places have the last input."""
    random = np.random.default_rng(11)
    weights = {"w": random.uniform(-0.5, 0.5, (4, 3)), "v": random.uniform(-1, 1, (3, 2))}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Tanh", ["h"], ["t"]),
        helper.make_node("MatMul", ["t", "v"], ["y"]),
    ]
    samples = random.uniform(-1, 1, (20, 4))
    parameters = ckks.Parameters.build_insecure(1024, depth=9)
    content = onnx_of(nodes, weights, [4], 2)
    model = nn.compile(content, samples, parameters, degree=7, batch=5)
    assert model.interface.batch == 5 and model.interface.ciphertexts == (1, 1)
    client = nn.Interface.load(model.interface.to_bytes(), insecure=True).client()
    server = model.server(client.evaluation_keys())
    outputs = client.decrypt_all(server.run(client.encrypt_all(samples[:3])))
    assert len(outputs) == 5
    for values, output in zip(samples[[0, 1, 2, 2, 2]], outputs):
        assert isinstance(output, nn.Output) and output.guard is not None
        assert np.abs(output.values - model.approximate(values)).max() < 12 * output.error < 0.01
    # An input whose argument leaves the interval does not affect the others.
    small = nn.compile(content, samples / 8, parameters, degree=7, batch=3)
    client = small.client()
    server = small.server(client.evaluation_keys())
    far = np.sign(weights["w"][:, 0]) * 0.9 * np.abs(samples / 4).max()
    found = client.decrypt_all(server.run(client.encrypt_all([samples[0] / 8, far, samples[1] / 8])))
    assert [type(of) for of in found] == [nn.Output, ValueError, nn.Output]
    assert "an activation's argument left its interval" in str(found[1])
    assert isinstance(found[0], nn.Output) and found[0].error < 0.01
    with pytest.raises(ValueError, match="expected 1 to 3 inputs at once, got 4"):
        client.encrypt_all([samples[0] / 8] * 4)
    with pytest.raises(ValueError, match="got 0"):
        client.encrypt_all([])
    with pytest.raises(ValueError, match="inputs of a batch, at least 1: 0"):
        nn.compile(content, samples, parameters, batch=0)


def test_report_and_counts() -> None:
    model = compiled()
    assert [layer.rotations > 0 for layer in model.layers] == [True] * 3
    assert [layer.levels[0] for layer in model.layers] == sorted(
        (layer.levels[0] for layer in model.layers), reverse=True
    )
    assert model.layers[0].activation == "ReLU, degree 3" and model.bootstraps == 0
    assert sum(layer.share for layer in model.layers) == pytest.approx(1)
    assert all(layer.key_switches >= layer.rotations for layer in model.layers)
    count, size = model.keys
    assert count > 0 and size > count * 100_000
    assert f"keys {count}" in model.report() and repr(model) == "<halimede.nn.Model of 3 layers, 0 bootstraps>"


def test_progress_is_told_and_what_it_raises_ends_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    client, server = parties()
    sealed = client.encrypt(digits()[1][0])
    told: list[tuple[int, int, str | None]] = []
    result = server.run(sealed, progress=lambda *step: told.append(step))
    steps = told[0][1]
    assert [done for done, *_ in told] == list(range(1, steps + 1))
    assert {"matrix of edges", "edges"} <= {layer for *_, layer in told} | {"edges"}
    server.run(sealed, progress=True)
    assert f"{steps} of {steps} steps" in capsys.readouterr().err

    def fail(done: int, *_: object) -> None:
        if done == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        server.run(sealed, progress=fail)
    assert client.decrypt(result).label == client.decrypt(server.run(sealed)).label


def test_a_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    nodes: list[Any] = []
    tensors: dict[str, NDArray[Any]] = {}
    rng = np.random.default_rng(5)
    for layer, (before, after) in enumerate([("x", "a"), ("a", "b"), ("b", "c")]):
        tensors[f"m{layer}"] = rng.uniform(-0.3, 0.3, (8, 8))
        nodes += [
            helper.make_node("Gemm", [before, f"m{layer}"], [f"sum{layer}"]),
            helper.make_node("Tanh", [f"sum{layer}"], [after]),
        ]
    nodes.append(helper.make_node("Gemm", ["c", "last"], ["y"]))
    tensors["last"] = rng.uniform(-0.3, 0.3, (8, 3))
    samples = rng.uniform(-1, 1, (20, 8))
    model = nn.compile(onnx_of(nodes, tensors, [8], 3), samples, "n10-boot-insecure", degree=3, guard=False)
    assert model.bootstraps > 0
    client = model.client()
    keys, sealed = client.evaluation_keys().to_bytes(), client.encrypt(samples[0])

    def server() -> nn.Server:
        return model.server(ckks.EvaluationKeys.load(keys, insecure=True))

    folder = tmp_path / "run"

    def stop(*_: object) -> None:
        if folder.exists() and list(folder.iterdir()):
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        server().run(sealed, progress=stop, checkpoint=folder)
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    content = file.read_bytes()
    told: list[int] = []
    results = []
    for _ in range(2):
        file.write_bytes(content)
        last = server()
        results.append(last.run(sealed, progress=lambda done, *_: told.append(done), checkpoint=str(folder)))
        assert list(folder.iterdir()) == []
    assert told[0] > 1 and results[0].to_bytes() == results[1].to_bytes()
    values = client.decrypt(results[0]).values
    assert np.abs(values - model.approximate(samples[0])).max() < 1e-2
    file.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="checkpoint: the file ends at byte"):
        last.run(sealed, checkpoint=folder)


def test_a_value_out_of_its_interval_is_no_result() -> None:
    nodes = [
        helper.make_node("Gemm", ["x", "a"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["tanh"]),
        helper.make_node("Gemm", ["tanh", "b"], ["y"]),
    ]
    content = onnx_of(nodes, {"a": np.ones((4, 1)), "b": np.ones((1, 2))}, [4], 2)
    # The sums of the samples cancel; sums of inputs in the same range need not.
    samples = np.array([[1, -1, 0.5, 0], [-1, 1, 0, -0.5]])
    model = nn.compile(content, samples, PRESET, degree=7)
    client = model.client()
    server = model.server(client.evaluation_keys())
    near = client.decrypt(server.run(client.encrypt(samples[0])))
    assert near.guard is not None and near.guard < 1
    with pytest.raises(ValueError, match="left its interval"):
        client.decrypt(server.run(client.encrypt([1, 1, 1, 1])))
    with pytest.raises(ValueError, match="value 1 of the input is 5"):
        client.encrypt([0, 5, 0, 0])


def tanh_network(outputs: int, *, guard: bool = True) -> nn.Model:
    """A network: the tanh of the sum of four values, times 20 or times factors from 20 to -20."""
    nodes = [
        helper.make_node("Gemm", ["x", "a"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["tanh"]),
        helper.make_node("Gemm", ["tanh", "b"], ["y"]),
    ]
    last = np.linspace(20, -20, outputs)[None] if outputs > 1 else np.full((1, 1), 20.0)
    content = onnx_of(nodes, {"a": np.ones((4, 1)), "b": last}, [4], outputs)
    return nn.compile(content, SUMS, PRESET, degree=7, guard=guard)


SUMS = np.array([[1, -1, 0.5, 0], [-1, 1, 0, -0.5]])
"""Samples whose sums cancel; sums of inputs in the same range need not."""


def test_a_single_value_agrees_by_value_and_sign() -> None:
    model = tanh_network(1, guard=False)
    client = model.client()
    server = model.server(client.evaluation_keys())
    near, far = (client.decrypt(server.run(client.encrypt(x))) for x in (SUMS[0], np.ones(4) * 0.9))
    # Far outside the interval, the polynomial has the wrong sign and is a hundred times too large.
    assert near.label is None and far.label is None and far.values[0] < -100 < 0 < model(np.ones(4) * 0.9)[0]
    good = model.compare(SUMS[0], near)
    assert good and good.disagreement is None and (good.label, good.plaintext_label) == (None, None)
    assert good.plaintext.shape == (1,) and good.tolerance is not None
    assert good.largest_difference < 0.1 < good.tolerance == pytest.approx(0.1 * abs(model(SUMS[0])[0]))
    bad = model.compare(np.ones(4) * 0.9, far)
    assert not bad and bad.disagreement is not None and "another sign" in bad.disagreement
    assert not model.compare(SUMS[0], near, tolerance=1e-12)
    assert not model.compare(SUMS[0], near._replace(scores=np.array([-13.42])))
    with pytest.raises(ValueError, match="tolerance: got -1"):
        model.compare(SUMS[0], near, tolerance=-1)
    with pytest.raises(ValueError, match="expected 1 values of an output, got 2"):
        model.compare(SUMS[0], near._replace(scores=np.zeros(2)))


def test_labels_of_several_values_are_compared() -> None:
    model = tanh_network(2)
    values = model.approximate(SUMS[0])
    found = model.compare(SUMS[0], nn.Output(values, 1e-6, None, values, []))
    assert found and found.tolerance is None and found.label == found.plaintext_label == 0
    other = model.compare(SUMS[0], nn.Output(values[::-1], 10.0, None, values[::-1], []))
    assert not other and other.disagreement == "label 1, but 0 in plaintext"


def test_results_for_others_have_noise() -> None:
    model = tanh_network(2)
    client = model.client()
    server = model.server(client.evaluation_keys())
    result = server.run(client.encrypt(SUMS[0]))
    raw = client.decrypt(result)
    # A server that claims a zero error does not reduce the noise, since the client has the network.
    outputs = [client.decrypt_for_sharing(result, security_bits=4, queries=40) for _ in range(40)]
    noise = outputs[0].error
    bits = 2 + np.log2(12 * 40 * 2**13) / 2
    assert noise > raw.error * 2**bits and {output.error for output in outputs} == {noise}
    differences = np.array([output.values - raw.values for output in outputs])
    # The mean of many runs is 0.72, with a standard deviation of 0.06.
    assert 0.45 < np.sqrt(np.mean(differences**2)) / noise < 1.5
    with pytest.raises(ValueError, match="40 decryptions were shared"):
        client.decrypt_for_sharing(result, security_bits=4, queries=40)
    # With only the interface, a client knows no errors.
    alone = model.interface.client(client.secret)
    with pytest.raises(ValueError, match="its error has no bound: the interface and the result"):
        alone.decrypt_for_sharing(result, security_bits=4, queries=99)
    fresh = model.interface.client()
    other = fresh.encrypt(SUMS[0])
    result = model.server(fresh.evaluation_keys()).run(other)
    (output,) = fresh.decrypt_all_for_sharing(result, security_bits=4, queries=2, error_at_least=1e-6)
    assert isinstance(output, nn.Output) and output.error > 1e-6 * 2**bits / np.sqrt(20)
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="give a finite number above 0"):
            fresh.decrypt_for_sharing(result, security_bits=4, queries=2, error_at_least=wrong)
    open_client = tanh_network(2, guard=False).client(fresh.secret)
    with pytest.raises(ValueError, match="activations but no guard"):
        open_client.decrypt_for_sharing(result, security_bits=4, queries=2)


def test_bad_input_says_what_is_wrong(tmp_path: Path) -> None:
    content, images, _ = digits()
    path = tmp_path / "digits.onnx"
    path.write_bytes(content)
    assert nn.compile(path, images[:5], PRESET, degree=3, guard=False).input_shape == (1, 8, 8)
    with pytest.raises(FileNotFoundError):
        nn.compile(tmp_path / "none.onnx", images[:5], PRESET)
    path.write_bytes(content[:-40])
    with pytest.raises(ValueError, match=r"digits\.onnx"):
        nn.compile(path, images[:5], PRESET)
    softmax = helper.make_node("LogSoftmax", ["x"], ["p"], name="inner")
    relu = helper.make_node("Relu", ["p"], ["y"], name="last")
    with pytest.raises(ValueError, match=r"node inner: LogSoftmax is only .* but Relu \(node last\) follows"):
        nn.compile(onnx_of([softmax, relu], {}, [10], 10), np.ones((1, 10)), PRESET)
    with pytest.raises(ValueError, match="wanted an axis of samples"):
        nn.compile(content, np.ones(64), PRESET)
    with pytest.raises(ValueError, match="got 63"):
        nn.compile(content, np.ones((2, 63)), PRESET)
    with pytest.raises(TypeError, match="wanted a path, bytes or a module"):
        nn.compile(7, images[:5], PRESET)
    with pytest.raises(ValueError, match="no parameter set is named"):
        nn.compile(content, images[:5], "n99")
    with pytest.raises(ValueError, match="degree 0"):
        nn.compile(content, images[:5], PRESET, degree=0)
    model = compiled()
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        model([1, 2, 3])
    other = ckks.Client("n10-insecure")
    with pytest.raises(ValueError, match="its parameters are n10-insecure"):
        model.client(other).evaluation_keys()
    secret = ckks.Client(PRESET)
    with pytest.raises(ValueError, match="rotate by"):
        model.server(secret.evaluation_keys(multiply=True))


def test_the_example_of_digits_agrees_with_plaintext() -> None:
    result = example(ROOT / "python" / "examples" / "encrypted_digits.py").run("n15", 15, 2, 1)
    assert len(result.labels) == 2 and result.labels == result.plain
    assert result.difference < 3


def test_samples_and_models_of_onnx_itself() -> None:
    """The values equal those of ONNX's reference implementation."""
    content, images, _ = digits()
    reference = onnx.reference.ReferenceEvaluator(onnx.load_from_string(content))
    for image in images[:4]:
        (expected,) = reference.run(None, {"x": image[None].astype(np.float32)})
        assert np.allclose(compiled()(image), expected[0], atol=1e-4)
