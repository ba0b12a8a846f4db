# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Board capacity: how many units of each engine fit, by resource, and their rates.

    python -m card.boards.capacity                     write docs/boards-capacity.md
    python -m card.boards.capacity --check             exit 1 if it would change
    python -m card.boards.capacity --measure [NAME]... measure the areas again (slow), then write

The boards are in card/boards/resources.toml, the units and their clocks in
engines/*/capacity.toml, the areas in docs/boards-areas.json. `--measure` writes the areas, with
Yosys, block by block (arith/synthesis/yosys.py), each with its date. NAME is an engine or `shell`.

The area of a unit is the difference between a larger and a smaller build of its engine's port; the
rest of the smaller build is the engine's own part. Exit code 1: a tool failed, or the document is
not current.
"""

import argparse
import dataclasses
import json
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.microcode.generate import write_or_check
from arith.simulation.toolchain import PROJECT_ROOT
from arith.synthesis.area import TILES, Area, area_of_design
from arith.synthesis.yosys import SynthesisFailed

RESOURCES = PROJECT_ROOT / "card" / "boards" / "resources.toml"
AREAS = PROJECT_ROOT / "docs" / "boards-areas.json"
DOCUMENT = PROJECT_ROOT / "docs" / "boards-capacity.md"
SHELL = "shell"
SHELL_MODULE = "card_top"
FAMILY = "xilinx"
# The resources in the order of the columns: name in the data, and name in UltraScale+.
LIMITS = {"multipliers": "DSP48E2", "luts": "LUT", "registers": "FF", "block_memories": "BRAM36",
          "ultra_memories": "URAM"}


@dataclass(frozen=True)
class Board:
    """A board of resources.toml. `has` holds its resources."""

    name: str
    title: str
    part: str
    stream_bytes: int
    clock_mhz: float
    clock_is: str
    source: str
    has: Mapping[str, int]

    def usable(self, part: float) -> dict[str, float]:
        """The amount of each resource that a design may use, given the usable part."""
        return {name: part * self.has[name] for name in LIMITS}


@dataclass(frozen=True)
class Job:
    """The clocks of a job, in a full unit for a sequence of jobs and for a single one, if it was
    measured. `bytes`: those of the direction with more data."""

    name: str
    batch_clocks: float
    bytes: int
    alone_clocks: int | None = None


@dataclass(frozen=True)
class Unit:
    """A component that a board can have several times. `large` has `added` units more than `small`;
    both are parameters of the engine's port. Without `small` the port is the unit. `most`: the
    maximum number of units of one port."""

    engine: str
    name: str
    module: str
    large: Mapping[str, int]
    small: Mapping[str, int] | None
    added: int
    held: int
    most: int
    jobs: Sequence[Job]


def boards() -> tuple[float, list[Board]]:
    """The usable part of a resource, and the boards."""
    data = tomllib.loads(RESOURCES.read_text(encoding="utf-8"))
    return float(data["assumptions"]["usable"]), [
        Board(has={name: row.pop(name) for name in LIMITS}, **row) for row in data["board"]]


def units() -> list[Unit]:
    """The units of all engines, in the order of their files."""
    found = []
    for file in sorted(PROJECT_ROOT.glob("engines/*/capacity.toml")):
        for row in tomllib.loads(file.read_text(encoding="utf-8"))["unit"]:
            jobs = [Job(**job) for job in row.pop("job")]
            row = {"small": None, "added": 1, "held": 0} | row
            found.append(Unit(engine=file.parent.name, jobs=jobs, **row))
    return found


# ---- Areas --------------------------------------------------------------------------------------
def _measured(module: str, parameters: Mapping[str, int]) -> dict[str, Any]:
    """The area of a build, and the date."""
    blocks = [f"{engine}_*" for engine in sorted({unit.engine for unit in units()})]
    area = area_of_design(module, parameters, FAMILY, blocks)
    print(f"{module} {dict(parameters)}: {area}", file=sys.stderr, flush=True)
    return dataclasses.asdict(area) | {"date": time.strftime("%Y-%m-%d")}


def _shell_key(board: Board) -> str:
    return f"{SHELL} {board.stream_bytes}"


