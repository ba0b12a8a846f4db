# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The SystemVerilog files that a module needs, in the order in which they must be read.

The project's rule is one module or package per file, of the same name. So the dependencies of a
file are its identifiers that are names of other files, and no file list has to be maintained. Files
that are not in git are generated.
"""

import functools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from arith.simulation.generated import ensure_generated
from arith.simulation.toolchain import PROJECT_ROOT

# The folders of tests have the tops of benches.
RTL_FOLDERS = ("arith/rtl", "engines/*/rtl", "engines/*/rtl/generated", "card/rtl",
               "arith/rtl/tests", "engines/*/rtl/tests", "card/rtl/tests")

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def _files_by_name(folders: Iterable[str | Path]) -> dict[str, Path]:
    ensure_generated()
    found: dict[str, Path] = {}
    for folder in folders:
        for file in sorted(PROJECT_ROOT.glob(f"{folder}/*.sv")):
            if found.setdefault(file.stem, file) != file:
                raise ValueError(f"two files for `{file.stem}`: {found[file.stem]} and {file}")
    return found


@functools.lru_cache(maxsize=None)
def _identifiers(file: Path, _modified_ns: int) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(_COMMENT.sub(" ", file.read_text())))


def identifiers(file: Path) -> frozenset[str]:
    """The identifiers of a file, without those in comments."""
    return _identifiers(file, file.stat().st_mtime_ns)


def sources_of(*tops: str, folders: Sequence[str] = ()) -> list[Path]:
    """The files of the modules `tops` and of everything below them, dependencies first.

    `folders`: further folders to search (relative to the project's root), for instance one with
    generated tops.
    """
    files = _files_by_name((*RTL_FOLDERS, *folders))
    ordered: dict[str, Path] = {}
    open_names: set[str] = set()

    def visit(name: str) -> None:
        if name in ordered or name in open_names:
            return
        open_names.add(name)
        file = files[name]
        for other in sorted(identifiers(file) & files.keys()):
            visit(other)
        ordered[name] = file

    for top in tops:
        if top not in files:
            raise FileNotFoundError(f"no file {top}.sv in any of {(*RTL_FOLDERS, *folders)}")
        visit(top)
    return list(ordered.values())
