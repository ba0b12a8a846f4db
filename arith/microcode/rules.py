# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rules of the checker, by name, and the report of violations."""

from dataclasses import dataclass

RULES = {
    "entry": "a job's words fit bank S and the output buffer; its first instruction exists",
    "size": "program and constant tables are within their address widths, frames and turns within "
            "their limits",
    "value": "constants lie in [0, Modulus)",
    "control": "loops repeat their own body at least once, and end inside what they have begun in; "
               "calls return, and no subroutine calls itself; halts are outside, and go on "
               "elsewhere; the path ends in a halt",
    "frames": "open loops and calls have a frame each, except an outermost loop",
    "unreached": "every instruction is on the path of some program",
    "register": "register indices are within the banks",
    "uninitialized": "a register is written before it is read",
    "constant": "constant addresses are within their tables in every iteration",
    "accumulator": "sums start with mul_acc = 0, end with mul_emit, have at most 12 products",
    "product": "an operation that uses the product is in a turn that emits one",
    "sum": "an operation that uses the sum is in a turn that computes one",
    "coefficient": "coefficients lie in -4..4",
    "output": "exactly the job's outputs are written",
    "lookup": "table words and scalars are written before they are read; windows and rows exist",
    "sign": "a digit's sign goes to the product of the turn that looks the digit up",
    "flag": "a halt looks at a flag that an earlier turn has written",
    "pace": "an issue ends before the context's next one; a turn with a control is an issue by itself, "
            "and so is that behind it; the second turn of a pair has no control, and after a halt "
            "no operation",
    "latency": "each read comes after the writes, and each write after the reads, before it",
}


@dataclass(frozen=True, order=True)
class Violation:
    """A violation of a rule, and its place."""

    pc: int
    rule: str
    detail: str

    def __str__(self) -> str:
        return f"{self.rule} at {self.pc}: {self.detail}"


class CheckError(ValueError):
    """An image that must not be built into a field_core."""

    def __init__(self, violations: list[Violation]) -> None:
        super().__init__("; ".join(map(str, violations)))
        self.violations = violations
