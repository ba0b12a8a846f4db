// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// checked_memory: field_core_memory with a parity bit per word. error_o reports a flipped bit in
// the checked word that was at the output two clocks before (memory_parity defines which reads may
// be checked).
module checked_memory #(
  parameter  int unsigned Width       = 256,
  parameter  int unsigned Depth       = 512,  // >= 2
  parameter  bit          OutputRegister = 1'b0,
  parameter               MemoryStyle = "block",  // of field_core_memory
  localparam int unsigned AddressBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   write_valid_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i,
  input  logic                   read_enable_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [Width-1:0]       read_data_o,
  input  logic                   check_i,  // read_data_o is a word that was written
  output logic                   error_o
);
  field_core_memory #(
    .Width         (Width),
    .Depth         (Depth),
    .OutputRegister(OutputRegister),
    .MemoryStyle   (MemoryStyle)
  ) u_memory (
    .clk_i, .write_valid_i, .write_address_i, .write_data_i, .read_enable_i, .read_address_i,
    .read_data_o
  );

  memory_parity #(
    .Width     (Width),
    .Depth     (Depth),
    .ReadClocks(OutputRegister ? 2 : 1)
  ) u_parity (
    .clk_i, .write_valid_i, .write_address_i, .write_data_i, .read_enable_i, .read_address_i,
    .check_i,
    .data_i (read_data_o),
    .error_o
  );
endmodule
