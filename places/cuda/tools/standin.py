# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the stand-in driver, which runs the kernels on this processor.

python -m places.cuda.tools.standin              build/cuda-standin/libcuda.so.1
python -m places.cuda.tools.standin --sanitize   build/cuda-standin-sanitize: with AddressSanitizer
                                                 and UndefinedBehaviorSanitizer

The folder `kernels` beside the library has a PTX file for each engine that only names the kernels.
Prints the library's path. Exit codes: 1: the build failed; 4: g++ is missing.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from places.cuda.tools.sources import BUILD, KERNELS, STANDIN, BuildError, engines

FLAGS = ["-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
         f"-I{KERNELS}", f"-I{KERNELS / 'platform'}"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1"]
# The first name by which `cudarc` asks for the library.
NAME = "libcuda.so"
# The object of a kernel's registration, as its name is in the compiled file.
REGISTERED = re.compile(r"\b_ZL\d+registered_(\w+)$", re.MULTILINE)
# The beginning of a PTX file.
HEADER = ".version 8.7\n.target sm_80\n.address_size 64\n"


def folder_of(sanitized: bool) -> Path:
    """The folder of the built library."""
    return BUILD / ("cuda-standin-sanitize" if sanitized else "cuda-standin")


def is_current(result: Path, dependencies: Path) -> bool:
    """Returns True if a result is newer than all files that its compilation has read."""
    if not result.exists() or not dependencies.exists():
        return False
    words = dependencies.read_text().replace("\\\n", " ").split()[1:]
    made = result.stat().st_mtime_ns
    return all(Path(word).exists() and Path(word).stat().st_mtime_ns <= made for word in words)


def run(command: list[str]) -> None:
    """Runs a compiler; its messages are the error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")


def compile_one(source: Path, folder: Path, flags: list[str]) -> Path:
    """Compiles a source to an object, unless that has been done."""
    result = folder / "objects" / f"{source.parent.name}-{source.stem}.o"
    dependencies = result.with_suffix(".d")
    if is_current(result, dependencies):
        return result
    partial = result.with_suffix(f".{os.getpid()}.o")
    run(["g++", *flags, "-MD", "-MF", str(dependencies), "-x", "c++", "-c", str(source),
         "-o", str(partial)])
    partial.replace(result)
    return result


def kernel_names(compiled: Path) -> list[str]:
    """The names of the kernels of a compiled source."""
    done = subprocess.run(["nm", str(compiled)], capture_output=True, text=True, check=True)
    return sorted(REGISTERED.findall(done.stdout))


def write_entries(folder: Path, objects: dict[str, Path]) -> None:
    """Writes the PTX files, which name the kernels."""
    kernels = folder / "kernels"
    kernels.mkdir(exist_ok=True)
    wanted = {}
    for engine, compiled in objects.items():
        entries = "".join(f".visible .entry {name}()\n{{\n    ret;\n}}\n"
                          for name in kernel_names(compiled))
        wanted[f"{engine}.compute_80.ptx"] = HEADER + entries
    for path in kernels.iterdir():
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = kernels / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def build(sanitized: bool = False, extra: list[Path] | None = None,
          folder: Path | None = None) -> Path:
    """Builds the library, with further sources of kernels, and returns its path."""
    folder = folder or folder_of(sanitized)
    (folder / "objects").mkdir(parents=True, exist_ok=True)
    flags = FLAGS + (SANITIZERS if sanitized else [])
    sources = [*sorted(STANDIN.glob("*.cpp")), KERNELS / "platform" / "host.cpp",
               *engines().values(), *(extra or [])]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        objects = list(pool.map(lambda source: compile_one(source, folder, flags), sources))
    made = {source.stem: result for source, result in zip(sources, objects, strict=True)}
    write_entries(folder, {name: made[name] for name in engines()})
    library = folder / "libcuda.so.1"
    newest = max(path.stat().st_mtime_ns for path in objects)
    if not library.exists() or library.stat().st_mtime_ns < newest:
        partial = folder / f"libcuda.{os.getpid()}"
        run(["g++", "-shared", *flags, f"-Wl,-soname,{NAME}", "-o", str(partial),
             *map(str, objects)])
        partial.replace(library)
    return library


def main() -> int:
    """Builds the library that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sanitize", action="store_true", help="check addresses and arithmetic")
    arguments = parser.parse_args()
    if shutil.which("g++") is None:
        print("the stand-in driver needs g++", file=sys.stderr)
        return 4
    try:
        print(build(arguments.sanitize))
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
