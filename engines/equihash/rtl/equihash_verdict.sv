// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_verdict: collects the results of the parts for each solution in progress, and offers the
// verdict when all are known; solutions in the order of their requests.
//
// accept_i takes the slots in rotation; a slot is free again when its verdict is offered, which
// moves to a separate register. There is at least one clock between two verdicts. Five results are
// awaited for each solution: the tree, the sum of all leaves, duplicates, difficulty, and the end
// of its frame, which decides whether the others are trusted.
module equihash_verdict
  import equihash_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        slot_free_o,
  output slot_t       slot_o,        // that the next accept_i takes
  input  logic        accept_i,
  input  logic [63:0] accept_index_i,
  input  logic        accept_checked_i,  // its reply has a checksum

  // By depth, as from equihash_tree and equihash_duplicates.
  input  logic  [MaxLevels-1:0] tree_valid_i,
  input  slot_t [MaxLevels-1:0] tree_slot_i,
  input  logic  [MaxLevels-1:0] tree_collision_i,
  input  logic  [MaxLevels-1:0] tree_order_i,
  input  logic  [MaxLevels-1:0] duplicates_valid_i,
  input  slot_t [MaxLevels-1:0] duplicates_slot_i,
  input  logic  [MaxLevels-1:0] duplicates_found_i,
  input  logic        xor_valid_i,
  input  slot_t       xor_slot_i,
  input  logic        xor_rest_i,
  input  logic        target_valid_i,
  input  slot_t       target_slot_i,
  input  logic        target_missed_i,
  input  logic        frame_valid_i,
  input  slot_t       frame_slot_i,
  input  logic        frame_corrupt_i,

  output logic        verdict_valid_o,
  input  logic        verdict_ready_i,
  output logic [63:0] verdict_index_o,
  output logic        verdict_checked_o,
  output logic        verdict_corrupt_o,
  output mask_t       verdict_mask_o,    // 0 for a corrupt request

  output logic        memory_error_o
);
  typedef struct packed {
    logic tree;
    logic xor_rest;
    logic duplicates;
    logic target;
    logic frame;
  } awaited_t;

  slot_t       first_q, next_q;  // the oldest slot taken, the next one to take
  logic        taken_q[Slots];
  awaited_t    awaited_q[Slots];
  mask_t       mask_q[Slots];
  logic [Slots-1:0] corrupt_q;
  logic [64:0] requests[Slots];  // index and the checked flag
  logic        offer;

  // ---- Results -------------------------------------------------------------------------------
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    localparam slot_t Slot = slot_t'(s);
    awaited_t heard;
    mask_t    found;

    always_comb begin
      heard = '0;
      found = '0;
      for (int unsigned l = 0; l < MaxLevels; l++) begin
        if (tree_valid_i[l] && tree_slot_i[l] == Slot) begin
          heard.tree      = 1'b1;
          found.collision |= tree_collision_i[l];
          found.order     |= tree_order_i[l];
        end
        if (duplicates_valid_i[l] && duplicates_slot_i[l] == Slot) begin
          heard.duplicates = 1'b1;
          found.duplicate  |= duplicates_found_i[l];
        end
      end
      heard.xor_rest   = xor_valid_i && xor_slot_i == Slot;
      found.xor_rest   = heard.xor_rest && xor_rest_i;
      heard.target     = target_valid_i && target_slot_i == Slot;
      found.difficulty = heard.target && target_missed_i;
      heard.frame      = frame_valid_i && frame_slot_i == Slot;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        taken_q[s]   <= 1'b0;
        awaited_q[s] <= '0;
        mask_q[s]    <= '0;
        corrupt_q[s] <= 1'b0;
      end else if (accept_i && next_q == Slot) begin
        taken_q[s]   <= 1'b1;
        awaited_q[s] <= '1;
        mask_q[s]    <= '0;
        corrupt_q[s] <= 1'b0;
      end else begin
        if (offer && first_q == Slot) taken_q[s] <= 1'b0;
        awaited_q[s] <= awaited_q[s] & ~heard;
        mask_q[s]    <= mask_q[s] | found;
        corrupt_q[s] <= corrupt_q[s] || (heard.frame && frame_corrupt_i);
      end
    end
  end

  // ---- The oldest ----------------------------------------------------------------------------
  assign slot_free_o = !taken_q[next_q];
  assign slot_o      = next_q;

  assign offer       = !verdict_valid_o && taken_q[first_q] && awaited_q[first_q] == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q         <= '0;
      next_q          <= '0;
      verdict_valid_o <= 1'b0;
    end else begin
      verdict_valid_o <= offer || (verdict_valid_o && !verdict_ready_i);
      if (accept_i) next_q <= next_q + slot_t'(1);
      if (offer) first_q <= first_q + slot_t'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept_i) requests[next_q] <= {accept_checked_i, accept_index_i};
    if (offer) begin
      {verdict_checked_o, verdict_index_o} <= requests[first_q];
      verdict_corrupt_o <= corrupt_q[first_q];
      verdict_mask_o    <= corrupt_q[first_q] ? '0 : mask_q[first_q];
    end
  end

  logic offered_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) offered_q <= 1'b0;
    else offered_q <= offer;
  end
  memory_parity #(
    .Width     (65),
    .Depth     (Slots),
    .ReadClocks(1)
  ) u_parity (
    .clk_i,
    .write_valid_i  (accept_i),
    .write_address_i(next_q),
    .write_data_i   ({accept_checked_i, accept_index_i}),
    .read_enable_i  (offer),
    .read_address_i (first_q),
    .check_i        (offered_q),
    .data_i         ({verdict_checked_o, verdict_index_o}),
    .error_o        (memory_error_o)
  );
endmodule
