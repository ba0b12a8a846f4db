// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// idle_beat: inserts a beat of zeros into a stream of frames that has been silent for Clocks
// clocks, between two frames. The protocol ignores such beats (docs/card.md). They complete the
// host's read before the time limit of AMD's XDMA driver (10 s), after which the driver aborts the
// transfer and can lose what the card sends later.
//
// No clock of latency; the insertion is decided one clock before.
module idle_beat #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Clocks = 1 << 28  // 1.07 s at 250 MHz; at least 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  input  logic                 in_last_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o
);
  localparam int unsigned CountBits = $clog2(Clocks);

  logic inside_q;  // in a frame
  logic fills_q;   // the beat of zeros is offered
  logic [CountBits-1:0] silent_q;

  assign out_valid_o = fills_q || in_valid_i;
  assign out_data_o = in_data_i & {DataWidth{!fills_q}};
  assign in_ready_o = out_ready_i && !fills_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      fills_q <= 1'b0;
      silent_q <= '0;
    end else begin
      if (in_valid_i && in_ready_o) inside_q <= !in_last_i;
      if (in_valid_i || inside_q || fills_q) silent_q <= '0;
      else silent_q <= silent_q + 1'b1;
      if (fills_q) fills_q <= !out_ready_i;
      else fills_q <= !in_valid_i && !inside_q && silent_q == CountBits'(Clocks - 1);
    end
  end
endmodule
