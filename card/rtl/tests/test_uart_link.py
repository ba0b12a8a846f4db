# SPDX-License-Identifier: Apache-2.0 OR MIT
"""uart_link: beats and bytes in both directions at once, a card that accepts nothing, and
resynchronization. Here the FIFO has 8 beats and an idle line has 64 bits."""

import re

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from arith.simulation.bench import random_source, run_bench, setting
from arith.simulation.sources import sources_of
from arith.simulation.streams import StreamDriver, StreamMonitor, start
from arith.simulation.toolchain import PROJECT_ROOT
from card.rtl.tests.serial_line import SerialReceiver, SerialSender, bit_ps

SIXTEENTHS, FIFO_BEATS, IDLE_BITS = 133, 8, 64
# In the FIFO and in its output register.
HELD_BEATS = FIFO_BEATS + 1


def words(data: bytes) -> list[int]:
    """The beats of the bytes."""
    return [int.from_bytes(data[at:at + 8], "little") for at in range(0, len(data), 8)]


class Bench:
    """A link, with the other end of its line and its card."""

    def __init__(self, dut, pause: float = 0.3):
        error = float(setting("error"))
        self.rng = random_source(error)
        bit = bit_ps(SIXTEENTHS, error)
        self.sender = SerialSender(dut.rx_i, bit)
        self.receiver = SerialReceiver(dut.tx_o, bit_ps(SIXTEENTHS))
        self.requests = StreamMonitor(dut, "to_card", self.rng, pause)
        self.replies = StreamDriver(dut, "from_card", self.rng, pause)
        self.dut = dut

    async def settle(self):
        """Waits until the received bytes reach the card."""
        await ClockCycles(self.dut.clk_i, 100)

    def beats(self) -> list[int]:
        return [data for data, _ in self.requests.beats]

    def counters(self) -> tuple[int, int, int]:
        return (int(self.dut.framing_errors_o.value), int(self.dut.overflows_o.value),
                int(self.dut.realignments_o.value))


@cocotb.test()
async def both_ways_at_once(dut):
    bench = Bench(dut)
    await start(dut)
    requests, replies = bench.rng.randbytes(8 * 60), bench.rng.randbytes(8 * 60)
    bench.replies.send(words(replies))
    await bench.sender.send(requests[:240])
    await bench.sender.send(requests[240:], bench.rng, 4.0)
    got = await bench.receiver.wait(len(replies), 20 * len(replies))
    await bench.settle()
    assert got == replies
    assert bench.beats() == words(requests)
    assert bench.counters() == (0, 0, 0)


@cocotb.test()
async def what_the_card_does_not_take_waits_and_whole_beats_overflow(dut):
    bench = Bench(dut, pause=1.0)
    await start(dut)
    fits = bench.rng.randbytes(8 * HELD_BEATS)
    await bench.sender.send(fits)
    lost = bench.rng.randbytes(8 * 3)
    await bench.sender.send(lost)
    # A beat that is partly received when room returns is complete afterwards.
    half = bench.rng.randbytes(8)
    await bench.sender.send(half[:4])
    assert bench.beats() == []
    bench.requests.pause = 0.2
    await bench.settle()
    await bench.sender.send(half[4:])
    await bench.settle()
    assert bench.beats() == words(fits + half)
    assert bench.counters() == (0, 3, 0)


@cocotb.test()
async def an_idle_line_begins_a_new_beat(dut):
    bench = Bench(dut)
    await start(dut)
    expected, realignments, framing_errors = b"", 0, 0
    for _ in range(30):
        beat = bench.rng.randbytes(8)
        cut = bench.rng.randrange(1, 8)
        what = bench.rng.randrange(4)
        if what == 0:  # bytes are lost
            await bench.sender.send(beat[:cut])
            await bench.sender.hold(1, IDLE_BITS * 1.2)
            realignments += 1
        elif what == 1:  # a byte is damaged
            await bench.sender.send(beat[:cut])
            await bench.sender.send_mangled(beat[cut])
            await bench.sender.send(beat[cut + 1:])
            await bench.sender.hold(1, IDLE_BITS * 1.2)
            framing_errors += 1
            realignments += 1
        elif what == 2:  # a pause that is too short
            await bench.sender.send(beat[:cut])
            await bench.sender.hold(1, IDLE_BITS * 0.8)
            await bench.sender.send(beat[cut:])
            expected += beat
        else:  # a pause between beats
            await bench.sender.send(beat)
            await bench.sender.hold(1, IDLE_BITS * 1.2)
            expected += beat
    await bench.settle()
    assert bench.beats() == words(expected)
    assert bench.counters() == (framing_errors, 0, realignments)


@cocotb.test()
async def bytes_lost_without_a_pause_shift_the_beats_until_the_line_is_idle(dut):
    bench = Bench(dut)
    await start(dut)
    data = bench.rng.randbytes(8 * 6)
    await bench.sender.send(data[:11] + data[12:])
    await bench.sender.hold(1, IDLE_BITS * 1.2)
    after = bench.rng.randbytes(16)
    await bench.sender.send(after)
    await bench.settle()
    shifted = data[:11] + data[12:]
    assert bench.beats() == words(shifted[:40]) + words(after)
    assert bench.counters() == (0, 0, 1)


@pytest.mark.parametrize("error", [0.02, -0.02])
def test_uart_link(error):
    parameters = {"BitSixteenths": SIXTEENTHS, "FifoBeats": FIFO_BEATS, "IdleBits": IDLE_BITS}
    run_bench(__file__, "uart_link", parameters, settings={"error": error})


def test_the_host_keeps_within_half_of_the_fifo():
    """The host's limit and the link's FIFO size are constants in two languages."""
    host = (PROJECT_ROOT / "card/src/transport/uart.rs").read_text()
    (link,) = [file for file in sources_of("uart_link") if file.stem == "uart_link"]
    window = re.search(r"const WINDOW_BYTES: usize = ([\d_]+);", host)
    beats = re.search(r"int unsigned FifoBeats\s*= (\d+)", link.read_text())
    assert window is not None and beats is not None
    assert int(window[1]) <= int(beats[1]) * 8 // 2
