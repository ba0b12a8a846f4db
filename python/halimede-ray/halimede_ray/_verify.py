# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Batch verification of records of files and of blocks, with verdicts in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halimede import bls12_381, ecdsa, equihash, secp256k1, zcash
from halimede_ray._journal import Journal
from halimede_ray._parts import Part, Reading, spread
from halimede_ray._ranges import RANGE_BYTES, Ranges, record_ranges
from halimede_ray._source import Source
from halimede_ray._tasks import Progress, Runner

if TYPE_CHECKING:
    from halimede._native import Device

_Columns = Sequence[NDArray[np.uint8]]
_Bad = list[tuple[int, str]]
_Found = list[tuple[int, str, str]]


class Kind(NamedTuple):
    """A kind of records: the sizes of their fields in bytes, by name, and the function that checks
    many."""

    fields: dict[str, int]
    check: Callable[[Any, _Columns], _Bad]

    @property
    def record_bytes(self) -> int:
        """The number of bytes of a record."""
        return sum(self.fields.values())


def _reasons(verdicts: Any) -> _Bad:
    return [(row, verdict.reason) for row, verdict in verdicts.invalid()]


def _ecdsa(device: Device | None, columns: _Columns) -> _Bad:
    keys, digests, signatures = columns
    return _reasons(ecdsa.verify_many(keys, digests, signatures, "compact", device=device))


def _schnorr(device: Device | None, columns: _Columns) -> _Bad:
    keys, messages, signatures = columns
    return _reasons(secp256k1.verify_schnorr(keys, messages, signatures, device=device))


def _bls(device: Device | None, columns: _Columns) -> _Bad:
    keys, messages, signatures = columns
    return _reasons(bls12_381.verify_signature(keys, messages, signatures, device=device))


def _equihash(device: Device | None, columns: _Columns) -> _Bad:
    inputs, solutions = columns
    return _reasons(equihash.verify(inputs, solutions, difficulty=False, device=device))


KINDS = {
    "ecdsa": Kind({"key": 33, "digest": 32, "signature": 64}, _ecdsa),
    "schnorr": Kind({"key": 32, "message": 32, "signature": 64}, _schnorr),
    "bls": Kind({"key": 48, "message": 32, "signature": 96}, _bls),
    "equihash": Kind({"input": 140, "solution": 1344}, _equihash),
}
"""The kinds of records: ECDSA over secp256k1 with compressed keys and compact signatures; Schnorr of
BIP 340; BLS, min-pk, under proof of possession; Zcash's Equihash (200, 9)."""


class Verdicts(NamedTuple):
    """The verdicts on items `first` to before `first + items` of a file or of a list of blocks.
    Items in neither dict are valid.

    bad: the reasons of invalid items, by their number in the file or list.
    incomplete: the unchecked parts of blocks without a failed check, by their number.
    """

    source: str
    first: int
    items: int
    bad: dict[int, str]
    incomplete: dict[int, str]


@dataclass(frozen=True)
class Records:
    """Checks records of a kind. Returns the bad records: their numbers within the content, the
    verdicts and the reasons."""

    kind: str

    def __call__(self, device: Device | None, content: bytes) -> _Found:
        kind = KINDS[self.kind]
        table = np.frombuffer(content, np.uint8).reshape(-1, kind.record_bytes)
        ends = np.cumsum(list(kind.fields.values()))[:-1]
        columns = [np.ascontiguousarray(column) for column in np.split(table, ends, axis=1)]
        return [(row, "invalid", reason) for row, reason in kind.check(device, columns)]


@dataclass(frozen=True)
class Blocks:
    """Checks Zcash blocks, one per content, optionally with their heights. Returns the blocks that
    are not
    valid: their numbers, the verdicts and the reasons."""

    network: zcash.Network
    heights: tuple[int, ...] | None = None

    def __call__(self, device: Device | None, *blocks: bytes) -> _Found:
        heights: list[int | None] = [*(self.heights or [None] * len(blocks))]
        found: _Found = []
        start = 0
        while start < len(blocks):
            # Verdicts must not depend on the blocks that come before in the same call.
            verdicts = zcash.verify_blocks(
                blocks[start:], heights=heights[start:], network=self.network, recent_outputs=0,
                device=device)
            row = start
            try:
                for report in verdicts:
                    found.append((row, *_verdict(report)))
                    row += 1
            except ValueError as error:
                reason = str(error).partition(": ")[2]
                found.append((row, "invalid", reason))
                row += 1
            start = row
        return [one for one in found if one[1] != "valid"]


