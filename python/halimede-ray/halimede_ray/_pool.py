# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Workers on a cluster: Ray actors. Ray places and restarts them, and detects their deaths."""

from __future__ import annotations

import logging
import math
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import halimede
from halimede_ray._cluster import CARD, connect, described, engine, offers, places
from halimede_ray._errors import CapacityError, WorkError
from halimede_ray._tasks import Progress, Reporter, Standing, Task, contents_of, failure
from halimede_ray._worker import About, Worker

_LOG = logging.getLogger("halimede_ray")
_POLL_SECONDS = 1.0


@dataclass(eq=False)
class _Actor:
    number: int
    handle: Any
    about: About | None = None
    is_ready: bool = False
    flights: list[_Flight] = field(default_factory=list)
    """The tasks that were sent to it, in the order in which it runs them."""
    since: float = 0.0
    """The time when it began the first task."""
    is_ending: bool = False
    """True if it was ended because a task took too long, and its death is not yet reported."""

    @property
    def name(self) -> str:
        where = f" ({self.about.host}, process {self.about.process})" if self.about else ""
        return f"worker {self.number}{where}"


@dataclass(eq=False)
class _Flight:
    number: int
    task: Task
    contents: list[Any]
    actor: _Actor | None = None
    is_suspect: bool = False
    """True if a worker that had it died. It then runs without other tasks, to find the cause."""
    deaths: int = 0
    """The number of workers that died while they had only this task."""


