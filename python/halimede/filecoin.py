# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The second phase of sealing a Filecoin sector (PreCommit2), as `halimede filecoin precommit2`.

The first phase leaves layers of labels and tree D in the cache folder. `precommit2` adds tree C,
tree R, `p_aux` and `t_aux`, and turns the data in the sealed file into the replica. All files are
those of `filecoin-proofs` 19, byte for byte.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from halimede import _native
from halimede._native import Device

__all__ = ["Sealed", "precommit2"]


@dataclass(frozen=True)
class Sealed:
    """A sealed sector. Roots have 32 bytes, little-endian."""

    comm_d: bytes
    """The root of the data."""
    comm_c: bytes
    """The root of tree C."""
    comm_r_last: bytes
    """The root of tree R."""
    comm_r: bytes
    """The hash of comm_c and comm_r_last."""
    unsealed_cid: str
    """comm_d as a content identifier, `baga6ea4seaq…`."""
    sealed_cid: str
    """comm_r as a content identifier, `bagboea4b5abc…`."""
    reused_trees: int
    """The number of base trees of tree C that an earlier call had made."""
    continued_replica: bool
    """True if an earlier call had begun to write the replica."""


def precommit2(
    sealed: str | os.PathLike[str],
    cache: str | os.PathLike[str],
    pc1out: str | bytes,
    *,
    device: Device | None = None,
) -> Sealed:
    """Runs the second phase over one sector.

    sealed: the file that contains the unsealed data; it becomes the replica.
    cache: the folder with the layers and tree D.
    pc1out: the output of the first phase: JSON in base64.
    device: where the hashes are computed; this processor by default.

    Files are checked before the sealed file is changed. A call that ends early, also by Ctrl-C,
    leaves a journal in the cache folder; another call with the same arguments continues.

    Raises OSError if a file cannot be read or written, ValueError if an input is invalid.
    """
    text = pc1out.decode("ascii") if isinstance(pc1out, bytes) else pc1out
    fields = _native.filecoin_precommit2(os.fspath(sealed), os.fspath(cache), text, device)
    return Sealed(**fields)
