# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `circom`, each of many items at once.

- `hash`: Hashes of circomlib's Poseidon over BN254.

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
"""

from __future__ import annotations

from halimede._native import Device
from halimede._operations import Numbers, compute
from halimede._verdicts import Values

__all__ = [
    "hash",
]


def hash(
    elements: Numbers,
    *,
    device: Device | None = None,
) -> Values:
    """Hashes of circomlib's Poseidon over BN254, many at once.

    elements: integers, or 32 bytes each, most significant byte first. Elements of the scalar field
        of BN254; their number selects the width. An element of the field.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    A number has 32 bytes, least significant byte first.
    """
    return compute(
        "circom.hash",
        [],
        [],
        [elements],
        device,
    )
