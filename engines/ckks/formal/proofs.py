# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proofs of the CKKS card: bursts to its memory, when instructions begin, Montgomery steps, and
the exchanges of automorphisms."""

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant, fault

# Bits of T: of 25 products without a sign, and after the first step (ckks_reduce).
_WIDTHS = (65, 49)


_CARRY = fault("the carry of a row is the one before",
               "carry_q     <= lane_t'(place_q >> row_bits);",
               "carry_q     <= lane_t'((place_q - exponent_q) >> row_bits);")


def _step(width: int) -> Proof:
    return Proof(f"ckks_montgomery_step_{width}", design="ckks_montgomery_step", depth=5,
                 parameters={"Width": width}, mutants=(
        fault("the multiple is subtracted",
              "OutWidth'(high_q) + OutWidth'(multiple_q)", "OutWidth'(high_q) - OutWidth'(multiple_q)"),
        fault("the high part is one bit too low",
              "high_q     <= value_i[Width-1:StepBits];", "high_q     <= value_i[Width-2:StepBits-1];"),
    ))


def _automorphism(log_lanes: int, log_degree: int, depth: int, mutants: tuple[Mutant, ...] = ()) -> Proof:
    return Proof(f"ckks_automorphism_{1 << log_lanes}", design="ckks_automorphism", depth=depth,
                 parameters={"LogLanes": log_lanes, "LogDegree": log_degree},
                 cover_depth=24, mutant_depth=24, mutants=(_CARRY, *mutants), is_long=log_lanes > 2)


PROOFS = [
    *(_step(width) for width in _WIDTHS),
    _automorphism(2, 4, depth=8, mutants=(
        fault("groups are not where the fold puts them",
              "carried_q[s ^ (int'(fold_to) & (Groups - 1))]", "carried_q[s]"),
        fault("a job begins while a row waits",
              "assign job_ready_o = !busy_q && moves;", "assign job_ready_o = !busy_q;"),
        fault("a row is issued while one waits",
              "assign issues      = busy_q && setup_q == '0 && moves;",
              "assign issues      = busy_q && setup_q == '0;"),
    )),
    _automorphism(3, 5, depth=10),
    Proof("ckks_burst", mutants=(
        fault("a burst does not end at the boundary",
              "length_q <= takes_run ? ~run_offset : '1;", "length_q <= '1;"),
        fault("a run that fills its last burst goes on",
              "((run_near >> OffsetBits) == '0 || run_near == near_t'(MaxBeats))",
              "(run_near >> OffsetBits) == '0"),
        fault("the burst behind goes on where the run ends", " || reach_q == reach_t'(2 * MaxBeats)", ""),
        fault("the length is not one less", "offset_t'(reach_q)) - 1'b1", "offset_t'(reach_q))"),
        fault("a run is taken with any burst",
              "assign run_ready_o     = moves && takes_run;", "assign run_ready_o     = moves;"),
        fault("goes on while a burst waits",
              "assign moves     = !valid_q || burst_ready_i;", "assign moves     = 1'b1;"),
    )),
    Proof("ckks_scoreboard", depth=1, is_long=True, cover_depth=24, mutant_depth=24, mutants=(
        fault("a write does not wait for readers",
              "readers_q[u]   <= !operand_q.write ? '0", "readers_q[u]   <= operand_q.write ? '0"),
        fault("an access does not wait for a writer",
              "candidate_q[u] <= (entry.writer != UnitBits'(u)",
              "candidate_q[u] <= (entry.writer == UnitBits'(u)"),
        fault("one done less is enough",
              "if (done_q[v] < waits[head_q[PlaceBits-1:0]][v])",
              "if (done_q[v] + 1'b1 < waits[head_q[PlaceBits-1:0]][v])"),
    )),
]
