// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_port: verify_equihash and verify_equihash_checked request frames in, reply frames out:
// Equihash with Zcash's personalization, for the parameter sets in the mask Built, and the
// difficulty of its header.
//
//   requests -> equihash_request -+-> stream_fifo -> equihash_indices -+-> equihash_leaves -> _tree
//                                 |                                    |                       |
//                                 +-> equihash_midstate -> _leaves     +-> _duplicates --------+
//                                 |                                                            v
//                                 +-> equihash_difficulty ----------------------> equihash_verdict
//                                 |                                                            v
//                                 +-> refusals -------------------------------------> verdict_reply
//
// The frames' source delivers 8 bytes a beat, zeros after a frame's end, and req_last_i on the beat
// in which its declared length ends. Replies come in the order of the requests, whatever their
// form; a frame that fits no set is answered by fpga_ignore_rpl, also in order.
//
// A checked frame is processed before its checksum is known; its verdict waits for the checksum,
// and a frame whose checksum does not match is answered `corrupt`.
//
// After the request parser, a solution waits only for its turn: the slots limit the number of
// solutions inside, and every verdict has a reserved place. So the engine stalls while its replies
// are not taken, and resumes afterwards.
//
// A word with a flipped bit, in any memory inside, stops all work inside until the soft reset.
// memory_error_o reports it two clocks after it appears, so before an affected reply ends: the last
// beat of a reply comes three clocks after its index has been read, and seven after the last sorted
// index.
//
// soft_reset_i (any number of clocks) drops everything inside, except the reply frame that is being
// offered: engine_shell.
module equihash_port
  import equihash_pkg::*;
