# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proofs of the CKKS card's control: bursts to its memory, and when instructions begin."""

from __future__ import annotations

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant

PROOFS = [
    Proof(
        name="ckks_burst", top="ckks_burst_proof", design="ckks_burst", depth=2,
        mutants=(
            Mutant("ckks_burst", "a burst does not end at the boundary", (
                ("assign room  = room_t'(MaxBeats) - {1'b0, place_q[RoomBits-2:0]};",
                 "assign room  = room_t'(MaxBeats);"),
            )),
            Mutant("ckks_burst", "a run that fills its last burst goes on", (
                ("left_q <= CountBits'(room)", "left_q < CountBits'(room)"),
            )),
            Mutant("ckks_burst", "the length is not one less", (
                ("8'(beats - 1'b1)", "8'(beats)"),
            )),
            Mutant("ckks_burst", "a run is taken with any burst", (
                ("!valid_q || (moves && ends)", "!valid_q || moves"),
            )),
            Mutant("ckks_burst", "goes on while a burst waits", (
                ("assign moves = valid_q && burst_ready_i;", "assign moves = valid_q;"),
            )),
        ),
    ),
    Proof(
        name="ckks_scoreboard", top="ckks_scoreboard_proof", design="ckks_scoreboard", depth=1,
        cover_depth=24, mutant_depth=24,
        mutants=(
            Mutant("ckks_scoreboard", "a write does not wait for readers", (
                ("readers_q[u]   <= !operand_q.write ? '0",
                 "readers_q[u]   <= operand_q.write ? '0"),
            )),
            Mutant("ckks_scoreboard", "an access does not wait for a writer", (
                ("candidate_q[u] <= (entry.writer != UnitBits'(u)",
                 "candidate_q[u] <= (entry.writer == UnitBits'(u)"),
            )),
            Mutant("ckks_scoreboard", "one done less is enough", (
                ("if (done_q[v] < waits[head_q[PlaceBits-1:0]][v])",
                 "if (done_q[v] + 1'b1 < waits[head_q[PlaceBits-1:0]][v])"),
            )),
        ),
    ),
]
