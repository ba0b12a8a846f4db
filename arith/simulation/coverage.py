# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Line and toggle coverage of the RTL of each engine, by the benches of its folder.

    python -m arith.simulation.coverage NAME...  run the benches of these components with coverage
                                                 (slow), and write docs/coverage.md
    python -m arith.simulation.coverage          write docs/coverage.md from docs/coverage.json
    python -m arith.simulation.coverage --check  exit 1 if it would change

NAME is an engine. Its figures are those of the files in engines/NAME/rtl, without generated ones,
in all designs of its benches. A *point* is a branch of the code or a direction of a signal's bit;
it is covered if any instance in any bench has reached it. Verilator creates no points for code that
the parameters remove.

engines/NAME/rtl/coverage.toml lists the holes that are accepted: `file`, `kind` (line or toggle),
`points`, a regular expression of all of a point's name (`LINE` or `SIGNAL`), and a `reason`. A hole
that matches no uncovered point is an error, as is a component below the limits. Exit code 1: a
bench failed, a limit is missed, or the document is not current.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.microcode.generate import write_or_check
from arith.simulation.toolchain import PROJECT_ROOT

STORED = PROJECT_ROOT / "docs" / "coverage.json"
DOCUMENT = PROJECT_ROOT / "docs" / "coverage.md"
HOLES = "coverage.toml"
LIMITS = {"line": 0.95, "toggle": 0.90}
# Verilator's pages of points, and our kinds.
KINDS = {"v_line": "line", "v_branch": "line", "v_toggle": "toggle"}
TIME_LIMIT_S = 4 * 3600
MOST_SHOWN = 20
_POINT = re.compile(rb"C '(?P<keys>.*)' (?P<count>\d+)")


class CoverageFailed(RuntimeError):
    """The benches fail, or the coverage is below a limit."""


@dataclass(frozen=True, order=True)
class Point:
    """A point of coverage: the file below the project's root, the kind, the line, and the signal's
    bit and direction, or the branch."""

    file: str
    kind: str
    line: int
    what: str

    @property
    def name(self) -> str:
        """The text that the pattern of a hole must match."""
        return self.what if self.kind == "toggle" else str(self.line)


@dataclass(frozen=True)
class Hole:
    """Points that need not be covered."""

    file: str
    kind: str
    points: str
    reason: str

    def matches(self, point: Point) -> bool:
        return (Path(point.file).name == self.file and point.kind == self.kind
                and re.fullmatch(self.points, point.name) is not None)


def points_of(text: bytes) -> Iterator[tuple[Point, int]]:
    """The points of one of Verilator's files of coverage, with their counts."""
    for row in text.splitlines():
        found = _POINT.fullmatch(row)
        if found is None:
            continue
        pairs = [part.partition(b"\x02") for part in found["keys"].split(b"\x01") if part]
        keys = {key.decode(): value.decode() for key, _, value in pairs}
        kind = KINDS.get(keys.get("page", "").partition("/")[0])
        file = Path(keys.get("f", ""))
        if kind is None or not file.is_relative_to(PROJECT_ROOT):
            continue
        place = str(file.relative_to(PROJECT_ROOT))
        what = keys.get("o", "") if kind == "toggle" else f"{keys.get('n', '')} {keys.get('o', '')}"
        yield Point(place, kind, int(keys["l"]), what), int(found["count"])


def joined(texts: Iterable[bytes], files: set[str]) -> dict[Point, int]:
    """The points of some files, with their counts in all designs."""
    total: dict[Point, int] = {}
    for text in texts:
        for point, count in points_of(text):
            if point.file in files:
                total[point] = total.get(point, 0) + count
    return total


def rtl_of(name: str) -> Path:
    return PROJECT_ROOT / "engines" / name / "rtl"


def components() -> list[str]:
    """The engines with RTL."""
    return sorted(file.parent.name for file in PROJECT_ROOT.glob("engines/*/rtl")
                  if any(file.glob("*.sv")))


def holes_of(name: str) -> list[Hole]:
    """The accepted holes of a component."""
    file = rtl_of(name) / HOLES
    if not file.exists():
        return []
    return [Hole(**row) for row in tomllib.loads(file.read_text(encoding="utf-8"))["hole"]]


@dataclass(frozen=True)
class Figures:
    """The numbers of points of a kind: all, covered, and not covered but accepted."""

    points: int
    covered: int
    accepted: int

    @property
    def part(self) -> float:
        """The covered part of the points that have to be covered."""
        needed = self.points - self.accepted
        return self.covered / needed if needed else 1.0


