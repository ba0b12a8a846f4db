# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels' sources: one file for each engine."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "places" / "cuda"
KERNELS = FOLDER / "kernels"
STANDIN = FOLDER / "standin"
BUILD = ROOT / "build"
# The compute capabilities that kernels are compiled for (places/cuda/src/kernels.rs).
CAPABILITIES = (80, 90, 120)

KERNEL = re.compile(r"^KERNEL\(\s*[\w:]+\s*,\s*(\w+)", re.MULTILINE)


class BuildError(Exception):
    """A source cannot be compiled."""


def engines() -> dict[str, Path]:
    """The engines with their sources, by name."""
    return {source.stem: source for source in sorted(KERNELS.glob("*.cu"))}


def headers() -> list[Path]:
    """The headers of all kernels."""
    return sorted(path for path in KERNELS.rglob("*") if path.suffix in (".cuh", ".h"))


def kernel_names(source: Path) -> list[str]:
    """The names of the kernels that a source defines, also in the files that it includes."""
    seen: set[Path] = set()
    names: list[str] = []

    def visit(path: Path) -> None:
        if path in seen:
            return
        seen.add(path)
        text = path.read_text()
        for include in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            for folder in (path.parent, KERNELS):
                if (folder / include).exists():
                    visit((folder / include).resolve())
                    break
        names.extend(KERNEL.findall(text))

    visit(source.resolve())
    return names
