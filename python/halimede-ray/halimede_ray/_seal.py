# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The second phase of sealing a Filecoin sector: workers compute subtrees of tree C, then ranges of
the replica with subtrees of tree R, and write them to the sector's files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Union

from halimede import filecoin
from halimede.filecoin import Sealed
from halimede_ray._ranges import RANGE_BYTES
from halimede_ray._tasks import Progress, Runner, Standing, Task

if TYPE_CHECKING:
    from halimede._native import Device

Path = Union[str, "os.PathLike[str]"]


def precommit2(
    sealed: Path, cache: Path, pc1out: str | bytes, *, pool: Runner,
    part_bytes: int = RANGE_BYTES, progress: Progress = False,
) -> Sealed:
    """Runs `halimede.filecoin.precommit2` by a pool. The sector's files are the same, byte for
    byte.

    All machines have the files at the same paths, on a file system that they share. This process
    compares the data, and keeps the journal in the cache folder: a run that ends early continues
    with the parts of tree C that are there, and also `halimede filecoin precommit2` can end it.

    sealed, cache, pc1out: as for `halimede.filecoin.precommit2`. Relative paths are those of this
        process.
    part_bytes: the most bytes of each layer in a part. A worker holds about 20 MB, not the part.

    Raises OSError if a file cannot be read or written, ValueError if an input is invalid, WorkError
    or InputError for a part.
    """
    files = (os.path.abspath(sealed), os.path.abspath(cache), pc1out)
    # `t_aux` has the path of the cache as the caller writes it.
    parts = filecoin.Parts(sealed, cache, pc1out, part_bytes=part_bytes)
    outcome = None
    while outcome is None:
        pending = parts.pending()
        roots = pool.map(
            _tasks(files, parts, pending), len(pending), progress=_of_stage(progress, parts))
        for root, number in zip(roots, pending):
            parts.keep(number, root)
        outcome = parts.advance()
    return outcome


def _tasks(
    files: tuple[str, str, str | bytes], parts: filecoin.Parts, pending: Sequence[int]
) -> Iterator[Task]:
    stage, size = parts.stage, parts.part_bytes
    return (
        Task(_part, (files, stage, number), f"{files[0]}, {stage}, part {number} of {parts.part_count}", size)
        for number in pending)


def _part(
    device: Device | None, files: tuple[str, str, str | bytes], stage: str, number: int
) -> bytes:
    return filecoin.precommit2_part(*files, stage, number, device=device)


def _of_stage(progress: Progress, parts: filecoin.Parts) -> Progress:
    """The progress over both stages, with the parts that an earlier run has computed."""
    if isinstance(progress, bool):
        return progress
    done = parts.part_count - len(parts.pending())
    done += parts.part_count if parts.stage == "replica" else 0
    tell: Callable[[Standing], object] = progress
    return lambda standing: tell(
        standing._replace(done=done + standing.done, tasks=2 * parts.part_count))
