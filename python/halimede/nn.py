# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Neural networks on encrypted inputs.

A `Model` is compiled from an ONNX file, for the server, which has the weights. A `Client` encrypts
inputs and decrypts results with the help of the model's `Interface`; a `Server` runs the network
and sees neither inputs nor results.

    from halimede import nn

    model = nn.compile("digits.onnx", calibrate=samples, parameters="n16-boot")
    print(model.report())                       # one line per layer
    client = model.client()
    server = model.server(client.evaluation_keys())
    sealed = client.encrypt(image)
    result = server.run(sealed, progress=True)
    print(client.decrypt(result).label)

Activations become polynomials on intervals twice as wide as the range of their arguments in the
samples. If an input drives an argument out of its interval, `Client.decrypt` raises ValueError,
since the values would be meaningless. engines/ckks_nn/README.md describes the compiler and its
limits.

`train_logistic` trains a logistic regression on encrypted samples.
"""

from __future__ import annotations

import importlib
import inspect
import io
import math
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from halimede._agreement import Agreement
from halimede._logistic import LogisticClient, LogisticServer, LogisticTraining, Weights, counts, train_logistic
from halimede._native import CkksParameters, Device, NnInterface, NnModel, NnSealed
from halimede.ckks import Ciphertext, EvaluationKeys
from halimede.ckks import Client as Secret
from halimede.ckks import Server as Evaluator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Buffer

__all__ = [
    "Agreement",
    "Client",
    "Interface",
    "Layer",
    "LogisticClient",
    "LogisticServer",
    "LogisticTraining",
    "Model",
    "Output",
    "Sealed",
    "Server",
    "Weights",
    "compile",
    "train_logistic",
]

Progress = Callable[[int, int, Union[str, None]], object]
"""Called with the number of finished steps, the number of all steps, and the layer's name or
None."""


class Layer(NamedTuple):
    """A matrix and the activation that follows it."""

    name: str
    """The name of the activation's node, or of the output's."""
    layers: list[str]
    """The network's layers that were merged into the matrix."""
    activation: str
    """The activation and its approximation."""
    levels: tuple[int, int]
    """The levels after the matrix and after the activation."""
    ciphertexts: int
    """The number of ciphertexts of the values: several if one has too few slots."""
    diagonals: int
    """The number of products with plaintexts."""
    rotations: int
    """The number of key switches of the matrix."""
    products: int
    """The number of products of ciphertexts."""
    bootstraps: int
    """The number of bootstraps since the previous layer."""
    range_used: float | None
    """The largest argument of the activation in the samples, as a fraction of its bound."""
    mean_error: float
    """The root-mean-square error of the approximation in the samples."""
    largest_error: float
    """The largest error of the approximation on its interval."""
    key_switches: int
    """The number of key switches of the matrix and of the operation after it, without those of
    bootstraps."""
    share: float
    """The estimated share of the time of all layers, from 0 to 1, with the layer's bootstraps."""


class Output(NamedTuple):
    """A network's output for an input."""

    values: NDArray[np.float64]
    """The values, in the shape of the network's output: probabilities after a softmax at the end."""
    error: float
    """The standard deviation of the encryption's errors in `scores`, or of the noise of
    `Client.decrypt_for_sharing`. Does not include the errors of the polynomials."""
    guard: float | None
    """The guard's sum, below 1 for a valid result; None without a guard."""
    scores: NDArray[np.float64]
    """The decrypted values, flat. The client computes `values` and `labels` from them if the network
    ends in a softmax, sigmoid, argmax or class names; otherwise they are the values."""
    labels: list[int | str]
    """The labels that the network itself states; empty for most networks."""

    @property
    def label(self) -> int | str | None:
        """The label of a classifier: the network's own, or the index of the largest value. None for a
        single value, from a regression or a classifier of two classes."""
        if self.labels:
            return self.labels[0]
        return int(np.argmax(self.values)) if self.values.size > 1 else None


