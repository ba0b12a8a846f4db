# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An assertion that fails in the RTL ends halimede-card-sim with a message and exit code 4, unless
injected faults flip bits of memories."""

import random
from pathlib import Path

import pytest

from arith.simulation.bench import skip_or_raise
from arith.simulation.mutate import fault
from arith.simulation.toolchain import ToolMissing
from card.sim.build import build, engine_mask
from card.sim.tests.simulator import Simulator
from engines.loopback.model import echo

STREAM_BYTES = 8
# Breaks the rule of a stream's sender, which card_shell asserts at each engine's port.
WITHDRAWS_A_BEAT = fault(
    "a beat for an engine that is not ready is withdrawn in the next clock",
    "  assign engine_req_valid_o = req_valid_i && !failed_q;", """\
  logic waits_q;
  always_ff @(posedge clk_i) waits_q <= engine_req_valid_o && !engine_req_ready_i;
  assign engine_req_valid_o = req_valid_i && !failed_q && !waits_q;""", module="engine_guard")
EXIT_ASSERTION = 4
# Enough for an engine to be full, and less than a socket holds.
COUNT = 20


@pytest.fixture(scope="module")
def broken() -> Path:
    try:
        return build(name="broken-card", changed=WITHDRAWS_A_BEAT,
                     Engines=engine_mask("loopback"), StreamBytes=STREAM_BYTES)
    except ToolMissing as missing:
        skip_or_raise(missing)


def requests() -> bytes:
    rng = random.Random(7)
    return b"".join(echo.request(index, rng.randbytes(8 * rng.randint(0, 20)))
                    for index in range(COUNT))


@pytest.mark.parametrize("has_socket", [True, False])
def test_a_failed_assertion_ends_the_simulator(
    broken: Path, tmp_path: Path, has_socket: bool
) -> None:
    with Simulator(broken, tmp_path if has_socket else None) as simulator:
        client = simulator.connect(STREAM_BYTES)
        client.socket.send(requests())
        assert simulator.end() == EXIT_ASSERTION
        with pytest.raises(ConnectionError):
            client.bytes_for(10.0)
        assert "stream_rules.sv" in simulator.stderr and "Assertion failed" in simulator.stderr
        last = simulator.stderr.splitlines()[-1]
        assert last.startswith("halimede-card-sim: an assertion of the card failed in clock ")
    assert not (tmp_path / "card.socket").exists()


def test_assertions_are_off_where_bits_of_memories_flip(broken: Path, tmp_path: Path) -> None:
    with Simulator(broken, tmp_path, "--fault", "flip:1e-300") as simulator:
        client = simulator.connect(STREAM_BYTES)
        assert len(client.exchange(requests(), COUNT, limit_s=60)) == COUNT
        assert simulator.process.poll() is None
