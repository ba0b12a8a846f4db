# SPDX-License-Identifier: Apache-2.0 OR MIT
"""uart_rx: random bytes at rates that differ by 2 %, gaps, glitches, bad stop bits, breaks."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from arith.simulation.bench import in_sweep, random_source, run_bench, setting
from arith.simulation.ports import reader
from arith.simulation.streams import CLOCK_PERIOD_NS, start
from card.rtl.tests.serial_line import SerialSender, bit_ps


class Watcher:
    """Collects the output of the receiver."""

    def __init__(self, dut):
        self.received, self.errors = bytearray(), 0
        self._dut = dut
        cocotb.start_soon(self._run())

    async def _run(self):
        edge, is_out_of_reset, is_valid, is_error = RisingEdge(self._dut.clk_i), *map(reader, (
            self._dut.rst_ni, self._dut.valid_o, self._dut.framing_error_o))
        while True:
            await edge
            await ReadOnly()
            valid, error = is_valid(), is_error()
            if not (valid or error) or not is_out_of_reset():
                continue
            assert not (valid and error)
            self.errors += error
            if valid:
                self.received.append(int(self._dut.data_o.value))


async def begin(dut):
    sixteenths = int(setting("bit_sixteenths"))
    error = float(setting("error", 0))
    sender = SerialSender(dut.rx_i, bit_ps(sixteenths, error))
    await start(dut)
    return sender, Watcher(dut), random_source(f"{sixteenths}/{error}")


@cocotb.test()
async def bytes_with_and_without_gaps(dut):
    sender, watcher, rng = await begin(dut)
    expected = bytes([0x00, 0xFF, 0x55, 0xAA, 0x01, 0x80, *rng.randbytes(300)])
    await sender.send(expected[:150])
    await sender.send(expected[150:], rng, 3.0)
    await sender.hold(1, 2)
    assert bytes(watcher.received) == expected
    assert watcher.errors == 0


@cocotb.test()
async def bad_stop_bits_and_breaks_are_dropped_and_counted(dut):
    sender, watcher, rng = await begin(dut)
    expected, errors = bytearray(), 0
    for _ in range(120):
        what = rng.random()
        if what < 0.2:
            await sender.send_mangled(rng.randrange(256))
            errors += 1
        elif what < 0.3:
            await sender.hold(0, rng.uniform(10.6, 60))
            await sender.hold(1, 2)
            errors += 1
        elif what < 0.4:
            await sender.hold(0, rng.uniform(0.05, 0.2))
            await sender.hold(1, 1.5)
        else:
            byte = rng.randrange(256)
            await sender.send([byte], rng, 1.0)
            expected.append(byte)
    await sender.hold(1, 2)
    assert bytes(watcher.received) == bytes(expected)
    assert watcher.errors == errors


@cocotb.test()
async def a_reset_in_mid_byte_loses_that_byte_only(dut):
    sender, watcher, rng = await begin(dut)
    for _ in range(5):
        before = len(watcher.received)
        task = cocotb.start_soon(sender.send([0xFF]))
        # Within the data bits, which are high: the rest looks like an idle line.
        await ClockCycles(dut.clk_i, int(rng.uniform(1.3, 9.0) * sender.bit / (1000 * CLOCK_PERIOD_NS)))
        dut.rst_ni.value = 0
        await ClockCycles(dut.clk_i, 2)
        dut.rst_ni.value = 1
        await task
        await sender.hold(1, 2)
        assert len(watcher.received) == before
        byte = rng.randrange(256)
        await sender.send([byte])
        await sender.hold(1, 1)
        assert watcher.received[before:] == bytes([byte])


@pytest.mark.parametrize(
    ("sixteenths", "error"),
    [(400, 0.02), (400, -0.02), (133, 0.02), (96, 0.0),
     *in_sweep([(400, 0.0), (267, 0.02), (133, -0.02)])],
)
def test_uart_rx(sixteenths, error):
    run_bench(__file__, "uart_rx", {"BitSixteenths": sixteenths},
              settings={"bit_sixteenths": sixteenths, "error": error})