def compile(
    source: str | os.PathLike[str] | bytes | Any,
    calibrate: ArrayLike,
    parameters: CkksParameters | str = "n16-boot",
    *,
    output: str | None = None,
    degree: int = 15,
    exact_relu: tuple[float, float] | None = None,
    guard: bool = True,
    few_keys: bool = False,
    matrix_bytes: int = 1 << 28,
    input_ciphertexts: int = 1,
    batch: int = 1,
) -> Model:
    """Compiles a network for encrypted inputs.

    source: the path or the bytes of an ONNX file; a `torch.nn.Module`, which is exported with the
        first sample; or a folder with the parameters of a residual network as text.
    calibrate: sample inputs, float64[count, ...], from which the ranges of activations are
        measured.
    parameters: the parameters or the name of a preset.
    output: the name of the file's value that is the output; by default the file's output.
    degree: the degree of the polynomials of activations; 3, 7, 15, 31, 63 consume 2 to 6 levels.
    exact_relu: compute ReLU, absolute values and maxima by an approximate sign instead: the
        smallest argument whose sign is resolved, as a fraction of the interval, and the largest
        error of the sign.
    guard: detect in results that an argument left its interval.
    few_keys: bootstraps use a fraction of the keys, but take 1.5 times as long.
    matrix_bytes: the largest size of encoded matrices that are cached between runs.
    input_ciphertexts: the largest number of ciphertexts of an input. With more than 1, the steps of
        a sequence (rows of its last axis) may be in separate ciphertexts of few slots: bootstraps
        take less time, and all steps use the same matrices.
    batch: the number of inputs of a run. Inputs of a batch share ciphertexts, two of them as real
        and imaginary parts, so that each takes less time: `Client.encrypt_all`,
        `Client.decrypt_all`. Each input has its own guard.

    Raises ValueError for an unsupported network, with the name of the node, and if levels run out.
    """
    samples = np.asarray(calibrate, dtype=np.float64)
    if samples.ndim < 2:
        raise ValueError(f"calibrate: got shape {samples.shape}, wanted an axis of samples before the input's")
    if isinstance(parameters, str):
        parameters = CkksParameters.preset(parameters)
    if hasattr(source, "state_dict") and hasattr(source, "forward"):
        source = _exported(source, samples[:1])
    rows = np.ascontiguousarray(samples.reshape(len(samples), -1))
    sizes = matrix_bytes, input_ciphertexts, batch
    return Model(NnModel(source, output, rows, parameters, degree, exact_relu, guard, few_keys, *sizes))


