# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `kzg`, each of many items at once.

- `verify_proof`: Checks of KZG openings at a point.
- `verify_blob`: Checks of KZG proofs of blobs.

A column has a row for each item: a list of buffers, or an array of two axes, whose rows they are.
All that is given is taken to be public: times depend on it. A bad item has a verdict with the
reason, and does the others no harm. Ctrl-C ends long work between pieces. A ValueError is raised
where columns are not as many of each, and where a setting is refused.
"""

from __future__ import annotations

from halimede._native import Device, Object
from halimede._operations import Column, check
from halimede._verdicts import Verdicts

__all__ = [
    "verify_blob", "verify_proof",
]


def verify_proof(
    setup: Object,
    commitments: Column,
    zs: Column,
    ys: Column,
    proofs: Column,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Checks of KZG openings at a point, many at once.

    commitments: 48 bytes each. The commitment.
    zs: 32 bytes each. The point.
    ys: 32 bytes each. The value.
    proofs: 48 bytes each. The proof.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        needs one point of it, τ in G2, which is checked against τ in G1; the other points are
        checked to be digits.
    device: the place of the work; this processor by default.
    """
    return check(
        "kzg.verify_proof",
        [],
        [("setup", setup)],
        [commitments, zs, ys, proofs],
        device,
    )


def verify_blob(
    setup: Object,
    blobs: Column,
    commitments: Column,
    proofs: Column,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Checks of KZG proofs of blobs, many at once.

    blobs: 131072 bytes each. The blob.
    commitments: 48 bytes each. The commitment.
    proofs: 48 bytes each. The proof.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        needs one point of it, τ in G2, which is checked against τ in G1; the other points are
        checked to be digits.
    device: the place of the work; this processor by default.
    """
    return check(
        "kzg.verify_blob",
        [],
        [("setup", setup)],
        [blobs, commitments, proofs],
        device,
    )
