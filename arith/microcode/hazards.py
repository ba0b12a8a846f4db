# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proves for one path of a program that each read sees the intended write.

The hardware has no interlocks: a context's next turn is issued at the earliest `Timing.turn` clocks
after the last one, or the clocks of the image's `Pace` in a quick program, or the clocks of its
pace slot, and that must be enough. Three orders are required for every place (a register, the
accumulator, a word of the output buffer):
buffer):

- a read comes after every write of earlier turns and of the job's loading (read after write);
- a write comes after every read of earlier turns and of the same turn (write after read), and the
  next job's loading after all reads of this one;
- a write comes after every write of earlier turns (write after write).

It is enough to check the earliest issues: an access that must come later belongs to the same turn
or to a later one, and a turn that is issued later than possible only increases such distances. The
exceptions are turns of one issue, which are exactly one clock apart; code that relies on that (a
product that is added to the last turn's) is not checked here. Distances depend only on the clocks
between the turns and on the kinds of access, so only the last turn of each kind matters. Latencies
are those of any core, and in a quick program or a paced image those of any core whose latencies are
not larger than the ones that it is built for.
"""

from dataclasses import dataclass
from typing import Iterable, Iterator

from arith.microcode import isa
from arith.microcode.timing import Clock, Latencies, Pace, Timing

Place = int | str
"""A register's operand {bank, index}, or a name."""


@dataclass(frozen=True)
class _Access:
    """The turn of an access, and the clock of its issue."""

    turn: int
    issue: Clock


ACCUMULATOR = "the accumulator"
LOAD = "load_write"


class Hazards:
    """The accesses of one job so far. Kinds of access have the names of the fields of `Timing`."""

    def __init__(self, timing: Timing, loaded: set[int], pace: Pace | None = None,
                 most: Latencies | None = None) -> None:
        self.timing = timing
        self._distance = timing.turn if pace is None else Clock(pace.clocks)
        self._most = pace.most if pace else most
        self._turn = 0
        self.issue = Clock(0)
        self._reads: dict[Place, dict[str, _Access]] = {}
        start = _Access(0, self.issue)
        self._writes: dict[Place, dict[str, _Access]] = {place: {LOAD: start} for place in loaded}
        self._known: dict[tuple[Clock, str, str], bool] = {}

    def next_turn(self, clocks: int | None = None) -> None:
        """Advances to the next turn, this number of clocks later in a paced image."""
        self._turn += 1
        self.issue += self._distance if clocks is None else Clock(clocks)

    def slow_down(self) -> None:
        """From this turn on, the usual distance: each turn after it sees all earlier results."""
        self._distance = self.timing.turn

    def read(self, place: Place, kind: str) -> Iterator[str]:
        """A read in this turn, registered before the turn's writes; yields the violations."""
        yield from self._ordered(place, kind, self._writes, "read", "written")
        self._reads.setdefault(place, {})[kind] = _Access(self._turn, self.issue)

    def write(self, place: Place, kind: str) -> Iterator[str]:
        """A write in this turn, registered after all of the turn's reads."""
        yield from self._ordered(place, kind, self._reads, "written", "read")
        yield from self._ordered(place, kind, self._writes, "written", "written")
        self._writes.setdefault(place, {})[kind] = _Access(self._turn, self.issue)

    def chain(self) -> Iterator[str]:
        """The add slot uses this turn's product."""
        if self.timing.chain_take != self.timing.product_ready:
            yield (f"the product is taken in clock {self.timing.chain_take}, "
                   f"but is there in {self.timing.product_ready}")

    def halt(self, loaded_next: Iterable[int], outputs: Iterable[str]) -> Iterator[str]:
        """This turn is the last: the next job is loaded, and the outputs are sent."""
        for place in loaded_next:
            for earlier, name in ((self._reads, "read"), (self._writes, "written")):
                for failure in self._ordered(place, "first_load", earlier, "loaded again", name):
                    yield f"S[{isa.bank_and_index(place)[1]}] {failure}"
        for output in outputs:
            for failure in self._ordered(output, "send_read", self._writes, "sent", "written"):
                yield f"{output} {failure}"

    def _ordered(self, place: Place, kind: str, earlier: dict[Place, dict[str, _Access]], now: str,
                 before: str) -> Iterator[str]:
        for other, access in earlier.get(place, {}).items():
            distance = self.issue - access.issue
            key = (distance, kind, other)
            clock, first = distance + self._clock(kind), self._clock(other)
            if key not in self._known:
                self._known[key] = clock.is_after(first, self._most)
            if not self._known[key]:
                yield (f"{now} ({kind}) in clock {clock}, {before} ({other}, "
                       f"{self._turn - access.turn} turns before) in {first}")

    def _clock(self, kind: str) -> Clock:
        stage: Clock = getattr(self.timing, kind)
        return stage
