# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `groth16`, each of many items at once.

- `verify`: Checks of Groth16 proofs under a verifying key.

A column has a row for each item: a list of buffers, or an array of two axes, whose rows they are.
All that is given is taken to be public: times depend on it. A bad item has a verdict with the
reason, and does the others no harm. Ctrl-C ends long work between pieces. A ValueError is raised
where columns are not as many of each, and where a setting is refused.
"""

from __future__ import annotations

from halimede._native import Device, Object
from halimede._operations import Column, Numbers, check
from halimede._verdicts import Verdicts

__all__ = [
    "verify",
]


def verify(
    key: Object,
    proofs: Column,
    inputs: Numbers,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Checks of Groth16 proofs under a verifying key, many at once.

    proofs: The proof, compressed, in 192 bytes.
    inputs: integers, or 32 bytes each, most significant first. The public inputs. A public input.
    key: an object of the kind "groth16-key". The verifying key of a circuit, as `bellman` writes
        it. `inputs` is the number of a proof's public inputs.
    device: the place of the work; this processor by default.
    """
    return check(
        "groth16.verify",
        [],
        [("key", key)],
        [proofs, inputs],
        device,
    )
