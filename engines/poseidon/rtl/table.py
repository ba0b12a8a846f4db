# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The RTL table of engines/poseidon/README.md: rates, utilization and area, all measured.

    python -m engines.poseidon.rtl.table            measure all, and write the section of the README
                                               and build/reports/poseidon_table.json
    python -m engines.poseidon.rtl.table --json     print the report and do not change the README
    python -m engines.poseidon.rtl.table --from build/reports/poseidon_table.json

Clocks come from the simulated card (engines.poseidon.rtl.measure), with one card for each set of
programs and for 2 and 4 cores per field; area comes from Yosys (arith.synthesis.area), block by
block. Both keep what they build, so a second run is quick; the first takes up to an hour. Fails
(exit code 1) if a full batch of an instance keeps the multiplier less than 90 % busy, or if cores
scale to less than 0.97 of linear. Exit code 4: a tool is missing.
"""

import dataclasses
import sys
import time
from collections.abc import Sequence
from typing import Any

from arith.simulation.toolchain import PROJECT_ROOT
from arith.synthesis.area import measured
from card.sim.table import Table, TableFailed, table_lines
from engines.poseidon.microcode.images import Programs
from engines.poseidon.model.parameters import FR, Instance
from engines.poseidon.rtl.measure import (
    card_program,
    instances_by_name,
    measure_alone,
    measure_program,
)

README = PROJECT_ROOT / "engines" / "poseidon" / "README.md"
LEAST_UTILIZATION = 0.90
LEAST_SCALING = 0.97
MANY_CORES = (2, 4)
# DSP * clocks per hash of the published card (15 multipliers, 4,108 DSP): 101, 279, 328 clocks.
PUBLISHED_DSP = 4108
PUBLISHED_CLOCKS = {"filecoin-2": 101, "filecoin-8": 279, "filecoin-11": 328}
# The upper bounds that the card was designed for.
AIMS = {"filecoin-2": 118_000, "filecoin-8": 328_000, "filecoin-11": 385_000}
# Designs of arith.synthesis.area, and their names in the table.
AREAS = {
    "mod_mul_fr": "`mod_mul` Fr",
    "mod_mul_fr_tiles": "`mod_mul` Fr, reduction with tiles",
    "mod_mul_felt": "`mod_mul` Felt",
    "field_core_poseidon_fr": "`field_core` Fr, all widths",
    "field_core_poseidon_felt": "`field_core` Felt, all widths",
    "field_core_poseidon_fr_plain": "`field_core` Fr, plain rounds",
    "field_core_poseidon_felt_plain": "`field_core` Felt, plain rounds",
}


def lane_of(instance: Instance) -> str:
    return "fr" if instance.modulus == FR else "felt"


def mixtures() -> dict[str, Sequence[Instance]]:
    """The cases of the scaling measurement: the shortest programs, and all widths of a field
    cycled."""
    known = instances_by_name()
    return {
        "filecoin-2": [known["filecoin-2"]],
        "stark-3": [known["stark-3"]],
        "filecoin, all widths": [i for i in known.values() if lane_of(i) == "fr"],
        "stark, all widths": [i for i in known.values() if lane_of(i) == "felt"],
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure_rates(programs: Programs) -> dict[str, Any]:
    """Measures each instance on its own, on a card with one core for each field."""
    _say(f"rates of the {programs.name.lower()} programs ...")
    program = card_program(programs, 1, 1)
    cases = {name: ([instance], 1) for name, instance in instances_by_name(programs).items()}
    return {name: dataclasses.asdict(figures)
            for name, figures in measure_program(program, cases).items()}


def measure_lone_requests() -> dict[str, int]:
    """Every instance in an otherwise idle core."""
    _say("lone requests ...")
    return measure_alone(card_program(Programs.OPTIMIZED, 1, 1), instances_by_name())


def measure_scaling() -> dict[str, Any]:
    """Figures with 1, 2 and 4 cores per field behind one stream, by mixture and number of cores."""
    found: dict[str, Any] = {name: {} for name in mixtures()}
    for cores in (1, *MANY_CORES):
        _say(f"{cores} cores per field ...")
        cases = {name: (instances, cores) for name, instances in mixtures().items()}
        figures = measure_program(card_program(Programs.OPTIMIZED, cores, cores), cases)
        for name in cases:
            found[name][str(cores)] = dataclasses.asdict(figures[name])
    return found


def measure_areas() -> dict[str, Any]:
    found = {}
    for name in AREAS:
        _say(f"area of {name} ...")
        area = dataclasses.asdict(measured(name, "xilinx", 1)[0])
        found[name] = area | {"date": time.strftime("%Y-%m-%d")}
    return found


def scaling_of(cores: dict[str, Any], number: int) -> float:
    """Throughput of `number` cores as a fraction of `number` times that of one core."""
    return cores[str(number)]["utilization"] / cores["1"]["utilization"]


def check(report: dict[str, Any]) -> None:
    """Raises TableFailed if the report misses the required figures."""
    for name, figures in report["rates"]["optimized"].items():
        if figures["utilization"] < LEAST_UTILIZATION:
            raise TableFailed(f"{name}: multiplier {figures['utilization']:.1%} busy in a full "
                              f"batch, less than {LEAST_UTILIZATION:.0%}")
    for name, cores in report["scaling"].items():
        for number in MANY_CORES:
            if scaling_of(cores, number) < LEAST_SCALING:
                raise TableFailed(f"{name}: {number} cores reach {scaling_of(cores, number):.3f} "
                                  f"of linear, less than {LEAST_SCALING}")


def _rates_table(report: dict[str, Any]) -> list[str]:
    rates, areas = report["rates"], report["areas"]
    rows = []
    for name, instance in instances_by_name().items():
        figures, plain = rates["optimized"][name], rates["plain"][name]
        cost = areas[f"mod_mul_{lane_of(instance)}"]["multipliers"] * figures["clocks_per_hash"]
        published = PUBLISHED_DSP * PUBLISHED_CLOCKS[name] if name in PUBLISHED_CLOCKS else 0
        aim = f"≤ {AIMS[name] // 1000} k" if name in AIMS else ""
        rows.append((
            name, f"{figures['clocks_per_hash']:,.1f}", f"{report['alone'][name]:,}",
            f"{figures['utilization']:.1%}", f"{cost / 1000:.1f} k", aim,
            f"{published / 1000:,.0f} k" if published else "", f"{published / cost:.1f}" if published else "",
            f"{plain['clocks_per_hash']:,.1f}", f"{plain['utilization']:.1%}"))
    return table_lines(
        ("instance", "clocks a hash", "alone", "multiplier busy", "DSP · clocks", "aim", "published card",
         "times fewer", "plain rounds: clocks", "busy"), rows)


def _area_table(report: dict[str, Any]) -> list[str]:
    return table_lines(
        ("", "DSP", "LUT", "FF", "FF in DSP", "BRAM", "measured"),
        [(title, area["multipliers"], f"{area['luts']:,}", f"{area['registers']:,}",
          f"{area['registers_in_multipliers']:,}", f"{area['block_memories']:g}", area["date"])
         for title, area in ((title, report["areas"][name]) for name, title in AREAS.items())])


def _scaling_table(report: dict[str, Any]) -> list[str]:
    def cell(cores: dict[str, Any], number: int) -> str:
        part = f" ({scaling_of(cores, number):.3f})" if number > 1 else ""
        return f"{cores[str(number)]['clocks_per_hash']:,.1f}{part}"

    return table_lines(
        ("cores", *report["scaling"]),
        [(number, *(cell(cores, number) for cores in report["scaling"].values())) for number in (1, *MANY_CORES)])


def section(report: dict[str, Any]) -> str:
    """The section of the README."""
    return "\n".join([
        *_rates_table(report), "",
        *_area_table(report), "",
        "Clocks a hash with several cores behind one stream (and parts of linear):", "",
        *_scaling_table(report),
    ])


def measure_all() -> dict[str, Any]:
    return {
        "rates": {p.name.lower(): measure_rates(p)
                  for p in (Programs.OPTIMIZED, Programs.PLAIN)},
        "alone": measure_lone_requests(),
        "scaling": measure_scaling(),
        "areas": measure_areas(),
    }


TABLE = Table("poseidon_table", "engines.poseidon.rtl.table", README, measure_all, check, section)


if __name__ == "__main__":
    sys.exit(TABLE.main(__doc__))