def measure(wanted: Sequence[str]) -> None:
    """Measures the areas of the given engines, or of all, and updates the stored file."""
    stored = json.loads(AREAS.read_text()) if AREAS.exists() else {}
    if not wanted or SHELL in wanted:
        shells = {_shell_key(board): board for board in boards()[1]}
        for key, board in shells.items():
            parameters = {"Engines": 0, "StreamBytes": board.stream_bytes}
            stored[key] = _measured(SHELL_MODULE, parameters)
    for unit in units():
        if wanted and unit.engine not in wanted:
            continue
        tiles = dict(zip(("TileA", "TileB"), TILES[FAMILY], strict=True))
        for size, parameters in (("small", unit.small), ("large", unit.large)):
            if parameters is not None:
                tiled = tiles if "Interval" in parameters else {}
                stored[f"{unit.name} {size}"] = _measured(unit.module, {**parameters, **tiled})
    AREAS.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _resources_of(area: Mapping[str, Any]) -> dict[str, float]:
    """The area by resource. The product registers of tiles are inside the multipliers."""
    return {name: float(area[name]) for name in LIMITS}


@dataclass(frozen=True)
class Cost:
    """The cost of a unit, and the cost of its engine's own part."""

    unit: Mapping[str, float]
    once: Mapping[str, float]


def cost_of(unit: Unit, areas: Mapping[str, Any]) -> Cost:
    """The cost of a unit, from the stored areas."""
    large = _resources_of(areas[f"{unit.name} large"])
    if unit.small is None:
        return Cost(large, dict.fromkeys(LIMITS, 0.0))
    small = _resources_of(areas[f"{unit.name} small"])
    each = {name: (large[name] - small[name]) / unit.added for name in LIMITS}
    return Cost(each, {name: max(0.0, small[name] - unit.held * each[name]) for name in LIMITS})


