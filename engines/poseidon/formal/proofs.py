# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proof of the dispatcher in front of Poseidon's cores."""

from __future__ import annotations

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant

PROOFS = [
    Proof(
        name="poseidon_dispatcher", top="poseidon_dispatcher_proof", design="poseidon_dispatcher",
        depth=2,
        mutants=(
            Mutant("poseidon_dispatcher", "the core is chosen anew for each word", (
                ("core       = inside_q ? core_q : choice", "core       = choice"),
            )),
            Mutant("poseidon_dispatcher", "the first ready core is always chosen", (
                ("IndexBits'(i - 1) > core_q", "IndexBits'(i - 1) > IndexBits'(Cores)"),
            )),
        ),
    ),
]
