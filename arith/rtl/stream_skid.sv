// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_skid: a register slice for a valid/ready stream that cuts the path in both directions.
//
// One beat per clock, one clock of latency; holds two beats. A beat with `last` or a tag is passed
// as data: {last, data}. clear_i empties it (a soft reset).
module stream_skid #(
  parameter int unsigned DataWidth = 64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o
);
  // The skid register holds the beat that arrived in the clock in which the output stalled.
  logic [DataWidth-1:0] out_q, skid_q;
  logic out_valid_q, skid_valid_q;
  logic out_free;

  assign in_ready_o  = !skid_valid_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_q;
  assign out_free    = !out_valid_q || out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end else if (clear_i) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end else if (out_free) begin
      out_valid_q  <= skid_valid_q || in_valid_i;
      skid_valid_q <= 1'b0;
    end else begin
      skid_valid_q <= skid_valid_q || in_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (out_free) out_q <= skid_valid_q ? skid_q : in_data_i;
    if (!skid_valid_q) skid_q <= in_data_i;
  end
endmodule
