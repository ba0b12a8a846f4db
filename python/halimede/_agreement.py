# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The agreement of a network's encrypted values with its values in plaintext."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Agreement:
    """A comparison of encrypted values with values in plaintext; true if they agree.
    `Model.compare` returns one."""

    plaintext: NDArray[np.float64]
    """The network's values in plaintext, with exact activations, in the shape of its output."""
    largest_difference: float
    """The largest absolute difference of a score from that in plaintext. Scores are the values before
    a softmax or sigmoid at the end."""
    tolerance: float | None
    """The largest difference that is accepted; None if only the labels must be equal."""
    label: int | str | None
    """The label of the encrypted values; None for a single value."""
    plaintext_label: int | str | None
    """The label in plaintext."""
    disagreement: str | None
    """The reason why the values do not agree; None if they agree."""

    def __bool__(self) -> bool:
        return self.disagreement is None
