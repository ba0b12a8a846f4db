// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// request_ring: a ring of beats that a host writes in any order and in pieces, as a processor does
// that combines stores, and then publishes; published beats leave in order.
//
// Places `first_o + i` of the memory (modulo Depth), for i below room_o, are free: a store there
// changes no published beat. `publish_i` publishes that number of beats, at most room_o, from
// first_o on; they may include a store of an earlier clock, not of the same clock. A place is free
// as soon as its beat is in the output register. One beat per clock. The memory may become block
// memory with byte enables.
module request_ring #(
  parameter int unsigned BeatBytes = 64,
  parameter int unsigned Depth = 512,  // a power of two
  localparam int unsigned IndexBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  output logic [IndexBits-1:0]   first_o,
  output logic [IndexBits:0]     room_o,
  input  logic                   store_i,  // to a free place
  input  logic [IndexBits-1:0]   store_index_i,
  input  logic [BeatBytes-1:0]   store_strobe_i,
  input  logic [8*BeatBytes-1:0] store_data_i,
  input  logic [IndexBits:0]     publish_i,

  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic [8*BeatBytes-1:0] out_data_o
);
  logic [BeatBytes-1:0][7:0] memory[Depth];
  logic [IndexBits-1:0]      first_q, read_q;
  logic [IndexBits:0]        count_q;  // published beats in the memory
  logic                      fetch;

  assign fetch = count_q != '0 && (!out_valid_o || out_ready_i);
  assign first_o = first_q;
  assign room_o = (IndexBits + 1)'(Depth) - count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= '0;
      read_q <= '0;
      count_q <= '0;
      out_valid_o <= 1'b0;
    end else begin
      first_q <= first_q + publish_i[IndexBits-1:0];
      if (fetch) read_q <= read_q + 1'b1;
      count_q <= count_q + publish_i - (IndexBits + 1)'(fetch);
      if (fetch) out_valid_o <= 1'b1;
      else if (out_ready_i) out_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < BeatBytes; i++) begin
      if (store_i && store_strobe_i[i]) memory[store_index_i][i] <= store_data_i[8*i+:8];
    end
    if (fetch) out_data_o <= memory[read_q];
  end
endmodule
