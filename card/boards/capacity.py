# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Board capacity: how many units of each engine fit, by resource, and their rates.

    python -m card.boards.capacity                     write docs/boards-capacity.md
    python -m card.boards.capacity --check             exit 1 if it would change
    python -m card.boards.capacity --measure [NAME]... measure the areas again (slow), then write

The data are described in card/boards/areas.py; published cards are in engines/*/capacity.toml.
`--measure` writes the areas, with Yosys, block by block (arith/synthesis/yosys.py), each with its
date. NAME is an engine, `shell` or `parts`. Exit code 1: a tool failed, a build does not fit its
dies, or the document is not current.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arith.microcode.generate import write_or_check
from arith.simulation.toolchain import PROJECT_ROOT
from arith.synthesis.yosys import SynthesisFailed
from card.boards import areas as stored_areas
from card.boards.areas import (
    LIMITS, PARTS, SHELL, Board, Cost, Published, Unit, boards, built_units, compared_mhz, cost_of,
    die_budget, measure, published, resources_of, shell_key, units,
)
from card.boards.floorplan import NoFloorplan, plans
from card.boards.images import section
from card.boards.rates import rate

DOCUMENT = PROJECT_ROOT / "docs" / "boards-capacity.md"


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
              [(unit, counts(first, usable, resources_of(areas[shell_key(first)]),
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


def _notes() -> Iterator[str]:
    """The notes about the area of some units."""
    for number, unit in enumerate(units(), 1):
        if unit.note:
            yield from ("", f"{number}: {unit.note}")


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
            cells = [rate(clock * 1e6 / job.batch_clocks) for clock in clocks_mhz]
            for group, (_, found) in zip(groups, rows, strict=True):
                jobs_mhz = found[binding(found)] * 1e6 / job.batch_clocks
                jobs_s = jobs_mhz * group.clock_mhz
                cells.append(f"{rate(jobs_s)}, {rate(jobs_mhz * compared)}, "
                             f"{jobs_s * job.bytes / 1e9:.3g}")
            alone = f"{job.alone_clocks:,}" if job.alone_clocks is not None else ""
            yield (f"| {number}. {job.name} | {job.batch_clocks:,g} | {alone} "
                   f"| {' | '.join(cells)} |")


def _times(jobs_s: float, row: Published) -> str:
    """A rate and its ratio to the published one."""
    return f"{rate(jobs_s)} ({jobs_s / row.jobs_s:.2f})"


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
        found = counts(board, usable, resources_of(areas[shell_key(board)]),
                       cost_of(unit, areas))
        fit, limit = found[binding(found)], LIMITS[binding(found)]
        if row.units is not None:
            fit, limit = row.units, "as published"
        built = built_units(unit.engine, row.board, row.unit)
        rates = [_times(count * mhz * 1e6 / clocks, row) for count, mhz in (
            (built, board.clock_mhz), (fit, row.clock_mhz), (fit, board.clock_mhz),
            (fit, compared))]
        yield (f"| {row.job} on `{row.board}` | {row.design} | {row.clock_mhz:g} MHz, {row.binds} "
               f"| {rate(row.jobs_s)} | {built or 'none'} | {rates[0] if built else ''} "
               f"| {fit}, {limit} | {' | '.join(rates[1:])} |")


def document() -> str:
    """The document, from the stored areas."""
    areas = stored_areas.stored()
    usable, known = boards()
    shells = {board.stream_bytes: _amounts(resources_of(areas[shell_key(board)]))
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
        *_notes(),
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
        *section(plans(), die_budget(), compared),
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
                        help="measure the areas of these engines, or all areas")
    options = parser.parse_args(arguments)
    known = {SHELL, PARTS, *(unit.engine for unit in units())}
    if unknown := set(options.measure or ()) - known:
        parser.error(f"no engine {', '.join(sorted(unknown))}; "
                     f"expected one of: {', '.join(sorted(known))}")
    try:
        if options.measure is not None:
            measure(options.measure)
        current = write_or_check(DOCUMENT, document(), options.check)
    except (NoFloorplan, SynthesisFailed, OSError, KeyError) as failed:
        print(f"card.boards.capacity: {type(failed).__name__}: {failed}", file=sys.stderr)
        return 1
    return int(options.check and not current)


if __name__ == "__main__":
    sys.exit(main())
