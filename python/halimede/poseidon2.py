# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `poseidon2`, each of many items at once.

- `permute`: Poseidon2's permutation with published parameters.
- `compress`: Poseidon2's compression of two elements, for Merkle trees.
- `hash`: Hashes of Noir's and gnark's Poseidon2.

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
"""

from __future__ import annotations

from typing import Literal

from halimede._native import Device
from halimede._operations import Numbers, compute
from halimede._verdicts import Values

__all__ = [
    "compress", "hash", "permute",
]


def permute(
    state: Numbers,
    *,
    instance: Literal[
        "bls12-381-2", "bls12-381-3", "bls12-381-4", "bls12-381-8", "bn254-2", "bn254-3", "bn254-4",
        "bn254-8", "bn254-12", "bn254-16", "pallas-3", "pallas-4", "pallas-8", "vesta-3",
        "gnark-bn254-2", "gnark-bn254-3", "gnark-bls12-381-2",
    ],
    device: Device | None = None,
) -> Values:
    """Poseidon2's permutation with published parameters, many at once.

    state: integers, or 32 bytes each, most significant byte first. The state; its length is the
        width of the instance. An element of the instance's field.
    instance: The field and the width; `gnark-` before them for gnark-crypto's constants.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    A number has 32 bytes, least significant byte first.
    """
    return compute(
        "poseidon2.permute",
        [("instance", instance)],
        [],
        [state],
        device,
    )


def compress(
    elements: Numbers,
    *,
    instance: Literal[
        "bn254-3", "bls12-381-3", "pallas-3", "vesta-3", "gnark-bn254-2", "gnark-bls12-381-2",
    ] = "bn254-3",
    device: Device | None = None,
) -> Values:
    """Poseidon2's compression of two elements, for Merkle trees, many at once.

    elements: integers, or 32 bytes each, most significant byte first. The left and the right
        element. An element of the instance's field.
    instance: With width 3, element 0 of the permuted (left, right, 0), as Horizen Labs defines it;
        with gnark-crypto's constants, element 1 of the permuted (left, right) plus right.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    A number has 32 bytes, least significant byte first.
    """
    return compute(
        "poseidon2.compress",
        [("instance", instance)],
        [],
        [elements],
        device,
    )


def hash(
    elements: Numbers,
    *,
    instance: Literal["bn254-4", "gnark-bn254-2", "gnark-bls12-381-2"] = "bn254-4",
    device: Device | None = None,
) -> Values:
    """Hashes of Noir's and gnark's Poseidon2, many at once.

    elements: integers, or 32 bytes each, most significant byte first. The elements. An element of
        the instance's field.
    instance: `bn254-4` for the `Poseidon2::hash` of Noir and Barretenberg; `gnark-` for
        gnark-crypto's Merkle-Damgard hasher, which does not encode the length.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    A number has 32 bytes, least significant byte first.
    """
    return compute(
        "poseidon2.hash",
        [("instance", instance)],
        [],
        [elements],
        device,
    )
