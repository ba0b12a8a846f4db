# SPDX-License-Identifier: Apache-2.0 OR MIT
"""register_file: values, statuses, and 64-bit counters read whole by two requesters at once."""

from __future__ import annotations

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import lint_bench, random_source, run_bench
from arith.simulation.streams import start
from card.model.frames import SPEC

ADDRESSES = {r.name: r.address for r in SPEC.registers}
NAMES = {r.address: r for r in SPEC.registers}
OK, NO_SUCH_REGISTER, READ_ONLY = 0, 1, 2
INPUTS = (
    "build_id",
    "capabilities",
    "poseidon_instances",
    "poseidon_cores",
    "stream_bytes",
    "blake3_shape",
    "equihash_shape",
    "secp256k1_shape",
    "frames_in",
    "frames_out",
    "frames_ignored",
    "engine_errors",
)
PAIRS = (
    "clocks",
    "multiplier_busy",
    "replies_stalled",
    "poseidon_starved_fr",
    "poseidon_starved_felt",
    "blake3_blocks",
    "blake3_starved",
)


class Model:
    """What the registers hold, and the high words that each requester has frozen."""

    def __init__(self):
        self.frozen = {(pair, source): 0 for pair in PAIRS for source in range(2)}

    def access(self, inputs, source, write, address, value):
        """(value, status, soft reset) of an access."""
        if address not in NAMES:
            return 0, NO_SUCH_REGISTER, 0
        register = NAMES[address]
        if write:
            if register.access == "ro":
                return 0, READ_ONLY, 0
            return 0, OK, value & 1
        for pair in PAIRS:
            if register.name == f"{pair}_lo":
                self.frozen[pair, source] = inputs[pair] >> 32
                return inputs[pair] & 0xFFFF_FFFF, OK, 0
            if register.name == f"{pair}_hi":
                return self.frozen[pair, source], OK, 0
        return inputs.get(register.name, register.reset), OK, 0


@cocotb.test()
async def random_accesses(dut):
    rng = random_source("accesses")
    await start(dut, request_valid_i=0, request_write_i=0, request_address_i=0, request_value_i=0)
    model = Model()
    # Accesses taken one and two clocks ago, and the answer that is due: a register is read two
    # clocks after its access was taken.
    taken_before = [None, None]
    expected = None
    for _ in range(5000):
        inputs = {name: rng.getrandbits(32) for name in INPUTS}
        inputs |= {pair: rng.getrandbits(64) for pair in PAIRS}
        for name, value in inputs.items():
            getattr(dut, f"{name}_i").value = value
        valid = rng.randrange(4)
        write = rng.randrange(4) & rng.randrange(4)
        address = [
            rng.choice([*NAMES, 0x1C, 0x1000, 0x1_0000, ADDRESSES["clocks_lo"] + 1])
            for _ in range(2)
        ]
        value = [rng.getrandbits(32) for _ in range(2)]
        dut.request_valid_i.value = valid
        dut.request_write_i.value = write
        dut.request_address_i.value = address[1] << 32 | address[0]
        dut.request_value_i.value = value[1] << 32 | value[0]
        await ReadOnly()
        if expected is not None:
            answered, *rest = expected
            assert int(dut.response_valid_o.value) == answered
            assert int(dut.soft_reset_o.value) == rest[2]
            if answered:
                assert [int(dut.response_value_o.value), int(dut.response_status_o.value)] == rest[
                    :2
                ]
        taken = valid & int(dut.request_ready_o.value)
        assert taken == (0, 1, 2, 1)[valid], "the stream goes first"
        source = taken - 1
        taken_before.append(
            (source, write >> source & 1, address[source], value[source]) if taken else None)
        due = taken_before.pop(0)
        expected = (due[0] + 1, *model.access(inputs, *due)) if due else (0, 0, 0, 0)
        await RisingEdge(dut.clk_i)


def test_every_register_is_in_the_model():
    sources = set(INPUTS) | {f"{pair}_{half}" for pair in PAIRS for half in ("lo", "hi")}
    assert {r.name for r in SPEC.registers} == sources | {
        "id",
        "version",
        "max_frame_bytes",
        "control",
    }


def test_lint():
    lint_bench("register_file")


def test_register_file():
    run_bench(__file__, "register_file")
