# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parts of a job: what is read, what is computed of it, and the journal of what is known."""

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
    """What is computed: a data class whose fields say all that the value depends on but the contents."""

    def __call__(self, state: Any, *contents: Any) -> Any:
        """The value, which JSON can hold, of contents."""


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

    readings: what it reads where it runs, or here.
    content: what is sent along where it reads no file.
    """

    work: Any
    label: str
    readings: tuple[Reading, ...] = ()
    content: bytes | None = None

    @property
    def name(self) -> str:
        """The name of its result: of all that says what it is, the content where that is sent along."""
        files = [[reading.source.path, reading.start, reading.stop] for reading in self.readings]
        content = None if self.content is None else blake3.hash(self.content).hex()
        return name_of(work=type(self.work).__name__, how=asdict(self.work), files=files, content=content)


def spread(
    pool: Runner, parts: Iterable[Part], count: int, *, journal: Journal | None = None,
    by_reference: bool = False, progress: Progress = False,
) -> Iterator[Any]:
    """The values of `count` parts, in their order.

    A value that the journal has is taken from there once a worker has found that the content is what
    it was computed of; the others are written to it, each once.

    by_reference: this process reads the files and sends what it reads, as workers have no such files.
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
    """On a worker: the hash of the contents, and the value; None where the hash is the known one."""
    hasher = blake3.Hasher()
    for content in contents:
        hasher.update(content)
    found = hasher.digest().hex()
    return found, None if found == known else work(state, *contents)
