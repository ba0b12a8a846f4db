# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles kernels for the processor and runs them on numpy arrays.

The tests of this folder run in processes with AddressSanitizer and UBSan, which `sanitized.py`
starts. With HALIMEDE_PLAIN_KERNELS=1 they run without, in the process of pytest.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "places/cuda/kernels"
TESTS = ROOT / "places/cuda/tests"
BUILD = ROOT / "build/cuda-kernels"
FLAGS = ("-std=c++17", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
PLAIN = ("-O1",)
CHECKED = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""Options of a build that stops at an invalid access or undefined behavior."""
IS_CHECKED = os.environ.get("HALIMEDE_CHECKED_KERNELS") == "1"
"""True in a process with the sanitizers' libraries."""
IS_PLAIN = os.environ.get("HALIMEDE_PLAIN_KERNELS") == "1"
IS_SWEEP = os.environ.get("HALIMEDE_SWEEP") == "1"
COMPILE_SECONDS = 600

Argument = np.ndarray[Any, Any] | int
Words = NDArray[np.uint32]


class Uint64(int):
    """A scalar argument of 64 bits; other integers are arguments of 32 bits."""


def digest(paths: Sequence[Path], options: Sequence[str]) -> str:
    """A name for the contents of sources and everything that they may include."""
    state = hashlib.sha256(repr(options).encode())
    headers = [path for path in KERNELS.rglob("*") if path.suffix in (".cuh", ".h", ".cpp")]
    for path in sorted({*headers, *paths, TESTS / "entry.cpp"}):
        state.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return state.hexdigest()[:20]


def compiled(source: Path, options: Sequence[str]) -> Path:
    """The shared library of a source, which is kept by its contents."""
    library = BUILD / f"{source.stem}-{digest([source], options)}.so"
    if not library.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        partial = library.with_suffix(f".{os.getpid()}")
        command = ["g++", *FLAGS, *options, f"-I{KERNELS}", "-x", "c++", str(source),
                   str(KERNELS / "platform/host.cpp"), str(TESTS / "entry.cpp"), "-o", str(partial)]
        # The compiler itself needs no sanitizer.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        subprocess.run(command, check=True, timeout=COMPILE_SECONDS, env=environment)
        partial.replace(library)
    return library


class Kernels:
    """The kernels of one source."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))
        self.library.kernel_argument_bytes.restype = ctypes.c_size_t
        self.library.kernel_argument_bytes.argtypes = [ctypes.c_char_p, ctypes.c_uint32]

    def threads(self, name: str) -> int:
        """The most threads of a block."""
        return int(self.library.kernel_threads(name.encode()))

    def run(self, name: str, threads: int, *arguments: Argument, block: int | None = None) -> None:
        """Runs a kernel on at least `threads` threads."""
        block = block or self.threads(name)
        assert block, f"{name}: no such kernel"
        self.launch(name, max(1, -(-threads // block)), block, *arguments)

    def launch(self, name: str, blocks: int, block: int, *arguments: Argument) -> None:
        """Runs a kernel on blocks. Arrays are pointers to their memory."""
        cells: list[Any] = []
        for number, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                assert argument.flags.c_contiguous
                cells.append(ctypes.c_void_p(argument.ctypes.data))
            else:
                wide = isinstance(argument, Uint64)
                cells.append(ctypes.c_uint64(argument) if wide else ctypes.c_uint32(argument))
            size = self.library.kernel_argument_bytes(name.encode(), number)
            assert size == ctypes.sizeof(cells[-1]), f"{name}: argument {number} has {size} bytes"
        assert not self.library.kernel_argument_bytes(name.encode(), len(arguments))
        pointers = (ctypes.c_void_p * max(1, len(cells)))(
            *(ctypes.addressof(cell) for cell in cells))
        assert self.library.run_kernel(name.encode(), blocks, block, pointers) == 0


@lru_cache(maxsize=None)
def kernels(source: Path) -> Kernels:
    """The kernels of a source."""
    return Kernels(compiled(source, CHECKED if IS_CHECKED else PLAIN))


def some(all_cases: Any, few: Any) -> Any:
    """The cases of a test: few by default, since the sanitizers take time, and all in a sweep or
    without sanitizers."""
    return all_cases if IS_SWEEP or IS_PLAIN else few


def to_words(values: Sequence[int], count: int) -> Words:
    """Integers as rows of `count` words, lowest first."""
    data = b"".join(value.to_bytes(4 * count, "little") for value in values)
    return np.frombuffer(data, dtype="<u4").reshape(-1, count).copy()


def from_words(words: Words) -> list[int]:
    """Rows of words as integers."""
    return [int.from_bytes(row.tobytes(), "little") for row in words]
