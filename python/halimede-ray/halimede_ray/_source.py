# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files that are read range by range and must not change after the work was planned."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from halimede_ray._errors import SourceChanged


@dataclass(frozen=True)
class Source:
    """The state of a regular file. A reader on another machine refuses a file in another state.

    path: the absolute path, the same on each worker.
    bytes: the length.
    modified_ns: the time of the last modification. Copies on other machines must keep it
        (`rsync --times`).
    """

    path: str
    bytes: int
    modified_ns: int

    @classmethod
    def find(cls, path: str | os.PathLike[str]) -> Source:
        """Returns the state of a file. Raises OSError if it is absent or not a regular file."""
        absolute = os.path.abspath(os.fspath(path))
        file = _opened(absolute)
        try:
            found = os.fstat(file)
            return cls(absolute, found.st_size, found.st_mtime_ns)
        finally:
            os.close(file)

    def read(self, start: int, stop: int) -> bytearray:
        """Reads the bytes from `start` to before `stop`.

        The file is read, not mapped, so a file that is truncated meanwhile raises an error, not a
        signal.

        Raises SourceChanged if the file has changed.
        """
        if not 0 <= start <= stop <= self.bytes:
            raise ValueError(f"{self.path}: bytes {start} to {stop} are not within {self.bytes}")
        file = _opened(self.path)
        try:
            self._require_unchanged(file)
            content = bytearray(stop - start)
            view, done = memoryview(content), 0
            while done < len(content):
                count = os.preadv(file, [view[done:]], start + done)
                if count == 0:
                    raise SourceChanged(f"{self.path}: it ends at byte {start + done}, expected {self.bytes} bytes")
                done += count
            self._require_unchanged(file)
            return content
        finally:
            os.close(file)

    def _require_unchanged(self, file: int) -> None:
        found = os.fstat(file)
        if found.st_size != self.bytes:
            raise SourceChanged(f"{self.path}: it has {found.st_size} bytes, and had {self.bytes}")
        if found.st_mtime_ns != self.modified_ns:
            raise SourceChanged(f"{self.path}: it was written to since the work was planned")


def _opened(path: str) -> int:
    """Opens a regular file and returns its descriptor. Refuses other files without blocking."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(f"{path}: not a regular file")
    return file
