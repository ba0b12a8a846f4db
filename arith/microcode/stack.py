# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The frames of a context: the values that open loops and calls restore when they end.

A core has `Frames` of them. The values that an outermost loop restores are known (bases of 0 and an
unused count), so its frame need not be kept: such a loop may be open in addition.
"""

from dataclasses import dataclass, field


class StackError(RuntimeError):
    """An end without a begin, or more open loops and calls than the core has frames."""


@dataclass(frozen=True)
class Frame:
    """The values that an open loop or call has saved."""

    is_call: bool
    value: int
    """The count of the enclosing loop, or the return address of the call."""
    mul_base: int
    add_base: int
    digit_base: int
    first: int = 0
    """The first instruction of the loop's body or of the subroutine."""


@dataclass
class Stack:
    """The frames of one job."""

    limit: int
    frames: list[Frame] = field(default_factory=list)

    def push(self, frame: Frame) -> None:
        """Raises StackError if a core would lose a frame."""
        self.frames.append(frame)
        if len(self.frames) - (not self.frames[0].is_call) > self.limit:
            raise StackError(f"loops and calls inside each other: more than {self.limit} frames")

    def pop(self, is_call: bool) -> Frame:
        """The last frame. Raises StackError if it is not of this kind."""
        if not self.frames or self.frames[-1].is_call != is_call:
            raise StackError("a return without a call" if is_call
                             else "a loop's end without its begin")
        return self.frames.pop()

    def calls(self) -> list[int]:
        """The first instructions of the subroutines that are running."""
        return [frame.first for frame in self.frames if frame.is_call]
