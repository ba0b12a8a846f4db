# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lints a design with Verilator, or compiles it once and keeps the program below build/verilated/.

A compiled design is found again by the hash of everything that made it: sources, parameters,
options, C++ files, and the Verilator that translated it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from arith.simulation.sources import sources_of
from arith.simulation.toolchain import (
    BUILD_ROOT,
    PROJECT_ROOT,
    environment,
    verilator_command,
    verilator_identity,
    waves_format,
)

CACHE = BUILD_ROOT / "verilated"
BUILD_TIME_LIMIT_S = 1800
Parameters = Mapping[str, object]


class BuildFailed(AssertionError):
    """Verilator or the C++ compiler refused a design."""


def _parameter_options(parameters: Parameters) -> list[str]:
    """-G options. Integers above 31 bits are written as sized 256-bit constants."""
    options = []
    for name, value in parameters.items():
        if isinstance(value, int) and value >= 1 << 31:
            value = f"{max(256, value.bit_length())}'h{value:x}"
        options.append(f"-G{name}={value}")
    return options


def _call(command: Sequence[str], what: str, folder: Path) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment(), text=True, timeout=BUILD_TIME_LIMIT_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BuildFailed(f"{what}: no end after {BUILD_TIME_LIMIT_S} s") from error
    if done.returncode != 0:
        raise BuildFailed(f"{what} failed:\n{done.stdout[-6000:]}")


def lint(
    top: str,
    sources: Sequence[Path] | None = None,
    parameters: Parameters | None = None,
    folders: Sequence[str] = (),
) -> None:
    """Raises BuildFailed unless `verilator --lint-only -Wall` has nothing to say about `top`."""
    files = sources if sources is not None else sources_of(top, folders=folders)
    command = [
        *verilator_command(), "--lint-only", "-Wall", "--top-module", top,
        *_parameter_options(parameters or {}), *map(str, files),
    ]
    _call(command, f"lint of {top} {dict(parameters or {})}", PROJECT_ROOT)


def _hash(parts: Sequence[str], files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Two processes that want the same design compile it once."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _keep_only(folder: Path, program: Path) -> None:
    """Removes what the program was made from: generated C++ and headers take 200 MB a design."""
    for file in folder.iterdir():
        if file != program:
            file.unlink()


def _make(folder: Path, what: str, arguments: Sequence[str]) -> None:
    """Runs the makefile that Verilator has written into a folder."""
    command = ["make", f"-j{os.cpu_count() or 1}", "-C", str(folder), "-f", "Vtop.mk"]
    _call([*command, "OPT_GLOBAL=-O2", *arguments], what, folder)


def _settings(makefile: Path) -> dict[str, list[str]]:
    """The variables of a makefile that Verilator has written, each with its words."""
    settings = {}
    for line in makefile.read_text().replace("\\\n", " ").splitlines():
        name, equals, words = line.partition("=")
        if equals and not line.startswith(("#", "\t")):
            settings[name.rstrip(" +?")] = words.split()
    return settings


def _link_runtime(folder: Path) -> None:
    """Puts the objects of Verilator's runtime library into the folder of a design.

    They are the same for all designs with the same switches, and take twelve seconds to compile:
    most of what a small design takes.
    """
    makefiles = [folder / "Vtop_classes.mk", folder / "Vtop.mk"]
    classes, top = (_settings(makefile) for makefile in makefiles)
    objects = [f"{name}.o" for name in (*classes["VM_GLOBAL_FAST"], *classes["VM_GLOBAL_SLOW"])]
    switches = {name: words for name, words in classes.items() if words in (["0"], ["1"])}
    flags = top["VM_USER_CFLAGS"]
    key = _hash([verilator_identity(), repr([objects, sorted(switches.items()), flags])], [])
    runtime = CACHE / f"runtime-{key}"
    with _locked(runtime):
        if not (runtime / "complete").exists():
            shutil.rmtree(runtime, ignore_errors=True)
            runtime.mkdir()
            for makefile in makefiles:
                shutil.copy(makefile, runtime)
            _make(runtime, "compiling Verilator's runtime library", objects)
            (runtime / "complete").touch()
    for name in objects:
        shutil.copy(runtime / name, folder)


def build(
    top: str,
    cpp_sources: Sequence[Path],
    *,
    sources: Sequence[Path] | None = None,
    folders: Sequence[str] = (),
    parameters: Parameters | None = None,
    options: Sequence[str] = (),
    cpp_headers: Sequence[Path] = (),
    optimise: str = "-O1",
    waves: bool = False,
) -> Path:
    """Compiles `top` with a C++ main into a program, or finds it in the cache; returns its path.

    The C++ sees the design as class `Vtop` (header `Vtop.h`). `options` goes to Verilator (for
    instance `-LDFLAGS ...`, `--threads 1`); `cpp_headers` only counts for the cache's key;
    `optimise` is the compiler's level for the design itself.
    """
    files = list(sources) if sources is not None else sources_of(top, folders=folders)
    arguments = [
        "--cc", "--exe", "--top-module", top, "--prefix", "Vtop", "-o", top,
        "-Wno-fatal", "--x-assign", "fast", "--x-initial", "fast", "--noassert-case",
        *([f"--trace-{waves_format()}"] if waves else []),
        *_parameter_options(parameters or {}), *options,
    ]
    key = _hash(
        [*arguments, optimise, verilator_identity()], [*files, *cpp_sources, *cpp_headers]
    )
    folder = CACHE / f"{top}-{key}"
    program = folder / top
    with _locked(folder):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            inputs = [str(file) for file in (*cpp_sources, *files)]
            _call(
                [*verilator_command(), *arguments, "-Mdir", str(folder), *inputs],
                f"verilator {top}", folder,
            )
            _link_runtime(folder)
            _make(folder, f"compiling {top}", [f"OPT_FAST={optimise}", "OPT_SLOW=-O0"])
            _keep_only(folder, program)
            (folder / "complete").write_text("\n".join(map(str, files)) + "\n")
    return program
