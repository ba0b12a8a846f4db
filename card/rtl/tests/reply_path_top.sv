// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// reply_path_top: reply_path with three engines, with separate ports for each stream, for the
// bench.
module reply_path_top (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        flush_i,

  input  logic        engine0_valid_i, engine1_valid_i, engine2_valid_i,
  output logic        engine0_ready_o, engine1_ready_o, engine2_ready_o,
  input  logic [63:0] engine0_data_i,  engine1_data_i,  engine2_data_i,
  input  logic        engine0_last_i,  engine1_last_i,  engine2_last_i,

  input  logic        control_valid_i,
  output logic        control_ready_o,
  input  logic [63:0] control_data_i,
  input  logic        control_last_i,

  input  logic        ignored_valid_i,
  output logic        ignored_ready_o,
  input  logic [63:0] ignored_data_i,

  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [63:0] out_data_o,
  output logic        out_last_o,
  output logic        drained_o
);
  reply_path #(.EnginePorts(3)) u_reply_path (
    .clk_i, .rst_ni, .flush_i,
    .control_valid_i, .control_ready_o, .control_data_i, .control_last_i,
    .ignored_valid_i, .ignored_ready_o, .ignored_data_i,
    .engine_valid_i({engine2_valid_i, engine1_valid_i, engine0_valid_i}),
    .engine_ready_o({engine2_ready_o, engine1_ready_o, engine0_ready_o}),
    .engine_data_i({engine2_data_i, engine1_data_i, engine0_data_i}),
    .engine_last_i({engine2_last_i, engine1_last_i, engine0_last_i}),
    .out_valid_o, .out_ready_i, .out_data_o, .out_last_o, .drained_o
  );
endmodule
