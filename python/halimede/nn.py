# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Neural networks on encrypted inputs.

A `Model` is compiled from an ONNX file: it is for the server, who has the weights. A `Client` encrypts
inputs and decrypts results by what its `Interface` tells; a `Server` runs the network, and sees neither.

    from halimede import nn

    model = nn.compile("digits.onnx", calibrate=samples, parameters="n16-boot")
    print(model.report())                       # a layer a line
    client = model.client()
    server = model.server(client.evaluation_keys())
    sealed = client.encrypt(image)
    result = server.run(sealed, progress=True)
    print(client.decrypt(result).label)

Activations become polynomials on intervals twice as wide as the range of their arguments in the
samples. Where an input takes one out of its interval, `Client.decrypt` raises a ValueError, since the
values would mean nothing. engines/ckks_nn/README.md tells how networks are compiled, and the limits.

`train_logistic` trains a logistic regression on samples that are encrypted.
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
from halimede._native import CkksParameters, NnInterface, NnModel, NnSealed
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
"""Called with the steps that are done, all steps, and the layer's name or None."""


class Layer(NamedTuple):
    """A matrix and what follows it."""

    name: str
    """The name of the activation's node, or of the output's."""
    layers: list[str]
    """The layers that became the matrix."""
    activation: str
    """The activation, and what stands for it."""
    levels: tuple[int, int]
    """The level after the matrix, and after the activation."""
    ciphertexts: int
    """The ciphertexts that hold the values: several, where one has too few slots."""
    diagonals: int
    """Products with plaintexts."""
    rotations: int
    """Key switches of the matrix."""
    products: int
    """Products of ciphertexts."""
    bootstraps: int
    """Bootstraps since the layer before."""
    range_used: float | None
    """The largest argument of the activation in the samples, as a part of its bound."""
    mean_error: float
    """The root of the mean square of the approximation's error in the samples."""
    largest_error: float
    """The largest error of the approximation on its interval."""


class Output(NamedTuple):
    """What a network gave for an input."""

    values: NDArray[np.float64]
    """The values, in the shape of the network's output."""
    error: float
    """The standard deviation of the encryption's errors, or of the noise of `Client.decrypt_for_sharing`;
    errors of polynomials come on top."""
    guard: float | None
    """A sum that is below 1 for results that mean something; None without a guard."""

    @property
    def label(self) -> int | None:
        """The label of a classifier: the place of the largest of two values or more. A single value, of a
        regression or a classifier of two classes, has none."""
        return int(np.argmax(self.values)) if self.values.size > 1 else None


