# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels' sources: one file for each engine."""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "places" / "cuda"
KERNELS = FOLDER / "kernels"
STANDIN = FOLDER / "standin"
BUILD = ROOT / "build"
# The compute capabilities that kernels are compiled for (places/cuda/src/kernels.rs).
CAPABILITIES = (80, 90, 120)

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class BuildError(Exception):
    """A source cannot be compiled."""


def engines() -> dict[str, Path]:
    """The engines with their sources, by name."""
    return {source.stem: source for source in sorted(KERNELS.glob("*.cu"))}


def files_of(source: Path) -> list[Path]:
    """A source and the files that it includes, also indirectly."""
    seen: set[Path] = set()

    def visit(path: Path) -> None:
        if path in seen:
            return
        seen.add(path)
        for include in INCLUDE.findall(path.read_text()):
            for folder in (path.parent, KERNELS):
                if (folder / include).exists():
                    visit((folder / include).resolve())
                    break

    visit(source.resolve())
    return sorted(seen)


def digest_of(source: Path, settings: str) -> str:
    """A digest of a source with its headers and of settings of the compiler."""
    state = hashlib.sha256(settings.encode())
    for path in files_of(source):
        text = path.read_bytes()
        state.update(f"\n{path.name} {len(text)}\n".encode())
        state.update(text)
    return state.hexdigest()[:32]
