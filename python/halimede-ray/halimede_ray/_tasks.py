# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks, what runs them in order, and how far they are."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Union

from halimede_ray._errors import InputError, WorkError
from halimede_ray._worker import Readable, Worker


@dataclass(frozen=True)
class Task:
    """A part of the work, which may be run twice: where a worker dies it is run again.

    call: a function of a module; it takes the worker's state, `arguments` and the contents.
    label: what errors and logs call it.
    bytes: of the contents, for the progress.
    readings: contents that the worker reads, while it computes the task before.
    contents: gives those that go along by reference, when the task is handed out; None for none.
    """

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    label: str
    bytes: int = 0
    readings: Sequence[Readable] = ()
    contents: Callable[[], Sequence[Any]] | None = None


class Standing(NamedTuple):
    """How far the work is: tasks that are done and all of them, bytes that were read for them,
    workers that are ready, and tasks that were handed out again after a worker's death."""

    done: int
    tasks: int
    bytes: int
    workers: int
    repeated: int


_LINE_SECONDS = 0.2

Progress = Union[bool, Callable[[Standing], object]]
"""True for a line on stderr, or what is called with the standing. What it raises ends the work."""


class Runner(Protocol):
    """What runs tasks: `Pool` on a cluster, `LocalPool` here."""

    def map(self, tasks: Iterable[Task], count: int, *, progress: Progress = False) -> Iterator[Any]:
        """The results of `count` tasks, in their order."""


class LocalPool:
    """Runs tasks in this process, one after another, without Ray: for one machine, and for tests.

    device, fallback, setup, arguments: as those of `Pool`.
    """

    def __init__(
        self, *, device: str = "cpu", fallback: str | None = None,
        setup: Callable[..., Any] | None = None, arguments: Sequence[Any] = (),
    ) -> None:
        # This process's threads are as its owner has set them.
        self._worker = Worker(None, device, fallback, setup, *arguments)
        self._worker.ready()

    def map(self, tasks: Iterable[Task], count: int, *, progress: Progress = False) -> Iterator[Any]:
        """The results of tasks, in their order.

        Raises InputError and WorkError as `Pool.map` does.
        """
        read = 0
        with Reporter(progress) as report:
            for done, task in enumerate(tasks):
                report(Standing(done, count, read, 1, 0))
                contents = contents_of(task)
                try:
                    result = self._worker.run(task.call, task.arguments, task.readings, *contents)
                except Exception as error:
                    raise failure(task.label, "this process", error) from error
                read += task.bytes
                yield result
            report(Standing(count, count, read, 1, 0))

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def contents_of(task: Task) -> Sequence[Any]:
    """What goes along with a task. Raises WorkError where it cannot be had."""
    if task.contents is None:
        return ()
    try:
        return task.contents()
    except Exception as error:
        raise failure(task.label, None, error) from error


def failure(label: str, worker: str | None, error: BaseException) -> WorkError:
    """The error of a task, of what its function raised."""
    kind = InputError if isinstance(error, (ValueError, TypeError)) else WorkError
    reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    return kind(label, worker, reason)


class Reporter:
    """Tells the standing, by a line on stderr that is written a few times a second and ended at last."""

    def __init__(self, progress: Progress) -> None:
        self._told = _line if progress is True else progress or None
        self._is_line = progress is True
        self._next = 0.0

    def __call__(self, standing: Standing) -> None:
        if self._told is None:
            return
        now = time.monotonic()
        if not self._is_line or now >= self._next or standing.done == standing.tasks:
            self._next = now + _LINE_SECONDS
            self._told(standing)

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_line:
            print(file=sys.stderr)


def _line(standing: Standing) -> None:
    text = f"{standing.done} of {standing.tasks} parts, {standing.bytes / (1 << 20):.0f} MiB"
    text += f", {standing.workers} workers"
    if standing.repeated:
        text += f", {standing.repeated} repeated"
    print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)
