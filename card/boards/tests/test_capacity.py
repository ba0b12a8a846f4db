# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Board capacity: counts checked by hand, the data match the boards, the manifests and the engines'
tables, and the document is current."""

import dataclasses
import json
import re
import tomllib
from typing import Any

import pytest

from arith.microcode.generate import BEGIN, END
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import PROJECT_ROOT
from card.boards import areas, capacity
from card.boards.areas import LIMITS, Board, Cost, Job, Unit
from card.spec.manifests import manifests

BOARD = Board(
    name="made_up", title="", part="", stream_bytes=64, clock_mhz=200.0,
    clock_is="", source="",
    has={"multipliers": 1000, "luts": 100_000, "registers": 200_000, "block_memories": 500,
         "ultra_memories": 10})
UNIT = Unit(engine="x", name="core", module="x_port", large={"Cores": 4},
            small={"Cores": 2}, added=2, held=2, most=7, jobs=[Job("job", 500.0, 128, 30_000)])


def area(
    multipliers: int, luts: int, registers: int, memories: float, ultra: int
) -> dict[str, Any]:
    return {"multipliers": multipliers, "luts": luts, "registers": registers,
            "registers_in_multipliers": 77, "block_memories": memories, "ultra_memories": ultra}


AREAS = {"core small": area(200, 21_000, 30_000, 130.5, 0),
         "core large": area(400, 41_000, 58_000, 250.5, 0)}


def test_a_unit_is_what_a_larger_build_adds() -> None:
    cost = capacity.cost_of(UNIT, AREAS)
    assert cost.unit == {"multipliers": 100, "luts": 10_000, "registers": 14_000,
                         "block_memories": 60, "ultra_memories": 0}
    # Two units of the small build leave this part to the engine.
    assert cost.once == {"multipliers": 0, "luts": 1_000, "registers": 2_000,
                         "block_memories": 10.5, "ultra_memories": 0}


def test_a_port_without_a_small_build_is_the_unit() -> None:
    cost = capacity.cost_of(dataclasses.replace(UNIT, small=None), AREAS)
    assert cost.unit["luts"] == 41_000 and not any(cost.once.values())


def test_what_fits_and_what_binds() -> None:
    shell = dict.fromkeys(LIMITS, 0.0) | {"luts": 3_000.0, "block_memories": 19.5}
    cost = capacity.cost_of(UNIT, AREAS)
    # DSP: 700 / 100; LUT: (70,000 - 3,000 - 1,000) / 10,000; FF: (140,000 - 2,000) / 14,000;
    # BRAM: (350 - 19.5 - 10.5) / 60; URAM is not needed.
    found = capacity.counts(BOARD, 0.7, shell, cost)
    assert found == {"multipliers": 7, "luts": 6, "registers": 9, "block_memories": 5}
    assert capacity.binding(found) == "block_memories"
    with_ultra = Cost({**cost.unit, "ultra_memories": 3.0}, cost.once)
    found = capacity.counts(BOARD, 0.7, shell, with_ultra)
    assert found["ultra_memories"] == 2 and capacity.binding(found) == "ultra_memories"
    # A unit that is larger than the board does not fit.
    large = Cost({**cost.unit, "luts": 80_000.0}, cost.once)
    assert capacity.counts(BOARD, 0.7, shell, large)["luts"] == 0
    full = capacity.counts(BOARD, 0.7, {**shell, "luts": 90_000.0}, cost)
    assert full["luts"] == 0


def test_rates() -> None:
    shell = dict.fromkeys(LIMITS, 0.0)
    cost = capacity.cost_of(UNIT, AREAS)
    rows = [(UNIT, capacity.counts(BOARD, 0.7, shell, cost))]
    group = capacity.Group(["made_up"], BOARD.clock_mhz, rows)
    # 7, 6, 9 and 5 units.
    assert list(capacity._fit_table([group]))[-1] == "| 1 | 5, BRAM36 |"
    # 200 MHz / 500 clocks; 5 units of 400,000 jobs of 128 bytes.
    line = list(capacity._jobs_table([group], 250.0))[-1]
    assert line == "| 1. job | 500 | 30,000 | 400 k | 500 k | 2 M, 2.5 M, 0.256 |"


def test_the_clocks_are_those_that_the_builds_request() -> None:
    folder = PROJECT_ROOT / "card" / "boards"
    for board in capacity.boards()[1]:
        script = folder / board.name / "build.tcl"
        clock = folder / board.name / "clock" / "core_clock.sv"
        if script.exists():
            requested = re.search(r"^set core_mhz ([\d.]+)$", script.read_text(), re.MULTILINE)
            assert requested is not None and float(requested[1]) == board.clock_mhz, board.name
        elif clock.exists():
            multiply, divide = (
                float(found) for found in re.findall(r"real \w+ = ([\d.]+);", clock.read_text()))
            assert 250 * multiply / divide == board.clock_mhz, board.name
        else:
            assert "no build" in board.clock_is, board.name


def test_the_published_cards_are_compared_with_builds_and_counts() -> None:
    known = {unit.name: unit for unit in capacity.units()}
    names = {board.name for board in capacity.boards()[1]}
    for row in capacity.published():
        assert row.board in names and row.binds and row.jobs_s > 0
        assert row.job in {job.name for job in known[row.unit].jobs}
    # Four cores of Poseidon over Fr in the build for the Varium C1100, two of ECDSA for the U280.
    fr = "core of Poseidon over Fr, all widths, registers in URAM"
    assert capacity.built_units("poseidon", "varium_c1100", fr) == 4
    assert capacity.built_units("poseidon", "alveo_u280", fr) == 8
    assert capacity.built_units("poseidon", "alveo_u280", fr.partition(", registers")[0]) == 0
    assert capacity.built_units("equihash", "alveo_u280", "engine of Equihash, all sets") == 1
    assert capacity.built_units("secp256k1", "alveo_u280", "core of ECDSA") == 2
    assert capacity.built_units("loopback", "alveo_u280", "core of ECDSA") == 0
    # 4 cores * 200 MHz / 509 clocks, published 0.991 M/s.
    usable, boards = capacity.boards()
    row = next(line for line in capacity._published_table(areas.stored(), usable, boards, 250.0)
               if line.startswith("| filecoin-2 "))
    assert "| 991 k | 4 | 1.57 M (1.59) |" in row, row


def test_the_boards_are_those_of_the_project() -> None:
    usable, boards = capacity.boards()
    assert 0 < usable <= 1
    built = tomllib.loads((PROJECT_ROOT / "card/boards/boards.toml").read_text(encoding="utf-8"))
    by_name = {board.name: board for board in boards}
    images = {board.name for board in areas.images()}
    assert built.keys() - by_name.keys() - images == {"ulx3s_85f"}
    for name in built.keys() & by_name.keys():
        row = built[name]
        assert by_name[name].stream_bytes == row["StreamBytes"], name
    for board in boards:
        assert board.source and board.clock_is and min(board.has.values()) >= 0


def test_the_units_name_ports_of_their_engines() -> None:
    """The area for a parameter that the port does not have would be that of the default."""
    modules = manifests()
    found = capacity.units()
    assert len({unit.name for unit in found}) == len(found) >= 4
    for unit in found:
        assert unit.engine in modules, unit.engine
        (file,) = [f for f in sources_of(unit.module) if f.stem == unit.module]
        declared = set(re.findall(r"parameter int unsigned (\w+)", file.read_text()))
        for parameters in (unit.large, unit.small or {}):
            assert parameters.keys() <= declared, (unit.name, parameters)
        if unit.small is not None:
            larger = [p for p in unit.large if unit.large[p] != unit.small[p]]
            assert [unit.large[p] - unit.small[p] for p in larger] == [unit.added]
            assert unit.small[larger[0]] == unit.held


@pytest.mark.parametrize("unit", capacity.units(), ids=lambda unit: unit.name)
def test_the_clocks_are_those_of_the_engines_tables(unit: Unit) -> None:
    """When an engine is measured again, its clocks in capacity.toml must be updated, too."""
    text = "".join(
        path.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
        for path in (PROJECT_ROOT / "engines" / unit.engine / "README.md",
                     PROJECT_ROOT / "engines" / unit.engine / "rtl" / "README.md")
        if path.exists())
    cells = {re.sub(r"[,%]", "", cell.strip()) for cell in text.split("|")}
    for job in unit.jobs:
        assert {f"{job.batch_clocks:.1f}", f"{job.batch_clocks:.0f}"} & cells, job
        assert job.alone_clocks is None or str(job.alone_clocks) in cells, job


def test_the_document_is_current() -> None:
    assert capacity.main(["--check"]) == 0


def test_a_document_that_is_not_current_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    stored = areas.stored()
    name = f"{capacity.units()[0].name} large"
    stored[name]["luts"] += 5_000
    changed = tmp_path / "areas.json"
    changed.write_text(json.dumps(stored))
    monkeypatch.setattr(areas, "AREAS", changed)
    assert capacity.main(["--check"]) == 1


def test_an_engine_that_is_not_there_is_refused() -> None:
    with pytest.raises(SystemExit):
        capacity.main(["--measure", "no_such_engine"])
