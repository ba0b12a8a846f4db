// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of memory_parity for proofs of a memory's users: no bit flips. memory_parity has a
// separate proof for flipped bits.
module memory_parity #(
  parameter  int unsigned Width       = 256,
  parameter  int unsigned Depth       = 512,
  parameter  int unsigned ReadClocks  = 1,
  localparam int unsigned AddressBits = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                   clk_i,
  input  logic                   write_valid_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i,
  input  logic                   read_enable_i,
  input  logic [AddressBits-1:0] read_address_i,
  input  logic                   check_i,
  input  logic [Width-1:0]       data_i,
  output logic                   error_o
);
  assign error_o = 1'b0;
endmodule
