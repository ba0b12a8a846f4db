# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Accepted inputs: read-only arrays, all kinds of buffers, empty batches. No input is changed."""

import mmap
from pathlib import Path
from typing import Any

import halimede
import numpy as np
import pytest
from engines.poseidon.model.parameters import FELT, FR

from samples import elements, table, to_bytes, to_integers, to_limbs


def test_arrays_are_not_changed_and_may_be_read_only() -> None:
    states = to_limbs(table(FR, 5, 3, 1))
    before = states.copy()
    expected = halimede.poseidon.permute(states)
    assert np.array_equal(states, before) and not np.shares_memory(states, expected)
    states.flags.writeable = False
    assert np.array_equal(halimede.poseidon.permute(states), expected)
    pairs = states[:, :2].copy()
    pairs.flags.writeable = False
    assert np.array_equal(halimede.poseidon.hash(pairs), halimede.poseidon.hash(before[:, :2].copy()))


def test_answers_can_be_written_and_are_of_uint64() -> None:
    digests = halimede.poseidon.hash(to_limbs(table(FR, 5, 2, 2)))
    assert digests.flags.writeable and digests.flags.c_contiguous and digests.dtype == np.uint64


def test_numpy_integers_are_integers() -> None:
    assert halimede.starknet.hash(np.uint64(1), np.int8(2)) == halimede.starknet.hash(1, 2)
    assert halimede.poseidon.hash((1, 2)) == halimede.poseidon.hash([1, 2])
    assert type(halimede.starknet.hash_single(np.uint64(7))) is int


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_buffers(make: Any) -> None:
    states = to_bytes(table(FR, 5, 3, 3))
    permuted = halimede.poseidon.permute(make(states))
    assert type(permuted) is bytes and permuted == halimede.poseidon.permute(states)


def test_slices_of_buffers_need_no_alignment() -> None:
    states = to_bytes(table(FR, 5, 3, 4))
    view = memoryview(b"x" + states + b"yz")[1:-2]
    assert halimede.poseidon.permute(view) == halimede.poseidon.permute(states)


def test_buffers_of_other_items_are_their_bytes() -> None:
    states = to_limbs(table(FR, 5, 3, 5))
    assert halimede.poseidon.permute(states.data) == halimede.poseidon.permute(states).tobytes()


def test_mapped_files(tmp_path: Path) -> None:
    path = tmp_path / "states"
    path.write_bytes(to_bytes(table(FELT, 9, 4, 6)))
    expected = halimede.poseidon.permute(path.read_bytes(), "stark-4")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert halimede.poseidon.permute(mapped, "stark-4") == expected
    states = np.memmap(path, np.uint64, "r", shape=(9, 4, 4))
    assert halimede.poseidon.permute(states, "stark-4").tobytes() == expected


def test_empty_batches_have_empty_answers() -> None:
    nothing = np.empty((0, 2, 4), np.uint64)
    assert halimede.poseidon.permute(np.empty((0, 3, 4), np.uint64)).shape == (0, 3, 4)
    assert halimede.poseidon.permute(b"") == b"" and halimede.poseidon.permute([]) == []
    assert halimede.poseidon.hash(nothing).shape == (0, 4)
    assert halimede.poseidon.hash(b"", 8) == b"" and halimede.poseidon.hash([]) == []
    assert halimede.starknet.hash(nothing[:, 0], nothing[:, 1]).shape == (0, 4)
    assert halimede.starknet.hash(b"", b"") == b"" and halimede.starknet.hash([], []) == []
    assert halimede.starknet.hash_single(nothing[:, 0]).shape == (0, 4)
    assert halimede.starknet.hash_single(b"") == b"" and halimede.starknet.hash_single([]) == []
    assert halimede.starknet.hash_many(nothing).shape == (0, 4)
    assert halimede.starknet.hash_many(nothing[:, 0], [0]).shape == (0, 4)


def test_a_message_of_nothing_has_a_digest() -> None:
    digest = halimede.starknet.hash_many([])
    assert digest == halimede.starknet.hash_many([[], [1]])[0]
    assert digest == to_integers(halimede.starknet.hash_many(np.empty((0, 4), np.uint64)))
    assert digest.to_bytes(32, "little") == halimede.starknet.hash_many(b"")
    assert digest == halimede.starknet.Hasher().digest()
    assert halimede.starknet.hash_many(np.empty((3, 0, 4), np.uint64)).shape == (3, 4)


def test_swapped_rows_show() -> None:
    x, y = elements(FELT, 8, 7), elements(FELT, 8, 8)
    assert halimede.starknet.hash(x, y) != halimede.starknet.hash(y, x)
    assert halimede.starknet.hash(x[::-1], y[::-1]) == halimede.starknet.hash(x, y)[::-1]
