# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command line of a generator that writes an engine's packages, whose digests are in git
(arith/simulation/generated.py), and tables in a README."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from arith.microcode.generate import with_section, write_or_check
from arith.simulation.generated import DIGESTS, FOLDER, digest_of, digests_text, read_digests


def _write(rtl: Path, texts: Mapping[str, str]) -> None:
    """Makes `rtl`/generated contain exactly these modules, by name."""
    folder = rtl / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        file = folder / f"{name}.sv"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            # Replaced atomically: other processes may be reading it.
            fresh = file.with_suffix(f".{os.getpid()}")
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(file)
    for file in folder.glob("*.sv"):
        if file.stem not in texts:
            file.unlink()


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a generator, which `write` uses."""
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--check", action="store_true",
                      help="exit 1 where the README or a digest would change; writes packages alone")
    only.add_argument("--rtl", action="store_true", help="write the packages, if git has their digests")


def write(
    options: argparse.Namespace, rtl: Path, texts: Mapping[str, str], readme: Path,
    section: Callable[[], str],
) -> int:
    """Writes the packages `texts`, by name, their digests and the README's generated section, or
    the subset that the options select; returns the exit code. Packages whose digests in git differ
    are written only with the digests."""
    digests = {f"{name}.sv": digest_of(text.encode()) for name, text in texts.items()}
    if options.rtl:
        if digests != read_digests(rtl):
            print(f"{rtl / DIGESTS} is out of date", file=sys.stderr)
            return 1
        _write(rtl, texts)
        return 0
    results = [write_or_check(readme, with_section(readme, section()), options.check),
               write_or_check(rtl / DIGESTS, digests_text(digests), options.check)]
    if results[1] or not options.check:
        _write(rtl, texts)
    return int(options.check and not all(results))
