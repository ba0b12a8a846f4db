// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_memory: one write port and one read port on one clock, for block RAM.
//
// A read takes one clock, or two with OutputRegister: read_data_o belongs to the address of one or
// two clocks before, and everything is held while read_enable_i is low. A word written in clock t
// is visible to reads from clock t+1 on. A read of the word that is being written returns the old
// word or garbage, depending on the target, and no user of this module relies on it. The contents
// survive a reset: every user writes a word before reading it.
module field_core_memory #(
  parameter  int unsigned Width       = 256,
  parameter  int unsigned Depth       = 512,  // >= 2
  // A register after the memory, whose own output comes late in a clock.
  parameter  bit          OutputRegister = 1'b0,
  // The memory type: "auto", "block", or "ultra" (UltraRAM, on families that have it).
  // verilator lint_off UNUSEDPARAM
  // (Verilator does not read attributes.)
  parameter               MemoryStyle = "auto",
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned AddressBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   write_valid_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i,
  input  logic                   read_enable_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [Width-1:0]       read_data_o
);

  (* ram_style = MemoryStyle *) logic [Width-1:0] words[Depth];
  logic [Width-1:0] word_q;

  always_ff @(posedge clk_i) begin
    if (write_valid_i) words[write_address_i] <= write_data_i;
    if (read_enable_i) word_q <= words[read_address_i];
  end

  if (OutputRegister) begin : gen_register
    logic [Width-1:0] output_q;
    always_ff @(posedge clk_i) if (read_enable_i) output_q <= word_q;
    assign read_data_o = output_q;
  end else begin : gen_no_register
    assign read_data_o = word_q;
  end

endmodule
