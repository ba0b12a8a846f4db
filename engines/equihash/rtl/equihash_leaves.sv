// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_leaves: converts indices to leaves, one a clock: the index's part of the hash of its
// number, cut into the chunks that collide level by level.
//
// chunks_o[j] holds bits [j * c, (j + 1) * c) of a leaf, with bit 0 the most significant, for the c
// of its set; zero if a set has narrower or fewer chunks. The inputs specific to a solution, the
// value of its header's first block and the 12 bytes after it, are stored by slot and must be
// available before the solution's first index.
//
// Latency: Rounds * StagesPerRound + 5 clocks.
module equihash_leaves
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001,
  parameter int unsigned StagesPerRound = 8,
  parameter int unsigned ChunkBits = 20,  // of the set with the widest chunks
  parameter int unsigned Chunks = 10      // of the set with the most chunks
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             value_valid_i,
  input  slot_t            value_slot_i,
  input  logic [7:0][63:0] value_i,
  input  logic             tail_valid_i,
  input  slot_t            tail_slot_i,
  input  logic [95:0]      tail_i,

  input  logic             index_valid_i,
  input  leaf_t            index_i,

  output logic             leaf_valid_o,
  output leaf_t            leaf_o,
  output logic [Chunks-1:0][ChunkBits-1:0] chunks_o,

  output logic             memory_error_o
);
  // Memory errors of the values at both reads, the tails, and the tags.
  logic [3:0] errors;
  assign memory_error_o = errors != '0;

  localparam int unsigned Latency = Rounds * StagesPerRound;

  typedef logic [7:0][63:0] value_t;
  typedef struct packed {
    leaf_t      leaf;
    logic [3:0] part;
  } tag_t;

  value_t      values[Slots];
  logic [95:0] tails[Slots];

  always_ff @(posedge clk_i) begin
    if (value_valid_i) values[value_slot_i] <= value_i;
    if (tail_valid_i) tails[tail_slot_i] <= tail_i;
  end

  // ---- Pipeline input ------------------------------------------------------------------------
  logic        split_valid, enter_valid_q;
  index_t      split_number, enter_number_q;
  tag_t        split, enter_q;
  value_t      enter_value_q;
  logic [95:0] enter_tail_q;

  equihash_split #(.Built(Built)) u_split (
    .clk_i,
    .rst_ni,
    .valid_i (index_valid_i),
    .leaf_i  (index_i),
    .valid_o (split_valid),
    .leaf_o  (split.leaf),
    .number_o(split_number),
    .part_o  (split.part)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) enter_valid_q <= 1'b0;
    else enter_valid_q <= split_valid;
  end
  always_ff @(posedge clk_i) begin
    if (split_valid) begin
      enter_q        <= split;
      enter_number_q <= split_number;
      enter_value_q  <= values[split.leaf.slot];
      enter_tail_q   <= tails[split.leaf.slot];
    end
  end

  value_t mixed;
  equihash_blake2b #(.StagesPerRound(StagesPerRound)) u_blake2b (
    .clk_i,
    .rst_ni,
    .valid_i (enter_valid_q),
    .value_i (enter_value_q),
    .tail_i  (enter_tail_q),
    .number_i(32'(enter_number_q)),
    .mixed_o (mixed)
  );

  // ---- Output: the value that is added at the end is looked up one clock ahead ---------------
  logic   ahead_valid, mixed_valid_q, hash_valid_q;
  tag_t   ahead, mixed_tag_q, hash_tag_q;
  value_t end_value_q, hash_q;

  memory_delay #(.DataWidth($bits(tag_t)), .Stages(Latency - 1)) u_tags (
    .clk_i,
    .rst_ni,
    .valid_i(enter_valid_q),
    .data_i (enter_q),
    .valid_o(ahead_valid),
    .data_o (ahead),
    .memory_error_o(errors[3])
  );

  memory_parity #(
    .Width     ($bits(value_t)),
    .Depth     (Slots),
    .ReadClocks(1)
  ) u_begin_parity (
    .clk_i,
    .write_valid_i  (value_valid_i),
    .write_address_i(value_slot_i),
    .write_data_i   (value_i),
    .read_enable_i  (split_valid),
    .read_address_i (split.leaf.slot),
    .check_i        (enter_valid_q),
    .data_i         (enter_value_q),
    .error_o        (errors[0])
  );
  memory_parity #(
    .Width     ($bits(value_t)),
    .Depth     (Slots),
    .ReadClocks(1)
  ) u_end_parity (
    .clk_i,
    .write_valid_i  (value_valid_i),
    .write_address_i(value_slot_i),
    .write_data_i   (value_i),
    .read_enable_i  (ahead_valid),
    .read_address_i (ahead.leaf.slot),
    .check_i        (mixed_valid_q),
    .data_i         (end_value_q),
    .error_o        (errors[1])
  );
  memory_parity #(
    .Width     (96),
    .Depth     (Slots),
    .ReadClocks(1)
  ) u_tails_parity (
    .clk_i,
    .write_valid_i  (tail_valid_i),
    .write_address_i(tail_slot_i),
    .write_data_i   (tail_i),
    .read_enable_i  (split_valid),
    .read_address_i (split.leaf.slot),
    .check_i        (enter_valid_q),
    .data_i         (enter_tail_q),
    .error_o        (errors[2])
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mixed_valid_q <= 1'b0;
      hash_valid_q  <= 1'b0;
      leaf_valid_o  <= 1'b0;
    end else begin
      mixed_valid_q <= ahead_valid;
      hash_valid_q  <= mixed_valid_q;
      leaf_valid_o  <= hash_valid_q;
    end
  end

  // ---- Cutting -------------------------------------------------------------------------------
  logic [511:0] ordered;  // the hash's first byte on top
  logic [Chunks-1:0][ChunkBits-1:0] cut[MostSets];

  for (genvar i = 0; i < 64; i++) begin : gen_byte
    assign ordered[8*(63-i)+:8] = hash_q[i/8][8*(i%8)+:8];
  end

  for (genvar s = 0; s < MostSets; s++) begin : gen_cut
    if (Built[s]) begin : gen_built
      localparam int unsigned N = SetN[s];
      localparam int unsigned C = collision_bits(s);
      logic [N-1:0] leaf;
      always_comb begin
        leaf = '0;
        for (int unsigned p = 0; p < leaves_per_hash(s); p++) begin
          if (hash_tag_q.part == 4'(p)) leaf = ordered[512-N*(p+1)+:N];
        end
      end
      for (genvar j = 0; j < Chunks; j++) begin : gen_chunk
        if (j <= SetK[s]) begin : gen_some
          assign cut[s][j] = ChunkBits'(leaf[N-C*(j+1)+:C]);
        end else begin : gen_none
          assign cut[s][j] = '0;
        end
      end
    end else begin : gen_absent
      assign cut[s] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ahead_valid) begin
      mixed_tag_q <= ahead;
      end_value_q <= values[ahead.leaf.slot];
    end
    if (mixed_valid_q) begin
      hash_tag_q <= mixed_tag_q;
      hash_q     <= mixed ^ end_value_q;
    end
    if (hash_valid_q) begin
      leaf_o   <= hash_tag_q.leaf;
      chunks_o <= cut[hash_tag_q.leaf.set];
    end
  end

  logic unused;
  assign unused = ^ordered;
endmodule
