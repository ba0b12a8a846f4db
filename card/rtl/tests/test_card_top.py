# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with the Poseidon engine: mixed frames compared with the golden model, stalls,
resets."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from arith.simulation.bench import Lint, in_sweep, is_sweep, random_source, run_bench
from arith.simulation.streams import wait_clocks
from card.model import commands
from card.model.commands import RegisterReply, StatusReply
from card.model.frames import MAX_FRAME_BYTES, SPEC, Frame
from card.rtl.tests.card_bench import CardBench
from card.sim.build import engine_mask
from engines.poseidon.model.frames import PoseidonReply, poseidon_hash
from engines.poseidon.model.parameters import filecoin, stark
from engines.poseidon.model.permutation import permute

INSTANCES = {0x03: filecoin(3), 0x13: filecoin(3, strengthened=True), 0x23: stark(3)}
MASK = sum(1 << i for i, v in enumerate(SPEC.instances_of("poseidon")) if v.value in INSTANCES)
CONTROL = SPEC.register("control").address
OK, ABSENT, NOT_CANONICAL, WRONG_LENGTH, CORRUPT = range(5)
ROUNDS = 12 if is_sweep() else 6  # resets, each followed by a single job


def good_request(rng, index):
    """(frame, expected reply) of a hash that the card can compute."""
    code = rng.choice(list(INSTANCES))
    instance = INSTANCES[code]
    edges = (0, 1, instance.modulus - 1, 2**64, 2**248 - 1)
    state = [
        rng.choice(edges) if rng.random() < 0.2 else rng.randrange(instance.modulus)
        for _ in range(3)
    ]
    outputs = rng.randrange(2)
    result = permute(instance, state)
    if outputs:
        result = [result[0 if code >= 0x20 else 1]]
    return (
        poseidon_hash(index, code, outputs, state),
        PoseidonReply(index, OK, tuple(result)),
    )


def bad_request(rng, index):
    """The same for a request that the engine must refuse."""
    code = rng.choice(list(INSTANCES))
    modulus = INSTANCES[code].modulus
    kind = rng.randrange(4)
    if kind == 3:
        frame = poseidon_hash(index, code, 0, [rng.randrange(modulus) for _ in range(3)])
        data = bytearray(frame.payload)
        data[rng.randrange(8, len(data))] ^= 1 << rng.randrange(8)  # after the index
        return Frame(frame.command, bytes(data)), PoseidonReply(index, CORRUPT, ())
    if kind == 0:
        code = rng.choice([0x00, 0x05, 0x0C, 0x24, 0x29, 0x33, 0xFF])
        frame = poseidon_hash(index, code, 0, [1] * rng.randrange(13))
        return frame, PoseidonReply(index, ABSENT, ())
    if kind == 1:
        state = [rng.randrange(modulus) for _ in range(3)]
        state[rng.randrange(3)] = rng.choice([modulus, modulus + 1, 2**256 - 1])
        return poseidon_hash(index, code, 0, state), PoseidonReply(
            index, NOT_CANONICAL, ()
        )
    frame = poseidon_hash(index, code, 0, [1] * rng.choice((0, 1, 2, 4, 12)))
    return frame, PoseidonReply(index, WRONG_LENGTH, ())