def compile(
    source: str | os.PathLike[str] | bytes | Any,
    calibrate: ArrayLike,
    parameters: CkksParameters | str = "n16-boot",
    *,
    degree: int = 15,
    exact_relu: tuple[float, float] | None = None,
    guard: bool = True,
    few_keys: bool = False,
    matrix_bytes: int = 1 << 28,
    input_ciphertexts: int = 1,
    batch: int = 1,
) -> Model:
    """Compiles a network for encrypted inputs.

    source: an ONNX file, as its path or its bytes; a `torch.nn.Module`, which is exported with the first
        sample; or a folder with the parameters of a residual network as text.
    calibrate: sample inputs, float64[count, ...], that ranges of activations are taken from.
    parameters: or the name of a preset.
    degree: of the polynomials that stand for activations; 3, 7, 15, 31, 63 take 2 to 6 levels.
    exact_relu: ReLU, absolute values and maxima by a sign instead: the least argument whose sign is found, as a part
        of the interval, and the largest error of the sign.
    guard: whether results tell where an argument left its interval.
    few_keys: whether bootstraps take a fraction of the keys, and half as much time again.
    matrix_bytes: of encoded matrices that are kept from one run to the next, at most.
    input_ciphertexts: of an input, at most. With more than 1 the steps of a sequence, rows of its last axis, may
        stand in ciphertexts of few slots: bootstraps take less, and all steps have the same matrices.
    batch: the inputs of a run. Several share ciphertexts, and two are real and imaginary part of one, so that each
        takes less time: `Client.encrypt_all`, `Client.decrypt_all`. Each has its own guard.

    Raises ValueError for a network that is not supported, which names the node, and for levels that do not
    suffice.
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
    return Model(NnModel(source, rows, parameters, degree, exact_relu, guard, few_keys, *sizes))


class Interface:
    """What a client must know of a network: shapes, where values stand, levels, the range of inputs, and which
    keys a server needs. It has no weights and no secret. `Model.interface` is one; a client that is not to have
    the network loads it from a file. Pickles have the bytes.
    """

    __slots__ = ("_native",)

    def __init__(self, native: NnInterface) -> None:
        self._native = native

    @staticmethod
    def load(source: str | os.PathLike[str] | Buffer, *, insecure: bool = False) -> Interface:
        """An interface from a file (its path) or its content (bytes); of insecure parameters, for tests, only
        where they are asked for.

        Raises ValueError for a damaged file, and for keys and places that cannot be.
        """
        return Interface(NnInterface.load(source, insecure))

    def to_bytes(self) -> bytes:
        """The content of a file of it."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which appears when it is whole, in place of one that is there."""
        self._native.save(os.fspath(path))

    @property
    def parameters(self) -> CkksParameters:
        """What inputs are encrypted with."""
        return self._native.parameters

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Channels, height and width of an image, or the length of a vector."""
        return tuple(self._native.input_shape)

    @property
    def input_range(self) -> tuple[float, float]:
        """Where values of inputs must lie: twice as wide as their range in the samples."""
        return self._native.input_range

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the network's values."""
        return tuple(self._native.output_shape)

    @property
    def batch(self) -> int:
        """The inputs that are encrypted together."""
        return self._native.batch

    @property
    def ciphertexts(self) -> tuple[int, int]:
        """How many an input has, and a result; all inputs of a batch together."""
        return self._native.ciphertexts

    @property
    def has_guard(self) -> bool:
        """Whether results tell where an argument left its interval."""
        return self._native.has_guard

    @property
    def keys(self) -> tuple[int, int]:
        """The number of keys that a server needs, and their bytes in memory."""
        return self._native.keys

    def client(self, secret: Secret | None = None) -> Client:
        """A client with a new secret, or with an existing one."""
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
    """An interface of one's own, whose parameters may be insecure."""
    return Interface.load(content, insecure=True)


class Model:
    """A network compiled for parameters: for the server, who has the weights. `compile` makes it."""

    __slots__ = ("_native", "interface")

    def __init__(self, native: NnModel) -> None:
        self._native = native
        self.interface = Interface(native.interface)
        """What a client must know."""

    @property
    def parameters(self) -> CkksParameters:
        """What inputs are encrypted with."""
        return self.interface.parameters

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Channels, height and width of an image, or the length of a vector."""
        return self.interface.input_shape

    @property
    def input_range(self) -> tuple[float, float]:
        """Where values of inputs must lie: twice as wide as their range in the samples."""
        return self.interface.input_range

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the network's values."""
        return self.interface.output_shape

    @property
    def layers(self) -> list[Layer]:
        """What each layer takes."""
        parts = self._native.layers
        return [
            Layer(name, layers, activation, levels, *counts, *errors)
            for name, layers, activation, levels, counts, errors in parts
        ]

    @property
    def slots(self) -> int:
        """The slots of a vector."""
        return self._native.counts[0]

    @property
    def depth(self) -> int:
        """The levels of the longest path."""
        return self._native.counts[1]

    @property
    def bootstraps(self) -> int:
        """All bootstraps."""
        return self._native.counts[2]

    @property
    def keys(self) -> tuple[int, int]:
        """The number of keys that a server needs, and their bytes in memory."""
        return self.interface.keys

    def report(self) -> str:
        """A table: what each layer takes, and how far it stays from its bounds."""
        return self._native.report()

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        """The network's values in plaintext, exact activations."""
        return self._native.evaluate(self.interface._flat(values), False).reshape(self.output_shape)

    def approximate(self, values: ArrayLike) -> NDArray[np.float64]:
        """The values that are computed encrypted, but for the encryption's errors: polynomials stand for
        activations."""
        return self._native.evaluate(self.interface._flat(values), True).reshape(self.output_shape)

    def compare(self, values: ArrayLike, output: Output, *, tolerance: float | None = None) -> Agreement:
        """Compares the encrypted values of an input with those in plaintext: labels of two values and more, the
        value and the sign of a single one.

        values: float64 of the network's input, in its shape or flat.
        tolerance: the largest difference from plaintext that agrees. By default, a single value may be off by a
            tenth of the largest value of the samples, or by 12 * `output.error` where that is more; of several,
            labels alone are compared.

        In any case values must be finite, and within 12 * `output.error` of `approximate`.

        Raises ValueError for another number of values.
        """
        flat = np.ascontiguousarray(output.values, dtype=np.float64).reshape(-1)
        found = self._native.compare(self.interface._flat(values), flat, output.error, tolerance)
        return Agreement(found[0].reshape(self.output_shape), *found[1:])

    def client(self, secret: Secret | None = None) -> Client:
        """A client with a new secret, or with an existing one."""
        return Client(self, Secret(self.parameters) if secret is None else secret)

    def server(self, keys: EvaluationKeys) -> Server:
        """A server with a client's keys."""
        return Server(self, keys)

    def __repr__(self) -> str:
        return f"<halimede.nn.Model of {len(self.layers)} layers, {self.bootstraps} bootstraps>"


