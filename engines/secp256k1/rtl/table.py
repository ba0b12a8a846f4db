# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures the card's table of engines/secp256k1/README.md: clocks per signature, by the simulated
card's counters.

    python -m engines.secp256k1.rtl.table            measure, and write the section of the README
                                               and build/reports/secp256k1_table.json
    python -m engines.secp256k1.rtl.table --json     print the report, leave the README alone
    python -m engines.secp256k1.rtl.table --from build/reports/secp256k1_table.json

A case is a card with one core. All its requests are sent at once, with a status request before the
requests that count and one after them. The card answers such a status request when the signatures
before it have gone in, so that every context is occupied between the two; the share of clocks with
a product in this stretch is the utilization, and the products per signature are counted over the
whole run. While the core fills, some signatures take its quick program, whose products are left
out: their replies report how many clocks they took, while the count of all others exceeds the range
of a reply. Fails (exit code 1) if a case takes more clocks per signature, in a batch or alone, or
uses the multiplier less than the card promises, or if an answer is not the golden model's. Exit
code 4: a tool is missing.
"""

import dataclasses
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.simulation.toolchain import PROJECT_ROOT
from card.model.frames import Frame
from card.sim.build import PARAMETERS, STREAM_BYTES, build, engine_mask
from card.sim.table import Table, TableFailed, table_lines
from card.sim.tests.simulator import Client, Simulator
from engines.secp256k1.microcode.__main__ import counts_of
from engines.secp256k1.microcode.verify import image_of_verify
from engines.secp256k1.model.ecdsa import Signature
from engines.secp256k1.model.frames import SignatureReply, verify_secp256k1_sig_checked
from engines.secp256k1.model.tests.edge_cases import Case as Check
from engines.secp256k1.model.tests.edge_cases import random_case
from engines.secp256k1.rtl.tests.secp256k1_frames import mask_of, request

README = PROJECT_ROOT / "engines" / "secp256k1" / "README.md"
LIMIT_S = 1800.0
MOST_CLOCKS = 1960
MOST_CLOCKS_ALONE = 10_000
# A quick program takes fewer clocks; a usual one, with 1,958 turns of 26 clocks, takes more.
MOST_QUICK_CYCLES = 40_000
LEAST_UTILIZATION = 0.85
# The number of signatures that a card's queues hold in addition to its contexts.
QUEUED = 16
CONTEXTS = PARAMETERS["Secp256k1Contexts"]


@dataclass(frozen=True)
class Case:
    """The number of contexts of a core, and of the signatures that count."""

    contexts: int
    signatures: int

    @property
    def title(self) -> str:
        return f"{self.contexts}"

    def program(self) -> Path:
        """The simulator: the default one, or one with only this engine."""
        if self.contexts == CONTEXTS:
            return build()
        return build(name=f"halimede-card-sim-secp256k1-{self.contexts}",
                     Engines=engine_mask("secp256k1"), Secp256k1Contexts=self.contexts)


@dataclass(frozen=True)
class Figures:
    """The values of the card's counters; `clocks_alone` is from a lone request to its reply."""

    signatures: int
    products_per_signature: float
    utilization: float
    clocks_alone: int
    simulated_clocks_per_cpu_s: int

    @property
    def clocks_per_signature(self) -> float:
        return self.products_per_signature / self.utilization


def cases() -> list[Case]:
    """The card's default core, and one with room for the queues' jobs in addition to a full
    turn."""
    return [Case(CONTEXTS, 112), Case(64, 128)]


def checks(rng: random.Random, count: int) -> list[Check]:
    """Returns random signatures, of which every third does not match: all need the complete
    check."""
    made = [random_case(rng) for _ in range(count)]
    for number in range(0, count, 3):
        name, signature, key = made[number]
        digest = signature.digest ^ 1 << rng.randrange(256)
        made[number] = (name, Signature(signature.r, signature.s, digest), key)
    return made


def replies_of(found: list[Frame]) -> list[SignatureReply]:
    return [SignatureReply.of(f) for f in found if f.name == "verify_secp256k1_sig_checked"]


def require_masks(found: list[Frame], asked: list[Check]) -> None:
    """Raises TableFailed unless each check has one reply with the golden model's mask."""
    if sorted((r.index, r.mask, r.status) for r in replies_of(found)) != [
            (index, mask_of(case), 0) for index, case in enumerate(asked)]:
        raise TableFailed("an answer is not the golden model's")


def clocks_alone(client: Client, rng: random.Random) -> int:
    """The clocks from the status before a lone valid signature to the status after its reply."""
    asked = [random_case(rng)]
    clocks, reply = client.alone(verify_secp256k1_sig_checked(0, request(0, *asked[0][1:])[16:]))
    require_masks([reply], asked)
    return clocks


