// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_top: bench top with all stream modules, so that they are compiled once.
// Streams: skid and fifo carry {last, data}; three inputs arb0..arb2 feed the arbiter.
module stream_top #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Depth = 5
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  input  logic                             skid_in_valid_i,
  output logic                             skid_in_ready_o,
  input  logic [DataWidth-1:0]             skid_in_data_i,
  input  logic                             skid_in_last_i,
  output logic                             skid_out_valid_o,
  input  logic                             skid_out_ready_i,
  output logic [DataWidth-1:0]             skid_out_data_o,
  output logic                             skid_out_last_o,
  input  logic                             fifo_in_valid_i,
  output logic                             fifo_in_ready_o,
  input  logic [DataWidth-1:0]             fifo_in_data_i,
  input  logic                             fifo_in_last_i,
  output logic                             fifo_out_valid_o,
  input  logic                             fifo_out_ready_i,
  output logic [DataWidth-1:0]             fifo_out_data_o,
  output logic                             fifo_out_last_o,
  input  logic                             arb0_valid_i,
  output logic                             arb0_ready_o,
  input  logic [DataWidth-1:0]             arb0_data_i,
  input  logic                             arb0_last_i,
  input  logic                             arb1_valid_i,
  output logic                             arb1_ready_o,
  input  logic [DataWidth-1:0]             arb1_data_i,
  input  logic                             arb1_last_i,
  input  logic                             arb2_valid_i,
  output logic                             arb2_ready_o,
  input  logic [DataWidth-1:0]             arb2_data_i,
  input  logic                             arb2_last_i,
  output logic                             arb_valid_o,
  input  logic                             arb_ready_i,
  output logic [DataWidth-1:0]             arb_data_o,
  output logic                             arb_last_o,
  input  logic [DataWidth-1:0]             delay_data_i,
  input  logic                             delay_valid_i,
  output logic [DataWidth-1:0]             delay0_data_o,
  output logic [DataWidth-1:0]             delay7_data_o,
  output logic                             delay0_valid_o,
  output logic                             delay7_valid_o
);
  stream_skid #(.DataWidth(DataWidth + 1)) u_skid (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(skid_in_valid_i), .in_ready_o(skid_in_ready_o),
    .in_data_i({skid_in_last_i, skid_in_data_i}),
    .out_valid_o(skid_out_valid_o), .out_ready_i(skid_out_ready_i),
    .out_data_o({skid_out_last_o, skid_out_data_o})
  );

  logic memory_error;
  always_ff @(posedge clk_i) assert (!memory_error);  // no bit has flipped
  stream_fifo #(.DataWidth(DataWidth + 1), .Depth(Depth)) u_fifo (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(fifo_in_valid_i), .in_ready_o(fifo_in_ready_o),
    .in_data_i({fifo_in_last_i, fifo_in_data_i}),
    .out_valid_o(fifo_out_valid_o), .out_ready_i(fifo_out_ready_i),
    .out_data_o({fifo_out_last_o, fifo_out_data_o}), .memory_error_o(memory_error)
  );

  stream_arbiter #(.Inputs(3), .DataWidth(DataWidth)) u_arbiter (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i({arb2_valid_i, arb1_valid_i, arb0_valid_i}),
    .in_ready_o({arb2_ready_o, arb1_ready_o, arb0_ready_o}),
    .in_data_i({arb2_data_i, arb1_data_i, arb0_data_i}),
    .in_last_i({arb2_last_i, arb1_last_i, arb0_last_i}),
    .out_valid_o(arb_valid_o), .out_ready_i(arb_ready_i),
    .out_data_o(arb_data_o), .out_last_o(arb_last_o)
  );

  pipeline_delay #(.DataWidth(DataWidth), .Stages(0)) u_delay0 (
    .clk_i, .data_i(delay_data_i), .data_o(delay0_data_o)
  );
  pipeline_delay #(.DataWidth(DataWidth), .Stages(7)) u_delay7 (
    .clk_i, .data_i(delay_data_i), .data_o(delay7_data_o)
  );
  valid_delay #(.Stages(0)) u_valid0 (
    .clk_i, .rst_ni, .valid_i(delay_valid_i), .valid_o(delay0_valid_o)
  );
  valid_delay #(.Stages(7)) u_valid7 (
    .clk_i, .rst_ni, .valid_i(delay_valid_i), .valid_o(delay7_valid_o)
  );
endmodule
