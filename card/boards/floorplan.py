# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The floorplan of each board: the die (SLR) of each engine, by its area.

    python -m card.boards.floorplan           write card/boards/BOARD/floorplan.xdc
    python -m card.boards.floorplan --check   exit 1 if a file would change
    python -m card.boards.floorplan --print   print the load of each die

An item is one copy of an engine in a board's build, with its area (card/boards/areas.py). The shell,
the ports of the engines and the link are on the die of the PCIe block. Of all placements whose
every die keeps the budget of resources.toml, the command chooses one whose fullest resource is
least full, to a percent, then one with the fewest LUTs on the shell's die, to a percent, since the
PCIe core is there too, then one with the fewest wires between dies, counted once per boundary.

Exit code 1: a build does not fit its dies, a crossing has too few registers, an area is missing, or
a file is not current.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arith.microcode.generate import write_or_check
from arith.simulation.toolchain import PROJECT_ROOT
from card.boards.areas import (
    LIMITS, Board, Die, Unit, boundary_wires, copies_of, cost_of, die_budget, dies_of, images, parts,
    resources_of, shell_key, stored, units_of,
)
from card.spec import emit_boards
from card.spec.emit_shell_tables import most_counters
from card.spec.modules import MOST_COUNTER_BITS, Module
from card.spec.specification import Specification, load

PORT = "port of an engine"
COPY = "crossing of a copy"
# A crossing needs a register on each side of a boundary.
STAGES_PER_BOUNDARY = 2
# The placements of a build are tried one by one.
MOST_PLACEMENTS = 1 << 18


class NoFloorplan(Exception):
    """A build does not fit its dies."""


@dataclass(frozen=True)
class Item:
    """A copy of an engine: its units with their numbers, its area, the pattern of its cell, and the
    wires between it and the shell."""

    engine: str
    copy: int
    name: str
    units: Sequence[tuple[Unit, int]]
    needs: Mapping[str, float]
    cell: str
    wires: int


@dataclass(frozen=True)
class Plan:
    """The items of a build, the number of the die of each, what else is on the shell's die, and
    the wires over each boundary, that between SLR0 and SLR1 first."""

    board: Board
    items: Sequence[Item]
    places: Sequence[int]
    dies: Sequence[Die]
    base: Mapping[str, float]
    wires: Sequence[int]

    def load(self, die: int) -> dict[str, float]:
        """The resources used on a die."""
        total = dict(self.base) if die == self.board.shell_die else dict.fromkeys(LIMITS, 0.0)
        for item, place in zip(self.items, self.places, strict=True):
            if place == die:
                total = {name: total[name] + item.needs[name] for name in LIMITS}
        return total


def wires_of(module: Module, spec: Specification) -> int:
    """The wires of a crossing: requests and replies with valid, a credit and last, the soft reset
    and the report without its shape, which is constant."""
    report = MOST_COUNTER_BITS * most_counters(spec) + 4
    return (8 * module.request_bytes + 3) + (64 + 3) + 1 + report


def _needs(units: Sequence[tuple[Unit, int]], areas: Mapping[str, Any]) -> dict[str, float]:
    """The area of a copy: its units, and the engine's own part once for each kind of unit."""
    total = dict.fromkeys(LIMITS, 0.0)
    for unit, count in units:
        cost = cost_of(unit, areas)
        total = {name: total[name] + count * cost.unit[name] + cost.once[name] for name in LIMITS}
    return total


def items_of(spec: Specification, board: str, areas: Mapping[str, Any]) -> list[Item]:
    """The items of a board's build, in the order of the engines' ports."""
    found = []
    for module in spec.modules:
        if board not in module.boards:
            continue
        units = list(units_of(module, board).values())
        if not units:
            raise NoFloorplan(f"{board}: no unit of engine {module.engine} has the build's parameters")
        copies = copies_of(module, board)
        if module.copies == "ordered" and copies > 1:
            # They share a crossing, so they are on one die.
            raise NoFloorplan(f"{board}: {module.engine}: copies with ordered replies are not placed")
        products = sum(count for _, count in units) * copies
        if any(counter.products for counter in module.counters) and products >= 1 << MOST_COUNTER_BITS:
            raise NoFloorplan(f"{board}: {module.engine}: {products} cores exceed the counter of "
                              f"products, {(1 << MOST_COUNTER_BITS) - 1} a clock")
        for copy in range(copies):
            inner = f"gen_copy[{copy}]." if module.copies else ""
            found.append(Item(
                module.engine, copy, f"{module.engine} {copy}" if copies > 1 else module.engine,
                units, _needs(units, areas), f"*gen_{module.engine}.{inner}u_port",
                wires_of(module, spec)))
    return found


def base_of(spec: Specification, board: Board, areas: Mapping[str, Any]) -> dict[str, float]:
    """The area on the shell's die besides engines, without the PCIe core."""
    by_name = {part.name: resources_of(areas[part.name]) for part in parts()}
    modules = [module for module in spec.modules if board.name in module.boards]
    more = sum(copies_of(module, board.name) - 1 for module in modules)
    counted = [(resources_of(areas[shell_key(board)]), 1), (by_name[board.link], 1),
               (by_name[PORT], len(modules)), (by_name[COPY], more)]
    return {name: sum(area[name] * count for area, count in counted) for name in LIMITS}


def fullest(plan: Plan, budget: Mapping[str, float]) -> float:
    """The largest part of a die's budget that is used, of all dies and resources."""
    loads = [plan.load(die) for die in range(len(plan.dies))]
    return max(load[name] / (budget[name] * die.has[name])
               for die, load in zip(plan.dies, loads, strict=True) for name in LIMITS)


