# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every function returns the golden model's results, in every representation of elements."""

from typing import Any, Callable

import halimede
import numpy as np
import pytest
from engines.poseidon.model import hashes, permutation
from engines.poseidon.model.parameters import FELT, FR, Instance, all_instances

from samples import elements, table, to_bytes, to_integers, to_limbs

STRENGTHS = [("standard", False), ("strengthened", True)]


@pytest.mark.parametrize("instance", all_instances(), ids=lambda instance: instance.name)
def test_permutations(instance: Instance) -> None:
    for rows in (1, 2, 7, 8, 9, 17):
        states = table(instance.modulus, rows, instance.width, rows)
        expected = [permutation.permute(instance, state) for state in states]
        assert halimede.poseidon.permute(states, instance.name) == expected
        assert halimede.poseidon.permute(to_bytes(states), instance.name) == to_bytes(expected)
        permuted = halimede.poseidon.permute(to_limbs(states), instance.name)
        assert to_integers(permuted) == expected
        assert to_integers(
            halimede.poseidon.permute(to_limbs(states[-1]), instance.name)
        ) == expected[-1]
        assert halimede.poseidon.permute(states[0], instance.name) == expected[0]


@pytest.mark.parametrize("arity", [2, 4, 8, 11])
@pytest.mark.parametrize("strength, strengthened", STRENGTHS)
@pytest.mark.parametrize(
    "hash_type, model",
    [
        ("merkle-tree", hashes.merkle_hash),
        ("encryption", hashes.encryption_hash),
        (("custom", 1), lambda *arguments: hashes.custom_hash(*arguments[:2], 1, arguments[2])),
        (("custom", 256), lambda *arguments: hashes.custom_hash(*arguments[:2], 256, arguments[2])),
    ],
)
def test_filecoin_hashes(
    arity: int, strength: Any, strengthened: bool, hash_type: Any, model: Callable[..., int]
) -> None:
    preimages = table(FR, 9, arity, arity)
    expected = [model(arity, preimage, strengthened) for preimage in preimages]
    how: dict[str, Any] = {"strength": strength, "hash_type": hash_type}
    assert halimede.poseidon.hash(preimages, **how) == expected
    assert halimede.poseidon.hash(preimages[3], arity, **how) == expected[3]
    assert halimede.poseidon.hash(to_bytes(preimages), arity, **how) == to_bytes(expected)
    hashed = halimede.poseidon.hash(to_limbs(preimages), **how)
    assert hashed.shape == (9, 4) and to_integers(hashed) == expected
    hashed = halimede.poseidon.hash(to_limbs(preimages[8]), **how)
    assert hashed.shape == (4,) and to_integers(hashed) == expected[8]


@pytest.mark.parametrize("arity", [2, 4, 8, 11])
@pytest.mark.parametrize("strength, strengthened", STRENGTHS)
def test_constant_length(arity: int, strength: Any, strengthened: bool) -> None:
    for length in range(1, arity + 1):
        preimages = table(FR, 3, length, length)
        expected = [hashes.constant_length_hash(arity, row, strengthened) for row in preimages]
        how = (arity, strength, "constant-length")
        assert halimede.poseidon.hash(preimages, *how) == expected
        assert to_integers(halimede.poseidon.hash(to_limbs(preimages), *how)) == expected


def test_starknet_pairs() -> None:
    x, y = elements(FELT, 17, 1), elements(FELT, 17, 2)
    expected = [hashes.starknet_hash(*pair) for pair in zip(x, y)]
    assert halimede.starknet.hash(x, y) == expected
    assert halimede.starknet.hash(x[5], y[5]) == expected[5]
    assert halimede.starknet.hash(to_bytes(x), to_bytes(y)) == to_bytes(expected)
    assert to_integers(halimede.starknet.hash(to_limbs(x), to_limbs(y))) == expected
    assert to_integers(halimede.starknet.hash(to_limbs(x[0]), to_limbs(y[0]))) == expected[0]


