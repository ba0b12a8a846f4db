# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A journal of results, which outlive a run. Each result is one file, written once and atomically,
with the hash of the content from which it was computed."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from halimede import blake3
from halimede_ray._errors import Disagreement

LARGEST_BYTES = 64 << 20
"""The largest size of a result."""


class Result(NamedTuple):
    """The result of a part of the work.

    content: the BLAKE3 hash of the bytes from which it was computed, in hexadecimal.
    value: a JSON value.
    """

    content: str
    value: Any


def name_of(**work: Any) -> str:
    """Returns the name of a part of the work: the BLAKE3 hash of its description as JSON.

    >>> name_of(job="tree", first=0) == name_of(first=0, job="tree") != name_of(first=1, job="tree")
    True
    """
    return blake3.hash(json.dumps(work, sort_keys=True).encode()).hex()


class Journal:
    """A folder of results. Only one process at a time writes to it: the one that distributes the
    work.

    folder: created if it does not exist, accessible only to its owner.
    written: the number of results that this object has written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.written = 0
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get(self, name: str) -> Result | None:
        """Returns the result with this name, or None.

        Raises ValueError for a damaged file, which must be removed.
        """
        path = self._path(name)
        try:
            file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with os.fdopen(file, "rb") as opened:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_BYTES:
                raise ValueError(f"{path}: not a result, remove it")
            text = opened.read()
        try:
            check, content, value = json.loads(text)
            if check != _check(name, content, value):
                raise ValueError("the check differs")
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{path}: a damaged result, remove it ({error})") from None
        return Result(content, value)

    def put(self, name: str, result: Result) -> bool:
        """Writes a result atomically. Returns False, without writing, if a result for the same
        content exists. Replaces a result for other content, from an older version of a file.

        Raises Disagreement if the same content had another value.
        """
        known = self.get(name)
        if known is not None and known.content == result.content:
            if known.value != result.value:
                raise Disagreement(
                    f"{self._path(name)}: content {result.content} had the value {_short(known.value)}, "
                    f"and now has {_short(result.value)}: one of two machines computes wrongly")
            return False
        text = json.dumps([_check(name, *result), *result]).encode()
        if len(text) > LARGEST_BYTES:
            raise ValueError(f"a result of {len(text)} bytes: at most {LARGEST_BYTES} are allowed")
        write_whole(self._path(name), text)
        self.written += 1
        return True

    def _path(self, name: str) -> Path:
        if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
            raise ValueError(f"not the name of a result: {name!r}")
        return self.folder / f"{name}.json"


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file atomically; replaces an existing regular file."""
    path = Path(path)
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(f"{path}: not a regular file, not replaced")
    file, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _check(name: str, content: str, value: Any) -> str:
    return name_of(name=name, content=content, value=value)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
