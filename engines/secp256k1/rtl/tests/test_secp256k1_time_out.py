# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs secp256k1_port with a fault that loses signatures: each is answered with the time-out, none
twice, none wrongly, and afterwards the engine works."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles

from arith.simulation.bench import random_source, run_bench
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.streams import StreamDriver, StreamMonitor, start
from arith.simulation.toolchain import BUILD_ROOT
from card.model.frames import beats_of
from engines.secp256k1.model.tests.edge_cases import random_case
from engines.secp256k1.rtl.tests.secp256k1_frames import (
    REPLY, REPLY_CHECKED, checksum, mask_of, request, short_case,
)

MODULE = "secp256k1_port"
TIME_OUT = 1 << 4
TIMEOUT_CLOCKS = 100_000
"""More than a signature takes next to another."""
LOST_SLOT = 1

LOSES = Mutant("secp256k1_verdict", "the verdict of one slot is lost", (
    ("if (last_q) full_q <= 1'b1;",
     f"if (last_q) full_q <= tag_q[TagBits-1:0] != TagBits'({LOST_SLOT});"),
))


@cocotb.test()
async def lost_signatures_are_answered_by_the_time_out(dut: Any) -> None:
    await start(dut, soft_reset_i=0, req_valid_i=0, req_data_i=0, req_last_i=0, rpl_ready_i=0)
    rng = random_source("time out")
    driver, monitor = StreamDriver(dut, "req", rng), StreamMonitor(dut, "rpl", rng)

    async def verdicts(cases: list[Any], clocks: int) -> list[int]:
        """Returns their masks, in order; each is answered once."""
        expected: dict[int, tuple[int, bool]] = {}
        for place, case in enumerate(cases):
            is_checked = rng.random() < 0.5
            index = rng.getrandbits(60) << 4 | place
            expected[index] = mask_of(case), is_checked
            driver.send(beats_of(request(index, *case[1:], is_checked)))
        found: dict[int, int] = {}
        for frame in await monitor.wait_frames(len(cases), clocks):
            mask, is_checked = expected.pop(frame[1])
            assert frame[0] >> 32 == (REPLY_CHECKED if is_checked else REPLY)
            assert not is_checked or frame[3] == checksum(frame[:3])
            got = frame[2] & 0xFFFF
            assert got in (mask, TIME_OUT), f"{got:#x}, not {mask:#x}"
            assert got != TIME_OUT or frame[2] >> 16 == 0xFFFF
            found[frame[1] & 0xF] = got
        assert not expected
        monitor.clear()
        return [found[place] for place in range(len(cases))]

    # In the first slot and after it; refusals do not pass the verdict.
    masks = await verdicts([random_case(rng), random_case(rng), short_case(rng)], 500_000)
    assert masks[0] != TIME_OUT and masks[LOST_SLOT] == TIME_OUT and masks[2] != TIME_OUT
    await ClockCycles(dut.clk_i, 4)
    assert int(dut.idle_o.value) == 1
    # The walk over the slots ends before the first one.
    case = random_case(rng)
    assert await verdicts([case], 200_000) == [mask_of(case)]


def test_secp256k1_time_out() -> None:
    sources = LOSES.sources(sources_of(MODULE), BUILD_ROOT / "mutants" / "secp256k1_time_out")
    run_bench(__file__, MODULE, {"Contexts": 2, "TimeoutClocks": TIMEOUT_CLOCKS}, sources=sources)
