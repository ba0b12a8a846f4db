# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The common part of the generated functions of operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Union

from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device, Object
from halimede._verdicts import Values, Verdicts

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    class Buffer:
        """An object with the buffer protocol, such as bytes."""

Column = Union[Iterable[Buffer], NDArray[Any]]
"""One row per item: a list of buffers, or the rows of an array of two axes."""
Lists = Iterable[Column]
"""One column per item."""
Numbers = Iterable[Union[Iterable[Union[int, Buffer]], Buffer, NDArray[Any]]]
"""One list of numbers per item: integers from 0 to 2**256 - 1, or 32 bytes each, or one buffer with
the bytes of all numbers; bytes are big-endian."""

Setting = Union[str, bool, float]


def check(
    operation: str, settings: list[tuple[str, Setting]], objects: list[tuple[str, Object]],
    columns: list[Any], device: Device | None,
) -> Verdicts:
    """Returns the verdicts of an operation on items."""
    verdicts, _ = _native.answer(operation, _words(settings), objects, columns, device)
    return Verdicts(*verdicts)


def compute(
    operation: str, settings: list[tuple[str, Setting]], objects: list[tuple[str, Object]],
    columns: list[Any], device: Device | None,
) -> Values:
    """Returns the values of an operation for items."""
    verdicts, values = _native.answer(operation, _words(settings), objects, columns, device)
    assert values is not None
    return Values(values, Verdicts(*verdicts))


def _words(settings: list[tuple[str, Setting]]) -> list[tuple[str, str]]:
    """Converts settings to the words that the command line and HTTP use."""
    def word(name: str, value: Setting) -> str:
        if not isinstance(value, (str, bool, int, float)):
            raise TypeError(f"{name}: got {type(value).__name__}, wanted str")
        return str(value).lower() if isinstance(value, bool) else str(value)

    return [(name, word(name, value)) for name, value in settings]
