# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random programs with nested loops and calls, and their results in plain integers.

One random text is read twice: by a `Program`, which builds it, and by an `Evaluator`, which
computes its meaning with integers. The two readers share no code.
"""

import random
from dataclasses import dataclass
from typing import Any, Callable, Sequence

from arith.microcode.program import Program

MODULUS = 2**251 + 17 * 2**192 + 1
SCALE = pow(2, -256, MODULUS)
"""The field value of a job's word 1: words are read as Montgomery forms."""
LOOPS, CALLS = 3, 3
"""The maximum nesting."""
FRAMES = LOOPS + CALLS - 1
OUTPUTS = 3


class Evaluator:
    """A program's meaning: values are integers mod MODULUS, loops are loops, calls are calls."""

    def __init__(self) -> None:
        self.outputs: dict[int, int] = {}
        self._iterations: list[int] = []

    def _constant(self, constant: Any) -> int:
        depth, outermost = 0, constant
        while not isinstance(outermost, int):
            depth, outermost = depth + 1, outermost[0]
        for iteration in self._iterations[len(self._iterations) - depth:]:
            constant = constant[iteration]
        return int(constant)

    def products(self, factors: Sequence[tuple[int, Any]]) -> int:
        return sum(a * self._constant(b) for a, b in factors) % MODULUS

    def linear(self, terms: Sequence[tuple[int, int]], constant: Any = 0,
               output: int | None = None) -> int:
        total = (sum(c * value for c, value in terms) + self._constant(constant)) % MODULUS
        if output is not None:
            self.outputs[output] = total
        return total

    def loop(self, count: int, initial: Sequence[int],
             body: Callable[[list[int]], Sequence[int]]) -> list[int]:
        values = list(initial)
        for iteration in range(count):
            self._iterations.append(iteration)
            values = list(body(values))
            self._iterations.pop()
        return values

    def subroutine(self, name: str, inputs: int, body: Callable[[list[int]], Sequence[int]]
                   ) -> Callable[[list[int]], Sequence[int]]:
        return body

    def call(self, subroutine: Callable[[list[int]], Sequence[int]], arguments: Sequence[int]
             ) -> list[int]:
        outside, self._iterations = self._iterations, []
        results = list(subroutine(list(arguments)))
        self._iterations = outside
        return results


@dataclass(frozen=True)
class Known:
    """A value of the reader, and whether it is in bank S."""

    value: Any
    in_s: bool


@dataclass(frozen=True)
class Routine:
    """A subroutine of the reader."""

    handle: Any
    inputs: int
    in_s: tuple[bool, ...]
    depth: int
    """The nesting of calls, including this one."""
    loops: int
    """The maximum nesting of loops in this subroutine and those that it calls."""


