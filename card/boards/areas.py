# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The boards, the units of each engine, and their areas, which Yosys measures.

The boards, their dies and the parts around the engines are in card/boards/resources.toml, the units
and their clocks in engines/*/capacity.toml, the areas in docs/boards-areas.json.

The area of a unit is the difference between a larger and a smaller build of its engine's port; the
rest of the smaller build is the engine's own part.
"""

import dataclasses
import json
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arith.simulation.generated import ensure_generated
from arith.simulation.toolchain import PROJECT_ROOT
from arith.synthesis.area import TILES, area_of_design
from card.spec import emit_boards
from card.spec.modules import Module
from card.spec.specification import load

RESOURCES = PROJECT_ROOT / "card" / "boards" / "resources.toml"
AREAS = PROJECT_ROOT / "docs" / "boards-areas.json"
SHELL, PARTS = "shell", "parts"
SHELL_MODULE = "card_top"
FAMILY = "xilinx"
# Has modules of a board's link.
FOLDERS = ("card/boards/aws_f2/rtl",)
# The resources in the order of the columns: name in the data, and name in UltraScale+.
LIMITS = {"multipliers": "DSP48E2", "luts": "LUT", "registers": "FF", "block_memories": "BRAM36",
          "ultra_memories": "URAM"}


@dataclass(frozen=True)
class Die:
    """A die (SLR) of a board's FPGA. `has`: the resources that the board's shell leaves."""

    name: str
    has: Mapping[str, float]


@dataclass(frozen=True)
class Board:
    """A board of resources.toml. `has` holds its resources. `dies`: the kinds of its dies, from
    SLR0 on, `given` the part of each die that is free, if not all. `shell_die`: the number of the
    die with the card's shell, `link` the part that joins it to PCIe; only boards with a build have
    these."""

    name: str
    title: str
    part: str
    stream_bytes: int
    clock_mhz: float
    clock_is: str
    source: str
    has: Mapping[str, int]
    dies: Sequence[str] = ()
    given: Sequence[float] = ()
    shell_die: int = 0
    link: str = ""

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
    maximum number of units of one port. `blocks`: patterns of modules that are synthesized
    separately. A build has the unit if it has the parameters `where`, and then has as many as its
    parameter `counted` says (one if empty). `note`: what the page adds about its area."""

    engine: str
    name: str
    module: str
    large: Mapping[str, int]
    small: Mapping[str, int] | None
    added: int
    held: int
    most: int
    jobs: Sequence[Job]
    blocks: Sequence[str] = ()
    counted: str = ""
    where: Mapping[str, int] = field(default_factory=dict)
    note: str = ""


def _resources() -> dict[str, Any]:
    """The data of resources.toml."""
    return tomllib.loads(RESOURCES.read_text(encoding="utf-8"))


def boards() -> tuple[float, list[Board]]:
    """The usable part of a resource, and the boards."""
    data = _resources()
    return float(data["assumptions"]["usable"]), [
        Board(has={name: row.pop(name) for name in LIMITS}, **row) for row in data["board"]]


def images() -> list[Board]:
    """The images: each board with a build of several dies, and the further images under their own
    names."""
    known = {board.name: board for board in boards()[1] if board.dies}
    further = [dataclasses.replace(known[row["board"]], name=row["name"])
               for row in _resources()["image"]]
    return [*known.values(), *further]


def compared_mhz() -> float:
    """The clock at which all boards are compared."""
    return float(_resources()["assumptions"]["compared_mhz"])


def die_budget() -> dict[str, float]:
    """The part of each resource of a die that a design may use."""
    budget = _resources()["budget"]
    return {name: float(budget[name]) for name in LIMITS}


def boundary_wires() -> int:
    """The number of wires that may cross from one die to the next."""
    return int(_resources()["budget"]["wires"])


def dies_of(board: Board) -> list[Die]:
    """The dies of a board's FPGA."""
    kinds = _resources()["die"]
    given = board.given or [1.0] * len(board.dies)
    return [Die(f"SLR{number}", {name: part * kinds[kind][name] for name in LIMITS})
            for number, (kind, part) in enumerate(zip(board.dies, given, strict=True))]


@dataclass(frozen=True)
class Part:
    """A part of the card besides its engines and its shell: the sum of some modules."""

    name: str
    modules: Sequence[Mapping[str, Any]]


def parts() -> list[Part]:
    """The parts besides engines and shell."""
    return [Part(**row) for row in _resources()["part"]]


def stored() -> dict[str, Any]:
    """The measured areas."""
    areas: dict[str, Any] = json.loads(AREAS.read_text(encoding="utf-8"))
    return areas


@dataclass(frozen=True)
class Published:
    """A published card, at its own clock."""

    design: str
    board: str
    unit: str
    job: str
    clock_mhz: float
    jobs_s: float
    binds: str
    units: int | None = None


def published() -> list[Published]:
    """The published cards."""
    files = sorted(PROJECT_ROOT.glob("engines/*/capacity.toml"))
    return [Published(**row) for file in files
            for row in tomllib.loads(file.read_text(encoding="utf-8")).get("published", [])]