@cocotb.test()
async def mixed_frames(dut):
    """Hashes, refusals, control commands and ignored frames: all are answered correctly."""
    card = await CardBench.begin(dut, "mixed")
    rng = card.rng
    expected, control, ignored = {}, [], []
    for index in range(150):
        kind = rng.random()
        if kind < 0.6:
            frame, expected[index] = (good_request if kind < 0.5 else bad_request)(rng, index)
            card.send(frame)
        elif kind < 0.8:
            card.send(commands.register_read(index))
            control.append(index)
        else:
            frame = Frame(0xBAD00000 + index, rng.randbytes(rng.randrange(60)))
            card.send(frame)
            ignored.append(commands.ignore_reply(8 + len(frame.payload), frame.command))
    replies = await card.receive(150)
    hashes = [PoseidonReply.of(r) for r in replies if r.name == "poseidon_hash"]
    assert {h.index: h for h in hashes} == expected and len(hashes) == len(expected)
    assert [RegisterReply.of(r).address for r in replies if r.name == "register_read"] == control
    assert [r for r in replies if r.name == "fpga_ignore_rpl"] == ignored
    status = StatusReply.of(await card.ask(commands.get_fpga_status()))
    assert (status.capabilities, status.poseidon_instances) == (POSEIDON, MASK)
    assert status.stream_bytes == await card.read("stream_bytes") == card.stream_bytes
    assert status.frames_ignored == len(ignored)
    done = [h for h in hashes if h.status == OK]
    assert await card.read("engine_errors") == len(hashes) - len(done)
    assert await card.read("poseidon_cores") == 64 << 16 | 1 << 8 | 1
    for name in ("poseidon_starved_fr", "poseidon_starved_felt"):
        counted = getattr(status, name)
        assert 0 < counted <= status.clocks
        assert counted <= await card.read(f"{name}_lo")
    assert status.replies_stalled <= await card.read("replies_stalled_lo")
    low = await card.read("multiplier_busy_lo")
    assert status.multiplier_busy <= low and await card.read("multiplier_busy_hi") == 0
    assert low >= 200 * len(done)  # the shortest program has more products
    assert await card.read("frames_in") == await card.read("frames_out") == 151
    assert int(dut.idle_o.value) == 1


@cocotb.test()
async def host_that_does_not_read(dut):
    """Everything fills up and stalls. Once the replies are accepted, none is missing."""
    card = await CardBench.begin(dut, "stall", 0.0)
    rng = card.rng
    card.set_pauses(0.0, 1.0)
    expected = {}
    for index in range(120):
        frame, expected[index] = (good_request if index % 4 else bad_request)(rng, index)
        card.send(frame)
    await wait_clocks(dut.clk_i, 20_000)
    stalled = await card.read("replies_stalled_lo")
    await wait_clocks(dut.clk_i, 1000)
    assert stalled > 1000 and await card.read("replies_stalled_lo") >= stalled + 1000
    card.set_pauses(0.0, 0.2)
    replies = [PoseidonReply.of(r) for r in await card.receive(len(expected))]
    assert {r.index: r for r in replies} == expected and len(replies) == len(expected)


@cocotb.test()
async def reset_commands_among_hashes(dut):
    """Jobs before a reset are answered correctly or not at all, jobs after it always."""
    card = await CardBench.begin(dut, "resets")
    rng = card.rng
    answered = abandoned = 0
    for round_number, clocks in enumerate(card.waits(ROUNDS, (1, 20, 200, 12_000))):
        base = 1000 * round_number
        expected = {}
        for index in range(base, base + rng.randrange(1, 12)):
            frame, expected[index] = good_request(rng, index)
            card.send(frame)
        await wait_clocks(dut.clk_i, clocks)
        nonce = rng.getrandbits(64)
        card.send(commands.reset_fpga(nonce))
        frame, after = good_request(rng, base + 500)
        card.send(frame)
        before = [PoseidonReply.of(r) for r in await card.until(commands.reset_reply(nonce))]
        assert all(expected[r.index] == r for r in before)
        assert len({r.index for r in before}) == len(before)
        assert PoseidonReply.of((await card.receive(1))[0]) == after
        answered += len(before)
        abandoned += len(expected) - len(before)
    assert abandoned > 0, answered


@cocotb.test()
async def no_reply_is_stale_behind_a_reset(dut):
    """Ignore replies and a hash wait while no reply is accepted: the survivors come before the
    answer."""
    card = await CardBench.begin(dut, "stale", 0.0)
    rng = card.rng
    held = card.ignore_replies_held()
    for request, is_answer in (
        (commands.reset_fpga(77), lambda reply: reply == commands.reset_reply(77)),
        (commands.register_write(CONTROL, 1), lambda reply: reply.name == "register_write"),
    ):
        card.set_pauses(0.0, 1.0)
        for index in range(6):
            card.send(card.header(1, index))
        hash_request, hash_reply = good_request(rng, 5)
        card.send(hash_request)
        await wait_clocks(dut.clk_i, 45_000)  # a single job takes fewer
        card.send(request)
        await wait_clocks(dut.clk_i, 100)
        card.set_pauses(0.0, 0.0)
        replies = await card.receive(held + 2)
        assert is_answer(replies.pop())
        # The replies of the engines alternate with the others.
        (hashed,) = [reply for reply in replies if reply.name == "poseidon_hash"]
        assert PoseidonReply.of(hashed) == hash_reply
        replies.remove(hashed)
        assert replies == [commands.ignore_reply(1, index) for index in range(held)]
        await wait_clocks(dut.clk_i, 200)
        assert not card.sink.packets


