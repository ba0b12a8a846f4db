# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The steps of the coprocessor's sequencer, and a small assembler for them: jobs of the core, with
the words that they read, and where results are written. `instructions.py` has the steps of each
instruction.

A step has an operation and up to two places. A place is a base, a fixed offset, and a multiple of the
unit: the words of an element of the instruction's field, or of a coordinate of its points.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engines.bls12_381.coprocessor.isa import load

OPERATIONS = ("load", "move", "test", "equal", "digit", "top", "decrement", "set", "branch", "fault",
              "send", "end", "jump", "invert")
BASES = ("a", "b", "c", "scratch", "p", "q", "constant")
CONDITIONS = ("always", "zero", "not_zero", "n_is_0", "n_is_not_0", "i_is_0", "i_is_not_0",
              "a_affine", "b_affine", "c_up_to_a", "degree_is_0")
COUNTS = ("words", "units", "slots")
REGISTERS = ("p", "q", "n", "n_of_b", "i", "n_less", "i_window", "unit")

FIELDS = (
    ("operation", 4), ("base", 3), ("offset", 9), ("units", 3), ("count", 5), ("counts", 2),
    ("flag", 1), ("to_base", 3), ("to_offset", 9), ("to_units", 3), ("entry", 7), ("by_degree", 1),
    ("outputs", 4), ("outputs_units", 1), ("target", 10), ("condition", 4),
)
"""The fields of a step, the most significant first."""
MINUS_ONE = 7
"""The units of a place: minus one."""


@dataclass(frozen=True)
class Place:
    """The beginning of words."""

    base: str
    offset: int = 0
    units: int = 0

    def at(self, units: int = 0, offset: int = 0) -> Place:
        return Place(self.base, self.offset + offset, self.units + units)


A, B, C, P, Q = (Place(name) for name in "abcpq")
ONE, ZERO = Place("constant"), Place("constant", 1)
"""The words 1, 0, 0, ... and 0, 0, ..."""


def S(offset: int) -> Place:
    """Returns a scratch word of the context."""
    return Place("scratch", offset)


@dataclass
class Steps:
    """Steps, with labels."""

    entries: dict[str, int]
    """The core's programs by name."""
    words: list[dict[str, int | str]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    fresh: int = 0

    def label(self, name: str) -> None:
        assert name not in self.labels, name
        self.labels[name] = len(self.words)

    def new(self, name: str) -> str:
        self.fresh += 1
        return f"{name}.{self.fresh}"

    def step(self, operation: str, place: Place = ONE, to: Place = ONE, count: int = 1,
             counts: str = "words", **fields: int | str) -> None:
        self.words.append({
            "operation": OPERATIONS.index(operation), "base": BASES.index(place.base),
            "offset": place.offset % 512, "units": place.units, "count": count,
            "counts": COUNTS.index(counts), "to_base": BASES.index(to.base),
            "to_offset": to.offset % 512, "to_units": to.units, **fields})

    def job(self, program: str, to: Place, outputs: int, *loads: tuple[Place, int, str],
            counts: str = "units") -> None:
        """Adds a job of the core: the words or units that it reads, and the place of its results,
        `outputs` units or words. A name without a degree means the program of the current unit."""
        by_degree = program not in self.entries
        entry = self.entries[f"{program}_1" if f"{program}_1" in self.entries else
                             f"{program}_2"] if by_degree else self.entries[program]
        if by_degree and f"{program}_1" not in self.entries:
            entry -= 1
        for number, (place, count, count_of) in enumerate(loads):
            self.step("load", place, to, count, count_of, entry=entry, by_degree=int(by_degree),
                      outputs=outputs, outputs_units=int(counts == "units"),
                      flag=int(number == len(loads) - 1))

    def move(self, place: Place, to: Place, count: int, counts: str = "units",
             keep: bool = False) -> None:
        self.step("move", place, to, count, counts, flag=int(keep))

    def invert(self, place: Place, to: Place, form: bool) -> None:
        """Inverts one word with the inverter: a form to a form, a number to a number, 0 to 0."""
        self.step("invert", place, to, flag=int(form))

    def digit(self, scalar: Place, table: Place, row: int, next_one: bool = True) -> None:
        """Sets q to the row of a table that a digit of the scalar selects; rows have `row` units.
        The digit is the next lower one or, without `next_one`, the one from bit i on."""
        self.step("digit", scalar, table, row, "units", flag=int(next_one))

    def test(self, place: Place, count: int, counts: str = "units") -> None:
        self.step("test", place, ONE, count, counts)

    def set(self, register: str, place: Place = ONE, count: int = 0, ext: bool = False) -> None:
        self.step("set", place, ONE, count, entry=REGISTERS.index(register), flag=int(ext))

    def unit(self, words: int, degree: int) -> None:
        """Sets the unit from here on."""
        self.set("unit", Place("constant", degree), words)

    def branch(self, condition: str, label: str) -> None:
        self.step("branch", condition=CONDITIONS.index(condition), target=label)

    def fault(self, name: str) -> None:
        code = next(fault.code for fault in load().errors if fault.name == name)
        self.step("fault", count=code)

    def encoded(self) -> list[int]:
        result = []
        for word in self.words:
            value = 0
            for name, bits in FIELDS:
                part = word.get(name, 0)
                number = self.labels[part] if isinstance(part, str) else part
                assert 0 <= number < 1 << bits, (name, part)
                value = value << bits | number
            result.append(value)
        return result


def units(place: Place, count: int = 1) -> tuple[Place, int, str]:
    return place, count, "units"


def words(place: Place, count: int) -> tuple[Place, int, str]:
    return place, count, "words"


STEP_BITS = sum(bits for _, bits in FIELDS)
