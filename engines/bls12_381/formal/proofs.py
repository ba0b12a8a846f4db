# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proofs of the streams of BLS12-381's coprocessor."""

from __future__ import annotations

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant

PROOFS = [
    Proof(
        name="bls_window_access", top="bls_window_access_proof", design="bls_window_access", depth=2,
        mutants=(
            Mutant("bls_window_access", "a frame that is too short is done", (
                (" || state_q != Checksum;", ";"),
            )),
            Mutant("bls_window_access", "the next context has a window, too", (
                ("+ 1 > WindowContexts", "> WindowContexts"),
            )),
            Mutant("bls_window_access", "a word is accessed twice", (
                ("Access:      if (bus_done_i) state_q <= ReplyHead;",
                 "Access:      if (bus_done_i) state_q <= bus_value_i[0] ? Branch : ReplyHead;"),
            )),
            Mutant("bls_window_access", "a request is taken within a reply", (
                ("Write, Checksum};", "Write, Checksum, ReplySum};"),
            )),
        ),
    ),
]