#(
  parameter int unsigned Sets     = 1,  // mask of equihash_pkg::SetN and SetK
  parameter int unsigned ShaLanes = 4,
  parameter int unsigned Stages   = 8   // of a round of BLAKE2b: 1, 2, 4 or 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic [0:0]  events_o,       // the manifest's counter: the hash of a leaf begins
  output logic [1:0][31:0] shape_o,
  output logic        error_o,        // pulse: a request is answered with a status other than ok
  output logic        ignored_o,      // pulse: a frame is answered by fpga_ignore_rpl
  output logic        memory_error_o,
  output logic        idle_o          // no request in progress
);
  localparam logic [MostSets-1:0] Built = MostSets'(Sets);

  assign shape_o = {
    32'(Sets),
    8'd0, 8'(Rounds * Stages), 8'(ShaLanes), 8'(Sets)
  };

  function automatic int unsigned widest_chunk();
    widest_chunk = 1;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && collision_bits(s) > widest_chunk) widest_chunk = collision_bits(s);
    end
  endfunction

  // Words of the largest solution, and the depth of their queue: two solutions and the words being
  // output.
  function automatic int unsigned most_words();
    most_words = 1;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && (message_bytes(s) + 7) / 8 - HeaderBytes / 8 > most_words) begin
        most_words = (message_bytes(s) + 7) / 8 - HeaderBytes / 8;
      end
    end
  endfunction

  localparam int unsigned Chunks    = most_levels(Built) + 1;
  localparam int unsigned ChunkBits = widest_chunk();
  localparam int unsigned MostWords = most_words();
  localparam int unsigned WordDepth = 3 * MostWords;
  localparam int unsigned WordCountBits = $clog2(WordDepth + 1);

  // Memory errors of the midstate, the difficulty, the words, the leaves, the duplicates and the
  // verdicts.
  logic [5:0]  errors;
  logic        inner_rst_n, request_valid, request_ready, frame_begins;
  logic        gate_valid, gate_ready, request_last, none_owed;
  logic        reply_valid, reply_ready, reply_last;
  logic [63:0] request_data, reply_data;

  engine_shell #(
    .Depth(16)
  ) u_shell (
    .clk_i,
    .rst_ni,
    .soft_reset_i,
    .req_valid_i,
    .req_ready_o,
    .rpl_valid_o,
    .rpl_ready_i,
    .rpl_data_o,
    .rpl_last_o,
    .idle_o         (none_owed),
    .memory_error_o,
    .inner_rst_no   (inner_rst_n),
    .request_valid_o(gate_valid),
    .request_ready_i(gate_ready),
    .memory_error_i (errors != '0),
    .owed_i         (frame_begins),
    .reply_valid_i  (reply_valid),
    .reply_ready_o  (reply_ready),
    .reply_data_i   (reply_data),
    .reply_last_i   (reply_last)
  );

  // A beat that waits here counts as a request in progress, before its frame is counted.
  stream_skid #(.DataWidth(65)) u_gate (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (gate_valid),
    .in_ready_o (gate_ready),
    .in_data_i  ({req_last_i, req_data_i}),
    .out_valid_o(request_valid),
    .out_ready_i(request_ready),
    .out_data_o ({request_last, request_data})
  );
  assign idle_o = none_owed && !request_valid;

  // ---- Requests ------------------------------------------------------------------------------
  logic        request_free, slot_free, lane_free, midstate_busy;
  logic        message_valid, accept, word_valid, word_first, word_last, begins;
  logic        accept_checked, end_valid, end_corrupt;
  logic [7:0]  message_place;
  logic [63:0] message_word, accept_index;
  set_t        accept_set;
  slot_t       slot, end_slot_q, word_slot;
  logic [31:0] accept_bits;
  logic [95:0] accept_tail;
  logic        refusal_valid, refusal_ready;
  logic [63:0] refusal_header;
  logic [WordCountBits-1:0] words_q;  // in the queue, including its output register

  assign request_free = slot_free && lane_free && !midstate_busy
                        && words_q <= WordCountBits'(WordDepth - MostWords);

  equihash_request #(.Built(Built)) u_request (
    .clk_i,
    .rst_ni          (inner_rst_n),
    .req_valid_i     (request_valid),
    .req_ready_o     (request_ready),
    .req_data_i      (request_data),
    .req_last_i      (request_last),
    .free_i          (request_free),
    .begin_o         (begins),
    .message_valid_o (message_valid),
    .message_place_o (message_place),
    .message_word_o  (message_word),
    .accept_o        (accept),
    .accept_set_o    (accept_set),
    .accept_index_o  (accept_index),
    .accept_bits_o   (accept_bits),
    .accept_tail_o   (accept_tail),
    .accept_checked_o(accept_checked),
    .word_valid_o    (word_valid),
    .word_first_o    (word_first),
    .word_last_o     (word_last),
    .end_valid_o     (end_valid),
    .end_corrupt_o   (end_corrupt),
    .refusal_valid_o (refusal_valid),
    .refusal_ready_i (refusal_ready),
    .refusal_header_o(refusal_header),
    .frame_begins_o  (frame_begins)
  );
  assign ignored_o = refusal_valid && refusal_ready;

  // The slot taken by accept belongs to the frame until its end.
  always_ff @(posedge clk_i) begin
    if (accept) end_slot_q <= slot;
  end
  assign word_slot = accept ? slot : end_slot_q;

  // ---- Header --------------------------------------------------------------------------------
  logic             value_valid;
  slot_t            value_slot;
  logic [7:0][63:0] value;

  equihash_midstate #(
    .Built         (Built),
    .StagesPerRound(Stages)
  ) u_midstate (
    .clk_i,
    .rst_ni       (inner_rst_n),
    .write_valid_i(message_valid && message_place < 8'd16),
    .write_place_i(message_place[3:0]),
    .write_word_i (message_word),
    .start_i      (accept),
    .start_set_i  (accept_set),
    .start_slot_i (slot),
    .busy_o       (midstate_busy),
    .done_o       (value_valid),
    .done_slot_o  (value_slot),
    .done_value_o (value),
    .memory_error_o(errors[0])
  );

  logic  target_valid, target_missed;
  slot_t target_slot;

  equihash_difficulty #(
    .Built(Built),
    .Lanes(ShaLanes)
  ) u_difficulty (
    .clk_i,
    .rst_ni          (inner_rst_n),
    .free_o          (lane_free),
    .begin_i         (begins),
    .write_valid_i   (message_valid),
    .write_place_i   (message_place),
    .write_word_i    (message_word),
    .write_last_i    (word_last),
    .accept_i        (accept),
    .accept_set_i    (accept_set),
    .accept_slot_i   (slot),
    .accept_bits_i   (accept_bits),
    .verdict_valid_o (target_valid),
    .verdict_slot_o  (target_slot),
    .verdict_missed_o(target_missed),
    .memory_error_o  (errors[1])
  );

  // ---- Indices -------------------------------------------------------------------------------
  localparam int unsigned WordBits = 65 + $bits(set_t) + $bits(slot_t);
  logic             out_valid, out_ready, out_first, in_ready;
  logic [63:0]      out_word;
  set_t             out_set;
  slot_t            out_slot;
  logic [Slots-1:0] value_ready_q;
  logic             index_valid;
  leaf_t            leaf_index;

  stream_fifo #(
    .DataWidth(WordBits),
    .Depth    (WordDepth)
  ) u_words (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (word_valid),
    .in_ready_o (in_ready),
    .in_data_i  ({word_slot, accept_set, word_first, message_word}),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .out_data_o ({out_slot, out_set, out_first, out_word}),
    .memory_error_o(errors[2])
  );

  equihash_indices #(.Built(Built)) u_indices (
    .clk_i,
    .rst_ni       (inner_rst_n),
    .word_valid_i (out_valid),
    .word_ready_o (out_ready),
    .word_data_i  (out_word),
    .word_first_i (out_first),
    .word_set_i   (out_set),
    .word_slot_i  (out_slot),
    .ready_i      (value_ready_q),
    .index_valid_o(index_valid),
    .index_o      (leaf_index)
  );
  assign events_o = index_valid;

  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) begin
      words_q       <= '0;
      value_ready_q <= '0;
    end else begin
      words_q <= words_q + WordCountBits'(word_valid) - WordCountBits'(out_valid && out_ready);
      if (accept) value_ready_q[slot] <= 1'b0;
      if (value_valid) value_ready_q[value_slot] <= 1'b1;
    end
  end

  // ---- Leaves, tree, duplicates --------------------------------------------------------------
  logic  leaf_valid;
  leaf_t leaf;
  logic [Chunks-1:0][ChunkBits-1:0] chunks;
  logic  xor_valid, xor_rest;
  slot_t xor_slot;
  logic  [MaxLevels-1:0] tree_valid, tree_collision, tree_order;
  logic  [MaxLevels-1:0] duplicates_valid, duplicates_found;
  slot_t [MaxLevels-1:0] tree_slot, duplicates_slot;

  equihash_leaves #(
    .Built         (Built),
    .StagesPerRound(Stages),
    .ChunkBits     (ChunkBits),
    .Chunks        (Chunks)
  ) u_leaves (
    .clk_i,
    .rst_ni       (inner_rst_n),
    .value_valid_i(value_valid),
    .value_slot_i (value_slot),
    .value_i      (value),
    .tail_valid_i (accept),
    .tail_slot_i  (slot),
    .tail_i       (accept_tail),
    .index_valid_i(index_valid),
    .index_i      (leaf_index),
    .leaf_valid_o (leaf_valid),
    .leaf_o       (leaf),
    .chunks_o     (chunks),
    .memory_error_o(errors[3])
  );

  equihash_tree #(
    .Built    (Built),
    .ChunkBits(ChunkBits),
    .Chunks   (Chunks)
  ) u_tree (
    .clk_i,
    .rst_ni             (inner_rst_n),
    .leaf_valid_i       (leaf_valid),
    .leaf_i             (leaf),
    .chunks_i           (chunks),
    .xor_valid_o        (xor_valid),
    .xor_slot_o         (xor_slot),
    .xor_rest_o         (xor_rest),
    .verdict_valid_o    (tree_valid),
    .verdict_slot_o     (tree_slot),
    .verdict_collision_o(tree_collision),
    .verdict_order_o    (tree_order)
  );

  equihash_duplicates #(.Built(Built)) u_duplicates (
    .clk_i,
    .rst_ni             (inner_rst_n),
    .index_valid_i      (index_valid),
    .index_i            (leaf_index),
    .verdict_valid_o    (duplicates_valid),
    .verdict_slot_o     (duplicates_slot),
    .verdict_duplicate_o(duplicates_found),
    .memory_error_o     (errors[4])
  );

  // ---- Replies -------------------------------------------------------------------------------
  logic        verdict_valid, verdict_ready, beat_valid, beat_ready, beat_last;
  logic        verdict_checked, verdict_corrupt;
  logic [63:0] verdict_index, beat_data;
  mask_t       verdict_mask;
  logic [7:0]  verdict_status;

  equihash_verdict u_verdict (
    .clk_i,
    .rst_ni            (inner_rst_n),
    .slot_free_o       (slot_free),
    .slot_o            (slot),
    .accept_i          (accept),
    .accept_index_i    (accept_index),
    .accept_checked_i  (accept_checked),
    .tree_valid_i      (tree_valid),
    .tree_slot_i       (tree_slot),
    .tree_collision_i  (tree_collision),
    .tree_order_i      (tree_order),
    .duplicates_valid_i(duplicates_valid),
    .duplicates_slot_i (duplicates_slot),
    .duplicates_found_i(duplicates_found),
    .xor_valid_i       (xor_valid),
    .xor_slot_i        (xor_slot),
    .xor_rest_i        (xor_rest),
    .target_valid_i    (target_valid),
    .target_slot_i     (target_slot),
    .target_missed_i   (target_missed),
    .frame_valid_i     (end_valid),
    .frame_slot_i      (end_slot_q),
    .frame_corrupt_i   (end_corrupt),
    .verdict_valid_o   (verdict_valid),
    .verdict_ready_i   (verdict_ready),
    .verdict_index_o   (verdict_index),
    .verdict_checked_o (verdict_checked),
    .verdict_corrupt_o (verdict_corrupt),
    .verdict_mask_o    (verdict_mask),
    .memory_error_o    (errors[5])
  );
  // A refusal waits for the verdicts of all earlier requests, and nothing is accepted meanwhile:
  // replies of all kinds come in the order of the requests, which several engines behind one port
  // rely on.
  localparam int unsigned VerdictBits = $clog2(Slots + 1);
  logic [VerdictBits-1:0] verdicts_q;  // pending
  logic                   refusal_next;
  assign refusal_next = refusal_valid && verdicts_q == '0;

  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) verdicts_q <= '0;
    else verdicts_q <= verdicts_q + VerdictBits'(accept)
        - VerdictBits'(verdict_valid && verdict_ready);
  end

  assign verdict_status = verdict_corrupt ? StatusCorrupt : '0;
  assign error_o        = verdict_valid && verdict_ready && verdict_corrupt;

  verdict_reply #(
    .Command       (ReplyVerify),
    .CheckedCommand(ReplyVerifyChecked)
  ) u_reply (
    .clk_i,
    .rst_ni          (inner_rst_n),
    .verdict_valid_i (verdict_valid),
    .verdict_ready_o (verdict_ready),
    .verdict_index_i (verdict_index),
    .verdict_found_i ({48'd0, verdict_status, 8'(verdict_mask)}),
    .verdict_checked_i(verdict_checked),
    .refusal_valid_i (refusal_next),
    .refusal_ready_o (refusal_ready),
    .refusal_header_i(refusal_header),
    .rpl_valid_o     (beat_valid),
    .rpl_ready_i     (beat_ready),
    .rpl_data_o      (beat_data),
    .rpl_last_o      (beat_last)
  );

  // Cuts the timing path from the reply queue's ready to the verdicts.
  stream_skid #(.DataWidth(65)) u_beat (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (beat_valid),
    .in_ready_o (beat_ready),
    .in_data_i  ({beat_last, beat_data}),
    .out_valid_o(reply_valid),
    .out_ready_i(reply_ready),
    .out_data_o ({reply_last, reply_data})
  );

  logic unused;
  assign unused = in_ready;  // space for a frame is reserved before it begins
endmodule
