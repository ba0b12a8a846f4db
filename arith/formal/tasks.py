# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The runs for a proof: the proof, its cover statements, and each of its mutants."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

from arith.formal.proof import Proof
from arith.formal.sby import Run, Verdict, cover, prove, refute


@dataclass(frozen=True)
class Task:
    """One run, and its expected verdict."""

    what: str
    run: Callable[[], Run]
    wanted: Verdict


def tasks_of(proof: Proof) -> list[Task]:
    """All runs of a proof. A mutant is detected when a trace from the reset breaks a promise."""
    return [
        Task(f"proof, k = {proof.depth}", functools.partial(prove, proof), Verdict.PASS),
        Task("cover", functools.partial(cover, proof), Verdict.PASS),
        *(
            Task(f"mutant: {mutant.what}", functools.partial(refute, proof, mutant), Verdict.FAIL)
            for mutant in proof.mutants
        ),
    ]