class Text:
    """Reads a random program, which follows from the seed."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.routines: list[Routine] = []
        self.deepest = 0

    def body(self, seed: str, values: list[Known], counts: tuple[int, ...], loops: int, calls: int,
             length: int) -> tuple[list[Known], bool]:
        """Some operations on these values, with the enclosing loops and the remaining numbers of
        loops and calls. Returns the values after them, and whether a loop or a call is among
        them."""
        rng = random.Random(seed)
        values, structured = list(values), False
        for number in range(rng.randint(1, length)):
            kind = rng.random()
            inner = f"{seed}/{number}"
            if kind < 0.2 and loops:
                values += self._loop(rng, inner, values, counts, loops, calls, length)
                structured = True
            elif kind < 0.45 and self._fitting(loops, calls):
                values += self._call(rng, values, loops, calls)
                structured = True
            elif kind < 0.7:
                values.append(self._product(rng, values, counts))
            else:
                values.append(self._sum(rng, values, counts))
        return values, structured

    def _some(self, rng: random.Random, values: list[Known]) -> Known:
        return rng.choice(values[-5:] if rng.random() < 0.8 else values[:6])

    def _constant(self, rng: random.Random, counts: tuple[int, ...]) -> Any:
        """A value, or one per iteration of the innermost loops."""
        depth = rng.randint(0, len(counts)) if rng.random() < 0.6 else 0

        def part(around: tuple[int, ...]) -> Any:
            if not around:
                return rng.choice((rng.randrange(MODULUS), rng.randrange(4)))
            if rng.random() < 0.2:
                return [part(around[1:])] * around[0]
            return [part(around[1:]) for _ in range(around[0])]

        return part(counts[len(counts) - depth:])

    def _product(self, rng: random.Random, values: list[Known], counts: tuple[int, ...]) -> Known:
        factors = [(self._some(rng, values).value,
                    self._some(rng, values).value if rng.random() < 0.5
                    else self._constant(rng, counts)) for _ in range(rng.randint(1, 3))]
        return Known(self.reader.products(factors), False)

    def _sum(self, rng: random.Random, values: list[Known], counts: tuple[int, ...],
             output: int | None = None) -> Known:
        terms = [(rng.choice((-3, -1, 1, 2, 4)), self._some(rng, values).value)
                 for _ in range(rng.randint(1, 3))]
        constant = self._constant(rng, counts) if rng.random() < 0.5 else 0
        return Known(self.reader.linear(terms, constant, output), True)

    def _loop(self, rng: random.Random, seed: str, values: list[Known], counts: tuple[int, ...],
              loops: int, calls: int, length: int) -> list[Known]:
        count = rng.randint(1, 3)
        banks = [rng.random() < 0.6 for _ in range(rng.randint(1, 3))]
        initial = []
        for in_s in banks:
            value = self._some(rng, values).value
            initial.append(self.reader.linear([(1, value)]) if in_s
                           else self.reader.products([(value, 3)]))

        def body(carried: list[Any]) -> list[Any]:
            known = [Known(value, in_s) for value, in_s in zip(carried, banks)]
            inside, structured = self.body(seed, values[-4:] + known, (*counts, count), loops - 1,
                                           calls, max(1, length - 2))
            rng = random.Random(f"{seed}/results")
            # New values, which wait only for their operands.
            # Their constants are those of this iteration, after all loops and calls in it.
            around = (*counts, count)
            fresh = [self.reader.linear([(2, self._some(rng, inside).value)],
                                        self._constant(rng, around)) for _ in banks]
            results = []
            for in_s, value in zip(banks, fresh):
                others = [other.value for other in inside if other.in_s]
                if not in_s:
                    results.append(self.reader.products([(value, self._constant(rng, around))]))
                elif structured and rng.random() < 0.6 and others:
                    results.append(rng.choice(others))  # Perhaps from outside.
                else:
                    results.append(self.reader.linear([(1, value)]))
            return results

        results = self.reader.loop(count, initial, body)
        return [Known(value, in_s) for value, in_s in zip(results, banks)]

    def _fitting(self, loops: int, calls: int) -> list[Routine]:
        return [routine for routine in self.routines
                if routine.depth <= calls and routine.loops <= loops]

    def _call(self, rng: random.Random, values: list[Known], loops: int, calls: int
              ) -> list[Known]:
        routine = rng.choice(self._fitting(loops, calls))
        arguments = [self._some(rng, values).value for _ in range(routine.inputs)]
        if rng.random() < 0.4:  # One that is made only for the call.
            arguments[0] = self.reader.linear([(3, arguments[0])], 7)
        results = self.reader.call(routine.handle, arguments)
        return [Known(value, in_s) for value, in_s in zip(results, routine.in_s)]

    def routine(self, seed: str, depth: int, loops: int) -> None:
        """One more subroutine, which may call the earlier ones."""
        rng = random.Random(f"{seed}/routine")
        inputs, results = rng.randint(1, 3), rng.randint(1, 3)
        banks = tuple(rng.random() < 0.7 for _ in range(results))

        def body(arguments: list[Any]) -> list[Any]:
            known = [Known(value, True) for value in arguments]
            inside, _ = self.body(seed, known, (), loops, depth - 1, 5)
            chooser = random.Random(f"{seed}/results")
            return [self._of_bank(chooser, inside, in_s) for in_s in banks]

        handle = self.reader.subroutine(seed, inputs, body)
        self.routines.append(Routine(handle, inputs, banks, depth, loops))

    def _of_bank(self, rng: random.Random, inside: list[Known], in_s: bool) -> Any:
        """A value of a bank: an existing one, perhaps an argument, or a new one."""
        there = [known.value for known in inside if known.in_s == in_s]
        if there and rng.random() < 0.5:
            return rng.choice(there)
        value = self._some(rng, inside).value
        return self.reader.linear([(1, value)], 2) if in_s else self.reader.products([(value, 2)])

    def program(self, seed: int, words: Sequence[Any]) -> None:
        """Three subroutines that call each other, and a program that calls them."""
        for number in range(CALLS):
            self.routine(f"{seed}/{number}", number + 1, min(number, LOOPS - 1))
        values, _ = self.body(str(seed), [Known(word, True) for word in words], (), LOOPS, CALLS, 9)
        rng = random.Random(f"{seed}/outputs")
        for output in range(OUTPUTS):
            self._sum(rng, values, (), output)


def build(seed: int, inputs: int) -> Program:
    """The program of a seed."""
    program = Program(f"nested-{seed}", MODULUS)
    Text(program).program(seed, program.inputs(inputs))
    return program


def evaluate(seed: int, words: Sequence[int]) -> list[int]:
    """The results, as field values."""
    evaluator = Evaluator()
    Text(evaluator).program(seed, [word * SCALE % MODULUS for word in words])
    return [evaluator.outputs[output] for output in range(OUTPUTS)]
