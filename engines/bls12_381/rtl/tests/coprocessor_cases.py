# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random valid and invalid programs for the coprocessor, in the format of the simulator's example
(engines/bls12_381/examples/coprocessor_trace.rs)."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from engines.bls12_381.coprocessor.isa import Instruction, load
from engines.bls12_381.model import pairing as model
from engines.bls12_381.model.tower import P, Fp2, mul2, power2, scale2

ISA = load()
SLOTS = ISA.limits["slots"]
FIRST_RESULT = 96
CHEAP = {
    "COPY_REG": 3, "JUMP": 2, "JUMP_IF_EQ": 3, "JUMP_NONZERO_SUB": 2, "SEND_INTERRUPT": 4,
    "COPY_ELEMENT": 4, "SUB_ELEMENT": 8, "ADD_ELEMENT": 8, "MUL_ELEMENT": 8, "NEG_ELEMENT": 6,
    "SQR_ELEMENT": 6, "EXP_ELEMENT": 2, "FROBENIUS": 3, "IS_EQUAL": 6, "POINT_ADD": 6,
    "POINT_DOUBLE": 5, "CHECK_CURVE": 4,
}
"""Cheap instructions, with their weights."""
MIDDLE = {**CHEAP, "INV_ELEMENT": 2, "POINT_AFFINE": 2, "POINT_MULT": 2, "INV_BATCH": 1}
"""With an inversion in F_p."""
EVERY = {**MIDDLE, "CHECK_SUBGROUP": 1, "MILLER_LOOP": 1, "FINAL_EXP": 1, "ATE_PAIRING": 1,
         "MULTI_MILLER": 1}


