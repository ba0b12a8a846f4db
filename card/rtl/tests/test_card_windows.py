# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with two engines: their windows by AXI4-Lite and through the stream, interrupts, and a
full engine while everything else answers."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import wait_clocks
from card.model import commands
from card.model.commands import RegisterReply, StatusReply
from card.model.frames import SPEC, Frame
from card.rtl.tests.card_bench import CardBench
from card.sim.build import engine_mask
from card.spec.specification import WINDOW_BYTES
from engines.loopback.model import echo
from engines.poseidon.model.frames import poseidon_hash, poseidon_reply
from engines.poseidon.model.parameters import stark
from engines.poseidon.model.permutation import permute

OFFSETS = {r.name: r.offset for r in SPEC.window_registers}
WINDOWS = {module.engine: module.window * WINDOW_BYTES for module in SPEC.modules}
BITS = {interrupt.name: 1 << interrupt.value for interrupt in SPEC.interrupts}
PORTS = {module.engine: module.port for module in SPEC.modules}
STARK_9 = 0x29
QUEUE_BYTES = 4096
JAM_CLOCKS = 100_000
OK, NO_SUCH_REGISTER, READ_ONLY = 0, 1, 2
PARAMETERS = {
    "Engines": engine_mask("loopback", "poseidon"), "StreamBytes": 64, "QueueBytes": QUEUE_BYTES,
    "PoseidonCoresFr": 0, "PoseidonCoresFelt": 1, "PoseidonContexts": 2, "Interval": 4,
}


def frame_of(data: bytes) -> Frame:
    return Frame(int.from_bytes(data[4:8], "little"), data[8:])


class Windows:
    """A card's windows. Each access takes one of the two paths at random."""

    def __init__(self, card: CardBench, only: str | None = None) -> None:
        self.card, self.only = card, only

    def _through_the_stream(self) -> bool:
        by_chance = self.card.rng.random() < 0.5
        return by_chance if self.only is None else self.only == "stream"

    async def read(self, engine: str, name: str, word: int = 0) -> int:
        address = WINDOWS[engine] + OFFSETS[name] + 4 * word
        if not self._through_the_stream():
            return await self.card.registers.read_dword(address)
        reply = RegisterReply.of(await self.card.ask(commands.register_read(address)))
        assert (reply.address, reply.status) == (address, OK)
        return reply.value

    async def count(self, engine: str, name: str, counter: int = 0) -> int:
        """Reads a pair over one path, since each path has its own frozen high word."""
        way = Windows(self.card, self.card.rng.choice(("stream", "lite")))
        low = await way.read(engine, name, 2 * counter)
        return low | await way.read(engine, name, 2 * counter + 1) << 32

    async def write(self, engine: str, name: str, value: int) -> None:
        address = WINDOWS[engine] + OFFSETS[name]
        if not self._through_the_stream():
            await self.card.registers.write_dword(address, value)
            return
        reply = RegisterReply.of(await self.card.ask(commands.register_write(address, value)))
        assert (reply.address, reply.status, reply.value) == (address, OK, value)


async def bench(dut, name: str, pause: float = 0.2) -> tuple[CardBench, Windows]:
    card = CardBench(dut, random_source(name), pause, pause)
    await card.start()
    return card, Windows(card)


@cocotb.test()
async def what_a_window_tells(dut):
    card, windows = await bench(dut, "windows")
    for module in SPEC.modules:
        address = WINDOWS[module.engine] + OFFSETS["engine"]
        reply = RegisterReply.of(await card.ask(commands.register_read(address)))
        if module.engine not in ("loopback", "poseidon"):
            assert reply.status == NO_SUCH_REGISTER
            continue
        kinds = len(module.counters) << 16 | len(module.shape) << 8 | module.port
        assert (reply.status, reply.value) == (OK, kinds)
        assert await windows.read(module.engine, "queue_bytes") == QUEUE_BYTES
        # The engine's description cannot be written.
        reply = RegisterReply.of(await card.ask(commands.register_write(address, 1)))
        assert reply.status == READ_ONLY
    assert await windows.read("loopback", "shape") == echo.MOST_DATA_BYTES
    assert await windows.read("poseidon", "shape", 1) == 2 << 16 | 1 << 8
    words = 0
    for i in range(30):
        data = card.rng.randbytes(8 * card.rng.randrange(100))
        words += len(data) // 8
        request = echo.request(i, data)
        assert await card.ask(frame_of(request)) == frame_of(echo.reply(request))
    harmed = bytearray(echo.request(30, card.rng.randbytes(64)))
    harmed[20] ^= 4
    assert await card.ask(frame_of(harmed)) == frame_of(echo.reply(bytes(harmed)))
    assert await windows.count("loopback", "requests") == 31
    assert await windows.count("loopback", "replies") == 31
    assert await windows.count("loopback", "errors") == 1
    assert await windows.count("loopback", "counters") == words + 8
    busy, starved = [await windows.count("loopback", name) for name in ("busy", "starved")]
    assert words < busy and 0 < starved
    assert await windows.count("poseidon", "requests") == 0
    assert await windows.count("poseidon", "busy") == 0


