// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_widen_proof: the wide beats contain the narrow ones that came in, in order, each once, a
// frame's first at the low end, zeros after its last one, and `last` on the wide beat that contains
// it. Offers stay. A wide beat is offered one clock after the narrow one that completed it, and a
// narrow one is accepted unless a blocked wide one waits.
module stream_widen_proof #(
  parameter int unsigned NarrowBytes = 1,
  parameter int unsigned WideBytes = 4,
  parameter bit Invariants = 1'b1
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     clear_i,
  input logic                     in_valid_i,
  input logic [8*NarrowBytes-1:0] in_data_i,
  input logic                     in_last_i,
  input logic                     out_ready_i
);
  localparam int unsigned Ratio = WideBytes / NarrowBytes;
  localparam int unsigned PlaceBits = $clog2(Ratio);
  localparam int unsigned WideBits = 8 * WideBytes;

  logic                in_ready, push, out_valid, out_last;
  logic [WideBits-1:0] out_data;

  stream_widen #(.NarrowBytes(NarrowBytes), .WideBytes(WideBytes)) u_dut (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last)
  );
  assign push = in_valid_i && in_ready;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(WideBits + 1)) u_out_stable (
    .clk_i, .rst_ni, .free_i(clear_i), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i({out_last, out_data})
  );

  // ---- the incoming wide beat ----
  logic [PlaceBits-1:0] place_q;
  logic [WideBits-1:0]  begun_q, begun;
  logic                 complete;

  assign begun = begun_q | WideBits'(in_data_i) << (8 * NarrowBytes * 32'(place_q));
  assign complete = in_last_i || 32'(place_q) == Ratio - 1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_q <= '0;
      begun_q <= '0;
    end else if (clear_i || (push && complete)) begin
      place_q <= '0;
      begun_q <= '0;
    end else if (push) begin
      place_q <= place_q + 1'b1;
      begun_q <= begun;
    end
  end

  localparam int unsigned CountBits = 3;
  logic [CountBits-1:0] held, ahead;
  logic                 watched;
  logic [WideBits:0]    data;

  proof_scoreboard #(.DataWidth(WideBits + 1), .CountBits(CountBits)) u_scoreboard (
    .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(clear_i),
    .in_beat_i(push && complete), .in_data_i({in_last_i, begun}),
    .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(clear_i),
    .out_beat_i(out_valid && out_ready_i), .out_data_i({out_last, out_data}),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(data)
  );

  always_comb begin
    if (rst_ni) begin
      assert (held <= 1);
      assert (out_valid == (held == 1));
      assert (in_ready == (!out_valid || out_ready_i));

      cover (out_valid && out_last && out_ready_i && push && !complete);
      cover (out_valid && !out_last && out_data != '0 && !out_ready_i);
      cover (clear_i && 32'(place_q) == Ratio - 1);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.gen_parts.place_q == place_q);
        if (place_q != 0) assert (!out_valid && u_dut.gen_parts.parts_q == begun_q);
        assert (begun_q >> (8 * NarrowBytes * 32'(place_q)) == '0);
        if (watched && ahead == 0) assert ({out_last, out_data} == data);
      end
    end
  end
endmodule
