# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The error of a specification that contradicts itself."""


class SpecificationError(ValueError):
    """card.toml or a manifest is inconsistent; the message names the entry."""


def require(condition: bool, message: str) -> None:
    """Raises SpecificationError with this message unless the condition holds."""
    if not condition:
        raise SpecificationError(message)