# ---- Counting -----------------------------------------------------------------------------------
def counts(board: Board, usable: float, shell: Mapping[str, float], cost: Cost) -> dict[str, int]:
    """How many units fit by each resource that they need, after the shell and the engine's own part
    are subtracted."""
    room = board.usable(usable)
    return {
        name: max(0, int((room[name] - shell[name] - cost.once[name]) // each))
        for name, each in cost.unit.items() if each > 0
    }


def binding(found: Mapping[str, int]) -> str:
    """The resource that fits the fewest."""
    return min(found, key=lambda name: found[name])


def _rate(jobs_s: float) -> str:
    """Jobs a second with three digits that count."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if jobs_s >= limit:
            return f"{jobs_s / limit:.3g} {unit}"
    return f"{jobs_s:.3g}"


def _units_table(board: Board, rows: Sequence[tuple[Unit, Cost, Mapping[str, int]]]
                 ) -> Iterator[str]:
    titles = [LIMITS[name] for name in LIMITS if board.has[name]]
    yield f"| unit | {' | '.join(titles)} | fit | bound by |"
    yield "|---" * (len(titles) + 3) + "|"
    for number, (unit, cost, found) in enumerate(rows, 1):
        cells = [f"{cost.unit[name]:,.7g}" + (f" ({found[name]})" if name in found else "")
                 for name in LIMITS if board.has[name]]
        name = binding(found)
        yield (f"| {number}. {unit.name} | {' | '.join(cells)} | {found[name]} "
               f"| {LIMITS[name]} |")


def _jobs_table(board: Board, rows: Sequence[tuple[Unit, Cost, Mapping[str, int]]]
                ) -> Iterator[str]:
    names = [name for name in LIMITS if board.has[name] and any(name in r[2] for r in rows)]
    titles = " | ".join(f"by {LIMITS[name]}" for name in names)
    yield (f"| job | clocks in a batch | clocks alone | per second and unit | {titles} "
           "| GB/s of the units that fit |")
    yield "|---" * (len(names) + 5) + "|"
    for number, (unit, _, found) in enumerate(rows, 1):
        for job in unit.jobs:
            one = board.clock_mhz * 1e6 / job.batch_clocks
            cells = " | ".join(_rate(found[name] * one) if name in found else "" for name in names)
            traffic = found[binding(found)] * one * job.bytes / 1e9
            alone = f"{job.alone_clocks:,}" if job.alone_clocks is not None else ""
            yield (f"| {number}. {job.name} | {job.batch_clocks:,g} | {alone} | {_rate(one)} "
                   f"| {cells} | {traffic:.3g} |")


def _board_section(
    board: Board, usable: float, areas: Mapping[str, Any], printed: dict[tuple[str, ...], str]
) -> Iterator[str]:
    """A board and its tables. `printed` holds the tables of earlier boards with their titles."""
    shell = _resources_of(areas[_shell_key(board)])
    rows = []
    for unit in units():
        cost = cost_of(unit, areas)
        rows.append((unit, cost, counts(board, usable, shell, cost)))
    has = ", ".join(f"{board.has[name]:,} {title}" for name, title in LIMITS.items())
    taken = ", ".join(f"{shell[name]:,.7g} {title}"
                      for name, title in LIMITS.items() if shell[name])
    yield f"## {board.title}"
    yield ""
    yield (f"{board.part}: {has} ({board.source}). The card's shell with {board.stream_bytes} "
           f"bytes per beat, without the queue of 4 KiB per engine, uses {taken}. Clock: "
           f"{board.clock_mhz:g} MHz, {board.clock_is}.")
    yield ""
    tables = (*_units_table(board, rows), "", *_jobs_table(board, rows))
    same = printed.setdefault(tables, board.title)
    if same == board.title:
        yield from tables
    else:
        yield f"Its tables are those of {same}."
    yield ""


def _once_table(areas: Mapping[str, Any]) -> Iterator[str]:
    yield ("| engine's own part | DSP48E2 | LUT | FF | BRAM36 | measured | maximum per port |")
    yield "|---|---|---|---|---|---|---|"
    for unit in units():
        once, date = cost_of(unit, areas).once, areas[f"{unit.name} large"]["date"]
        yield (f"| {unit.name} | {once['multipliers']:g} | {once['luts']:,.7g} "
               f"| {once['registers']:,.7g} | {once['block_memories']:g} | {date} | {unit.most} |")


def document() -> str:
    """The document, from the stored areas."""
    areas = json.loads(AREAS.read_text(encoding="utf-8"))
    usable, known = boards()
    lines = [
        "<!-- Generated by `python -m card.boards.capacity`: do not edit. -->",
        "# Board capacity",
        "",
        "How many units of each engine fit a board, one kind at a time, by each of its resources, "
        "and their rates. **Nothing here has run on a board.** Areas come from Yosys, block by "
        "block: multipliers and block memories are exact, LUT and FF are upper bounds "
        "([method](../arith/README.md#area)). Clocks are those of the verilated card. The clock "
        "rate of UltraScale+ is an assumption, since no open tool computes its timing.",
        "",
        f"{usable:.0%} of each resource may be used. The shell and the engine's own part are "
        "subtracted first; the PCIe core has to fit into the rest. Dies are ignored: a unit that "
        "does not fit into the room left on one die is lost. The numbers in brackets are the units "
        "that fit by that resource, and `fit` is the minimum of them. The last table gives the "
        "maximum number of units per port; more need copies of the engine. GB/s: the rate of the "
        "link in the direction with more data, frames included. PCIe 3 × 16 carries 12 to 14 GB/s, "
        "and a stream of 64 bytes 16 GB/s at 250 MHz.",
        "",
    ]
    printed: dict[tuple[str, ...], str] = {}
    for board in known:
        lines += _board_section(board, usable, areas, printed)
    lines += ["## Own parts of the engines", "", *_once_table(areas), ""]
    lines += ["```",
              "python -m card.boards.capacity --measure   # measures docs/boards-areas.json again",
              "python -m card.boards.capacity             # writes this page from it",
              "```", ""]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m card.boards.capacity", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if it would")
    parser.add_argument("--measure", nargs="*", metavar="NAME",
                        help="measure the areas of these engines, or of all, and of the shell")
    options = parser.parse_args(arguments)
    known = {SHELL, *(unit.engine for unit in units())}
    if unknown := set(options.measure or ()) - known:
        parser.error(f"no engine {', '.join(sorted(unknown))}; "
                     f"expected one of: {', '.join(sorted(known))}")
    try:
        if options.measure is not None:
            measure(options.measure)
        current = write_or_check(DOCUMENT, document(), options.check)
    except (SynthesisFailed, OSError, KeyError) as failed:
        print(f"card.boards.capacity: {type(failed).__name__}: {failed}", file=sys.stderr)
        return 1
    return int(options.check and not current)


if __name__ == "__main__":
    sys.exit(main())
