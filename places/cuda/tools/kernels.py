# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles the kernels to PTX for every compute capability, unless that has been done.

python -m places.cuda.tools.kernels                  build/gpu-kernels/ENGINE.compute_90.ptx, …
python -m places.cuda.tools.kernels --engine blake3  only the kernels of this engine

Exit codes: 1: a source is invalid; 4: the compiler is missing.
"""

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from places.cuda.tools import toolkit
from places.cuda.tools.sources import BUILD, CAPABILITIES, FOLDER, BuildError, digest_of, engines

OUTPUT = BUILD / "gpu-kernels"
# The first line of a file, before the digest of its sources.
MARK = "// Halimede "
# Packs the files into the library; cargo runs it again when it changes.
PACKER = FOLDER / "build.rs"


def file_of(engine: str, capability: int, output: Path = OUTPUT) -> Path:
    """The PTX file of an engine."""
    return output / f"{engine}.compute_{capability}.ptx"


def digest(source: Path, capability: int) -> str:
    """A digest of everything that the PTX of a source depends on."""
    return digest_of(source, " ".join([toolkit.versions(), *toolkit.options(capability)]))


def mark_of(source: Path, capability: int) -> str:
    """The first line of a PTX file."""
    return f"{MARK}{digest(source, capability)}"


def is_current(path: Path, source: Path, capability: int) -> bool:
    """Returns True if a PTX file exists and belongs to these sources."""
    if not path.exists():
        return False
    with path.open() as file:
        return file.readline().rstrip() == mark_of(source, capability)


def make(engine: str, source: Path, capability: int, output: Path = OUTPUT) -> bool:
    """Compiles an engine's kernels; returns False if the file is up to date."""
    path = file_of(engine, capability, output)
    if is_current(path, source, capability):
        return False
    ptx = toolkit.compile_to_ptx(source, capability)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(f"{mark_of(source, capability)}\n{ptx}")
    partial.replace(path)
    return True


def make_all(names: list[str]) -> int:
    """Compiles the kernels of these engines, on all cores; returns the number of new files."""
    sources = engines()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    jobs = [(name, sources[name], capability) for name in names for capability in CAPABILITIES]
    wanted = {file_of(name, capability).name for name in sources for capability in CAPABILITIES}
    for path in OUTPUT.glob("*.ptx"):
        if path.name not in wanted:
            path.unlink()
    toolkit.library()
    with ProcessPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        made = sum(pool.map(make, *zip(*jobs, strict=True)))
    if made > 0:
        PACKER.touch()
    return made


def main() -> int:
    """Compiles the kernels that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", action="append", choices=sorted(engines()),
                        help="only this engine")
    arguments = parser.parse_args()
    try:
        made = make_all(arguments.engine or sorted(engines()))
    except toolkit.ToolMissing as error:
        print(error, file=sys.stderr)
        return 4
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{made} of {len(list(OUTPUT.glob('*.ptx')))} files in {OUTPUT} are new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