def measure(simulator: Simulator, client: Client, case: Case, seed: int = 1) -> Figures:
    """Sends a case's requests and reads the counters before, between and after them."""
    require_shape(client, case)
    rng = random.Random(seed)
    alone = clocks_alone(client, rng)
    warm_up = case.contexts + QUEUED
    asked = checks(rng, warm_up + case.signatures)
    frames = [verify_secp256k1_sig_checked(index, request(index, *check[1:])[16:])
              for index, check in enumerate(asked)]
    data = [frame.encode(STREAM_BYTES) for frame in frames]
    before_cpu_s, before = simulator.cpu_s(), client.status()
    first, second, found = client.between_statuses(data[:warm_up], data[warm_up:], LIMIT_S)
    after, cpu_s = client.status(), simulator.cpu_s() - before_cpu_s
    require_masks(found, asked)
    quick = sum(reply.cycles < MOST_QUICK_CYCLES for reply in replies_of(found))
    products = ((after.multiplier_busy - before.multiplier_busy - quick * quick_products())
                / (len(asked) - quick))
    utilization = ((second.multiplier_busy - first.multiplier_busy)
                   / (second.clocks - first.clocks))
    return Figures(case.signatures, round(products, 2), round(utilization, 4), alone,
                   round((after.clocks - before.clocks) / max(cpu_s, 0.01)))


def quick_products() -> int:
    """The number of products of a signature that takes the quick program."""
    return counts_of(image_of_verify())["a signature alone"].products


def require_shape(client: Client, case: Case) -> None:
    """Raises TableFailed unless the card reports the shape of the case: one core with its
    contexts."""
    value = client.read("secp256k1_shape")
    if value != case.contexts << 16 | 1:
        raise TableFailed(f"the card's secp256k1_shape is {value:#x}")


def measure_all() -> dict[str, Any]:
    """Measures every case on its card."""
    report: dict[str, Any] = {"cases": {}, "date": time.strftime("%Y-%m-%d")}
    for case in cases():
        with (tempfile.TemporaryDirectory() as folder,
              Simulator(case.program(), Path(folder)) as simulator):
            figures = measure(simulator, simulator.connect(), case)
        report["cases"][case.title] = dataclasses.asdict(figures)
        print(f"{case.title} contexts: {figures.clocks_per_signature:.1f} clocks, "
              f"multiplier {figures.utilization:.1%} busy", file=sys.stderr)
    return report


def check(report: dict[str, Any]) -> None:
    """Raises TableFailed if the report shows less than the card promises."""
    for case in cases():
        figures = Figures(**report["cases"][case.title])
        if not figures.utilization >= LEAST_UTILIZATION:
            raise TableFailed(f"{case.title} contexts: multiplier {figures.utilization:.1%} busy, "
                              f"less than {LEAST_UTILIZATION:.0%}")
        if not 0 < figures.clocks_per_signature <= MOST_CLOCKS:
            raise TableFailed(f"{case.title} contexts: {figures.clocks_per_signature:.1f} clocks "
                              f"a signature, more than {MOST_CLOCKS:,}")
        if not 0 < figures.clocks_alone <= MOST_CLOCKS_ALONE:
            raise TableFailed(f"{case.title} contexts: {figures.clocks_alone:,} clocks alone, more "
                              f"than {MOST_CLOCKS_ALONE:,}")


def section(report: dict[str, Any]) -> str:
    """Returns the README's section."""
    lines = [
        f"The simulated card, {report['date']}: a stream of {STREAM_BYTES} bytes a clock, one "
        "core, valid signatures and others that do not match; from one status to the next while the "
        "core is full. *Alone* is from a lone request to its reply.", "",
        *table_lines(
            ("contexts", "signatures", "products a signature", "multiplier busy", "clocks a signature",
             "clocks alone", "simulated clocks a second of CPU"),
            [(title, figures.signatures, f"{figures.products_per_signature:,.1f}", f"{figures.utilization:.1%}",
              f"{figures.clocks_per_signature:,.1f}", f"{figures.clocks_alone:,}",
              f"{figures.simulated_clocks_per_cpu_s:,}")
             for title, figures in ((case.title, Figures(**report["cases"][case.title])) for case in cases())]),
    ]
    return "\n".join(lines)


TABLE = Table("secp256k1_table", "engines.secp256k1.rtl.table", README, measure_all, check, section)


if __name__ == "__main__":
    sys.exit(TABLE.main(__doc__))
