# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Instruction-set simulator: executes encoded words as field_core does, one job at a time.

Registers hold what the hardware's registers hold (residues in Montgomery form, in [0, Modulus)).
What hardware would leave undefined (a register never written, a product never emitted, an
accumulator never set) stops the simulation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Sequence

from arith.microcode import isa
from arith.microcode.image import MONTGOMERY_BITS, Counts, Entry, Image
from arith.microcode.isa import Instruction
from arith.microcode.lookup import Lookups, MissingWord

DIGIT_BITS = 64
FOLDS = 2


class SimulationError(RuntimeError):
    """The program does something that the hardware does not define."""


def montgomery_reduce(value: int, modulus: int, width: int = MONTGOMERY_BITS) -> int:
    """value * 2^-width mod modulus, in [0, modulus): rounds of 64 bits, then a final reduction.

    Any value below 2^4 * modulus^2 leaves the rounds below (2^4 + 1) * modulus.
    """
    mask = (1 << DIGIT_BITS) - 1
    minus_inverse = -pow(modulus, -1, 1 << DIGIT_BITS) & mask
    for _ in range(width // DIGIT_BITS):
        quotient = (value & mask) * minus_inverse & mask
        value = (value + quotient * modulus) >> DIGIT_BITS
    return value % modulus


def fold_reduce(value: int, modulus: int, width: int = MONTGOMERY_BITS) -> int:
    """value mod modulus, in [0, modulus): high half times 2^width mod modulus, twice.

    With that number below 2^34, any value below 2^4 * modulus^2 leaves the folds below 2 * modulus.
    """
    complement = (1 << width) - modulus
    for _ in range(FOLDS):
        value = (value & (1 << width) - 1) + (value >> width) * complement
    assert value < 2 * modulus, "a modulus that does not fold"
    return value - modulus if value >= modulus else value


@dataclass
class _Context:
    lookups: Lookups
    registers: dict[int, int] = field(default_factory=dict)
    outputs: dict[int, int] = field(default_factory=dict)
    accumulator: int | None = None
    pc: int = 0
    count: int = 0
    mul_base: int = 0
    add_base: int = 0


def path(image: Image, entry: Entry) -> Iterator[Instruction]:
    """The instructions of a job in the order of its turns, up to the first halt."""
    context, instructions = _Context(Lookups([]), pc=entry.pc), list(image.decoded())
    running = True
    while running:
        fields = instructions[context.pc]
        yield fields
        running = _step(context, fields)


class Simulator:
    """Runs the programs of one image."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.instructions = list(image.decoded())
        self._reduce = fold_reduce if image.folds else montgomery_reduce

    def run(self, entry: Entry, inputs: Sequence[int]) -> tuple[list[int], Counts]:
        """The words of the result, and what the job used."""
        if len(inputs) != entry.inputs:
            raise SimulationError(f"{len(inputs)} words, the job has {entry.inputs}")
        context = _Context(Lookups(self.image.fixed_table), pc=entry.pc)
        for index, word in enumerate(inputs):
            context.registers[isa.register(isa.BANK_S, index)] = word
        counts = Counts()
        running = True
        while running:
            if not 0 <= context.pc < len(self.instructions):
                raise SimulationError(f"no instruction at {context.pc}")
            try:
                running = self._turn(context, self.instructions[context.pc], counts)
            except MissingWord as missing_word:
                raise SimulationError(str(missing_word)) from missing_word
        missing = [index for index in range(entry.outputs) if index not in context.outputs]
        if missing:
            raise SimulationError(f"output {missing[0]} was not written")
        return [context.outputs[index] for index in range(entry.outputs)], counts

    def _turn(self, context: _Context, fields: Instruction, counts: Counts) -> bool:
        """One instruction; false when the job is done."""
        counts.turns += 1
        product = self._multiply(context, fields, counts) if fields["mul_en"] else None
        total = self._add(context, fields, product, counts) if fields["add_en"] else None
        if fields["mul_write"]:
            context.registers[isa.register(isa.BANK_P, fields["mul_dst"])] = _defined(product)
        if fields["add_write"]:
            context.registers[isa.register(isa.BANK_S, fields["add_dst"])] = _defined(total)
        if fields["out_en"]:
            context.outputs[fields["out_index"]] = _defined(total)
        if fields["table_write"] or fields["scalar_write"] or fields["flag_write"]:
            context.lookups.write(fields, _defined(total))
        return _step(context, fields)

    def _multiply(self, context: _Context, fields: Instruction, counts: Counts) -> int | None:
        counts.products += 1
        a = _register(context, fields["mul_a"])
        if fields["lookup"]:
            b = context.lookups.operand(fields)
        elif fields["mul_b_is_const"]:
            b = _constant(self.image.mul_constants, context.mul_base + fields["mul_const"])
        else:
            b = _register(context, fields["mul_b"])
        context.accumulator = a * b + (_defined(context.accumulator) if fields["mul_acc"] else 0)
        if not fields["mul_emit"]:
            return None
        if fields["mul_high"]:
            high = context.accumulator >> self.image.width
            if high >= self.image.modulus:
                raise SimulationError("a high half that is not below the modulus")
            return high
        counts.reductions += 1
        limit = self.image.modulus**2 << isa.LIMITS["accumulator_extra_bits"]
        if context.accumulator >= limit:
            raise SimulationError("the accumulator exceeds what the reduction takes")
        return self._reduce(context.accumulator, self.image.modulus, self.image.width)

    def _add(self, context: _Context, fields: Instruction, product: int | None, counts: Counts
             ) -> int:
        counts.sums += 1
        total = 0
        digit = context.lookups.digit(fields) if fields["sign_op0"] else None
        if fields["add_const_en"]:
            total = _constant(self.image.add_constants, context.add_base + fields["add_const"])
        for slot in range(3):
            coefficient = fields[f"coef{slot}"]
            if not coefficient:
                continue
            from_product = slot == 0 and fields["op0_is_product"]
            if slot == 0 and digit is not None and digit.negative:
                coefficient = -coefficient
            value = _defined(product) if from_product else _register(context, fields[f"op{slot}"])
            total += coefficient * value
        return total % self.image.modulus


def _step(context: _Context, fields: Instruction) -> bool:
    control = fields["control"]
    if control == isa.HALT and not (fields["halt_unless_zero"] and context.lookups.flag):
        return False
    if control == isa.LOOP_BEGIN:
        context.count = fields["imm"]
    if control == isa.LOOP_END and context.count > 1:
        context.count -= 1
        context.mul_base += fields["mul_stride"]
        context.add_base += fields["add_stride"]
        context.lookups.digit_base += fields["digit_stride"]
        context.pc = fields["imm"]
        return True
    if control == isa.LOOP_END:
        context.mul_base = context.add_base = context.lookups.digit_base = 0
    context.pc += 1
    return True


def _defined(value: int | None) -> int:
    if value is None:
        raise SimulationError("a product, sum or accumulator that was not computed")
    return value


def _register(context: _Context, operand: int) -> int:
    if operand not in context.registers:
        bank, index = isa.bank_and_index(operand)
        raise SimulationError(f"register {'PS'[bank]}[{index}] read before it is written")
    return context.registers[operand]


def _constant(table: list[int], address: int) -> int:
    if address >= len(table):
        raise SimulationError(f"no constant at {address}, the table has {len(table)}")
    return table[address]
