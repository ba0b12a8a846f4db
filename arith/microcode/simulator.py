# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Instruction-set simulator: executes encoded words as field_core does, one job at a time.

A turn of a usual program ends before the next one begins. The turns of a quick program and of a
paced image overlap as in a core with the latencies that the image is built for, with each turn
issued as early as possible: each access happens in its clock, and one that comes too early sees the
old contents. Registers hold the same values as in the hardware (residues in Montgomery form, in [0,
Modulus)). Uses that the hardware leaves undefined (of a register never written, a product never
emitted, an accumulator never set) stop the simulation.
"""

import heapq
from dataclasses import dataclass, field
from functools import partial
from typing import Callable, Iterator, Sequence

from arith.microcode import isa
from arith.microcode.image import MONTGOMERY_BITS, Counts, Entry, Image
from arith.microcode.isa import Instruction
from arith.microcode.lookup import DIGIT_MODULUS, Digit, Lookups, MissingWord
from arith.microcode.pace import ACCUMULATOR_CLOCKS, LONG_AGO, Issue, PaceError
from arith.microcode.stack import Frame, Stack, StackError
from arith.microcode.timing import FIELD_CORE, FIELD_CORE_LOOKUPS, Clock, Latencies

DIGIT_BITS = 64
FOLDS = 2


class SimulationError(RuntimeError):
    """The program does something that is undefined in the hardware."""


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
    digit_base: int = 0
    stack: Stack = field(default_factory=lambda: Stack(0))
    read_now: set[int] = field(default_factory=set)
    """Registers that were read in this clock."""


@dataclass
class _Turn:
    """An instruction with absolute addresses, and the values of its slots."""

    fields: Instruction
    digit: Digit | None = None
    word: int | None = None
    product: int | None = None
    total: int | None = None


def path(image: Image, entry: Entry) -> Iterator[Instruction]:
    """The instructions of a job in the order of its turns, up to the first halt."""
    instructions = list(image.decoded())
    context = _Context(Lookups([]), pc=entry.pc, stack=Stack(image.frames))
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
        self.timing = FIELD_CORE_LOOKUPS if image.lookups else FIELD_CORE
        self._reduce = fold_reduce if image.folds else montgomery_reduce

    def run(self, entry: Entry, inputs: Sequence[int]) -> tuple[list[int], Counts]:
        """The words of the result, and the resources of the job."""
        if len(inputs) != entry.inputs:
            raise SimulationError(f"{len(inputs)} words, the job has {entry.inputs}")
        context = _Context(Lookups(self.image.fixed_table), pc=entry.pc,
                           stack=Stack(self.image.frames))
        for index, word in enumerate(inputs):
            context.registers[isa.register(isa.BANK_S, index)] = word
        counts = Counts()
        try:
            if self.image.paced is not None:
                self._run_paced(context, counts, self.image.paced)
            elif entry.quick:
                self._run_quick(context, counts)
            else:
                self._run_usual(context, counts)
        except (MissingWord, PaceError, StackError) as undefined:
            raise SimulationError(str(undefined)) from undefined
        missing = [index for index in range(entry.outputs) if index not in context.outputs]
        if missing:
            raise SimulationError(f"output {missing[0]} was not written")
        return [context.outputs[index] for index in range(entry.outputs)], counts

    def _run_usual(self, context: _Context, counts: Counts) -> None:
        running = True
        while running:
            turn = self._decode(context, counts)
            for _, _, access in self._accesses(context, turn, counts):
                context.read_now.clear()
                access()
            running = _step(context, self.instructions[context.pc])

    def _run_quick(self, context: _Context, counts: Counts) -> None:
        """Runs turns at the image's pace; after a halt that is not taken, at the usual distance. The
        control of a pair's first turn acts after the second one."""
        pace = self.image.pace
        if pace is None:
            raise SimulationError("a quick program, but the image has no pace")
        distance, usual = pace.clocks, pace.most.of(self.timing.turn)
        decided = pace.most.of(self.timing.flag_read)
        waiting: list[tuple[int, int, int, Callable[[], None]]] = []
        order = 0
        issue, running, pair = 0, True, pace.turns
        while running:
            first = self.instructions[context.pc] if context.pc < len(self.instructions) else {}
            halts = first.get("control") == isa.HALT
            for number in range(1 if halts else pair):
                if number:
                    context.pc += 1
                    issue += distance
                turn = self._decode(context, counts)
                if number and turn.fields["control"] != isa.NEXT:
                    raise SimulationError("a control in the second turn of a pair")
                for clock, writes, access in self._accesses(context, turn, counts):
                    order += 1
                    heapq.heappush(waiting, (issue + pace.most.of(clock), writes, order, access))
                _until(context, waiting, issue + decided - 1)
            if halts:
                distance, pair = usual, 1
            running = _step(context, first)
            issue += distance
        counts.clocks = issue - distance + pace.most.of(self.timing.sum_write)
        _until(context, waiting, counts.clocks)

    def _run_paced(self, context: _Context, counts: Counts, latencies: Latencies) -> None:
        """Runs issues, each as early as the previous one allows."""
        waiting: list[tuple[int, int, int, Callable[[], None]]] = []
        number, running, product = 0, True, LONG_AGO
        issue = Issue()
        while running:
            turn = self._decode(context, counts)
            fields = turn.fields
            issue.take(fields)
            clock = issue.clock
            if fields["mul_en"]:
                apart = clock - product
                if fields["mul_acc"] and apart < ACCUMULATOR_CLOCKS and not (
                        apart == 1 and issue.number):
                    raise SimulationError("the accumulator is read before it is written")
                product = clock
            for after, writes, access in self._accesses(context, turn, counts):
                number += 1
                heapq.heappush(waiting, (clock + latencies.of(after), writes, number, access))
            _until(context, waiting, clock)
            running = _step(context, self.instructions[context.pc])
            issue.next_turn()
        counts.clocks = clock + latencies.of(self.timing.sum_write)
        _until(context, waiting, counts.clocks)

    def _decode(self, context: _Context, counts: Counts) -> _Turn:
        if not 0 <= context.pc < len(self.instructions):
            raise SimulationError(f"no instruction at {context.pc}")
        fields = self.instructions[context.pc]
        counts.turns += 1
        counts.products += fields["mul_en"]
        counts.reductions += fields["mul_en"] and fields["mul_emit"] and not fields["mul_high"]
        counts.sums += fields["add_en"]
        return _Turn(fields | {
            "mul_const": context.mul_base + fields["mul_const"],
            "add_const": context.add_base + fields["add_const"],
            "digit": (context.digit_base + fields["digit"]) % DIGIT_MODULUS,
        })

    def _accesses(self, context: _Context, turn: _Turn, counts: Counts
                  ) -> Iterator[tuple[Clock, int, Callable[[], None]]]:
        """The actions of a turn by clock. Writes are marked by 1: they come after all reads in the
        clock."""
        fields, timing = turn.fields, self.timing
        if fields["mul_en"]:
            if fields["lookup"]:
                yield timing.scalar_read, 0, partial(self._choose, context, turn)
                yield timing.table_read, 0, partial(self._look_up, context, turn)
            yield timing.multiply_read, 0, partial(self._multiply, context, turn)
        if fields["add_en"]:
            yield timing.add_read, 0, partial(self._add, context, turn)
        if fields["mul_write"]:
            yield timing.product_write, 1, partial(self._write_product, context, turn)
        if fields["add_en"]:
            yield timing.sum_write, 1, partial(self._write_sum, context, turn)

    def _choose(self, context: _Context, turn: _Turn) -> None:
        turn.digit = context.lookups.digit(turn.fields)

    def _look_up(self, context: _Context, turn: _Turn) -> None:
        turn.word = context.lookups.operand(turn.fields, turn.digit)

    def _multiply(self, context: _Context, turn: _Turn) -> None:
        fields = turn.fields
        a = _register(context, fields["mul_a"])
        if fields["lookup"]:
            b = _defined(turn.word)
        elif fields["mul_b_is_const"]:
            b = _constant(self.image.mul_constants, fields["mul_const"])
        else:
            b = _register(context, fields["mul_b"])
        context.accumulator = a * b + (_defined(context.accumulator) if fields["mul_acc"] else 0)
        if not fields["mul_emit"]:
            return
        if fields["mul_high"]:
            turn.product = context.accumulator >> self.image.width
            if turn.product >= self.image.modulus:
                raise SimulationError("a high half that is not below the modulus")
            return
        limit = self.image.modulus**2 << isa.LIMITS["accumulator_extra_bits"]
        if context.accumulator >= limit:
            raise SimulationError("the accumulator exceeds what the reduction takes")
        turn.product = self._reduce(context.accumulator, self.image.modulus, self.image.width)

    def _add(self, context: _Context, turn: _Turn) -> None:
        fields, total = turn.fields, 0
        if fields["add_const_en"]:
            total = _constant(self.image.add_constants, fields["add_const"])
        for slot in range(3):
            coefficient = fields[f"coef{slot}"]
            if not coefficient:
                continue
            from_product = slot == 0 and fields["op0_is_product"]
            if slot == 0 and fields["sign_op0"] and turn.digit and turn.digit.negative:
                coefficient = -coefficient
            value = (_defined(turn.product) if from_product
                     else _register(context, fields[f"op{slot}"]))
            total += coefficient * value
        turn.total = total % self.image.modulus

    def _write_product(self, context: _Context, turn: _Turn) -> None:
        operand = isa.register(isa.BANK_P, turn.fields["mul_dst"])
        _write(context, operand, _defined(turn.product))

    def _write_sum(self, context: _Context, turn: _Turn) -> None:
        fields, total = turn.fields, _defined(turn.total)
        if fields["add_write"]:
            _write(context, isa.register(isa.BANK_S, fields["add_dst"]), total)
        if fields["out_en"]:
            context.outputs[fields["out_index"]] = total
        if fields["table_write"] or fields["scalar_write"] or fields["flag_write"]:
            context.lookups.write(fields, total)


