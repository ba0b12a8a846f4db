# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Generates the SystemVerilog that is too large for git: programs and constants of the engines'
cores.

 python -m arith.simulation.generated    # or `make rtl`: for tools that read the core files
directly

Git has the SHA-256 of each file in `engines/NAME/rtl/generated.sha256`, in the format of sha256sum.
If a file below `engines/NAME/rtl/generated` is missing or has a different digest, `python -m
engines.NAME.microcode --rtl` writes it. Code that gets its files from `sources_of` need not call
this.
"""

import fcntl
import functools
import hashlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT

DIGESTS = "generated.sha256"
FOLDER = "generated"
TIME_LIMIT_S = 900


class GenerationFailed(RuntimeError):
    """A generator failed, or makes other files than those whose digests are in git."""


def digest_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


@functools.lru_cache(maxsize=None)
def _digest_of_file(file: Path, _modified_ns: int, _size: int) -> str:
    return digest_of(file.read_bytes())


def read_digests(rtl: Path) -> dict[str, str]:
    """The digests in git of the files in `rtl`/generated, by name."""
    lines = (line.split() for line in (rtl / DIGESTS).read_text().splitlines())
    return {Path(path).name: digest for digest, path in lines}


def digests_text(digests: Mapping[str, str]) -> str:
    """The text of the file of digests, which `sha256sum --check` reads in its folder."""
    return "".join(f"{digest}  {FOLDER}/{name}\n" for name, digest in sorted(digests.items()))


def _differing(rtl: Path) -> list[str]:
    """The names of files in `rtl`/generated that differ from their digests, and of those without
    one."""
    expected = read_digests(rtl)
    found = {}
    for file in (rtl / FOLDER).glob("*.sv"):
        status = file.stat()
        found[file.name] = _digest_of_file(file, status.st_mtime_ns, status.st_size)
    return sorted(name for name in expected | found if expected.get(name) != found.get(name))


def _generate(rtl: Path) -> None:
    module = ".".join((*rtl.relative_to(PROJECT_ROOT).parts[:-1], "microcode"))
    command = [sys.executable, "-m", module, "--rtl"]
    print(f"{rtl.relative_to(PROJECT_ROOT) / FOLDER}: {module} generates it", file=sys.stderr)
    done = subprocess.run(command, cwd=PROJECT_ROOT, check=False, timeout=TIME_LIMIT_S)
    if done.returncode != 0 or (differing := _differing(rtl)):
        why = f"exit code {done.returncode}" if done.returncode else \
            f"{', '.join(differing)}: differs from {DIGESTS}; `make generate` updates the digests"
        raise GenerationFailed(f"python -m {module} --rtl: {why}")


def ensure_generated() -> None:
    """Generates missing or stale files. Raises GenerationFailed."""
    for file in sorted(PROJECT_ROOT.glob(f"engines/*/rtl/{DIGESTS}")):
        if not _differing(file.parent):
            continue
        BUILD_ROOT.mkdir(exist_ok=True)
        with open(BUILD_ROOT / "generated.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _differing(file.parent):
                _generate(file.parent)


def main() -> int:
    """The command line."""
    try:
        ensure_generated()
    except (GenerationFailed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
