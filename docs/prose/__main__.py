# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prints the places where prose breaks the rules of docs/style.md; exit code 1 where there are some."""

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path

from docs.prose.extract import paragraphs_of
from docs.prose.rules import Finding, findings

ROOT = Path(__file__).resolve().parents[2]
# Texts of others, recorded exchanges, and the rules with their examples.
LEFT_OUT = ("docs/prose/", "docs/style.md", "THIRD-PARTY-NOTICES", "simulation/tests/records/", "/vectors/")


def files() -> list[Path]:
    """The files of the project that have prose."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in listed.splitlines() if not any(part in name for part in LEFT_OUT)]


def check(path: Path) -> list[Finding]:
    """The findings of one file, given relative to the project."""
    whole = ROOT / path
    if whole.suffix not in (".md", ".py", ".pyi", ".rs", ".sv", ".h", ".c", ".js") or not whole.is_file():
        return []
    return list(findings(paragraphs_of(path, whole.read_text(encoding="utf-8"))))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m docs.prose", description=__doc__)
    parser.add_argument("under", nargs="*", help="folders or files, relative to the project (default: all)")
    parser.add_argument("--count", action="store_true", help="print only the number of findings of each rule")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in files():
        name = path.as_posix()
        if arguments.under and not any(name == part or name.startswith(part.rstrip("/") + "/") for part in arguments.under):
            continue
        for found in check(path):
            counts[found.rule] += 1
            if not arguments.count:
                print(f"{path}:{found.line}: {found.rule}: {found.excerpt!r} ({found.advice})")
    if arguments.count:
        for rule, number in counts.most_common():
            print(f"{number:6} {rule}")
    print(f"{sum(counts.values())} findings", file=sys.stderr)
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
