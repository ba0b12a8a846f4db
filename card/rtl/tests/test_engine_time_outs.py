# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with an engine that a fault stops after its third reply. Each time the notice reports a
timeout, no wrong answer leaves the card, and after a reset the engine works."""

from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from arith.simulation.bench import in_sweep, run_bench, setting
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT
from card.model import commands
from card.model.commands import FAILED_CODE, TIMED_OUT
from card.rtl.tests.test_card_windows import BITS, PORTS
from card.rtl.tests.test_memory_flips import Disturbed, parameters
from card.rtl.tests.traffic import TRAFFIC, Batch

STANDS_STILL = Mutant("engine_shell", "accepts no reply after the third", (
    (".in_ready_o (reply_ready_o)", ".in_ready_o (has_room)"),
    (".in_valid_i (reply_valid_i)", ".in_valid_i (reply_valid_i && !still)"),
    ("  // The one part that", "  logic has_room, still;\n"
     "  logic [1:0] taken_q;\n"
     "  assign still = taken_q == 2'd3;\n"
     "  assign reply_ready_o = has_room && !still;\n"
     "  always_ff @(posedge clk_i or negedge inner_rst_nq) begin\n"
     "    if (!inner_rst_nq) taken_q <= 2'd0;\n"
     "    else if (reply_valid_i && reply_ready_o && reply_last_i) taken_q <= taken_q + 1'b1;\n"
     "  end\n  // The one part that"),
))
WAITS_FOR_EVER = Mutant("engine_guard", "no clock ends the wait", (
    ("&& !moves_q;", "&& !moves_q && 1'b0;"),
))
# More clocks than pass without a move while the engine works.
TIMEOUT_CLOCKS = {"loopback": 500, "poseidon": 40_000, "blake3": 3_000, "equihash": 5_000,
                  "secp256k1": 150_000}


DROPPING_CLOCKS = 50_000


async def until_it_fails(card: Disturbed, batch: Batch, clocks: int) -> None:
    """The engine must fail, and its answers before that must be correct."""
    for frame in batch.frames:
        card.send(frame)
    for _ in range(clocks):
        await RisingEdge(card.dut.clk_i)
        while card.sink.packets:
            frame = card.next_frame()
            assert frame is not None
            if frame.command == FAILED_CODE:
                assert frame == commands.engine_failed(PORTS[card.engine], TIMED_OUT)
                return
            card.judge(frame, batch, False)
    raise AssertionError("no notice of an engine that does not move")


@cocotb.test()
async def an_engine_that_stands_still_times_out(dut: Any) -> None:
    engine = setting("engine")
    card = Disturbed(dut, engine)
    await card.start()
    for count in range(1, 4):
        batch = TRAFFIC[engine](card.rng)
        await until_it_fails(card, batch, 5 * TIMEOUT_CLOCKS[engine])
        assert len(batch.replies) >= 3
        assert await card.register("time_outs") == count
        assert await card.register("memory_errors") == 0
        assert await card.register("interrupt_pending") & BITS["timed_out"]
        await card.clear(BITS["timed_out"])
        # The rest of the batch is dropped as it arrives; then no frame may come.
        for _ in range(DROPPING_CLOCKS):
            if int(dut.idle_o.value):
                break
            await RisingEdge(dut.clk_i)
        assert int(dut.idle_o.value) == 1
        # Requests to a failed engine are dropped; a reset passes.
        card.send(batch.frames[0])
        await card.reset()
    assert await card.register("requests") > 9


# All engines have the same guard. Each run tests the one whose card compiles fastest: resets during
# jobs of the others have their own benches, and ECDSA's engine has a timeout bench.
QUICK = "loopback"


@pytest.mark.parametrize("engine", [
    QUICK, *in_sweep([engine for engine in TRAFFIC if engine != QUICK])])
def test_engine_time_outs(engine: str) -> None:
    sources = STANDS_STILL.sources(sources_of("card_top"), BUILD_ROOT / "mutants" / "stands_still")
    run_bench(__file__, "card_top",
              {**parameters(engine), "TimeoutClocks": TIMEOUT_CLOCKS[engine]},
              settings={"engine": engine}, sources=sources)


def test_a_card_that_waits_for_ever_is_noticed() -> None:
    folder = BUILD_ROOT / "mutants" / "waits_for_ever"
    sources = WAITS_FOR_EVER.sources(
        STANDS_STILL.sources(sources_of("card_top"), folder), folder)
    with pytest.raises(AssertionError, match="failed: .*an_engine_that_stands_still_times_out"):
        run_bench(__file__, "card_top", {**parameters("loopback"), "TimeoutClocks": 500},
                  settings={"engine": "loopback"}, sources=sources)
