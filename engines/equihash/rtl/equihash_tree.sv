// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_tree: the tree of a solution's leaves, which arrive one a clock. Checks that all leaves
// XOR to zero, that each level's chunk is zero where two subtrees meet, and that the subtrees are
// in order.
//
// Solutions follow each other without a gap. A set's root leaves at its last level, so there is one
// output per depth of the built sets; the others of verdict_* are never valid.
module equihash_tree
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001,
  parameter int unsigned ChunkBits = 20,
  parameter int unsigned Chunks = 10
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       leaf_valid_i,
  input  leaf_t      leaf_i,
  input  logic [Chunks-1:0][ChunkBits-1:0] chunks_i,

  output logic       xor_valid_o,
  output slot_t      xor_slot_o,
  output logic       xor_rest_o,  // the XOR of all leaves is not zero

  // Indexed by level, with level 1 in place 0.
  output logic  [MaxLevels-1:0] verdict_valid_o,
  output slot_t [MaxLevels-1:0] verdict_slot_o,
  output logic  [MaxLevels-1:0] verdict_collision_o,
  output logic  [MaxLevels-1:0] verdict_order_o
);
  localparam int unsigned Levels = most_levels(Built);

  // ---- All leaves ----------------------------------------------------------------------------
  logic [Chunks-1:0][ChunkBits-1:0] sum_q;

  logic  sum_valid_q;  // sum_q is complete
  slot_t sum_slot_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_valid_q <= 1'b0;
      xor_valid_o <= 1'b0;
    end else begin
      sum_valid_q <= leaf_valid_i && leaf_i.last;
      xor_valid_o <= sum_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (leaf_valid_i) begin
      sum_q      <= leaf_i.first ? chunks_i : sum_q ^ chunks_i;
      sum_slot_q <= leaf_i.slot;
    end
    xor_slot_o <= sum_slot_q;
    xor_rest_o <= sum_q != '0;
  end

  // ---- Level by level ------------------------------------------------------------------------
  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    localparam int unsigned Left = Chunks - l;  // chunks left after this level
    logic  valid, collision, order, goes_on;
    leaf_t leaf;
    logic [Left-1:0][ChunkBits-1:0] chunks;

    if (l == 0) begin : gen_leaves
      assign valid     = leaf_valid_i;
      assign leaf      = leaf_i;
      assign chunks    = chunks_i;
      assign collision = 1'b0;
      assign order     = 1'b0;
      assign goes_on   = valid;
    end else begin : gen_join
      equihash_level #(.ChunkBits(ChunkBits), .Chunks(Left + 1)) u_level (
        .clk_i,
        .rst_ni,
        .valid_i    (gen_level[l-1].goes_on),
        .leaf_i     (gen_level[l-1].leaf),
        .collision_i(gen_level[l-1].collision),
        .order_i    (gen_level[l-1].order),
        .chunks_i   (gen_level[l-1].chunks),
        .valid_o    (valid),
        .leaf_o     (leaf),
        .collision_o(collision),
        .order_o    (order),
        .chunks_o   (chunks)
      );
      assign goes_on                   = valid && !ends(leaf.set, l);
      assign verdict_valid_o[l-1]      = valid && ends(leaf.set, l);
      assign verdict_slot_o[l-1]       = leaf.slot;
      assign verdict_collision_o[l-1]  = collision;
      assign verdict_order_o[l-1]      = order;
    end
  end

  for (genvar l = Levels; l < MaxLevels; l++) begin : gen_absent
    assign verdict_valid_o[l]     = 1'b0;
    assign verdict_slot_o[l]      = '0;
    assign verdict_collision_o[l] = 1'b0;
    assign verdict_order_o[l]     = 1'b0;
  end

  logic unused;
  assign unused = ^{gen_level[Levels].goes_on, gen_level[Levels].chunks, gen_level[Levels].leaf};
endmodule
