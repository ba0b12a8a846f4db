# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proof of the dispatcher that distributes jobs to Poseidon's cores."""

from arith.formal.proof import Proof
from arith.simulation.mutate import fault

PROOFS = [
    Proof("poseidon_dispatcher", mutants=(
        fault("the core is chosen again for each word",
              "core       = inside_q ? core_q : choice", "core       = choice"),
        fault("the first ready core is always chosen",
              "IndexBits'(i - 1) > core_q", "IndexBits'(i - 1) > IndexBits'(Cores)"),
    )),
]
