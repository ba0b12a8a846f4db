// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_port: poseidon_engine as the card's shell takes an engine, by engines/poseidon/engine.toml.
module poseidon_port #(
  parameter int unsigned CoresFr   = 1,
  parameter int unsigned CoresFelt = 1,
  parameter int unsigned Contexts  = 64,
  parameter int unsigned Programs  = 0,  // poseidon_programs_pkg::programs_e
  parameter int unsigned Interval  = 1,
  parameter int unsigned TileA     = 26,
  parameter int unsigned TileB     = 17,
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

  output logic [5:0]  events_o,  // the manifest's counters: products 3:0, starved_fr 4, starved_felt 5
  output logic [1:0][31:0] shape_o,
  output logic        error_o,
  output logic        ignored_o,
  output logic        memory_error_o,
  output logic        idle_o
);
  logic [11:0] instances;
  logic [7:0]  unused_cores;

  poseidon_engine #(
    .Programs(poseidon_programs_pkg::programs_e'(Programs)),
    .CoresFr(CoresFr), .CoresFelt(CoresFelt), .Contexts(Contexts),
    .Interval(Interval), .TileA(TileA), .TileB(TileB),
    .UltraMemories(UltraMemories != 0)
  ) u_engine (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o, .req_data_i, .req_last_i,
    .rpl_valid_o, .rpl_ready_i, .rpl_data_o, .rpl_last_o,
    .instances_o(instances), .cores_o(unused_cores),
    .mul_busy_o(events_o[3:0]), .starved_o(events_o[5:4]),
    .error_o, .memory_error_o, .idle_o
  );
  assign shape_o = {16'(Contexts), 8'(CoresFelt), 8'(CoresFr), 32'(instances)};
  assign ignored_o = 1'b0;
endmodule
