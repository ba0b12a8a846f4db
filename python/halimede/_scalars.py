# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Numbers of 256 bits, as integers or as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Union, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Buffer

Scalars = Union["Iterable[Union[int, Buffer]]", NDArray[Any]]

BYTES = 32


def scalars(name: str, values: Scalars) -> Any:
    """Numbers as a list of buffers, or an array as it is. Buffers are looked at later."""
    if isinstance(values, np.ndarray) and values.ndim != 1:
        return values
    try:
        numbered = enumerate(values)
    except TypeError:
        raise TypeError(f"{name}: got {type(values).__name__}, wanted a list of numbers") from None
    return [_bytes(f"{name}[{row}]", value) for row, value in numbered]


def joined(name: str, values: Scalars | Buffer) -> Any:
    """Numbers as one buffer, one behind the other; a buffer of bytes as it is."""
    try:
        view = memoryview(cast("Buffer", values))
    except TypeError:
        pass
    else:
        if view.itemsize == 1:
            return view
    numbers = scalars(name, cast("Scalars", values))
    return b"".join(_checked(f"{name}[{row}]", value) for row, value in enumerate(numbers))


def _bytes(name: str, value: Any) -> Any:
    """An integer as 32 bytes; anything else as it is."""
    if isinstance(value, (int, np.integer)):
        try:
            return int(value).to_bytes(BYTES, "big")
        except OverflowError:
            got = f"{name}: got {int(value)}, wanted an integer from 0 to 2**256 - 1"
            raise ValueError(got) from None
    return value


def _checked(name: str, value: Any) -> memoryview:
    """The bytes of one number."""
    try:
        view = memoryview(value)
    except TypeError:
        got = f"{name}: got {type(value).__name__}, wanted an integer or 32 bytes"
        raise TypeError(got) from None
    if view.nbytes != BYTES:
        raise ValueError(f"{name}: got {view.nbytes} bytes, wanted 32")
    return view
