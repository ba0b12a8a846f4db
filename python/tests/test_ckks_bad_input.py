# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CKKS: bad input raises an error with advice."""

import copy
import functools
import pickle
from typing import Any, Callable

import numpy as np
import pytest
from ckks_setting import MOST, SLOTS, complexes, setting
from halimede import ckks

untyped: Any = ckks
STATEMENT: dict[str, Any] = {"security_bits": 4, "queries": 4}


@functools.cache
def x() -> Any:
    return setting().pair(1, 8)[1]


@functools.cache
def unbound() -> Any:
    return setting().client.encrypt(complexes(2, 8), bound=MOST)


@functools.cache
def poor() -> Any:
    """A ciphertext of a server without keys."""
    return setting().client.server().bind(unbound())


@functools.cache
def foreign() -> Any:
    """A ciphertext of other parameters."""
    client = ckks.Client("n10-insecure")
    return client.server(multiply=True).bind(client.encrypt(complexes(3, 8), bound=MOST))


def client() -> Any:
    return setting().client


@pytest.mark.parametrize("call, message", [
    (lambda: client().encrypt("text"), "values: got an array of <U4, wanted numbers"),
    (lambda: client().encrypt([1, None]), "values: got an array of object"),
    (lambda: client().encrypt(np.array(["2026-11-22"], "M8[D]")), r"values: got an array of datetime"),
    (lambda: client().encrypt([1], level="3"), "level: got '3', wanted an integer"),
    (lambda: client().encrypt([1], level=2.0), "level: got 2.0"),
    (lambda: client().decrypt(complexes(1, 8)), "got ndarray, wanted a halimede.ckks.Ciphertext"),
    (lambda: client().decrypt_for_sharing(x()), "security_bits"),
    (lambda: client().decrypt_for_sharing(x(), security_bits=4), "queries"),
    (lambda: client().decrypt_for_sharing(x(), 4, 4), "positional"),
    (lambda: client().decrypt_for_sharing(x(), flooding_bits=10), "flooding_bits"),
    (lambda: client().decrypt_for_sharing(x(), security_bits=4.5, queries=1), "integer"),
    (lambda: client().decrypt_for_sharing(None, **STATEMENT), "got NoneType, wanted a halimede.ckks.Ciphertext"),
    (lambda: untyped.Client(7), "CkksParameters"),
    (lambda: untyped.Client(None), "CkksParameters"),
    (lambda: setting().server.bind(7), "got int, wanted a halimede.ckks.Ciphertext"),
    (lambda: untyped.Server(client()), "keys: got Client, wanted EvaluationKeys"),
    (lambda: client().evaluation_keys(rotations=[1.5]), "'float' object cannot be interpreted"),
    (lambda: client().evaluation_keys(rotations=5), "not iterable"),
    (lambda: x() + "text", "unsupported operand"),
    (lambda: x() + ["text"], "operand: got an array of <U4"),
    (lambda: x() - ["text"], "operand: got an array of <U4"),
    (lambda: x() * None, "unsupported operand"),
    (lambda: x() * [None] * 8, "operand: got an array of object"),
    (lambda: x() * np.array("2"), "operand: got an array of <U1"),
    (lambda: x() * 10**400, "operand: got an array of object"),
    (lambda: x() / x(), "halimede.ckks.inverse"),
    (lambda: 1 / x(), "halimede.ckks.inverse"),
    (lambda: np.ones(8) / x(), "halimede.ckks.inverse"),
    (lambda: x() ** 0.5, "exponent: got 0.5, wanted an integer"),
    (lambda: x() ** x(), "exponent"),
    (lambda: x() << 1.5, "'float' object cannot be interpreted"),
    (lambda: x() >> "1", "'str' object cannot be interpreted"),
    (lambda: x() @ 3, "unsupported operand"),
    (lambda: x() < 3, "ciphertexts are not compared, .*halimede.ckks.greater"),
    (lambda: x() <= x(), "ciphertexts are not compared"),
    (lambda: 3 < x(), "ciphertexts are not compared"),
    (lambda: x() >= np.ones(8), "ciphertexts are not compared"),
    (lambda: x() == x(), "ciphertexts are not compared, .* `is` compares"),
    (lambda: x() != 1, "ciphertexts are not compared"),
    (lambda: x() == None, "ciphertexts are not compared"),  # noqa: E711
    (lambda: np.ones(8) == x(), "ciphertexts are not compared"),
    (lambda: np.ones(8) < x(), "ciphertexts are not compared"),
    (lambda: np.less(x(), 1), "ciphertexts are not compared"),
    (lambda: bool(x()), "a ciphertext is neither true nor false"),
    (lambda: not x(), "a ciphertext is neither true nor false"),
    (lambda: x() and 1, "a ciphertext is neither true nor false"),
    (lambda: 3 in x(), "not iterable"),
    (lambda: reversed(x()), "not reversible"),
    (lambda: x()[1.5], "index: got float, wanted an integer or start:stop"),
    (lambda: x()["1"], "index: got str"),
    (lambda: x()[1, 2], "index: got tuple"),
    (lambda: x()[[1, 2]], "index: got list"),
    (lambda: x()[1.5:], "slice indices must be integers"),
    (lambda: ckks.bounded(["a"], 1), "operand: got an array of <U1"),
    (lambda: ckks.bounded([1], "1"), "bound: got '1', wanted a number, or a pair"),
    (lambda: untyped.bounded([1], None), "bound: got None, wanted a number, or a pair"),
    (lambda: ckks.bounded(np.ones(8), 1) * 2, "unsupported operand"),
    (lambda: client().encrypt([1], bound="1"), r"bound: got '1', wanted a number, or a pair of them \(low"),
    (lambda: client().encrypt([1], bound=(1, 2, 3)), r"bound: got \(1, 2, 3\)"),
    (lambda: client().encrypt([1], 2.0), "positional"),
    (lambda: np.exp(x()), r"numpy.exp is not computed on ciphertexts; .*x.apply\(numpy.exp"),
    (lambda: np.maximum(x(), 0), "numpy.maximum is not computed"),
    (lambda: np.add(x(), x(), out=np.ones(8)), "numpy.add is not computed"),
    (lambda: np.add.reduce(x()), "numpy.add is not computed"),
    (lambda: np.sort(x()), "numpy.sort is not computed"),
    (lambda: np.sum(x(), keepdims=True), "keepdims"),
    (lambda: np.asarray(x()), "a ciphertext is not an array: the client decrypts it"),
    (lambda: float(x()), "must be a string or a real number"),
    (lambda: list(x()), "not iterable"),
    (lambda: x().apply(7, (-1, 1), error=0.1), "function: got int"),
    (lambda: x().apply(np.exp, error=0.1), "interval: a function needs an interval"),
    (lambda: x().apply(np.exp, (-1, 1)), "degree, error: give one"),
    (lambda: x().apply(np.exp, (-1, 1), error=0.1, degree=3), "degree, error: give one"),
    (lambda: x().apply(np.exp, 1, error=0.1), "interval: got 1, wanted two numbers"),
    (lambda: x().apply(np.exp, (-1, 1), degree=2.5), "degree: got 2.5, wanted an integer"),
    (lambda: x().apply(lambda v: "a", (-1, 1), degree=3), "function: got str of"),
    (lambda: x().apply(np.polynomial.Polynomial([1]), (-1, 1)), "evaluated unchanged"),
    (lambda: ckks.relu(x()), "give a halimede.ckks.Sign, or bound="),
    (lambda: ckks.relu(x(), bound=1.0, threshold=0.5), "give a halimede.ckks.Sign"),
    (lambda: untyped.maximum(x(), 1.0, bound=1.0, threshold=0.5, error=0.1), "got float"),
    (lambda: ckks.Parameters.load(7), "source: got int, wanted bytes"),
    (lambda: ckks.Ciphertext.load(None, client().parameters), "source: got NoneType"),
    (lambda: pickle.dumps(client()), "holds a secret key"),
    (lambda: copy.copy(client()), "holds a secret key"),
    (lambda: copy.deepcopy(client()), "holds a secret key"),
])
def test_wrong_types(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("call, message", [
    (lambda: ckks.Client("n99"), 'no parameter set is named "n99"; the names are n10-insecure'),
    (lambda: client().encrypt([1, np.nan]), "value 1 is NaN"),
    (lambda: client().encrypt([np.inf]), "value 0 is inf"),
    (lambda: client().encrypt([1j * np.inf]), "value 0 is .*inf"),
    (lambda: client().encrypt([]), "no value to encode"),
    (lambda: client().encrypt(np.ones((2, 2))), r"values: got shape \[2, 2\], wanted one axis"),
    (lambda: client().encrypt(np.ones(SLOTS + 1)), "4097 values, but a plaintext has 4096 slots"),
    (lambda: client().encrypt([1e300]), r"value 0 is 1e300, but the declared bound is real values from -1 to 1: .*bound="),
    (lambda: client().encrypt([1e300], bound=1e300), "the declared values need up to"),
    (lambda: client().encrypt([0.5, -3]), r"value 1 is -3.0, .* at least 3.0 here: encrypt\(values, bound=…"),
    (lambda: client().encrypt([0.5, 1.5], bound=(0.6, 2)), "value 0 is 0.5, but the declared bound is real values from 0.6 to 2"),
    (lambda: client().encrypt([0.5, 2.5], bound=(0.5, 2)), "value 1 is 2.5"),
    (lambda: client().encrypt([3 + 4j], bound=4.9), r"value 0 is 3.0 \+ 4.0i, but the declared bound is values up to 4.9"),
    (lambda: client().encrypt([0.5j], bound=(0, 1)), "is an interval of real numbers"),
    (lambda: client().encrypt([1], bound=-1), "bound: got -1, wanted a finite number from 0"),
    (lambda: client().encrypt([1], bound=np.nan), "bound: got nan"),
    (lambda: client().encrypt([1], bound=np.inf), "bound: got inf"),
    (lambda: client().encrypt([1], bound=(2, 1)), r"bound: got \(2, 1\), .* the smaller one first"),
    (lambda: client().encrypt(2.5), "value 0 is 2.5"),
    (lambda: client().encrypt([1], level=9), "level: got 9, the highest of n13-insecure is 8"),
    (lambda: client().encrypt([1], level=-1), "level: got -1"),
    (lambda: client().public_key().encrypt([1], level=9), "level: got 9, the highest"),
    (lambda: client().evaluation_keys(multiply=True, level=9), "level: got 9"),
    (lambda: client().evaluation_keys(bootstrap=True), "no levels for a bootstrap"),
    (lambda: client().decrypt(foreign()), r"n10-insecure \(hash .*\), and n13-insecure \(hash"),
    (lambda: client().decrypt_for_sharing(foreign(), **STATEMENT), "n10-insecure"),
    (lambda: client().decrypt_for_sharing(x(), security_bits=-1, queries=4), "security_bits: got -1"),
    (lambda: client().decrypt_for_sharing(x(), security_bits=4, queries=0), "queries: got 0"),
    (lambda: client().decrypt_for_sharing(x(), security_bits=99, queries=4), "cannot be stated"),
    (lambda: client().decrypt_for_sharing(x(), security_bits=70, queries=4), "bits of security"),
    (lambda: client().decrypt_for_sharing(x(), **STATEMENT, error_at_least=-1.0), "give a finite number above 0"),
    (lambda: client().precision_for_sharing(x(), **STATEMENT, error_at_least=np.nan), "give a finite number above 0"),
    (lambda: unbound() + 1, r"is not bound to a server: use server.bind\(x\)"),
    (lambda: unbound() * unbound(), "is not bound to a server"),
    (lambda: unbound().bootstrap(), "is not bound to a server"),
    (lambda: x() + foreign(), "are bound to two servers"),
    (lambda: x() + poor(), "are bound to two servers"),
    (lambda: setting().server.bind(foreign()), "n10-insecure"),
    (lambda: setting().server.evaluate(foreign(), np.exp, (-1, 1), degree=3), "n10-insecure"),
    (lambda: poor() * poor(), "no key to multiply ciphertexts: ask the client"),
    (lambda: poor() << 3, "no key to rotate by 3"),
    (lambda: poor().rotate_many([3, 5]), "no key to rotate by 3, or to rotate by 5: ask"),
    (lambda: poor().mean(), "no key to rotate by 1, or to rotate by 2, or to rotate by 4: ask"),
    (lambda: poor()[2:4], "no key to rotate by 2, or to rotate by 4: ask"),
    (lambda: poor() @ poor(), "to multiply ciphertexts, or to rotate by 1, or to rotate by 2, or to rotate by 4"),
    (lambda: poor() @ np.ones(8), "no key to rotate by 1, or to rotate by 2, or to rotate by 4: ask"),
    (lambda: poor().replicate(8), "no key to rotate by -1, or to rotate by -2, or to rotate by -4: ask"),
    (lambda: poor().sum(), "no key to rotate by 1, or to rotate by 2, or to rotate by 4: ask"),
    (lambda: poor().sum(4, 2), "no key to rotate by 2, or to rotate by 4: ask"),
    (lambda: poor().conjugate(), "no key to conjugate"),
    (lambda: poor().between(-1, 1).apply(np.exp, (-1, 1), degree=3), "no key to multiply"),
    (lambda: x().apply(np.exp, (-1, 1), degree=3), r"these are complex, up to 1.5: .* x.between\(low, high\)"),
    (lambda: x().between(-1.25, 1).apply(np.exp, (-1, 1), degree=3), r"may lie from -1.25 to 1, .* x.between"),
    (lambda: poor() @ np.eye(8)[::-1], r"no key to rotate by \d, or to rotate by \d"),
    (lambda: x().bootstrap(), "no levels for a bootstrap"),
    (lambda: setting().server.prepare_bootstrap(), "no levels for a bootstrap"),
    (lambda: x() + setting().pair(1, 16)[1], "8 values and one of 16"),
    (lambda: x() + np.ones(9), "8 values and one of 9"),
    (lambda: x() * np.ones(3), "8 values and one of 3"),
    (lambda: x() + np.ones((8, 1)), "wanted one axis"),
    (lambda: x() + np.nan, "NaN"),
    (lambda: x() * np.inf, "inf"),
    (lambda: x() * complex(1, np.nan), "NaN"),
    (lambda: x() * np.full(8, np.nan), "value 0 is NaN"),
    (lambda: x() + 1e300, "bits with scale"),
    (lambda: x() * [2.0], "value 0 is 2.0, but the declared bound is real values from -1 to 1"),
    (lambda: x() * np.full(8, 2), r"value 0 is 2.0, .*halimede.ckks.bounded\(values, b\)"),
    (lambda: x() + ckks.bounded(np.full(8, 2.0), 1.5), "real values from -1.5 to 1.5"),
    (lambda: x() / np.full(8, 0.25), r"1 is their bound, .* is 4: x / halimede.ckks.bounded"),
    (lambda: x() / ckks.bounded(np.full(8, 0.25), 3), "3 is declared as their bound"),
    (lambda: x() / ckks.bounded(np.full(8, -2), (0, 1)), r"\(0, 1\) is declared as their bound"),
    (lambda: x().bounded(-1), "bound: got -1"),
    (lambda: x().between(1, np.nan), "bound: got"),
    (lambda: x()[3:3], "is empty, and a vector has one or more"),
    (lambda: x()[5:-4], "is empty"),
    (lambda: x()[::2], "wanted 1"),
    (lambda: x()[::-1], "wanted 1"),
    (lambda: ckks.roll_rotations(0, 1), "length: got 0, wanted 1 to 65536"),
    (lambda: ckks.slice_rotations(8, 3, 2), "places 3 to 2 are empty"),
    (lambda: x() ** 0, "exponent: got 0, wanted an integer from 1"),
    (lambda: x() ** -1, "exponent: got -1"),
    (lambda: x() ** 10**30, "exponent: got 1000000"),
    (lambda: x() ** 4096, "exponent: got 4096"),
    (lambda: x() ** 300, r"x \*\* 300 takes 9 levels, and the ciphertext has 8: take parameters"),
    (lambda: x() ** 1000, r"x \*\* 1000 takes 10 levels, and the ciphertext has 8"),
    (lambda: poor() ** 4, "no key to multiply"),
    (lambda: (1000 * x()) ** 200, r"but level \d has room for .*: x.bounded\(b\)"),
    (lambda: x().at_level(0) * 0.5, "at level 0 and a product needs level 1"),
    (lambda: x().at_level(0) @ np.eye(8), "at level 0 and a product with a matrix needs"),
    (lambda: x().at_level(2).at_level(3), "bringing it to a higher level"),
    (lambda: x().at_level(99), "bringing it to a higher level"),
    (lambda: x().sum(9), "9 batches of 1 slots do not fit in 8"),
    (lambda: x().sum(0), "0 batches"),
    (lambda: x().sum(batch=9), "0 batches of 9 slots"),
    (lambda: x().replicate(2, 5), "2 batches of 5"),
    (lambda: x().sum(1 << 63, 4), "batches of 4 slots"),
    (lambda: ckks.sum_rotations(0), "got 0 batches"),
    (lambda: ckks.sum_rotations(4, 0), "batches of 0 slots"),
    (lambda: ckks.sum_rotations(1 << 17), "more than any vector has"),
    (lambda: ckks.sum_rotations(1 << 40, -(1 << 40)), "more than any vector has"),
    (lambda: ckks.sum_rotations(10**40), "more than any vector has"),
    (lambda: x() @ np.ones((4, 16)), "8 values and one of 4"),
    (lambda: x() @ np.ones((2, 2, 2)), "two axes"),
    (lambda: x() @ np.full((8, 8), np.nan), "is not finite"),
    (lambda: setting().server.matrix(np.ones((0, 3))), "expected 0 × 3 entries"),
    (lambda: setting().server.matrix(np.ones((1, SLOTS + 1))), "rows or columns, but a ciphertext"),
    (lambda: ckks.Matrix(foreign().parameters, np.eye(8)) @ x(), "the matrix is for"),
    (lambda: x().apply(np.exp, (1, -1), error=0.1), "is not an interval"),
    (lambda: x().apply(np.exp, (-1, np.nan), error=0.1), "is not an interval"),
    (lambda: x().apply(lambda v: 1 / v if v else np.inf, (-1, 1), degree=8), "not finite at 0"),
    (lambda: x().apply(np.abs, (-1, 1), error=1e-9), "needs too high a degree"),
    (lambda: x().apply(np.exp, (-1, 1), error=0.0), "cannot be reached"),
    (lambda: x().apply(np.exp, (-1, 1), degree=5000), "at most 4095; got 5000"),
    (lambda: x().apply(np.exp, (-1, 1), degree=-1), "degree: got -1"),
    (lambda: x().apply(np.polynomial.Polynomial([1, np.nan])), "degree 1 is not finite"),
    (lambda: x().apply(lambda v: 1 / (1.001 - v), (-1, 1), degree=600), "needs level 10"),
    (lambda: ckks.sign(x(), bound=1.0, threshold=2.0, error=0.1), "is not an interval"),
    (lambda: ckks.Sign(1.0, 0.1, 2.0), "cannot be reached"),
    (lambda: ckks.inverse(x(), (-1, 1), error=0.1), "not finite at 0"),
    (lambda: ckks.sqrt(x(), (-1, 1), error=0.1), "not finite"),
])
def test_wrong_values(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_division_by_zero() -> None:
    for zero in (0, 0.0, 0j, np.array([1, 2, 3, 4, 0, 6, 7, 8])):
        with pytest.raises(ZeroDivisionError):
            x() / zero


def test_what_was_refused_leaves_all_as_it_was() -> None:
    before = setting().client.decrypt(x())
    for call in (lambda: x() * np.full(8, np.nan), lambda: x() ** 300, lambda: x().at_level(99)):
        with pytest.raises(ValueError):
            call()
    assert np.array_equal(setting().client.decrypt(x()), before)
