# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random field_core programs that use every slot, every control operation and every operand port.

The rules of a program: it reads only registers that it has written or loaded, adds to an
accumulator only after it was set and at most 12 products in all, keeps constant addresses inside
the tables in every iteration of a loop, and writes every word of its result before it halts.
"""

import random

from arith.microcode import isa
from arith.microcode.image import Entry, Image

REG_BITS = 3
CONSTANTS = 48
MAX_PRODUCTS = isa.LIMITS["max_products_per_sum"]


class ProgramWriter:
    """Writes one program. `defined` and `products` are the state before the next instruction."""

    def __init__(self, rng: random.Random, base: int, inputs: int, outputs: int,
                 register_bits: int) -> None:
        self.rng, self.base, self.outputs = rng, base, outputs
        self.registers = 1 << register_bits
        self.code: list[isa.Instruction] = []
        self.defined = [isa.register(isa.BANK_S, index) for index in range(inputs)]
        self.products = 0          # in the accumulator; 0: not set
        self.constant_limit = CONSTANTS

    def _operand(self) -> int:
        return self.rng.choice(self.defined)

    def _multiply(self, word: isa.Instruction) -> None:
        rng = self.rng
        word |= {"mul_en": 1, "mul_a": self._operand()}
        if rng.random() < 0.4:
            word |= {"mul_b_is_const": 1, "mul_const": rng.randrange(self.constant_limit)}
        else:
            word["mul_b"] = self._operand()
        add = 0 < self.products < MAX_PRODUCTS and rng.random() < 0.6
        word["mul_acc"] = int(add)
        self.products = self.products + 1 if add else 1
        if rng.random() < 0.6:
            word["mul_emit"] = 1
            if rng.random() < 0.8:
                word |= {"mul_write": 1, "mul_dst": rng.randrange(self.registers)}

    def _add(self, word: isa.Instruction, out_index: int | None) -> None:
        rng = self.rng
        word["add_en"] = 1
        if word.get("mul_emit") and rng.random() < 0.6:
            word["op0_is_product"] = 1
        else:
            word["op0"] = self._operand()
        word |= {"op1": self._operand(), "op2": self._operand()}
        for name in ("coef0", "coef1", "coef2"):
            word[name] = rng.choice((0, 1, 1, rng.randint(-4, 4)))
        if rng.random() < 0.5:
            word |= {"add_const_en": 1, "add_const": rng.randrange(self.constant_limit)}
        if out_index is not None:
            word |= {"out_en": 1, "out_index": out_index}
        if out_index is None or rng.random() < 0.3:
            word |= {"add_write": 1, "add_dst": rng.randrange(self.registers)}

    def step(self, out_index: int | None = None, **control: int) -> None:
        """One instruction. Registers that it writes can be read from the next one on."""
        word: isa.Instruction = dict(control)
        if self.rng.random() < 0.85:
            self._multiply(word)
        if out_index is not None or self.rng.random() < 0.6:
            self._add(word, out_index)
        self.code.append(word)
        for enable, destination, bank in (
            ("mul_write", "mul_dst", isa.BANK_P), ("add_write", "add_dst", isa.BANK_S),
        ):
            written = isa.register(bank, word.get(destination, 0))
            if word.get(enable) and written not in self.defined:
                self.defined.append(written)

    def loop(self) -> None:
        """A loop. Its first product sets the accumulator, so that all iterations are alike."""
        rng = self.rng
        turns, mul_stride, add_stride = rng.randint(1, 6), rng.randint(0, 3), rng.randint(0, 3)
        self.step(control=isa.LOOP_BEGIN, imm=turns)
        first = self.base + len(self.code)
        self.constant_limit = CONSTANTS - (turns - 1) * max(mul_stride, add_stride)
        self.products = 0
        for _ in range(rng.randint(0, 4)):
            self.step()
        self.step(control=isa.LOOP_END, imm=first, mul_stride=mul_stride, add_stride=add_stride)
        self.constant_limit = CONSTANTS
        self.products = 0

    def finish(self) -> None:
        for index in self.rng.sample(range(self.outputs), self.outputs):
            self.step(out_index=index)
        if self.rng.random() < 0.5:
            self.code[-1]["control"] = isa.HALT
        else:
            self.step(control=isa.HALT)


def random_image(
    modulus: int, rng: random.Random, programs: int = 12, max_outputs: int = 5, width: int = 256,
    register_bits: int = REG_BITS
) -> Image:
    """An image of `programs` random programs."""
    image = Image(modulus, register_bits, width=width)
    for number in range(programs):
        inputs, outputs = rng.randint(1, 1 << REG_BITS), rng.randint(1, max_outputs)
        writer = ProgramWriter(rng, len(image.words), inputs, outputs, register_bits)
        for _ in range(rng.randint(0, 4)):
            for _ in range(rng.randint(0, 5)):
                writer.step()
            if rng.random() < 0.7:
                writer.loop()
        writer.finish()
        image.entries.append(Entry(f"random-{number}", len(image.words), inputs, outputs))
        image.words.extend(isa.encode(instruction) for instruction in writer.code)
    fill_constants(image, rng)
    return image


def fill_constants(image: Image, rng: random.Random) -> None:
    """Gives both tables the number of words that the programs rely on."""
    for table in (image.mul_constants, image.add_constants):
        table.append(image.modulus - 1)
        table.extend(rng.randrange(image.modulus) for _ in range(CONSTANTS - 1))