class Pool:
    """A pool of workers that run until the pool is closed; a `with` statement closes it.

    workers: the number of workers; by default, all that fit the free resources, with `room` left.
        Workers without free resources wait for them, and join the work then.
    cpus, gpus, cards: the resources that Ray reserves for each worker. Its batches use `cpus`
        threads.
    device, fallback: the device that each worker opens, as for `halimede.Device`.
    setup, arguments: a module-level function that makes a worker's state, once, from the device and
        these arguments, which are sent by reference. By default the state is the device.
    room: CPUs that the default number of workers leaves free, since a worker holds its CPUs for its
        lifetime.
    depth: the number of tasks at a worker: it computes one and reads the content of the others.
    restarts: how often Ray may restart each worker after its death.
    retries: how often a task is retried after the death of a worker that had only this task. If a
        worker dies with several tasks, each is first retried without others.
    patience: seconds without any worker after which the work fails.
    time_limit: seconds for a task; then its worker is ended as if it had died.

    Connects to a cluster (`connect`) if this process is not connected.

    Raises CapacityError if no machine can hold a worker, ImportError without Ray.
    """

    def __init__(
        self, workers: int | None = None, *, cpus: float = 1, gpus: float = 0, cards: int = 0,
        device: str = "cpu", fallback: str | None = None,
        setup: Callable[..., Any] | None = None, arguments: Sequence[Any] = (),
        room: float = 1, depth: int = 2, restarts: int = 3, retries: int = 3,
        patience: float = 60.0, time_limit: float = 3600.0,
    ) -> None:
        amounts = {"CPU": cpus, "GPU": gpus, CARD: cards}
        self._demand = {name: amount for name, amount in amounts.items() if amount}
        if not self._demand or min(amounts.values()) < 0:
            raise ValueError(f"a worker needs CPUs, GPUs or cards, got {amounts}")
        if (workers is not None and workers < 1) or depth < 1 or restarts < 0 or retries < 0 or room < 0:
            raise ValueError(
                f"got {workers} workers, depth {depth}, {restarts} restarts, {retries} retries, room {room}: "
                "workers and depth are 1 or more, the others 0 or more")
        if patience <= 0 or time_limit <= 0:
            raise ValueError(f"got patience {patience} and time limit {time_limit}: both are above 0 seconds")
        connect()
        self._ray = engine()
        self._depth = depth
        self._retries = retries
        self._patience = patience
        self._time_limit = time_limit
        self._repeated = 0
        offered = offers(self._ray)
        most = places(offered, self._demand)
        if most == 0:
            raise CapacityError(self._shortage(offered))
        if workers is None:
            workers = self._fitting(most, room)
        references = [self._ray.put(argument) for argument in arguments]
        kind = self._ray.remote(Worker).options(
            num_cpus=cpus, num_gpus=gpus, resources={CARD: cards} if cards else None,
            max_restarts=restarts, max_task_retries=0, max_concurrency=depth)
        threads = max(1, math.floor(cpus))
        self._actors = [
            _Actor(number, kind.remote(threads, device, fallback, setup, *references))
            for number in range(workers)
        ]
        self._starting: dict[Any, _Actor] = {}
        self._reasons: dict[int, str] = {}
        """The reasons why workers left, by their numbers."""
        for actor in self._actors:
            self._await_ready(actor)

    @property
    def workers(self) -> int:
        """The number of workers, including those that wait for resources."""
        return len(self._actors)

    @property
    def ready(self) -> int:
        """The number of workers that are known to run. It changes while work is mapped."""
        return sum(actor.is_ready for actor in self._actors)

    def map(self, tasks: Iterable[Task], count: int, *, progress: Progress = False) -> Iterator[Any]:
        """Yields the results of `count` tasks, in the order of the tasks, as they arrive.

        At most `depth` tasks per worker are in flight, and at most four times this number of
        results wait for an earlier result. A task whose worker dies is sent to another worker.

        Raises InputError for input that every worker would refuse, WorkError for a task that fails
        or whose workers died, CapacityError if no worker is left.
        """
        queue = enumerate(tasks)
        again: deque[_Flight] = deque()
        flights: dict[Any, _Flight] = {}
        results: dict[int, Any] = {}
        expected = read = done = 0
        is_over = False
        waiting_since = time.monotonic()
        try:
            with Reporter(progress) as report:
                while True:
                    while (actor := self._least_busy()) is not None:
                        if again:
                            if actor.flights:
                                # Wait for a worker without other tasks.
                                break
                            flight = again.popleft()
                        elif len(results) >= 4 * self._depth * len(self._actors):
                            break
                        else:
                            number, task = next(queue, (0, None))
                            if task is None:
                                is_over = True
                                break
                            contents = [self._ray.put(content) for content in contents_of(task)]
                            flight = _Flight(number, task, contents)
                        flights[self._hand(flight, actor)] = flight
                    while expected in results:
                        yield results.pop(expected)
                        expected += 1
                    report(Standing(done, count, read, self.ready, self._repeated))
                    if is_over and not again and not flights:
                        return
                    if not flights and self.ready:
                        # The consumer took results, so there is room again.
                        continue
                    for reference in self._arrived(flights):
                        if reference in self._starting:
                            self._greet(reference)
                            continue
                        flight = flights.pop(reference)
                        try:
                            results[flight.number] = self._result(reference, flight)
                            read, done = read + flight.task.bytes, done + 1
                        except _Died:
                            self._repeated += 1
                            again.append(flight)
                    self._end_the_stuck()
                    if flights or self.ready:
                        waiting_since = time.monotonic()
                    elif time.monotonic() - waiting_since > self._patience:
                        raise CapacityError(
                            f"no worker was ready for {self._patience:g} s: {self._shortage(offers(self._ray))}")
        finally:
            for reference, flight in flights.items():
                self._ray.cancel(reference)
                if flight.actor is not None and flight in flight.actor.flights:
                    flight.actor.flights.remove(flight)

    def close(self) -> None:
        """Ends the workers, which releases their resources."""
        for actor in self._actors:
            self._ray.kill(actor.handle)
        self._actors.clear()
        self._starting.clear()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _least_busy(self) -> _Actor | None:
        free = [
            actor for actor in self._actors
            if actor.is_ready and not actor.is_ending and len(actor.flights) < self._depth
            and not any(flight.is_suspect for flight in actor.flights)
        ]
        return min(free, key=lambda actor: len(actor.flights), default=None)

    def _hand(self, flight: _Flight, actor: _Actor) -> Any:
        if not actor.flights:
            actor.since = time.monotonic()
        actor.flights.append(flight)
        flight.actor = actor
        return actor.handle.run.remote(
            flight.task.call, flight.task.arguments, flight.task.readings, *flight.contents)

    def _arrived(self, flights: dict[Any, _Flight]) -> list[Any]:
        """Waits briefly, and returns the results that have arrived."""
        awaited = [*flights, *self._starting]
        if not awaited:
            reasons = "; ".join(self._reasons.values()) or "the pool is closed"
            raise CapacityError(f"no worker is left: {reasons}")
        come, _ = self._ray.wait(awaited, timeout=_POLL_SECONDS)
        if come and len(awaited) > 1:
            come, _ = self._ray.wait(awaited, num_returns=len(awaited), timeout=0)
        return list(come)

    def _result(self, reference: Any, flight: _Flight) -> Any:
        """Returns a task's result. Raises _Died if the task must be sent again."""
        actor = flight.actor
        assert actor is not None
        was_alone = actor.is_ready and actor.flights == [flight]
        actor.flights.remove(flight)
        actor.since = time.monotonic()
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise failure(flight.task.label, actor.name, error.cause) from error.cause
        except self._ray.exceptions.RayError as error:
            reason = _reason(error)
            _LOG.warning("%s: %s is lost: %s", flight.task.label, actor.name, reason)
            flight.is_suspect = True
            flight.deaths += was_alone
            if flight.deaths > self._retries:
                raise WorkError(
                    flight.task.label, actor.name,
                    f"{flight.deaths} workers died that ran only this task, the last: {reason}") from None
            self._await_ready(actor)
            raise _Died from None

    def _await_ready(self, actor: _Actor) -> None:
        """Asks a new or lost worker to report when it is ready."""
        actor.is_ready = actor.is_ending = False
        if actor not in self._starting.values():
            self._starting[actor.handle.ready.options(max_task_retries=-1).remote()] = actor

    def _greet(self, reference: Any) -> None:
        """Handles a worker's report: it gets work, or leaves the pool."""
        actor = self._starting.pop(reference)
        try:
            about = About(*self._ray.get(reference))
        except self._ray.exceptions.RayTaskError as error:
            reason = f"{type(error.cause).__name__}: {error.cause}"
        except self._ray.exceptions.RayError as error:
            reason = _reason(error)
        else:
            if about.version == halimede.__version__:
                actor.about, actor.is_ready = about, True
                return
            reason = f"it has halimede {about.version}, and this process has {halimede.__version__}"
        _LOG.warning("%s leaves: %s", actor.name, reason)
        self._reasons[actor.number] = f"{actor.name}: {reason}"
        self._actors.remove(actor)
        self._ray.kill(actor.handle)

    def _end_the_stuck(self) -> None:
        now = time.monotonic()
        for actor in self._actors:
            is_late = bool(actor.flights) and now - actor.since > self._time_limit
            if is_late and actor.is_ready and not actor.is_ending:
                label = actor.flights[0].task.label
                _LOG.warning("%s: %s took more than %g s and is ended", label, actor.name, self._time_limit)
                actor.is_ending = True
                self._ray.kill(actor.handle, no_restart=False)

    def _fitting(self, most: int, room: float) -> int:
        free = self._ray.available_resources()
        if "CPU" in self._demand:
            free["CPU"] = free.get("CPU", 0) - room
        return max(1, min(most, *(int(free.get(name, 0) // amount) for name, amount in self._demand.items())))

    def _shortage(self, offered: list[dict[str, float]]) -> str:
        machines = "; ".join(described(machine) for machine in offered) or "none is alive"
        return f"a worker needs {described(self._demand)}, and the machines have in total: {machines}"


class _Died(Exception):
    """A worker died, and its task must be sent again."""


def _reason(error: BaseException) -> str:
    """Returns Ray's reason without the stack trace: the first and the last line."""
    lines = [line.strip() for line in re.sub(r"\x1b\[\d*m", "", str(error)).splitlines() if line.strip()]
    return " … ".join(line[:200] for line in dict.fromkeys([*lines[:1], *lines[-1:]]))