def _until(context: _Context, waiting: list[tuple[int, int, int, Callable[[], None]]], last: int
           ) -> None:
    """Performs the waiting actions up to a clock, in the order of the clocks."""
    now = -1
    while waiting and waiting[0][0] <= last:
        clock, _, _, access = heapq.heappop(waiting)
        if clock != now:
            context.read_now.clear()
            now = clock
        access()


def _step(context: _Context, fields: Instruction) -> bool:
    control = fields["control"]
    if control == isa.HALT and not (fields["halt_unless_zero"] and context.lookups.flag):
        return False
    if control == isa.HALT:
        context.pc = fields["imm"]
        return True
    if fields["jump"]:
        _jump(context, fields)
        return True
    if control == isa.LOOP_BEGIN:
        context.stack.push(_frame(context, context.count, is_call=False))
        context.count = fields["imm"]
    if control == isa.LOOP_END and context.count > 1:
        context.count -= 1
        context.mul_base += fields["mul_stride"]
        context.add_base += fields["add_stride"]
        context.digit_base += fields["digit_stride"]
        context.pc = fields["imm"]
        return True
    if control == isa.LOOP_END:
        context.count = _give_back(context, is_call=False)
    context.pc += 1
    return True


def _jump(context: _Context, fields: Instruction) -> None:
    """A call or a return."""
    if fields["jump"] == isa.RETURN:
        context.pc = _give_back(context, is_call=True)
        return
    context.stack.push(_frame(context, context.pc + 1, is_call=True))
    context.mul_base = context.add_base = context.digit_base = 0
    context.pc = fields["imm"]


