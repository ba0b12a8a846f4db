# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks that programs run on every Linux with glibc 2.28, are stripped, and are not too large.

    python3 -m release.elf target/x86_64-unknown-linux-gnu/dist/halimede …

Reads the output of `readelf`: the libraries that a file needs, the newest version of glibc that its
symbols require, and its symbol table. (auditwheel is not used: it only reads wheels, and it bundles
foreign libraries, which are faults here.)
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

# The newest glibc that programs may require (Debian 10, RHEL 8), as in manylinux_2_28.
GLIBC = (2, 28)
LARGEST_MB = 15.0
# Separate limits for files with CKKS and networks; the command also has the service with TLS. The
# command has 16.0 MB, the library 12.3 MB; the limits only detect unintended growth.
OWN_LIMIT_MB = {"halimede": 17.0, "libhalimede_native.so": 13.5, "_native.abi3.so": 13.5}
# The libraries of glibc; any other library would have to be shipped with the program.
LIBRARIES = re.compile(r"(lib(c|m|dl|rt|util|pthread)\.so\.\d|ld-linux-.*\.so\.\d)")


def faults(sections: str, dynamic: str, versions: str, size: int,
           largest_mb: float = LARGEST_MB) -> list[str]:
    """Returns the faults of a file, from the output of `readelf -S`, `-d` and `-V` and its size in
    bytes."""
    found = []
    foreign = [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
               if not LIBRARIES.fullmatch(name)]
    if foreign:
        found.append(f"needs {', '.join(foreign)}")
    asked = {(int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", versions)}
    if not asked:
        found.append("requires no version of glibc: not a program for Linux with glibc")
    elif max(asked) > GLIBC:
        found.append("requires glibc {}.{}".format(*max(asked)))
    if ".symtab" in sections or ".debug_info" in sections:
        found.append("is not stripped")
    if size / 1e6 > largest_mb:
        found.append(f"has {size / 1e6:.1f} MB, more than {largest_mb}")
    return found


def readelf(option: str, path: Path) -> str:
    """Returns the output of readelf for a file."""
    command = ["readelf", "--wide", option, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def faults_of(path: Path) -> list[str]:
    """Returns the faults of a program or a shared library."""
    sections, dynamic, versions = (readelf(option, path) for option in ("-S", "-d", "-V"))
    return faults(sections, dynamic, versions, path.stat().st_size, OWN_LIMIT_MB.get(path.name, LARGEST_MB))


def main() -> int:
    """Runs the checks; returns 0, or 1 for a file with faults."""
    parser = argparse.ArgumentParser(description="Checks programs and libraries of a release.")
    parser.add_argument("files", type=Path, nargs="+")
    wrong = False
    for path in parser.parse_args().files:
        try:
            size = path.stat().st_size
            found = faults_of(path)
        except (OSError, subprocess.CalledProcessError) as error:
            found, size = [str(error)], 0
        print(f"{path}  {size / 1e6:.1f} MB  {'; '.join(found) or 'good'}")
        wrong |= bool(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
