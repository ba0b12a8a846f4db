# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks, their runners, and their progress."""

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
    """A part of the work. It may run twice: after the death of its worker it runs again.

    call: a module-level function of the worker's state, `arguments` and the contents.
    label: the name of the task in errors and logs.
    bytes: the size of the contents, for the progress.
    readings: contents that the worker reads while it computes the previous task.
    contents: called when the task is sent; returns the contents that are sent by reference, or
        None.
    """

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    label: str
    bytes: int = 0
    readings: Sequence[Readable] = ()
    contents: Callable[[], Sequence[Any]] | None = None


class Standing(NamedTuple):
    """The progress of the work: the numbers of finished and of all tasks, the bytes that were read
    for them, the workers that are ready, and the tasks that were sent again after a worker's
    death."""

    done: int
    tasks: int
    bytes: int
    workers: int
    repeated: int


_LINE_SECONDS = 0.2

Progress = Union[bool, Callable[[Standing], object]]
"""True for a line on stderr, or a function that is called with the progress. An exception in it
ends the work."""


class Runner(Protocol):
    """A runner of tasks: `Pool` on a cluster, `LocalPool` in this process."""

    def map(self, tasks: Iterable[Task], count: int, *, progress: Progress = False) -> Iterator[Any]:
        """Yields the results of `count` tasks, in the order of the tasks."""


class LocalPool:
    """Runs tasks sequentially in this process, without Ray: for one machine, and for tests.

    device, fallback, setup, arguments: as those of `Pool`.
    """

    def __init__(
        self, *, device: str = "cpu", fallback: str | None = None,
        setup: Callable[..., Any] | None = None, arguments: Sequence[Any] = (),
    ) -> None:
        # Keeps this process's number of threads.
        self._worker = Worker(None, device, fallback, setup, *arguments)
        self._worker.ready()

    def map(self, tasks: Iterable[Task], count: int, *, progress: Progress = False) -> Iterator[Any]:
        """Yields the results of tasks, in the order of the tasks.

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
    """Returns the contents to send with a task. Raises WorkError if they cannot be read."""
    if task.contents is None:
        return ()
    try:
        return task.contents()
    except Exception as error:
        raise failure(task.label, None, error) from error


def failure(label: str, worker: str | None, error: BaseException) -> WorkError:
    """Converts an exception of a task's function to the error of the task."""
    kind = InputError if isinstance(error, (ValueError, TypeError)) else WorkError
    reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    return kind(label, worker, reason)


class Reporter:
    """Reports the progress, with True by a line on stderr that is updated a few times a second."""

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
