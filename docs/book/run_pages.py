# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Follows pages of the book literally: runs their blocks in an empty folder, and prints the time of each page.

    python -m docs.book.run_pages                       every page of docs/start
    python -m docs.book.run_pages docs/start/NAME.md    one page
    python -m docs.book.run_pages --nightly             the long blocks too
    python -m docs.book.run_pages --list                list which blocks are run

Each page has its own environment: an empty home, the command and the C library as `make install`
installs them (from --built), the Python package (from --package), the simulated card (from
--card-sim), and only the Rust tools of the caller. `$HALIMEDE` is the folder of the source, as the
pages set it. Background processes of a page are ended after its last block.

Exit code: 0, or 1 if a block failed or printed other output, or a page took longer than --limit.
"""

import argparse
import contextlib
import doctest
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docs.book.blocks import BadBlock, Block, blocks, is_printed, transcript

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "start"
# The libraries with the interface of another one (install.mk).
OTHERS = ("ckzg", "secp256k1")
# The libraries that replace the steps marked `installed`.
LIBRARIES = tuple(
    f"lib{name}.{suffix}" for name in ("halimede", *(f"halimede_{other}" for other in OTHERS)) for suffix in ("so", "a")
)
SESSION = "import doctest, sys; sys.exit(doctest.testfile(sys.argv[1], False, optionflags={flags})[0] != 0)"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


class Failed(Exception):
    """A failed block, with its output."""


@dataclass
class Built:
    """The builds that the pages use."""

    folder: Path
    """Cargo's output: the command and the C library."""
    package: Path
    """The folder of the Python package."""
    card_sim: Path

    def missing(self) -> list[str]:
        """Returns the missing files."""
        needed = [self.folder / "halimede", *(self.folder / name for name in LIBRARIES)]
        needed += [self.package / "halimede" / "__init__.py", self.card_sim]
        return [str(path) for path in needed if not path.exists()]


def is_group(group: int) -> bool:
    """Returns True if a process of this group exists."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def install(built: Built, prefix: Path) -> None:
    """Installs the builds below a folder, as `make install` does.

    Raises `subprocess.CalledProcessError`.
    """
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "halimede").symlink_to(built.folder / "halimede")
    # The Python of the environment with NumPy.
    (prefix / "bin" / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (prefix / "bin" / "python3").chmod(0o755)
    places = [f"PREFIX={prefix}", f"BUILT={built.folder}", "STRIP=true"]
    targets = ["install-built", *(f"install-built-{other}" for other in OTHERS)]
    command = ["make", "--silent", *targets, *places]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


@dataclass
class Place:
    """A clean place for a page: `home/work`, with the installation in `prefix`."""

    home: Path
    built: Built
    prefix: Path
    groups: list[int] = field(default_factory=list)
    """The process groups that are still running."""

    def environment(self) -> dict[str, str]:
        """Returns the environment of the page's programs."""
        cargo, rustup = (Path(os.environ.get(f"{name.upper()}_HOME", Path.home() / f".{name}"))
                         for name in ("cargo", "rustup"))
        return {
            "CARGO_HOME": str(cargo),
            "C_INCLUDE_PATH": str(self.prefix / "include"),
            "HALIMEDE": str(ROOT),
            "HALIMEDE_CARD_SIM": str(self.built.card_sim),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "LD_LIBRARY_PATH": str(self.prefix / "lib"),
            "LIBRARY_PATH": str(self.prefix / "lib"),
            "PATH": f"{self.prefix / 'bin'}:{cargo / 'bin'}:{SYSTEM_PATH}",
            "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig"),
            "PYTHONPATH": str(self.built.package),
            "RUSTUP_HOME": str(rustup),
            "TMPDIR": str(self.home),
        }

    def run(self, command: Sequence[str], limit_s: float) -> str:
        """Runs a command and returns the output of both streams together.

        Raises `Failed` if it fails or takes too long.
        """
        output = self.home / "output"
        with output.open("wb") as stream:
            process = subprocess.Popen(
                command, cwd=self.home / "work", env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=stream, stderr=subprocess.STDOUT, start_new_session=True,
            )
            try:
                code = process.wait(timeout=limit_s)
            except subprocess.TimeoutExpired:
                raise Failed(f"still running after {limit_s:.0f} s") from None
            finally:
                # Keeps only nonempty groups: the number of an empty group may be reused.
                if is_group(process.pid):
                    self.groups.append(process.pid)
        text = output.read_text(encoding="utf-8", errors="replace")
        if code != 0:
            raise Failed(f"exit code {code}\n{text}")
        return text

    def end(self) -> None:
        """Ends all processes that are still running."""
        for group in self.groups:
            # The group may have ended by itself.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)


