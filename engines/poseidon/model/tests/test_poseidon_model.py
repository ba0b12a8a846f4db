# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests beyond the vectors: tags, padding, trees, the command line, and bad input."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from engines.poseidon.model import hashes, tree
from engines.poseidon.model.parameters import FELT, FR, all_instances, filecoin, stark
from engines.poseidon.model.permutation import InputError, permute

ROOT = Path(__file__).resolve().parents[4]
COLUMN_ROOT = "0x4bbf6aa9e918b3cbd0f99dd5781837af10327363a580ecc46aab4639757529e4"
COMPOUND_ROOT = "0x5f16e57eb5c58425e17206489cd8c4e0c677f86d6a351dc46fef3aee159fb23a"


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


def power_leaves(count: int, seed: int) -> bytes:
    """The leaves of the command line's tests: 41st powers with their top bits cleared."""
    numbers = (pow(index + 1 + seed * 100_000, 41, FR) % 2**254 for index in range(count))
    return b"".join(number.to_bytes(32, "little") for number in numbers)


def write_layers(folder: Path, layers: list[bytes]) -> list[Path]:
    paths = [folder / f"layer-{index}" for index in range(len(layers))]
    for path, layer in zip(paths, layers):
        path.write_bytes(layer)
    return paths


def test_column_tree_levels(tmp_path: Path) -> None:
    layers = [leaf_bytes(16, seed) for seed in range(11)]
    labels = [tree.parse_leaves(layer) for layer in layers]
    leaves = [hashes.merkle_hash(11, [layer[i] for layer in labels]) for i in range(16)]
    bases = [hashes.merkle_hash(8, leaves[:8]), hashes.merkle_hash(8, leaves[8:])]
    paths = write_layers(tmp_path, layers)
    assert tree.columns_root(8, paths, [2]) == hashes.merkle_hash(2, bases)


def test_roots_that_the_command_line_gives_too(tmp_path: Path) -> None:
    """The same inputs and roots are in cli/tests/commands/trees.rs."""
    paths = write_layers(tmp_path, [power_leaves(64, 10 + layer) for layer in range(11)])
    assert f"0x{tree.columns_root(8, paths):064x}" == COLUMN_ROOT
    path = tmp_path / "leaves"
    path.write_bytes(power_leaves(1024, 4))
    assert f"0x{tree.file_root(8, path, 2, [8, 2]):064x}" == COMPOUND_ROOT


def test_command_line_of_columns(tmp_path: Path) -> None:
    paths = write_layers(tmp_path, [leaf_bytes(4, seed) for seed in range(3)])
    command = [sys.executable, "-m", "engines.poseidon.model", "tree", "--arity", "2",
               "--top-arity", "2", "--columns"]

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *map(str, words)], cwd=ROOT, capture_output=True,
                              text=True, timeout=60)

    assert run(*paths[:2]).stdout == f"0x{tree.columns_root(2, paths[:2], [2]):064x}\n"
    done = run(*paths)
    assert done.returncode == 2 and "3 layers" in done.stderr
    paths[1].write_bytes(leaf_bytes(3))
    done = run(*paths[:2])
    assert done.returncode == 2 and "different lengths" in done.stderr
    done = run(*paths[:2], paths[0], "--top-arity", "3")
    assert done.returncode == 2 and "supported arities are" in done.stderr


def test_bad_trees_are_named() -> None:
    with pytest.raises(InputError, match="33 bytes"):
        tree.tree_depth(2, 33)
    with pytest.raises(InputError, match="0 leaves"):
        tree.tree_depth(2, 0)
    with pytest.raises(InputError, match="3 base trees"):
        tree.base_tree_depth(2, 128, [3])
    with pytest.raises(InputError, match="2 nodes are left"):
        tree.join_to_root([2], [1, 2, 3, 4])
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