@cocotb.test()
async def interrupts(dut):
    card, windows = await bench(dut, "interrupts")
    sound = echo.request(1, bytes(range(64)))
    harmed = bytes([*sound[:20], sound[20] ^ 1, *sound[21:]])
    for _ in range(10):
        assert await card.ask(frame_of(harmed)) == frame_of(echo.reply(harmed))
        await wait_clocks(dut.clk_i, 10)
        assert await windows.read("loopback", "interrupt_pending") == BITS["error"] | BITS["idle"]
        assert int(dut.interrupt_o.value) == 0, "no interrupt is enabled"
        await windows.write("loopback", "interrupt_enable", BITS["error"])
        await wait_clocks(dut.clk_i, 3)
        assert int(dut.interrupt_o.value) == 1
        assert await card.read("interrupts") == 1 << PORTS["loopback"]
        assert await windows.read("poseidon", "interrupt_pending") == 0
        await windows.write("loopback", "interrupt_pending", BITS["error"])
        assert await windows.read("loopback", "interrupt_pending") == BITS["idle"]
        assert int(dut.interrupt_o.value) == 0
        assert await card.ask(frame_of(sound)) == frame_of(echo.reply(sound))
        assert await card.read("interrupts") == 0
        await windows.write("loopback", "interrupt_pending", BITS["idle"])
        await windows.write("loopback", "interrupt_enable", 0)


@cocotb.test()
async def a_full_engine_holds_up_nothing_else(dut):
    """Poseidon has the maximum of waiting work for 100,000 clocks; then a reset clears it."""
    card, windows = await bench(dut, "jam", 0.0)
    rng, instance = card.rng, stark(9)
    states = [[rng.randrange(instance.modulus) for _ in range(9)] for _ in range(QUEUE_BYTES // 320)]
    frames = [poseidon_hash(i, STARK_9, 1, state) for i, state in enumerate(states)]
    assert sum(len(frame.encode(card.stream_bytes)) for frame in frames) <= QUEUE_BYTES
    await windows.write("poseidon", "watchdog", 5_000)
    await windows.write("poseidon", "interrupt_enable", BITS["stalled"])
    for frame in frames:
        card.send(frame)
    clocks, waits, answers = 0, [], []

    async def count_clocks() -> None:
        nonlocal clocks
        while True:
            await RisingEdge(dut.clk_i)
            clocks += 1

    cocotb.start_soon(count_clocks())
    hashes = 0
    while clocks < JAM_CLOCKS:
        begun = clocks
        request = echo.request(clocks, rng.randbytes(8 * rng.randrange(60)))
        register = commands.register_read(WINDOWS["poseidon"] + OFFSETS["interrupt_pending"])
        card.send(frame_of(request))
        card.send(commands.get_fpga_status())
        card.send(register)
        wanted = 3
        while wanted:
            reply = (await card.receive(1, 2_000))[0]
            if reply.command == commands.reply_code("poseidon_hash"):
                hashes += 1
            else:
                answers.append(reply)
                wanted -= 1
        assert frame_of(echo.reply(request)) in answers[-3:]
        waits.append(clocks - begun)
        assert await card.registers.read_dword(WINDOWS["loopback"] + OFFSETS["queue_bytes"])
        await wait_clocks(dut.clk_i, rng.randrange(3_000))
    assert max(waits) < 1_000, "an answer waited for Poseidon"
    assert hashes <= len(frames) - 2, "Poseidon was not busy all the time"
    assert await windows.read("poseidon", "interrupt_pending") & BITS["stalled"]
    assert int(dut.interrupt_o.value) == 1
    # A reset through the stream passes, too, and Poseidon works as before.
    nonce = rng.getrandbits(64)
    card.send(commands.reset_fpga(nonce))
    begun = clocks
    await card.until(Frame(commands.reply_code("reset_fpga"), nonce.to_bytes(8, "little")), 2_000)
    assert clocks - begun < 1_000
    await wait_clocks(dut.clk_i, 50)
    await ReadOnly()
    assert int(dut.idle_o.value) == 1
    await RisingEdge(dut.clk_i)
    digest = permute(instance, states[0])[0]
    assert await card.ask(frames[0]) == poseidon_reply(0, 0, [digest])
    assert StatusReply.of(await card.ask(commands.get_fpga_status())).frames_ignored == 0


LINTS = [Lint("card_top", PARAMETERS)]


def test_card_windows():
    run_bench(__file__, "card_top", PARAMETERS)
