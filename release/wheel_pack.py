# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Packs a wheel with the library that `make dist` has built.

    python -m release.wheel_pack --library target/…/dist/libhalimede_native.so --target TARGET build/wheels

`maturin build` would compile the common dependencies of library and command a second time, since
cargo chooses other features for a single crate. So maturin only writes the metadata and the
licenses here, as for `pip install .`, and `wheel pack` of the project wheel writes the archive. All
times inside are the time of the commit.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release import wheel
from release.deb import commit_time


def retag(text: str, machine: str) -> str:
    """Returns the file WHEEL with the tag of the build; release/wheel.py checks that the tag is
    right."""
    lines = [line for line in text.splitlines() if not line.startswith("Tag: ")]
    return "\n".join([*lines, f"Tag: cp39-abi3-manylinux_2_28_{machine}", ""])


def pack(library: Path, target: str, out: Path) -> None:
    """Writes the wheel of a library into a folder."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(commit_time())}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        # These are the options that pip passes. It prints the name of the folder.
        metadata = ["maturin", "pep517", "write-dist-info", "--metadata-directory", folder,
                    "--target", target, "--interpreter", sys.executable]
        done = subprocess.run(metadata, cwd=wheel.ROOT, check=True, stdout=subprocess.PIPE, text=True)
        information = tree / done.stdout.strip() / "WHEEL"
        information.write_text(
            retag(information.read_text("utf-8"), target.partition("-")[0]), "utf-8")
        for name in wheel.modules():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(wheel.ROOT / "python" / name, tree / name)
        shutil.copyfile(library, tree / wheel.LIBRARY)
        (tree / wheel.LIBRARY).chmod(0o755)
        out.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "wheel", "pack", folder, "--dest-dir", out],
                       check=True, env=environment)


def main() -> int:
    """Runs the command; returns 0, or 1 if something is missing."""
    parser = argparse.ArgumentParser(description="Packs the wheel.")
    parser.add_argument("--library", type=Path, required=True, help="libhalimede_native.so")
    parser.add_argument("--target", required=True, help="the target, as cargo names it")
    parser.add_argument("out", type=Path, help="the folder for the wheel")
    arguments = parser.parse_args()
    try:
        pack(arguments.library, arguments.target, arguments.out)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
