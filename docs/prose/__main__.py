# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prints the places where prose breaks the rules of docs/style.md; exit code 1 where there are some."""

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path

from docs.prose.extract import READERS, paragraphs_of
from docs.prose.rules import Finding, findings
from docs.prose.wrap import WIDTH, too_wide, wrap

ROOT = Path(__file__).resolve().parents[2]
# Texts of others, recorded exchanges, and the rules with their examples.
LEFT_OUT = (
    "docs/prose/", "docs/tests/test_prose.py", "docs/style.md", "THIRD-PARTY-NOTICES", "release/notices.py",
    "simulation/tests/records/", "/vectors/",
)


def files() -> list[Path]:
    """The files of the project that have prose."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [Path(name) for name in listed.splitlines() if not any(part in name for part in LEFT_OUT)]
    return [path for path in paths if path.suffix in READERS and (ROOT / path).is_file()]


def check(path: Path) -> list[Finding]:
    """The findings of one file, given relative to the project."""
    source = (ROOT / path).read_text(encoding="utf-8")
    lines = source.splitlines()
    wide = [Finding(group.start + 1, "width", lines[group.start][:60],
                    f"at most {WIDTH} characters; --wrap fills the paragraph") for group in too_wide(path, source)]
    return list(findings(paragraphs_of(path, source))) + wide


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m docs.prose", description=__doc__)
    parser.add_argument("under", nargs="*", help="folders or files, relative to the project (default: all)")
    parser.add_argument("--count", action="store_true", help="print only the number of findings of each rule")
    parser.add_argument("--wrap", action="store_true", help="fill paragraphs that are too wide, in place")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in files():
        name = path.as_posix()
        if arguments.under and not any(name == part or name.startswith(part.rstrip("/") + "/") for part in arguments.under):
            continue
        if arguments.wrap:
            source = (ROOT / path).read_text(encoding="utf-8")
            if (filled := wrap(path, source)) != source:
                (ROOT / path).write_text(filled, encoding="utf-8")
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