class Interface:
    """The data that a client needs: shapes, the places of values in slots, levels, the range of
    inputs, and the keys of a server. It has no weights and no secret key. `Model.interface` is one;
    a client without access to the network loads it from a file. A pickle has the bytes.
    """

    __slots__ = ("_native",)

    def __init__(self, native: NnInterface) -> None:
        self._native = native

    @staticmethod
    def load(source: str | os.PathLike[str] | Buffer, *, insecure: bool = False) -> Interface:
        """Loads an interface from a file (path) or its content (bytes).

        insecure: accept insecure parameters, for tests.

        Raises ValueError for a damaged file, and for impossible keys and places.
        """
        return Interface(NnInterface.load(source, insecure))

    def to_bytes(self) -> bytes:
        """Returns the content of a file."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file atomically; replaces an existing one."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """The parameters of the encryption."""
        return self._native.parameters

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The channels, height and width of an image, or the length of a vector."""
        return tuple(self._native.input_shape)

    @property
    def input_range(self) -> tuple[float, float]:
        """The allowed range of input values: twice as wide as their range in the samples."""
        return self._native.input_range

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the network's values."""
        return tuple(self._native.output_shape)

    @property
    def classes(self) -> list[int | str]:
        """The names of the network's values, such as the classes of probabilities; empty without
        names."""
        return self._native.classes

    @property
    def batch(self) -> int:
        """The number of inputs that are encrypted together."""
        return self._native.batch

    @property
    def ciphertexts(self) -> tuple[int, int]:
        """The numbers of ciphertexts of an input and of a result, for a whole batch."""
        return self._native.ciphertexts

    @property
    def has_guard(self) -> bool:
        """True if results reveal to the client that an argument left its interval."""
        return self._native.has_guard

    @property
    def keys(self) -> tuple[int, int]:
        """The number of keys that a server needs, and their bytes in memory."""
        return self._native.keys

    def client(self, secret: Secret | None = None) -> Client:
        """Returns a client with a new secret key, or with an existing one."""
        return Client(self, Secret(self.parameters) if secret is None else secret)

    def _flat(self, values: ArrayLike) -> NDArray[np.float64]:
        array = np.asarray(values, dtype=np.float64)
        if array.size == math.prod(self.input_shape):
            return np.ascontiguousarray(array.reshape(-1))
        raise ValueError(f"got an input of shape {array.shape}, and the network takes {self.input_shape}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _interface, (self.to_bytes(),)

    def __repr__(self) -> str:
        shapes = f"{self.input_shape} to {self.output_shape}"
        return f"<halimede.nn.Interface of {shapes}, {self.parameters.name}>"


def _interface(content: bytes) -> Interface:
    """Loads the interface of a pickle, which may have insecure parameters."""
    return Interface.load(content, insecure=True)


class Model:
    """A network compiled for parameters, for the server, which has the weights. `compile` returns
    one."""

    __slots__ = ("_native", "interface")

    def __init__(self, native: NnModel) -> None:
        self._native = native
        self.interface = Interface(native.interface)
        """The data that a client needs."""

    @property
    def parameters(self) -> CkksParameters:
        """The parameters of the encryption."""
        return self.interface.parameters

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The channels, height and width of an image, or the length of a vector."""
        return self.interface.input_shape

    @property
    def input_range(self) -> tuple[float, float]:
        """The allowed range of input values: twice as wide as their range in the samples."""
        return self.interface.input_range

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the network's values."""
        return self.interface.output_shape

    @property
    def layers(self) -> list[Layer]:
        """The cost and the accuracy of each layer."""
        parts = self._native.layers
        return [
            Layer(name, layers, activation, levels, *counts, *errors, *costs)
            for name, layers, activation, levels, counts, errors, costs in parts
        ]

    @property
    def slots(self) -> int:
        """The number of slots of a vector."""
        return self._native.counts[0]

    @property
    def depth(self) -> int:
        """The number of levels of the longest path."""
        return self._native.counts[1]

    @property
    def bootstraps(self) -> int:
        """The number of all bootstraps."""
        return self._native.counts[2]

    @property
    def keys(self) -> tuple[int, int]:
        """The number of keys that a server needs, and their bytes in memory."""
        return self.interface.keys

    def report(self) -> str:
        """Returns a table with the cost of each layer and its distance from its bounds."""
        return self._native.report()

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        """Returns the network's values in plaintext, with exact activations and its end."""
        return self._native.evaluate(self.interface._flat(values), False).reshape(self.output_shape)

    def approximate(self, values: ArrayLike) -> NDArray[np.float64]:
        """Returns the values of the encrypted computation without the errors of encryption:
        polynomials replace the activations."""
        return self._native.evaluate(self.interface._flat(values), True).reshape(self.output_shape)

    def compare(self, values: ArrayLike, output: Output, *, tolerance: float | None = None) -> Agreement:
        """Compares the encrypted values for an input with those in plaintext: the labels of two
        values or more, the value and the sign of a single value.

        values: float64, the network's input, in its shape or flat.
        tolerance: the largest accepted difference of a score from plaintext. By default, a single
            score may differ by a tenth of the largest score of the samples, or by 12 *
            `output.error` if that is larger; of several scores, only the labels are compared.

        Scores must always be finite and within 12 * `output.error` of those with polynomials.

        Raises ValueError for a wrong number of values.
        """
        flat = self.interface._flat(values)
        shown, scores = (
            np.ascontiguousarray(of, dtype=np.float64).reshape(-1) for of in (output.values, output.scores)
        )
        found = self._native.compare(flat, shown, scores, output.labels, output.error, tolerance)
        return Agreement(found[0].reshape(self.output_shape), *found[1:])

    def client(self, secret: Secret | None = None) -> Client:
        """Returns a client with a new secret key, or with an existing one."""
        return Client(self, Secret(self.parameters) if secret is None else secret)

    def server(self, keys: EvaluationKeys, *, device: Device | None = None) -> Server:
        """Returns a server with a client's evaluation keys.

        device: the device that computes, such as `halimede.Device("cuda:0")`; by default, this
            processor. Results have the same bits.
        """
        return Server(self, keys, device=device)

    def __repr__(self) -> str:
        return f"<halimede.nn.Model of {len(self.layers)} layers, {self.bootstraps} bootstraps>"


class Sealed:
    """An encrypted input or result: one ciphertext, or the parts of a tensor that does not fit one.

    A pickle has the bytes and the parameters.
    """

    __slots__ = ("_native",)

    def __init__(self, native: NnSealed) -> None:
        self._native = native

    @staticmethod
    def load(source: str | os.PathLike[str] | Buffer, parameters: CkksParameters) -> Sealed:
        """Loads an input or a result from a file (path) or its content (bytes).

        Raises ValueError if it is damaged or has other parameters, and for parts that are missing,
        in the wrong order, or from another input.
        """
        return Sealed(NnSealed.load(source, parameters))

    def to_bytes(self) -> bytes:
        """Returns the content of a file. A single ciphertext has the format of a
        `halimede.ckks.Ciphertext`."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file atomically; replaces an existing one."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """The parameters."""
        return self._native.parameters

    @property
    def ciphertexts(self) -> list[Ciphertext]:
        """The ciphertexts, in the order of the tensor's parts."""
        return [Ciphertext(part) for part in self._native.ciphertexts]

    @property
    def key_id(self) -> str:
        """The identifier of the secret key that decrypts it."""
        return self._native.ciphertexts[0].key_id

    def __reduce__(self) -> tuple[Any, ...]:
        return Sealed.load, (self.to_bytes(), self.parameters)

    def __repr__(self) -> str:
        return f"<halimede.nn.Sealed of {len(self._native.ciphertexts)} ciphertexts>"


def _sealed(of: Sealed | Ciphertext) -> NnSealed:
    """Returns the native input or result of a `Sealed` or of one ciphertext."""
    if isinstance(of, Ciphertext):
        return NnSealed.of(of._sealed)
    if isinstance(of, Sealed):
        return of._native
    raise TypeError(f"got {type(of).__name__}, wanted a Sealed")


class Client:
    """Encrypts inputs of a network and decrypts its results.

    of: the network or its interface. Only the network has the bounds of errors that
        `decrypt_for_sharing` uses.
    secret: the holder of the secret key.
    """

    __slots__ = ("_interface", "_model", "secret")

    def __init__(self, of: Interface | Model, secret: Secret) -> None:
        self._model = of if isinstance(of, Model) else None
        self._interface = of.interface if isinstance(of, Model) else of
        self.secret = secret

    def evaluation_keys(self) -> EvaluationKeys:
        """Makes the keys that a server needs for the network, each up to the level at which it is
        used. They reveal nothing about the secret key."""
        return EvaluationKeys(self._interface._native.evaluation_keys(self.secret._native))

    def encrypt(self, values: ArrayLike) -> Sealed:
        """Encrypts an input to one or more ciphertexts. In a batch it fills all places.

        values: float64, the network's input, in its shape or flat.

        Raises ValueError for values outside `Interface.input_range`.
        """
        return self.encrypt_all([values])

    def encrypt_all(self, inputs: Iterable[ArrayLike]) -> Sealed:
        """Encrypts the inputs of a batch, which share ciphertexts. If there are fewer inputs than
        `Interface.batch`, the last one fills all places that are left.

        inputs: each float64, the network's input, in its shape or flat.

        Raises ValueError for no inputs, for more than `Interface.batch`, and as `encrypt`.
        """
        rows = [self._interface._flat(values) for values in inputs]
        shape = (len(rows), math.prod(self._interface.input_shape))
        native = self._interface._native
        return Sealed(native.encrypt(self.secret._native, np.array(rows, dtype=np.float64).reshape(shape)))

    def decrypt(self, result: Sealed | Ciphertext) -> Output:
        """Decrypts the network's values. Only the owner of the secret key may see them: together
        with the encrypted result they reveal information about the key. Of a batch, returns the
        values of the first input.

        Raises ValueError if an argument of an activation left its interval, and for a wrong number
        of ciphertexts.
        """
        first = self.decrypt_all(result)[0]
        if isinstance(first, ValueError):
            raise first
        return first

    def decrypt_all(self, result: Sealed | Ciphertext) -> list[Output | ValueError]:
        """Decrypts the network's values for each place of a batch. If an argument of an activation
        left its interval, the entry of that place is a ValueError.

        Raises ValueError for a wrong number of ciphertexts.
        """
        shape = self._interface.output_shape
        found = self._interface._native.decrypt(self.secret._native, _sealed(result))
        return [of if isinstance(of, ValueError) else Output(of[0].reshape(shape), *of[1:]) for of in found]

    def decrypt_for_sharing(
        self,
        result: Sealed | Ciphertext,
        *,
        security_bits: int,
        queries: int,
        error_at_least: float | None = None,
    ) -> Output:
        """Decrypts the network's values for others, with noise that protects the secret key from
        their readers. Of a batch, returns the values of the first input. `Output.error` is the
        noise.

        security_bits, queries: the bits of security, and the number of decryptions under this
            secret key that others will ever see. Each ciphertext of a result counts as one. The
            secret key's holder counts those of this process.
        error_at_least: a known bound of the root-mean-square error of a value. It is required for a
            client that has only the interface, and for a network whose errors are not bounded: with
            activations and without a guard, or with recurrent layers of many steps.

        Raises ValueError if the error has no bound, if the noise would drown the values or the
        guard, and if the guard fails. Do not tell others that the guard failed: that depends on
        errors beyond their bound.
        """
        statement = {"security_bits": security_bits, "queries": queries}
        first = self.decrypt_all_for_sharing(result, **statement, error_at_least=error_at_least)[0]
        if isinstance(first, ValueError):
            raise first
        return first

    def decrypt_all_for_sharing(
        self,
        result: Sealed | Ciphertext,
        *,
        security_bits: int,
        queries: int,
        error_at_least: float | None = None,
    ) -> list[Output | ValueError]:
        """Decrypts the network's values for each place of a batch, for others; see
        `decrypt_for_sharing`. The entry of a place whose guard fails is a ValueError.

        Raises ValueError as `decrypt_for_sharing`, except for guards.
        """
        numbers = counts(security_bits, queries)
        bound = None if error_at_least is None else float(error_at_least)
        model = None if self._model is None else self._model._native
        shape, native = self._interface.output_shape, self._interface._native
        found = native.decrypt_for_sharing(self.secret._native, _sealed(result), *numbers, bound, model)
        return [of if isinstance(of, ValueError) else Output(of[0].reshape(shape), *of[1:]) for of in found]


class Server:
    """Runs a network on encrypted inputs.

    device: the device that computes; by default, this processor. Keys stay on the device from one
        run to the next.

    Raises ValueError with the names of missing keys, and DeviceError for a device that runs no CKKS
    programs.
    """

    __slots__ = ("_evaluator", "_model")

    def __init__(self, model: Model, keys: EvaluationKeys, *, device: Device | None = None) -> None:
        self._model = model
        self._evaluator = Evaluator(keys, device=device)
        model._native.check(self._evaluator._native)

    def run(
        self,
        sealed: Sealed | Ciphertext,
        *,
        progress: bool | Progress = False,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Sealed:
        """Computes the network's values for an encrypted input.

        progress: True for a line on stderr that counts steps; or a function, called with the
            numbers of finished and of all steps and the layer's name. An exception in it ends the
            run.
        checkpoint: a folder in which the run writes a file after each bootstrap, until it has its
            result. A run of the same network, input and keys, also in a later process, resumes from
            there with identical bits. Only the server may read the files; they have mode 0600. Pass
            the folder to the first run of a server in a new process. Only this processor leaves
            checkpoints.

        Raises ValueError for a wrong number of ciphertexts, for checkpoints that cannot be read or
        written, and for a checkpoint on a device; DeviceError if the device fails.
        """
        server, programs = self._evaluator._native, self._evaluator._programs
        if checkpoint is not None and programs is not None:
            raise ValueError("checkpoint: only runs on this processor leave checkpoints")
        told = _line if progress is True else progress or None
        try:
            result = self._model._native.run(server, _sealed(sealed), told, checkpoint, programs)
        finally:
            if progress is True:
                print(file=sys.stderr)
        return Sealed(result)


def _line(done: int, steps: int, layer: str | None) -> None:
    print(f"\r{done} of {steps} steps{f', {layer}' if layer else ''}\x1b[K", end="", file=sys.stderr, flush=True)


def _exported(module: Any, sample: NDArray[np.float64]) -> bytes:
    """Exports a PyTorch module as an ONNX file."""
    torch: Any = importlib.import_module("torch")
    parameter = next(iter(module.parameters()), None)
    kind = torch.float32 if parameter is None else parameter.dtype
    file = io.BytesIO()
    example = torch.as_tensor(sample).to(kind)
    # The exporter that only needs `onnx`, and exports a module in training mode for inference.
    # Versions before 2.5 have only this one.
    chosen = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    torch.onnx.export(module, (example,), file, **chosen)
    return file.getvalue()
