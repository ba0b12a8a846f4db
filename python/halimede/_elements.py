# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The representations of elements, and conversions between Python integers and limbs."""

from __future__ import annotations

from collections.abc import Sequence
from mmap import mmap
from operator import index
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

ELEMENT_BYTES = 32
LIMBS = 4

Array = NDArray[np.uint64]
Buffer = Union[bytes, bytearray, memoryview, mmap]


def digits(name: str, value: Any) -> NDArray[Any] | None:
    """Returns an array unchanged and a buffer as an array of its bytes, without a copy; None for
    other types."""
    if isinstance(value, np.ndarray):
        if value.dtype != np.uint64:
            raise TypeError(f"{name}: got an array of {value.dtype}, wanted one of uint64")
        return value
    if not isinstance(value, (bytes, bytearray, memoryview, mmap)):
        return None
    view = memoryview(value)
    if not view.c_contiguous:
        raise ValueError(f"{name}: got a buffer that is not contiguous, wanted one that is")
    return np.frombuffer(view, np.uint8)


def depth(name: str, numbers: Any, depths: Sequence[int]) -> int:
    """Returns the nesting depth of integers in sequences, 0 for one integer; must be in
    `depths`."""
    found, inner = 0, numbers
    while _is_sequence(inner):
        found += 1
        if len(inner) == 0:
            break
        inner = inner[0]
    if found not in depths or (found == 0 and not _is_integer(numbers)):
        raise _wrong_type(name, numbers)
    return found


def rows(name: str, numbers: Sequence[Any], nesting: int) -> tuple[list[int], list[int]]:
    """Flattens integers nested in `nesting` sequences (0 to 2); also returns the length of each
    row."""
    if nesting == 0:
        return [numbers], [1]  # type: ignore[list-item]
    if nesting == 1:
        return list(numbers), [len(numbers)]
    lengths = []
    for number, row in enumerate(numbers):
        if not _is_sequence(row):
            raise _wrong_type(f"{name}[{number}]", row)
        lengths.append(len(row))
    return [value for row in numbers for value in row], lengths


def limbs(name: str, numbers: Any, nesting: int) -> Array:
    """Converts nested integers to limbs: uint64[..., 4] of `nesting` + 1 dimensions.

    Does not check that the integers are below the modulus; the consumer of the limbs does.
    """
    values, lengths = rows(name, numbers, nesting)
    if len(set(lengths)) > 1:
        got = ", ".join(map(str, sorted(set(lengths))))
        raise ValueError(f"{name}: got rows of {got} elements, wanted rows of one length")
    shape = [len(lengths), *lengths[:1]][2 - nesting:]
    return pack(name, values).reshape(*shape, LIMBS)


def pack(name: str, values: list[int]) -> Array:
    """Converts integers to limbs, uint64[n, 4]."""
    try:
        joined = b"".join([index(value).to_bytes(ELEMENT_BYTES, "little") for value in values])
    except (OverflowError, TypeError):
        for number, value in enumerate(values):
            where = f"{name}, element {number}"
            if not _is_integer(value):
                raise TypeError(
                    f"{where}: got {_described(value)}, wanted an integer"
                ) from None
            if not 0 <= index(value) < 1 << 8 * ELEMENT_BYTES:
                wanted = "an integer from 0 to the modulus less 1"
                raise ValueError(f"{where}: got {value}, wanted {wanted}") from None
        raise
    return np.frombuffer(joined, "<u8").astype(np.uint64, copy=False).reshape(-1, LIMBS)


def offsets(numbers: Any) -> Array:
    """Converts the offsets of n messages to uint64[n + 1]."""
    array = np.asarray(numbers)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        got = f"{array.dtype}{list(array.shape)}"
        raise TypeError(f"offsets: got {got}, wanted integers, one more than messages")
    if array.size and array.min() < 0:
        raise ValueError(f"offsets: got {array.min()}, wanted none below 0")
    return np.ascontiguousarray(array, np.uint64)


def integers(array: Array) -> Any:
    """Converts limbs to integers: uint64[4] to one, [n, 4] to a list, [n, t, 4] to a list of
    lists."""
    joined = array.astype("<u8", copy=False).tobytes()
    starts = range(0, len(joined), ELEMENT_BYTES)
    values = [int.from_bytes(joined[start:start + ELEMENT_BYTES], "little") for start in starts]
    if array.ndim == 1:
        return values[0]
    if array.ndim == 2:
        return values
    width = array.shape[1]
    return [values[number * width:(number + 1) * width] for number in range(len(array))]


def _is_integer(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, np.ndarray)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _wrong_type(name: str, value: Any) -> TypeError:
    wanted = "wanted a numpy.uint64 array, bytes or Python integers"
    return TypeError(f"{name}: got {_described(value)}, {wanted}")


def _described(value: Any) -> str:
    """Describes a value by its type; for a sequence, also by the type of its first entry."""
    kind = type(value).__name__
    if _is_sequence(value) and len(value):
        return f"{kind} of {_described(value[0])}"
    return kind
