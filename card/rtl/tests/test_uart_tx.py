# SPDX-License-Identifier: Apache-2.0 OR MIT
"""uart_tx: the bytes at a receiver, the length of bits, and bytes without gaps."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from arith.simulation.bench import in_sweep, random_source, run_bench, setting
from arith.simulation.streams import StreamDriver, start
from card.rtl.tests.serial_line import SerialReceiver, bit_ps


async def begin(dut, pause):
    sixteenths = int(setting("bit_sixteenths"))
    rng = random_source(sixteenths)
    driver = StreamDriver(dut, "in", rng, pause)
    await start(dut)
    return sixteenths, driver, rng


@cocotb.test()
async def a_receiver_reads_the_bytes(dut):
    sixteenths, driver, rng = await begin(dut, 0.98)
    receiver = SerialReceiver(dut.tx_o, bit_ps(sixteenths))
    expected = bytes([0x00, 0xFF, 0x55, *rng.randbytes(200)])
    driver.send(expected)
    assert await receiver.wait(len(expected), 40 * len(expected)) == expected
    await ClockCycles(dut.clk_i, 20 * sixteenths // 16)
    assert receiver.received == expected, "nothing follows"


@cocotb.test()
async def bytes_follow_each_other_at_the_exact_rate(dut):
    sixteenths, driver, rng = await begin(dut, 0.0)
    count = 60
    # Every second bit of 0x55 with start and stop bit is an edge: 10 edges a byte.
    driver.send([0x55] * count)
    clock, edges, level = 0, [], 1
    while len(edges) < 10 * count:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        clock += 1
        if int(dut.tx_o.value) != level:
            level = int(dut.tx_o.value)
            edges.append(clock)
        assert clock < 20 * count * sixteenths // 16, "the line does not move"
    for index, edge in enumerate(edges):
        ideal = edges[0] + index * sixteenths / 16
        assert -1 < edge - ideal <= 0.001, (index, edge, ideal)


@pytest.mark.parametrize("sixteenths", [400, 96, *in_sweep([267, 133])])
def test_uart_tx(sixteenths):
    run_bench(__file__, "uart_tx", {"BitSixteenths": sixteenths},
              settings={"bit_sixteenths": sixteenths})
