# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The F2 design from the shell's ports: a status and echoes through AXI4, registers through
AXI4-Lite, interrupts, resets. The developer kit's parts are replaced; cocotb acts as the shell."""

import re

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.toolchain import PROJECT_ROOT
from card.model import commands
from card.model.commands import StatusReply
from card.model.frames import SPEC, Frame, split
from card.rtl.tests.axi4_host import (
    CONSUMED, CONTROL, LINE, OKAY, REPLIES, SLAVE_ERROR, Axi4Host,
)
from card.sim.build import engine_mask
from card.spec.specification import WINDOW_BYTES
from engines.loopback.model import echo

BOARD = "card/boards/aws_f2"
FOLDERS = [f"{BOARD}/rtl", f"{BOARD}/shell"]
LOOPBACK = next(module for module in SPEC.modules if module.engine == "loopback")
OFFSETS = {register.name: register.offset for register in SPEC.window_registers}
ERROR_INTERRUPT = next(1 << i.value for i in SPEC.interrupts if i.name == "error")
CARD_INTERRUPT, REPLIES_INTERRUPT = 0, 1


class Shell:
    """Acts as the shell and its host."""

    def __init__(self, dut, rng) -> None:
        self.dut, self.rng = dut, rng
        cocotb.start_soon(Clock(dut.clk_i, 4, unit="ns").start())
        dut.irq_ack_i.value = 0
        dut.flr_i.value = 0
        self.host = Axi4Host(dut, rng, self.pauses)
        self.registers = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False)
        for part in (self.registers.write_if, self.registers.read_if):
            part.log.setLevel("WARNING")
        self.interrupts = [0, 0]
        cocotb.start_soon(self._acknowledge())

    def pauses(self):
        while True:
            yield self.rng.random() < 0.2

    async def _acknowledge(self) -> None:
        """Counts the pulses, and checks that none repeats before it is acknowledged."""
        while True:
            await FallingEdge(self.dut.clk_i)
            request = int(self.dut.irq_req_o.value)
            if not request:
                continue
            for number in range(2):
                self.interrupts[number] += request >> number & 1
            await ClockCycles(self.dut.clk_i, 1)
            for _ in range(self.rng.randrange(6)):
                await FallingEdge(self.dut.clk_i)
                again = int(self.dut.irq_req_o.value)
                assert not again & request, "a second pulse before the acknowledgement"
                for number in range(2):
                    self.interrupts[number] += again >> number & 1
                request |= again
                await RisingEdge(self.dut.clk_i)
            self.dut.irq_ack_i.value = request
            await RisingEdge(self.dut.clk_i)
            self.dut.irq_ack_i.value = 0

    async def reset(self) -> None:
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 10)

    async def ask(self, *requests: Frame) -> list[Frame]:
        """Sends frames, and returns one reply per frame, in order."""
        await self.host.send(b"".join(request.encode(LINE) for request in requests))
        frames, data = [], b""
        while len(frames) < len(requests):
            more, data = split(data + await self.host.receive(LINE), LINE)
            frames += more
        assert not data and len(frames) == len(requests)
        return frames


async def shell_of(dut, name: str) -> Shell:
    shell = Shell(dut, random_source(name))
    await shell.reset()
    return shell


def frame_of(data: bytes) -> Frame:
    return Frame(int.from_bytes(data[4:8], "little"), data[8:])


def echoes(rng, count: int) -> list[bytes]:
    return [echo.request(index, rng.randbytes(8 * rng.randrange(1, 200))) for index in range(count)]


@cocotb.test()
async def a_status_and_echoes(dut):
    shell = await shell_of(dut, "echoes")
    (status,) = await shell.ask(commands.get_fpga_status())
    words = dict(zip(StatusReply.__dataclass_fields__, vars(StatusReply.of(status)).values()))
    assert engine_mask("loopback") in words.values() and 0xC0FFEE in words.values(), words
    for _ in range(6):
        requests = echoes(shell.rng, shell.rng.randrange(1, 40))
        replies = await shell.ask(*map(frame_of, requests))
        assert replies == [frame_of(echo.reply(request)) for request in requests]
    assert await shell.registers.read_dword(SPEC.register("build_id").address) == 0xC0FFEE
    assert (await shell.host.status()).ready == 0
    assert shell.interrupts[REPLIES_INTERRUPT] > 6 and shell.interrupts[CARD_INTERRUPT] == 0


@cocotb.test()
async def interrupts_and_what_is_not_there(dut):
    shell = await shell_of(dut, "interrupts")
    window = LOOPBACK.window * WINDOW_BYTES
    await shell.registers.write_dword(window + OFFSETS["interrupt_enable"], ERROR_INTERRUPT)
    harmed = bytearray(echo.request(1, bytes(range(64))))
    harmed[20] ^= 1
    for count in range(1, 4):
        assert await shell.ask(frame_of(harmed)) == [frame_of(echo.reply(bytes(harmed)))]
        await ClockCycles(dut.clk_i, 60)
        assert shell.interrupts[CARD_INTERRUPT] == count
        await shell.registers.write_dword(window + OFFSETS["interrupt_pending"], ERROR_INTERRUPT)
        await ClockCycles(dut.clk_i, 60)
    answer = await shell.host.master.read(REPLIES + 4096, LINE)
    assert (answer.resp, bytes(answer.data)) == (SLAVE_ERROR, bytes([0xFF]) * LINE)
    assert (await shell.host.master.write(CONTROL, bytes(2))).resp == SLAVE_ERROR
    assert await shell.host.set(CONSUMED, (await shell.host.status()).consumed) == OKAY
    # A function-level reset ends at once.
    dut.flr_i.value = 1
    await RisingEdge(dut.flr_done_o)
    dut.flr_i.value = 0
    await ClockCycles(dut.clk_i, 3)
    await ReadOnly()
    assert int(dut.flr_done_o.value) == 0


@cocotb.test()
async def resets_with_frames_inside(dut):
    shell = await shell_of(dut, "resets")
    for _ in range(8):
        work = cocotb.start_soon(shell.host.send(b"".join(
            frame_of(request).encode(LINE) for request in echoes(shell.rng, 60))))
        await Timer(shell.rng.randrange(40, 4000), "ns")
        work.cancel()
        await shell.reset()
        status = await shell.host.status()
        assert (status.ready, status.consumed, status.published) == (0, 0, 0)
        requests = echoes(shell.rng, 5)
        replies = await shell.ask(*map(frame_of, requests))
        assert replies == [frame_of(echo.reply(request)) for request in requests]


def test_aws_f2() -> None:
    run_bench(__file__, "f2_bench_top", folders=[*FOLDERS, "card/boards/tests/rtl"])


LINTS = [Lint("cl_halimede", folders=[*FOLDERS, f"{BOARD}/clock"])]


def test_the_clock_manager_keeps_within_its_oscillator() -> None:
    text = (PROJECT_ROOT / BOARD / "clock" / "core_clock.sv").read_text()
    multiply, divide = (float(re.search(rf"{name} = ([\d.]+);", text)[1])
                        for name in ("Multiply", "Divide"))
    assert 800 <= 250 * multiply <= 1600
    assert float(re.search(r"of 250 MHz: (\d+) MHz", text)[1]) == 250 * multiply / divide
