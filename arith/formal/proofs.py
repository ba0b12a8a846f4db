# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The proofs of arith's streams, and of parts of field_core."""

from __future__ import annotations

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant

PROOFS = [
    Proof(
        name="stream_skid", top="stream_skid_proof", design="stream_skid", depth=2,
        mutants=(
            Mutant("stream_skid", "the output's beat is overwritten while it waits", (
                ("    if (out_free) out_q <=", "    if (out_free || in_valid_i) out_q <="),
            )),
            Mutant("stream_skid", "ready while the skid register is full", (
                ("in_ready_o  = !skid_valid_q", "in_ready_o  = !skid_valid_q || out_ready_i"),
            )),
        ),
    ),
    Proof(
        name="stream_late_ready", top="stream_late_ready_proof", design="stream_late_ready", depth=2,
        mutants=(
            Mutant("stream_late_ready", "a beat is offered again while it is taken", (
                ("in_valid_i && !taken_q", "in_valid_i"),
            )),
            Mutant("stream_late_ready", "a beat is taken that the output did not take", (
                ("out_valid_o && out_ready_i;", "out_valid_o;"),
            )),
        ),
    ),
    Proof(
        name="memory_parity", top="memory_parity_proof", design="memory_parity", depth=2,
        mutants=(
            Mutant("memory_parity", "the parity of a word is told of the one before", (
                ("if (read_enable_q) stored_q", "if (read_enable_i) stored_q"),
            )),
            Mutant("memory_parity", "what is not checked is told", (
                ("check_q && data_parity", "data_parity"),
            )),
        ),
    ),
    Proof(
        name="memory_parity_at_once", top="memory_parity_proof", design="memory_parity", depth=2,
        parameters={"ReadClocks": 0},
        mutants=(),
    ),
    Proof(
        name="memory_parity_registered", top="memory_parity_proof", design="memory_parity", depth=2,
        is_long=True, parameters={"ReadClocks": 2, "Width": 33, "Depth": 2},
        mutants=(
            Mutant("word_parity", "the last bits of a wide word are left out", (
                ("slice < Slices;", "slice < Slices - 1;"),
            )),
        ),
    ),
    Proof(
        name="stream_fifo", top="stream_fifo_proof", design="stream_fifo", depth=2,
        mutants=(
            Mutant("stream_fifo", "takes one beat more than there are places", (
                ("in_ready_o  = count_q != CountBits'(Depth)",
                 "in_ready_o  = count_q != CountBits'(Depth) || out_ready_i"),
            )),
            Mutant("stream_fifo", "wraps one place too early", (
                ("index == IndexBits'(Depth - 1)", "index == IndexBits'(Depth - 2)"),
            )),
        ),
    ),
    Proof(
        name="stream_fifo_of_one", top="stream_fifo_proof", design="stream_fifo", depth=2,
        parameters={"Depth": 1},
        mutants=(),
    ),
    Proof(
        name="stream_frame_fifo", top="stream_frame_fifo_proof", design="stream_frame_fifo",
        depth=2,
        mutants=(
            Mutant("stream_frame_fifo", "a dropped frame's last beat makes it whole", (
                ("push && in_last_i && !drop_i", "push && in_last_i"),
            )),
            Mutant("stream_frame_fifo", "a flush cuts off the offered frame", (
                ("else if (pop) read_d = read_q + 1'b1;",
                 "else if (flush_i) read_d = frames_end_q; "
                 "else if (pop) read_d = read_q + 1'b1;"),
            )),
            Mutant("stream_frame_fifo", "beats are offered before their frame is whole", (
                ("assign offered_end = frames_end_q", "assign offered_end = write_q"),
            )),
        ),
    ),
    Proof(
        name="stream_frame_fifo_registered", top="stream_frame_fifo_proof",
        design="stream_frame_fifo", depth=2, parameters={"Registered": 1},
        mutants=(
            Mutant("stream_frame_fifo", "a beat is read in the clock in which it is written", (
                ("offered_end_q <= frames_end_q;",
                 "offered_end_q <= push && in_last_i && !drop_i ? write_q + 1'b1 : frames_end_q;"),
            )),
            Mutant("stream_frame_fifo", "a flush lets a frame through that is not offered yet", (
                ("else if (flush_i && !out_valid_o) read_d = frames_end_q;", ""),
            )),
        ),
    ),
    Proof(
        name="answer_guard", top="answer_guard_proof", design="answer_guard", depth=3,
        mutants=(
            Mutant("answer_guard", "a request is taken while the unit is in reset", (
                ("      found_q <= 1'b0;\n", ""),
            )),
            Mutant("answer_guard", "a slot is taken twice", (
                ("found_q <= !taken;", "found_q <= 1'b1;"),
                ("if (taken) slot_q <= slot_q + 1'b1;", ""),
            )),
            Mutant("answer_guard", "an answer that nobody asked for is given", (
                ("is_asked && (draining_q", "(draining_q"),
            )),
            Mutant("answer_guard", "a second answer is given in the clock after the first", (
                ("used_q[out_slot] && !(given_q && given_slot_q == out_slot);",
                 "used_q[out_slot];"),
            )),
            Mutant("answer_guard", "a tick marks what comes in its clock", (
                ("        old_q[slot_q]  <= 1'b0;\n", "        old_q[slot_q]  <= ticks;\n"),
            )),
            Mutant("answer_guard", "the walk passes a request whose answer waits", (
                ("if (!waits) slot_q <= slot_q + 1'b1;", "slot_q <= slot_q + 1'b1;"),
            )),
            Mutant("answer_guard", "the timer runs only with requests", (
                ("else if (!waits && !draining_q) timer_q",
                 "else if (taken && !draining_q) timer_q"),
            )),
            Mutant("answer_guard", "a time-out cuts off an answer that is offered", (
                ("end else if (expired_q && !waits) begin", "end else if (expired_q) begin"),
            )),
        ),
    ),
    Proof(
        name="stream_arbiter", top="stream_arbiter_proof", design="stream_arbiter", depth=2,
        mutants=(
            Mutant("stream_arbiter", "the grant ends with each beat", (
                ("locked_q  <= !(out_ready_i && out_last_o)", "locked_q  <= !out_ready_i"),
            )),
            Mutant("stream_arbiter", "an offer gives way to another input", (
                ("locked_q  <= !(out_ready_i && out_last_o)",
                 "locked_q  <= out_ready_i && !out_last_o"),
            )),
            Mutant("stream_arbiter", "the first input always comes first", (
                ("assign late   = in_valid_i & behind_q;", "assign late   = '0;"),
            )),
        ),
    ),
    Proof(
        name="stream_narrow", top="stream_narrow_proof", design="stream_narrow", depth=2,
        mutants=(
            Mutant("stream_narrow", "what stands behind a frame's end goes out too", (
                ("wide_ends   = out_last_o || place_q ==", "wide_ends   = place_q =="),
            )),
            Mutant("stream_narrow", "a later beat is taken for a header", (
                ("inside_q ? tail_q : place_t'", "place_t'"),
            )),
            Mutant("stream_narrow", "every wide beat ends where the last one does", (
                ("in_last_i && place_q == tail", "place_q == tail"),
            )),
        ),
    ),
    Proof(
        name="stream_widen", top="stream_widen_proof", design="stream_widen", depth=2,
        mutants=(
            Mutant("stream_widen", "the beat before shows behind a frame's end", (
                ("if (place_q == '0) parts_q <= '0;", ""),
            )),
            Mutant("stream_widen", "the next frame begins where the last one ended", (
                ("ends        = in_last_i || place_q ==", "ends        = place_q =="),
            )),
            Mutant("stream_widen", "a beat that waits is overwritten", (
                ("in_ready_o  = !valid_q || out_ready_i", "in_ready_o  = !last_q || out_ready_i"),
            )),
        ),
    ),
    Proof(
        name="stream_async_fifo", top="stream_async_fifo_proof", design="stream_async_fifo",
        depth=3, several_clocks=True, models=("sync_bits",), cover_depth=40, mutant_depth=40,
        mutants=(
            Mutant("stream_async_fifo", "pointers cross as plain numbers", (
                ("return value ^ (value >> 1);", "return value;"),
                ("pointer_t'(3) << (IndexBits - 1)", "pointer_t'(1) << IndexBits"),
            )),
            Mutant("stream_async_fifo", "full is noticed one beat late", (
                ("write_grey_q != (read_seen ^ FullPattern)",
                 "grey(write_q - 1'b1) != (read_seen ^ FullPattern)"),
            )),
        ),
    ),
    Proof(
        name="engine_shell", top="engine_shell_proof", design="engine_shell", depth=2,
        mutants=(
            Mutant("engine_shell", "replies come in during a soft reset's first clock", (
                (".flush_i    (!open)", ".flush_i    (!inner_rst_nq)"),
            )),
            Mutant("engine_shell", "a request passes in the clock behind a soft reset", (
                ("request_valid_o = req_valid_i && open", "request_valid_o = req_valid_i && "
                 "!soft_reset_i"),
            )),
            Mutant("engine_shell", "a soft reset drops the offered reply too", (
                ("    .rst_ni,\n    .flush_i", "    .rst_ni     (inner_rst_nq),\n    .flush_i"),
            )),
            Mutant("engine_shell", "a memory error holds for a clock alone", (
                ("fails          = memory_error_o || failed_q", "fails          = memory_error_o"),
            )),
            Mutant("engine_shell", "idle while a reply is owed that was not begun", (
                ("idle_o = owed_q == '0 &&", "idle_o = owed_q <= 1 &&"),
            )),
            Mutant("engine_shell", "what a soft reset dropped stays owed", (
                ("negedge inner_rst_nq) begin\n    if (!inner_rst_nq) owed_q",
                 "negedge rst_ni) begin\n    if (!rst_ni) owed_q"),
            )),
        ),
    ),
    Proof(
        name="engine_shell_registered", top="engine_shell_proof", design="engine_shell", depth=2,
        parameters={"Registered": 1},
        mutants=(
            Mutant("engine_shell", "idle between a reply's last beat and its offer", (
                ("assign told = whole_q;", "assign told = whole;"),
            )),
        ),
    ),
    Proof(
        name="stream_checksum", top="stream_checksum_proof", design="stream_checksum", depth=2,
        models=("crc32c_beat",),
        mutants=(
            Mutant("stream_checksum", "what is not there goes into the sum", (
                ("if (valid) crc_q <=", "crc_q <="),
            )),
            Mutant("stream_checksum", "a sum goes on into the next frame", (
                ("last ? '1 : crc;", "crc;"),
            )),
            Mutant("stream_checksum", "the last beat is in the sum", (
                ("{32'd0, ~crc_q}", "{32'd0, ~crc}"),
            )),
            Mutant("stream_checksum", "frames without a sum get one", (
                ("last && sums ?", "last ?"),
            )),
        ),
    ),
    Proof(
        name="verdict_reply", top="verdict_reply_proof", design="verdict_reply", depth=2,
        models=("crc32c_beat",),
        mutants=(
            Mutant("verdict_reply", "a verdict goes before a refusal", (
                ("refusal_q <= refusal_valid_i;", "refusal_q <= refusal_valid_i && "
                 "!verdict_valid_i;"),
            )),
            Mutant("verdict_reply", "a verdict is taken together with a refusal", (
                ("verdict_ready_o = ends && !refusal_q", "verdict_ready_o = ends"),
            )),
            Mutant("verdict_reply", "a beat goes by without being taken", (
                ("else if (rpl_ready_i) begin", "else begin"),
            )),
            Mutant("verdict_reply", "a verdict's reply ends with its index", (
                ("verdict_checked_i ? 2'd3 : 2'd2", "2'd1"),
            )),
            Mutant("verdict_reply", "a checked verdict's reply ends without its checksum", (
                ("verdict_checked_i ? 2'd3 : 2'd2", "2'd2"),
            )),
            Mutant("verdict_reply", "a checksum is of what waited for the host as well", (
                ("else if (rpl_ready_i) crc_q <= crc;", "else crc_q <= crc;"),
            )),
            Mutant("verdict_reply", "a checksum begins where the one before has ended", (
                ("if (!offers_q) crc_q <= '1;", "if (!rst_ni) crc_q <= '1;"),
            )),
        ),
    ),
    Proof(
        name="field_core_accumulator", top="field_core_accumulator_proof",
        design="field_core_accumulator", depth=8,
        mutants=(
            Mutant("field_core_accumulator", "a segment's carry is lost", (
                ("assign carry[k+1] = carry_q;", "assign carry[k+1] = 1'b0;"),
            )),
            Mutant("field_core_accumulator", "a segment is read in the clock of the first one", (
                (".read_address_i (context_id[k])", ".read_address_i (context_id[0])"),
            )),
            Mutant("field_core_accumulator", "another turn says whether to add", (
                ("!add[k+2] ? '0", "!add[k+1] ? '0"),
            )),
            Mutant("field_core_accumulator", "a sum is written to the next turn's context", (
                (".write_address_i(context_id[k+3])", ".write_address_i(context_id[k+2])"),
            )),
            Mutant("field_core_accumulator", "what is no turn is written too", (
                (".write_valid_i  (valid[k+3])", ".write_valid_i  (1'b1)"),
            )),
            Mutant("field_core_accumulator", "segments of a value come a clock apart", (
                (".Stages   (Segments - 1 - k)", ".Stages   (0)"),
            )),
        ),
    ),
    Proof(
        name="field_core_accumulator_follows", top="field_core_accumulator_proof",
        design="field_core_accumulator", depth=8, parameters={"Follows": 1},
        mutants=(
            Mutant("field_core_accumulator", "the last turn's sum is read before it is written", (
                ("follows[k+2] ? sum_q : held", "held"),
            )),
            Mutant("field_core_accumulator", "a turn without a product is followed too", (
                ("turn_follows_i && valid[1]", "turn_follows_i"),
            )),
        ),
    ),
    Proof(
        name="skew_scale", top="skew_scale_proof", design="skew_scale", depth=6,
        mutants=(
            Mutant("skew_scale", "what is subtracted is inverted alone", (
                (".CarryIn(Negative ? 1 : 0)", ".CarryIn(0)"),
            )),
            Mutant("skew_scale", "the half with fewer digits does not wait", (
                (".Delay(Wait)", ".Delay(0)"),
            )),
            Mutant("skew_sum", "a segment's carry is lost", (
                ("assign carry_in = gen_segment[k-1].carry_q;", "assign carry_in = '0;"),
            )),
            Mutant("skew_shift", "what moves up a segment does not wait", (
                ("int'(Delay) + to - from;", "int'(Delay);"),
            )),
        ),
    ),
    Proof(
        name="field_core_contexts", top="field_core_contexts_proof", design="field_core", depth=2,
        is_long=True, models=("mul_wide", "montgomery_reduce", "linear_sum", "field_core_registers"),
        cover_depth=56, mutant_depth=56,
        mutants=(
            Mutant("field_core", "a job ends once for each turn that halts or begins a loop", (
                ("last_turn.slots.control == ControlHalt", "last_turn.slots.control != ControlNext"),
            )),
            Mutant("field_core_control", "a halt goes on as well", (
                ("turn_valid_o && !halts", "turn_valid_o"),
            )),
            Mutant("field_core_control", "a start takes the head's turn along", (
                ("take_head     = may_issue && !start_valid_i", "take_head     = may_issue"),
            )),
        ),
    ),
    Proof(
        name="field_core_contexts_frames", top="field_core_contexts_proof", design="field_core",
        depth=2, parameters={"Frames": 2},
        models=("mul_wide", "montgomery_reduce", "linear_sum", "field_core_registers"),
        cover_depth=56, mutant_depth=56,
        mutants=(
            Mutant("field_core_control", "a context changes its number where a frame is kept", (
                ("if (keeps) begin", "if (keeps) begin\n      state_after.context_id = '0;"),
            )),
        ),
    ),
    Proof(
        name="field_core_contexts_paced", top="field_core_contexts_proof", design="field_core",
        depth=2, is_long=True, parameters={"Frames": 2, "Paced": 1},
        models=("mul_wide", "montgomery_reduce", "linear_sum", "field_core_registers"),
        cover_depth=56, mutant_depth=56,
        mutants=(
            Mutant("field_core_paced_queue", "a context that is given out may go on", (
                ("(ready_q[k] && !picked[k])", "ready_q[k]"),
            )),
            Mutant("field_core_control", "a start is lost while an issue goes on", (
                ("!goes_quickly && !goes_on;\n  always_comb", "!goes_quickly;\n  always_comb"),
            )),
        ),
    ),
    Proof(
        name="field_core_contexts_quick", top="field_core_contexts_proof", design="field_core",
        depth=2, is_long=True, parameters={"QuickRegBits": 1},
        models=("mul_wide", "montgomery_reduce", "linear_sum", "field_core_registers"),
        cover_depth=56, mutant_depth=56,
        mutants=(
            Mutant("field_core_control", "a quick turn goes into the queue as well", (
                ("!halts && !goes_quickly", "!halts"),
            )),
            Mutant("field_core_control", "a start is lost where a quick turn goes", (
                ("start_ready_o = may_issue && !goes_quickly", "start_ready_o = may_issue"),
            )),
            Mutant("field_core_loader", "the quick context is given to a job while it has one", (
                ("job_quick_i && quick_i && quick_free_q", "job_quick_i && quick_i"),
            )),
        ),
    ),
    Proof(
        name="stream_stages", top="stream_stages_proof", design="stream_stages", depth=2,
        mutant_depth=24,
        mutants=(
            Mutant("stream_stages", "one credit too many", (
                ("credits_q <= CreditBits'(Depth);\n        valid_q",
                 "credits_q <= CreditBits'(Depth + 3);\n        valid_q"),
            )),
            Mutant("stream_stages", "a credit comes back while its beat waits", (
                ("out_valid_o && out_ready_i})", "out_valid_o})"),
            )),
            Mutant("stream_stages", "a beat comes in while it is cleared", (
                ("credits_q != '0 && !clear_i", "credits_q != '0"),
            )),
            Mutant("stream_stages", "the far end is not cleared", (
                (".clear_i(far_clear_o)", ".clear_i(1'b0)"),
            )),
        ),
    ),
]
