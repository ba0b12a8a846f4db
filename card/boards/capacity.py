# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Board capacity: how many units of each engine fit, by resource, and their rates.

    python -m card.boards.capacity                     write docs/boards-capacity.md
    python -m card.boards.capacity --check             exit 1 if it would change
    python -m card.boards.capacity --measure [NAME]... measure the areas again (slow), then write

The boards are in card/boards/resources.toml, the units, their clocks and published cards in
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
from card.spec.manifests import manifests

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


def compared_mhz() -> float:
    """The clock at which all boards are compared."""
    data = tomllib.loads(RESOURCES.read_text(encoding="utf-8"))
    return float(data["assumptions"]["compared_mhz"])


@dataclass(frozen=True)
class Published:
    """A published card, at its own clock."""

    design: str
    board: str
    unit: str
    job: str
    built: str
    clock_mhz: float
    jobs_s: float
    binds: str
    units: int | None = None


def published() -> list[Published]:
    """The published cards."""
    files = sorted(PROJECT_ROOT.glob("engines/*/capacity.toml"))
    return [Published(**row) for file in files
            for row in tomllib.loads(file.read_text(encoding="utf-8")).get("published", [])]


def built_units(engine: str, board: str, parameter: str) -> int:
    """The number of units in a board's build, by the engine's manifest."""
    boards_of_engine = tomllib.loads(manifests()[engine]).get("boards", {})
    if board not in boards_of_engine:
        return 0
    return int(boards_of_engine[board].get(parameter, 1))


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


@dataclass(frozen=True)
class Group:
    """Boards with the same resources, clock and stream, and the units that fit."""

    names: Sequence[str]
    clock_mhz: float
    rows: Sequence[tuple[Unit, Mapping[str, int]]]

    @property
    def title(self) -> str:
        return ", ".join(f"`{name}`" for name in self.names)


def _groups(areas: Mapping[str, Any]) -> list[Group]:
    """The boards, those with the same resources, clock and stream together."""
    usable, known = boards()
    alike: dict[tuple[object, ...], list[Board]] = {}
    for board in known:
        key = (*board.has.items(), board.clock_mhz, board.stream_bytes)
        alike.setdefault(key, []).append(board)
    return [
        Group([board.name for board in members], first.clock_mhz,
              [(unit, counts(first, usable, _resources_of(areas[_shell_key(first)]),
                             cost_of(unit, areas))) for unit in units()])
        for members in alike.values() for first in members[:1]]


def _boards_table(known: Sequence[Board]) -> Iterator[str]:
    yield f"| board | name | part | {' | '.join(LIMITS.values())} | clock |"
    yield "|---" * (len(LIMITS) + 4) + "|"
    for board in known:
        has = " | ".join(f"{board.has[name]:,}" for name in LIMITS)
        yield (f"| {board.title} | `{board.name}` | {board.part} | {has} "
               f"| {board.clock_mhz:g} MHz, {board.clock_is} |")
    yield from ("", "Sources:", "")
    yield from (f"- `{board.name}`: {board.source}" for board in known)


def _amounts(resources: Mapping[str, float]) -> str:
    """The resources that are used."""
    return ", ".join(f"{resources[name]:,.7g} {title}"
                     for name, title in LIMITS.items() if resources[name])


def _units_table(areas: Mapping[str, Any]) -> Iterator[str]:
    yield (f"| unit | {' | '.join(LIMITS.values())} | engine's own part | maximum per port "
           "| measured |")
    yield "|---" * (len(LIMITS) + 4) + "|"
    for number, unit in enumerate(units(), 1):
        cost, date = cost_of(unit, areas), areas[f"{unit.name} large"]["date"]
        cells = " | ".join(f"{cost.unit[name]:,.7g}" for name in LIMITS)
        yield (f"| {number}. {unit.name} | {cells} | {_amounts(cost.once)} | {unit.most} "
               f"| {date} |")


def _fit_table(groups: Sequence[Group]) -> Iterator[str]:
    yield f"| unit | {' | '.join(group.title for group in groups)} |"
    yield "|---" * (len(groups) + 1) + "|"
    for number, rows in enumerate(zip(*(group.rows for group in groups), strict=True), 1):
        cells = [f"{found[binding(found)]}, {LIMITS[binding(found)]}" for _, found in rows]
        yield f"| {number} | {' | '.join(cells)} |"


