# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Merkle roots of data cut into 32-byte little-endian leaves, Filecoin's hash of arity n.

The data must be a full tree: arity^depth leaves, depth >= 1. Filecoin's leaves have their two top
bits clear, so each is below r. Base trees may be joined by levels of other arities on top
(Filecoin's 8-8-2), and leaves may be the hashes of columns, cut from layers of labels.
"""

from functools import partial
from math import prod
from multiprocessing import Pool
from pathlib import Path
from typing import BinaryIO, Iterator, Sequence

from engines.poseidon.model.hashes import merkle_hash
from engines.poseidon.model.permutation import InputError

LEAF_BYTES = 32
COLUMN_LABELS = (2, 4, 8, 11)
SUBTREE_LEAVES = 4096


def tree_depth(arity: int, data_bytes: int) -> int:
    """The depth of the full tree over this number of bytes."""
    leaves, rest = divmod(data_bytes, LEAF_BYTES)
    if rest:
        raise InputError(f"{data_bytes} bytes are not a whole number of {LEAF_BYTES}-byte leaves")
    depth = 1
    while arity**depth < leaves:
        depth += 1
    if arity**depth != leaves:
        raise InputError(f"{leaves} leaves are not a full tree of arity {arity}")
    return depth


def parse_leaves(data: bytes, base_offset: int = 0) -> list[int]:
    """The leaves as integers; `base_offset` is where `data` starts in the file, for messages."""
    leaves = []
    for offset in range(0, len(data), LEAF_BYTES):
        if data[offset + LEAF_BYTES - 1] >> 6:
            raise InputError(f"leaf at offset {base_offset + offset} has one of its top bits set")
        leaves.append(int.from_bytes(data[offset:offset + LEAF_BYTES], "little"))
    return leaves


def reduce_to_root(arity: int, nodes: list[int]) -> int:
    """Hashes level by level until one node is left."""
    while len(nodes) > 1:
        nodes = [merkle_hash(arity, nodes[i:i + arity]) for i in range(0, len(nodes), arity)]
    return nodes[0]


def _subtree_root(arity: int, piece: tuple[int, bytes]) -> int:
    offset, data = piece
    return reduce_to_root(arity, parse_leaves(data, offset))


def _pieces(stream: BinaryIO, piece_bytes: int) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while data := stream.read(piece_bytes):
        yield offset, data
        offset += len(data)


def join_to_root(arities: Sequence[int], nodes: list[int]) -> int:
    """Hashes one level for each arity, lowest first."""
    for arity in arities:
        nodes = [merkle_hash(arity, nodes[i:i + arity]) for i in range(0, len(nodes), arity)]
    if len(nodes) != 1:
        raise InputError(f"{len(nodes)} nodes are left above arities {list(arities)}")
    return nodes[0]


def base_tree_depth(arity: int, data_bytes: int, top: Sequence[int]) -> int:
    """The depth of the base trees that levels of the arities `top` join."""
    base_trees = prod(top)
    base_bytes, rest = divmod(data_bytes, base_trees)
    if rest:
        raise InputError(f"{data_bytes} bytes cannot be cut into {base_trees} base trees")
    return tree_depth(arity, base_bytes)


def file_root(arity: int, path: Path, processes: int | None = None, top: Sequence[int] = ()
              ) -> int:
    """The root of a file; subtrees are hashed by `processes` workers (default: one per core)."""
    depth = base_tree_depth(arity, path.stat().st_size, top)
    subtree_depth = 1
    while subtree_depth < depth and arity ** (subtree_depth + 1) <= SUBTREE_LEAVES:
        subtree_depth += 1
    with path.open("rb") as stream, Pool(processes) as pool:
        pieces = _pieces(stream, arity**subtree_depth * LEAF_BYTES)
        nodes = list(pool.imap(partial(_subtree_root, arity), pieces))
    return join_to_root([arity] * (depth - subtree_depth) + list(top), nodes)


def column_leaves(layers: Sequence[bytes]) -> list[int]:
    """The hashes of the columns: label i of every layer, in the layers' order."""
    if len(layers) not in COLUMN_LABELS:
        raise InputError(f"{len(layers)} layers, but a column has {COLUMN_LABELS} labels")
    lengths = {len(layer) for layer in layers}
    if len(lengths) != 1:
        raise InputError(f"layers of different lengths: {sorted(lengths)} bytes")
    labels = [parse_leaves(layer) for layer in layers]
    return [merkle_hash(len(layers), column) for column in zip(*labels)]


def columns_root(arity: int, paths: Sequence[Path], top: Sequence[int] = ()) -> int:
    """The root of the tree whose leaves are the columns' hashes."""
    layers = [path.read_bytes() for path in paths]
    depth = base_tree_depth(arity, len(layers[0]), top)
    return join_to_root([arity] * depth + list(top), column_leaves(layers))
