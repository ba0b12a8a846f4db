// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of field_core_registers for the proof of field_core's contexts: without values, which the
// proof does not use.
module field_core_registers #(
  parameter int unsigned Width    = 256,
  parameter int unsigned Words    = 512,
  parameter logic [9:0]  ReadMask = '1,
  parameter              MemoryStyle = "block",
  localparam int unsigned AddressBits = $clog2(Words)
) (
  input  logic                   clk_i,
  input  logic                   p_write_valid_i,
  input  logic [AddressBits-1:0] p_write_address_i,
  input  logic [Width-1:0]       p_write_data_i,
  input  logic                   s_write_valid_i,
  input  logic [AddressBits-1:0] s_write_address_i,
  input  logic [Width-1:0]       s_write_data_i,
  input  logic                   read_from_s_i  [5],
  input  logic [AddressBits-1:0] read_address_i [5],
  input  logic                   used_i         [5],
  input  logic                   replace_i      [5],
  input  logic [Width-1:0]       replacement_i  [5],
  output logic [Width-1:0]       operand_o      [5],
  output logic                   memory_error_o
);
  assign memory_error_o = 1'b0;
  assign operand_o = '{default: '0};
endmodule
