# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Packs the test of GPUs, which runs without Rust and this repository.

python -m places.cuda.tools.pack PROGRAM    build/test-gpu.tar.gz, and the folder build/test-gpu

PROGRAM is the stripped example `test_gpu` of the crate halimede-device, with its kernels. With
`--run` the test runs if this machine has a driver. Exit codes: 1: the archive is too large, or the
test fails.
"""

import argparse
import ctypes
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from places.cuda.tools.sources import BUILD, FOLDER

SCRIPT = FOLDER / "tools" / "run_test_gpu.sh"
NAME = "test-gpu"
MOST_BYTES = 60_000_000


def pack(program: Path, output: Path = BUILD) -> Path:
    """Writes the folder and the archive; returns the folder."""
    folder = output / NAME
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy2(program, folder / "test_gpu")
    shutil.copy2(SCRIPT, folder / "run.sh")
    archive = output / f"{NAME}.tar.gz"
    partial = archive.with_suffix(".partial")
    with tarfile.open(partial, "w:gz") as file:
        file.add(folder, NAME)
    size = partial.stat().st_size
    if size > MOST_BYTES:
        partial.unlink()
        raise ValueError(f"{archive.name} has {size} bytes, the limit is {MOST_BYTES}")
    partial.replace(archive)
    return folder


def has_driver() -> bool:
    """Returns True if this machine has NVIDIA's driver."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def main() -> int:
    """Packs the program that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--run", action="store_true", help="run the test if there is a driver")
    arguments = parser.parse_args()
    try:
        folder = pack(arguments.program)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{folder}.tar.gz: unpack it on a machine with a GPU, and run {NAME}/run.sh")
    if arguments.run and has_driver():
        return subprocess.run([str(folder / "run.sh")], check=False).returncode
    if arguments.run:
        print("not run: this machine has no NVIDIA driver")
    return 0


if __name__ == "__main__":
    sys.exit(main())
