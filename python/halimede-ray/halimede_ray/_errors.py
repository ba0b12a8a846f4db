# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The errors of distributed work."""

from __future__ import annotations


class WorkError(RuntimeError):
    """A part of the work failed permanently. The message has its label and its worker.

    label: the part, e.g. "sector.dat, leaves 0 to 2097152".
    worker: the last worker of the part: number, machine and process; None if no worker ran it.
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
    """The input of a part is invalid; every worker would refuse it."""


class CapacityError(RuntimeError):
    """No machine that is alive can hold a worker, or all workers have died."""


class SourceChanged(OSError):
    """A file was written to, truncated or replaced after the work was planned."""


class Disagreement(RuntimeError):
    """Two computations on the same content had different results: a machine computes wrongly."""
