// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_port: secp256k1_engine as the card's shell takes an engine, by engines/secp256k1/engine.toml.
module secp256k1_port #(
  parameter int unsigned Cores    = 1,
  parameter int unsigned Contexts = 56,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA    = 26,
  parameter int unsigned TileB    = 17,
  parameter int unsigned UltraMemories = 0  // 0 or 1
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

  output logic [3:0]  events_o,  // the manifest's counters: products
  output logic [0:0][31:0] shape_o,
  output logic        error_o,
  output logic        ignored_o,
  output logic        memory_error_o,
  output logic        idle_o
);
  secp256k1_engine #(
    .Cores(Cores), .Contexts(Contexts), .Interval(Interval), .TileA(TileA), .TileB(TileB),
    .UltraMemories(UltraMemories != 0)
  ) u_engine (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o, .req_data_i, .req_last_i,
    .rpl_valid_o, .rpl_ready_i, .rpl_data_o, .rpl_last_o,
    .mul_busy_o(events_o), .ignored_o, .error_o, .memory_error_o, .idle_o
  );
  assign shape_o = {16'(Contexts), 8'd0, 8'(Cores)};
endmodule
