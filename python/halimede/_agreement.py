# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whether the values of an encrypted network agree with those in plaintext."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Agreement:
    """Encrypted values beside those in plaintext; true where they agree. `Model.compare` makes it."""

    plaintext: NDArray[np.float64]
    """The network's values in plaintext, with exact activations, in the shape of its output."""
    largest_difference: float
    """The largest absolute difference from them."""
    tolerance: float | None
    """The largest difference that agrees; None where any does that leaves the label."""
    label: int | None
    """The label of the encrypted values; None of a single one."""
    plaintext_label: int | None
    """The label in plaintext."""
    disagreement: str | None
    """Why they do not agree; None where they do."""

    def __bool__(self) -> bool:
        return self.disagreement is None
