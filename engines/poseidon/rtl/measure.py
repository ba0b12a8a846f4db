# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures Poseidon on the simulated card: clocks per hash, multiplier utilization, and the
simulator's speed.

python -m engines.poseidon.rtl.measure [--generations N] [--cores N]
                                       [--programs optimized|plain|small]

Each case fills the card and sends its requests in one stream, with one status request before and
one after the requests that count. When the card reaches a status request, the requests before it
have entered, so every context is busy; the figures cover the interval between the two. Products per
hash are counted over the whole run, so `clocks_per_hash` needs no whole number of hashes in the
interval. The tests check the results; here every reply must only have status 0.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arith.simulation.toolchain import ToolMissing
from card.sim.build import PARAMETERS, STREAM_BYTES, build, engine_mask
from card.sim.tests.simulator import Client, Simulator
from engines.poseidon.microcode.images import Programs, instance_code, instances_of
from engines.poseidon.model.frames import PoseidonReply, poseidon_hash
from engines.poseidon.model.parameters import FELT, FR, Instance

CONTEXTS = PARAMETERS["PoseidonContexts"]
LIMIT_S = 1800.0
# poseidon_pkg::programs_e.
PROGRAM_SETS = {Programs.OPTIMIZED: 0, Programs.PLAIN: 1, Programs.SMALL: 2}


@dataclass(frozen=True)
class Figures:
    """Figures of a full card; `utilization` is products issued / (clocks * cores)."""

    cores: int
    hashes: int
    products_per_hash: float
    utilization: float
    clocks_per_hash: float
    simulated_clocks_per_cpu_s: float


def instances_by_name(programs: Programs = Programs.OPTIMIZED) -> dict[str, Instance]:
    """The instances of a card with a set of programs."""
    found = [i for modulus in (FR, FELT) for i in instances_of(modulus, programs)]
    return {instance.name: instance for instance in found}


def card_program(programs: Programs, cores_fr: int, cores_felt: int) -> Path:
    """The simulator of a card of that shape, built if missing; only the default one has the other
    engines, too."""
    chosen = {"PoseidonPrograms": PROGRAM_SETS[programs], "PoseidonCoresFr": cores_fr,
              "PoseidonCoresFelt": cores_felt, "Engines": engine_mask("poseidon")}
    if (programs, cores_fr, cores_felt) == (Programs.OPTIMIZED, 1, 1):
        return build()
    name = f"halimede-card-sim-{programs.name.lower()}-{cores_fr}-{cores_felt}"
    return build(name=name, **chosen)


def requests(instances: Sequence[Instance], count: int, rng: random.Random) -> list[bytes]:
    """Requests for the digests of random states, cycling through the instances."""
    parts = []
    for i in range(count):
        instance = instances[i % len(instances)]
        state = [rng.randrange(instance.modulus) for _ in range(instance.width)]
        frame = poseidon_hash(i, instance_code(instance), 1, state)
        parts.append(frame.encode(STREAM_BYTES))
    return parts


def measure(
    simulator: Simulator, client: Client, instances: Sequence[Instance], cores: int,
    generations: int = 2, contexts: int = CONTEXTS,
) -> Figures:
    """Figures of a card that works on a mixture of `instances`, all over the field of its `cores`
    cores. The counted hashes are `generations` times the number of contexts."""
    rng = random.Random(1)
    warm_up, count = 2 * contexts * cores, generations * contexts * cores
    before, started_cpu_s = client.status(), simulator.cpu_s()
    first, second, replies = client.between_statuses(
        requests(instances, warm_up, rng), requests(instances, count, rng), LIMIT_S)
    cpu_s, after = simulator.cpu_s() - started_cpu_s, client.status()
    refused = sum(PoseidonReply.of(reply).status != 0 for reply in replies)
    if refused:
        raise RuntimeError(f"{refused} of {warm_up + count} requests were refused")
    clocks = second.clocks - first.clocks
    products = (after.multiplier_busy - before.multiplier_busy) / (warm_up + count)
    utilization = (second.multiplier_busy - first.multiplier_busy) / (clocks * cores)
    return Figures(
        cores, count, round(products, 2), round(utilization, 4),
        round(products / (utilization * cores), 2),
        round((after.clocks - before.clocks) / max(cpu_s, 0.01)),
    )


def measure_program(
    program: Path, cases: dict[str, tuple[Sequence[Instance], int]], generations: int = 2
) -> dict[str, Figures]:
    """Figures of several cases (instances, cores of their field) on one simulated card."""
    with tempfile.TemporaryDirectory() as folder, Simulator(program, Path(folder)) as simulator:
        client = simulator.connect()
        return {
            name: measure(simulator, client, instances, cores, generations)
            for name, (instances, cores) in cases.items()
        }


def measure_alone(program: Path, instances: dict[str, Instance]) -> dict[str, int]:
    """Clocks of a lone request of each instance, from the status before it to the one after."""
    rng = random.Random(2)
    found = {}
    with tempfile.TemporaryDirectory() as folder, Simulator(program, Path(folder)) as simulator:
        client = simulator.connect()
        for name, instance in instances.items():
            state = [rng.randrange(instance.modulus) for _ in range(instance.width)]
            clocks, reply = client.alone(poseidon_hash(0, instance_code(instance), 1, state))
            if PoseidonReply.of(reply).status != 0:
                raise RuntimeError(f"{name}: a request was refused")
            found[name] = clocks
    return found


def round_trips_per_s(client: Client, count: int = 1000) -> float:
    """Rate of sequential status requests, each sent after the reply to the last."""
    started = time.monotonic()
    for _ in range(count):
        client.status()
    return count / (time.monotonic() - started)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m engines.poseidon.rtl.measure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--generations", type=int, default=2,
                        help="counted hashes, in multiples of the contexts (default 2)")
    parser.add_argument("--cores", type=int, default=1, help="cores for each field (default 1)")
    parser.add_argument("--programs", default="optimized",
                        choices=[programs.name.lower() for programs in Programs])
    options = parser.parse_args()
    programs = Programs[options.programs.upper()]
    try:
        program = card_program(programs, options.cores, options.cores)
    except ToolMissing as missing:
        print(f"engines.poseidon.rtl.measure: {missing}", file=sys.stderr)
        return 4
    print(f"{'case':28}{'clocks/hash':>12}{'multiplier':>12}{'clocks/CPU s':>14}")
    with tempfile.TemporaryDirectory() as folder, Simulator(program, Path(folder)) as simulator:
        client = simulator.connect()
        for name, instance in instances_by_name(programs).items():
            figures = measure(simulator, client, [instance], options.cores, options.generations)
            print(f"{name:28}{figures.clocks_per_hash:12.1f}{figures.utilization:12.1%}"
                  f"{figures.simulated_clocks_per_cpu_s:14,}", flush=True)
        print(f"{round_trips_per_s(client):,.0f} round trips/s of get_fpga_status")
    return 0


if __name__ == "__main__":
    sys.exit(main())