def judge(points: Mapping[Point, int], holes: Sequence[Hole]
          ) -> tuple[dict[str, Figures], list[Point], list[Hole]]:
    """The figures by kind, the uncovered points that no hole accepts, and the holes without one."""
    missed = sorted(point for point, count in points.items() if count == 0)
    accepted = {point for point in missed if any(hole.matches(point) for hole in holes)}
    figures = {}
    for kind in LIMITS:
        of_kind = [point for point in points if point.kind == kind]
        figures[kind] = Figures(len(of_kind), sum(points[point] > 0 for point in of_kind),
                                sum(point.kind == kind for point in accepted))
    stale = [hole for hole in holes if not any(hole.matches(point) for point in missed)]
    return figures, [point for point in missed if point not in accepted], stale


def run(name: str) -> dict[Point, int]:
    """The points of a component, by its benches. Raises CoverageFailed."""
    rtl = rtl_of(name)
    files = {str(file.relative_to(PROJECT_ROOT)) for file in rtl.glob("*.sv")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", "-k", "not lint",
             str(rtl / "tests")],
            cwd=PROJECT_ROOT, env=os.environ | {"HALIMEDE_COVERAGE": folder}, check=False,
            timeout=TIME_LIMIT_S)
        if done.returncode != 0:
            raise CoverageFailed(f"{name}: the benches fail")
        points = joined((file.read_bytes() for file in sorted(Path(folder).glob("*.dat"))), files)
    if not points:
        raise CoverageFailed(f"{name}: no bench wrote coverage")
    return points


def measure(names: Sequence[str]) -> list[str]:
    """Measures components and stores their figures. Returns what is wrong with them."""
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    wrong = []
    for name in names:
        figures, missed, stale = judge(run(name), holes_of(name))
        stored[name] = {kind: vars(of_kind) for kind, of_kind in figures.items()} | {
            "date": time.strftime("%Y-%m-%d")}
        STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        wrong += [f"{name}: no uncovered point for the hole {hole.points} in {hole.file}"
                  for hole in stale]
        for kind, limit in LIMITS.items():
            print(f"{name}: {kind} {figures[kind].part:.1%}", file=sys.stderr)
            if figures[kind].part < limit:
                wrong.append(f"{name}: {kind} coverage {figures[kind].part:.1%} is below {limit:.0%}")
        shown = [f"{point.file}:{point.line} {point.kind} {point.what}" for point in missed]
        report = PROJECT_ROOT / "build" / "reports" / f"coverage_{name}.txt"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text("".join(f"{line}\n" for line in shown), encoding="utf-8")
        print("\n".join(shown[:MOST_SHOWN]), file=sys.stderr)
    return wrong


def _row(name: str, figures: Mapping[str, Any]) -> str:
    cells = []
    for kind in LIMITS:
        of_kind = Figures(**figures[kind])
        cells += [f"{of_kind.points:,}", f"{of_kind.covered / max(1, of_kind.points):.1%}",
                  f"{of_kind.part:.1%}"]
    return f"| `{name}` | {' | '.join(cells)} | {figures['date']} |"


def document() -> str:
    """The page, from the stored figures and the holes."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    lines = [
        "<!-- Generated by `python -m arith.simulation.coverage`: do not edit. -->",
        "# Coverage of the RTL",
        "",
        "This page lists the line and toggle coverage of each engine's RTL by the benches of its "
        "folder, measured with Verilator. A point is a branch of the code or a direction of a "
        "signal's bit; it is covered if any instance in any bench has reached it. The limits are "
        + " and ".join(f"{limit:.0%} of {kind} points" for kind, limit in LIMITS.items())
        + " besides the accepted [holes](#holes).",
        "",
        "```",
        "python -m arith.simulation.coverage NAME  # measures an engine (slow)",
        "```",
        "",
        "| engine | line points | covered | without holes | toggle points | covered "
        "| without holes | measured |",
        "|---" * 8 + "|",
        *(_row(name, stored[name]) for name in sorted(stored)),
        "",
    ]
    if absent := [name for name in components() if name not in stored]:
        lines += [f"Not measured: {', '.join(f'`{name}`' for name in absent)}.", ""]
    lines += ["## Holes", "", "| engine | file | kind | points | reason |", "|---" * 5 + "|"]
    for name in sorted(stored):
        for hole in holes_of(name):
            pattern = hole.points.replace("|", "\\|")
            lines.append(f"| `{name}` | `{hole.file}` | {hole.kind} | `{pattern}` | {hole.reason} |")
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m arith.simulation.coverage", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="engines to measure")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if it would")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(components()):
        parser.error(f"no engine {', '.join(sorted(unknown))}; "
                     f"expected one of: {', '.join(components())}")
    try:
        wrong = measure(options.names)
        current = write_or_check(DOCUMENT, document(), options.check)
    except (CoverageFailed, OSError, subprocess.TimeoutExpired) as failed:
        print(f"arith.simulation.coverage: {failed}", file=sys.stderr)
        return 1
    for problem in wrong:
        print(f"arith.simulation.coverage: {problem}", file=sys.stderr)
    return int(bool(wrong) or (options.check and not current))


if __name__ == "__main__":
    sys.exit(main())
