# SPDX-License-Identifier: Apache-2.0 OR MIT
"""register_file: values, statuses, consistent 64-bit counters for two requesters at once, and the
answers of windows."""

import cocotb
from cocotb.triggers import NextTimeStep, ReadOnly, RisingEdge

from arith.simulation.bench import random_source, run_bench
from arith.simulation.streams import start
from card.model.frames import SPEC

HIGH_WORDS = {r.latches: r for r in SPEC.registers if r.latches}
# In the order of card_pkg's tables.
WORDS = [r for r in SPEC.registers if not r.latches and r.name not in HIGH_WORDS]
PAIRS = [r for r in SPEC.registers if r.latches]
BY_ADDRESS = {r.address: r for r in SPEC.registers}
PORTS = 1 + max(c.value for c in SPEC.capabilities)
WINDOW_ANSWER_BITS = 34
OK, NO_SUCH_REGISTER, READ_ONLY = 0, 1, 2


class Model:
    """The contents of the registers, and the high words that each requester has frozen."""

    def __init__(self):
        self.frozen = {(pair.name, source): 0 for pair in PAIRS for source in range(2)}

    def access(self, words, pairs, source, write, address, value):
        """(value, status, soft reset) of an access."""
        if address not in BY_ADDRESS:
            return 0, NO_SUCH_REGISTER, 0
        register = BY_ADDRESS[address]
        if write:
            if register.access == "ro":
                return 0, READ_ONLY, 0
            return 0, OK, value & 1
        if register in PAIRS:
            now = pairs[PAIRS.index(register)]
            self.frozen[register.name, source] = now >> 32
            return now & 0xFFFF_FFFF, OK, 0
        if register.name in HIGH_WORDS:
            return self.frozen[HIGH_WORDS[register.name].name, source], OK, 0
        return words[WORDS.index(register)], OK, 0


def packed(values, bits):
    return sum(value << bits * i for i, value in enumerate(values))


@cocotb.test()
async def random_accesses(dut):
    rng = random_source("accesses")
    await start(dut, request_valid_i=0, request_write_i=0, request_address_i=0, request_value_i=0,
                window_i=0)
    model = Model()
    # Accesses of the last clocks, and their expected answers: a register is read two clocks after
    # its access was accepted, and its answer comes two clocks later, together with a window's.
    taken_before = [None, None]
    read_before = [(0, 0, 0, 0)]
    for _ in range(5000):
        words = [rng.getrandbits(32) for _ in WORDS]
        pairs = [rng.getrandbits(64) for _ in PAIRS]
        dut.words_i.value = packed(words, 32)
        dut.pairs_i.value = packed(pairs, 64)
        valid = rng.randrange(4)
        write = rng.randrange(4) & rng.randrange(4)
        address = [
            rng.choice([*BY_ADDRESS, 0x0F8, 0x2F10, 0x1_0000, PAIRS[0].address + 1])
            for _ in range(2)
        ]
        value = [rng.getrandbits(32) for _ in range(2)]
        dut.request_valid_i.value = valid
        dut.request_write_i.value = write
        dut.request_address_i.value = address[1] << 32 | address[0]
        dut.request_value_i.value = value[1] << 32 | value[0]
        # A window answers in the clock in which the access is gathered.
        gathered = read_before[0]
        port, claims, refused = rng.randrange(PORTS), rng.random() < 0.5, rng.getrandbits(1)
        window_value = rng.getrandbits(32)
        claims = claims and gathered[0] and gathered[2] == NO_SUCH_REGISTER
        answer = (1 << 33 | refused << 32 | window_value) if claims else 0
        dut.window_i.value = answer << WINDOW_ANSWER_BITS * port
        if claims:
            gathered = (gathered[0], window_value, READ_ONLY if refused else OK, 0)
        await ReadOnly()
        taken = valid & int(dut.request_ready_o.value)
        assert taken == (0, 1, 2, 1)[valid], "the stream has priority"
        source = taken - 1
        before = taken_before[-1]
        assert int(dut.window_valid_o.value) == (before is not None)
        if before:
            requester, wrote, place, number = before
            assert int(dut.window_o.value) == (
                requester << 65 | wrote << 64 | place << 32 | number)
        taken_before.append(
            (source, write >> source & 1, address[source], value[source]) if taken else None)
        due = taken_before.pop(0)
        reads = (due[0] + 1, *model.access(words, pairs, *due)) if due else (0, 0, 0, 0)
        read_before.append(reads)
        read_before.pop(0)
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert int(dut.soft_reset_o.value) == reads[3]
        assert int(dut.response_valid_o.value) == gathered[0]
        if gathered[0]:
            got = [int(dut.response_value_o.value), int(dut.response_status_o.value)]
            assert got == list(gathered[1:3])
        await NextTimeStep()  # the inputs may change again


def test_every_register_is_in_the_model():
    assert len(WORDS) + 2 * len(PAIRS) == len(SPEC.registers)
    assert all(BY_ADDRESS[r.address] is r for r in SPEC.registers)


def test_register_file():
    run_bench(__file__, "register_file")
