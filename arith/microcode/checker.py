# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Static checks of an image: everything that the hardware relies on.

Control does not depend on data, except where a job ends, so each program has exactly one path. The
checker walks it with the actual loop counts, constant bases and frames, into every call and through
every iteration, and needs no values. A path that breaks a rule of control is not followed further.
A halt that the flag may prevent is checked as a halt, and the path continues. A lookup by a digit
is checked as a read of every word that it may select. `rules` names the checks. The rule "latency"
is a proof about clocks: `timing` has the stages, `hazards` the argument.
"""

from dataclasses import dataclass, field, replace
from typing import Iterable

from arith.microcode import isa
from arith.microcode.hazards import ACCUMULATOR, Hazards
from arith.microcode.image import Counts, Entry, Image
from arith.microcode.isa import Instruction
from arith.microcode.lookup import DIGIT_MODULUS, JOINT_ROWS, JOINT_SCALARS, ROWS, WINDOWS
from arith.microcode.pace import Issue, PaceError
from arith.microcode.rules import RULES, CheckError, Violation
from arith.microcode.stack import Frame, Stack, StackError
from arith.microcode.timing import FIELD_CORE, FIELD_CORE_LOOKUPS, Timing

__all__ = ["MAX_TURNS", "RULES", "CheckError", "Checker", "Violation", "check", "violations"]

MAX_TURNS = 1 << 20
"""The maximum number of turns of a program: the checker walks all of them."""

@dataclass
class _Walk:
    """The path of one job: the written places, the open sum, the open loop."""

    entry: Entry
    pc: int
    written: set[int]
    registers: int
    """The registers of a bank."""
    hazards: Hazards
    stack: Stack
    pace: Issue | None
    """The state of issues in a paced image."""
    product_before: bool = False
    """The previous turn belongs to the same issue, or a quick program, and has a product."""
    pair: int = 1
    """Turns of a pair, whose first one has the control (`Pace.turns`)."""
    outputs: set[int] = field(default_factory=set)
    open_products: int = 0
    count: int = 0
    mul_base: int = 0
    add_base: int = 0
    digit_base: int = 0
    kept: set[str] = field(default_factory=set)
    """The places of the lookup slot that have been written."""
    counts: Counts = field(default_factory=Counts)
    first_halt: Counts | None = None
    halts: set[int] = field(default_factory=set)
    """The conditional halts that the path has passed."""


class Checker:
    """Collects the violations of one image."""

    def __init__(self, image: Image, timing: Timing | None = None) -> None:
        self.image = image
        self.timing = timing or (FIELD_CORE_LOOKUPS if image.lookups else FIELD_CORE)
        self.longest: dict[str, Counts] = {}
        self.found: set[Violation] = set()
        self.reached: set[int] = set()
        self.hidden: set[int] = set()
        """Code that may follow a path that was not walked to its end."""
        self.instructions: list[Instruction] = list(image.decoded())

    def run(self) -> dict[str, Counts]:
        """The resources of a job of each program up to the first halt; `longest` has those up to
        the last."""
        self._check_tables()
        counts = {entry.name: self._walk(entry)
                  for entry in (*self.image.entries, *self.image.quick_entries)}
        for pc in set(range(len(self.instructions))) - self.reached - self.hidden:
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
        sizes = [("program", image.words, image.address_bits),
                 ("MulConst", image.mul_constants, isa.LIMITS["constant_address_bits"]),
                 ("AddConst", image.add_constants, isa.LIMITS["constant_address_bits"])]
        for name, table, bits in sizes:
            if len(table) > 1 << bits:
                self._report(0, "size", f"{name} has {len(table)} words")
        for bits in {image.register_bits, image.pace.register_bits if image.pace else 0}:
            if bits > isa.LIMITS["register_index_bits"]:
                self._report(0, "size", f"{bits} bits of register index")
        if image.frames > isa.SEQUENCE_LIMITS["frames"]:
            self._report(0, "size", f"{image.frames} frames")
        if image.fixed_table and len(image.fixed_table) != 2 * JOINT_ROWS:
            self._report(0, "size", f"the fixed table has {len(image.fixed_table)} words")
        for name, table, _ in (*sizes[1:], ("Fixed", image.fixed_table, 0)):
            for address, constant in enumerate(table):
                if not 0 <= constant < image.modulus:
                    self._report(0, "value", f"{name}[{address}]")

    def _walk(self, entry: Entry) -> Counts:
        registers = 1 << self.image.register_bits_of(entry)
        if entry.inputs > registers or entry.outputs > isa.LIMITS["outputs"]:
            self._report(entry.pc, "entry", f"{entry.inputs} words in, {entry.outputs} out")
        loaded = {isa.register(isa.BANK_S, index) for index in range(min(entry.inputs, registers))}
        pace = self.image.pace if entry.quick else None
        paced = self.image.paced
        walk = _Walk(entry, entry.pc, loaded, registers,
                     Hazards(self.timing, set(loaded), pace, paced),
                     Stack(self.image.frames), Issue() if paced else None)
        walk.pair = pace.turns if pace else 1
        running = True
        while running:
            if walk.pc >= len(self.instructions):
                rule = "entry" if walk.pc == entry.pc else "control"
                self._report(walk.pc, rule, "no such instruction")
                break
            if walk.counts.turns == MAX_TURNS:
                self._report(walk.pc, "size", f"{entry.name} has more than {MAX_TURNS} turns")
                self.hidden = set(range(len(self.instructions)))
                break
            fields = self.instructions[walk.pc]
            if walk.pace and not self._take(walk, walk.pace, fields):
                self.hidden = set(range(len(self.instructions)))
                break
            self._turn(walk, fields)
            last = self._second(walk, fields) if walk.pair > 1 else fields
            running = self._step(walk, fields)
            if not running and fields["control"] != isa.HALT:
                self.hidden = set(range(len(self.instructions)))
            self._next_turn(walk, last)
        self.longest[entry.name] = walk.counts
        return walk.first_halt or walk.counts

    def _turn(self, walk: _Walk, fields: Instruction) -> None:
        """The slots of a turn."""
        self.reached.add(walk.pc)
        walk.counts.turns += 1
        if fields["halt_unless_zero"]:
            self._check_flag(walk)
        self._check_multiply(walk, fields)
        self._check_add(walk, fields)
        self._write(walk, fields)

    def _second(self, walk: _Walk, first: Instruction) -> Instruction:
        """The second turn of a pair, before the control of the first one acts. A halt's is empty:
        it is not followed. Returns the last turn's instruction."""
        if walk.pc + 1 >= len(self.instructions):
            self._report(walk.pc, "control", "no second turn of a pair")
            return first
        fields = self.instructions[walk.pc + 1]
        if fields["control"] != isa.NEXT or fields["jump"] or fields["halt_unless_zero"]:
            self._report(walk.pc + 1, "pace", "a control in the second turn of a pair")
        if first["control"] == isa.HALT:
            self.reached.add(walk.pc + 1)
            if fields["mul_en"] or fields["add_en"]:
                self._report(walk.pc + 1, "pace", "an operation after a halt")
            return first
        self._next_turn(walk, first)
        walk.pc += 1
        self._turn(walk, fields)
        return fields

    def _take(self, walk: _Walk, issue: Issue, fields: Instruction) -> bool:
        """Returns False if the path cannot be followed."""
        try:
            issue.take(fields)
        except PaceError as wrong:
            self._report(walk.pc, "pace", str(wrong))
            return False
        return True

    def _next_turn(self, walk: _Walk, fields: Instruction) -> None:
        if walk.pace is None:
            walk.product_before = walk.pair > 1 and bool(fields["mul_en"])
            walk.hazards.next_turn()
            return
        before = walk.pace.clock
        walk.pace.next_turn()
        walk.product_before = bool(fields["mul_en"]) and walk.pace.number > 0
        walk.hazards.next_turn(walk.pace.clock - before)

    def _check_multiply(self, walk: _Walk, fields: Instruction) -> None:
        if not fields["mul_en"]:
            if fields["mul_emit"] or fields["mul_write"] or fields["lookup"]:
                self._report(walk.pc, "product", "emitted in a turn without a product")
            return
        walk.counts.products += 1
        self._read(walk, fields["mul_a"], "multiply_read")
        if fields["lookup"]:
            self._check_lookup(walk, fields)
        elif fields["mul_b_is_const"]:
            self._constant(walk, "MulConst", walk.mul_base + fields["mul_const"])
        else:
            self._read(walk, fields["mul_b"], "multiply_read")
        if bool(walk.open_products) != bool(fields["mul_acc"]):
            detail = "no sum is open" if fields["mul_acc"] else "the open sum is lost"
            self._report(walk.pc, "accumulator", detail)
        if fields["mul_acc"] and not walk.product_before:
            self._prove(walk, ACCUMULATOR, walk.hazards.read(ACCUMULATOR, "accumulator_read"))
        walk.open_products = walk.open_products + 1 if fields["mul_acc"] else 1
        if walk.open_products > isa.LIMITS["max_products_per_sum"]:
            self._report(walk.pc, "accumulator", "too many products in a sum")
        if fields["mul_emit"]:
            walk.counts.reductions += 1 - fields["mul_high"]
            walk.open_products = 0
        elif fields["mul_write"] or fields["mul_high"]:
            self._report(walk.pc, "product", "written but not emitted")

    def _check_flag(self, walk: _Walk) -> None:
        self._prove(walk, FLAG, walk.hazards.read(FLAG, "flag_read"))
        if FLAG not in walk.kept:
            self._report(walk.pc, "flag", "read before it is written")

    def _check_lookup(self, walk: _Walk, fields: Instruction) -> None:
        """Every place that a lookup may read."""
        kind, words = fields["lookup"], [fields["table_word"]]
        scalars: tuple[int, ...] = ()
        if kind == isa.LOOKUP_DIGIT:
            scalars = (fields["digit_scalar"],)
            if words[0] % ROWS:
                self._report(walk.pc, "lookup", f"rows begin at {words[0]}")
            words = [words[0] + row for row in range(ROWS)]
        elif kind == isa.LOOKUP_FIXED:
            scalars = JOINT_SCALARS
            if words[0] > 1 or not self.image.fixed_table:
                self._report(walk.pc, "lookup", f"the fixed table has no word {words[0]}")
            words = []
        number = (fields["digit"] + walk.digit_base) % DIGIT_MODULUS
        if scalars and number >= WINDOWS:
            self._report(walk.pc, "lookup", f"no window {number}")
        for names, access in (((_scalar(index) for index in scalars), "scalar_read"),
                              ((_word(word) for word in words), "table_read")):
            for name in names:
                self._prove(walk, name, walk.hazards.read(name, access))
                if name not in walk.kept:
                    self._report(walk.pc, "lookup", f"{name} is not written")

    def _check_add(self, walk: _Walk, fields: Instruction) -> None:
        signed = fields["sign_op0"]
        if signed and not (fields["lookup"] in (isa.LOOKUP_DIGIT, isa.LOOKUP_FIXED)
                           and fields["op0_is_product"] and fields["add_en"]):
            self._report(walk.pc, "sign", "no digit, or no product to sign")
        if not fields["add_en"]:
            if any(fields[name] for name in ("add_write", "out_en", "table_write", "scalar_write",
                                             "flag_write")):
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
        if index >= walk.registers:
            self._report(walk.pc, "register", name)
        elif operand not in walk.written:
            self._report(walk.pc, "uninitialized", name)

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
            if enable and index >= walk.registers:
                self._report(walk.pc, "register", name)
            elif enable:
                walk.written.add(operand)
                self._prove(walk, name, walk.hazards.write(operand, kind))
        if fields["mul_en"]:
            self._prove(walk, ACCUMULATOR, walk.hazards.write(ACCUMULATOR, "accumulator_write"))
        if fields["out_en"]:
            name = _output(fields["out_index"])
            self._prove(walk, name, walk.hazards.write(name, "sum_write"))
        for enable, name in ((fields["table_write"], _word(fields["table_dst"])),
                             (fields["scalar_write"], _scalar(fields["scalar_dst"])),
                             (fields["flag_write"], FLAG)):
            if enable:
                self._prove(walk, name, walk.hazards.write(name, "sum_write"))
                walk.kept.add(name)

    def _step(self, walk: _Walk, fields: Instruction) -> bool:
        """Follows the control operation. Returns False at the end of the path."""
        control, imm = fields["control"], fields["imm"]
        if control == isa.HALT:
            self._check_halt(walk)
            if not fields["halt_unless_zero"]:
                return False
            walk.first_halt = walk.first_halt or replace(walk.counts)
            if walk.pc in walk.halts:
                self._report(walk.pc, "control", "goes on to where it came from")
                return False
            walk.halts.add(walk.pc)
            if walk.entry.quick:
                # The other program's registers are not those that this one has left.
                walk.written.clear()
                walk.pair = 1
            walk.hazards.slow_down()
            walk.pc = imm
            return True
        elif fields["halt_unless_zero"]:
            self._report(walk.pc, "flag", "looked at, but not by a halt")
        if fields["jump"]:
            return self._jump(walk, fields)
        if control == isa.LOOP_BEGIN:
            if imm < 1:
                self._report(walk.pc, "control", "a loop of no iterations")
            if not self._push(walk, walk.count, walk.pc + 1, is_call=False):
                return False
            walk.count = imm
        elif control == isa.LOOP_END:
            frames = walk.stack.frames
            if not frames or frames[-1].is_call or frames[-1].first != imm:
                self._report(walk.pc, "control", f"no loop starts at {imm}")
                return False
            if walk.count > 1:
                walk.count -= 1
                walk.mul_base += fields["mul_stride"]
                walk.add_base += fields["add_stride"]
                walk.digit_base += fields["digit_stride"]
                walk.pc = imm
                return True
            walk.count = _give_back(walk, is_call=False)
        walk.pc += 1
        return True

    def _jump(self, walk: _Walk, fields: Instruction) -> bool:
        """Follows a call or a return. Returns False if the path cannot be followed."""
        imm, jump = fields["imm"], fields["jump"]
        if jump >= len(isa.JUMPS) or fields["control"] != isa.NEXT:
            self._report(walk.pc, "control", "a call or return beside another control")
            return False
        if jump == isa.CALL:
            if imm in walk.stack.calls():
                self._report(walk.pc, "control", f"the subroutine at {imm} calls itself")
                return False
            if not self._push(walk, walk.pc + 1, imm, is_call=True):
                return False
            walk.mul_base = walk.add_base = walk.digit_base = 0
            walk.pc = imm
            return True
        if not walk.stack.frames or not walk.stack.frames[-1].is_call:
            self._report(walk.pc, "control", "a return out of a loop" if walk.stack.calls()
                         else "a return without a call")
            return False
        walk.pc = _give_back(walk, is_call=True)
        return True

    def _push(self, walk: _Walk, value: int, first: int, is_call: bool) -> bool:
        frame = Frame(is_call, value, walk.mul_base, walk.add_base, walk.digit_base, first)
        try:
            walk.stack.push(frame)
        except StackError as too_deep:
            self._report(walk.pc, "frames", str(too_deep))
            return False
        return True

    def _check_halt(self, walk: _Walk) -> None:
        most = self.image.pace.most if walk.entry.quick and self.image.pace else self.image.paced
        if most is not None:
            walk.counts.clocks = most.of(walk.hazards.issue + self.timing.sum_write)
        words = max(entry.inputs for entry in self.image.entries)
        loaded = range(isa.register(isa.BANK_S, 0), isa.register(isa.BANK_S, 0) + words)
        outputs = [_output(index) for index in walk.outputs]
        self._prove(walk, "", walk.hazards.halt(loaded, outputs))
        if walk.stack.frames:
            inside = "a subroutine" if walk.stack.frames[-1].is_call else "a loop"
            self._report(walk.pc, "control", f"halt in {inside}")
        if walk.open_products:
            self._report(walk.pc, "accumulator", "the open sum is lost")
        for index in set(range(walk.entry.outputs)) - walk.outputs:
            self._report(walk.pc, "output", f"output {index} is not written")


def _give_back(walk: _Walk, is_call: bool) -> int:
    """Restores the bases of the last frame; returns its count or address."""
    frame = walk.stack.pop(is_call)
    walk.mul_base, walk.add_base, walk.digit_base = (
        frame.mul_base, frame.add_base, frame.digit_base)
    return frame.value


def _output(index: int) -> str:
    return f"output {index}"


FLAG = "the flag"


def _word(index: int) -> str:
    return f"word {index} of the table"


def _scalar(index: int) -> str:
    return f"scalar {index}"


def violations(image: Image, timing: Timing | None = None) -> list[Violation]:
    """Every violation, in program order."""
    checker = Checker(image, timing)
    checker.run()
    return sorted(checker.found)


def check(image: Image, timing: Timing | None = None) -> dict[str, Counts]:
    """The resources of a job of each program. Raises CheckError if a rule is broken."""
    checker = Checker(image, timing)
    counts = checker.run()
    if checker.found:
        raise CheckError(sorted(checker.found))
    return counts
