// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_port: equihash_engine as the card's shell takes an engine, by engines/equihash/engine.toml.
module equihash_port #(
  parameter int unsigned Sets     = 1,  // mask of equihash_pkg::SetN and SetK
  parameter int unsigned ShaLanes = 4,
  parameter int unsigned Stages   = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic [0:0]  events_o,  // the manifest's counters: indices
  output logic [1:0][31:0] shape_o,
  output logic        error_o,
  output logic        ignored_o,
  output logic        memory_error_o,
  output logic        idle_o
);
  equihash_engine #(
    .Built(equihash_pkg::Sets'(Sets)), .ShaLanes(ShaLanes), .StagesPerRound(Stages)
  ) u_engine (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o, .req_data_i, .req_last_i,
    .rpl_valid_o, .rpl_ready_i, .rpl_data_o, .rpl_last_o,
    .index_begun_o(events_o[0]), .ignored_o, .error_o, .memory_error_o, .idle_o
  );
  assign shape_o = {
    32'(Sets),
    8'd0, 8'(equihash_pkg::Rounds * Stages), 8'(ShaLanes), 8'(Sets)
  };
endmodule
