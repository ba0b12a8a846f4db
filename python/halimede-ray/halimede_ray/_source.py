# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files that are read range by range, and must stay as they were when the work was planned."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from halimede_ray._errors import SourceChanged


@dataclass(frozen=True)
class Source:
    """A regular file as it was found: what reads it elsewhere refuses another.

    path: absolute; each worker has the file there.
    bytes: its length.
    modified_ns: when it was last written to. Copies on several machines keep it (`rsync --times`).
    """

    path: str
    bytes: int
    modified_ns: int

    @classmethod
    def find(cls, path: str | os.PathLike[str]) -> Source:
        """The file as it is now. Raises OSError where it is absent or not a regular file."""
        absolute = os.path.abspath(os.fspath(path))
        file = _opened(absolute)
        try:
            found = os.fstat(file)
            return cls(absolute, found.st_size, found.st_mtime_ns)
        finally:
            os.close(file)

    def read(self, start: int, stop: int) -> bytearray:
        """Bytes from `start` to before `stop`.

        The file is read, not mapped, so that one that is cut meanwhile is an error and no signal.

        Raises SourceChanged where it is not, or is no longer, the file that was found.
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
                    raise SourceChanged(f"{self.path}: it ends at byte {start + done}, and had {self.bytes}")
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
    """A descriptor of a regular file; what is not one neither blocks nor is read."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(f"{path}: it is not a regular file")
    return file
