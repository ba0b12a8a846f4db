// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_port: blake3_engine as the card's shell takes an engine, by engines/blake3/engine.toml.
module blake3_port #(
  parameter int unsigned Chunks   = 128,
  parameter int unsigned Messages = 128
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [511:0] req_data_i,
  input  logic        req_last_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic [1:0]  events_o,  // the manifest's counters: blocks 0, starved 1
  output logic [0:0][31:0] shape_o,
  output logic        error_o,
  output logic        ignored_o,
  output logic        memory_error_o,
  output logic        idle_o
);
  logic [7:0] stages;

  blake3_engine #(.Chunks(Chunks), .Messages(Messages)) u_engine (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o, .req_data_i, .req_last_i,
    .rpl_valid_o, .rpl_ready_i, .rpl_data_o, .rpl_last_o,
    .block_begun_o(events_o[0]), .starved_o(events_o[1]),
    .memory_error_o, .error_o, .idle_o, .stages_o(stages)
  );
  assign shape_o = {16'(Chunks), 8'd1, stages};
  assign ignored_o = 1'b0;
endmodule
