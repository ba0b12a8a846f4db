# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the vectors leave open: tags, padding, trees, the command line, and bad input."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from engines.poseidon.model import hashes, tree
from engines.poseidon.model.parameters import FELT, FR, all_instances, filecoin, stark
from engines.poseidon.model.permutation import InputError, permute

ROOT = Path(__file__).resolve().parents[4]


def leaf_bytes(count: int, seed: int = 1) -> bytes:
    generator = random.Random(seed)
    return b"".join(generator.getrandbits(254).to_bytes(32, "little") for _ in range(count))


def test_tags_are_those_of_the_specification() -> None:
    assert hashes.merkle_tree_tag(11) == 0x7FF
    assert hashes.constant_length_tag(5) == 5 << 64
    assert hashes.encryption_tag() == 1 << 32
    assert hashes.custom_tag(3) == 3 << 40


def test_every_tag_gives_its_own_digest() -> None:
    inputs = [5, 7]
    digests = {
        hashes.merkle_hash(2, inputs),
        hashes.constant_length_hash(2, inputs),
        hashes.encryption_hash(2, inputs),
        hashes.custom_hash(2, inputs, 1),
        hashes.custom_hash(2, inputs, 2),
        hashes.merkle_hash(2, inputs, strengthened=True),
    }
    assert len(digests) == 6


def test_hash_many_of_nothing_is_one_padded_block() -> None:
    assert hashes.starknet_hash_many([]) == permute(stark(3), [1, 0, 0])[0]


def test_there_are_twelve_instances_with_distinct_names() -> None:
    assert len({instance.name for instance in all_instances()}) == 12


def test_partial_tree_levels(tmp_path: Path) -> None:
    data = leaf_bytes(64)
    path = tmp_path / "leaves"
    path.write_bytes(data)
    leaves = tree.parse_leaves(data)
    parents = [hashes.merkle_hash(8, leaves[i:i + 8]) for i in range(0, 64, 8)]
    assert tree.file_root(8, path, processes=1) == hashes.merkle_hash(8, parents)


def test_subtrees_of_workers_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = leaf_bytes(64, seed=2)
    path = tmp_path / "leaves"
    path.write_bytes(data)
    monkeypatch.setattr(tree, "SUBTREE_LEAVES", 4)
    assert tree.file_root(2, path, 2) == tree.reduce_to_root(2, tree.parse_leaves(data))


def test_command_line(tmp_path: Path) -> None:
    path = tmp_path / "leaves"
    path.write_bytes(leaf_bytes(2))
    command = [sys.executable, "-m", "engines.poseidon.model", "tree", "--arity", "2", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    expected = hashes.merkle_hash(2, tree.parse_leaves(leaf_bytes(2)))
    assert done.stdout == f"0x{expected:064x}\n"
    path.write_bytes(leaf_bytes(3))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "3 leaves" in done.stderr


def test_bad_trees_are_named() -> None:
    with pytest.raises(InputError, match="33 bytes"):
        tree.tree_depth(2, 33)
    with pytest.raises(InputError, match="0 leaves"):
        tree.tree_depth(2, 0)
    data = bytearray(leaf_bytes(4))
    data[95] |= 0x40
    with pytest.raises(InputError, match="offset 64"):
        tree.parse_leaves(bytes(data))


def test_bad_states_are_refused() -> None:
    with pytest.raises(InputError, match="element 1"):
        permute(filecoin(3), [0, FR, 0])
    with pytest.raises(InputError, match="element 2"):
        permute(stark(3), [0, 0, FELT])
    with pytest.raises(InputError, match="2 elements"):
        permute(stark(3), [0, 0])
    with pytest.raises(InputError, match="1 elements"):
        hashes.merkle_hash(2, [1])
    with pytest.raises(InputError, match="3 elements"):
        hashes.constant_length_hash(2, [1, 2, 3])
