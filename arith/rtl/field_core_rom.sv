// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_rom: a table of constants in block RAM, with an output register. data_o belongs to the
// address of two clocks before. An address beyond the table gives zero or rubbish, according to the
// target.
//
// Give Contents straight from a package, not through the parameters of modules in between, and
// assign it whole: tables of thousands of words take the tools minutes and gigabytes otherwise.
module field_core_rom #(
  parameter int unsigned Width       = 256,
  parameter int unsigned Depth       = 1,
  parameter int unsigned AddressBits = 14,   // of the port; the table may be shorter
  parameter logic [Width-1:0] Contents[Depth] = '{default: '0}
) (
  input  logic                   clk_i,
  input  logic [AddressBits-1:0] address_i,
  output logic [Width-1:0]       data_o
);

  localparam int unsigned IndexBits = Depth > 1 ? $clog2(Depth) : 1;

  // A memory that is never written, not an indexed parameter: the latter would become
  // multiplexers.
  logic [Width-1:0] words[Depth];
  initial words = Contents;

  logic [Width-1:0] word_q;
  always_ff @(posedge clk_i) begin
    word_q <= words[address_i[IndexBits-1:0]];
    data_o <= word_q;
  end

  if (AddressBits > IndexBits) begin : gen_unused
    logic unused_high_address;
    assign unused_high_address = ^address_i[AddressBits-1:IndexBits];
  end

endmodule
