# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Poseidon: permutations, Filecoin's fixed-length hash, Merkle trees, parameters.

Instances are named "filecoin-ARITY" and "filecoin-ARITY-strengthened" (BLS12-381 scalar field) and
"stark-WIDTH" (Stark field). `halimede` describes the representations of elements.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Union, overload

from halimede import _elements, _native
from halimede._elements import Array, Buffer
from halimede._native import Device

Strength = Literal["standard", "strengthened"]
"""The number of partial rounds: the standard one, or a quarter more."""

HashType = Union[
    Literal["merkle-tree", "constant-length", "encryption"], tuple[Literal["custom"], int]
]
"""The use of a hash, which sets its domain tag; a custom use has an id from 1 to 256."""

__all__ = ["HashType", "Parameters", "Strength", "hash", "parameters", "permute", "tree_root"]


class Parameters(TypedDict):
    """The parameters of an instance, as `parameters` returns them."""

    instance: str
    field: str
    modulus: int
    width: int
    alpha: int
    full_rounds: int
    partial_rounds: int
    partial_sbox_index: int
    digest_index: int
    round_constants: list[int]
    mds: list[list[int]]


@overload
def permute(states: Array, instance: str = ..., device: Device | None = ...) -> Array: ...
@overload
def permute(  # type: ignore[overload-overlap]
    states: Buffer, instance: str = ..., device: Device | None = ...
) -> bytes: ...
@overload
def permute(
    states: Sequence[int], instance: str = ..., device: Device | None = ...
) -> list[int]: ...
@overload
def permute(
    states: Sequence[Sequence[int]], instance: str = ..., device: Device | None = ...
) -> list[list[int]]: ...
def permute(states: Any, instance: str = "filecoin-2", device: Device | None = None) -> Any:
    """Permutes states. Returns a new object of the same type and shape.

    states: uint64[n, t, 4] or [t, 4] with t the instance's width; or n * t * 32 bytes; or lists of
        t integers, or one such list.
    instance: which permutation, e.g. "filecoin-8" (t = 9) or "stark-3".
    device: where it runs; this processor by default.

    >>> halimede.poseidon.permute([3, 5, 7], "filecoin-2")[1] == halimede.poseidon.hash([5, 7])
    True
    """
    digits = _elements.digits("states", states)
    if digits is not None:
        return _native.permute(digits, instance, device)
    depth = _elements.depth("states", states, (1, 2))
    if not states:
        return []
    limbs = _elements.limbs("states", states, depth)
    return _elements.integers(_native.permute(limbs, instance, device))


@overload
def hash(
    preimages: Array, arity: int | None = ..., strength: Strength = ...,
    hash_type: HashType = ..., device: Device | None = ...,
) -> Array: ...
@overload
def hash(  # type: ignore[overload-overlap]
    preimages: Buffer, arity: int, strength: Strength = ...,
    hash_type: HashType = ..., device: Device | None = ...,
) -> bytes: ...
@overload
def hash(
    preimages: Sequence[int], arity: int | None = ..., strength: Strength = ...,
    hash_type: HashType = ..., device: Device | None = ...,
) -> int: ...
@overload
def hash(
    preimages: Sequence[Sequence[int]], arity: int | None = ..., strength: Strength = ...,
    hash_type: HashType = ..., device: Device | None = ...,
) -> list[int]: ...
def hash(
    preimages: Any, arity: int | None = None, strength: Strength = "standard",
    hash_type: HashType = "merkle-tree", device: Device | None = None,
) -> Any:
    """Hashes preimages by Filecoin's fixed-length hash, each to one element.

    preimages: uint64[n, k, 4] -> uint64[n, 4], or [k, 4] -> [4]; or n * arity * 32 bytes ->
        n * 32 bytes; or lists of k integers -> a list of integers, or one such list -> an integer.
    arity: the number of elements of a hash; k by default, and required for bytes.
    strength: "standard" or "strengthened".
    hash_type: "merkle-tree", "encryption" and ("custom", id), with an id from 1 to 256, need
        k = arity elements; "constant-length" takes 1 to arity elements.
    device: where it runs; this processor by default.

    >>> halimede.poseidon.hash([[1, 2], [3, 4]])[1] == halimede.poseidon.hash([3, 4])
    True
    """
    kind, identifier = hash_type if isinstance(hash_type, tuple) else (hash_type, None)
    digits = _elements.digits("preimages", preimages)
    if digits is not None:
        return _native.filecoin_hash(digits, arity, strength, kind, identifier, device)
    depth = _elements.depth("preimages", preimages, (1, 2))
    if not preimages:
        return []
    limbs = _elements.limbs("preimages", preimages, depth)
    hashed = _native.filecoin_hash(limbs, arity, strength, kind, identifier, device)
    return _elements.integers(hashed)


def tree_root(
    source: str | os.PathLike[str] | Buffer | Array, arity: int = 8,
    strength: Strength = "standard", device: Device | None = None,
) -> int:
    """Returns the root of the full Merkle tree over 32-byte little-endian leaves, as an integer.

    source: the path of a file, which is streamed in constant memory; or a buffer of leaves, for
        example an `mmap`; or uint64[n, 4]. Leaves are below 2**254; their number is arity**depth.
    arity: children of a node.
    strength: "standard" or "strengthened".
    device: where it runs; this processor by default.

    Ctrl-C ends the computation between batches.
    """
    digits = _elements.digits("source", source)
    if digits is not None:
        root = _native.tree_root(digits, arity, strength, device)
    elif isinstance(source, (str, os.PathLike)):
        root = _native.tree_root_of_file(os.fspath(source), arity, strength, device)
    else:
        wanted = "a path, a buffer or a numpy.uint64 array"
        raise TypeError(f"source: got {type(source).__name__}, wanted {wanted}")
    return int.from_bytes(root, "little")


def parameters(instance: str) -> Parameters:
    """Returns an instance's numbers of rounds, round constants and matrix.

    `round_constants` has `width` elements per round in the order of use; `mds[i][j]` is the weight
    of element j in the new element i.

    >>> halimede.poseidon.parameters("filecoin-8")["partial_rounds"]
    57
    """
    numbers = _native.parameters(instance)
    unpack = _elements.integers
    return Parameters(
        instance=numbers["instance"], field=numbers["field"], modulus=unpack(numbers["modulus"]),
        width=numbers["width"], alpha=numbers["alpha"], full_rounds=numbers["full_rounds"],
        partial_rounds=numbers["partial_rounds"],
        partial_sbox_index=numbers["partial_sbox_index"], digest_index=numbers["digest_index"],
        round_constants=unpack(numbers["round_constants"]), mds=unpack(numbers["mds"]),
    )
