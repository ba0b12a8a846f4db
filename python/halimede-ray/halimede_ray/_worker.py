# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The code of a worker. It does not import Ray, which calls it from outside."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from halimede._native import Device


class About(NamedTuple):
    """A worker's description: the name of its machine, its process, and its version of this
    package."""

    host: str
    process: int
    version: str


class Readable(Protocol):
    """Content that a worker reads before it computes."""

    def read(self) -> Any:
        """Reads the content."""


class Worker:
    """Runs parts of the work with a state that is made once. Threads may call it: it reads the
    content of one part while it computes another, and computes sequentially in the order of the
    calls.

    threads: the number of threads of batches, if the process has not started any; None keeps it.
    device, fallback: as for `halimede.Device`; "cpu" is this processor.
    setup: makes the state from `arguments`; by default the state is the device.
    """

    def __init__(
        self, threads: int | None, device: str, fallback: str | None,
        setup: Callable[..., Any] | None, *arguments: Any,
    ) -> None:
        if threads is not None:
            os.environ["RAYON_NUM_THREADS"] = str(threads)
        self._device = (device, fallback)
        self._setup = setup
        self._arguments = arguments
        self._state: Any = None
        self._is_ready = False
        self._setting_up = threading.Lock()
        self._turns = _Turns()

    def ready(self) -> About:
        """Makes the state in the first call. Raises the errors of the device and of `setup`."""
        import halimede

        with self._setting_up:
            if not self._is_ready:
                name, fallback = self._device
                device: Device | None = None
                if name != "cpu":
                    device = halimede.Device(name, fallback=fallback)
                self._state = self._setup(device, *self._arguments) if self._setup else device
                self._arguments = ()
                self._is_ready = True
        return About(socket.gethostname(), os.getpid(), halimede.__version__)

    def run(
        self, call: Callable[..., Any], arguments: tuple[Any, ...], readings: Sequence[Readable],
        *contents: Any,
    ) -> Any:
        """Runs a part of the work, on its readings or on contents. Call `ready` first."""
        with self._turns.next() as turn:
            found = [*contents, *(reading.read() for reading in readings)]
            turn.wait()
            return call(self._state, *arguments, *found)


class _Turns:
    """Lets threads continue in the order of their arrival."""

    def __init__(self) -> None:
        self._last: threading.Event | None = None
        self._lock = threading.Lock()

    @contextmanager
    def next(self) -> Iterator[threading.Event]:
        """Returns an event that is set when the previous thread has finished."""
        done = threading.Event()
        with self._lock:
            before, self._last = self._last, done
        if before is None:
            before = threading.Event()
            before.set()
        try:
            yield before
        finally:
            # A thread that fails while it reads must not let the next thread overtake earlier ones.
            before.wait()
            done.set()
