# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of images: rates of all copies, and ratios to published cards at both clocks, by hand."""

import dataclasses

from card.boards import images
from card.boards.areas import LIMITS, Job, Published, Unit, boards
from card.boards.floorplan import Item, Plan

UNIT = Unit(engine="x", name="core", module="x_port", large={}, small=None, added=1, held=0, most=7,
            jobs=[Job("job", 500.0, 128)])
CARD = Published(design="Other, chip: something", board="alveo_u280", unit="core", job="job",
                 clock_mhz=100.0, jobs_s=400_000, binds="DSP")


def plan(name: str, counts: list[int]) -> Plan:
    board = next(board for board in boards()[1] if board.name == name)
    items = [Item("x", copy, "x", [(UNIT, count)], dict.fromkeys(LIMITS, 0.0), "", 0)
             for copy, count in enumerate(counts)]
    return Plan(board, items, [0] * len(items), [], {}, [])


def row(name: str, counts: list[int], card: Published = CARD) -> str:
    return list(images.rates([plan(name, counts)], 250.0, [card]))[-1]


def test_all_copies_count_and_ratios_are_at_both_clocks() -> None:
    # 2 + 3 cores at 200 MHz: 5 * 200 M / 500 = 2 M; at 100 MHz 1 M.
    assert row("alveo_u280", [2, 3]) == (
        "| `alveo_u280` | x: job | 5 | 2 M | 2.5 M | Other, chip | 400 k at 100 MHz | 5.00 | 2.50 |")
    # A published unit is compared with one of ours.
    single = dataclasses.replace(CARD, units=1)
    assert row("alveo_u280", [2, 3], single).endswith(
        "| Other, chip, for 1 of ours | 400 k at 100 MHz | 1.00 | 0.50 |")


def test_a_card_with_other_dies_is_not_compared() -> None:
    assert "Other" in row("vcu128", [1])
    for other in ("varium_c1100", "aws_f2"):
        assert row(other, [1]).endswith("| 400 k | 500 k |  |  |  |  |")
