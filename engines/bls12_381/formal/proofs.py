# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proofs of the streams of the BLS12-381 coprocessor."""

from arith.formal.proof import Proof
from arith.simulation.mutate import fault

PROOFS = [
    Proof("bls_window_access", mutants=(
        fault("a frame that is too short is executed", " || state_q != Checksum;", ";"),
        fault("the next context has a window too", "+ 1 > WindowContexts", "> WindowContexts"),
        fault("a word is accessed twice",
              "Access:      if (bus_done_i) state_q <= ReplyHead;",
              "Access:      if (bus_done_i) state_q <= bus_value_i[0] ? Branch : ReplyHead;"),
        fault("a request is taken within a reply", "Write, Checksum};", "Write, Checksum, ReplySum};"),
    )),
    Proof("bls_program_loader", is_long=True, models=("crc32c_beat",), cover_depth=24, mutant_depth=40,
          mutants=(
        fault("a frame with a wrong checksum is started",
              "corrupt_q ? JobCorrupt : wrong_length_q", "wrong_length_q"),
        fault("the length is not checked", "length_q != expected_q;", "1'b0;"),
        fault("the pointer is written regardless of the report",
              "job_status_o == JobOk ? Run : Header", "Run"),
        fault("a frame is taken when no context is free",
              "req_ready_o = free_valid_i;", "req_ready_o = 1'b1;"),
        fault("words go to the next free context",
              "{13'd0, context_q, offset}", "{13'd0, free_context_i, offset}"),
        fault("an instruction is taken with its first word",
              "req_ready_o = high_q && bus_done_i;", "req_ready_o = bus_done_i;"),
        fault("a slot is committed before its extension is there",
              "SlotBeats - 1 ? SlotExtension : SlotHigh", "SlotBeats - 1 ? SlotHigh : SlotHigh"),
        fault("a checksum continues into the next frame", "req_last_i ? '1 : crc;", "crc;"),
    )),
    Proof("bls_program_jobs", is_long=True, models=("memory_parity",), cover_depth=40, mutant_depth=32,
          mutants=(
        fault("a context is offered again in the clock that takes it",
              "free_valid_o <= free != '0 && !take_i;", "free_valid_o <= free != '0;"),
        fault("a context is free before it is parked",
              "if (parked[c]) states_q[c] <= Free;", "if (written[c]) states_q[c] <= Free;"),
        fault("a program that waits is answered before it is parked",
              "end else if (waits[c] || too_long[c]) begin\n              states_q[c] <= Ending;",
              "end else if (waits[c] || too_long[c]) begin\n              states_q[c] <= Replying;"),
        fault("a rejected program has no reply",
              "job_status_i == JobOk ? Running : Replying", "job_status_i == JobOk ? Running : Free"),
        fault("a reply ends with its first beat too",
              "assign answered = reply_state_q == Sum && rpl_valid_o",
              "assign answered = reply_state_q inside {Head, Sum} && rpl_valid_o"),
        fault("the pointer is written twice",
              "if (written[c]) parks_q[c] <= 1'b0;", "if (parked[c]) parks_q[c] <= 1'b0;"),
        fault("a result is sent before it is read",
              "(reply_state_q inside {Data, Sum} && wait_q == 2'd3)",
              "(reply_state_q inside {Data, Sum} && wait_q[1])"),
        fault("a notice loses its second beat", "sends_second_q <= 1'b1;\n", "sends_second_q <= 1'b0;\n"),
        fault("an interrupt of a program is sent as a notice",
              "32'(second_q[55:48]) + 1 <= WindowContexts", "32'(second_q[55:48]) <= WindowContexts"),
    )),
]