def _jobs_table(groups: Sequence[Group], compared: float) -> Iterator[str]:
    """The clocks of each job, the jobs per second of a unit at each clock rate, and for each group
    of boards the jobs per second of the units that fit at the requested and at the compared clock,
    and the gigabytes per second at the requested one."""
    clocks_mhz = sorted({group.clock_mhz for group in groups} | {compared})
    titles = [f"one unit at {clock:g} MHz" for clock in clocks_mhz]
    titles += [group.title for group in groups]
    yield f"| job | clocks in a batch | clocks alone | {' | '.join(titles)} |"
    yield "|---" * (len(titles) + 3) + "|"
    for number, rows in enumerate(zip(*(group.rows for group in groups), strict=True), 1):
        for job in rows[0][0].jobs:
            cells = [_rate(clock * 1e6 / job.batch_clocks) for clock in clocks_mhz]
            for group, (_, found) in zip(groups, rows, strict=True):
                jobs_mhz = found[binding(found)] * 1e6 / job.batch_clocks
                jobs_s = jobs_mhz * group.clock_mhz
                cells.append(f"{_rate(jobs_s)}, {_rate(jobs_mhz * compared)}, "
                             f"{jobs_s * job.bytes / 1e9:.3g}")
            alone = f"{job.alone_clocks:,}" if job.alone_clocks is not None else ""
            yield (f"| {number}. {job.name} | {job.batch_clocks:,g} | {alone} "
                   f"| {' | '.join(cells)} |")


def _times(rate: float, row: Published) -> str:
    """A rate and its ratio to the published one."""
    return f"{_rate(rate)} ({rate / row.jobs_s:.2f})"


def _published_table(areas: Mapping[str, Any], usable: float, known: Sequence[Board],
                     compared: float) -> Iterator[str]:
    """The published cards, and ours as built and as many as fit, with the ratios to them."""
    yield ("| job | published card | clock, what binds | jobs/s | units in our build "
           "| at the requested clock | units that fit, what binds | at the published clock "
           f"| at the requested clock | at {compared:g} MHz |")
    yield "|---" * 10 + "|"
    by_name = {board.name: board for board in known}
    for row in published():
        board = by_name[row.board]
        unit = next(unit for unit in units() if unit.name == row.unit)
        clocks = next(job.batch_clocks for job in unit.jobs if job.name == row.job)
        found = counts(board, usable, _resources_of(areas[_shell_key(board)]),
                       cost_of(unit, areas))
        fit, limit = found[binding(found)], LIMITS[binding(found)]
        if row.units is not None:
            fit, limit = row.units, "as published"
        built = built_units(unit.engine, row.board, row.built)
        rates = [_times(count * mhz * 1e6 / clocks, row) for count, mhz in (
            (built, board.clock_mhz), (fit, row.clock_mhz), (fit, board.clock_mhz),
            (fit, compared))]
        yield (f"| {row.job} on `{row.board}` | {row.design} | {row.clock_mhz:g} MHz, {row.binds} "
               f"| {_rate(row.jobs_s)} | {built or 'none'} | {rates[0] if built else ''} "
               f"| {fit}, {limit} | {' | '.join(rates[1:])} |")


def document() -> str:
    """The document, from the stored areas."""
    areas = json.loads(AREAS.read_text(encoding="utf-8"))
    usable, known = boards()
    shells = {board.stream_bytes: _amounts(_resources_of(areas[_shell_key(board)]))
              for board in known}
    groups, compared = _groups(areas), compared_mhz()
    lines = [
        "<!-- Generated by `python -m card.boards.capacity`: do not edit. -->",
        "# Board capacity",
        "",
        "This page lists how many units of one engine fit a board, and their rates. **Nothing here "
        "has run on a board.** Areas come from Yosys, block by block: multipliers and block "
        "memories are exact, LUT and FF are upper bounds ([method](../arith/README.md#area)). "
        "Clocks are those of the verilated card. A clock rate is the one that a build requests, or "
        f"{compared:g} MHz for comparison; whether a build reaches it is unknown, since no open tool "
        "computes the timing of UltraScale+.",
        "",
        f"{usable:.0%} of each resource may be used. The shell and the engine's own part are "
        "subtracted first; the PCIe core has to fit into the rest. Dies are ignored: a unit that "
        "does not fit into the room left on one die is lost.",
        "",
        "## Boards",
        "",
        *_boards_table(known),
        "",
        *(f"The card's shell with {size} bytes per beat, without the queue of 4 KiB per engine, "
          f"uses {used}." for size, used in shells.items()),
        "",
        "## Units",
        "",
        *_units_table(areas),
        "",
        "More units than the maximum per port need copies of the engine. The number of units that "
        "fit, and the resource that limits it:",
        "",
        *_fit_table(groups),
        "",
        "## Rates",
        "",
        "Jobs per second of one unit. For each board: jobs per second of the units that fit at the "
        f"clock of the board's table, then at {compared:g} MHz, and the GB/s of the link at the "
        "first clock, in the direction with more data, frames included. PCIe 3 × 16 carries 12 to "
        "14 GB/s, and a stream of 64 bytes 16 GB/s at 250 MHz.",
        "",
        *_jobs_table(groups, compared),
        "",
        "## Published cards",
        "",
        "The published rates were measured on boards; ours are counts. In parentheses: how many "
        "times the published rate. The units in our build are those of the engine's manifest; the "
        "build has other engines, too. The units that fit fill the board with one engine, unless "
        "the published design is a single unit.",
        "",
        *_published_table(areas, usable, known, compared),
        "",
        "```",
        "python -m card.boards.capacity --measure   # measures docs/boards-areas.json again",
        "python -m card.boards.capacity             # writes this page from it",
        "```",
        "",
    ]
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
