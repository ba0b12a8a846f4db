// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_checksum: frames whose last beat is replaced by {0, CRC-32C of the beats before it}; the
// incoming last beat is ignored. A frame without in_sum_i, which is constant within a frame, passes
// unchanged.
//
// One beat per clock, two clocks of latency; no path runs through in either direction.
module stream_checksum (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [63:0] in_data_i,
  input  logic        in_last_i,
  input  logic        in_sum_i,

  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [63:0] out_data_o,
  output logic        out_last_o
);
  logic        valid, ready, last, sums;
  logic [63:0] data;
  logic [31:0] crc_q, crc;  // of the beats that have left the slice, and with the one in it

  stream_skid #(.DataWidth(66)) u_slice (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i, .in_ready_o, .in_data_i({in_sum_i, in_last_i, in_data_i}),
    .out_valid_o(valid), .out_ready_i(ready), .out_data_o({sums, last, data})
  );

  crc32c_beat u_crc (.state_i(crc_q), .data_i(data), .state_o(crc));

  assign ready = !out_valid_o || out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_o <= 1'b0;
      crc_q <= '1;
    end else if (ready) begin
      out_valid_o <= valid;
      if (valid) crc_q <= last ? '1 : crc;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready) begin
      out_last_o <= last;
      out_data_o <= last && sums ? {32'd0, ~crc_q} : data;
    end
  end
endmodule