def built_parameters(module: Module, board: str) -> dict[str, int]:
    """The parameters of an engine in a board's build: those of the manifest, of the board, and the
    defaults."""
    values = {parameter.name: parameter.default for parameter in module.all_parameters}
    shell = {name: value for name, value in emit_boards.boards()[board].items()
             if isinstance(value, int)}
    return {"UltraMemories": 0} | values | shell | dict(module.boards[board])


def units_of(module: Module, board: str) -> dict[str, tuple[Unit, int]]:
    """The units of each copy of an engine in a board's build, by name, with their number."""
    values = built_parameters(module, board)
    found = {}
    for unit in units():
        if unit.engine == module.engine and unit.where.items() <= values.items():
            count = values[unit.counted] if unit.counted else 1
            if count:
                found[unit.name] = (unit, count)
    return found


def copies_of(module: Module, board: str) -> int:
    """The number of copies of an engine in a board's build."""
    parameter = module.copies_parameter
    return built_parameters(module, board)[parameter.name] if parameter else 1


def built_units(engine: str, board: str, unit: str) -> int:
    """The number of units in a board's build, by the engine's manifest."""
    module = next(module for module in load().modules if module.engine == engine)
    if board not in module.boards:
        return 0
    _, count = units_of(module, board).get(unit, (None, 0))
    return count * copies_of(module, board)


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
def _measured(
    module: str, parameters: Mapping[str, int], more_blocks: Sequence[str] = ()
) -> dict[str, Any]:
    """The area of a build, and the date."""
    blocks = [f"{engine}_*" for engine in sorted({unit.engine for unit in units()})]
    area = area_of_design(module, parameters, FAMILY, [*blocks, *more_blocks], FOLDERS)
    print(f"{module} {dict(parameters)}: {area}", file=sys.stderr, flush=True)
    return dataclasses.asdict(area) | {"date": time.strftime("%Y-%m-%d")}


def _sum(areas: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of measured areas, with the last date."""
    return {name: max(area[name] for area in areas) if name == "date"
            else sum(area[name] for area in areas) for name in areas[0]}


def shell_key(board: Board) -> str:
    return f"{SHELL} {board.stream_bytes}"


def measure(wanted: Sequence[str]) -> None:
    """Measures the areas of the given engines, or of all. The stored file is updated after each
    build, so that a later failure loses none."""
    ensure_generated()
    known = stored() if AREAS.exists() else {}

    def keep(key: str, area: Mapping[str, Any]) -> None:
        known[key] = area
        AREAS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    if not wanted or SHELL in wanted:
        shells = {shell_key(board): board for board in boards()[1]}
        for key, board in shells.items():
            parameters = {"Engines": 0, "StreamBytes": board.stream_bytes}
            keep(key, _measured(SHELL_MODULE, parameters))
    if not wanted or PARTS in wanted:
        for part in parts():
            keep(part.name, _sum([
                _measured(row["module"], {k: v for k, v in row.items() if k != "module"})
                for row in part.modules]))
    for unit in units():
        if wanted and unit.engine not in wanted:
            continue
        tiles = dict(zip(("TileA", "TileB"), TILES[FAMILY], strict=True))
        for size, parameters in (("small", unit.small), ("large", unit.large)):
            if parameters is not None:
                tiled = tiles if "Interval" in parameters else {}
                keep(f"{unit.name} {size}",
                     _measured(unit.module, {**parameters, **tiled}, unit.blocks))


def resources_of(area: Mapping[str, Any]) -> dict[str, float]:
    """The area by resource. The product registers of tiles are inside the multipliers."""
    return {name: float(area[name]) for name in LIMITS}


@dataclass(frozen=True)
class Cost:
    """The cost of a unit, and the cost of its engine's own part."""

    unit: Mapping[str, float]
    once: Mapping[str, float]


def cost_of(unit: Unit, areas: Mapping[str, Any]) -> Cost:
    """The cost of a unit, from the stored areas."""
    large = resources_of(areas[f"{unit.name} large"])
    if unit.small is None:
        return Cost(large, dict.fromkeys(LIMITS, 0.0))
    small = resources_of(areas[f"{unit.name} small"])
    each = {name: (large[name] - small[name]) / unit.added for name in LIMITS}
    return Cost(each, {name: max(0.0, small[name] - unit.held * each[name]) for name in LIMITS})
