// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// packet_coalescer_top: packet_coalescer with interrupt_request behind it, as in alveo_top.
module packet_coalescer_top #(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned PacketBeats = 64,
  parameter int unsigned IdleClocks = 256,
  parameter int unsigned HoldClocks = 16
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 out_last_o,
  output logic                 request_o,
  input  logic                 acknowledge_i
);
  logic begins;

  packet_coalescer #(
    .DataWidth(DataWidth), .PacketBeats(PacketBeats), .IdleClocks(IdleClocks)
  ) u_coalescer (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o, .in_data_i,
    .out_valid_o, .out_ready_i, .out_data_o, .out_last_o, .begins_o(begins)
  );

  interrupt_request #(.HoldClocks(HoldClocks)) u_interrupt (
    .clk_i, .rst_ni, .event_i(begins), .request_o, .acknowledge_i
  );
endmodule
