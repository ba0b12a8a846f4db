# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples of arith/microcode/README.md run, with the documented results."""

import re
from typing import Any

from arith.microcode.assemble import assemble
from arith.microcode.checker import check
from arith.microcode.generate import README_FILE
from arith.microcode.image import Image
from arith.microcode.program import Program
from arith.microcode.simulator import Simulator

MODULUS = 2**251 + 17 * 2**192 + 1
SCALE = pow(2, -256, MODULUS)
PARAMETER = 0xD201000000010000


def example(name: str) -> dict[str, Any]:
    """The values of the names in an example's block at its end."""
    blocks = re.findall(r"```python\n(.*?)```", README_FILE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if f'Program("{name}"' in block)
    names: dict[str, Any] = {"Program": Program, "Image": Image, "assemble": assemble,
                             "check": check, "Simulator": Simulator, "modulus": MODULUS}
    exec(block, names)  # noqa: S102 - the project's own text
    return names | {"text": block}


def test_multiply_add() -> None:
    names = example("multiply-add")
    assert [word * SCALE % MODULUS for word in names["outputs"]] == [
        (15 * SCALE**2 + 14 * SCALE) % MODULUS]
    assert names["counts"].turns == 1


def test_power() -> None:
    names = example("power")
    result = real, imaginary = 3 * SCALE % MODULUS, 5 * SCALE % MODULUS
    for bit in f"{PARAMETER:b}"[1:]:
        a, b = result
        result = (a * a - b * b) % MODULUS, 2 * a * b % MODULUS
        if bit == "1":
            a, b = result
            result = (a * real - b * imaginary) % MODULUS, (a * imaginary + b * real) % MODULUS
    assert tuple(word * SCALE % MODULUS for word in names["outputs"]) == result
    said = f"{names['counts'].turns} turns in {len(names['image'].words)} instructions"
    assert said in names["text"]
