# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proofs of the card's streams."""

from __future__ import annotations

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant

PROOFS = [
    Proof(
        name="frame_router", top="frame_router_proof", design="frame_router", depth=2,
        mutants=(
            Mutant("frame_router", "the rest of a broken-off frame is handed over", (
                ("if (abandon_i && inside_q &&", "if (abandon_i && in_valid_i && inside_q &&"),
            )),
            Mutant("frame_router", "a frame that has not begun is broken off too", (
                ("if (abandon_i && inside_q &&", "if (abandon_i &&"),
            )),
            Mutant("frame_router", "swallowing goes on behind the frame's end", (
                ("if (beat && in_last_i) discard_d = 1'b0;",
                 "if (beat && in_last_i && !abandon_i) discard_d = 1'b0;"),
            )),
        ),
    ),
]
