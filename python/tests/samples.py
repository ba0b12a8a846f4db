# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random elements in every representation, and edge values."""

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray


def elements(modulus: int, count: int, seed: int) -> list[int]:
    """Random elements, including the edges of the field."""
    generator = random.Random(seed)
    edges = [0, 1, modulus - 1, modulus - 2, 1 << 64, (1 << 192) - 1]
    return [
        generator.choice(edges) if generator.random() < 0.2 else generator.randrange(modulus)
        for _ in range(count)
    ]


def table(modulus: int, rows: int, width: int, seed: int) -> list[list[int]]:
    """Rows of random elements."""
    values = elements(modulus, rows * width, seed)
    return [values[row * width:(row + 1) * width] for row in range(rows)]


def to_bytes(values: Any) -> bytes:
    """Integers, nested or not, as bytes."""
    if isinstance(values, int):
        return values.to_bytes(32, "little")
    return b"".join(to_bytes(value) for value in values)


def to_limbs(values: Any) -> NDArray[np.uint64]:
    """Integers, nested or not, as limbs."""
    if isinstance(values, int):
        return np.array([values >> shift & (1 << 64) - 1 for shift in range(0, 256, 64)], np.uint64)
    return np.stack([to_limbs(value) for value in values])


def to_integers(array: NDArray[np.uint64]) -> Any:
    """Limbs as integers, with the same nesting."""
    if array.ndim == 1:
        return sum(int(limb) << 64 * place for place, limb in enumerate(array))
    return [to_integers(part) for part in array]
