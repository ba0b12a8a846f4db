# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bad input raises an error with the actual and the expected input."""

from typing import Any, Callable

import halimede
import numpy as np
import pytest
from engines.poseidon.model.parameters import FELT, FR

from samples import table, to_bytes, to_limbs

STATES = to_limbs(table(FR, 6, 3, 1))
FELTS = to_limbs(table(FELT, 6, 2, 2))
permute: Any = halimede.poseidon.permute
poseidon_hash: Any = halimede.poseidon.hash
starknet: Any = halimede.starknet


def misaligned() -> Any:
    buffer = np.zeros(STATES.nbytes + 1, np.uint8)
    buffer[1:] = np.frombuffer(STATES.tobytes(), np.uint8)
    return np.frombuffer(buffer.data[1:], np.uint64).reshape(STATES.shape)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: permute(STATES.astype(np.int64)), "array of int64, wanted one of uint64"),
        (lambda: permute(STATES.astype(float)), "array of float64"),
        (lambda: permute(STATES.astype(object)), "array of object"),
        (lambda: permute(STATES.astype(STATES.dtype.newbyteorder())), "array of [<>]u8|uint64"),
        (lambda: permute(np.frombuffer(STATES.tobytes(), np.uint8)), "array of uint8"),
        (lambda: permute("0x1 0x2 0x3"), "got str"),
        (lambda: permute(None), "got NoneType"),
        (lambda: permute(7), "got int, wanted"),
        (lambda: permute([1, 2, 3.0]), "element 2: got float, wanted an integer"),
        (lambda: permute([b"a", b"b"]), "element 0: got bytes"),
        (lambda: permute([[[1, 2, 3]]]), "got list of list of list of int"),
        (lambda: permute([[1, 2, 3], 4]), r"states\[1\]: got int"),
        (lambda: permute(STATES, device="cpu"), "got 'cpu', wanted a halimede.Device"),
        (lambda: permute(STATES, 3), "'int' object"),
        (lambda: poseidon_hash(to_bytes([1, 2])), "arity: got None"),
        (lambda: poseidon_hash([1, 2], "2"), "arity: got '2', wanted an integer"),
        (lambda: poseidon_hash([1, 2], hash_type=("custom", "1")), "hash_type: got '1'"),
        (lambda: starknet.hash(1, [2]), "got one integer and a sequence"),
        (lambda: starknet.hash(FELTS[:, 0], 2), "got ndarray"),
        (lambda: starknet.hash(b"\0" * 32, 2), "got bytes"),
        (lambda: starknet.hash(1, "2"), "y: got str"),
        (lambda: starknet.hash_many(7), "got int"),
        (lambda: starknet.hash_many(b"", [0]), "offsets with bytes"),
        (lambda: starknet.hash_many([1], [0, 1]), "offsets with integers"),
        (lambda: starknet.hash_many(FELTS[:, 0].copy(), [0, 1.5, 6]), "offsets: got float64"),
        (lambda: starknet.hash_many(FELTS[:, 0].copy(), [[0, 6]]), "offsets: got int64"),
        (lambda: starknet.Hasher().update("1"), "got str"),
        (lambda: starknet.Hasher([[1]]), "got list of list"),
        (lambda: halimede.poseidon.tree_root(7), "got int, wanted a path"),  # type: ignore[arg-type]
    ],
)
def test_wrong_types(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: permute(STATES, "filecoin-0"), '"filecoin-0"'),
        (lambda: permute(STATES, "filecoin-8"), r"\[6, 3, 4\], wanted \[n, 9, 4\] or \[9, 4\]"),
        (lambda: permute(STATES.reshape(-1)), r"got shape \[72\]"),
        (lambda: permute(STATES.reshape(18, 1, 4)), r"got shape \[18, 1, 4\]"),
        (lambda: permute(STATES.reshape(6, 4, 3)), r"got shape \[6, 4, 3\]"),
        (lambda: permute(STATES[None]), r"got shape \[1, 6, 3, 4\]"),
        (lambda: permute(np.array(7, np.uint64)), r"got shape \[\]"),
        (lambda: permute(STATES[::2]), "not C-contiguous"),
        (lambda: permute(np.asfortranarray(STATES)), "not C-contiguous"),
        (lambda: permute(misaligned()), "not aligned"),
        (lambda: permute(memoryview(STATES.tobytes())[::2]), "not contiguous"),
        (lambda: permute(STATES.tobytes()[:-1]), "got 575 bytes, wanted a multiple of 32"),
        (lambda: permute(STATES.tobytes()[:-32]), "got 544 bytes, wanted whole rows of 3"),
        (lambda: permute([[1, 2, 3], [4, 5]]), "got rows of 2, 3 elements"),
        (lambda: permute([1, 2]), r"wanted \[n, 3, 4\] or \[3, 4\]"),
        (lambda: permute([1, -1, 3]), "element 1: got -1"),
        (lambda: permute([1, 2, 1 << 256]), "element 2: got 1157"),
        (lambda: poseidon_hash(table(FR, 6, 3, 3)[0], 4), "expected 4 elements, got 3"),
        (lambda: poseidon_hash([1, 2, 3], 2, hash_type="constant-length"), "1 to 2 elements, got 3"),
        (lambda: poseidon_hash(np.empty((5, 0, 4), np.uint64), 2), "expected 2 elements, got 0"),
        (lambda: poseidon_hash([1, 2], -1), "arity: got -1"),
        (lambda: poseidon_hash([1, 2], 1 << 70), "arity: got 118"),
        (lambda: poseidon_hash([1] * 300), "no Filecoin instance has arity 300"),
        (lambda: poseidon_hash(b"", 0), "arity 0"),
        (lambda: poseidon_hash(STATES.tobytes()[:-32], 2), "got 544 bytes"),
        (lambda: poseidon_hash([1, 2], strength="strong"), '"strong", wanted "standard"'),
        (lambda: poseidon_hash([1, 2], hash_type="merkle"), '"merkle", wanted "merkle-tree"'),
        (lambda: poseidon_hash([1, 2], hash_type="custom"), 'hash_type: got "custom"'),
        (lambda: poseidon_hash([1, 2], hash_type=("custom", 0)), "1..=256, got 0"),
        (lambda: poseidon_hash([1, 2], hash_type=("custom", 257)), "1..=256, got 257"),
        (lambda: poseidon_hash([1, 2], hash_type=("custom", -1)), "hash_type: got -1"),
        (lambda: poseidon_hash([1, 2], hash_type=("merkle-tree", 1)), 'hash_type: got "merkle'),
        (lambda: starknet.hash([1, 2], [3]), "wanted two of one shape"),
        (lambda: starknet.hash(FELTS[:3, 0], FELTS[:2, 1]), r"x of uint64\[3, 4\] and y of uint64"),
        (lambda: starknet.hash(b"\0" * 32, b"\0" * 64), "wanted two of one shape"),
        (lambda: starknet.hash(b"\0" * 33, b"\0" * 33), "33 bytes each, wanted a multiple of 32"),
        (lambda: starknet.hash(FELTS, FELTS), r"got shape \[6, 2, 2, 4\]"),
        (lambda: starknet.hash_single(FELTS), r"got shape \[6, 2, 4\]"),
        (lambda: starknet.hash_single(b"\0" * 31), "got 31 bytes"),
        (lambda: starknet.hash_many(FELTS[0, 0]), r"got shape \[4\]"),
        (lambda: starknet.hash_many(FELTS, [0, 6]), r"wanted \[k, 4\] with offsets"),
        (lambda: starknet.hash_many(FELTS[:, 0].copy(), []), "offsets: got none"),
        (lambda: starknet.hash_many(FELTS[:, 0].copy(), [1, 6]), "the first is 1"),
        (lambda: starknet.hash_many(FELTS[:, 0].copy(), [0, 4, 3, 6]), "number 2 is 3"),
        (lambda: starknet.hash_many(FELTS[:, 0].copy(), [0, 7]), "the last is 7"),
        (lambda: starknet.hash_many(FELTS[:, 0].copy(), [0, -1, 6]), "got -1"),
        (lambda: starknet.Hasher(FELTS), r"got shape \[6, 2, 4\]"),
        (lambda: halimede.poseidon.parameters("stark-7"), 'unknown instance "stark-7"'),
    ],
)
def test_wrong_values(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("row, position", [(0, 0), (3, 2), (5, 1)])
@pytest.mark.parametrize("wrong", [FR, FR + 1, (1 << 256) - 1])
def test_elements_at_or_above_the_modulus_are_named(row: int, position: int, wrong: int) -> None:
    states = table(FR, 6, 3, 4)
    states[row][position] = wrong
    message = f"row {row}, element {position}: 0x{wrong:064x} is not below"
    for kind in (states, to_bytes(states), to_limbs(states)):
        with pytest.raises(ValueError, match=message):
            permute(kind)
    arity = 2 if position < 2 else 4
    preimages = [(2 * row)[:arity] for row in states]
    with pytest.raises(ValueError, match=message):
        poseidon_hash(to_limbs(preimages))


def test_elements_of_the_wrong_field_are_refused() -> None:
    with pytest.raises(ValueError, match="row 1, element 0"):
        starknet.hash_single([FELT - 1, FELT])
    with pytest.raises(ValueError, match="row 2, element 1"):
        starknet.hash([1, 2, 3], [4, 5, FELT])
    with pytest.raises(ValueError, match="row 1, element 2"):
        starknet.hash_many([[1], [2, 3, FELT], []])


def test_the_row_is_that_of_the_whole_batch() -> None:
    states = np.zeros((200_000, 3, 4), np.uint64)
    states[199_999, 1] = 2**64 - 1
    with pytest.raises(ValueError, match="row 199999, element 1"):
        permute(states)


def test_a_refused_update_absorbs_nothing() -> None:
    hasher = halimede.starknet.Hasher([1, 2, 3])
    before = hasher.digest()
    for wrong in ([4, FELT], [4, -1], to_bytes([4, FELT]), b"\0" * 33):
        with pytest.raises(ValueError):
            hasher.update(wrong)
    assert hasher.digest() == before