class Sealed:
    """An encrypted input or result: one ciphertext, or the parts of a tensor that one does not hold.

    Pickles have the bytes and the parameters.
    """

    __slots__ = ("_native",)

    def __init__(self, native: NnSealed) -> None:
        self._native = native

    @staticmethod
    def load(source: str | os.PathLike[str] | Buffer, parameters: CkksParameters) -> Sealed:
        """An input or a result from a file (its path) or its content (bytes).

        Raises ValueError where it is damaged or of other parameters, and for parts that are missing, in
        another order, or of another input.
        """
        return Sealed(NnSealed.load(source, parameters))

    def to_bytes(self) -> bytes:
        """The content of a file of it: that of a `halimede.ckks.Ciphertext` where it is one."""
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which appears when it is whole, in place of one that is there."""
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
    """An input or a result, which may be one ciphertext."""
    if isinstance(of, Ciphertext):
        return NnSealed.of(of._sealed)
    if isinstance(of, Sealed):
        return of._native
    raise TypeError(f"got {type(of).__name__}, wanted a Sealed")


class Client:
    """Encrypts inputs of a network and decrypts its results.

    of: the network's interface, or the network. What is known of errors for `decrypt_for_sharing` comes from
        the network.
    secret: the holder of the secret key.
    """

    __slots__ = ("_interface", "_model", "secret")

    def __init__(self, of: Interface | Model, secret: Secret) -> None:
        self._model = of if isinstance(of, Model) else None
        self._interface = of.interface if isinstance(of, Model) else of
        self.secret = secret

    def evaluation_keys(self) -> EvaluationKeys:
        """The keys that a server needs for the network, each up to the level that it is used at. They tell
        nothing of the secret."""
        return EvaluationKeys(self._interface._native.evaluation_keys(self.secret._native))

    def encrypt(self, values: ArrayLike) -> Sealed:
        """An encrypted input, of as many ciphertexts as it takes. In a batch it has all places.

        values: float64 of the network's input, in its shape or flat.

        Raises ValueError for values outside of `Interface.input_range`.
        """
        return self.encrypt_all([values])

    def encrypt_all(self, inputs: Iterable[ArrayLike]) -> Sealed:
        """The encrypted inputs of a batch, which share ciphertexts. Where they are fewer than `Interface.batch`,
        the last one has all places that are left.

        inputs: each float64 of the network's input, in its shape or flat.

        Raises ValueError for none, for more than the batch has, and as `encrypt`.
        """
        rows = [self._interface._flat(values) for values in inputs]
        shape = (len(rows), math.prod(self._interface.input_shape))
        native = self._interface._native
        return Sealed(native.encrypt(self.secret._native, np.array(rows, dtype=np.float64).reshape(shape)))

    def decrypt(self, result: Sealed | Ciphertext) -> Output:
        """The network's values, for the owner of the secret alone: together with the encrypted result they tell
        something of it. Of a batch they are the first input's.

        Raises ValueError where an argument of an activation left its interval, and for another number of
        ciphertexts.
        """
        first = self.decrypt_all(result)[0]
        if isinstance(first, ValueError):
            raise first
        return first

    def decrypt_all(self, result: Sealed | Ciphertext) -> list[Output | ValueError]:
        """The network's values for each place of a batch. Where an argument of an activation left its interval,
        the place has the ValueError that says so.

        Raises ValueError for another number of ciphertexts.
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
        """The network's values for others: with noise that hides the secret from those who see them. Of a batch
        they are the first input's. `Output.error` is the noise.

        security_bits, queries: the bits of security, for as many decryptions that others ever see under this
            secret. Each ciphertext of a result is one. The secret counts those of this process.
        error_at_least: a bound of the error of a value, the root of the mean square, that you know. It is
            required of a client that has the interface alone, and for a network that does not bound its errors:
            with activations and without a guard, and with recurrent layers of many steps.

        Raises ValueError where nothing bounds the error, where noise would leave nothing of the values or of
        the guard, and where the guard fails. Do not tell others that it did: errors beyond their bound decide
        it.
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
        """The network's values for each place of a batch, for others; see `decrypt_for_sharing`. A place whose
        guard fails has the ValueError that says so.

        Raises ValueError as `decrypt_for_sharing`, but for guards.
        """
        numbers = counts(security_bits, queries)
        bound = None if error_at_least is None else float(error_at_least)
        model = None if self._model is None else self._model._native
        shape, native = self._interface.output_shape, self._interface._native
        found = native.decrypt_for_sharing(self.secret._native, _sealed(result), *numbers, bound, model)
        return [of if isinstance(of, ValueError) else Output(of[0].reshape(shape), *of[1:]) for of in found]


class Server:
    """Runs a network on encrypted inputs.

    Raises ValueError for keys that are missing, which are named.
    """

    __slots__ = ("_evaluator", "_model")

    def __init__(self, model: Model, keys: EvaluationKeys) -> None:
        self._model = model
        self._evaluator = Evaluator(keys)
        model._native.check(self._evaluator._native)

    def run(
        self,
        sealed: Sealed | Ciphertext,
        *,
        progress: bool | Progress = False,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Sealed:
        """The network's values for an encrypted input.

        progress: True for a line on stderr that counts steps, or what is called with the steps that are
            done, all steps and the layer's name. What it raises ends the run.
        checkpoint: a folder where the run leaves a file after each bootstrap, until it has its result. A
            run of the same network, input and keys, in a later process too, goes on from there to the
            same bits. The files are for the server alone, and have mode 0600. A server in a new process
            is given the folder in its first run.

        Raises ValueError for another number of ciphertexts, and for checkpoints that cannot be read or
        written.
        """
        told = _line if progress is True else progress or None
        try:
            result = self._model._native.run(self._evaluator._native, _sealed(sealed), told, checkpoint)
        finally:
            if progress is True:
                print(file=sys.stderr)
        return Sealed(result)


def _line(done: int, steps: int, layer: str | None) -> None:
    print(f"\r{done} of {steps} steps{f', {layer}' if layer else ''}\x1b[K", end="", file=sys.stderr, flush=True)


def _exported(module: Any, sample: NDArray[np.float64]) -> bytes:
    """A module of PyTorch as an ONNX file."""
    torch: Any = importlib.import_module("torch")
    parameter = next(iter(module.parameters()), None)
    kind = torch.float32 if parameter is None else parameter.dtype
    file = io.BytesIO()
    example = torch.as_tensor(sample).to(kind)
    # The exporter that needs `onnx` alone, and takes a module in training as one in use; versions before 2.5
    # have no other.
    chosen = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    torch.onnx.export(module, (example,), file, **chosen)
    return file.getvalue()
