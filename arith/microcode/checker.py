# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Static checks of an image: everything that the hardware takes for granted.

Control depends on no data, so each program has exactly one path; the checker walks it with the
loops' counts and constant bases as they will be, and needs no values. `RULES` names what it checks.
The rule "latency" is a proof about clocks: `timing` has the stages, `hazards` the argument.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable

from arith.microcode import isa
from arith.microcode.hazards import ACCUMULATOR, Hazards
from arith.microcode.image import Counts, Entry, Image
from arith.microcode.isa import Instruction
from arith.microcode.timing import FIELD_CORE, Timing

RULES = {
    "entry": "a job's words fit bank S and the output buffer; its first instruction exists",
    "size": "program and constant tables are within their address widths",
    "value": "constants lie in [0, Modulus)",
    "control": "loops do not nest, repeat their own body at least once; the path ends in a halt",
    "unreached": "every instruction is on the path of some program",
    "register": "register indices are within the banks",
    "uninitialised": "a register is written before it is read",
    "constant": "constant addresses are within their tables in every iteration",
    "accumulator": "sums start with mul_acc = 0, end with mul_emit, have at most 12 products",
    "product": "what takes the product stands in a turn that emits one",
    "sum": "what takes the sum stands in a turn that computes one",
    "coefficient": "coefficients lie in -4..4",
    "output": "exactly the job's outputs are written",
    "latency": "each read comes after the writes, and each write after the reads, before it",
}


@dataclass(frozen=True, order=True)
class Violation:
    """A broken rule, and where."""

    pc: int
    rule: str
    detail: str

    def __str__(self) -> str:
        return f"{self.rule} at {self.pc}: {self.detail}"


class CheckError(ValueError):
    """An image that field_core must not be built with."""

    def __init__(self, violations: list[Violation]) -> None:
        super().__init__("; ".join(map(str, violations)))
        self.violations = violations


@dataclass
class _Walk:
    """One job's path: what has been written, the open sum, the open loop."""

    entry: Entry
    pc: int
    written: set[int]
    hazards: Hazards
    outputs: set[int] = field(default_factory=set)
    open_products: int = 0
    loop_start: int | None = None
    count: int = 0
    mul_base: int = 0
    add_base: int = 0
    counts: Counts = field(default_factory=Counts)


