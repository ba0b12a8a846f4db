# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of engines/equihash/rtl/README.md: clocks per solution, by the simulated card.

    python -m engines.equihash.rtl.table            measure, and write the section of the README
                                               and build/reports/equihash_table.json
    python -m engines.equihash.rtl.table --json     print the report, leave the README alone
    python -m engines.equihash.rtl.table --from build/reports/equihash_table.json

A case fills the card and sends its requests in one stream, with one status request before and one
after the requests that count. When the card reaches a status request, the solutions before it have
entered, so the clocks between the two are those of a full engine. Fails (exit code 1) if a case
takes more clocks per solution than required, or an answer differs from the golden model. Exit code
4: a tool is missing.
"""

import random
import sys
from dataclasses import dataclass
from typing import Any

from arith.simulation.toolchain import PROJECT_ROOT
from card.sim.build import STREAM_BYTES
from card.sim.table import Table, TableFailed, best_of_runs, table_lines
from card.sim.tests.simulator import Client, Simulator
from engines.equihash.model.frames import equihash_checked_reply, verify_equihash_checked
from engines.equihash.model.puzzle import SETS, Parameters
from engines.equihash.rtl.tests.equihash_frames import Cases, message_of

README = PROJECT_ROOT / "engines" / "equihash" / "rtl" / "README.md"
RUNS = 3
LIMIT_S = 600.0
# Requests before the counted ones: more than the engine and the queues before it hold.
WARM_UP = 24


@dataclass(frozen=True)
class Case:
    """The number of requests with these parameters, and the most clocks per request."""

    parameters: Parameters
    solutions: int
    most_clocks: float

    @property
    def title(self) -> str:
        return f"({self.parameters.n}, {self.parameters.k})"


@dataclass(frozen=True)
class Figures:
    """The card's counters for a case; `clocks_alone` is for a lone request, from the status before
    it to the one after its reply."""

    solutions: int
    clocks: int
    clocks_alone: int
    simulated_clocks_per_cpu_s: int

    @property
    def clocks_per_solution(self) -> float:
        return self.clocks / self.solutions


def cases() -> list[Case]:
    """All parameter sets; Zcash's within the aim of 520 clocks."""
    return [Case(parameters, 64, 520 if parameters.n == 200 else 95) for parameters in SETS]


def measure(simulator: Simulator, client: Client, case: Case, seed: int) -> Figures:
    """Sends a case's requests, valid and not, and reads the clock before and after."""
    made = Cases(random.Random(seed), 1 << SETS.index(case.parameters))
    pairs = [made.next(index) for index in range(WARM_UP + case.solutions)]
    requests = [verify_equihash_checked(index, message_of(frame)).encode(STREAM_BYTES)
                for index, (frame, _) in enumerate(pairs)]
    alone, _ = client.alone(verify_equihash_checked(0, message_of(pairs[0][0])))
    before_cpu_s, before = simulator.cpu_s(), client.status()
    first, second, replies = client.between_statuses(
        requests[:WARM_UP], requests[WARM_UP:], LIMIT_S)
    after, cpu_s = client.status(), simulator.cpu_s() - before_cpu_s
    expected = [equihash_checked_reply(index, reply[2])
                for index, (_, reply) in enumerate(pairs)]
    if replies != expected:
        raise TableFailed(f"{case.title}: an answer differs from the golden model")
    clocks_per_cpu_s = round((after.clocks - before.clocks) / max(cpu_s, 0.01))
    return Figures(case.solutions, second.clocks - first.clocks, alone, clocks_per_cpu_s)


def shape(client: Client) -> dict[str, int]:
    """The fields of the card's register `equihash_shape`."""
    value = client.read("equihash_shape")
    return {"sets": value & 0xFF, "lanes": value >> 8 & 0xFF, "stages": value >> 16}


def measure_all(runs: int = RUNS) -> dict[str, Any]:
    """Every case on the default card; the best of `runs` runs of each."""
    return best_of_runs({case.title: case for case in cases()}, measure,
                        lambda figures: -figures.clocks_per_solution, shape, runs)


def check(report: dict[str, Any]) -> None:
    """Raises TableFailed if the report misses the required figures."""
    for case in cases():
        clocks = Figures(**report["cases"][case.title]).clocks_per_solution
        if not 0 < clocks <= case.most_clocks:
            raise TableFailed(
                f"{case.title}: {clocks:.1f} clocks per solution, more than {case.most_clocks}")


def section(report: dict[str, Any]) -> str:
    """The section of the README."""
    engine = report["shape"]
    lines = [
        f"The simulated card, {report['date']}: a stream of {STREAM_BYTES} bytes a clock, "
        f"{engine['lanes']} lanes of SHA-256, {engine['stages']} stages of BLAKE2b, valid "
        "solutions and others, with checksums; from one status to the next while the engine is full.", "",
        *table_lines(
            ("(n, k)", "solutions", "clocks", "clocks a solution", "clocks alone", "simulated clocks a second of CPU"),
            [(title, figures.solutions, f"{figures.clocks:,}", f"{figures.clocks_per_solution:.1f}",
              f"{figures.clocks_alone:,}", f"{figures.simulated_clocks_per_cpu_s:,}")
             for title, figures in ((case.title, Figures(**report["cases"][case.title])) for case in cases())]),
    ]
    return "\n".join(lines)


TABLE = Table("equihash_table", "engines.equihash.rtl.table", README, measure_all, check, section)


if __name__ == "__main__":
    sys.exit(TABLE.main(__doc__))
