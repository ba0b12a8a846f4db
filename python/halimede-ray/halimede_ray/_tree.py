# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Poseidon trees over files: workers compute subtrees, this process joins their roots."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

import numpy as np

from halimede import poseidon
from halimede.poseidon import Strength
from halimede_ray._journal import Journal
from halimede_ray._parts import Part, Reading, spread
from halimede_ray._ranges import RANGE_BYTES, Subtrees
from halimede_ray._source import Source
from halimede_ray._tasks import Progress, Runner

if TYPE_CHECKING:
    from halimede._native import Device

LEAF_BYTES = 32
_ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
"""The order of BLS12-381's groups, the modulus of labels."""

Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


@dataclass(frozen=True)
class SubtreeRoots:
    """The roots of consecutive subtrees, each as 64 hexadecimal digits of 32 little-endian bytes.
    The subtrees are over leaves, or, with several contents (one per layer), over hashes of
    columns."""

    arity: int
    strength: Strength
    subtree_leaves: int
    first: int

    def __call__(self, device: Device | None, *layers: bytes) -> list[str]:
        leaves = layers[0] if len(layers) == 1 else self._columns(device, layers)
        if len(layers) == 1:
            self._require_leaves(leaves)
        size = self.subtree_leaves * LEAF_BYTES
        if len(leaves) % size:
            raise ValueError(f"{len(leaves)} bytes are not subtrees of {self.subtree_leaves} leaves")
        view = memoryview(leaves)
        starts = range(0, len(leaves), size)
        return [_root(view[start:start + size], self.arity, self.strength, device) for start in starts]

    def _columns(self, device: Device | None, layers: Sequence[bytes]) -> bytes:
        """Returns the hashes of columns. A column has the labels at the same place in all
        layers."""
        tables = [np.frombuffer(layer, np.uint64).reshape(-1, 4) for layer in layers]
        columns = np.stack(tables, axis=1)
        try:
            return poseidon.hash(columns, strength=self.strength, device=device).tobytes()
        except ValueError as error:
            for number, table in enumerate(tables):
                row = _first_not_below(table, _ORDER)
                if row is not None:
                    raise ValueError(
                        f"layer {number}, label {self.first + row}: not below the field's modulus") from None
            raise error

    def _require_leaves(self, leaves: bytes) -> None:
        row = _first_not_below(np.frombuffer(leaves, np.uint64).reshape(-1, 4), 1 << 254)
        if row is not None:
            raise ValueError(f"leaf {self.first + row}: not below 2**254")


def tree_root(
    source: Paths, arity: int = 8, strength: Strength = "standard", *, pool: Runner,
    journal: str | os.PathLike[str] | None = None, by_reference: bool = False,
    range_bytes: int = RANGE_BYTES, progress: Progress = False,
) -> int:
    """Computes `halimede.poseidon.tree_root` of a file of leaves by a pool.

    source: a file of 32-byte little-endian leaves; or a list of 2 to 36 files, the layers of
        labels. Then a leaf is the hash of a column, which has one label from each layer (`halimede
        poseidon tree --columns`).
    arity: the arity of the tree. The number of leaves is a power of the arity, above 1.
    journal: a folder for the roots of subtrees, from which an interrupted run resumes.
    by_reference: this process reads the files, for workers without the files.
    range_bytes: the smallest size of a range of whole subtrees in bytes.

    Raises ValueError for files that do not fill a tree, InputError (a ValueError) for a leaf that
    is not below 2**254 or a label that is not below the modulus, WorkError for a file that changes.
    """
    is_one = isinstance(source, (str, os.PathLike))
    paths: list[str | os.PathLike[str]] = [source] if is_one else list(source)  # type: ignore[list-item, arg-type]
    if not is_one and not 2 <= len(paths) <= 36:
        raise ValueError(f"a column has 2 to 36 labels, got {len(paths)} layers")
    sources = [Source.find(path) for path in paths]
    for found in sources:
        if found.bytes % LEAF_BYTES:
            raise ValueError(f"{found.path}: {found.bytes} bytes are not leaves of {LEAF_BYTES} bytes")
        if found.bytes != sources[0].bytes:
            raise ValueError(
                f"{found.path}: it has {found.bytes} bytes, and {sources[0].path} has {sources[0].bytes}")
    tree = Subtrees.cut(arity, sources[0].bytes // LEAF_BYTES, LEAF_BYTES * len(sources), range_bytes)
    # Raises for an arity without a hash before any work is sent.
    poseidon.hash([0] * arity, arity, strength)
    parts = (
        Part(
            SubtreeRoots(arity, strength, tree.subtree_leaves, part.start),
            f"{sources[0].path}, leaves {part.start} to {part.stop}",
            tuple(Reading(found, part.start * LEAF_BYTES, part.stop * LEAF_BYTES) for found in sources))
        for part in tree.ranges
    )
    known = None if journal is None else Journal(journal)
    roots: list[str] = []
    for some in spread(
        pool, parts, len(tree.ranges), journal=known, by_reference=by_reference, progress=progress
    ):
        roots += some
    return joined(roots, arity, strength)


def joined(roots: Sequence[str], arity: int, strength: Strength) -> int:
    """Returns the root of the tree over subtrees with these roots; their number is a power of the
    arity."""
    root = _root(b"".join(bytes.fromhex(root) for root in roots), arity, strength, None)
    return int.from_bytes(bytes.fromhex(root), "little")


def _root(
    leaves: bytes | memoryview, arity: int, strength: Strength, device: Device | None
) -> str:
    """Returns the root of a tree, which may have only one leaf."""
    if len(leaves) == LEAF_BYTES:
        return bytes(leaves).hex()
    root = poseidon.tree_root(leaves, arity, strength, device)
    return root.to_bytes(LEAF_BYTES, "little").hex()


def _first_not_below(table: np.typing.NDArray[np.uint64], bound: int) -> int | None:
    """Returns the first row of limbs that is not below a bound; None if all are."""
    limbs = [np.uint64(bound >> shift & (1 << 64) - 1) for shift in (0, 64, 128, 192)]
    below = table[:, 0] < limbs[0]
    for place in (1, 2, 3):
        column = table[:, place]
        below = (column < limbs[place]) | ((column == limbs[place]) & below)
    rows = np.flatnonzero(~below)
    return int(rows[0]) if len(rows) else None
