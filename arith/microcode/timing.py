# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The clocks in which field_core reads and writes: the stages of arith/rtl/field_core.sv, for any
latencies.

A clock is counted from the issue of a turn and depends on the latencies of the four pipelines of a
turn: the multiplier, the accumulator, the reduction, and the sum with its reduction. They follow
from the width, the interval, the tiles and the modulus (arith/rtl/arith_pkg.sv); here they are
variables of at least 1, so that the proofs hold for every core. The bench
arith/rtl/tests/test_field_core_timing.py compares the numbers with the RTL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Clock:
    """A number of clocks, plus a multiple of each of the four latencies."""

    fixed: int
    multiply: int = 0
    accumulate: int = 0
    reduce: int = 0
    sum: int = 0

    def __add__(self, other: Clock) -> Clock:
        return Clock(self.fixed + other.fixed, self.multiply + other.multiply,
                     self.accumulate + other.accumulate, self.reduce + other.reduce,
                     self.sum + other.sum)

    def __sub__(self, other: Clock) -> Clock:
        return self + other * -1

    def __mul__(self, turns: int) -> Clock:
        return Clock(self.fixed * turns, self.multiply * turns, self.accumulate * turns,
                     self.reduce * turns, self.sum * turns)

    def at(self, multiply: int, accumulate: int, reduce: int, sum_: int) -> int:
        """The clock of a core with these latencies."""
        return (self.fixed + self.multiply * multiply + self.accumulate * accumulate
                + self.reduce * reduce + self.sum * sum_)

    def is_after(self, other: Clock, most: Latencies | None = None) -> bool:
        """True if this is later than `other` for all latencies from 1 up to `most`.

        The difference is linear in each latency, so its minimum is where each is 1 or maximal,
        depending on the sign of its coefficient. Without a limit no coefficient may be negative.
        """
        apart = self - other
        counts = (apart.multiply, apart.accumulate, apart.reduce, apart.sum)
        if most is None:
            return min(counts) >= 0 and apart.at(1, 1, 1, 1) > 0
        least = (1 if count >= 0 else limit for count, limit in zip(counts, most.clocks()))
        return apart.at(*least) > 0

    def __str__(self) -> str:
        parts = [f"{count}*{name}" if count != 1 else name for name, count in (
            ("multiply", self.multiply), ("accumulate", self.accumulate),
            ("reduce", self.reduce), ("sum", self.sum)) if count]
        return "+".join([*parts, str(self.fixed)])


@dataclass(frozen=True)
class Latencies:
    """Clocks of the multiplier, the accumulator, the reduction and the sum of a core."""

    multiply: int
    accumulate: int
    reduce: int
    sum: int

    def clocks(self) -> tuple[int, int, int, int]:
        return self.multiply, self.accumulate, self.reduce, self.sum

    def of(self, clock: Clock) -> int:
        return clock.at(*self.clocks())


@dataclass(frozen=True)
class Pace:
    """The distances between the turns of a job whose program waits by itself for its results."""

    clocks: int
    """From a turn's issue to the next one's: at least 4, the clocks of fetch and decode, or 2: then
    turns come in pairs, and the control of the first one acts after the second."""
    most: Latencies
    """The largest latencies of a core for which such programs are correct."""
    register_bits: int
    """Log2 of the registers of a bank that such a job has."""

    @property
    def turns(self) -> int:
        """Turns that follow one another without the control of the first one."""
        return 2 if self.clocks == 2 else 1

    def gap(self, timing: Timing, write: str, read: str) -> int:
        """Turns from one that writes to one that may read, by the kinds of access."""
        apart = self.most.of(getattr(timing, write)) + 1 - self.most.of(getattr(timing, read))
        return -(-apart // self.clocks)


@dataclass(frozen=True)
class Timing:
    """Clocks after a turn's issue. A word written in clock t is visible to reads from t + 1 on.

    A read in the clock of the write returns either word, or garbage.
    """

    turn: Clock
    """The earliest issue of the context's next turn."""
    multiply_read: Clock
    """The registers of the multiply slot are addressed."""
    accumulator_read: Clock
    """The first segment. Segment k is read k clocks later, and also written k clocks later."""
    accumulator_write: Clock
    """The first segment."""
    add_read: Clock
    """The registers of the add slot are addressed."""
    product_ready: Clock
    """The only clock in which the reduced product can be used, for chaining or for bank P."""
    chain_take: Clock
    """The add slot uses the turn's product as operand 0."""
    product_write: Clock
    sum_write: Clock
    """Into bank S or the output buffer."""
    send_read: Clock
    """After the issue of a halt: the words of the result are read from the output buffer."""
    first_load: Clock
    """After the issue of a halt: the context's next job may write bank S."""
    load_write: Clock
    """The last word of a job is written, relative to the issue of its first turn."""
    flag_read: Clock
    """The flag of a conditional halt."""
    scalar_read: Clock
    """Both scalars that a digit may need are addressed."""
    table_read: Clock
    """The context's table is addressed."""


TURN: Final = Clock(4)
"""Fetch and decode: the turn appears, and reads for the first time."""
LOOKUP_CLOCKS: Final = 4
"""Clocks from a turn's appearance to the operands' read in a core with lookups: the scalars' read,
the digit, and one more register after the tables, which are large."""


def _stages(operands: Clock) -> Timing:
    """The stages of a core that addresses the registers of the multiply slot in this clock."""
    product = operands + Clock(3, multiply=1)
    reduced = product + Clock(0, accumulate=1, reduce=1)
    write = reduced + Clock(1, sum=1)
    return Timing(
        turn=write - TURN + Clock(1),
        multiply_read=operands,
        accumulator_read=product - Clock(2),
        accumulator_write=product + Clock(1),
        add_read=reduced - Clock(2),
        product_ready=reduced,
        chain_take=reduced,
        product_write=reduced,
        sum_write=write,
        send_read=write + Clock(1),
        first_load=write + Clock(1),
        load_write=Clock(-1),
        flag_read=TURN,
        scalar_read=TURN,
        table_read=operands - Clock(1),
    )


FIELD_CORE: Final = _stages(TURN)
"""The stages that the head of arith/rtl/field_core.sv lists."""
FIELD_CORE_LOOKUPS: Final = _stages(TURN + Clock(LOOKUP_CLOCKS))
