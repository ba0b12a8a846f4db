// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The coprocessor with test ports: a read port of the memory of slots that takes no clocks, and a
// count of the clocks since the reset.
module coprocessor_top
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Contexts  = 4,
  parameter bit          Extension = 1'b1
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         bus_valid_i,
  output logic         bus_ready_o,
  input  logic         bus_write_i,
  input  logic [31:0]  bus_address_i,
  input  logic [31:0]  bus_value_i,
  output logic         bus_response_valid_o,
  output logic [31:0]  bus_response_value_o,
  output logic         rpl_valid_o,
  input  logic         rpl_ready_i,
  output logic [63:0]  rpl_data_o,
  output logic         rpl_last_o,
  output logic         retired_valid_o,
  output logic [111:0] retired_o,        // {context, pointer, next, instruction}
  output logic         waits_valid_o,
  output logic [3:0]   waits_context_o,
  output logic         idle_o,
  output logic         failed_o,         // memory_error_o was high
  input  logic [12:0]  peek_place_i,     // {context, place}
  output logic [384:0] peek_o,
  output logic [47:0]  clocks_o,
  output logic [47:0]  products_o
);
  context_t     retired_context;
  logic [15:0]  retired_pointer, retired_next;
  instruction_t retired_instruction;
  logic         memory_error, mul_busy;

  bls_coprocessor #(
    .Contexts (Contexts),
    .Extension(Extension)
  ) u_dut (
    .clk_i, .rst_ni, .bus_valid_i, .bus_ready_o, .bus_write_i, .bus_address_i, .bus_value_i,
    .bus_response_valid_o, .bus_response_value_o, .rpl_valid_o, .rpl_ready_i, .rpl_data_o,
    .rpl_last_o, .retired_valid_o, .retired_context_o(retired_context),
    .retired_pointer_o(retired_pointer), .retired_next_o(retired_next),
    .retired_instruction_o(retired_instruction), .waits_valid_o, .waits_context_o, .mul_busy_o(mul_busy), .idle_o,
    .memory_error_o(memory_error)
  );
  assign retired_o = {20'd0, retired_context, retired_pointer, retired_next, retired_instruction};
  assign peek_o    = u_dut.u_slots.u_memory.words[peek_place_i[$bits(u_dut.data_write_address)-1:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      failed_o   <= 1'b0;
      clocks_o   <= '0;
      products_o <= '0;
    end else begin
      failed_o   <= failed_o || memory_error;
      clocks_o   <= clocks_o + 48'd1;
      products_o <= products_o + 48'(mul_busy);
    end
  end
endmodule
