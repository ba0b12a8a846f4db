# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks of the tests, which write a line to a file at each beginning and end."""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halimede_ray._tree import SubtreeRoots


@dataclass(frozen=True)
class Noted(SubtreeRoots):
    """Roots of subtrees; each beginning and end is noted. The first part that a worker of the
    victim begins hangs forever; other parts wait until it has begun.

    folder: the folder of the notes.
    victim: the raylet's process.
    """

    folder: str
    victim: int

    def __call__(self, device: Any, *layers: bytes) -> list[str]:
        note(self.folder, f"begin {self.first}")
        held = Path(self.folder, "held")
        if os.getppid() != self.victim:
            wait_for(held)
        elif once(held):
            note(self.folder, f"held {self.first}")
            wait_for(Path(self.folder, "never"))
        roots = super().__call__(device, *layers)
        note(self.folder, f"end {self.first}")
        return roots


def wait_for(path: Path) -> None:
    """Waits until a file exists, with a time limit."""
    end = time.monotonic() + 100
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.02)


def note(folder: str, event: str) -> None:
    """Appends a line with the event and this process, atomically."""
    file = os.open(Path(folder, "notes"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, f"{event} {os.getpid()}\n".encode())
    os.close(file)


def notes(folder: str | Path) -> list[tuple[str, str, int]]:
    """Returns the events so far: "begin" or "end", the part, and the process."""
    path = Path(folder, "notes")
    lines = path.read_text().splitlines() if path.exists() else []
    return [(event, what, int(process)) for event, what, process in map(str.split, lines)]


def counts(folder: str | Path, event: str) -> Counter[str]:
    """Returns how often each part had an event."""
    return Counter(what for one, what, _ in notes(folder) if one == event)


def once(path: Path) -> bool:
    """Returns True in the first call for a file, and creates the file."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


def mark(state: Any, folder: str, number: int) -> int:
    """A task that notes its beginning."""
    note(folder, f"begin {number}")
    return number * number


def slow(state: Any, folder: str, number: int) -> int:
    """A task that hangs in the first process that begins number 1."""
    note(folder, f"begin {number}")
    if number == 1 and once(Path(folder, "hung")):
        time.sleep(3600)
    return number


def fatal(state: Any, number: int) -> int:
    """A task that ends its process."""
    if number == 2:
        os._exit(7)
    return number


def fatal_until(state: Any, folder: str, number: int, ready: str) -> int:
    """A task that ends its process the first time, once a neighbor's content is read there."""
    if once(Path(folder, f"fatal {number}")):
        wait_for(Path(folder, ready))
        os._exit(7)
    return number


@dataclass(frozen=True)
class Signal:
    """Content whose reading leaves a file."""

    path: str

    def read(self) -> str:
        Path(self.path).touch()
        return self.path


def innocent(state: Any, content: str) -> str:
    """A task that only answers."""
    return content


def threads(state: Any) -> tuple[str, Any]:
    """Returns the worker's number of threads and its state."""
    return os.environ["RAYON_NUM_THREADS"], state


def counted(device: Any, folder: str, argument: str) -> str:
    """Makes a state, and notes that it was made."""
    note(folder, f"setup {argument}")
    return argument


def failing(device: Any) -> None:
    raise ValueError("this machine lacks what is needed")
