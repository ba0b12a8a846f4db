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
    Proof(
        name="ignore_reply", top="ignore_reply_proof", design="ignore_reply", depth=2,
        mutants=(
            Mutant("ignore_reply", "a header is taken with the first beat too", (
                ("header_ready_o = second_q && reply_ready_i", "header_ready_o = reply_ready_i"),
            )),
            Mutant("ignore_reply", "a restart goes on with the second beat", (
                ("else if (restart_i) second_q <= 1'b0;", "else if (restart_i) second_q <= 1'b1;"),
            )),
        ),
    ),
    Proof(
        name="axi_lite_slave", top="axi_lite_slave_proof", design="axi_lite_slave", depth=2,
        mutants=(
            Mutant("axi_lite_slave", "a write is begun before the last one's answer is taken", (
                ("s_axil_awvalid && s_axil_wvalid && !bvalid_q",
                 "s_axil_awvalid && s_axil_wvalid"),
            )),
            Mutant("axi_lite_slave", "an answer is withdrawn while the other channel is ready", (
                ("if (s_axil_bready) bvalid_q", "if (s_axil_bready || s_axil_rready) bvalid_q"),
            )),
            Mutant("axi_lite_slave", "the strobes are forgotten", (
                ("s_axil_wdata & strobe", "s_axil_wdata | (strobe & s_axil_wdata)"),
            )),
        ),
    ),
    Proof(
        name="engine_guard", top="engine_guard_proof", design="engine_guard", depth=4,
        mutants=(
            Mutant("engine_guard", "an engine that waits for the rest of a frame times out", (
                ("(engine_idle_i || in_request_q)", "engine_idle_i"),
            )),
            Mutant("engine_guard", "the notice comes within a reply", (
                ("owes_q && !in_reply_q &&", "owes_q &&"),
            )),
            Mutant("engine_guard", "a failed engine gets requests", (
                ("req_valid_i && !failed_q;", "req_valid_i;"),
            )),
            Mutant("engine_guard", "a reply that has broken off is not ended", (
                ("quiet_q == QuietBits'(QuietClocks);", "1'b0;"),
            )),
        ),
    ),
    Proof(
        name="request_queue", top="request_queue_proof", design="request_queue", depth=2,
        mutants=(
            Mutant("request_queue", "a beat that is taken counts though it was not offered", (
                ("out_valid_o && out_ready_i;", "out_ready_i;"),
            )),
            Mutant("request_queue", "a clear leaves the count", (
                ("else if (clear_i) count_q <= '0;", "else if (clear_i) count_q <= count_q;"),
            )),
            Mutant("request_queue", "idle while the last beat waits to be taken", (
                ("idle_o = count_q == '0", "idle_o = count_q <= CountBits'(1)"),
            )),
        ),
    ),
    Proof(
        name="register_file", top="register_file_proof", design="register_file", depth=6,
        is_long=True,
        mutants=(
            Mutant("register_file", "one requester freezes the other's high word", (
                ("high_q[number][i] <= pairs_i", "high_q[0][i] <= pairs_i"),
            )),
            Mutant("register_file", "a write freezes as a read does", (
                ("!found_q.write && found_q.is_low[i]", "found_q.is_low[i]"),
            )),
            Mutant("register_file", "a write to a read-only register is well", (
                ("refused: exists && found_q.write && !found_q.control", "refused: 1'b0"),
            )),
            Mutant("register_file", "any write to control is a soft reset", (
                ("&& found_q.control && found_q.value;", "&& found_q.control;"),
            )),
            Mutant("register_file", "an address in a window is a register of the shell", (
                ("exists = found_q.shell && |{", "exists = |{"),
                ("found_q.write || !found_q.shell ? '0", "found_q.write ? '0"),
            )),
            Mutant("register_file", "an answer goes to whoever asked later", (
                ("answered_q <= found_q.requester;", "answered_q <= requester_q;"),
            )),
            Mutant("register_file", "a low word is the high one", (
                ("value |= pairs_i[i][31:0] &", "value |= pairs_i[i][63:32] &"),
            )),
        ),
    ),
    Proof(
        name="engine_window", top="engine_window_proof", design="engine_window", depth=4,
        is_long=True,
        mutants=(
            Mutant("engine_window", "a written 1 also clears what is raised in that clock", (
                ("pending_q <= (pending_q\n          & ~",
                 "pending_q <= (pending_q | raised)\n          & (~"),
                ("{Interrupts{writes && found_q.is_pending}})) | raised;",
                 "{Interrupts{writes && found_q.is_pending}}));"),
            )),
            Mutant("engine_window", "any write clears interrupts", (
                ("{Interrupts{writes && found_q.is_pending}}", "{Interrupts{writes}}"),
            )),
            Mutant("engine_window", "interrupts are passed on that are not enabled", (
                ("interrupt_o <= (enable_q & pending_q) != '0;", "interrupt_o <= pending_q != '0;"),
            )),
            Mutant("engine_window", "a frame that is not taken counts", (
                ("requests: request_valid_i && request_ready_i && request_last_i,",
                 "requests: request_valid_i && request_last_i,"),
            )),
            Mutant("engine_window", "the watchdog does not see replies", (
                ("(request_valid_i && request_ready_i) || (reply_valid_i && reply_ready_i)\n",
                 "(request_valid_i && request_ready_i)\n"),
            )),
            Mutant("engine_window", "a disabled engine answers", (
                ("assign here = enabled_i && access_valid_i", "assign here = access_valid_i"),
            )),
            Mutant("engine_window", "a counter is written", (
                ("refused: writes && exists && !writable,", "refused: 1'b0,"),
            )),
        ),
    ),
    Proof(
        name="axi4_stream_write", top="axi4_stream_write_proof", design="axi4_stream_write",
        depth=2, is_long=True,
        mutants=(
            Mutant("axi4_stream_write", "bytes of an earlier piece are overwritten", (
                ("overlaps = (mask & s_axi_wstrb) != '0;", "overlaps = &(mask & s_axi_wstrb);"),
            )),
            Mutant("axi4_stream_write", "a line is overwritten while it waits", (
                ("(!burst_q.stream || !full_q || out_ready_i)", "(!burst_q.stream || !full_q || 1)"),
            )),
            Mutant("axi4_stream_write", "a line is lost when the next is whole at once", (
                ("if (completes) full_q <= 1'b1;\n      else if (out_ready_i) full_q <= 1'b0;",
                 "if (full_q && out_ready_i) full_q <= 1'b0;\n"
                 "      else if (completes) full_q <= 1'b1;"),
            )),
            Mutant("axi4_stream_write", "an answer is overwritten while it waits", (
                ("(!s_axi_wlast || answer_free)", "1'b1"),
            )),
            Mutant("axi4_stream_write", "a burst is answered by its last beat alone", (
                (": failed_q || fails ? RespSlaveError", ": fails ? RespSlaveError"),
            )),
            Mutant("axi4_stream_write", "a fixed burst is written", (
                ("shape = s_axi_awburst == BurstIncr &&", "shape = s_axi_awburst != 2'b10 &&"),
            )),
            Mutant("axi4_stream_write", "an address above the windows is one in them", (
                ("outside = s_axi_awaddr[AddressBits-1:WindowBits+2] != '0 ||", "outside ="),
            )),
            Mutant("axi4_stream_write", "the control window waits for the stream", (
                ("(!burst_q.stream || !full_q || out_ready_i)", "(!full_q || out_ready_i)"),
            )),
            Mutant("axi4_stream_write", "an address is taken over the one that waits", (
                ("s_axi_awready = !awaits_valid_q;", "s_axi_awready = !awaits_valid_q || beat;"),
            )),
            Mutant("axi4_stream_write", "half a word takes", (
                ("take_valid_o = beat && burst_q.control && &s_axi_wstrb[3:0]",
                 "take_valid_o = beat && burst_q.control && |s_axi_wstrb[3:0]"),
            )),
        ),
    ),
    Proof(
        name="axi4_stream_read", top="axi4_stream_read_proof", design="axi4_stream_read",
        depth=2,
        mutants=(
            Mutant("axi4_stream_read", "one beat too few", (
                ("ends = fetch_o && burst_q.left == '0", "ends = fetch_o && burst_q.left <= 8'd1"),
            )),
            Mutant("axi4_stream_read", "a beat is fetched over the one that waits", (
                ("burst_valid_q && (!s_axi_rvalid || s_axi_rready)", "burst_valid_q"),
            )),
            Mutant("axi4_stream_read", "a beat that is not ready is handed out", (
                ("ring_q <= burst_q.ring && is_ready;", "ring_q <= burst_q.ring;"),
            )),
            Mutant("axi4_stream_read", "what is ready is counted from the ring's begin", (
                ("place = burst_q.index - first_i;", "place = burst_q.index;"),
            )),
            Mutant("axi4_stream_read", "a wrapping burst is read", (
                ("shape = s_axi_arburst == BurstIncr &&", "shape = s_axi_arburst != 2'b00 &&"),
            )),
            Mutant("axi4_stream_read", "the next burst's id on the last beat", (
                ("s_axi_rid <= burst_q.id;", "s_axi_rid <= starts ? awaits_q.id : burst_q.id;"),
            )),
            Mutant("axi4_stream_read", "a status that changes while it waits", (
                ("(8 * BeatBytes)'(status_q)", "(8 * BeatBytes)'(status_i)"),
            )),
        ),
    ),
    Proof(
        name="stream_ring", top="stream_ring_proof", design="stream_ring", depth=2,
        mutants=(
            Mutant("stream_ring", "takes one beat more than there are places", (
                ("in_ready_o = !count_q[IndexBits]",
                 "in_ready_o = !count_q[IndexBits] || take_i != '0"),
            )),
            Mutant("stream_ring", "a take moves by one beat", (
                ("first_q + take_i[IndexBits-1:0]", "first_q + IndexBits'(take_i != '0)"),
            )),
            Mutant("stream_ring", "a beat that comes with a take is not counted", (
                ("count_q + (IndexBits + 1)'(comes) - take_i",
                 "count_q + (IndexBits + 1)'(comes && take_i == '0) - take_i"),
            )),
        ),
    ),
    Proof(
        name="interrupt_pulse", top="interrupt_pulse_proof", design="interrupt_pulse", depth=3,
        mutants=(
            Mutant("interrupt_pulse", "a second pulse before the acknowledgement", (
                ("asks = wants_q && !busy_q;", "asks = wants_q;"),
            )),
            Mutant("interrupt_pulse", "a rise with a pulse under way is forgotten", (
                ("if (level_i && !level_q) wants_q", "if (level_i && !level_q && !busy_q) wants_q"),
            )),
            Mutant("interrupt_pulse", "a level is asked for again and again", (
                ("if (level_i && !level_q) wants_q", "if (level_i) wants_q"),
            )),
        ),
    ),
    Proof(
        name="engine_copies_ordered", top="engine_copies_proof", design="engine_copies", depth=2,
        mutants=(
            Mutant("engine_copies", "a request's beats go to the copy whose turn is next", (
                ("target = inside_q ? target_q : choice_q;", "target = choice_q;"),
                ("else if (comes && req_last_i) choice_q", "else if (comes) choice_q"),
            )),
            Mutant("engine_copies", "a reply from before a soft reset counts as a turn", (
                ("else if (reply_ends[grant] && !stale_q[grant]) turn_q",
                 "else if (reply_ends[grant]) turn_q"),
            )),
            Mutant("engine_copies", "a reply from before a soft reset waits for its turn", (
                ("locked_q ? grant_q : stale_q != '0 ? stale : turn_q",
                 "locked_q ? grant_q : turn_q"),
            )),
            Mutant("engine_copies", "another copy's frame is offered in its place", (
                ("locked_q <= !(rpl_ready_i && rpl_last_o);", "locked_q <= 1'b0;"),
            )),
            Mutant("engine_copies", "a request is taken in a soft reset", (
                ("slice_ready[target] && !soft_reset_i", "slice_ready[target]"),
            )),
            Mutant("engine_copies", "errors of one clock are one error", (
                ("errors += PulseBits'(copy_error_i[i])", "errors |= PulseBits'(copy_error_i[i])"),
            )),
        ),
    ),
    Proof(
        name="engine_copies", top="engine_copies_proof", design="engine_copies", depth=2,
        parameters={"Ordered": 0},
        mutants=(
            Mutant("engine_copies", "the choice changes within a frame", (
                ("target = inside_q ? target_q : choice_q;", "target = choice_q;"),
            )),
            Mutant("engine_copies", "a soft reset breaks off a reply", (
                (".clk_i, .rst_ni, .clear_i(1'b0),  // frames", ".clk_i, .rst_ni, "
                 ".clear_i(soft_reset_i),  // frames"),
            )),
        ),
    ),
]