@cocotb.test()
async def soft_reset_by_register_anywhere(dut):
    """The register resets within frames and jobs: no reply is torn, and the card works again."""
    card = await CardBench.begin(dut, "register reset", 0.3)
    rng = card.rng
    for round_number in range(ROUNDS):
        base = 1000 * round_number
        expected = {}
        for index in range(base, base + 8):
            frame, expected[index] = (good_request if index % 3 else bad_request)(rng, index)
            card.send(frame)
        await wait_clocks(dut.clk_i, rng.choice((1, 5, 30, 100, 11_000)))
        before = [PoseidonReply.of(r) for r in await card.reset_by_register()]
        assert all(expected[r.index] == r for r in before)
        frame, after = good_request(rng, base + 500)
        assert PoseidonReply.of(await card.ask(frame)) == after


@cocotb.test()
async def hardware_reset_anywhere(dut):
    card = await CardBench.begin(dut, "hardware reset", 0.2)
    rng = card.rng
    for index in range(6):
        for _ in range(10):
            card.send(good_request(rng, index)[0])
        await wait_clocks(dut.clk_i, rng.choice((1, 17, 150, 5000)))
        await card.hardware_reset()
        frame, answer = good_request(rng, index)
        assert PoseidonReply.of(await card.ask(frame)) == answer


@cocotb.test()
async def back_in_step(dut):
    """Half a request, then a frame's worth of zeros and a reset: the card is synchronized again."""
    card = await CardBench.begin(dut, "step", 0.0)
    rng = card.rng
    for length in (24, 120, 4096, MAX_FRAME_BYTES):
        card.send(card.header(length, 0x110) + rng.randbytes(card.stream_bytes))
        card.send(bytes(MAX_FRAME_BYTES))
        card.send(commands.reset_fpga(length))
        await card.until(commands.reset_reply(length))
        frame, answer = good_request(rng, length)
        assert PoseidonReply.of(await card.ask(frame)) == answer


@cocotb.test()
async def disabled_engine(dut):
    card = CardBench(dut, random_source("disabled"), 0.1, 0.1)
    await card.start(enable=0)
    frame, _ = good_request(card.rng, 1)
    assert await card.ask(frame) == commands.ignore_reply(8 + len(frame.payload), frame.command)
    status = StatusReply.of(await card.ask(commands.get_fpga_status()))
    assert (status.capabilities, status.poseidon_instances) == (0, 0)
    assert await card.read("poseidon_cores") == 0
    await RisingEdge(dut.clk_i)


# Only width 3 (poseidon_pkg::ProgramsSmall), whose short jobs keep the bench fast. The card with
# every width runs in card/sim/tests.
POSEIDON = engine_mask("poseidon")
PARAMETERS = {"Engines": POSEIDON, "PoseidonContexts": 64, "PoseidonPrograms": 2}

# The lints of the boards have the card with all engines each time, test_card_windows one with few.
LINTS = in_sweep([Lint("card_top", {"Engines": POSEIDON, **parameters}) for parameters in (
    {"StreamBytes": 64}, {}, {"PoseidonCoresFr": 2, "PoseidonCoresFelt": 0, "PoseidonPrograms": 1})])


# The cards of the other engines have the narrow stream.
@pytest.mark.parametrize("stream_bytes", [64, *in_sweep([8])])
def test_card_top(stream_bytes):
    run_bench(__file__, "card_top", {**PARAMETERS, "StreamBytes": stream_bytes},
              tests=None if stream_bytes == 64 else "mixed_frames|register_anywhere")
