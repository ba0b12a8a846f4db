# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The RTL table: its checks, and that the README's table matches the current programs."""

import copy
from typing import Any

import pytest

from arith.microcode.checker import check as program_counts
from arith.microcode.generate import BEGIN, END
from engines.poseidon.microcode.images import Programs, image_of_set, is_paced
from engines.poseidon.model.parameters import FELT, FR
from engines.poseidon.rtl import table
from engines.poseidon.rtl.measure import instances_by_name


def figures(utilization: float, clocks: float, cores: int = 1) -> dict[str, Any]:
    return {"cores": cores, "hashes": 64, "products_per_hash": clocks * utilization,
            "utilization": utilization, "clocks_per_hash": clocks,
            "simulated_clocks_per_cpu_s": 100_000}


def made_up_report() -> dict[str, Any]:
    names = list(instances_by_name())
    return {
        "rates": {
            "optimized": {name: figures(0.99, 500.0 + i) for i, name in enumerate(names)},
            "plain": {name: figures(0.4, 900.0 + i) for i, name in enumerate(names)},
        },
        "alone": {name: 30_000 + i for i, name in enumerate(names)},
        "scaling": {
            name: {str(n): figures(0.98, 500 / n, n) for n in (1, 2, 4)}
            for name in table.mixtures()
        },
        "areas": {
            name: {"multipliers": 108 + i, "luts": 20_000, "registers": 19_000,
                   "registers_in_multipliers": 8_000, "block_memories": 39.5,
                   "date": "2026-01-01"}
            for i, name in enumerate(table.AREAS)
        },
    }


def rows(text: str) -> dict[str, list[str]]:
    """Table rows by their first cell."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return {row[0]: row[1:] for row in cells}


def number(cell: str) -> float:
    return float(cell.split("(")[0].replace(",", "").rstrip("%k ").strip())


def test_a_report_becomes_a_section() -> None:
    report = made_up_report()
    table.check(report)
    found = rows(table.section(report))
    assert set(instances_by_name()) < set(found)
    clocks, alone, busy, cost, aim, published, ratio, plain, plain_busy = found["filecoin-2"]
    assert (number(clocks), number(busy), aim, published) == (500.0, 99.0, "≤ 118 k", "415 k")
    assert number(alone) == 30_000
    assert number(cost) == 54.0 and number(ratio) == pytest.approx(414_908 / 54_000, abs=0.05)
    assert (number(plain), number(plain_busy)) == (900.0, 40.0)


@pytest.mark.parametrize("name", ["filecoin-2", "filecoin-11-strengthened", "stark-9"])
def test_idle_multipliers_are_refused(name: str) -> None:
    report = made_up_report()
    report["rates"]["optimized"][name]["utilization"] = 0.899
    with pytest.raises(table.TableFailed, match=name):
        table.check(report)


def test_cores_that_do_not_scale_are_refused() -> None:
    for name in table.mixtures():
        for cores in ("2", "4"):
            report = copy.deepcopy(made_up_report())
            report["scaling"][name][cores]["utilization"] = 0.98 * 0.969
            with pytest.raises(table.TableFailed, match=f"{name}: {cores} cores"):
                table.check(report)


def test_the_readme_holds_the_table_of_these_programs() -> None:
    """A changed program must be measured again: the turns of a program bound its clocks."""
    text = table.README.read_text(encoding="utf-8")
    found = rows(text.partition(BEGIN)[2].partition(END)[0])
    for modulus in (FR, FELT):
        counts = {p: program_counts(image_of_set(modulus, p))
                  for p in (Programs.OPTIMIZED, Programs.PLAIN)}
        for name, used in counts[Programs.OPTIMIZED].items():
            clocks, alone, busy, cost, *_, plain, _ = found[name]
            assert number(clocks) == pytest.approx(used.turns, rel=0.005), name
            assert number(busy) >= 100 * table.LEAST_UTILIZATION, name
            # A lone job waits for each of its turns to end, or for its paced issues.
            paced = is_paced(modulus, Programs.OPTIMIZED)
            assert number(alone) > (used.clocks if paced else 40 * used.turns), name
            title = table.AREAS[f"mod_mul_{'fr' if modulus == FR else 'felt'}"]
            assert number(cost) == pytest.approx(
                number(found[title][0]) * number(clocks) / 1000, rel=0.01), name
            plain_turns = next(c.turns for n, c in counts[Programs.PLAIN].items()
                               if n.removesuffix("-plain") == name)
            assert number(plain) == pytest.approx(plain_turns, rel=0.005), name
    for name, aim in table.AIMS.items():
        assert 1000 * number(found[name][3]) <= aim, name
    for title in table.AREAS.values():
        assert len(found[title]) == 6 and number(found[title][1]) > 1000, title
    for cores in table.MANY_CORES:
        assert len(found[str(cores)]) == len(table.mixtures())
        for cell in found[str(cores)]:
            assert float(cell.partition("(")[2].rstrip(")")) >= table.LEAST_SCALING, cell
