// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_gather: collects rows that a unit reads together, from ports of ckks_scratchpad that are
// served at different times: rows of one partition come in sequence.
//
// read_valid_i marks the rows that the unit needs; they stay until read_ready_o, and the words of
// all come 2 clocks later. Each port requests until it has its row; words that came before the
// others wait in a register. Without requested rows read_ready_o is high; with hold_i it is low,
// and nothing is requested.
module ckks_gather
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes    = 3,
  parameter  int unsigned AddressBits = 12,
  parameter  int unsigned Ports       = 2,
  localparam int unsigned Lanes       = 1 << LogLanes
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              hold_i,

  input  logic [Ports-1:0]                  read_valid_i,
  output logic                              read_ready_o,
  input  logic [Ports-1:0][AddressBits-1:0] read_row_i,
  output residue_t [Ports-1:0][Lanes-1:0]   read_word_o,

  output logic [Ports-1:0]                  port_valid_o,
  input  logic [Ports-1:0]                  port_ready_i,
  output logic [Ports-1:0][AddressBits-1:0] port_row_o,
  input  residue_t [Ports-1:0][Lanes-1:0]   port_word_i
);
  localparam int unsigned ReadClocks = 2;
  logic [Ports-1:0] has_q;  // its row has been taken
  assign port_valid_o = hold_i ? '0 : read_valid_i & ~has_q;
  assign port_row_o   = read_row_i;
  assign read_ready_o = !hold_i && (read_valid_i & ~has_q & ~port_ready_i) == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) has_q <= '0;
    else has_q <= read_ready_o ? '0 : has_q | (port_valid_o & port_ready_i);
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic                 comes, waited;
    residue_t [Lanes-1:0] kept_q;
    valid_delay #(.Stages(ReadClocks)) u_comes (
      .clk_i, .rst_ni, .valid_i(port_valid_o[p] && port_ready_i[p]), .valid_o(comes)
    );
    pipeline_delay #(.DataWidth(1), .Stages(ReadClocks)) u_waited (
      .clk_i, .data_i(has_q[p]), .data_o(waited)
    );
    // The next row's word comes at least one clock after the one in which this word is output.
    always_ff @(posedge clk_i) if (comes) kept_q <= port_word_i[p];
    assign read_word_o[p] = waited ? kept_q : port_word_i[p];
  end
endmodule
