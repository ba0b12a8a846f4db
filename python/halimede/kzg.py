# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `kzg`, each of many items at once.

- `verify_proof`: Verification of KZG openings at a point.
- `verify_blob`: Verification of KZG proofs of blobs.
- `commit`: KZG commitments to blobs.
- `prove`: KZG proofs of the values of blobs at a point, 48 bytes, each followed by the value.
- `prove_blob`: KZG proofs of blobs.
- `compute_cells`: The 128 cells of blobs, 2048 bytes each.
- `compute_cells_and_proofs`: The 128 cells of blobs, 2048 bytes each, followed by their 128 proofs,
  48 bytes each.
- `recover_cells_and_proofs`: The 128 cells of blobs, followed by their 128 proofs, from half of the
  cells.
- `verify_cell`: Verification of KZG proofs of cells.

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
"""

from __future__ import annotations

from halimede._native import Device, Object
from halimede._operations import Column, Lists, check, compute
from halimede._verdicts import Values, Verdicts

__all__ = [
    "commit", "compute_cells", "compute_cells_and_proofs", "prove", "prove_blob",
    "recover_cells_and_proofs", "verify_blob", "verify_cell", "verify_proof",
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
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
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
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.
    """
    return check(
        "kzg.verify_blob",
        [],
        [("setup", setup)],
        [blobs, commitments, proofs],
        device,
    )


def commit(
    setup: Object,
    blobs: Column,
    *,
    device: Device | None = None,
) -> Values:
    """KZG commitments to blobs, many at once.

    blobs: 131072 bytes each. The blob.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "kzg.commit",
        [],
        [("setup", setup)],
        [blobs],
        device,
    )


def prove(
    setup: Object,
    blobs: Column,
    zs: Column,
    *,
    device: Device | None = None,
) -> Values:
    """KZG proofs of the values of blobs at a point, 48 bytes, each followed by the value, many at
    once.

    blobs: 131072 bytes each. The blob.
    zs: 32 bytes each. The point.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "kzg.prove",
        [],
        [("setup", setup)],
        [blobs, zs],
        device,
    )


def prove_blob(
    setup: Object,
    blobs: Column,
    commitments: Column,
    *,
    device: Device | None = None,
) -> Values:
    """KZG proofs of blobs, many at once.

    blobs: 131072 bytes each. The blob.
    commitments: 48 bytes each. The commitment.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "kzg.prove_blob",
        [],
        [("setup", setup)],
        [blobs, commitments],
        device,
    )


def compute_cells(
    setup: Object,
    blobs: Column,
    *,
    device: Device | None = None,
) -> Values:
    """The 128 cells of blobs, 2048 bytes each, many at once.

    blobs: 131072 bytes each. The blob.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "kzg.compute_cells",
        [],
        [("setup", setup)],
        [blobs],
        device,
    )


def compute_cells_and_proofs(
    setup: Object,
    blobs: Column,
    *,
    device: Device | None = None,
) -> Values:
    """The 128 cells of blobs, 2048 bytes each, followed by their 128 proofs, 48 bytes each, many at
    once.

    blobs: 131072 bytes each. The blob.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "kzg.compute_cells_and_proofs",
        [],
        [("setup", setup)],
        [blobs],
        device,
    )


def recover_cells_and_proofs(
    setup: Object,
    indices: Lists,
    cells: Lists,
    *,
    device: Device | None = None,
) -> Values:
    """The 128 cells of blobs, followed by their 128 proofs, from half of the cells, many at once.

    indices: a column for each item. Cells with their indices, in ascending order of these. The
        index of the cell, one byte from 0 to 127.
    cells: a column for each item. Cells with their indices, in ascending order of these. The cell.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "kzg.recover_cells_and_proofs",
        [],
        [("setup", setup)],
        [indices, cells],
        device,
    )


def verify_cell(
    setup: Object,
    commitments: Column,
    indices: Column,
    cells: Column,
    proofs: Column,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Verification of KZG proofs of cells, many at once.

    commitments: 48 bytes each. The commitment.
    indices: 1 bytes each. The index of the cell, one byte from 0 to 127.
    cells: 2048 bytes each. The cell.
    proofs: 48 bytes each. The proof.
    setup: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text. Verification
        of openings needs one point of it, τ in G2, which is checked against τ in G1; the other
        points are checked when commitments or cells first need them.
    device: where the work runs; this processor by default.
    """
    return check(
        "kzg.verify_cell",
        [],
        [("setup", setup)],
        [commitments, indices, cells, proofs],
        device,
    )
