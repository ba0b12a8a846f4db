# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rule "latency": programs are correct with field_core's clocks, and not with worse ones."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arith.microcode import isa
from arith.microcode.checker import CheckError, check, violations
from arith.microcode.image import Entry, Image
from arith.microcode.timing import FIELD_CORE, Clock, Timing

S0, S1, P0 = isa.register(1, 0), isa.register(1, 1), isa.register(0, 0)
Turns = list[dict[str, int]]

SQUARE = {"mul_en": 1, "mul_a": S0, "mul_b": S0}
EMIT = SQUARE | {"mul_emit": 1}
ADD = {"add_en": 1, "op1": S0, "coef1": 1}
LAST = ADD | {"out_en": 1, "control": isa.HALT}
TO_S1 = ADD | {"add_write": 1, "add_dst": 1}
USE_S1 = EMIT | {"mul_a": S1}
TO_P0 = EMIT | {"mul_write": 1}

SUM_TO_PRODUCT: Turns = [TO_S1, USE_S1, LAST]
SUM_TO_SUM: Turns = [TO_S1, ADD | {"op1": S1}, LAST]
PRODUCT_TO_PRODUCT: Turns = [TO_P0, EMIT | {"mul_a": P0}, LAST]
PRODUCT_TO_SUM: Turns = [TO_P0, LAST | {"op1": P0}]
CHAIN: Turns = [EMIT | LAST | {"op0_is_product": 1, "coef0": 1}]
ACCUMULATE: Turns = [SQUARE, EMIT | {"mul_acc": 1}, LAST]
ONE_BETWEEN: Turns = [TO_S1, ADD, USE_S1, LAST]
# S1 is an input: only the second iteration reads the value that the loop wrote.
CARRIED: Turns = [ADD | {"control": isa.LOOP_BEGIN, "imm": 2}, USE_S1, ADD,
                  TO_S1 | {"control": isa.LOOP_END, "imm": 1}, LAST]
REPLACED: Turns = [ADD | {"op1": S1} | {"add_write": 1, "add_dst": 1}, LAST]
LOADED: Turns = [USE_S1, LAST]
TWICE: Turns = [TO_S1, TO_S1, LAST]
ALL = [SUM_TO_PRODUCT, SUM_TO_SUM, PRODUCT_TO_PRODUCT, PRODUCT_TO_SUM, CHAIN, ACCUMULATE,
       ONE_BETWEEN, CARRIED, REPLACED, LOADED, TWICE]


def image_of(turns: Turns) -> Image:
    words = [isa.encode(turn) for turn in turns]
    return Image(97, 3, words, [1], [1], [Entry("test", 0, 2, 1)])


def broken_at(turns: Turns, timing: Timing) -> list[int]:
    found = violations(image_of(turns), timing)
    assert {violation.rule for violation in found} <= {"latency"}
    return sorted({violation.pc for violation in found})


def later(name: str, by: Clock) -> Timing:
    return replace(FIELD_CORE, **{name: getattr(FIELD_CORE, name) + by})


@pytest.mark.parametrize("turns", ALL)
def test_sound_with_the_clocks_of_the_core(turns: Turns) -> None:
    assert broken_at(turns, FIELD_CORE) == []


ONE, SUM = Clock(1), Clock(0, sum=1)


@pytest.mark.parametrize("turns, timing, where", [
    pytest.param(SUM_TO_PRODUCT, later("turn", Clock(-1)), [1], id="turn too short"),
    pytest.param(SUM_TO_SUM, later("turn", Clock(-1)), [], id="sums read late enough"),
    pytest.param(SUM_TO_PRODUCT, later("turn", SUM * -1), [1], id="turn without the sum"),
    pytest.param(CARRIED, later("turn", Clock(-1)), [1], id="carried by a loop"),
    pytest.param(ONE_BETWEEN, later("turn", Clock(-1)), [], id="one turn between"),
    pytest.param(ONE_BETWEEN, replace(FIELD_CORE, turn=Clock(3)), [2], id="no turn between helps"),
    pytest.param(SUM_TO_PRODUCT, later("sum_write", ONE), [1, 2], id="sum written late"),
    pytest.param(PRODUCT_TO_PRODUCT, later("product_write", SUM + ONE), [], id="product just so"),
    pytest.param(PRODUCT_TO_PRODUCT, later("product_write", SUM + Clock(2)), [1],
                 id="product written late"),
    pytest.param(PRODUCT_TO_SUM, later("product_write", FIELD_CORE.turn - Clock(3)), [],
                 id="product just so for a sum"),
    pytest.param(PRODUCT_TO_SUM, later("product_write", FIELD_CORE.turn), [1],
                 id="product too late for a sum"),
    pytest.param(CHAIN, later("product_ready", ONE), [0], id="product chained late"),
    pytest.param(CHAIN, later("chain_take", ONE), [0], id="product held by nothing"),
    pytest.param(ACCUMULATE, later("accumulator_write", FIELD_CORE.turn - Clock(2)), [1],
                 id="accumulator written late"),
    pytest.param(ACCUMULATE, later("accumulator_read", Clock(0, multiply=-1)), [],
                 id="accumulator read early"),
    pytest.param(LOADED, replace(FIELD_CORE, load_write=FIELD_CORE.multiply_read), [0],
                 id="started too early"),
    pytest.param(LOADED, replace(FIELD_CORE, first_load=FIELD_CORE.add_read), [1],
                 id="loaded again while it is read"),
    pytest.param(TWICE, replace(FIELD_CORE, first_load=Clock(0)), [2],
                 id="loaded again before the last write"),
    pytest.param(REPLACED, replace(FIELD_CORE, sum_write=FIELD_CORE.add_read), [0],
                 id="replaced while it is read"),
    pytest.param(LOADED, replace(FIELD_CORE, send_read=FIELD_CORE.sum_write), [1],
                 id="sent while it is written"),
])
def test_worse_clocks_break_programs(turns: Turns, timing: Timing, where: list[int]) -> None:
    assert broken_at(turns, timing) == where
    if where:
        with pytest.raises(CheckError, match="latency"):
            check(image_of(turns), timing)


def test_a_violation_names_place_clocks_and_distance() -> None:
    (found,) = violations(image_of(SUM_TO_PRODUCT), later("turn", Clock(-1)))
    assert str(found) == (
        "latency at 1: S[1] read (multiply_read) in clock multiply+accumulate+reduce+sum+8, "
        "written (sum_write, 1 turns before) in multiply+accumulate+reduce+sum+8")


NUMBERS = st.integers(-4, 4)
LATENCIES = st.tuples(*[st.integers(1, 60)] * 4)


CLOCKS = st.builds(Clock, *[NUMBERS] * 5)


@given(CLOCKS, CLOCKS, LATENCIES)
def test_after_means_after_for_all_latencies(
    a: Clock, b: Clock, latencies: tuple[int, int, int, int]
) -> None:
    if a.is_after(b):
        assert a.at(*latencies) > b.at(*latencies)
    else:
        extremes = list(product((1, 1000), repeat=4))
        assert any(a.at(*values) <= b.at(*values) for values in extremes)
