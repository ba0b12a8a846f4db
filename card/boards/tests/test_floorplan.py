# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The floorplan: the best placement of small cases found by hand, budgets that are kept, builds that
do not fit, and files that match the manifests and card_top."""

import dataclasses
import random
import re
from collections.abc import Mapping

import pytest

from arith.simulation.toolchain import PROJECT_ROOT
from card.boards import areas, crossings, floorplan
from card.boards.areas import LIMITS, Board, Die
from card.boards.floorplan import Item, NoFloorplan
from card.spec.specification import load

BOARD = Board(name="made_up", title="", part="", stream_bytes=64, clock_mhz=200.0, clock_is="",
              source="", has=dict.fromkeys(LIMITS, 300), dies=("x", "x", "x"), shell_die=1)
DIES = [Die(f"SLR{number}", dict.fromkeys(LIMITS, 100.0)) for number in range(3)]
BUDGET = dict.fromkeys(LIMITS, 0.5)
NOTHING = dict.fromkeys(LIMITS, 0.0)


def item(name: str, luts: float, wires: int = 100, needs: Mapping[str, float] = NOTHING) -> Item:
    return Item(name, 0, name, (), {**needs, "luts": needs["luts"] + luts}, f"*gen_{name}.u_port",
                wires)


def place(items: list[Item], base: Mapping[str, float] = NOTHING, wires: int = 10_000,
          ) -> floorplan.Plan:
    return floorplan.place(BOARD, items, base, DIES, BUDGET, wires)


def test_the_load_is_balanced_and_few_wires_cross() -> None:
    # 40 + 8, 30 + 15 and 45: no other split of these has a fullest die of 48 of 50.
    made = place([item("a", 40), item("b", 30), item("c", 15), item("d", 8), item("e", 45, 500)])
    sides = {made.items[i].name: made.places[i] for i in range(5)}
    assert sides["a"] == sides["d"] and sides["b"] == sides["c"] and len(set(sides.values())) == 3
    # The item with most wires is next to the shell, and each other item crosses one boundary.
    assert sides["e"] == BOARD.shell_die and list(made.wires) == [200, 200]
    assert made.load(sides["b"])["luts"] == 45
    assert floorplan.fullest(made, BUDGET) == pytest.approx(48 / 50)


def test_wires_are_counted_at_each_boundary() -> None:
    # The shell at one end: an item at the other end crosses both boundaries.
    end = dataclasses.replace(BOARD, shell_die=0)
    made = floorplan.place(end, [item("a", 40), item("b", 40, 30), item("c", 40, 7)], NOTHING, DIES,
                           BUDGET, 1000)
    assert made.places == (0, 1, 2) and list(made.wires) == [37, 7]
    with pytest.raises(NoFloorplan):
        place([item("a", 40), item("b", 40), item("c", 40)], wires=99)


def test_the_shell_takes_its_place() -> None:
    made = place([item("a", 30), item("b", 30)], NOTHING | {"luts": 25.0})
    assert BOARD.shell_die not in made.places and made.load(1)["luts"] == 25
    with pytest.raises(NoFloorplan, match="made_up: no placement .* uses 102%"):
        place([item("a", 30), item("b", 30)], NOTHING | {"registers": 51.0})


@pytest.mark.parametrize("resource", LIMITS)
def test_each_resource_has_a_budget(resource: str) -> None:
    ok = place([item("a", 0, needs=NOTHING | {resource: 50.0})])
    assert floorplan.fullest(ok, BUDGET) == 1
    with pytest.raises(NoFloorplan, match="made_up"):
        place([item("a", 0, needs=NOTHING | {resource: 50.5})])


def test_no_other_placement_is_better() -> None:
    """Against a search without the rules for equal copies, on random items."""
    rng = random.Random(20)
    for _ in range(5):
        items = [item("same" if rng.random() < 0.5 else f"i{n}", 12, rng.randrange(1, 300))
                 for n in range(5)]
        items = sorted(items, key=lambda it: it.name)
        items = [dataclasses.replace(it, wires=40) if it.name == "same" else it for it in items]
        made = place(items)
        found = []
        for number in range(3 ** 5):
            places = [number // 3 ** i % 3 for i in range(5)]
            loads = [sum(it.needs["luts"] for it, at in zip(items, places, strict=True) if at == die)
                     for die in range(3)]
            crossing = sum(it.wires * abs(at - 1) for it, at in zip(items, places, strict=True))
            found.append((round(100 * max(loads) / 50), loads[1], crossing))
        assert (round(100 * floorplan.fullest(made, BUDGET)), made.load(1)["luts"],
                sum(made.wires)) == min(found)


def test_too_many_items_are_refused() -> None:
    with pytest.raises(NoFloorplan, match="12 items"):
        place([item(f"i{n}", 1) for n in range(12)])


def test_every_engine_of_a_build_is_placed_within_the_budget() -> None:
    spec, budget = load(), areas.die_budget()
    card_top = (PROJECT_ROOT / "card/rtl/card_top.sv").read_text()
    assert max(budget.values()) == budget["ultra_memories"] == 0.7
    made = floorplan.plans()
    assert {plan.board.name for plan in made} == set(crossings.BOARDS)
    for plan in made:
        name = plan.board.name
        engines = {module.engine for module in spec.modules if name in module.boards}
        assert {it.engine for it in plan.items} == engines
        for number, die in enumerate(plan.dies):
            for resource, used in plan.load(number).items():
                assert used <= budget[resource] * die.has[resource], (name, die.name, resource)
        assert max(plan.wires) <= areas.boundary_wires()
        text = (PROJECT_ROOT / "card/boards" / name / "floorplan.xdc").read_text()
        assigned = re.findall(r"SLR(\d) \[the get_cells \\\n\s+-hierarchical -filter "
                              r"\{NAME =~ \*gen_(\w+)\.(gen_copy\[(\d)\]\.)?u_port\}\]", text)
        assert len(assigned) == len(plan.items)
        for (die_number, engine, _, copy), it, at in zip(assigned, plan.items, plan.places,
                                                         strict=True):
            assert (int(die_number), engine, int(copy or 0)) == (at, it.engine, it.copy)
            assert f"begin : gen_{engine}\n" in card_top


def test_the_dies_are_those_of_the_board() -> None:
    for board in areas.boards()[1]:
        if board.dies:
            whole = areas.dies_of(dataclasses.replace(board, given=()))
            assert {name: sum(die.has[name] for die in whole) for name in LIMITS} == board.has


def test_the_files_are_current() -> None:
    assert floorplan.main(["--check"]) == 0


def test_a_build_that_does_not_fit_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    measured = areas.stored()
    for key in measured:
        if key.endswith(" large"):
            measured[key] = measured[key] | {"luts": 3 * measured[key]["luts"]}
    monkeypatch.setattr(floorplan, "stored", lambda: measured)
    assert floorplan.main(["--check"]) == 1
    assert "no placement keeps the budget of each die" in capsys.readouterr().err
    monkeypatch.setattr(floorplan, "stored", lambda: {})
    assert floorplan.main(["--check"]) == 1
    assert "no area of" in capsys.readouterr().err


def test_crossings_have_enough_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = floorplan.emit_boards.boards()
    few = {name: table | {"CrossingStages": 1} for name, table in boards.items()}
    monkeypatch.setattr(floorplan.emit_boards, "boards", lambda: few)
    assert floorplan.main(["--check"]) == 1
