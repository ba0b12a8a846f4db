# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks wheels: their names and tags, their contents, and their library.

    python3 -m release.wheel build/wheels/*.whl

A wheel has exactly the modules of python/halimede, one library and the licenses. The library is for
the processor in the wheel's name, requires no glibc newer than the tag, and is stripped
(release/elf.py). `make wheels` also runs auditwheel and twine, which do not check modules,
licenses, extras and stripping.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from release import elf

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = "halimede/_native.abi3.so"
# The names of processors in `readelf -h`, by platform.
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-NOTICES.txt")
EXTRAS = ("nn", "examples")


def version() -> str:
    """Returns the version of the workspace, which is also the package's."""
    manifest = (ROOT / "Cargo.toml").read_text("utf-8")
    return str(re.findall(r'^version = "(.*)"$', manifest, re.M)[0])


def modules() -> set[str]:
    """Returns the files of the Python package, with their names in a wheel."""
    folder = ROOT / "python"
    return {str(path.relative_to(folder)) for path in (folder / "halimede").rglob("*")
            if path.suffix in (".py", ".pyi") or path.name == "py.typed"}


def faults_of_name(name: str, release: str) -> list[str]:
    """Returns the faults of a file name. The library is for all Python versions from 3.9 and glibc
    2.28."""
    platforms = "|".join(MACHINES)
    expected = rf"halimede-{re.escape(release)}-cp39-abi3-manylinux_2_28_({platforms})\.whl"
    return [] if re.fullmatch(expected, name) else [f"its name is not {expected}"]


def faults_of_content(names: Iterable[str], sources: set[str]) -> list[str]:
    """Returns the missing and the unexpected files of a wheel."""
    present = set(names)
    information = {name for name in present if re.match(r"halimede-[^/]*\.dist-info/", name)}
    licenses = {name.rsplit("/", 1)[-1] for name in information if "/licenses/" in name}
    expected = sources | {LIBRARY}
    return [
        *(f"lacks {name}" for name in sorted(expected - present)),
        *(f"lacks the license {name}" for name in LICENSES if name not in licenses),
        *(f"holds {name}" for name in sorted(present - expected - information)),
    ]


def faults_of_metadata(metadata: str) -> list[str]:
    """Returns the faults of the file METADATA."""
    lines = metadata.splitlines()
    found = [f"has no extra {extra}" for extra in EXTRAS if f"Provides-Extra: {extra}" not in lines]
    if "Requires-Python: >=3.9" not in lines:
        found.append("does not say which Python it needs")
    return found


def faults(path: Path) -> list[str]:
    """Returns the faults of a wheel."""
    found = faults_of_name(path.name, version())
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
        names = wheel.namelist()
        found += faults_of_content(names, modules())
        for name in names:
            if re.fullmatch(r"halimede-[^/]*\.dist-info/METADATA", name):
                found += faults_of_metadata(wheel.read(name).decode())
        if LIBRARY in names:
            library = Path(wheel.extract(LIBRARY, folder))
            found += elf.faults_of(library)
            machine = re.findall(r"Machine: +(.*)", elf.readelf("-h", library))
            if [MACHINES.get(path.stem.split("manylinux_2_28_")[-1])] != machine:
                found.append(f"its library is for {', '.join(machine)}")
    return found


def main() -> int:
    """Runs the checks; returns 0, or 1 for a wheel with faults."""
    parser = argparse.ArgumentParser(description="Checks the wheels of a release.")
    parser.add_argument("wheels", type=Path, nargs="+")
    wrong = False
    for path in parser.parse_args().wheels:
        try:
            found, size = faults(path), path.stat().st_size
        except (OSError, zipfile.BadZipFile, subprocess.CalledProcessError) as error:
            found, size = [str(error)], 0
        print(f"{path}  {size / 1e6:.1f} MB  {'; '.join(found) or 'good'}")
        wrong |= bool(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
