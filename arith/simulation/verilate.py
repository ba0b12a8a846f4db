# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lints a design with Verilator, or compiles it once and keeps the program below build/verilated/.

A compiled design is found again by the hash of everything that went into it: sources, parameters,
options, C++ files, and the Verilator that translated it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from arith.simulation import compiler
from arith.simulation.compiler import BuildFailed
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import (
    PROJECT_ROOT,
    verilator_command,
    verilator_identity,
    waves_format,
)

__all__ = ["BuildFailed", "Parameters", "build", "lint"]

Parameters = Mapping[str, object]


def _parameter_options(parameters: Parameters) -> list[str]:
    """-G options. Integers above 31 bits are written as sized 256-bit constants."""
    options = []
    for name, value in parameters.items():
        if isinstance(value, int) and value >= 1 << 31:
            value = f"{max(256, value.bit_length())}'h{value:x}"
        options.append(f"-G{name}={value}")
    return options


def lint(
    top: str,
    sources: Sequence[Path] | None = None,
    parameters: Parameters | None = None,
    folders: Sequence[str] = (),
    options: Sequence[str] = (),
) -> None:
    """Raises BuildFailed unless `verilator --lint-only -Wall` reports nothing about `top`."""
    files = sources if sources is not None else sources_of(top, folders=folders)
    command = [
        *verilator_command(), "--lint-only", "-Wall", "--top-module", top,
        *_parameter_options(parameters or {}), *options, *map(str, files),
    ]
    compiler.call(command, f"lint of {top} {dict(parameters or {})}", PROJECT_ROOT)


def _keep_only(folder: Path, program: Path) -> None:
    """Removes the inputs of the program: generated C++ and headers take 200 MB per design."""
    for file in folder.iterdir():
        if file != program:
            file.unlink()


def build(
    top: str,
    cpp_sources: Sequence[Path],
    *,
    sources: Sequence[Path] | None = None,
    folders: Sequence[str] = (),
    parameters: Parameters | None = None,
    options: Sequence[str] = (),
    cpp_headers: Sequence[Path] = (),
    optimize: str = "-O1",
    waves: bool = False,
) -> Path:
    """Compiles `top` with a C++ main into a program, or finds it in the cache; returns its path.

    The C++ sees the design as class `Vtop` (header `Vtop.h`). `options` are for Verilator (for
    instance `-LDFLAGS ...`, `--threads 1`); `cpp_headers` are only part of the cache's key;
    `optimize` is the compiler's level for the design itself. With "-O0", for benches of few clocks,
    wide words are processed by functions instead of code for each of their parts.
    """
    files = list(sources) if sources is not None else sources_of(top, folders=folders)
    arguments = [
        "--cc", "--exe", "--top-module", top, "--prefix", "Vtop", "-o", top,
        "-Wno-fatal", "--x-assign", "fast", "--x-initial", "fast", "--noassert-case",
        *([f"--trace-{waves_format()}"] if waves else []),
        *(["-fno-expand"] if optimize == "-O0" else []),
        *_parameter_options(parameters or {}), *options,
    ]
    key = compiler.hash_of(
        [*arguments, optimize, verilator_identity()], [*files, *cpp_sources, *cpp_headers]
    )
    folder = compiler.CACHE / f"{top}-{key}"
    program = folder / top
    with compiler.made_once(folder) as empty:
        if empty:
            inputs = [str(file) for file in (*cpp_sources, *files)]
            compiler.call(
                [*verilator_command(), *arguments, "-Mdir", str(folder), *inputs],
                f"verilator {top}", folder,
            )
            compiler.Design(folder, optimize).compile(f"compiling {top}")
            _keep_only(folder, program)
    return program
