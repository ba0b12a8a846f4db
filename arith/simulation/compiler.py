# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles the C++ that Verilator has written for a design.

Most of the compile time of a small design is not for the design: Verilator's runtime library takes
ten seconds, and reading the library's headers one second per file. The library's objects and the
precompiled header are made once for all designs with the same switches, and a design is compiled in
a few large pieces.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from arith.simulation.toolchain import BUILD_ROOT, environment, verilator_identity

CACHE = BUILD_ROOT / "verilated"
BUILD_TIME_LIMIT_S = 1800
# A piece reads the design's headers, which takes a second; pieces of this size still keep all
# processors busy with a large design.
PIECE_BYTES = 6_000_000
# Passes of -O1 that take a fourth of its time, and make these programs hardly faster.
QUICK = " -fno-tree-dse -fno-tree-dominator-opts -fno-tree-fre -fno-tree-pta"
# The includes of every design's C++.
HEADER = '#include "verilated.h"\n#include "verilated_vpi.h"\n'
HEADERS = ("design.h.fast.gch", "design.h.slow.gch")
SLOW = "-O0"
MAKEFILES = ("Vtop_classes.mk", "Vtop.mk")


class BuildFailed(AssertionError):
    """Verilator or the C++ compiler refused a design."""


def call(command: Sequence[str], what: str, folder: Path) -> None:
    """Runs a command. Its output is the text of the error if it fails."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment(), text=True, timeout=BUILD_TIME_LIMIT_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BuildFailed(f"{what}: not finished after {BUILD_TIME_LIMIT_S} s") from error
    if done.returncode != 0:
        raise BuildFailed(f"{what} failed:\n{done.stdout[-6000:]}")


def hash_of(parts: Sequence[str], files: Sequence[Path] = ()) -> str:
    """16 digits that depend on texts, and on the names and contents of files."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def made_once(folder: Path) -> Iterator[bool]:
    """Returns an empty folder to fill, and True; or the complete folder and False. If two processes
    request the same folder, it is made once."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / "complete").exists():
            yield False
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        yield True
        (folder / "complete").touch()


def make(folder: Path, what: str, arguments: Sequence[str]) -> None:
    """Runs the makefile that Verilator has written into a folder."""
    command = ["make", f"-j{os.cpu_count() or 1}", "-C", str(folder), "-f", "Vtop.mk"]
    call([*command, "OPT_GLOBAL=-O2", *arguments], what, folder)


def _settings(makefile: Path) -> dict[str, list[str]]:
    """The variables of a makefile written by Verilator, each with its words."""
    settings = {}
    for line in makefile.read_text().replace("\\\n", " ").splitlines():
        name, equals, words = line.partition("=")
        if equals and not line.startswith(("#", "\t")):
            settings[name.rstrip(" +?")] = words.split()
    return settings


class Design:
    """The folder into which Verilator has written a design."""

    def __init__(self, folder: Path, optimize: str) -> None:
        self.folder = folder
        self.optimize = optimize + QUICK if optimize == "-O1" else optimize
        self.classes, top = (_settings(folder / name) for name in MAKEFILES)
        # Folders, definitions and warnings of a design's own files do not change the library.
        self.flags = [
            flag for flag in top["VM_USER_CFLAGS"] if not flag.startswith(("-I", "-D", "-W"))
        ]
        self.switches = sorted(
            (name, words) for name, words in self.classes.items()
            if words in (["0"], ["1"]) and name != "VM_PARALLEL_BUILDS"
        )

    def _shared(self, name: str, parts: Sequence[str], targets: Sequence[str],
                with_traces: bool = True) -> Path:
        """A folder with the files that are the same for all designs with these switches, made once;
        optionally regardless of the switches for traces."""
        switches = [switch for switch in self.switches
                    if with_traces or not switch[0].startswith("VM_TRACE")]
        key = hash_of([verilator_identity(), repr((switches, self.flags)), *parts])
        shared = CACHE / f"{name}-{key}"
        with made_once(shared) as empty:
            if empty:
                for makefile in MAKEFILES:
                    shutil.copy(self.folder / makefile, shared)
                (shared / "design.h").write_text(HEADER)
                flags = f"VM_USER_CFLAGS={' '.join(self.flags)}"
                make(shared, f"compiling Verilator's {name}", [*self._levels(), flags, *targets])
                if HEADERS[0] not in targets and HEADERS[1] in targets:
                    os.link(shared / HEADERS[1], shared / HEADERS[0])
        return shared

    def _levels(self, header: str = "") -> list[str]:
        levels = {"FAST": self.optimize, "SLOW": SLOW}
        return [
            f"OPT_{speed}={level}" + (f" -include {header}.{speed.lower()}" if header else "")
            for speed, level in levels.items()
        ]

    def _link_runtime(self) -> None:
        """Puts the objects of Verilator's runtime library into the folder. They are the same in
        designs that write traces."""
        for name in (*self.classes["VM_GLOBAL_FAST"], *self.classes["VM_GLOBAL_SLOW"]):
            shared = self._shared(name, [], [f"{name}.o"], with_traces=False)
            shutil.copy(shared / f"{name}.o", self.folder)

    def _header(self) -> Path:
        """The header that is precompiled for both speeds."""
        targets = HEADERS if self.optimize != SLOW else HEADERS[1:]
        return self._shared("header", [self.optimize, HEADER], targets) / "design.h"

    def _pieces(self, speed: str) -> list[str]:
        """Joins the files of a speed, `FAST` or `SLOW`, into pieces; returns the pieces' names."""
        sizes = {name: (self.folder / f"{name}.cpp").stat().st_size
                 for kind in ("CLASSES", "SUPPORT") for name in self.classes[f"VM_{kind}_{speed}"]}
        pieces: list[list[str]] = []
        rooms: list[int] = []
        for name in sorted(sizes, key=lambda name: -sizes[name]):
            place = next((at for at, room in enumerate(rooms) if room >= sizes[name]), len(rooms))
            if place == len(rooms):
                pieces.append([])
                rooms.append(PIECE_BYTES)
            pieces[place].append(f'#include "{name}.cpp"\n')
            rooms[place] -= sizes[name]
        joined = [f"piece_{speed.lower()}_{index}" for index in range(len(pieces))]
        for name, lines in zip(joined, pieces):
            (self.folder / f"{name}.cpp").write_text("".join(lines))
        return joined

    def compile(self, what: str) -> None:
        """Compiles and links the program."""
        self._link_runtime()
        header = self._header()
        pieces = [
            f"VM_CLASSES_{speed}={' '.join(self._pieces(speed))}" for speed in ("FAST", "SLOW")
        ]
        make(self.folder, what, [
            *self._levels(str(header)), *pieces, "VM_SUPPORT_FAST=", "VM_SUPPORT_SLOW=",
            "VM_PARALLEL_BUILDS=1", f"VK_PCH_H={header}", "VK_PCH_I_FAST=", "VK_PCH_I_SLOW=",
        ])