def run_block(block: Block, place: Place, limit_s: float) -> None:
    """Runs a block, or writes it into its file.

    Raises `Failed`.
    """
    if block.title:
        (place.home / "work" / block.title).write_text(block.text, encoding="utf-8")
    elif block.language == "sh":
        place.run(["bash", "-e", "-o", "pipefail", "-c", block.text], limit_s)
    elif block.language == "console":
        for command, expected in transcript(block.text):
            printed = place.run(["bash", "-e", "-o", "pipefail", "-c", command], limit_s)
            if not is_printed(expected, printed.splitlines()):
                raise Failed(f"$ {command}\nprinted\n{printed}\nnot\n" + "\n".join(expected))
    elif block.language == "python":
        session = place.home / "session.txt"
        session.write_text(block.text, encoding="utf-8")
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        place.run(["python3", "-c", SESSION.format(flags=flags), str(session)], limit_s)


def is_run(block: Block, nightly: bool) -> bool:
    """Returns True if a block is run."""
    return block.note == "" or (block.note == "nightly" and nightly)


def follow(page: Path, built: Built, prefix: Path, nightly: bool, limit_s: float) -> float:
    """Follows a page with the installation in `prefix`, and returns the time in seconds.

    Raises `Failed` and `BadBlock`.
    """
    found = blocks(page.read_text(encoding="utf-8"))
    home = Path(tempfile.mkdtemp(prefix="halimede-page-"))
    place = Place(home, built, prefix)
    try:
        (home / "work").mkdir()
        start = time.monotonic()
        for block in found:
            if not is_run(block, nightly):
                continue
            left_s = limit_s - (time.monotonic() - start)
            began = time.monotonic()
            try:
                run_block(block, place, max(left_s, 0.1))
            except (Failed, BadBlock) as error:
                raise Failed(f"{page}:{block.line}: {error}") from None
            if block.language != "text":
                first = block.title or block.text.splitlines()[0].removeprefix("$ ").removeprefix(">>> ")
                print(f"  {time.monotonic() - began:6.2f} s  {first[:90]}", flush=True)
        return time.monotonic() - start
    finally:
        place.end()
        shutil.rmtree(home, ignore_errors=True)


def describe(page: Path) -> None:
    """Prints how each block of a page is treated."""
    print(page.relative_to(ROOT))
    for block in blocks(page.read_text(encoding="utf-8")):
        fate = f"{block.note}: {block.reason}" if block.note else "run"
        print(f"  line {block.line:4}  {block.language or '-':8} {block.title:12} {fate}")


def main() -> int:
    """Runs the command and returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m docs.book.run_pages", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    parser.add_argument("--built", type=Path, default=ROOT / "target" / "debug", metavar="DIR")
    parser.add_argument("--package", type=Path, default=ROOT / "build" / "package", metavar="DIR")
    parser.add_argument(
        "--card-sim", type=Path, default=ROOT / "build" / "card-sim" / "halimede-card-sim", metavar="FILE"
    )
    parser.add_argument("--nightly", action="store_true", help="run the long blocks too")
    parser.add_argument("--limit", type=float, default=300.0, metavar="S", help="time limit of a page in seconds")
    parser.add_argument("--list", action="store_true", help="list which blocks are run; run nothing")
    options = parser.parse_args()
    pages = [page.resolve() for page in options.pages] or sorted(PAGES.glob("*.md"))
    if options.list:
        for page in pages:
            describe(page)
        return 0
    built = Built(options.built.resolve(), options.package.resolve(), options.card_sim.resolve())
    if missing := built.missing():
        print(f"error: not built: {', '.join(missing)}", file=sys.stderr)
        return 1
    times: list[tuple[Path, float]] = []
    failed = False
    with tempfile.TemporaryDirectory(prefix="halimede-prefix-") as folder:
        install(built, Path(folder, "prefix"))
        for page in pages:
            print(page, flush=True)
            try:
                seconds = follow(page, built, Path(folder, "prefix"), options.nightly, options.limit)
                times.append((page, seconds))
            except (Failed, BadBlock, OSError) as error:
                print(f"error: {error}", file=sys.stderr, flush=True)
                failed = True
    for page, seconds in times:
        print(f"{seconds:7.1f} s  {page.name}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