class Checker:
    """Collects the violations of one image."""

    def __init__(self, image: Image, timing: Timing = FIELD_CORE) -> None:
        self.image = image
        self.timing = timing
        self.found: set[Violation] = set()
        self.reached: set[int] = set()
        self.instructions: list[Instruction] = [isa.decode(word) for word in image.words]

    def run(self) -> dict[str, Counts]:
        """What a job of each program uses."""
        self._check_tables()
        counts = {entry.name: self._walk(entry) for entry in self.image.entries}
        for pc in set(range(len(self.instructions))) - self.reached:
            self._report(pc, "unreached", "no program comes here")
        return counts

    def _report(self, pc: int, rule: str, detail: str) -> None:
        assert rule in RULES
        self.found.add(Violation(pc, rule, detail))

    def _prove(self, walk: _Walk, place: str, failures: Iterable[str]) -> None:
        for failure in failures:
            self._report(walk.pc, "latency", f"{place} {failure}" if place else failure)

    def _check_tables(self) -> None:
        image = self.image
        sizes = [("program", image.words, isa.FIELDS["imm"].width),
                 ("MulConst", image.mul_constants, isa.LIMITS["constant_address_bits"]),
                 ("AddConst", image.add_constants, isa.LIMITS["constant_address_bits"])]
        for name, table, bits in sizes:
            if len(table) > 1 << bits:
                self._report(0, "size", f"{name} has {len(table)} words")
        if image.register_bits > isa.LIMITS["register_index_bits"]:
            self._report(0, "size", f"{image.register_bits} bits of register index")
        for name, table, _ in sizes[1:]:
            for address, constant in enumerate(table):
                if not 0 <= constant < image.modulus:
                    self._report(0, "value", f"{name}[{address}]")

    def _walk(self, entry: Entry) -> Counts:
        registers = 1 << self.image.register_bits
        if entry.inputs > registers or entry.outputs > isa.LIMITS["outputs"]:
            self._report(entry.pc, "entry", f"{entry.inputs} words in, {entry.outputs} out")
        loaded = {isa.register(isa.BANK_S, index) for index in range(min(entry.inputs, registers))}
        walk = _Walk(entry, entry.pc, loaded, Hazards(self.timing, set(loaded)))
        running = True
        while running:
            if walk.pc >= len(self.instructions):
                rule = "entry" if walk.pc == entry.pc else "control"
                self._report(walk.pc, rule, "no such instruction")
                break
            self.reached.add(walk.pc)
            fields = self.instructions[walk.pc]
            walk.counts.turns += 1
            self._check_multiply(walk, fields)
            self._check_add(walk, fields)
            self._write(walk, fields)
            running = self._step(walk, fields)
            walk.hazards.next_turn()
        return walk.counts

    def _check_multiply(self, walk: _Walk, fields: Instruction) -> None:
        if not fields["mul_en"]:
            if fields["mul_emit"] or fields["mul_write"]:
                self._report(walk.pc, "product", "emitted in a turn without a product")
            return
        walk.counts.products += 1
        self._read(walk, fields["mul_a"], "multiply_read")
        if fields["mul_b_is_const"]:
            self._constant(walk, "MulConst", walk.mul_base + fields["mul_const"])
        else:
            self._read(walk, fields["mul_b"], "multiply_read")
        if bool(walk.open_products) != bool(fields["mul_acc"]):
            detail = "no sum is open" if fields["mul_acc"] else "the open sum is lost"
            self._report(walk.pc, "accumulator", detail)
        if fields["mul_acc"]:
            self._prove(walk, ACCUMULATOR, walk.hazards.read(ACCUMULATOR, "accumulator_read"))
        walk.open_products = walk.open_products + 1 if fields["mul_acc"] else 1
        if walk.open_products > isa.LIMITS["max_products_per_sum"]:
            self._report(walk.pc, "accumulator", "too many products in a sum")
        if fields["mul_emit"]:
            walk.counts.reductions += 1
            walk.open_products = 0
        elif fields["mul_write"]:
            self._report(walk.pc, "product", "written but not emitted")

    def _check_add(self, walk: _Walk, fields: Instruction) -> None:
        if not fields["add_en"]:
            if fields["add_write"] or fields["out_en"]:
                self._report(walk.pc, "sum", "written in a turn without a sum")
            return
        walk.counts.sums += 1
        for slot in range(3):
            coefficient = fields[f"coef{slot}"]
            if abs(coefficient) > isa.LIMITS["max_coefficient"]:
                self._report(walk.pc, "coefficient", f"coef{slot} = {coefficient}")
            if not coefficient:
                continue
            if slot or not fields["op0_is_product"]:
                self._read(walk, fields[f"op{slot}"], "add_read")
            elif not (fields["mul_en"] and fields["mul_emit"]):
                self._report(walk.pc, "product", "operand 0, but none is emitted")
            else:
                self._prove(walk, "", walk.hazards.chain())
        if fields["add_const_en"]:
            self._constant(walk, "AddConst", walk.add_base + fields["add_const"])
        if fields["out_en"]:
            walk.outputs.add(fields["out_index"])
            if fields["out_index"] >= walk.entry.outputs:
                self._report(walk.pc, "output", f"the job has no output {fields['out_index']}")

    def _read(self, walk: _Walk, operand: int, kind: str) -> None:
        bank, index = isa.bank_and_index(operand)
        name = f"{'PS'[bank]}[{index}]"
        self._prove(walk, name, walk.hazards.read(operand, kind))
        if index >= 1 << self.image.register_bits:
            self._report(walk.pc, "register", name)
        elif operand not in walk.written:
            self._report(walk.pc, "uninitialised", name)

    def _constant(self, walk: _Walk, table: str, address: int) -> None:
        constants = self.image.mul_constants if table == "MulConst" else self.image.add_constants
        if address >= len(constants):
            self._report(walk.pc, "constant", f"{table}[{address}] of {len(constants)}")

    def _write(self, walk: _Walk, fields: Instruction) -> None:
        for enable, bank, index, kind in (
            (fields["mul_write"], isa.BANK_P, fields["mul_dst"], "product_write"),
            (fields["add_write"], isa.BANK_S, fields["add_dst"], "sum_write"),
        ):
            name, operand = f"{'PS'[bank]}[{index}]", isa.register(bank, index)
            if enable and index >= 1 << self.image.register_bits:
                self._report(walk.pc, "register", name)
            elif enable:
                walk.written.add(operand)
                self._prove(walk, name, walk.hazards.write(operand, kind))
        if fields["mul_en"]:
            self._prove(walk, ACCUMULATOR, walk.hazards.write(ACCUMULATOR, "accumulator_write"))
        if fields["out_en"]:
            name = _output(fields["out_index"])
            self._prove(walk, name, walk.hazards.write(name, "sum_write"))

    def _step(self, walk: _Walk, fields: Instruction) -> bool:
        """Follows the control; false at the end of the path."""
        control, imm = fields["control"], fields["imm"]
        if control == isa.HALT:
            self._check_halt(walk)
            return False
        if control == isa.LOOP_BEGIN:
            if walk.loop_start is not None:
                self._report(walk.pc, "control", "a loop in a loop")
            if imm < 1:
                self._report(walk.pc, "control", "a loop of no iterations")
            walk.loop_start, walk.count = walk.pc + 1, imm
        elif control == isa.LOOP_END:
            own_body = walk.loop_start == imm
            if not own_body:
                self._report(walk.pc, "control", f"no loop starts at {imm}")
            if own_body and walk.count > 1:
                walk.count -= 1
                walk.mul_base += fields["mul_stride"]
                walk.add_base += fields["add_stride"]
                walk.pc = imm
                return True
            walk.loop_start, walk.mul_base, walk.add_base = None, 0, 0
        walk.pc += 1
        return True

    def _check_halt(self, walk: _Walk) -> None:
        words = max(entry.inputs for entry in self.image.entries)
        loaded = range(isa.register(isa.BANK_S, 0), isa.register(isa.BANK_S, 0) + words)
        outputs = [_output(index) for index in walk.outputs]
        self._prove(walk, "", walk.hazards.halt(loaded, outputs))
        if walk.loop_start is not None:
            self._report(walk.pc, "control", "halt in a loop")
        if walk.open_products:
            self._report(walk.pc, "accumulator", "the open sum is lost")
        for index in set(range(walk.entry.outputs)) - walk.outputs:
            self._report(walk.pc, "output", f"output {index} is not written")


def _output(index: int) -> str:
    return f"output {index}"


def violations(image: Image, timing: Timing = FIELD_CORE) -> list[Violation]:
    """Every broken rule, in program order."""
    checker = Checker(image, timing)
    checker.run()
    return sorted(checker.found)


def check(image: Image, timing: Timing = FIELD_CORE) -> dict[str, Counts]:
    """What a job of each program uses; raises CheckError if a rule is broken."""
    checker = Checker(image, timing)
    counts = checker.run()
    if checker.found:
        raise CheckError(sorted(checker.found))
    return counts