def square_root(value: Fp2, degree: int) -> Fp2 | None:
    """Returns a root in F_p or F_p² (p is 3 modulo 4), or None if the value is not a square."""
    if degree == 1:
        root = (pow(value[0], (P + 1) // 4, P), 0)
        return root if mul2(root, root) == value else None
    # Adj and Rodríguez-Henríquez, "Square root computation over even extension fields", 2014.
    a1 = power2(value, (P - 3) // 4)
    x0 = mul2(a1, value)
    alpha = mul2(a1, x0)
    if alpha == (P - 1, 0):
        root = (-x0[1] % P, x0[0])
    else:
        root = mul2(power2(((alpha[0] + 1) % P, alpha[1]), (P - 1) // 2), x0)
    return root if mul2(root, root) == value else None


@lru_cache(maxsize=None)
def points(degree: int) -> tuple[tuple[Fp2, Fp2], ...]:
    """Returns points of a curve: points of the group, and two outside it."""
    generator, b = (model.G1, model.B1) if degree == 1 else (model.G2, model.B2)
    found = []
    for scalar in (1, 2, 3, 5, 77):
        point = model.multiply(generator, scalar)
        assert point is not None
        found += [point, (point[0], scale2(point[1], -1))]
    x = 1
    while len(found) < 12:
        x_of: Fp2 = (x, x - 1 if degree == 2 else 0)
        cube = mul2(x_of, mul2(x_of, x_of))
        root = square_root(((cube[0] + b[0]) % P, (cube[1] + b[1]) % P), degree)
        if root is not None:
            found.append((x_of, root))
        x += 1
    return tuple(found)


@dataclass
class Builder:
    """Builds a context's program, and tracks the contents of its slots as far as possible."""

    rng: random.Random
    weights: dict[str, int]
    spoilt: float
    """The probability of an instruction that is likely to stop the context."""
    loops: bool = False
    """Jumps may go back."""
    strange: bool = True
    """Some elements are 0, some points infinite."""
    elements: list[tuple[int, str]] = field(default_factory=list)
    slots: list[tuple[int, int, str]] = field(default_factory=list)
    instructions: list[str] = field(default_factory=list)

    # ---- Data -----------------------------------------------------------------------------------
    def number(self) -> int:
        edges = (0, 1, 2, P - 1, P - 2, (P - 1) // 2)
        return self.rng.choice(edges) if self.rng.random() < 0.25 else self.rng.randrange(P)

    def scalar(self) -> int:
        sizes = (1, 2, 3, 5, 9) if "MILLER_LOOP" not in self.weights else (1, 3, 9, 64, 256, 381)
        return self.rng.getrandbits(self.rng.choice(sizes))

    def words(self, kind: str) -> list[int]:
        """Returns the words of a random element of a kind."""
        rng, degree = self.rng, 2 if kind.startswith("FP2") else 1
        if kind == "SCALAR":
            return [self.scalar()]
        if not kind.startswith("FP"):
            count, shape = ISA.kinds[kind].slots, rng.random() if self.strange else 1.0
            if shape < 0.1:
                return [0] * count
            return [0 if shape < 0.3 and rng.random() < 0.7 else self.number() for _ in range(count)]
        x, y = rng.choice(points(degree))
        is_infinite = self.strange and rng.random() < 0.15
        parts = [x, y]
        if kind.endswith("JB"):
            z: Fp2 = (rng.randrange(1, P), rng.randrange(P) if degree == 2 else 0)
            if rng.random() < 0.2:
                z = (1, 0)
            z_square = mul2(z, z)
            parts = [mul2(x, z_square), mul2(y, mul2(z, z_square)), z]
            if is_infinite:
                parts = [self._any(degree), self._any(degree), (0, 0)]
        elif is_infinite:
            parts = [(0, 0), (0, 0)]
        return [word for part in parts for word in part[:degree]]

    def _any(self, degree: int) -> Fp2:
        return self.number(), self.number() if degree == 2 else 0

    def place(self, place: int, kind: str, words: Sequence[int]) -> None:
        code = ISA.kinds[kind].code
        self.slots += [(place + k, code, f"{word:x}") for k, word in enumerate(words)]
        self.elements.append((place, kind))

    def fill(self, kinds: Sequence[str]) -> None:
        """Fills slots with consecutive elements; some are equal, and some invalid."""
        place, last = 0, {}
        for kind in kinds:
            words = self.words(kind)
            if kind in last and self.rng.random() < 0.25:
                words = last[kind]
            last[kind] = list(words)
            if kind != "SCALAR" and self.rng.random() < self.spoilt:
                k = self.rng.randrange(len(words))
                words[k] = self.rng.choice((P, (1 << 381) - 1, (words[k] + 1) % P))
            self.place(place, kind, words)
            place += len(words)
        assert place <= FIRST_RESULT, place

    # ---- Instructions ---------------------------------------------------------------------------
    def put(self, name: str, a: int = 0, b: int = 0, c: int = 0) -> None:
        word = bytearray(ISA.encode(name, a, b, c))
        word[7] = self.rng.getrandbits(8)
        self.instructions.append(word.hex())

    def of_kind(self, kind: str) -> int | None:
        found = [place for place, one in self.elements if one == kind]
        return self.rng.choice(found) if found else None

    def target(self, count: int) -> int:
        """Returns a place for a result: mostly away from the data, sometimes on top of them."""
        first = FIRST_RESULT if self.rng.random() < 0.8 else 0
        return self.rng.randrange(first, SLOTS - count + 1)

    def wrote(self, place: int, kind: str) -> None:
        end = place + ISA.kinds[kind].slots
        self.elements = [(at, one) for at, one in self.elements
                         if at + ISA.kinds[one].slots <= place or at >= end]
        self.elements.append((place, kind))

    def add(self, name: str) -> None:
        """Appends an instruction with fitting operands, unless it is to be spoiled."""
        rng, instruction = self.rng, ISA.instructions[name]
        at = len(self.instructions)
        if name == "JUMP":
            self.put(name, min(at + 1 + rng.randrange(2), 511))
        elif name == "JUMP_NONZERO_SUB":
            counter = self.of_kind("SCALAR")
            if counter is not None:
                back = self.loops and rng.random() < 0.5
                self.put(name, max(at - rng.randrange(4), 0) if back else
                         min(at + 1 + rng.randrange(2), 511), counter)
        elif name == "JUMP_IF_EQ":
            self.put(name, min(at + 1 + rng.randrange(2), 511), rng.randrange(SLOTS),
                     rng.randrange(SLOTS))
        elif instruction.takes_any:
            place, kind = rng.choice(self.elements)
            if name == "SEND_INTERRUPT":
                self.put(name, place, rng.getrandbits(16))
            else:
                kind = "FE" if name == "COPY_REG" else kind
                to = self.target(ISA.kinds[kind].slots)
                self.put(name, place, to)
                if name == "COPY_ELEMENT":
                    self.wrote(to, kind)
                else:
                    self.elements = [(p, k) for p, k in self.elements
                                     if not p <= to < p + ISA.kinds[k].slots]
        else:
            self._by_row(instruction)
        if len(self.instructions) > at and rng.random() < self.spoilt:
            self._spoil()

    def _by_row(self, instruction: Instruction) -> None:
        rng = self.rng
        row = rng.choice(instruction.rows)
        numbers, written = [0, 0, 0], None
        for k, (operand, kind) in enumerate(zip(instruction.operands, row)):
            if operand in ("element", "counter", "list", "product"):
                place = self.of_kind(kind)
                if place is None:
                    return
                numbers[k] = place
            elif operand == "pairs":
                pairs = [p for p, one in self.elements if one == "FP_AF"
                         and (p + 2, "FP2_AF") in self.elements]
                if not pairs:
                    return
                numbers[k] = rng.choice(pairs)
            elif operand in ("result", "results"):
                numbers[k] = self.target(ISA.kinds[kind].slots)
                written = numbers[k], kind
            elif operand == "count":
                numbers[k] = 1
            elif operand == "power":
                numbers[k] = rng.randrange(12)
        if instruction.name == "INV_BATCH":
            place, kind = numbers[0], row[0]
            size = ISA.kinds[kind].slots
            while (place + size * numbers[1], kind) in self.elements and numbers[1] < 3:
                numbers[1] += 1
            numbers[2] = rng.choice((self.target(size * numbers[1]), place,
                                     max(place - 1, 0), place + 1))
            written = numbers[2], kind
        self.put(instruction.name, *numbers)
        if written:
            self.wrote(*written)

    def _spoil(self) -> None:
        """Changes the code or an operand of the last instruction."""
        rng = self.rng
        word = bytearray.fromhex(self.instructions.pop())
        place = rng.choice((0, 1, 2, 3, 4, 5, 6))
        if place == 0:
            word[0] = rng.choice((3, 8, 0x1A, 0x2A, 0xFF, rng.getrandbits(8)))
        elif place % 2:
            word[place] = rng.choice((255, 254, 250, word[place] ^ 1 << rng.randrange(8)))
        else:
            word[place] = rng.choice((1, 2, 255))
        self.instructions.append(word.hex())


KINDS = (
    "SCALAR", "SCALAR", "SCALAR", "FE", "FE", "FE", "FE2", "FE2", "FE6", "FE12", "FP_AF", "FP2_AF",
    "FP_AF", "FP_AF", "FP2_AF", "FP_JB", "FP_JB", "FP2_JB", "FP2_JB", "FE12", "SCALAR", "FE",
)


def random_context(rng: random.Random, weights: dict[str, int], length: int,
                   spoilt: float = 0.01) -> dict[str, Any]:
    """A program of about `length` instructions. It starts at a random place, and may have a
    limit."""
    limit = rng.choice((2 * length, 2 * length, 0, length // 2))
    builder = Builder(rng, weights, spoilt, limit != 0)
    builder.fill(KINDS)
    start = rng.choice((0, 0, rng.randrange(20), 512 - length))
    builder.instructions = ["00" * 8] * start
    names, chances = list(weights), list(weights.values())
    while len(builder.instructions) < start + length:
        builder.add(rng.choices(names, chances)[0])
    instructions = builder.instructions
    if start + length == 512:
        instructions = instructions[:512]
    if any(goes_back(place, word) for place, word in enumerate(instructions)):
        limit = limit or 2 * length
    return {"instructions": instructions, "slots": builder.slots, "start": start, "limit": limit}


def goes_back(place: int, word: str) -> bool:
    """Returns True if an instruction may jump to itself or backward: its program then needs a
    limit."""
    jumps = [ISA.instructions[name].code for name in ("JUMP", "JUMP_IF_EQ", "JUMP_NONZERO_SUB")]
    code, target = int(word[:2], 16), int.from_bytes(bytes.fromhex(word[2:6]), "little")
    return code in jumps and target <= place


def random_case(rng: random.Random, contexts: int, weights: dict[str, int], length: int,
                spoilt: float = 0.01) -> dict[str, Any]:
    return {"extension": True, "contexts": [
        random_context(rng, weights, length, spoilt) for _ in range(contexts)]}


# ---- The window -----------------------------------------------------------------------------------
def random_accesses(rng: random.Random, contexts: int, count: int) -> list[list[int]]:
    """Reads and writes of registers, instructions and slots in the windows; some addresses are
    unused. Each context has a limit, so that no loop is endless."""
    window, offsets = ISA.window["bytes"], {one.name: one.offset for one in ISA.registers}
    limit = offsets["instruction_limit"]
    accesses = [[context * window + limit, 20] for context in range(contexts)]
    places, slots = (0, 1, 2, 511, rng.randrange(512)), (0, 1, 2, 255, rng.randrange(SLOTS))

    def instruction(base: int) -> list[list[int]]:
        name = rng.choice(("NOOP_WAIT", "COPY_REG", "JUMP", "JUMP_NONZERO_SUB", "SEND_INTERRUPT",
                           "ADD_ELEMENT", "COPY_ELEMENT", "IS_EQUAL"))
        operands = [rng.choice((*slots, rng.getrandbits(16))) for _ in range(3)]
        word = int.from_bytes(ISA.encode(name, *operands), "little") | rng.getrandbits(8) << 56
        at = base + ISA.window["instructions"] + 8 * rng.choice(places)
        low, high = [at, word & 0xFFFFFFFF], [at + 4, word >> 32]
        return [high] if rng.random() < 0.1 else [low, high]

    def slot(base: int) -> list[list[int]]:
        at = base + ISA.window["data"] + 64 * rng.choice(slots)
        number = rng.choice((0, 1, P, P - 1, rng.getrandbits(381), rng.randrange(P)))
        bits = number | rng.randrange(8) << 381
        words = [[at + 4 * k, bits >> 32 * k & 0xFFFFFFFF] for k in range(12)]
        first = [[at + rng.choice((48, 48, 48, 52)), rng.choice((0, 1, 3))]] if rng.random() < 0.4 else []
        return first + (words[-2:] if rng.random() < 0.2 else words)

    while len(accesses) < count:
        base = rng.randrange(contexts) * window
        what = rng.random()
        if what < 0.25:
            accesses += instruction(base)
        elif what < 0.45:
            accesses += slot(base)
        elif what < 0.6:
            accesses.append([base + offsets["instruction_pointer"],
                             rng.choice((*places, 512, 0xFFFF, 0x10000, rng.getrandbits(32)))])
        elif what < 0.62:
            accesses.append([base + offsets["instruction_offset"], rng.randrange(4)])
        elif what < 0.65:
            accesses.append([base + limit, rng.choice((1, 2, 20))])
        elif what < 0.67:
            accesses.append([rng.choice((base + 0x800, base + 0x6000, contexts * window, 1 << 31)), 1])
        elif what < 0.8:
            offset = rng.choice([one for name, one in offsets.items() if name != "last_clocks"])
            accesses.append([base + offset + rng.choice((0, 0, 1, 3))])
        elif what < 0.9:
            accesses.append([base + ISA.window["data"] + 64 * rng.choice(slots) + 4 * rng.randrange(16)])
        elif what < 0.97:
            accesses.append([base + ISA.window["instructions"] + 8 * rng.choice(places)
                             + 4 * rng.randrange(2)])
        else:
            accesses.append([rng.choice((base + 0x28, base + 0x800, base + 0x6000, base + 0x7FFC,
                                         contexts * window + offsets["capability"], 1 << 31))])
    return accesses
