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

__all__ = ["Parts", "Sealed", "precommit2", "precommit2_part"]


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
    fields = _native.filecoin_precommit2(*_texts(sealed, cache, pc1out), device)
    return Sealed(**fields)


class Parts:
    """A second phase whose parts several machines compute. They have the same files at the same
    paths. `halimede_ray.precommit2` distributes the parts over a cluster.

    The process that makes this object locks the sealed file, compares the data with tree D, and
    keeps the journal. Workers call `precommit2_part` for the `pending` parts of the `stage`, in any
    order; a part may be computed twice or late. `keep` records a part's root, and `advance` ends a
    stage: first "tree-c", then "replica".

    sealed, cache, pc1out: as for `precommit2`.
    part_bytes: the most bytes of each layer in a part, unless there would be more than 4,096 parts.
        An earlier run's parts keep their size.

    All methods raise OSError if a file cannot be read or written, ValueError if an input is invalid.
    """

    def __init__(
        self, sealed: str | os.PathLike[str], cache: str | os.PathLike[str], pc1out: str | bytes, *,
        part_bytes: int = 64 << 20,
    ) -> None:
        self._parts = _native.FilecoinParts(*_texts(sealed, cache, pc1out), part_bytes)

    @property
    def stage(self) -> str:
        """The stage whose parts are computed: "tree-c" or "replica"."""
        return self._parts.stage

    @property
    def part_count(self) -> int:
        """The number of parts of a stage."""
        return self._parts.part_count

    @property
    def part_bytes(self) -> int:
        """The bytes of each layer in a part."""
        return self._parts.part_bytes

    def pending(self) -> list[int]:
        """The numbers of the parts of this stage that have no root yet."""
        return self._parts.pending()

    def keep(self, part: int, root: bytes) -> None:
        """Records the root of a part, 32 bytes. Roots of "tree-c" survive the end of this process.

        Raises ValueError if the file of the tree does not have the root: a worker with other files.
        """
        self._parts.keep(part, root)

    def advance(self) -> Sealed | None:
        """Ends a stage. After "tree-c" compares the whole sealed file with the data, and begins the
        replica; after "replica" returns the sealed sector.

        Raises ValueError if parts are pending.
        """
        fields = self._parts.advance()
        return None if fields is None else Sealed(**fields)


def precommit2_part(
    sealed: str | os.PathLike[str],
    cache: str | os.PathLike[str],
    pc1out: str | bytes,
    stage: str,
    part: int,
    *,
    device: Device | None = None,
) -> bytes:
    """Computes a part of a second phase that a `Parts` has begun: writes its rows, and in "replica"
    its range of the sealed file, to disk. Returns the root of the part, 32 bytes.

    Raises ValueError, and writes nothing, if the journal in the cache folder does not allow this
    stage with these files; OSError if a file cannot be read or written.
    """
    return _native.filecoin_part(*_texts(sealed, cache, pc1out), stage, part, device)


def _texts(
    sealed: str | os.PathLike[str], cache: str | os.PathLike[str], pc1out: str | bytes
) -> tuple[str, str, str]:
    text = pc1out.decode("ascii") if isinstance(pc1out, bytes) else pc1out
    return os.fspath(sealed), os.fspath(cache), text
