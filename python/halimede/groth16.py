# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `groth16`, each of many items at once.

- `verify`: Verification of Groth16 proofs under a verifying key.

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
"""

from __future__ import annotations

from halimede._groth16 import ProvingKey
from halimede._native import Device, Object
from halimede._operations import Column, Numbers, check
from halimede._verdicts import Verdicts

__all__ = [
    "ProvingKey", "verify",
]


def verify(
    key: Object,
    proofs: Column,
    inputs: Numbers,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Verification of Groth16 proofs under a verifying key, many at once.

    proofs: The proof, compressed, in 192 bytes.
    inputs: integers, or 32 bytes each, most significant byte first. The public inputs. A public
        input.
    key: an object of the kind "groth16-key". The verifying key of a circuit, as `bellman` writes
        it. `inputs` is the number of a proof's public inputs.
    device: where the work runs; this processor by default.
    """
    return check(
        "groth16.verify",
        [],
        [("key", key)],
        [proofs, inputs],
        device,
    )
