// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_reply: gathers what the parts find of each solution inside, and answers it when all have
// spoken; solutions in the order of their requests, refused frames between them.
//
// A slot is taken with accept_i, in turns, and is free again when its reply's last beat is taken.
// Four things are awaited of each: the tree, the sum of all leaves, duplicates, difficulty.
module equihash_reply
  import equihash_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        slot_free_o,
  output slot_t       slot_o,        // that the next accept_i takes
  input  logic        accept_i,
  input  logic [63:0] accept_index_i,

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

  input  logic        refusal_valid_i,
  output logic        refusal_ready_o,
  input  logic [63:0] refusal_header_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic        busy_o
);
  typedef struct packed {
    logic tree;
    logic xor_rest;
    logic duplicates;
    logic target;
  } awaited_t;

  typedef enum logic [2:0] { Idle, VerdictHead, VerdictIndex, VerdictMask, IgnoreHead, IgnoreBody }
    state_e;

  state_e      state_q, state_d;
  slot_t       first_q, next_q;  // the oldest slot taken, the next to be
  logic        taken_q[Slots];
  awaited_t    awaited_q[Slots];
  mask_t       mask_q[Slots];
  logic [63:0] indices[Slots];
  logic        done, answered;

  // ---- What is found -------------------------------------------------------------------------
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
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        taken_q[s]   <= 1'b0;
        awaited_q[s] <= '0;
        mask_q[s]    <= '0;
      end else if (accept_i && next_q == Slot) begin
        taken_q[s]   <= 1'b1;
        awaited_q[s] <= '1;
        mask_q[s]    <= '0;
      end else begin
        if (answered && first_q == Slot) taken_q[s] <= 1'b0;
        awaited_q[s] <= awaited_q[s] & ~heard;
        mask_q[s]    <= mask_q[s] | found;
      end
    end
  end

  // ---- Answers -------------------------------------------------------------------------------
  assign slot_free_o = !taken_q[next_q];
  assign slot_o      = next_q;
  assign done        = taken_q[first_q] && awaited_q[first_q] == '0;
  assign answered    = state_q == VerdictMask && rpl_ready_i;

  assign refusal_ready_o = state_q == IgnoreBody && rpl_ready_i;
  assign rpl_valid_o     = state_q != Idle;
  assign rpl_last_o      = state_q == VerdictMask || state_q == IgnoreBody;
  assign busy_o          = taken_q[first_q] || state_q != Idle;

  always_comb begin
    state_d    = state_q;
    rpl_data_o = '0;
    unique case (state_q)
      Idle: begin
        if (refusal_valid_i) state_d = IgnoreHead;
        else if (done) state_d = VerdictHead;
      end
      VerdictHead: begin
        rpl_data_o = {ReplyVerify, 32'd24};
        if (rpl_ready_i) state_d = VerdictIndex;
      end
      VerdictIndex: begin
        rpl_data_o = indices[first_q];
        if (rpl_ready_i) state_d = VerdictMask;
      end
      VerdictMask: begin
        rpl_data_o = 64'(mask_q[first_q]);
        if (rpl_ready_i) state_d = Idle;
      end
      IgnoreHead: begin
        rpl_data_o = {ReplyIgnore, 32'd16};
        if (rpl_ready_i) state_d = IgnoreBody;
      end
      default: begin
        rpl_data_o = refusal_header_i;
        if (rpl_ready_i) state_d = Idle;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      first_q <= '0;
      next_q  <= '0;
    end else begin
      state_q <= state_d;
      if (accept_i) next_q <= next_q + slot_t'(1);
      if (answered) first_q <= first_q + slot_t'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept_i) indices[next_q] <= accept_index_i;
  end
endmodule
