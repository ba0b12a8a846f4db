# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures the simulated card: clocks a hash, multiplier utilisation, and the simulator's speed.

python -m card.sim.measure [--hashes N]

Each case sends its requests in one go with two status requests among them, far from both ends,
where the card is full. The figures are of the stretch between the two status replies: the hashes
are the replies that came between them. Nothing is checked here: the tests do that.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from arith.simulation.toolchain import ToolMissing
from card.model import commands
from card.model.commands import StatusReply, reply_code
from card.sim.build import build
from card.sim.tests.simulator import Client, Simulator
from engines.poseidon.model.parameters import FELT, FR

CASES = {
    "filecoin-2": (0x03, FR, 1),
    "filecoin-2 strengthened": (0x13, FR, 1),
    "stark-3": (0x23, FELT, 1),
}
# Enough for the jobs of a core to have drifted apart, and to fill the queue before it.
WARM_UP = 500
LIMIT_S = 900.0


def requests(code: int, modulus: int, count: int, rng: random.Random) -> bytes:
    """Requests for the digests of random states of width 3."""
    return b"".join(
        commands.poseidon_hash(i, code, 1, [rng.randrange(modulus) for _ in range(3)]).encode()
        for i in range(count)
    )


def measure(
    simulator: Simulator, client: Client, code: int, modulus: int, cores: int, count: int
) -> dict[str, float]:
    """Figures of about `count` hashes, answered by a full card."""
    rng = random.Random(1)
    status = commands.get_fpga_status().encode()
    data = (
        requests(code, modulus, WARM_UP, rng)
        + status
        + requests(code, modulus, count, rng)
        + status
        + requests(code, modulus, WARM_UP, rng)
    )
    before = StatusReply.of(client.ask(commands.get_fpga_status()))
    started, started_cpu_s = time.monotonic(), simulator.cpu_s()
    frames = client.exchange(data, 2 * WARM_UP + count + 2, LIMIT_S)
    wall_s = time.monotonic() - started
    cpu_s = simulator.cpu_s() - started_cpu_s
    at = [i for i, f in enumerate(frames) if f.command == reply_code("get_fpga_status")]
    first, second = (StatusReply.of(frames[i]) for i in at)
    hashes = at[1] - at[0] - 1
    after = StatusReply.of(client.ask(commands.get_fpga_status()))
    clocks = second.clocks - first.clocks
    return {
        "clocks_per_hash": clocks / hashes,
        "utilisation": (second.multiplier_busy - first.multiplier_busy) / (clocks * cores),
        "clocks_per_s": (after.clocks - before.clocks) / wall_s,
        "clocks_per_cpu_s": (after.clocks - before.clocks) / cpu_s,
        "hashes_per_s": (2 * WARM_UP + count) / wall_s,
    }


def round_trips_per_s(client: Client, count: int = 1000) -> float:
    """Status requests asked one after the other, each after the reply to the last."""
    started = time.monotonic()
    for _ in range(count):
        client.ask(commands.get_fpga_status())
    return count / (time.monotonic() - started)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m card.sim.measure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--hashes", type=int, default=2000, help="hashes a case (default 2000)")
    options = parser.parse_args()
    try:
        program = build()
    except ToolMissing as missing:
        print(f"card.sim.measure: {missing}", file=sys.stderr)
        return 4
    print(
        f"{'case':26}{'clocks/hash':>12}{'multiplier':>12}{'hashes/s':>10}{'clocks/s':>10}"
        f"{'clocks/CPU s':>14}"
    )
    with tempfile.TemporaryDirectory() as folder, Simulator(program, Path(folder)) as simulator:
        client = simulator.connect()
        for name, (code, modulus, cores) in CASES.items():
            figures = measure(simulator, client, code, modulus, cores, options.hashes)
            print(
                f"{name:26}{figures['clocks_per_hash']:12.1f}{figures['utilisation']:12.1%}"
                f"{figures['hashes_per_s']:10.1f}{figures['clocks_per_s']:10,.0f}"
                f"{figures['clocks_per_cpu_s']:14,.0f}"
            )
        print(f"{round_trips_per_s(client):,.0f} round trips/s of get_fpga_status")
    return 0


if __name__ == "__main__":
    sys.exit(main())
