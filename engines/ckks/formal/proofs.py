# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proofs of the CKKS card: bursts to its memory, when instructions begin, Montgomery steps, and
the exchanges of automorphisms."""

from __future__ import annotations

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant

# Bits of T: of 25 products, and behind the first step (ckks_reduce).
_WIDTHS = (66, 49)


def _step(width: int) -> Proof:
    return Proof(
        name=f"ckks_montgomery_step_{width}", top="ckks_montgomery_step_proof",
        design="ckks_montgomery_step", depth=5, parameters={"Width": width},
        mutants=(
            Mutant("ckks_montgomery_step", "the multiple is added", (
                ("OutWidth'(high) - OutWidth'({1'b0, multiple})",
                 "OutWidth'(high) + OutWidth'({1'b0, multiple})"),
            )),
            Mutant("ckks_montgomery_step", "the high part is one clock late", (
                (".Stages(arith_pkg::TileLatency)", ".Stages(arith_pkg::TileLatency + 1)"),
            )),
        ),
    )


_CARRY = Mutant("ckks_automorphism", "the carry of a row is the one before", (
    ("carry_q     <= lane_t'(place_q >> row_bits);",
     "carry_q     <= lane_t'((place_q - exponent_q) >> row_bits);"),
))


def _automorphism(
    log_lanes: int, log_degree: int, depth: int, mutants: tuple[Mutant, ...]
) -> Proof:
    return Proof(
        name=f"ckks_automorphism_{1 << log_lanes}", top="ckks_automorphism_proof",
        design="ckks_automorphism", depth=depth,
        parameters={"LogLanes": log_lanes, "LogDegree": log_degree},
        cover_depth=24, mutant_depth=24, mutants=mutants, is_long=log_lanes > 2,
    )


PROOFS = [
    *(_step(width) for width in _WIDTHS),
    _automorphism(2, 4, depth=8, mutants=(
        _CARRY,
        Mutant("ckks_automorphism", "groups stand where the fold has not put them", (
            ("carried_q[s ^ (int'(fold_to) & (Groups - 1))]", "carried_q[s]"),
        )),
        Mutant("ckks_automorphism", "a job begins while a row waits", (
            ("assign job_ready_o = !busy_q && moves;", "assign job_ready_o = !busy_q;"),
        )),
        Mutant("ckks_automorphism", "a row is issued while one waits", (
            ("assign issues      = busy_q && setup_q == '0 && moves;",
             "assign issues      = busy_q && setup_q == '0;"),
        )),
    )),
    _automorphism(3, 5, depth=10, mutants=(_CARRY,)),
    Proof(
        name="ckks_burst", top="ckks_burst_proof", design="ckks_burst", depth=2,
        mutants=(
            Mutant("ckks_burst", "a burst does not end at the boundary", (
                ("length_q <= takes_run ? ~run_offset : '1;", "length_q <= '1;"),
            )),
            Mutant("ckks_burst", "a run that fills its last burst goes on", (
                ("((run_near >> OffsetBits) == '0 || run_near == near_t'(MaxBeats))",
                 "(run_near >> OffsetBits) == '0"),
            )),
            Mutant("ckks_burst", "the burst behind goes on where the run ends", (
                (" || reach_q == reach_t'(2 * MaxBeats)", ""),
            )),
            Mutant("ckks_burst", "the length is not one less", (
                ("offset_t'(reach_q)) - 1'b1", "offset_t'(reach_q))"),
            )),
            Mutant("ckks_burst", "a run is taken with any burst", (
                ("assign run_ready_o     = moves && takes_run;", "assign run_ready_o     = moves;"),
            )),
            Mutant("ckks_burst", "goes on while a burst waits", (
                ("assign moves     = !valid_q || burst_ready_i;", "assign moves     = 1'b1;"),
            )),
        ),
    ),
    Proof(
        name="ckks_scoreboard", top="ckks_scoreboard_proof", design="ckks_scoreboard", depth=1,
        is_long=True, cover_depth=24, mutant_depth=24,
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
