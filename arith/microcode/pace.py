# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The issues of a paced job, each as early as possible."""

from dataclasses import dataclass
from typing import Final

from arith.microcode import isa
from arith.microcode.isa import Instruction

LEAST: Final = isa.PACE_LIMITS["least_wait"]
MOST_TURNS: Final = isa.PACE_LIMITS["most_turns"]
LONGEST: Final = LEAST + isa.PACE_FIELDS["gap"].maximum
ACCUMULATOR_CLOCKS: Final = 4
"""The clocks from a product to one that is added to it, except the next one in the same issue."""
LONG_AGO: Final = -1 << 20


class PaceError(RuntimeError):
    """An issue overlaps the context's last one, or a control operation is within an issue."""


@dataclass
class Issue:
    """The issue of the current turn."""

    clock: int = 0
    """The clock of the turn."""
    number: int = 0
    """The number of the turn within its issue."""
    _turns: int = 1
    _next_clock: int = 0
    _next_turns: int = 1

    def take(self, fields: Instruction) -> None:
        """The turn's instruction. Raises PaceError if it does not fit the issue."""
        if not self.number:
            self._next_clock = self.clock + LEAST + fields["gap"]
            self._next_turns = fields["following"] + 1
            if self._next_clock < self.clock + self._turns:
                raise PaceError("the next issue comes while this one goes on")
        if self._turns > 1 and (fields["control"] != isa.NEXT or fields["jump"]):
            raise PaceError("a control in an issue of several turns")
        if self._next_turns > 1 and (fields["control"] != isa.NEXT or fields["jump"]):
            raise PaceError("several turns behind a control")

    def next_turn(self) -> None:
        """Advances to the next turn."""
        if self.number + 1 < self._turns:
            self.number += 1
            self.clock += 1
            return
        self.clock, self._turns, self.number = self._next_clock, self._next_turns, 0
