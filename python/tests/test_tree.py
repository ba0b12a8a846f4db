# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Roots of trees over files, buffers and arrays."""

import errno
import mmap
import random
from pathlib import Path
from typing import Any

import halimede
import numpy as np
import pytest
from engines.poseidon.model import tree

tree_root: Any = halimede.poseidon.tree_root


def leaves(count: int, seed: int) -> bytes:
    """Leaves below 2**254."""
    generator = random.Random(seed)
    return b"".join(generator.getrandbits(254).to_bytes(32, "little") for _ in range(count))


@pytest.mark.parametrize("arity, depth", [(2, 1), (2, 5), (4, 3), (8, 2), (11, 1), (11, 2)])
def test_small_trees_have_the_golden_models_roots(arity: int, depth: int, tmp_path: Path) -> None:
    data = leaves(arity**depth, depth)
    path = tmp_path / "leaves"
    path.write_bytes(data)
    expected = tree.reduce_to_root(arity, tree.parse_leaves(data))
    assert tree_root(path, arity) == tree_root(str(path), arity) == expected
    assert tree_root(data, arity) == expected
    assert tree_root(np.frombuffer(data, np.uint64).reshape(-1, 4), arity) == expected
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert tree_root(mapped, arity=arity) == expected
    assert tree_root(data, arity, "strengthened") != expected
    assert tree_root(path, arity, "strengthened") == tree_root(data, arity, "strengthened")


@pytest.mark.parametrize("arity, depth", [(2, 17), (8, 6)])
def test_subtrees_join(arity: int, depth: int, tmp_path: Path) -> None:
    nodes = np.random.default_rng(depth).integers(1 << 62, size=(arity**depth, 4), dtype=np.uint64)
    path = tmp_path / "leaves"
    path.write_bytes(nodes.tobytes())
    root = tree_root(nodes, arity)
    assert root == tree_root(path, arity)
    while len(nodes) > 1:
        nodes = halimede.poseidon.hash(nodes.reshape(-1, arity, 4))
    assert root.to_bytes(32, "little") == nodes.tobytes()


def test_a_changed_leaf_changes_the_root() -> None:
    data = bytearray(leaves(64, 3))
    roots = {tree_root(data)}
    for place in (0, 1000, 64 * 32 - 2):
        data[place] ^= 1
        roots.add(tree_root(data))
    assert len(roots) == 4


@pytest.mark.parametrize("count", [0, 1, 7, 9, 63, 65])
def test_leaves_that_fill_no_tree(count: int, tmp_path: Path) -> None:
    path = tmp_path / "leaves"
    path.write_bytes(leaves(count, count))
    for source in (path, path.read_bytes()):
        with pytest.raises(ValueError, match=f"{count} leaves do not fill a tree of arity 8"):
            tree_root(source)


def test_other_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "leaves"
    path.write_bytes(leaves(8, 1)[:-1])
    with pytest.raises(ValueError, match="255 bytes"):
        tree_root(path)
    with pytest.raises(ValueError, match="255 bytes"):
        tree_root(path.read_bytes())
    data = bytearray(leaves(8, 1))
    data[5 * 32 + 31] |= 0x80
    path.write_bytes(data)
    with pytest.raises(ValueError, match="byte offset 160"):
        tree_root(path)
    with pytest.raises(ValueError, match="row 5"):
        tree_root(data)
    for arity in (0, 1, 3, 1 << 40):
        with pytest.raises(ValueError, match=f"arity {arity}"):
            tree_root(leaves(8, 1), arity)
    with pytest.raises(ValueError, match="arity: got -8"):
        tree_root(leaves(8, 1), -8)
    with pytest.raises(ValueError, match="strength"):
        tree_root(leaves(8, 1), strength="")


def test_the_row_is_that_of_the_whole_tree() -> None:
    nodes = np.zeros((2**18, 4), np.uint64)
    nodes[100_001, 3] = 2**64 - 1
    with pytest.raises(ValueError, match="row 100001"):
        tree_root(nodes, 2)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as caught:
        tree_root(missing)
    assert caught.value.errno == errno.ENOENT and caught.value.filename == str(missing)
    with pytest.raises(IsADirectoryError):
        tree_root(tmp_path)
    with pytest.raises(ValueError, match="NUL byte"):
        tree_root("a\0b")