def test_starknet_single() -> None:
    x = elements(FELT, 17, 3)
    expected = [hashes.starknet_hash_single(element) for element in x]
    assert halimede.starknet.hash_single(x) == expected
    assert halimede.starknet.hash_single(x[4]) == expected[4]
    assert halimede.starknet.hash_single(to_bytes(x)) == to_bytes(expected)
    assert to_integers(halimede.starknet.hash_single(to_limbs(x))) == expected
    assert to_integers(halimede.starknet.hash_single(to_limbs(x[1]))) == expected[1]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 8, 9])
def test_starknet_messages_of_one_length(length: int) -> None:
    messages = table(FELT, 5, length, length)
    expected = [hashes.starknet_hash_many(message) for message in messages]
    assert halimede.starknet.hash_many(messages) == expected
    assert halimede.starknet.hash_many(messages[2]) == expected[2]
    assert halimede.starknet.hash_many(to_bytes(messages[2])) == to_bytes(expected[2])
    limbs = np.array([to_limbs(message) for message in messages if message], np.uint64)
    limbs = limbs.reshape(5, length, 4)
    assert to_integers(halimede.starknet.hash_many(limbs)) == expected
    assert to_integers(halimede.starknet.hash_many(limbs[4])) == expected[4]


def test_starknet_messages_of_many_lengths() -> None:
    lengths = [3, 0, 1, 8, 0, 0, 2, 5]
    messages = [elements(FELT, length, 10 + length) for length in lengths]
    expected = [hashes.starknet_hash_many(message) for message in messages]
    assert halimede.starknet.hash_many(messages) == expected
    joined = to_limbs([element for message in messages for element in message])
    offsets = [sum(lengths[:place]) for place in range(len(lengths) + 1)]
    assert to_integers(halimede.starknet.hash_many(joined, offsets)) == expected
    for kind in (np.int64, np.uint64, np.int32):
        hashed = halimede.starknet.hash_many(joined, np.array(offsets, kind))
        assert to_integers(hashed) == expected


def test_streams_equal_hash_many_however_they_are_cut() -> None:
    values = elements(FELT, 12, 4)
    for length in range(len(values) + 1):
        expected = hashes.starknet_hash_many(values[:length])
        for cut in range(length + 1):
            first, second = values[:cut], values[cut:length]
            hasher = halimede.starknet.Hasher(first)
            branch = hasher.copy()
            hasher.update(second)
            assert hasher.digest() == expected
            assert branch.digest() == hashes.starknet_hash_many(first)
            branch.update(to_bytes(second))
            assert branch.digest() == expected
    hasher = halimede.starknet.Hasher()
    for value in values:
        hasher.update(to_limbs(value))
    whole = halimede.starknet.Hasher(to_limbs(values))
    assert hasher.digest() == whole.digest() == hashes.starknet_hash_many(values)


def test_a_long_stream_equals_hash_many() -> None:
    elements = np.random.default_rng(5).integers(1 << 58, size=(20_001, 4), dtype=np.uint64)
    expected = to_integers(halimede.starknet.hash_many(elements))
    assert halimede.starknet.Hasher(elements).digest() == expected


@pytest.mark.parametrize("rows", [90_001, 200_000])
def test_batches_of_several_pieces(rows: int) -> None:
    states = np.random.default_rng(rows).integers(1 << 58, size=(rows, 3, 4), dtype=np.uint64)
    permuted = halimede.poseidon.permute(states, "stark-3")
    digests = halimede.starknet.hash(states[:, 0].copy(), states[:, 1].copy())
    for row in (0, 1, rows // 3, 87_381, 87_382, rows - 1):
        state = to_integers(states[row])
        assert to_integers(permuted[row]) == halimede.poseidon.permute(state, "stark-3")
        assert to_integers(digests[row]) == halimede.starknet.hash(state[0], state[1])
    assert halimede.poseidon.permute(states.tobytes(), "stark-3") == permuted.tobytes()