def _wires(items: Sequence[Item], places: Sequence[int], shell: int, dies: int) -> list[int]:
    """The wires over each boundary."""
    return [sum(item.wires for item, place in zip(items, places, strict=True)
                if min(place, shell) <= boundary < max(place, shell))
            for boundary in range(dies - 1)]


def _placements(items: Sequence[Item], dies: int) -> Iterator[tuple[int, ...]]:
    """All placements; equal copies of an engine are on rising dies."""
    for places in itertools.product(range(dies), repeat=len(items)):
        rising = all(first.engine != second.engine or place <= following
                     for first, second, place, following
                     in zip(items, items[1:], places, places[1:], strict=False))
        if rising:
            yield places


def place(board: Board, items: Sequence[Item], base: Mapping[str, float], dies: Sequence[Die],
          budget: Mapping[str, float], most_wires: int) -> Plan:
    """The best placement. Raises NoFloorplan if none keeps the budget."""
    if len(dies) ** len(items) > MOST_PLACEMENTS:
        raise NoFloorplan(f"{board.name}: {len(items)} items have too many placements")
    best: tuple[tuple[int, int, int, tuple[int, ...]], Plan] | None = None
    least = float("inf")
    for places in _placements(items, len(dies)):
        wires = _wires(items, places, board.shell_die, len(dies))
        plan = Plan(board, items, places, dies, base, wires)
        full = fullest(plan, budget)
        least = min(least, full)
        if full > 1 or any(count > most_wires for count in wires):
            continue
        beside_pcie = plan.load(board.shell_die)["luts"] / dies[board.shell_die].has["luts"]
        order = (round(100 * full), round(100 * beside_pcie), sum(wires), places)
        if best is None or order < best[0]:
            best = order, plan
    if best is None:
        raise NoFloorplan(f"{board.name}: no placement keeps the budget of each die; the best one "
                          f"uses {least:.0%} of it")
    return best[1]


def _check_stages(plan: Plan) -> None:
    """Each crossing has enough registers for the boundaries on its way."""
    stages = emit_boards.boards()[plan.board.name].get("CrossingStages", 0)
    hops = max(abs(place - plan.board.shell_die) for place in plan.places)
    if STAGES_PER_BOUNDARY * hops > stages:
        raise NoFloorplan(f"{plan.board.name}: {hops} boundaries need CrossingStages = "
                          f"{STAGES_PER_BOUNDARY * hops}, not {stages}")


def plan_of(board: Board, spec: Specification, areas: Mapping[str, Any]) -> Plan:
    """The floorplan of a board's build. Raises NoFloorplan."""
    plan = place(board, items_of(spec, board.name, areas), base_of(spec, board, areas),
                 dies_of(board), die_budget(), boundary_wires())
    _check_stages(plan)
    return plan


def plans() -> list[Plan]:
    """The floorplans of all images."""
    spec, areas = load(), stored()
    return [plan_of(board, spec, areas) for board in images()]


def script(plan: Plan) -> str:
    """A Tcl script that assigns each engine to its die in Vivado."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0 OR MIT",
        "# Generated by `python -m card.boards.floorplan`: do not edit.",
        "# NOT RUN HERE. The die of each copy of an engine; the shell is placed next to the PCIe",
        f"# block, on SLR{plan.board.shell_die}. Sourced as Tcl after card/boards/common/checks.tcl, "
        "on a synthesized",
        "# design.",
        "",
    ]
    for item, die in zip(plan.items, plan.places, strict=True):
        lines += [f"set_property USER_SLR_ASSIGNMENT SLR{die} [the get_cells \\",
                  f"    -hierarchical -filter {{NAME =~ {item.cell}}}]"]
    return "\n".join(lines) + "\n"


def table(made: Sequence[Plan]) -> Iterator[str]:
    """A Markdown table of the load of each die, in percent of the die that the build may use."""
    yield (f"| board | die | engines | {' | '.join(LIMITS.values())} "
           "| wires to the next die |")
    yield "|---" * (len(LIMITS) + 4) + "|"
    # Boards with the same row are together.
    rows: dict[str, list[str]] = {}
    for plan in made:
        for number, die in enumerate(plan.dies):
            names = [item.name for item, place in zip(plan.items, plan.places, strict=True)
                     if place == number]
            if number == plan.board.shell_die:
                names.insert(0, "shell, link")
            load = plan.load(number)
            cells = " | ".join(f"{load[name] / die.has[name]:.0%}" for name in LIMITS)
            wires = f"{plan.wires[number]:,}" if number < len(plan.wires) else ""
            text = f"| {die.name} | {', '.join(names)} | {cells} | {wires} |"
            rows.setdefault(text, []).append(f"`{plan.board.name}`")
    yield from (f"| {', '.join(names)} {text}" for text, names in rows.items())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m card.boards.floorplan", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if it would")
    parser.add_argument("--print", action="store_true", help="print the load of each die")
    options = parser.parse_args(arguments)
    try:
        made = plans()
        current = [write_or_check(
            PROJECT_ROOT / "card" / "boards" / plan.board.name / "floorplan.xdc", script(plan),
            options.check) for plan in made]
    except (NoFloorplan, OSError) as failed:
        print(f"card.boards.floorplan: {failed}", file=sys.stderr)
        return 1
    except KeyError as missing:
        print(f"card.boards.floorplan: no area of {missing}: measure it with "
              "`python -m card.boards.capacity --measure`", file=sys.stderr)
        return 1
    if options.print:
        print("\n".join(table(made)))
    return int(options.check and not all(current))


if __name__ == "__main__":
    sys.exit(main())
