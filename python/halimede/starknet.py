# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Starknet's Poseidon hashes: of a pair, of one element, of any number of elements.

Elements are below the Stark field's modulus 2**251 + 17 * 2**192 + 1. `halimede` describes their
representations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from halimede import _elements, _native
from halimede._elements import Array, Buffer
from halimede._native import Device

__all__ = ["Hasher", "hash", "hash_many", "hash_single"]


@overload
def hash(x: Array, y: Array, device: Device | None = ...) -> Array: ...
@overload
def hash(  # type: ignore[overload-overlap]
    x: Buffer, y: Buffer, device: Device | None = ...
) -> bytes: ...
@overload
def hash(x: int, y: int, device: Device | None = ...) -> int: ...
@overload
def hash(x: Sequence[int], y: Sequence[int], device: Device | None = ...) -> list[int]: ...
def hash(x: Any, y: Any, device: Device | None = None) -> Any:
    """Starknet's `poseidon_hash(x, y)`, for one pair or pair by pair.

    x, y: uint64[n, 4] each -> uint64[n, 4], or [4] -> [4]; or n * 32 bytes each -> n * 32 bytes; or
        integers -> an integer, lists of n integers -> a list of them.
    device: where it runs; this processor by default.

    >>> halimede.starknet.hash([1, 3], [2, 4])[0] == halimede.starknet.hash(1, 2)
    True
    """
    first, second = _elements.digits("x", x), _elements.digits("y", y)
    if first is not None and second is not None:
        return _native.starknet_hash(_paired(first, second), device)
    depth = _elements.depth("x", x, (0, 1))
    if _elements.depth("y", y, (0, 1)) != depth:
        raise TypeError("got one integer and a sequence of them, wanted x and y of one kind")
    first, second = _elements.limbs("x", x, depth), _elements.limbs("y", y, depth)
    return _elements.integers(_native.starknet_hash(_paired(first, second), device))


@overload
def hash_single(x: Array, device: Device | None = ...) -> Array: ...
@overload
def hash_single(  # type: ignore[overload-overlap]
    x: Buffer, device: Device | None = ...
) -> bytes: ...
@overload
def hash_single(x: int, device: Device | None = ...) -> int: ...
@overload
def hash_single(x: Sequence[int], device: Device | None = ...) -> list[int]: ...
def hash_single(x: Any, device: Device | None = None) -> Any:
    """Starknet's `poseidon_hash_single(x)`, for one element or element by element.

    x: uint64[n, 4] or [4], or n * 32 bytes, or an integer, or a list of integers; the result has
        the same type and shape.
    device: where it runs; this processor by default.
    """
    digits = _elements.digits("x", x)
    if digits is not None:
        return _native.starknet_hash_single(digits, device)
    depth = _elements.depth("x", x, (0, 1))
    limbs = _elements.limbs("x", x, depth)
    return _elements.integers(_native.starknet_hash_single(limbs, device))


@overload
def hash_many(
    elements: Array, offsets: Sequence[int] | NDArray[np.integer[Any]] | None = ...,
    device: Device | None = ...,
) -> Array: ...
@overload
def hash_many(  # type: ignore[overload-overlap]
    elements: Buffer, offsets: None = ..., device: Device | None = ...
) -> bytes: ...
@overload
def hash_many(
    elements: Sequence[int], offsets: None = ..., device: Device | None = ...
) -> int: ...
@overload
def hash_many(
    elements: Sequence[Sequence[int]], offsets: None = ..., device: Device | None = ...
) -> list[int]: ...
def hash_many(elements: Any, offsets: Any = None, device: Device | None = None) -> Any:
    """Starknet's `poseidon_hash_many`: the hash of one message of any length, or of many messages.

    elements: uint64[k, 4] -> [4] for one message, [n, k, 4] -> [n, 4] for n messages of equal
        length; or k * 32 bytes -> 32 bytes for one message; or a list of integers -> an integer, a
        list of such lists -> a list of integers.
    offsets: n + 1 numbers that divide uint64[k, 4] into n messages of any lengths: message i is
        elements[offsets[i]:offsets[i + 1]], the first number is 0 and the last k.
    device: where it runs; this processor by default.

    >>> halimede.starknet.hash_many([[1, 2, 3], []])[1] == halimede.starknet.hash_many([])
    True
    """
    digits = _elements.digits("elements", elements)
    if digits is not None:
        if offsets is not None and isinstance(elements, np.ndarray):
            return _native.starknet_hash_many(digits, _elements.offsets(offsets), device)
        if offsets is not None:
            raise TypeError("offsets: got offsets with bytes, wanted a numpy.uint64 array of elements")
        hashed = _native.starknet_hash_many(digits, None, device)
        return hashed
    if offsets is not None:
        raise TypeError("offsets: got offsets with integers, wanted a list for each message")
    depth = _elements.depth("elements", elements, (1, 2))
    values, lengths = _elements.rows("elements", elements, depth)
    limbs = _elements.pack("elements", values)
    if depth == 1:
        return _elements.integers(_native.starknet_hash_many(limbs, None, device))
    ends = np.cumsum([0, *lengths], dtype=np.uint64)
    return _elements.integers(_native.starknet_hash_many(limbs, ends, device))


class Hasher:
    """Incremental `hash_many` in constant memory, on this processor.

    >>> hasher = halimede.starknet.Hasher([1, 2])
    >>> hasher.update(3)
    >>> hasher.digest() == halimede.starknet.hash_many([1, 2, 3])
    True
    """

    __slots__ = ("_hasher",)

    def __init__(self, elements: Array | Buffer | int | Sequence[int] = ()) -> None:
        """Creates a hasher that has absorbed these elements."""
        self._hasher = _native.StarknetHasher()
        self.update(elements)

    def update(self, elements: Array | Buffer | int | Sequence[int]) -> None:
        """Absorbs elements: uint64[n, 4] or [4], n * 32 bytes, an integer or a list of integers.

        If it raises ValueError or TypeError, it has absorbed nothing.
        """
        digits = _elements.digits("elements", elements)
        if digits is None:
            depth = _elements.depth("elements", elements, (0, 1))
            digits = _elements.limbs("elements", elements, depth)
        self._hasher.update(digits)

    def digest(self) -> int:
        """Returns the hash of all absorbed elements. More elements may follow."""
        digest: int = _elements.integers(self._hasher.digest())
        return digest

    def copy(self) -> Hasher:
        """Returns a hasher in the same state, so that a common prefix is absorbed only once."""
        copied = Hasher.__new__(Hasher)
        copied._hasher = self._hasher.copy()
        return copied

    __copy__ = copy


def _paired(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Joins x and y to pairs: uint64[n, 4] to [n, 2, 4], bytes to pairs of elements."""
    if x.shape != y.shape or x.dtype != y.dtype:
        kinds = [f"{array.dtype}{list(array.shape)}" for array in (x, y)]
        raise ValueError(f"got x of {kinds[0]} and y of {kinds[1]}, wanted two of one shape")
    if x.dtype == np.uint8:
        if x.size % _elements.ELEMENT_BYTES:
            wanted = f"a multiple of {_elements.ELEMENT_BYTES}, the length of an element"
            raise ValueError(f"x and y: got {x.size} bytes each, wanted {wanted}")
        x, y = (array.reshape(-1, _elements.ELEMENT_BYTES) for array in (x, y))
        return np.stack((x, y), axis=1).reshape(-1)
    return np.stack((x, y), axis=-2)
