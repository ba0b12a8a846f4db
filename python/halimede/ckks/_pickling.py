# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parameters in pickles: by the content of a file of them."""

from __future__ import annotations

import copyreg
import functools
from typing import Any

from halimede._native import CkksParameters

__all__ = ["register"]


@functools.lru_cache(maxsize=16)
def _loaded(content: bytes) -> CkksParameters:
    """Those of a pickle; tables are made once. Whoever loads a pickle trusts it: insecure ones are
    taken."""
    return CkksParameters.load(content, insecure=True)


def _reduced(parameters: CkksParameters) -> tuple[Any, ...]:
    return _loaded, (parameters.to_bytes(),)


def register() -> None:
    """Has `pickle` and `copy` take parameters."""
    copyreg.pickle(CkksParameters, _reduced)
