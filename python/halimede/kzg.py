# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `kzg`, each of many items at once.

- `verify_proof`: Verification of KZG openings at a point.
- `verify_blob`: Verification of KZG proofs of blobs.

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
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
    """Verification of KZG openings at a point, many at once.

    commitments: 48 bytes each. The commitment.
    zs: 32 bytes each. The point.
    ys: 32 bytes each. The value.
    proofs: 48 bytes each. The proof.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        needs one point of it, τ in G2, which is checked against τ in G1; the other points are
        checked to be digits.
    device: where the work runs; this processor by default.
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
    """Verification of KZG proofs of blobs, many at once.

    blobs: 131072 bytes each. The blob.
    commitments: 48 bytes each. The commitment.
    proofs: 48 bytes each. The proof.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        needs one point of it, τ in G2, which is checked against τ in G1; the other points are
        checked to be digits.
    device: where the work runs; this processor by default.
    """
    return check(
        "kzg.verify_blob",
        [],
        [("setup", setup)],
        [blobs, commitments, proofs],
        device,
    )
