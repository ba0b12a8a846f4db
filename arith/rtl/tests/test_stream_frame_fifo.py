# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_frame_fifo: only complete frames, drops, and flushes that finish the offered frame."""

import random
from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import start


class Model:
    """The expected contents of the queue: complete frames, and the incoming one."""

    def __init__(self, registered: bool) -> None:
        self.registered = registered
        self.whole: deque[list[int]] = deque()  # those that may be offered
        self.fresh: list[list[int]] = []  # complete since the last clock
        self.coming: list[int] = []

    def offered(self) -> tuple[int, int] | None:
        """The beat that the queue must offer: (data, last)."""
        if not self.whole:
            return None
        return self.whole[0][0], int(len(self.whole[0]) == 1)

    def take(self) -> None:
        self.whole[0].pop(0)
        if not self.whole[0]:
            self.whole.popleft()

    def size(self) -> int:
        return sum(map(len, [*self.whole, *self.fresh, self.coming]))

    def clock(self) -> None:
        """Frames completed in the last clock may be offered from the next one on."""
        self.whole.extend(self.fresh)
        self.fresh = []

    def flush(self, offered: bool) -> bool:
        """Drops everything except the offered frame, if any; returns whether there was more."""
        more = len(self.whole) > offered or bool(self.fresh)
        while len(self.whole) > offered:
            self.whole.pop()
        self.fresh = []
        return more and offered


def _drive(dut: Any, rng: random.Random, limits: dict[str, float], left: int) -> int:
    """Sets random inputs; `left` is the number of beats left of the incoming frame."""
    dut.in_valid_i.value = int(rng.random() < limits["push"])
    dut.in_data_i.value = rng.getrandbits(64)
    dut.in_last_i.value = int(left == 1)
    dut.drop_i.value = int(rng.random() < limits["drop"])
    dut.flush_i.value = int(rng.random() < limits["flush"])
    dut.out_ready_i.value = int(rng.random() < limits["pop"])
    return left


@cocotb.test()
@cocotb.parametrize(
    push=[0.3, 1.0], pop=[0.2, 1.0], drop=[0.0, 0.05], flush=[0.0, 0.02],
)
async def behaves_as_the_model(
    dut: Any, push: float, pop: float, drop: float, flush: float
) -> None:
    """Every clock: the offered beat is the model's, and nothing is accepted in error."""
    limits = {"push": push, "pop": pop, "drop": drop, "flush": flush}
    depth, rng = int(setting("depth")), random_source(str(limits))
    model = Model(setting("registered") == "1")
    await start(dut, flush_i=0, in_valid_i=0, in_data_i=0, in_last_i=0, drop_i=0, out_ready_i=0)
    left, taken_frames, resting = rng.randint(1, depth), 0, False
    for _ in range(3000):
        _drive(dut, rng, limits, left)
        await ReadOnly()
        offered = model.offered()
        assert int(dut.out_valid_o.value) == int(offered is not None)
        if offered is not None:
            assert (int(dut.out_data_o.value), int(dut.out_last_o.value)) == offered
        flushing = int(dut.flush_i.value) == 1
        if flushing:
            assert int(dut.in_ready_o.value) == 0
        elif not resting:
            assert int(dut.in_ready_o.value) == int(model.size() < depth)
        pushed = int(dut.in_valid_i.value) and int(dut.in_ready_o.value)
        if pushed:
            model.coming.append(int(dut.in_data_i.value))
            left -= 1
        dropped = flushing or int(dut.drop_i.value) == 1
        if dropped:
            model.coming, left = [], 0
        if model.registered:
            model.clock()
        if left == 0:
            if model.coming:
                model.fresh.append(model.coming)
            model.coming, left = [], rng.randint(1, depth)
        if not model.registered:
            model.clock()
        if flushing:
            # The flushed frames' places are free again when the offered frame has ended.
            resting = model.flush(offered is not None) or resting
        if offered is not None and int(dut.out_ready_i.value):
            frames = len(model.whole)
            model.take()
            taken_frames += frames - len(model.whole)
            if frames != len(model.whole):
                resting = False
        await RisingEdge(dut.clk_i)
    assert taken_frames > 20


@pytest.mark.parametrize("depth, registered", [
    (16, 0), (2, 1), *in_sweep([(2, 0), (16, 1)])])
def test_stream_frame_fifo(depth: int, registered: int) -> None:
    run_bench(__file__, "stream_frame_fifo", {"Depth": depth, "Registered": f"1'b{registered}"},
              settings={"depth": depth, "registered": registered})


LINTS = [Lint("stream_frame_fifo", {"Registered": f"1'b{registered}"}) for registered in (0, 1)]
