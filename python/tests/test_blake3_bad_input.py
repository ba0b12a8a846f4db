# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLAKE3: bad input raises an error with the actual and the expected input."""

from typing import Any, Callable

import halimede
import numpy as np
import pytest

blake3: Any = halimede.blake3
DATA = bytes(range(200))
TABLE = np.arange(200, dtype=np.uint8).reshape(20, 10)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: blake3.hash("text"), "data: got str, wanted bytes .*a text is to be encoded"),
        (lambda: blake3.hash(7), "data: got int, wanted bytes"),
        (lambda: blake3.hash(None), "data: got NoneType"),
        (lambda: blake3.hash([1, 2]), "data: got list"),
        (lambda: blake3.hash(np.array([DATA, None])), "data: got an array of objects"),
        (lambda: blake3.hash(np.array(["2026-11-22"], "M8[D]")), "data: got ndarray"),
        (lambda: blake3.hash(DATA, key="k" * 32), "key: got str"),
        (lambda: blake3.hash(DATA, context=b"bytes"), "context: got bytes, wanted a str"),
        (lambda: blake3.hash(DATA, length="32"), "length: got '32', wanted an integer"),
        (lambda: blake3.hash(DATA, length=32.0), "length: got 32.0"),
        (lambda: blake3.hash(DATA, seek=None), "seek: got None"),
        (lambda: blake3.hash(DATA, device="cpu"), "got 'cpu', wanted a halimede.Device"),
        (lambda: blake3.hash(DATA, DATA[:32]), "positional argument"),
        (lambda: blake3.hash_many(DATA), "messages: got one buffer of 1 axes"),
        (lambda: blake3.hash_many(np.array(7, np.uint8)), "messages: got one buffer of 0 axes"),
        (lambda: blake3.hash_many(TABLE[None]), "messages: got one buffer of 3 axes"),
        (lambda: blake3.hash_many(np.array([[None]])), "messages: got an array of objects"),
        (lambda: blake3.hash_many(7), "messages: got int, wanted a list"),
        (lambda: blake3.hash_many("text"), r"messages\[0\]: got str"),
        (lambda: blake3.hash_many([DATA, DATA, "text"]), r"messages\[2\]: got str"),
        (lambda: blake3.hash_many([DATA], [0, 1]), "messages: got list, wanted bytes"),
        (lambda: blake3.hash_many(DATA, [0, 1.5]), "offsets: got float64"),
        (lambda: blake3.hash_many(DATA, [[0, 1]]), r"offsets: got int64\[1, 2\]"),
        (lambda: blake3.hash_many([DATA], key=7), "key: got int"),
        (lambda: blake3.hash_many([DATA], device=7), "got 7, wanted a halimede.Device"),
        (lambda: blake3.Hasher("text"), "data: got str"),
        (lambda: blake3.Hasher(context=7), "context: got int"),
        (lambda: blake3.Hasher().digest("32"), "length: got '32'"),
        (lambda: blake3.Hasher().hexdigest(seek="1"), "seek: got '1'"),
    ],
)
def test_wrong_types(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: blake3.hash(memoryview(DATA)[::2]), "data: got a buffer that is not contiguous"),
        (lambda: blake3.hash(TABLE[:, 1:]), "not contiguous"),
        (lambda: blake3.hash(np.asfortranarray(TABLE)), "not contiguous"),
        (lambda: blake3.hash(DATA, key=DATA[:31]), "key: got 31 bytes, wanted 32"),
        (lambda: blake3.hash(DATA, key=DATA[:33]), "key: got 33 bytes, wanted 32"),
        (lambda: blake3.hash(DATA, key=b""), "key: got 0 bytes"),
        (lambda: blake3.hash(DATA, key=DATA[:32], context="c"), "key, context: got both"),
        (lambda: blake3.hash(DATA, context="\ud800"), "surrogates not allowed"),
        (lambda: blake3.hash(DATA, length=-1), "length: got -1"),
        (lambda: blake3.hash(DATA, length=1 << 64), "length: got 18446744073709551616"),
        (lambda: blake3.hash(DATA, length=1 << 63), "length: got 9223372036854775808, more than"),
        (lambda: blake3.hash(DATA, seek=-1), "seek: got -1"),
        (lambda: blake3.hash(DATA, seek=1 << 64), "seek: got 18446744073709551616"),
        (lambda: blake3.hash(DATA, seek=(1 << 64) - 32), "got 32 bytes from byte 184467440737095515"),
        (lambda: blake3.hash_many([DATA, memoryview(DATA)[::-1]]), r"messages\[1\]: got a buffer"),
        (lambda: blake3.hash_many(TABLE[:, 1:]), "messages: got a buffer that is not contiguous"),
        (lambda: blake3.hash_many(TABLE[:, 1:], [0, 9]), "messages: got a buffer that is not"),
        (lambda: blake3.hash_many([DATA], key=b"short"), "key: got 5 bytes"),
        (lambda: blake3.hash_many(DATA, []), "offsets: no offsets: there must be one more"),
        (lambda: blake3.hash_many(DATA, [0, 5, 4]), "offset 2 is 4, below the previous one, 5"),
        (lambda: blake3.hash_many(DATA, [0, 201]), "last offset is 201, but the data has 200 bytes"),
        (lambda: blake3.hash_many(DATA, [0, -1]), "offsets: got -1"),
        (lambda: blake3.Hasher(key=DATA), "key: got 200 bytes"),
        (lambda: blake3.Hasher(key=DATA[:32], context=""), "key, context: got both"),
        (lambda: blake3.Hasher().digest(-1), "length: got -1"),
        (lambda: blake3.Hasher().digest(2, seek=(1 << 64) - 2), "got 2 bytes from byte 184467440"),
    ],
)
def test_wrong_values(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_more_than_memory_holds_is_a_memory_error() -> None:
    with pytest.raises(MemoryError):
        blake3.hash(DATA, length=1 << 60)


def test_a_refused_update_absorbs_nothing() -> None:
    hasher = blake3.Hasher(DATA)
    for wrong in ("text", memoryview(DATA)[::2], None):
        with pytest.raises((TypeError, ValueError)):
            hasher.update(wrong)
    assert hasher.digest() == blake3.hash(DATA)


def test_a_device_that_was_closed() -> None:
    device = halimede.Device("cpu")
    assert blake3.hash(DATA, device=device) == blake3.hash(DATA)
    device.close()
    for call in (lambda: blake3.hash(DATA, device=device),
                 lambda: blake3.hash_many([DATA], device=device)):
        with pytest.raises(ValueError, match="device cpu has been closed"):
            call()
