# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Clocks of a lone job: chains, independent turns and sums of products, worked out by hand."""

from __future__ import annotations

import random

import pytest

from arith.microcode import isa
from arith.microcode.distance import ACCUMULATOR_CLOCKS, Latencies, Path
from arith.microcode.image import Entry, Image
from arith.rtl.tests.field_core_random import random_image

LATENCIES = Latencies(multiply=13, accumulate=4, reduce=16, sum=8)
PRODUCT = LATENCIES.multiply + LATENCIES.accumulate + LATENCIES.reduce
READ = 4  # the operands, after the issue
S0, P0 = isa.register(isa.BANK_S, 0), isa.register(isa.BANK_P, 0)
EMIT = {"mul_en": 1, "mul_a": S0, "mul_b": S0, "mul_emit": 1}
LAST = {"add_en": 1, "op1": S0, "coef1": 1, "out_en": 1, "control": isa.HALT}
COUNT = 6


def path_of(turns: list[dict[str, int]]) -> Path:
    words = [isa.encode(turn) for turn in turns]
    return Path(Image(97, 3, words, [1], [1], [Entry("test", 0, 1, 1)]), Entry("test", 0, 1, 1),
                LATENCIES)


@pytest.mark.parametrize("distance", [1, 3, 8])
def test_independent_turns_follow_one_another(distance: int) -> None:
    path = path_of([EMIT] * COUNT + [LAST])
    assert path.dataflow() == path.end
    assert path.in_order(distance) == path.scheduled(distance) == COUNT * distance + path.end


def test_a_chain_of_products_takes_the_latencies_between_two() -> None:
    """From one register read to the next: operands, product, accumulator, reduction, P written."""
    power = EMIT | {"mul_write": 1}
    path = path_of([power] + [power | {"mul_a": P0}] * COUNT + [LAST | {"op1": P0}])
    chain = COUNT * (PRODUCT + 4)
    # The sum's operands are read two clocks before the product of its own turn is there.
    assert path.dataflow() == chain + 3 + path.end
    assert path.in_order(1) == path.scheduled(1) == path.dataflow()


def test_a_chain_of_sums_ends_with_its_writes() -> None:
    step = {"add_en": 1, "op1": S0, "coef1": 2, "add_write": 1}
    path = path_of([step] * COUNT + [LAST])
    assert path.dataflow() == COUNT * (LATENCIES.sum + 4) + path.end


def test_products_of_one_sum_come_a_segment_apart() -> None:
    begin = EMIT | {"mul_emit": 0}
    path = path_of([begin, *[begin | {"mul_acc": 1}] * COUNT, LAST])
    assert path.dataflow() == COUNT * ACCUMULATOR_CLOCKS + path.end


def test_the_longest_path_goes_first() -> None:
    """What nobody waits for stands in front of the chain, in the program's order alone."""
    power = EMIT | {"mul_write": 1}
    others = 3  # as many as fit between the chain's two products
    path = path_of([EMIT] * others + [power, power | {"mul_a": P0}, LAST | {"op1": P0}])
    assert path.in_order(8) - path.scheduled(8) == others * 8


@pytest.mark.parametrize("seed", range(4))
def test_orders_and_bounds_of_random_programs(seed: int) -> None:
    image = random_image((1 << 251) + 17 * (1 << 192) + 1, random.Random(seed))
    for entry in image.entries:
        path = Path(image, entry, LATENCIES)
        turns = len(path.after)
        # At the distance of today's core nothing waits for an operand, in whatever order.
        today = (turns - 1) * path.turn_clocks + path.end
        assert path.in_order(path.turn_clocks) == path.scheduled(path.turn_clocks) == today
        for distance in (1, 2, 7):
            bound = max(path.dataflow(), (turns - 1) * distance + path.end)
            assert path.in_order(distance) >= bound
            assert path.dataflow() <= path.scheduled(distance) <= today
