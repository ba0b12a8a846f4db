// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_level: one level of Equihash's tree: joins each pair of incoming nodes to one.
//
// The first chunk of their XOR must be zero and is dropped; the left node's first index must be
// below the right one's. A node carries whether either check failed anywhere below it. One node a
// clock in; latency 1 clock.
module equihash_level
  import equihash_pkg::*;
#(
  parameter int unsigned ChunkBits = 20,
  parameter int unsigned Chunks = 10  // of an incoming node, at least 2; one fewer leaves
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   valid_i,
  input  leaf_t  leaf_i,       // the leftmost below the node; its index is the node's first
  input  logic   collision_i,
  input  logic   order_i,
  input  logic [Chunks-1:0][ChunkBits-1:0] chunks_i,
  output logic   valid_o,
  output leaf_t  leaf_o,
  output logic   collision_o,
  output logic   order_o,
  output logic [Chunks-2:0][ChunkBits-1:0] chunks_o
);
  logic  waits_q;  // a left node waits
  leaf_t leaf_q;
  logic  collision_q, order_q;
  logic [Chunks-1:0][ChunkBits-1:0] chunks_q, joined;

  assign joined = chunks_q ^ chunks_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (valid_i) waits_q <= !waits_q;
      valid_o <= valid_i && waits_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && !waits_q) begin
      leaf_q      <= leaf_i;
      collision_q <= collision_i;
      order_q     <= order_i;
      chunks_q    <= chunks_i;
    end
    if (valid_i && waits_q) begin
      leaf_o      <= leaf_q;
      collision_o <= collision_q || collision_i || joined[0] != '0;
      order_o     <= order_q || order_i || leaf_q.index >= leaf_i.index;
      chunks_o    <= joined[Chunks-1:1];
    end
  end

  logic unused;
  assign unused = ^{leaf_i, leaf_q};
endmodule
