# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Counts what a pairing takes of a full core: the jobs of ATE_PAIRING, from the sequencer's steps, with
the turns and slots of their programs and the words that enter and leave the core.

A turn has a product and a sum, so a program needs at least the larger of its two counts. Words of
jobs enter bank S through the port of the sums, in clocks in which no sum is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from arith.microcode.checker import check
from arith.microcode.image import Image
from engines.bls12_381.microcode.compressed import COMPRESSED_RUNS
from engines.bls12_381.microcode.control import CONDITIONS, OPERATIONS, REGISTERS
from engines.bls12_381.microcode.instructions import steps_of_instructions

TAKEN = {"always", "i_is_0"}
"""The branches that a pairing of two regular points takes."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "Miller loop": ("miller",),
    "compressed squares": tuple(f"squares_{count}" for count in COMPRESSED_RUNS),
    "expansions": ("denominators", "expand"),
    "products and squares of the powers": ("combine",),
}
REST = "checks, first part, other products"


@dataclass
class Need:
    """Sums over jobs."""

    jobs: int = 0
    turns: int = 0
    products: int = 0
    sums: int = 0
    least: int = 0
    """The larger number of products and sums of each program."""
    loaded: int = 0
    results: int = 0

    def add(self, other: "Need") -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def jobs_of(image: Image, instruction: str) -> Iterator[str]:
    """Yields the program of each job of an instruction, with branches as `TAKEN`; an inversion is
    `invert`."""
    steps, _ = steps_of_instructions({entry.name: k for k, entry in enumerate(image.entries)})
    place, degree = steps.labels[instruction], 0
    while True:
        word = steps.words[place]
        operation = OPERATIONS[int(word["operation"])]
        place += 1
        if operation == "end":
            return
        if operation == "branch" and CONDITIONS[int(word["condition"])] in TAKEN:
            place = steps.labels[str(word["target"])]
        elif operation == "set" and REGISTERS[int(word["entry"])] == "unit":
            degree = int(word["offset"])
        elif operation == "load" and word["flag"]:
            yield image.entries[int(word["entry"]) + (degree if word["by_degree"] else 0)].name
        elif operation == "invert":
            yield operation


def needs_of_pairing(image: Image) -> tuple[dict[str, Need], int]:
    """The needs of each part, and the number of inversions."""
    counts, entries = check(image), {entry.name: entry for entry in image.entries}
    needs = {name: Need() for name in (*PARTS, REST)}
    inversions = 0
    for program in jobs_of(image, "ATE_PAIRING"):
        if program == "invert":
            inversions += 1
            continue
        part = next((name for name, programs in PARTS.items() if program in programs), REST)
        used, entry = counts[program], entries[program]
        needs[part].add(Need(1, used.turns, used.products, used.sums, max(used.products, used.sums),
                             entry.inputs, entry.outputs))
    return needs, inversions


def batch_lines(image: Image) -> list[str]:
    """The table of a pairing's needs."""
    needs, inversions = needs_of_pairing(image)
    total = Need()
    for need in needs.values():
        total.add(need)
    lines = ["| a pairing in a batch | jobs | turns | at least | products | sums | words in, out |",
             "|---" * 7 + "|"]
    for name, need in (*needs.items(), ("pairing", total)):
        lines.append(f"| {name} | {need.jobs} | {need.turns:,} | {need.least:,} | {need.products:,} "
                     f"| {need.sums:,} | {need.loaded}, {need.results} |")
    return [*lines, "", f"A pairing has {inversions} inversions."]
