# SPDX-License-Identifier: Apache-2.0 OR MIT
"""crossed_card with an engine: hashes across two clocks, as behind a board's PCIe. (The crossing
alone, with frames of every kind: test_card_crossing.py.)"""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import Timer

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from card.rtl.tests.card_bench import CardBench
from card.sim.build import engine_mask
from engines.poseidon.model.frames import PoseidonReply, poseidon_hash
from engines.poseidon.model.parameters import stark
from engines.poseidon.model.permutation import permute

CODE, INSTANCE = 0x23, stark(3)
OK, NOT_CANONICAL = 0, 2
STATE, DIGEST = 0, 1
# A core that simulates fast: one field, only width 3, a product in four clocks, few contexts.
PARAMETERS = {
    "Engines": engine_mask("poseidon"),
    "PoseidonPrograms": 2, "PoseidonCoresFr": 0, "PoseidonCoresFelt": 1, "PoseidonContexts": 8,
    "Interval": 4,
}


def request(rng, index):
    """(frame, reply): a hash, or one time in eight a state that must be refused."""
    state = [rng.choice((0, 1, INSTANCE.modulus - 1, rng.randrange(INSTANCE.modulus)))
             for _ in range(3)]
    outputs = rng.choice((STATE, DIGEST))
    if rng.random() < 0.125:
        state[rng.randrange(3)] = INSTANCE.modulus + rng.randrange(1 << 64)
        reply = PoseidonReply(index, NOT_CANONICAL, ())
    else:
        result = permute(INSTANCE, state)
        reply = PoseidonReply(index, OK, tuple(result[:1] if outputs == DIGEST else result))
    return poseidon_hash(index, CODE, outputs, state), reply


async def exchange(card, first, count):
    """Sends `count` requests and compares all replies."""
    expected = {}
    for index in range(first, first + count):
        frame, expected[index] = request(card.rng, index)
        card.send(frame)
    replies = [PoseidonReply.of(frame) for frame in await card.receive(count)]
    assert {reply.index: reply for reply in replies} == expected


@cocotb.test()
async def hashes_across_the_clocks(dut):
    rng = random_source(setting("core_period_ps"))
    cocotb.start_soon(Clock(dut.core_clk_i, int(setting("core_period_ps")), unit="ps").start())
    card = CardBench(dut, rng, 0.1, 0.1, watches_idle=False)
    await card.start()
    await exchange(card, 0, 24)
    # A reset with requests in the engine: no earlier reply comes after it.
    for index in range(100, 110):
        card.send(request(rng, index)[0])
    await Timer(rng.randrange(1_000_000, 20_000_000), "ps")
    await card.hardware_reset()
    card.set_pauses(0.3, 0.6)
    await exchange(card, 200, 12)
    assert await card.read("frames_in") == await card.read("frames_out") == 12


LINTS = [Lint("crossed_card", {"PoseidonContexts": 8})]


# test_card_crossing has the narrow stream.
@pytest.mark.parametrize(
    "core_period_ps, stream_bytes", [(1370, 64), (5010, 64), *in_sweep([(5010, 8)])]
)
def test_crossed_card(core_period_ps: int, stream_bytes: int) -> None:
    """The period of the bus is 2000 ps."""
    run_bench(__file__, "crossed_card", {**PARAMETERS, "StreamBytes": stream_bytes},
              options=["+define+LATE_BITS_MODEL"],
              settings={"core_period_ps": core_period_ps})
