# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The parts of a job: their readings, their computation, and the journal of known results."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from halimede import blake3
from halimede_ray._journal import Journal, Result, name_of
from halimede_ray._source import Source
from halimede_ray._tasks import Progress, Runner, Task


class Work(Protocol):
    """A computation: a data class. Its value depends only on its fields and the contents."""

    def __call__(self, state: Any, *contents: Any) -> Any:
        """Computes a JSON value from contents."""


@dataclass(frozen=True)
class Reading:
    """Bytes of a file from `start` to before `stop`."""

    source: Source
    start: int
    stop: int

    def read(self) -> bytearray:
        return self.source.read(self.start, self.stop)


@dataclass(frozen=True)
class Part:
    """A part of a job.

    readings: the bytes of files that it reads, on the worker or in this process.
    content: the content that is sent with a part that reads no file.
    """

    work: Any
    label: str
    readings: tuple[Reading, ...] = ()
    content: bytes | None = None

    @property
    def name(self) -> str:
        """The name of its result: a hash of its description, including content that is sent with
        it."""
        files = [[reading.source.path, reading.start, reading.stop] for reading in self.readings]
        content = None if self.content is None else blake3.hash(self.content).hex()
        return name_of(work=type(self.work).__name__, how=asdict(self.work), files=files, content=content)


def spread(
    pool: Runner, parts: Iterable[Part], count: int, *, journal: Journal | None = None,
    by_reference: bool = False, progress: Progress = False,
) -> Iterator[Any]:
    """Computes the values of `count` parts, in the order of the parts.

    Uses a value of the journal once a worker has confirmed that the content is still the same.
    Writes every other value to the journal once.

    by_reference: this process reads the files and sends their contents, for workers without the
        files.
    """
    pending: deque[tuple[str, Result | None]] = deque()

    def tasks() -> Iterator[Task]:
        for part in parts:
            name = part.name if journal is not None else ""
            known = journal.get(name) if journal is not None else None
            pending.append((name, known))
            yield _task(part, known, by_reference)

    for content, value in pool.map(tasks(), count, progress=progress):
        name, known = pending.popleft()
        if value is None:
            assert known is not None and known.content == content
            yield known.value
            continue
        if journal is not None:
            journal.put(name, Result(content, value))
        yield value


def _task(part: Part, known: Result | None, by_reference: bool) -> Task:
    size = sum(reading.stop - reading.start for reading in part.readings)
    arguments = (part.work, known and known.content)
    if part.content is not None:
        sent = part.content
        return Task(perform, arguments, part.label, len(sent), contents=lambda: [sent])
    if by_reference:
        return Task(
            perform, arguments, part.label, size,
            contents=lambda: [bytes(reading.read()) for reading in part.readings])
    return Task(perform, arguments, part.label, size, part.readings)


def perform(state: Any, work: Work, known: str | None, *contents: Any) -> tuple[str, Any]:
    """Returns the hash of the contents and the value, on a worker. Returns None instead of
    the value for the known hash."""
    hasher = blake3.Hasher()
    for content in contents:
        hasher.update(content)
    found = hasher.digest().hex()
    return found, None if found == known else work(state, *contents)
