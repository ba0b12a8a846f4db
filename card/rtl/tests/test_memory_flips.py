# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with an engine and a batch, while bits of one memory flip. The flips of each memory are
reported by the notice, the counter and the interrupt, no wrong answer leaves the card, and after a
reset it works. A card without the check gives wrong answers, or none."""

from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from arith.simulation.bench import in_sweep, is_sweep, random_source, run_bench, setting
from arith.simulation.memories import MEMORIES, Flipper, memories_of
from arith.simulation.mutate import Mutant
from arith.simulation.ports import reader
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT
from card.model import commands
from card.model.commands import FAILED_CODE, MEMORY_ERROR, checksummed
from card.model.frames import IGNORE_CODE, Frame
from card.rtl.tests.card_bench import CardBench
from card.rtl.tests.test_card_windows import BITS, OFFSETS, PORTS, WINDOWS
from card.rtl.tests.traffic import PARAMETERS, TRAFFIC, Batch
from card.sim.build import engine_mask

ATTEMPTS = 16  # the first nearly always suffices; a flipped word may be rewritten before it is read
MOST_MEMORIES = 5  # per engine, at random; in a sweep all
QUIET_CLOCKS = 2_000
JAMMED_CLOCKS = 200_000  # without a frame: the second of a few signatures takes 88,000


class Disturbed(CardBench):
    """A card with one engine."""

    def __init__(self, dut: Any, engine: str) -> None:
        super().__init__(dut, random_source(engine), 0.0, 0.0)
        self.engine = engine

    def next_frame(self) -> Frame | None:
        """A frame of the card; None if its length or its checksum does not match."""
        packet = self.sink.packets.popleft()
        length, code = (int.from_bytes(packet[i:i + 4], "little") for i in (0, 4))
        if not len(packet) - 8 < length <= len(packet):
            return None
        frame = Frame(code, packet[8:length])
        if code in (FAILED_CODE, IGNORE_CODE, commands.reply_code("reset_fpga")):
            return frame
        return frame if frame == checksummed(code, frame.payload[:-8]) else None

    def judge(self, frame: Frame, batch: Batch, is_from_the_queue: bool) -> None:
        """A reply with a valid checksum must be correct, or refuse a request that was damaged in
        the queue."""
        index = int.from_bytes(frame.payload[:8], "little")
        status = frame.payload[9 if frame.name.startswith("verify") else 8]
        if is_from_the_queue and (frame.name == "fpga_ignore_rpl" or status != 0):
            return
        assert frame.payload[:-8][:batch.counts] == batch.replies.pop(index), "a wrong answer"

    async def batch(self, batch: Batch, flipper: Flipper | None, path: str) -> bool:
        """Sends the batch and checks the replies. Returns whether the engine has failed."""
        for frame in batch.frames:
            self.send(frame)
        delay, quiet, clock, last = self.rng.randrange(400), 0, 0, 0
        edge, is_idle = FallingEdge(self.dut.clk_i), reader(self.dut.idle_o)
        while batch.replies and quiet < QUIET_CLOCKS and clock - last < JAMMED_CLOCKS:
            await edge
            clock += 1
            if flipper and clock > delay and clock % flipper.period == 0:
                flipper.flip()
            quiet = quiet + 1 if is_idle() else 0
            while self.sink.packets:
                frame, last = self.next_frame(), clock
                if frame is None:
                    assert "u_frames" in path, "a damaged frame"
                elif frame.command == FAILED_CODE:
                    assert frame == commands.engine_failed(PORTS[self.engine], MEMORY_ERROR)
                    return True
                else:
                    self.judge(frame, batch, ".gen_queue." in path)
        assert flipper is not None or not batch.replies, "no answer"
        return False

    async def reset(self) -> None:
        """Ends all work; only correct answers come before."""
        nonce = self.rng.getrandbits(64)
        self.send(commands.reset_fpga(nonce))
        for _ in range(100_000):
            await RisingEdge(self.dut.clk_i)
            while self.sink.packets:
                frame = self.next_frame()
                if frame == commands.reset_reply(nonce):
                    return
        raise AssertionError("no reply to the reset")

    async def register(self, name: str) -> int:
        return await self.registers.read_dword(WINDOWS[self.engine] + OFFSETS[name])

    async def clear(self, interrupts: int) -> None:
        address = WINDOWS[self.engine] + OFFSETS["interrupt_pending"]
        await self.registers.write_dword(address, interrupts)


@cocotb.test()
async def flips_are_reported(dut: Any) -> None:
    engine = setting("engine")
    card = Disturbed(dut, engine)
    await card.start()
    # The memories of the engine and of the queue before it.
    memories = {path: memory for path, memory in memories_of(dut).items()
                if path.startswith(f"gen_{engine}.") or ".gen_queue." in path}
    assert len(memories) >= 2
    if not is_sweep():
        memories = dict(card.rng.sample(list(memories.items()), min(len(memories), MOST_MEMORIES)))
    seen = 0
    for path, memory in memories.items():
        for attempt in range(ATTEMPTS):
            failed = await card.batch(
                TRAFFIC[engine](card.rng), Flipper(memory, card.rng), path)
            await card.reset()
            if failed:
                break
        assert failed, f"no report of {path}"
        errors = await card.register("memory_errors")
        assert errors > seen, path
        seen = errors
        assert await card.register("interrupt_pending") & BITS["memory_error"]
        await card.clear(BITS["memory_error"])
        assert not await card.register("interrupt_pending") & BITS["memory_error"]
        cocotb.log.info("%s: reported in batch %d", path, attempt + 1)
        assert not await card.batch(TRAFFIC[engine](card.rng), None, "")
    assert await card.register("memory_errors") == seen, "an error without a flip"


BLIND = Mutant("memory_parity", "no error is reported", (
    ("error_o         <= check_q &&", "error_o         <= 1'b0 && check_q &&"),
))


def parameters(engine: str) -> dict[str, int]:
    return {"Engines": engine_mask(engine), "StreamBytes": 8, **PARAMETERS[engine]}


# ECDSA's core is the same as Poseidon's, and its batches take the longest.
@pytest.mark.parametrize("engine", [
    *(engine for engine in TRAFFIC if engine != "secp256k1"), *in_sweep(["secp256k1"])])
def test_memory_flips(engine: str) -> None:
    run_bench(__file__, "card_top", parameters(engine), options=[str(MEMORIES)],
              settings={"engine": engine})


def test_a_card_without_the_check_is_noticed() -> None:
    sources = BLIND.sources(sources_of("card_top"), BUILD_ROOT / "mutants" / "memory_flips")
    with pytest.raises(AssertionError, match="failed: .*flips_are_reported"):
        run_bench(__file__, "card_top", parameters("loopback"), options=[str(MEMORIES)],
                  settings={"engine": "loopback"}, sources=sources)