def _frame(context: _Context, value: int, is_call: bool) -> Frame:
    return Frame(is_call, value, context.mul_base, context.add_base, context.digit_base)


def _give_back(context: _Context, is_call: bool) -> int:
    """Restores the bases of the last frame; returns its count or address."""
    frame = context.stack.pop(is_call)
    context.mul_base, context.add_base, context.digit_base = (
        frame.mul_base, frame.add_base, frame.digit_base)
    return frame.value


def _defined(value: int | None) -> int:
    if value is None:
        raise SimulationError("a product, sum or accumulator that was not computed")
    return value


def _register(context: _Context, operand: int) -> int:
    if operand not in context.registers:
        bank, index = isa.bank_and_index(operand)
        raise SimulationError(f"register {'PS'[bank]}[{index}] read before it is written")
    context.read_now.add(operand)
    return context.registers[operand]


def _write(context: _Context, operand: int, value: int) -> None:
    if operand in context.read_now:
        bank, index = isa.bank_and_index(operand)
        raise SimulationError(f"register {'PS'[bank]}[{index}] read in the clock of its write")
    context.registers[operand] = value


def _constant(table: list[int], address: int) -> int:
    if address >= len(table):
        raise SimulationError(f"no constant at {address}, the table has {len(table)}")
    return table[address]
