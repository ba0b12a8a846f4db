# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What goes wrong when work is spread."""

from __future__ import annotations


class WorkError(RuntimeError):
    """A part of the work failed for good: its label and its worker stand in the message.

    label: which part, e.g. "sector.dat, leaves 0 to 2097152".
    worker: what ran it last: number, machine and process; None where no worker did.
    """

    def __init__(self, label: str, worker: str | None, reason: str) -> None:
        where = f" (on {worker})" if worker else ""
        super().__init__(f"{label}{where}: {reason}")
        self.label = label
        self.worker = worker
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.label, self.worker, self.reason)


class InputError(WorkError, ValueError):
    """The input of a part is not acceptable: another worker would say the same."""


class CapacityError(RuntimeError):
    """No machine that is alive can hold a worker, or all workers have died."""


class SourceChanged(OSError):
    """A file is not the one that the work was planned for: it was written to, cut or replaced."""


class Disagreement(RuntimeError):
    """Two computations of the same content gave different values: a machine computes wrongly."""
