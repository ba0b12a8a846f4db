# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pickles of parameters, by the content of their files."""

from __future__ import annotations

import copyreg
import functools
from typing import Any

from halimede._native import CkksParameters

__all__ = ["register"]


@functools.lru_cache(maxsize=16)
def _loaded(content: bytes) -> CkksParameters:
    """Returns the parameters of a pickle; their tables are built once. Pickles are trusted, so
    insecure parameters are allowed."""
    return CkksParameters.load(content, insecure=True)


def _reduced(parameters: CkksParameters) -> tuple[Any, ...]:
    return _loaded, (parameters.to_bytes(),)


def register() -> None:
    """Makes `pickle` and `copy` support parameters."""
    copyreg.pickle(CkksParameters, _reduced)