def _verdict(report: zcash.BlockVerdicts) -> tuple[str, str]:
    """Returns the verdict, and the reason if it is not "valid"."""
    if report["verdict"] != "invalid":
        missing = (f"{one['count']} {one['name']}" for one in report["unchecked"])
        return report["verdict"], ", ".join(missing)
    faults = (
        f"section {fault['section']}, {fault['place']}: {fault['reason']}"
        for fault in report["faults"])
    return "invalid", "; ".join(faults)


def verify(
    kind: str, source: str | os.PathLike[str], *, pool: Runner,
    journal: str | os.PathLike[str] | None = None, by_reference: bool = False,
    range_bytes: int = RANGE_BYTES, progress: Progress = False,
) -> Iterator[Verdicts]:
    """Verifies the records of a file. Yields verdicts range by range, in the order of the records.

    kind: one of `KINDS`. Records are consecutive, and so are their fields.
    journal, by_reference, range_bytes: as for `tree_root`.

    Raises ValueError for a file that does not consist of whole records, WorkError for a file that
    changes. A bad record gets a verdict and does not affect the others.
    """
    if kind not in KINDS:
        raise ValueError(f"no such kind of records: {kind!r}; wanted one of {', '.join(KINDS)}")
    found = Source.find(source)
    size = KINDS[kind].record_bytes
    ranges = record_ranges(found.bytes, size, range_bytes)
    parts = (
        Part(
            Records(kind), f"{found.path}, records {part.start} to {part.stop}",
            (Reading(found, part.start * size, part.stop * size),))
        for part in ranges
    )
    labels = ((found.path, part) for part in ranges)
    return _verdicts(pool, parts, ranges, labels, journal, by_reference, progress)


def verify_blocks(
    paths: Iterable[str | os.PathLike[str]], *, network: zcash.Network = "main",
    heights: Iterable[int] | None = None, pool: Runner,
    journal: str | os.PathLike[str] | None = None, by_reference: bool = False,
    blocks_in_part: int = 64, progress: Progress = False,
) -> Iterator[Verdicts]:
    """Verifies Zcash blocks, one per file. Yields verdicts on some files at a time, in order.

    paths: files of blocks, raw or in hexadecimal as `getblock HASH 0` prints them. A file that is
        not a block also gets a verdict.
    heights: one for each path; without them the verdict on a block is incomplete.

    The outputs that blocks spend are not known here: blocks with transparent inputs that need them
    are incomplete, and so are blocks with shielded parts. See `halimede.zcash`.
    """
    sources = [Source.find(path) for path in paths]
    known = None if heights is None else tuple(heights)
    if known is not None and len(known) != len(sources):
        raise ValueError(f"{len(known)} heights for {len(sources)} blocks")
    for found in sources:
        if found.bytes > 5 << 20:
            raise ValueError(f"{found.path}: {found.bytes} bytes are not a block, which has at most 2,000,000")
    ranges = Ranges(len(sources), blocks_in_part)
    parts = (
        Part(
            Blocks(network, known and known[part.start:part.stop]),
            f"{sources[part.start].path} and {len(part) - 1} more",
            tuple(Reading(found, 0, found.bytes) for found in sources[part.start:part.stop]))
        for part in ranges
    )
    labels = ((sources[part.start].path, part) for part in ranges)
    return _verdicts(pool, parts, ranges, labels, journal, by_reference, progress)


def _verdicts(
    pool: Runner, parts: Iterable[Part], ranges: Ranges, labels: Iterable[tuple[str, range]],
    journal: str | os.PathLike[str] | None, by_reference: bool, progress: Progress,
) -> Iterator[Verdicts]:
    known = None if journal is None else Journal(journal)
    values = spread(
        pool, parts, len(ranges), journal=known, by_reference=by_reference, progress=progress)
    for (path, part), found in zip(labels, values):
        bad, incomplete = (
            {part.start + row: reason for row, verdict, reason in found if verdict == wanted}
            for wanted in ("invalid", "incomplete"))
        yield Verdicts(path, part.start, len(part), bad, incomplete)
